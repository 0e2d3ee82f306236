"""JSON read with a forgiving eye, in one pass: what is wrong may have only one meaning.

Comments, commas too many or missing, any quotes or none, a colon or closing brackets forgotten,
Python's words, tuples, text joined by `+`, wrappers such as `Date("…")`, quotes inside a text that
nothing delimits. What could mean two things is doubted and left to a reader that guesses.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_DEEPEST = 100
_SPACES = " \t\r\n\v\f\u00a0\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_QUOTES = {  # each quote that opens a text, and those that close it
    '"': '"',
    "'": "'",
    "“": "“”",
    "”": "“”",
    "„": "“”",
    "`": "`´‘’'",
    "´": "`´‘’'",
    "‘": "`´‘’'",
    "’": "`´‘’'",
}
WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nan": None,
          "infinity": None, "-infinity": None}  # fmt: skip
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\", "\n": "\n"}
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_MARKS = ",:[]{}()"
_END = ""


class DoubtError(ValueError):
    """The text could mean several things. `cut` says that it ends inside a value."""

    def __init__(self, cut: bool = False) -> None:
        super().__init__("The text is not JSON in one certain sense.")
        self.cut = cut


@dataclass(slots=True)
class Reading:
    """A value, the text after it from `end` on, and whether the text ends inside the value:
    in a text, a number or a word, or where one is due."""

    value: Any
    end: int
    cut: bool


def read_lenient(text: str, start: int = 0) -> Reading:
    """Read the one value that begins at `start`.

    Raises DoubtError, and a plain ValueError for what nests deeper than any answer.
    """
    reader = _Reader(text, start)
    value = reader.value()
    return Reading(value, reader.at, reader.cut)


def skip_between(text: str, at: int) -> int:
    """Give where the text goes on behind spaces and comments."""
    reader = _Reader(text, at)
    reader.skip()
    return reader.at


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.cut = False
        self._open: list[str] = []  # the closers that are due
        self._reread = 16 * len(text) + 1_000  # characters that may be read a second time

    def value(self) -> Any:
        self.skip()
        char = self._peek()
        if char in _CLOSERS:
            self._bound()
            self.at += 1
            self._open.append(_CLOSERS[char])
            found = self._object() if char == "{" else self._array()
            self._open.pop()
            return found
        if char in _QUOTES:
            return self._texts()
        if not char or char in _MARKS or char == "\\":
            raise DoubtError(self.cut)
        return self._word()

    def _bound(self) -> None:
        if len(self._open) >= _DEEPEST:
            raise ValueError(f"The text nests deeper than {_DEEPEST} levels.")

    def skip(self) -> bool:
        """Pass over spaces and comments. Gives whether a line ended."""
        text, began = self.text, self.at
        while self.at < len(text):
            if text[self.at] in _SPACES:
                self.at += 1
            elif text.startswith("/*", self.at):
                self._pass("*/", 2)
            elif text.startswith(("//", "#"), self.at):
                self._pass("\n", 0)
            else:
                break
        return "\n" in text[began : self.at]

    def _pass(self, mark: str, length: int) -> None:
        """Pass over a comment. One without an end may have swallowed what was due."""
        end = self.text.find(mark, self.at + length)
        self.cut = self.cut or (end < 0 and bool(self._open))
        self.at = len(self.text) if end < 0 else end + length

    def _peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else _END

    def _commas(self) -> bool:
        """Pass over commas and dots that stand for what was left out. Gives whether any came."""
        self.skip()
        some = False
        while True:
            if self._peek() == ",":
                self.at += 1
            elif self.text.startswith(("...", "…"), self.at):
                self.at += 3 if self._peek() == "." else 1
            else:
                self.cut = self.cut or (some and not self._peek())
                return some
            some = True
            self.skip()

    def _closes(self, own: str) -> bool:
        """Pass over the bracket that ends an object or list. One that ends an outer one stays."""
        char = self._peek()
        if not char:
            return True
        if char == own:
            self.at += 1
            return True
        if char in "}])":
            if char in self._open:
                return True
            self.at += 1  # it closes nothing: the one that is due was meant, or none
            self.skip()
            if self._peek() == ",":
                raise DoubtError(self.cut)
            return True
        return False

    def _end_of(self, found: dict[str, Any] | list[Any]) -> None:
        """Note that a text ends where the first of an object or list was due."""
        if not found and self.text[self.at - 1 : self.at] not in ("}", "]", ")"):
            self.cut = self.cut or self.at == len(self.text)

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        comma = True
        while True:
            comma = self._commas() or comma
            if self._closes("}"):
                self._end_of(found)
                return found
            if self._peek() == "{" and found and "]" in self._open:
                return found  # the next of a list: the bracket between was forgotten
            if not found and self.text.startswith("{{", self.at - 1):
                self.at += 1  # as templates write it
                continue
            key = self._key()
            self.skip()
            char = self._peek()
            if char == ":" or char == "=":
                self.at += 2 if self.text.startswith(("=>", ":=", "::"), self.at) else 1
                self.skip()
                char = self._peek()
                if not char or char in ",}":
                    found[key] = None
                    self.cut = self.cut or not char
                else:
                    found[key] = self.value()
            elif not char:
                found[key] = None
                self.cut = True
            elif comma and char not in _MARKS:  # no colon
                found[key] = self.value()
            else:
                raise DoubtError(self.cut)
            line = self.skip()
            comma = self._peek() == ","
            if not comma and self._peek() not in ("}", "]", ")", _END, "{"):
                self._next(line)

    def _next(self, line: bool) -> None:
        """Doubt what follows a value without a comma, unless it begins a line or is quoted."""
        if not line and self._peek() not in _QUOTES:
            raise DoubtError(self.cut)

    def _array(self) -> list[Any]:
        own = self._open[-1]
        found: list[Any] = []
        while True:
            self._commas()
            if self._closes(own):
                self._end_of(found)
                return found
            found.append(self.value())
            line = self.skip()
            char = self._peek()
            if char == ":":
                raise DoubtError(self.cut)
            if char not in (",", "}", "]", ")", _END, "{", "[", "."):
                self._next(line or isinstance(found[-1], dict | list | str))

    def _key(self) -> str:
        char = self._peek()
        if char in _QUOTES:
            return self._texts(key=True)
        if char in _MARKS or char == "\\":
            raise DoubtError(self.cut)
        began = self.at
        text = self.text
        while self.at < len(text) and text[self.at] not in "\n\"'“”‘’" + _MARKS:
            self.at += 1
        if text.startswith(('":', "':"), self.at):
            self.at += 1  # the quote in front was forgotten
            return text[began : self.at - 1].strip()
        word = text[began : self.at].strip()
        if text[self.at - 1] not in _SPACES and self._peek() in _QUOTES:
            raise DoubtError(self.cut)  # the quote in front was forgotten, of a key or a value
        if any(char in _SPACES for char in word) or not word:
            raise DoubtError(self.cut)
        return word

    def _word(self) -> Any:
        """Read a number, a word of JSON or Python, a wrapper around a value, or bare text."""
        text, began = self.text, self.at
        while self.at < len(text):
            char = text[self.at]
            if char in ',[]{}()\n"“”':
                break
            if text.startswith((" #", " //", " /*", "\t#", "\t//"), self.at):
                break
            self.at += 1
        word = text[began : self.at].strip(_SPACES)
        char = self._peek()
        if char == "(" and word.isidentifier():
            return self._wrapped()
        if not char and word.casefold() not in WORDS:
            self.cut = True
        found = _scalar(word)
        if isinstance(found, str):
            if word and all(not isinstance(_scalar(each), str) for each in word.split()):
                raise DoubtError(self.cut)  # several, without commas
            if char == '"' and self._is_end(False):  # the quote in front was forgotten
                self.at += 1
                return found
            two = ":" in word and "://" not in word and self._open[-1:] == ["}"]
            if two or (char and char in '[{("“”'):
                raise DoubtError(self.cut)
        return found

    def _wrapped(self) -> Any:
        self.at += 1
        self._bound()
        self._open.append(")")
        found = self.value()
        self._open.pop()
        self.skip()
        if self._peek() != ")":
            raise DoubtError(self.cut)
        self.at += 1
        return found

    def _texts(self, *, key: bool = False) -> str:
        """Read a quoted text, and those that `+` joins to it."""
        found = self._text(key)
        while True:
            back = self.at
            self.skip()
            if self._peek() != "+":
                self.at = back
                return found
            self.at += 1
            self.skip()
            if self._peek() not in _QUOTES:
                raise DoubtError(self.cut)
            found += self._text(key)

    def _text(self, key: bool) -> str:
        text = self.text
        ends = _QUOTES[text[self.at]]
        self.at += 1
        pieces: list[str] = []
        inner = 0  # quotes that are a part of the text
        commas: list[tuple[int, int]] = []  # where the text may have ended: place, pieces
        while self.at < len(text):
            char = text[self.at]
            if char == "\\":
                pieces.append(self._escaped())
            elif char in ends:
                doubled = bool(pieces) and text.startswith(char, self.at + 1)
                if not (doubled and inner % 2) and self._is_end(key):
                    if key and "\n" in pieces:
                        raise DoubtError(self.cut)
                    self.at += 1
                    if doubled and self._is_end(key):
                        self.at += 1
                    return _paired("".join(pieces))
                before = next((each for each in reversed(pieces) if each not in _SPACES), "")
                if before == "," and commas and commas[-1][1] and not key:
                    self._again(self.at - commas[-1][0])
                    self.at, count = commas[-1]
                    self.cut = False
                    return _paired("".join(pieces[:count]))
                if not before or before in ",:[]{}" + ends:
                    raise DoubtError(self.cut)
                pieces.append(char)
                inner += 1
                self.at += 1
            else:
                if char == ",":
                    commas.append((self.at, len(pieces)))
                pieces.append(char)
                self.at += 1
        if self._open and not self.cut:  # where the quote is missing is not certain
            raise DoubtError(True)
        self.cut = True
        return _paired("".join(pieces))

    def _again(self, count: int) -> None:
        self._reread -= count
        if self._reread < 0:
            raise DoubtError(self.cut)

    def _is_end(self, key: bool) -> bool:
        """Whether the quote here ends its text: behind it comes what may follow a value."""
        back, cut = self.at, self.cut
        if self.text.startswith(("#", "//"), back + 1):
            return False
        self.at += 1
        line = self.skip()
        char = self._peek()
        spaced = self.at > back + 1
        word = self.text[self.at : self.at + 6].casefold()
        self._again(self.at - back)
        self.at, self.cut = back, cut
        if not char or char in ",:+" or char in _QUOTES or (line and not key):
            return True
        if char in "}])":
            return char in self._open
        # The comma or the colon was forgotten.
        return spaced and (char.isdigit() or word.startswith(("true", "false", "null", "none")))

    def _escaped(self) -> str:
        """Read an escape; one that JSON has not stays as it is."""
        text, at = self.text, self.at
        char = text[at + 1 : at + 2]
        if char == "u":
            digits = text[at + 2 : at + 6]
            hexadecimal = all(each in "0123456789abcdefABCDEF" for each in digits)
            if len(digits) == 4 and hexadecimal:
                self.at += 6
                return chr(int(digits, 16))
            if hexadecimal and at + 2 + len(digits) == len(text):
                self.cut = True
                self.at = len(text)
                return ""
        self.at += 2
        if char in _QUOTES or not char:
            return char
        return _ESCAPES.get(char, "\\" + char)


def _paired(text: str) -> str:
    """Give a text with the two halves of a character, each escaped by itself, put together."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _scalar(word: str) -> Any:
    """Give what a bare word says: a word of JSON or Python, a number, else itself."""
    if word.casefold() in WORDS:
        return WORDS[word.casefold()]
    digits = word.replace("_", "") if word[-1:] != "_" else word
    if digits[-1:] in ("e", "E", "+", "-", ".") and digits[:1] in "+-.0123456789":
        digits += "0"  # cut off behind its point or sign
    sign, digits = ("-", digits[1:]) if digits[:1] == "-" else ("", digits.removeprefix("+"))
    if digits.startswith("."):
        digits = "0" + digits
    try:
        found = json.loads(sign + digits)
    except (ValueError, RecursionError):
        return word
    return found if isinstance(found, int | float) and not isinstance(found, bool) else word
