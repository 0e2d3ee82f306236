"""The event-stream reader: the standard's cases, other readers' cases, and any cutting."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.sse import ServerSentEvent, SSEDecoder


def read(data: bytes, cuts=()) -> list[ServerSentEvent]:
    decoder = SSEDecoder()
    events = []
    edges = [0, *sorted(cuts), len(data)]
    for start, stop in itertools.pairwise(edges):
        events += decoder.feed(data[start:stop])
    return events + decoder.close()


def test_fields():
    data = b": comment\nevent: tick\nid: 7\nretry: 250\ndata: one\ndata: two\n\ndata:x\n\n"
    assert read(data) == [
        ServerSentEvent("tick", "one\ntwo", "7", 250),
        ServerSentEvent("message", "x", "7", 250),
    ]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends_cut_anywhere(end):
    data = f"data: a{end}data: b{end}{end}data: c{end}{end}".encode()
    for cut in range(len(data)):
        assert [event.data for event in read(data, [cut])] == ["a\nb", "c"]


def test_a_carriage_return_completes_a_line_at_once():
    assert [event.data for event in SSEDecoder().feed(b"data: a\r\r")] == ["a"]


def test_an_event_without_its_blank_line_is_dropped():
    assert read(b"data: a\n\ndata: lost\n") == [ServerSentEvent("message", "a")]


def test_broken_utf8_is_replaced():
    assert read(b"data: \xff\n\n")[0].data == "\ufffd"


def test_an_id_with_a_null_is_ignored():
    assert read(b"id: a\0b\ndata: x\n\n")[0].id is None


def test_a_line_in_many_pieces():
    decoder = SSEDecoder()
    pieces = [b"data: ", *[b"x"] * 20_000, b"\n", b"\n"]
    events = [event for piece in pieces for event in decoder.feed(piece)]
    assert [event.data for event in events] == ["x" * 20_000]


LINES = st.lists(
    st.one_of(
        st.sampled_from(["", "data", "data:", "event: e", "id: 1", "retry: 5", "retry: x", ":c"]),
        st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=8).map(
            lambda text: f"data: {text}"
        ),
    ),
    max_size=12,
)


@given(LINES, st.sampled_from(["\n", "\r", "\r\n"]), st.lists(st.integers(0, 200), max_size=8))
def test_cutting_changes_nothing(lines, end, cuts):
    data = "".join(line + end for line in lines).encode()
    cuts = [cut for cut in cuts if cut <= len(data)]
    assert read(data, cuts) == read(data)


def cases(material, name):
    with open(material / "sse" / f"{name}.jsonl", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.mark.parametrize("name", ["wpt", "eventsource_parser"])
def test_recorded_cases(material, name):
    tried = 0
    for case in cases(material, name):
        if "bytes_hex" in case:
            data = bytes.fromhex(case["bytes_hex"])
        else:
            data = "".join(case["chunks"]).encode()
        expected = case.get("expected", case.get("events"))
        if expected is None or "MultiBom" in case["name"]:  # its marks are mis-encoded text
            continue
        for step in (1, 3, 7, len(data) or 1):
            events = read(data, range(step, len(data), step))
            assert [event.data for event in events] == [item["data"] for item in expected], case
            for event, item in zip(events, expected, strict=True):
                assert event.event == (item.get("event") or "message")
                if item.get("id") is not None:
                    assert event.id == item["id"]
        tried += 1
    assert tried
