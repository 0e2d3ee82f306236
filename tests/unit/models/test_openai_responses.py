"""OpenAI's Responses wire: its requests, its events, and what must come back."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand import define_tool, errors, generate, run_tool_loop, stream
from pagehand.messages import (
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    assistant,
    user,
)
from pagehand.models.base import ToolDefinition
from pagehand.testing import scripted_platform
from pagehand.usage import Usage
from tests.traffic.reading import TapeResponse

KEY = "sk-canary-responses-1"


class Tape:
    """A network that gives scripted answers and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.bodies = []

    async def send(self, request):
        if request.method == "GET":
            return TapeResponse(404, {}, [])
        self.bodies.append(json.loads(request.body))
        status, kind, pieces = self.answers.pop(0)
        return TapeResponse(status, {"content-type": kind}, pieces)


def streamed(*events):
    lines = [
        f"event: {each['type']}\ndata: {json.dumps(each, ensure_ascii=False)}\n\n"
        for each in events
    ]
    return 200, "text/event-stream", ["".join(lines).encode()]


def whole(response, status=200):
    return status, "application/json", [json.dumps(response).encode()]


USAGE = {
    "input_tokens": 10,
    "output_tokens": 9,
    "total_tokens": 19,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens_details": {"reasoning_tokens": 5},
}
REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [
        {"type": "summary_text", "text": "First."},
        {"type": "summary_text", "text": "Then."},
    ],
    "encrypted_content": "gAAAA",
}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "add",
    "arguments": '{"a": "é"}',
    "status": "completed",
}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "commentary",
    "content": [{"type": "output_text", "text": "I add.", "annotations": []}],
}
OUTPUT = [REASONING, SAID, CALL]


def done(output=(), status="completed", **more):
    kind = "response.completed" if status == "completed" else f"response.{status}"
    response = {"status": status, "output": list(output), "usage": USAGE, **more}
    return {"type": kind, "response": response}


def events():
    def at(index, kind, **more):
        return {"type": kind, "output_index": index, **more}

    return [
        {"type": "response.created", "response": {"status": "in_progress", "error": None}},
        at(0, "response.output_item.added", item={**REASONING, "summary": []}),
        at(0, "response.reasoning_summary_text.delta", summary_index=0, delta="Fir"),
        at(0, "response.reasoning_summary_text.delta", summary_index=0, delta="st."),
        at(0, "response.reasoning_summary_text.delta", summary_index=1, delta="Then."),
        at(0, "response.output_item.done", item=REASONING),
        at(1, "response.output_item.added", item={**SAID, "content": []}),
        at(1, "response.output_text.delta", delta="I "),
        at(1, "response.output_text.delta", delta="add."),
        at(1, "response.output_item.done", item=SAID),
        at(2, "response.output_item.added", item={**CALL, "arguments": ""}),
        at(2, "response.function_call_arguments.delta", delta='{"a": '),
        at(2, "response.function_call_arguments.delta", delta='"é"}'),
        at(2, "response.output_item.done", item=CALL),
        done(OUTPUT),
    ]


async def ask(answer, model="gpt-5-mini", **options):
    http = Tape(answer)
    result = await generate(
        {"model": f"openai:{model}", "api_key": KEY},
        options.pop("prompt", "hi"),
        platform=scripted_platform(http=http),
        max_retries=0,
        **options,
    )
    return result, http.bodies[0]


async def test_an_answer_streamed_and_whole():
    found = []
    for answer in (streamed(*events()), whole(done(OUTPUT)["response"])):
        result, _ = await ask(answer)
        assert (result.text, result.reasoning) == ("I add.", "First.\n\nThen.")
        assert [(call.id, call.name, call.arguments) for call in result.tool_calls] == [
            ("call_1", "add", {"a": "é"})
        ]
        assert (result.finish_reason, result.raw_finish_reason) == ("tool-calls", "completed")
        assert result.usage == Usage(10, 9, 19, 5, 4)
        found.append(result.parts)
    assert found[0] == found[1]
    kinds = [type(part) for part in found[0]]
    assert kinds == [ReasoningPart, TextPart, ToolCallPart]


async def test_streamed_thoughts_read_as_the_whole_ones():
    http = Tape(streamed(*events()))
    asked = stream(
        {"model": "openai:gpt-5", "api_key": KEY}, "hi", platform=scripted_platform(http=http)
    )
    parts = [part async for part in asked]
    thoughts = "".join(part.text for part in parts if part.type == "reasoning-delta")
    assert thoughts == asked.result.reasoning == "First.\n\nThen."


async def test_the_items_come_back_in_their_order():
    tool = define_tool("add", "Add", {"type": "object"}, lambda args, context: "added")
    final = {**SAID, "content": [{"type": "output_text", "text": "Done."}]}
    http = Tape(streamed(*events()), whole(done([final])["response"]))
    result = await run_tool_loop(
        {"model": "openai:gpt-5", "api_key": KEY},
        [tool],
        "add",
        platform=scripted_platform(http=http),
    )
    assert result.text == "Done."
    asked, reasoning, said, call, output = http.bodies[1]["input"]
    assert asked == {"role": "user", "content": [{"type": "input_text", "text": "add"}]}
    assert reasoning == {
        key: REASONING[key] for key in ("type", "id", "summary", "encrypted_content")
    }
    assert (said["id"], said["phase"], said["content"][0]["text"]) == (
        "msg_1",
        "commentary",
        "I add.",
    )
    assert call == {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "add",
        "arguments": '{"a": "é"}',
    }
    assert output == {"type": "function_call_output", "call_id": "call_1", "output": "added"}
    assert http.bodies[1]["store"] is False
    assert http.bodies[1]["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize("model", ["gpt-5", "o9-unheard-of"])
async def test_thoughts_that_came_open_stay_here_and_so_do_the_ids_bound_to_them(model):
    tool = define_tool("add", "Add", {"type": "object"}, lambda args, context: "added")
    open_thought = {key: REASONING[key] for key in ("type", "id", "summary")}
    first = streamed(done([open_thought, SAID, CALL]))
    http = Tape(first, whole(done([SAID])["response"]))
    await run_tool_loop({"model": f"openai:{model}", "api_key": KEY}, [tool], "add",
                        platform=scripted_platform(http=http))  # fmt: skip
    _, said, call, output = http.bodies[1]["input"]
    assert "id" not in said and "id" not in call
    assert (said["phase"], call["call_id"], output["call_id"]) == (
        "commentary",
        "call_1",
        "call_1",
    )


async def test_the_thoughts_of_another_model_stay_here():
    turns = [
        user("u"),
        Message(
            "assistant",
            [
                ReasoningPart("r", {"item": REASONING, "by": "openai-responses:openai:gpt-4.1"}),
                ToolCallPart("c", "add", {}),
            ],
        ),
        Message("tool", [ToolResultPart("c", "add", "ok")]),
        assistant("said"),
    ]
    _, body = await ask(streamed(done([SAID])), prompt="next", messages=turns)
    kinds = [item.get("type", item.get("role")) for item in body["input"]]
    assert kinds == ["user", "function_call", "function_call_output", "message", "user"]


async def test_the_request():
    tool = ToolDefinition("add", "Add it", {"type": "object"})
    _, body = await ask(
        streamed(done([SAID])),
        prompt="look",
        system="be brief",
        tools=[tool],
        tool_choice="add",
        thinking={"level": "minimal"},
        cache={"key": "mine"},
        max_output_tokens=3,
        temperature=0.5,
        images=[b"\x89PNG\r\n\x1a\n", "https://x.test/a.png"],
        files=[{"data": b"%PDF-", "name": "a.pdf"}, "https://x.test/b.pdf"],
    )
    assert body["input"].pop(0) == {"role": "developer", "content": "be brief"}
    assert [part["type"] for part in body["input"][0]["content"]] == [
        "input_text", "input_image", "input_image", "input_file", "input_file",
    ]  # fmt: skip
    content = body["input"][0]["content"]
    assert content[1]["image_url"].startswith("data:image/png;base64,")
    assert content[2]["image_url"] == "https://x.test/a.png"
    assert content[3]["filename"] == "a.pdf" and content[4]["file_url"] == "https://x.test/b.pdf"
    assert body["tools"][0] == {
        "type": "function",
        "name": "add",
        "description": "Add it",
        "parameters": {"type": "object", "properties": {}},
        "strict": False,
    }
    assert body["tool_choice"] == {"type": "function", "name": "add"}
    assert body["reasoning"] == {"effort": "minimal", "summary": "auto"}
    assert body["prompt_cache_key"] == "mine"
    assert body["max_output_tokens"] == 16  # the least that the API takes
    assert "temperature" not in body


async def test_a_model_that_does_not_think():
    _, body = await ask(streamed(done([SAID])), model="gpt-4o", temperature=0.5)
    assert body["temperature"] == 0.5
    assert "include" not in body and "reasoning" not in body


@pytest.mark.parametrize(
    ("thinking", "told"),
    [
        ("none", {"effort": "none"}),
        ({"level": "high", "includeThoughts": False}, {"effort": "high"}),
        ("xhigh", {"effort": "xhigh", "summary": "auto"}),
        (None, None),
    ],
)
async def test_thinking(thinking, told):
    _, body = await ask(streamed(done([SAID])), model="gpt-5.2", thinking=thinking)
    assert body.get("reasoning") == told


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("max_output_tokens", "length"), ("content_filter", "content-filter"), ("other", "other")],
)
async def test_an_answer_that_was_cut_short(reason, finish):
    last = done([SAID], "incomplete", incomplete_details={"reason": reason})
    result, _ = await ask(streamed(*events()[:-1], last))
    assert (result.finish_reason, result.raw_finish_reason) == (finish, "incomplete")


async def test_a_refusal():
    refused = {**SAID, "content": [{"type": "refusal", "refusal": "I will not."}]}
    result, _ = await ask(whole(done([refused])["response"]))
    assert (result.refusal, result.finish_reason, result.text) == (
        "I will not.",
        "content-filter",
        "",
    )


ERROR = {"code": "server_error", "message": "It broke."}


@pytest.mark.parametrize(
    "last",
    [
        {"type": "error", "error": ERROR},
        {"type": "error", **ERROR, "param": None},
        {"type": "response.failed", "response": {"status": "failed", "error": ERROR}},
        {"type": "response.failed", "response": {"status": "failed", "error": None}},
    ],
)
async def test_faults_inside_a_stream(last):
    with pytest.raises(errors.ServerError):
        await ask(streamed(*events()[:3], last))


async def test_a_stream_without_its_end():
    with pytest.raises(errors.StreamInterruptedError):
        await ask(streamed(*events()[:-1]))


@pytest.mark.parametrize("damage", [5, "x", None, [], {"type": 3}, {"item": 5}])
async def test_odd_events_are_told_or_passed_over(damage):
    odd = (
        damage
        if isinstance(damage, dict)
        else {"type": "response.output_item.added", "item": damage}
    )
    try:
        result, _ = await ask(
            streamed(odd if "type" in odd else {"type": "x", **odd}, done([SAID]))
        )
    except errors.MalformedResponseError:
        return
    assert result.finish_reason == "stop"


@given(st.lists(st.integers(1, 3_000), max_size=40))
async def test_no_cut_changes_a_stream(places):
    status, kind, [data] = streamed(*events())
    marks = sorted({0, len(data), *(place for place in places if place < len(data))})
    result, _ = await ask((status, kind, [data[a:b] for a, b in pairwise(marks)]))
    expected, _ = await ask(streamed(*events()))
    assert result == expected


def delta(kind, **more):
    return {"type": f"response.{kind}.delta", **more}


def item_done(wire, **more):
    return {"type": "response.output_item.done", "item": wire, **more}


HELLO = {**SAID, "id": "m", "content": [{"type": "output_text", "text": "Hello"}]}


@pytest.mark.parametrize(
    "told",
    [
        [done([HELLO])],
        [delta("output_text", item_id="m", delta="Hello"), item_done(HELLO, output_index=0)],
        [delta("output_text", output_index=0, delta="Hello"), item_done(HELLO)],
        [delta("output_text", delta="Hello"), item_done(HELLO, output_index=0)],
        [delta("output_text", delta="Hel"), delta("output_text", delta="lo")],
        [delta("output_text", item_id="m", delta=None), item_done(HELLO, output_index=0)],
        [delta("output_text", item_id="x", output_index=0, delta="Hello"),
         item_done(HELLO, output_index=0)],
        [item_done({**HELLO, "content": []}, output_index=0),
         delta("output_text", output_index=0, delta="Hello")],
    ],
    ids=["only in the end", "index late", "index early", "nameless", "never named", "null",
         "id changed", "done before"],
)  # fmt: skip
async def test_an_item_is_one_however_it_is_named(told):
    result, _ = await ask(streamed(*told, *([] if len(told) == 1 else [done()])))
    assert (result.text, len(result.parts)) == ("Hello", 1)


async def test_arguments_as_a_value():
    result, _ = await ask(streamed(item_done({**CALL, "arguments": {"a": 1}}, output_index=0),
                                   done()))  # fmt: skip
    assert (result.tool_calls[0].arguments, result.tool_calls[0].broken) == ({"a": 1}, False)


async def test_two_calls_with_one_id_are_two():
    both = [item_done({**CALL, "arguments": json.dumps({"n": n})}, output_index=n) for n in (0, 1)]
    result, _ = await ask(streamed(*both, done()))
    assert [call.arguments for call in result.tool_calls] == [{"n": 0}, {"n": 1}]
    assert len({call.id for call in result.tool_calls}) == 2


@pytest.mark.parametrize(
    "broken",
    [
        delta("output_text", output_index=0, delta=5),
        delta("reasoning_summary_text", output_index=0, summary_index=0, delta=["x"]),
        delta("function_call_arguments", output_index=7, delta="{}"),
        item_done({"type": "reasoning", "id": "rs", "summary": 5}, output_index=0),
        item_done({"type": "reasoning", "id": "rs", "summary": [{"text": 5}]}, output_index=0),
        item_done({"type": "message", "id": "m", "content": "Hello"}, output_index=0),
        item_done({"type": "function_call", "call_id": [1], "name": "f"}, output_index=0),
        item_done({"type": "function_call", "call_id": "c", "name": {}}, output_index=0),
        {"type": "response.completed", "response": {"incomplete_details": {"reason": []}}},
        {"type": "response.completed", "response": {"output": [5]}},
        {"type": "response.failed", "response": None},
    ],
    ids=json.dumps,
)
async def test_fields_of_the_wrong_kind_are_malformed(broken):
    with pytest.raises(errors.MalformedResponseError):
        await ask(streamed(broken, done()))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"status": "failed", "output": [], "error": None}, errors.ServerError),
        ({"status": "in_progress", "output": []}, errors.MalformedResponseError),
        ({"status": "completed"}, errors.MalformedResponseError),
        ({}, errors.MalformedResponseError),
    ],
)
async def test_a_whole_answer_that_is_none(value, kind):
    with pytest.raises(kind) as raised:
        await ask(whole(value), stream=False)
    assert type(raised.value) is kind


async def test_counters_of_the_wrong_kind_are_not_reported():
    usage = {"input_tokens": "5", "output_tokens": -1, "total_tokens": 7.0}
    usage |= {"input_tokens_details": [1], "output_tokens_details": {"reasoning_tokens": True}}
    result, _ = await ask(streamed(done([SAID], usage=usage)))
    assert result.usage == Usage(total_tokens=7)
