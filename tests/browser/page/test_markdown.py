"""Answers as Markdown: what they show, what they may not do, how little work they are."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.page.driving import Opener, run, send

PARAGRAPHS = 200
FORBIDDEN = ["script", "onerror", "style", "<form", "<input", "<svg", "<iframe", "error", "id="]
TEXT = """Intro with [a link][1] later.\r\n\r\n# Title

- one
- two

  deep

    code

1. a
   - b
2. c

| a | b |
| - | - |
| 1 | **2** |

> quote
> more

~~~py
print("x")

# no title
~~~

- [x] done
- [ ] open

last *line*
===

[1]: https://example.org/one

see [again][1]

end"""


class TestMarkdown:
    def test_renders_what_answers_are_made_of(self, open_page: Opener) -> None:
        page = open_page()
        answer = run(page, "#revise the weekend").locator(".answer")
        expect(answer.locator("h4")).to_have_text("What is on the board")
        expect(answer.locator("td")).to_have_count(6)
        expect(answer.locator(".code-bar span")).to_have_text("js")
        expect(answer.locator("p", has_text="للرحلة")).to_have_css("direction", "rtl")
        links = answer.get_by_role("link")
        expect(links).to_have_count(2)
        for link in links.all():
            expect(link).to_have_attribute("rel", "noopener noreferrer")
            expect(link).to_have_attribute("target", "_blank")
        expect(links.last).to_have_attribute("href", "https://example.org/hut.png")
        expect(answer.locator("img")).to_have_count(0)

    def test_lets_nothing_act(self, open_page: Opener) -> None:
        # Without the policy, which would hide what the sanitiser lets through.
        page = open_page(bypass_csp=True, expected_faults="404")
        html = page.evaluate(
            """async () => {
              const view = document.createElement("pagehand-markdown");
              view.text = [
                "<script>window.pwned = 1<\\/script>",
                "<img src=x onerror='window.pwned = 1'>",
                "<img src='https://example.org/track.gif'>",
                "![](//example.org/a.png)",
                "[a](javascript:window.pwned=1)",
                "<a href='data:text/html,x'>b</a>",
                "<form action='/x'><button>go</button><input></form>",
                "<style>* { display: none }</style>",
                "<div style='position:fixed' class='error' id='x'>c</div>",
                "<svg><use href='https://example.org/a.svg'/></svg>",
                "<iframe src='https://example.org'></iframe>",
              ].join("\\n\\n");
              view.done = true;
              document.body.append(view);
              while (view.work.flushes === 0) await new Promise(requestAnimationFrame);
              return view.innerHTML;
            }"""
        )
        for word in FORBIDDEN:
            assert word not in html
        for link in re.findall(r'href="([^"]*)"', html):
            assert link.startswith(("https://example.org/", "//example.org/"))
        assert page.evaluate("window.pwned") is None

    def test_streamed_looks_like_whole(self, open_page: Opener) -> None:
        page = open_page()
        html = page.evaluate(
            """async ([text, sizes]) => {
              const settled = async (view, flushes) => {
                while (view.work.flushes < flushes) await new Promise(requestAnimationFrame);
              };
              const show = async (size) => {
                const view = document.createElement("pagehand-markdown");
                document.body.append(view);
                let flushes = 0;
                for (let at = size; at < text.length + size; at += size) {
                  view.text = text.slice(0, at);
                  await settled(view, ++flushes);
                }
                view.done = true;
                await settled(view, ++flushes);
                return [...view.children].map((each) => each.innerHTML).join("");
              };
              return Promise.all(sizes.map(show));
            }""",
            [TEXT, [len(TEXT), 3, 17, 61]],
        )
        # A definition that comes later cannot reach back into what is finished.
        whole = re.sub(r"(<p [^>]*>Intro with )<a [^>]*>a link</a>", r"\1[a link][1]", html[0])
        assert html[1:] == [whole] * 3

    def test_parses_a_flood_once(self, open_page: Opener) -> None:
        page = open_page()
        run(page, "#flood of words")
        expect(page.locator(".answer p")).to_have_count(PARAGRAPHS)
        work = page.locator(".answer").evaluate("view => view.work")
        length = len(page.locator(".answer").evaluate("view => view.text"))
        paragraph = length // PARAGRAPHS
        batches = -(-length // (8 * 6))
        assert work["flushes"] <= batches
        # Each character once, and the growing paragraph again at each flush.
        assert work["characters"] <= length + work["flushes"] * 2 * paragraph

    def test_tells_screen_readers_of_blocks_not_tokens(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#stream for ever")
        expect(page.locator(".answer [aria-live=polite]")).to_have_text(
            "The first words stand here."
        )
        expect(page.locator(".answer [aria-live=off]")).to_have_text("And more")
