"""Media types: what bytes show, what names say, and which of them wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.models import media

ZIP = b"PK\x03\x04" + bytes(8)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(8)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def brands(*names):
    """The head of an ISO media file with a main brand and its compatible ones."""
    body = names[0] + bytes(4) + b"".join(names[1:])
    return (8 + len(body)).to_bytes(4) + b"ftyp" + body + b"\x00\x00\x00\x08meta"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xdb", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", None),
        (b"BM\x46\x00\x00\x00" + bytes(4) + b"\x36\x00\x00\x00\x28", "image/bmp"),
        (b"BM25 is a ranking function", None),
        (b"II*\x00\x08\x00", "image/tiff"),
        (b"MM\x00*\x00\x00", "image/tiff"),
        (brands(b"heic", b"mif1"), "image/heic"),
        (brands(b"mif1", b"heic"), "image/heic"),
        (brands(b"mif1", b"avif"), "image/avif"),
        (brands(b"avif"), "image/avif"),
        (brands(b"isom", b"mp42"), None),
        (b"%PDF-1.7", "application/pdf"),
        (b"\xef\xbb\xbf\r\n%PDF-1.4", "application/pdf"),
        (b"A %PDF- file begins so", None),
        (ZIP, "application/zip"),
        (OLE, "application/x-ole-storage"),
        (SVG, "image/svg+xml"),
        (b"\xef\xbb\xbf <?xml version='1.0'?>\n<!-- <b> -->\n<svg>", "image/svg+xml"),
        (b"<?xml version='1.0'?><!DOCTYPE svg PUBLIC '-//W3C' 'x.dtd'><svg:svg >", "image/svg+xml"),
        (b"<?xml version='1.0'?><list><svg/></list>", "application/xml"),
        (b"<?xml version='1.0'?><html xmlns='x'>", "text/html"),
        (b"<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>", "text/html"),
        (b"\n<!-- a --><HTML lang=en><svg>", "text/html"),
        (b"<head><title>", "text/html"),
        (b"<h1>Notes</h1> on <svg>", None),
        (b"<svgs>", None),
        (b"<!-- " * 800, None),
        (b"a <svg>", None),
        (b"plain words", None),
        (b"", None),
    ],
)
def test_what_bytes_show(data, shown):
    assert media.of_bytes(data) == shown


@pytest.mark.parametrize(
    ("data", "said", "settled"),
    [
        (None, ["image/jpg"], "image/jpeg"),
        (None, [None, "text/csv"], "text/csv"),
        (None, ["application/octet-stream", "Text/CSV; a=b"], "text/csv"),
        (None, ["no type", None, ""], "application/octet-stream"),
        (b"\x00", ["image/png", "text/csv"], "image/png"),
        (b"\xff\xd8\xff", ["image/png"], "image/jpeg"),
        (b"%PDF-1", ["text/plain", WORD], "application/pdf"),
        (ZIP, [None, WORD], WORD),
        (ZIP, ["application/zip", WORD], WORD),
        (ZIP, ["application/x-zip-compressed"], "application/zip"),
        (ZIP, ["text/plain", "application/pdf", "image/png", "a/json"], "application/zip"),
        (OLE, ["application/msword"], "application/msword"),
        (OLE, [], "application/x-ole-storage"),
        (SVG, ["image/png"], "image/svg+xml"),
        (SVG, ["text/plain"], "text/plain"),
        (b"<html>", ["application/pdf", "text/markdown"], "text/markdown"),
        (b"<html>", ["application/pdf"], "text/html"),
    ],
)
def test_which_word_wins(data, said, settled):
    assert media.settled(data, said) == settled


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.docx", WORD),
        ("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("a.pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
        ("a.doc", "application/msword"),
        ("a.xls", "application/vnd.ms-excel"),
        ("a.b.CSV", "text/csv"),
        ("a.tsv", "text/tab-separated-values"),
        ("a.md", "text/markdown"),
        ("a.htm", "text/html"),
        ("a.xml", "application/xml"),
        ("a.yml", "application/yaml"),
        ("a.heic", "image/heic"),
        ("a.svg", "image/svg+xml"),
        ("a.bmp", "image/bmp"),
        ("a.tif", "image/tiff"),
        ("png", None),
        ("a.thing", None),
        ("", None),
        (None, None),
    ],
)
def test_what_names_say(name, media_type):
    assert media.of_name(name) == media_type


def test_the_ending_of_a_type():
    assert media.ending_of("image/jpg") == "jpg"
    assert media.ending_of("text/html; charset=utf-8") == "html"
    assert media.ending_of(WORD) == "docx"
    assert media.ending_of("a/b") is None and media.ending_of("nothing") is None


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/x-anything", True),
        ("application/ld+json", True),
        ("application/x-yaml; charset=utf-8", True),
        ("image/svg+xml", True),
        ("image/png", False),
        (WORD, False),
        ("", False),
    ],
)
def test_what_is_text(media_type, expected):
    assert media.is_text(media_type) is expected


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("a.pdf", "a.pdf"),
        ("/etc/../b.pdf", "b.pdf"),
        ("C:\\docs\\c.pdf", "c.pdf"),
        ("ресюмé 😀.pdf", "ресюмé 😀.pdf"),
        ("a\x00\x1b\u202efdp\ud800.exe", "afdp.exe"),
        ("Screenshot\u202f3\n PM.png", "Screenshot 3 PM.png"),
        ("x" * 300 + ".docx", "x" * 195 + ".docx"),
        ("x." + "y" * 300, "x." + "y" * 198),
        ("..", None),
        ("folder/", None),
        (" \x07 ", None),
    ],
)
def test_clean_names(name, clean):
    assert media.clean_name(name) == clean


@given(st.text(max_size=300))
def test_any_name_is_clean_or_none(name):
    clean = media.clean_name(name)
    if clean is not None:
        assert 0 < len(clean) <= 200 and clean.isprintable()
        assert not set("/\\") & set(clean)


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ("https://bucket.test/doc.pdf?X-Signature=SECRET&y=a/b", "doc.pdf"),
        ("https://x.test/a.pdf#page/2", "a.pdf"),
        ("https://x.test/a.pdf;session=SECRET", "a.pdf"),
        ("https://x.test/my%20r%C3%A9sum%C3%A9.pdf", "my résumé.pdf"),
        ("https://x.test/up%2F..%2Fa%0A.pdf", "a .pdf"),
        ("https://x.test?file=/a.pdf", None),
        ("https://user:SECRET@x.test", None),
        ("https://x.test/", None),
        ("https://[bad/a.pdf", "a.pdf"),
        ("data:text/plain,a/b.txt", None),
    ],
)
def test_names_of_links(link, name):
    assert media.name_of_link(link) == name


@given(st.binary(max_size=80), st.sampled_from([b"", b"<", b"<?xml", b"\0\0\0\x18ftyp", b"BM"]))
def test_any_bytes_show_something_or_nothing(data, head):
    assert media.plain(media.of_bytes(head + data) or "a/b") is not None


@given(st.text(max_size=40))
def test_any_text_is_a_media_type_or_none(text):
    found = media.plain(text)
    assert found is None or found.count("/") == 1
    assert media.is_text(text) in (True, False)
