"""Attachments: what a user gives, what a model takes, and how it is said that it does not."""

import asyncio
import base64
import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import ConfigError, attachment_kind, generate, to_file_part
from pagehand.errors import (
    AttachmentsNotSupportedError,
    ImagesNotSupportedError,
    InvalidRequestError,
)
from pagehand.messages import FilePart, ImagePart
from pagehand.models.attachments import (
    kind_of,
    not_taken,
    note_of,
    read_attachments,
    refusal,
    text_of,
)
from pagehand.models.links import Downloads, http_fetch
from pagehand.models.profiles import ModelProfile
from pagehand.platform.native import native_platform
from pagehand.testing import ScriptedModel, scripted_platform
from tests.support.scripted_server import ScriptedServer, fault, text

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
PDF = b"%PDF-1.7\n"
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)
HEIC = b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
BMP = b"BM" + (70).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + bytes(8)
TIFF = b"II*\x00" + bytes(8)
PAGE = b"<!DOCTYPE html><title>Please log in</title>"
ZIP = b"PK\x03\x04" + bytes(8)
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def encoded(data):
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (PNG, ImagePart(PNG, "image/png")),
        (bytearray(PNG), ImagePart(PNG, "image/png")),
        ({"data": PNG, "name": "a.jpg"}, ImagePart(PNG, "image/png", "a.jpg")),
        ({"data": PDF, "mediaType": "application/octet-stream"}, FilePart(PDF, "application/pdf")),
        (b"hello, Z\xc3\xbcrich", FilePart(b"hello, Z\xc3\xbcrich", "text/plain")),
        ({"data": b"a: 1", "name": "notes"}, FilePart(b"a: 1", "text/plain", "notes")),
        (b"\x00\x01\x02", FilePart(b"\x00\x01\x02", "application/octet-stream")),
        (base64.b64encode(PDF).decode(), FilePart(PDF, "application/pdf")),
        (base64.urlsafe_b64encode(PNG).decode().rstrip("="), ImagePart(PNG, "image/png")),
        ("data:image/gif;base64,R0lGOA==", ImagePart(b"GIF8", "image/gif")),
        ("data:text/plain,hi%20there", FilePart(b"hi there", "text/plain")),
        ("data:text/plain;charset=utf-8;base64,aGk=", FilePart(b"hi", "text/plain")),
        ("https://x.test/a.png?v=1", ImagePart("https://x.test/a.png?v=1", "image/png")),
        ({"data": "https://x.test/a", "media_type": "application/pdf"},
         FilePart("https://x.test/a", "application/pdf")),
        ({"data": b"hi", "name": "notes.md"}, FilePart(b"hi", "text/markdown", "notes.md")),
        ("data:,hi", FilePart(b"hi", "text/plain")),
        ("data:;charset=utf-8,x", FilePart(b"x", "text/plain")),
        ("DATA: Image/PNG ; BASE64 , " + encoded(PNG), ImagePart(PNG, "image/png")),
        ('data:image/png;name="a,b.png";base64,' + encoded(PNG), ImagePart(PNG, "image/png")),
        ("data:;base64," + encoded(b"\x00\x01"), FilePart(b"\x00\x01")),
        ("data:text/plain;charset=utf-16;base64," + encoded("hé".encode("utf-16")),
         FilePart("hé".encode(), "text/plain")),
        ({"data": "né".encode("latin-1"), "media_type": "text/csv; charset=ISO-8859-1"},
         FilePart("né".encode(), "text/csv")),
        ({"data": b"n\xe9", "media_type": "text/csv; charset=klingon"},
         FilePart(b"n\xe9", "text/csv")),
        (encoded(PDF)[:4] + "\r\n  " + encoded(PDF)[4:], FilePart(PDF, "application/pdf")),
        ({"data": "https://x.test/a.pdf", "name": "Report"},
         FilePart("https://x.test/a.pdf", "application/pdf", "Report")),
        ("https://host.md", FilePart("https://host.md")),
        ("HTTPS://x.test/get?file=a.png", FilePart("HTTPS://x.test/get?file=a.png")),
        (ImagePart("https://x.test/a.jpg"), ImagePart("https://x.test/a.jpg", "image/jpeg")),
        (ImagePart("data:image/gif;base64,AAAA"), ImagePart(b"\0\0\0", "image/gif")),
        (ImagePart(JPEG), ImagePart(JPEG, "image/jpeg")),
        (FilePart(b"x", "Text/Plain; q=1"), FilePart(b"x", "text/plain")),
    ],
)  # fmt: skip
def test_forms(value, part):
    assert to_file_part(value) == part


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no base64 at all!", r"files\[0\]: .*neither base64"),
        (b"", "is empty"),
        ({"data": PNG, "nmae": "x"}, "Did you mean 'name'"),
        ({"name": "x"}, "got NoneType"),
        ({"data": PNG, "name": 3}, "are texts"),
        (7, "got int"),
    ],
)
def test_refusals(value, said):
    with pytest.raises(ConfigError, match=said):
        read_attachments(files=[value])


@pytest.mark.parametrize("value", [b"", "data:image/png;base64,", "data:,", "", bytearray(),
                                   ImagePart(b""), FilePart(b"", "text/plain")])  # fmt: skip
def test_nothing_is_no_attachment(value):
    for name in ("images", "files"):
        with pytest.raises(ConfigError, match=rf"{name}\[0\]: an attachment is empty"):
            read_attachments(**{name: [value]})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("photo.png", "looks like the name of a file: read the file first"),
        ("C:\\notes\\report.docx", "looks like the name of a file"),
        ("file:///etc/passwd", "What a file: address leads to must be read first"),
        ("blob:https://x.test/5f0c", "What a blob: address"),
        (Path("photo.png"), r"got \w*Path\. Read the file first"),
        ("hello world", "neither base64"),
        ({"data": PNG, "media_type": "png"}, "is such as image/png, got 'png'"),
        ({"data": PNG, "media_type": "image/png\r\nx: y"}, "is such as image/png"),
    ],
)
def test_what_was_not_read_is_told(value, said):
    with pytest.raises(ConfigError, match=r"images\[0\]: .*" + said):
        read_attachments(images=[value])


@pytest.mark.parametrize("given", ["https://x.test/a.png", PNG, {"data": PNG}, ImagePart(PNG)])
def test_one_attachment_is_no_list(given):
    with pytest.raises(ConfigError, match="`images` is a list of attachments"):
        read_attachments(images=given)
    with pytest.raises(ConfigError, match="`files` is a list of attachments"):
        read_attachments(files=given)


@pytest.mark.parametrize(
    ("value", "media_type"),
    [
        ("data:image/png;base64," + encoded(JPEG), "image/jpeg"),
        ({"data": JPEG, "media_type": "image/png"}, "image/jpeg"),
        ({"data": JPEG, "name": "a.png"}, "image/jpeg"),
        ({"data": PNG, "media_type": "application/pdf"}, "image/png"),
        ({"data": b"\x00", "media_type": "image/jpg"}, "image/jpeg"),
        ({"data": b"\x00", "media_type": "IMAGE/PNG; charset=binary"}, "image/png"),
        ({"data": b"\x00", "name": "a.webp"}, "image/webp"),
        ("https://x.test/a", "image/png"),
        ("https://x.test/a.jpg?x=.svg", "image/jpeg"),
    ],
)
def test_images_are_what_their_bytes_show(value, media_type):
    [part] = read_attachments(images=[value])
    assert isinstance(part, ImagePart) and part.media_type == media_type


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (PDF, "this is no image but application/pdf: give it as a file"),
        ("data:image/png;base64," + encoded(PDF), "no image but application/pdf"),
        (ImagePart(PDF), "no image but application/pdf"),
        ("https://x.test/a.pdf", "no image but application/pdf"),
        ({"data": b"hi", "name": "a.txt"}, "no image but text/plain"),
        (PAGE, "no image but text/html"),
        (HEIC, "image/heic: convert it to PNG or JPEG"),
        ({"data": HEIC, "media_type": "image/png"}, "image/heic: convert it to PNG or JPEG"),
        ({"data": b"\x00", "name": "a.heic"}, "image/heic: convert it to PNG or JPEG"),
        ("https://x.test/a.heic", "image/heic: convert it to PNG or JPEG"),
        (SVG, r"image/svg\+xml: convert it to PNG or JPEG"),
        (ImagePart(SVG), r"image/svg\+xml: convert it to PNG or JPEG"),
        (BMP, "image/bmp: convert it to PNG or JPEG"),
        (TIFF, "image/tiff: convert it to PNG or JPEG"),
        (b"\x00\x01\x02", "show no image that is known here. Give its media_type"),
        ("screenshots/photo1", "the name of a file, read the file first"),
    ],
)
def test_what_is_no_image_for_a_provider_is_told(value, said):
    with pytest.raises(ConfigError, match=r"images\[1\]: .*" + said):
        read_attachments(images=[PNG, value])


@pytest.mark.parametrize(
    ("value", "media_type", "kind"),
    [
        (SVG, "image/svg+xml", "file"),
        (HEIC, "image/heic", "file"),
        (BMP, "image/bmp", "file"),
        (TIFF, "image/tiff", "file"),
        ({"data": PDF, "media_type": "image/png"}, "application/pdf", "pdf"),
        ({"data": b"\x00", "media_type": "application/x-pdf"}, "application/pdf", "pdf"),
        ({"data": ZIP, "name": "Report.DOCX"}, WORD, "file"),
        ({"data": b"a", "name": "a.tsv"}, "text/tab-separated-values", "file"),
    ],
)
def test_files_stay_files(value, media_type, kind):
    [part] = read_attachments(files=[value])
    assert isinstance(part, FilePart)
    assert (part.media_type, kind_of(part)) == (media_type, kind)


def test_an_image_among_the_files_is_an_image():
    assert read_attachments(files=[PNG]) == [ImagePart(PNG, "image/png")]
    assert kind_of(FilePart(PNG, "image/png")) == "image"


def test_an_attachment_read_twice_is_the_same():
    for value in (JPEG, PDF, SVG, {"data": ZIP, "name": "a/b.docx"}, "https://x.test/a.pdf",
                  "data:text/plain;charset=latin-1,n%E9"):  # fmt: skip
        part = to_file_part(value)
        assert to_file_part(part) == part


def test_the_name_of_an_attachment_is_a_name():
    assert to_file_part({"data": PDF, "name": "../up/a\x00b.pdf"}).name == "ab.pdf"
    assert to_file_part(ImagePart(PNG, name="C:\\x\\cat.png")).name == "cat.png"
    assert to_file_part({"data": PDF, "name": "/"}).name is None


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (FilePart(b"x", "application/vnd.ms-powerpoint", "a.ppt"), "no PPT file (a.ppt): convert"),
        (FilePart(b"x", name="report.docx"), "no DOCX file (report.docx): convert it"),
        (FilePart(b"x", "a/b"), "no a/b (an attachment): convert it"),
        (FilePart(b"x"), "no file of an unknown kind (an attachment): give its media_type"),
    ],
)
def test_what_a_provider_does_not_take_is_named(part, said):
    assert not_taken(part).startswith(said)


def test_the_text_of_a_file():
    assert text_of(FilePart(SVG, "image/svg+xml", "a.svg")) == f"File a.svg:\n{SVG.decode()}"
    assert text_of(FilePart(b"a: 1", "application/x-yaml")) == "File without a name:\na: 1"
    assert text_of(FilePart(ZIP, WORD)) is None
    assert text_of(FilePart("https://x.test/a.txt", "text/plain")) is None


@given(st.binary(min_size=1, max_size=60))
def test_bytes_base64_and_data_urls_are_the_same(data):
    url = f"data:application/x-thing;base64,{encoded(data)}"
    assert to_file_part(url) == to_file_part({"data": data, "media_type": "application/x-thing"})
    assert to_file_part(encoded(data)) == to_file_part(data)
    assert to_file_part(data).data == data


@given(st.one_of(st.text(max_size=60), st.from_regex(r"data:[a-z/;=,\" %]{0,40}", fullmatch=True)))
def test_any_text_is_an_attachment_or_one_clear_error(value):
    for name in ("images", "files"):
        told = ""
        try:
            [part] = read_attachments(**{name: [value]})
        except ConfigError as fault:
            told = str(fault)
        assert told.startswith(f"{name}[0]: ") or (not told and part.data)


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("image/png", "image"),
        ("IMAGE/WebP; q=1", "image"),
        ("application/pdf", "pdf"),
        ("text/csv", "file"),
        ("", "file"),
    ],
)
def test_kinds(media_type, kind):
    assert attachment_kind(media_type) == kind


def test_the_note_of_a_session():
    parts = read_attachments(images=[{"data": PNG, "name": "screen.png"}], files=[PDF])
    assert note_of(parts) == "[attached: screen.png, pdf]"
    assert note_of([]) == ""


def test_the_message_of_a_refusal():
    told = str(refusal("deepseek-chat", "pdf"))
    assert told.startswith('The model "deepseek-chat" can\'t take PDF files. Convert the PDF')
    assert "Gemini, Claude or GPT-4o/GPT-5" in told
    assert isinstance(refusal("m", "image"), ImagesNotSupportedError)
    assert "the provider said: no" in str(refusal("m", "image", "no"))


async def test_a_known_no_sends_nothing():
    model = ScriptedModel(["never"], profile=ModelProfile(images=False))
    with pytest.raises(ImagesNotSupportedError):
        await generate(model, "see", images=[PNG], platform=scripted_platform())
    assert model.requests == []


@pytest.fixture
async def platform():
    made = native_platform()
    yield made
    await made.http.aclose()


def spec_of(server):
    return {"model": "m", "base_url": server.url}


async def test_a_refusal_of_the_provider_becomes_the_same_message(platform):
    words = "Invalid content type. image_url is only supported by certain models."
    with ScriptedServer([fault(400, words)]) as server:
        spec = {"model": "m", "base_url": server.url}
        with pytest.raises(ImagesNotSupportedError, match="the provider said: Invalid content"):
            await generate(spec, "see", images=[PNG], platform=platform)


async def test_other_bad_requests_stay_what_they_are(platform):
    with (
        ScriptedServer([fault(400, "temperature must be below 2")]) as server,
        pytest.raises(InvalidRequestError),
    ):
        await generate(spec_of(server), "see", images=[PNG], platform=platform)


async def test_a_link_is_fetched_where_the_provider_takes_none(platform):
    with ScriptedServer([text("a cat")]) as server, ScriptedServer([]) as files:
        # Ollama's wire takes no links; the scripted server answers a GET with an empty file.
        spec = {"model": "ollama:m", "base_url": server.url}
        with pytest.raises(ConfigError, match="is empty"):
            await generate(spec, "see", images=[f"{files.url}/a.png"], platform=platform)
        assert server.requests == []


async def test_what_cannot_be_fetched_is_told(platform):
    with ScriptedServer([]) as gone:
        url = f"{gone.url}/a.png?secret=canary"
    with ScriptedServer([text("a cat")]) as server:
        spec = {"model": "ollama:m", "base_url": server.url}
        with pytest.raises(AttachmentsNotSupportedError, match="Attach the file itself") as raised:
            await generate(spec, "see", images=[url], platform=platform)
        assert "canary" not in str(raised.value) and server.requests == []


# What links lead to


class Site:
    """A network of a few addresses; it keeps what it was asked."""

    def __init__(self, pages):
        self.pages = pages
        self.requests = []
        self.open = 0

    async def send(self, request):
        self.requests.append(request)
        self.open += 1
        return Page(self, *self.pages[request.url])


class Page:
    def __init__(self, site, status, headers, body=b""):
        self.status, self.headers, self._site, self._body = status, headers, site, body

    async def batches(self):
        yield self._body

    async def read(self):
        return self._body

    async def close(self):
        self._site.open -= 1


def served(body, media_type="", url="https://x.test/a"):
    return Site({url: (200, {"content-type": media_type}, body)})


async def fetched(site, part):
    try:
        return await Downloads(http_fetch(site)).get(part)
    finally:
        assert site.open == 0


def image(url):
    return to_file_part(url, image=True)


async def test_a_link_that_was_moved_is_followed():
    site = Site(
        {
            "https://x.test/a/cat.png?key=canary": (302, {"location": "../b?c=1"}),
            "https://x.test/b?c=1": (307, {"location": "//y.test/c"}),
            "https://y.test/c": (301, {"location": "http://z.test/d"}),
            "http://z.test/d": (308, {"location": "e#there"}),
            "http://z.test/e#there": (303, {"location": "/f"}),
            "http://z.test/f": (200, {"content-type": "image/png"}, JPEG),
        }
    )
    part = await fetched(site, image("https://x.test/a/cat.png?key=canary"))
    assert part == ImagePart(JPEG, "image/jpeg", "cat.png")
    assert [request.url for request in site.requests] == list(site.pages)
    assert all(request.method == "GET" and not request.headers for request in site.requests)


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/a", "moved more than 5 times"),
        ("file:///etc/passwd", r"no http\(s\) address"),
        ("data:image/png;base64,AAAA", r"no http\(s\) address"),
        ("http://[", r"no http\(s\) address"),
        ("", r"no http\(s\) address"),
    ],
)
async def test_a_link_that_leads_nowhere_is_told(location, said):
    site = Site({"https://x.test/a": (302, {"location": location})})
    with pytest.raises(AttachmentsNotSupportedError, match=said):
        await fetched(site, image("https://x.test/a"))


async def test_the_platform_itself_follows_no_link_but_this_does(platform):
    paths = []

    async def answer(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        paths.append(head.split()[1])
        if paths[-1] == b"/a.png":
            writer.write(b"HTTP/1.1 302 Found\r\nLocation: there/b\r\nContent-Length: 0\r\n")
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 12\r\n")
        writer.write(b"Connection: close\r\n\r\n" + (JPEG if paths[-1] != b"/a.png" else b""))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        part = image(f"http://127.0.0.1:{port}/a.png")
        part = await Downloads(http_fetch(platform.http)).get(part)
    assert part == ImagePart(JPEG, "image/jpeg", "a.png") and paths == [b"/a.png", b"/there/b"]


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (PAGE, "text/html"),
        (PAGE, "image/png"),
        (b"Please log in", "text/html; charset=utf-8"),
        (b"\x00\x01\x02", "image/png"),
        (b"\x00\x01\x02", ""),
        (PDF, "application/pdf"),
    ],
)
async def test_what_is_no_image_is_not_sent_as_one(body, media_type):
    with pytest.raises(AttachmentsNotSupportedError, match="leads to something else: an image was"):
        await fetched(served(body, media_type), image("https://x.test/a"))


async def test_an_image_behind_a_link_that_no_provider_takes_is_told():
    said = "The attachment https://x.test/a: .*image/heic: convert it"
    with pytest.raises(ConfigError, match=said):
        await fetched(served(HEIC, "image/jpeg"), image("https://x.test/a"))


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.heic", "a.svg", "a.json"])
async def test_a_page_is_not_sent_as_the_file_that_a_link_names(name):
    url = f"https://x.test/{name}?sig=canary"
    with pytest.raises(AttachmentsNotSupportedError, match="answered with text/html") as raised:
        await fetched(served(PAGE, "text/html", url), to_file_part(url))
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "body", "media_type", "part"),
    [
        ("https://x.test/", PAGE, "text/html", FilePart(PAGE, "text/html")),
        ("https://x.test/a.md", b"hi", "text/plain", FilePart(b"hi", "text/plain", "a.md")),
        ("https://x.test/n", b"n\xe9", "text/plain; charset=latin-1",
         FilePart("né".encode(), "text/plain", "n")),
        ("https://x.test/a.svg", SVG, "text/xml", FilePart(SVG, "text/xml", "a.svg")),
        ("https://x.test/a.docx", ZIP, "application/octet-stream", FilePart(ZIP, WORD, "a.docx")),
        ("https://x.test/get?path=a/b&sig=canary", PDF, "binary/octet-stream",
         FilePart(PDF, "application/pdf", "get")),
        ("https://x.test/r%C3%A9%2Fsum%C3%A9.pdf;id=canary?x", PDF, "text/html",
         FilePart(PDF, "application/pdf", "sumé.pdf")),
    ],
)  # fmt: skip
async def test_what_links_give(url, body, media_type, part):
    assert await fetched(served(body, media_type, url), to_file_part(url)) == part


async def test_a_word_file_reaches_bedrock_as_what_it_is():
    site = Site(defaultdict(lambda: (400, {}, b"{}")))
    spec = {
        "model": "amazon-bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "api_key": "k",
        "provider_options": {"region": "us-east-1"},
    }
    files = [{"data": ZIP, "name": "report.docx"}]
    with pytest.raises(InvalidRequestError):
        await generate(spec, "read", files=files, platform=scripted_platform(http=site))
    [request] = site.requests
    [message] = json.loads(request.body)["messages"]
    document = message["content"][1]["document"]
    assert (document["format"], document["name"]) == ("docx", "report")
