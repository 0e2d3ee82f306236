"""AWS's binary event stream: whole events from bytes cut anywhere, and damage told as such."""

import struct
import tracemalloc
from binascii import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.errors import MalformedResponseError
from pagehand.models.event_stream import EventStreamDecoder
from tests.support.aws_events import error, event, exception, framed, header
from tests.support.wire_http import cuts

EVENTS = [
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "grüß dich 🙂"}}),
    ("messageStop", {"stopReason": "end_turn"}),
]
STREAM = b"".join(event(kind, payload) for kind, payload in EVENTS)
READ = [{kind: payload} for kind, payload in EVENTS]


def decoded(*batches):
    decoder = EventStreamDecoder()
    return [value for batch in batches for value in decoder.feed(batch)]


def test_events():
    assert decoded(STREAM) == READ


def test_a_cut_at_every_byte():
    for place in range(len(STREAM) + 1):
        assert decoded(*cuts(STREAM, place)) == READ
    assert decoded(*(STREAM[place : place + 1] for place in range(len(STREAM)))) == READ


NAMES = st.text("abcXYZ", min_size=1, max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.tuples(NAMES, JSON), max_size=6), st.data())
def test_framed_and_cut_anywhere_gives_the_same(events, data):
    stream = b"".join(event(kind, payload) for kind, payload in events)
    places = data.draw(st.lists(st.integers(0, len(stream)), max_size=8))
    assert decoded(*cuts(stream, *places)) == [{kind: payload} for kind, payload in events]


@given(st.integers(0, len(STREAM) - 1), st.integers(1, 255), st.data())
def test_a_changed_byte_is_told(place, change, data):
    broken = bytearray(STREAM)
    broken[place] ^= change
    where = data.draw(st.integers(0, len(STREAM)))
    with pytest.raises(MalformedResponseError):
        decoded(*cuts(bytes(broken), where))


@given(st.binary(min_size=12, max_size=200))
def test_what_is_no_event_stream_is_told_at_once(junk):
    with pytest.raises(MalformedResponseError, match="no event stream of AWS"):
        decoded(junk)


def test_a_page_is_told_before_the_length_it_seems_to_name():
    with pytest.raises(MalformedResponseError):
        decoded(b"<html><body>")


def test_a_stream_that_ends_early_gives_what_was_whole():
    whole = len(event(*EVENTS[0]))
    assert decoded(STREAM[: whole + 5]) == READ[:1]


def test_headers_of_every_kind_are_passed_over():
    odd = b"".join(
        [
            header("a", b"", 0),
            header("b", b"", 1),
            header("c", b"\x01", 2),
            header("d", b"\x01\x02", 3),
            header("e", b"\x01" * 4, 4),
            header("f", b"\x01" * 8, 5),
            header("g", b"\xff\x00", 6),
            header(":event-type", b"ping"),
            header("h", b"\x01" * 8, 8),
            header("i", b"\x01" * 16, 9),
            header(":message-type", b"event"),
        ]
    )
    assert decoded(framed(odd, b'{"ok": true}')) == [{"ping": {"ok": True}}]


def test_an_event_without_a_payload_is_empty():
    assert decoded(framed(header(":message-type", b"event") + header(":event-type", b"end"), b""))
    assert decoded(event("end", {})) == [{"end": {}}]


@pytest.mark.parametrize(
    ("message", "kind", "words"),
    [
        (
            exception("throttlingException", {"message": "Too many requests"}),
            "throttlingException",
            "Too many requests",
        ),
        (
            exception("modelStreamErrorException", {"Message": "it broke"}),
            "modelStreamErrorException",
            "it broke",
        ),
        (exception("internalServerException", {}), "internalServerException", "{}"),
        (exception("validationException", ["odd"]), "validationException", '["odd"]'),
        (error("InternalError", "An internal error"), "InternalError", "An internal error"),
    ],
)
def test_what_the_service_tells_is_an_error(message, kind, words):
    assert decoded(STREAM[: len(event(*EVENTS[0]))] + message) == [
        READ[0],
        {"error": {"type": kind, "message": words}},
    ]


EVENT = header(":message-type", b"event")


@pytest.mark.parametrize(
    "message",
    [
        framed(EVENT + header(":event-type", b"x"), b"{not json"),
        framed(EVENT + header(":event-type", b"x"), b"[" * 100_000),
        framed(EVENT + header(":event-type", b"\xff"), b"{}"),
        framed(header(":message-type", b"song"), b"{}"),
        framed(b"", b"{}"),
        framed(b"\xff" + EVENT, b"{}"),
        framed(EVENT[:-2], b"{}"),
        framed(header("x", b"", 200) + EVENT, b"{}"),
    ],
    ids=["json", "deep", "utf-8", "kind", "headers", "name", "short", "type"],
)
def test_sound_frames_with_nonsense_inside(message):
    with pytest.raises(MalformedResponseError):
        decoded(message)


@pytest.mark.parametrize(
    ("length", "headers"), [(15, 0), (0, 0), (20, 8), (1 << 31, 0), (200_000, 150_000)]
)
def test_impossible_lengths(length, headers):
    lengths = struct.pack(">II", length, headers)
    prelude = lengths + struct.pack(">I", crc32(lengths))
    with pytest.raises(MalformedResponseError, match="impossible length"):
        decoded(prelude)


def test_memory_does_not_grow_with_the_stream():
    one = event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "x" * 500}})
    decoder = EventStreamDecoder()
    tracemalloc.start()
    try:
        for _ in range(2_000):  # more than a megabyte, in halves of messages
            decoder.feed(one[:300])
            assert len(decoder.feed(one[300:])) == 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(one)
