"""The engine worker with the real embedded model, in a real browser, under a strict policy."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from building.browser import FLAGS, find
from tests.support.engine_page import HELLO, Engine, open_engine, served
from tests.support.faulty_site import Fault
from tests.support.gguf_template import with_template

WINDOW = 4096
MODEL_WINDOW = 8192
# As Gemma's: no system turn, and user and assistant take turns.
STRICT_TEMPLATE = """{%- for message in messages -%}
{%- if message['role'] == 'system' -%}
{{- raise_exception('System role not supported') -}}
{%- elif (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
{{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') -}}
{%- endif -%}
{{- '<start_of_turn>' + message['role'] + '\\n' + message['content'] + '<end_of_turn>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<start_of_turn>model\\n' -}}{%- endif -%}"""
LONG = [{"role": "user", "content": "Tell a very long story about a river, with every detail."}]
CRASH_AT_THE_FIRST_RESULT = """
const takeMessage = onmessage;
onmessage = (event) => {
  if (event.data.args?.[0] !== "get_result") return takeMessage(event);
  isAborted = true;
  postMessage({ verb: "signal.abort", args: ["abort", "an injected fault", "", null] });
};
"""


@pytest.fixture
def visit(visitor: BrowserContext) -> Callable[[str], Engine]:
    """Opens pages of one visitor, who starts with an empty browser storage."""
    return lambda address: open_engine(visitor, address)


@pytest.fixture(scope="module")
def parts(built_site: Path) -> list[str]:
    """The paths of the model's parts."""
    (index,) = (built_site / "models").glob("embedded.*.json")
    return [f"models/{part['file']}" for part in json.loads(index.read_text())["parts"]]


# -- one loaded engine, isolated, that the tests below share ----------------------------------


@pytest.fixture(scope="module")
def loading(
    built_site: Path, real_browser: Browser
) -> Iterator[tuple[Engine, dict[str, Any], list[str]]]:
    """A loaded engine, the answer to its load, and what its page complained about."""
    complaints: list[str] = []
    with served(built_site) as server:
        context = real_browser.new_context()
        context.on("console", lambda message: complaints.append(message.text))
        engine = open_engine(context, server.address)
        yield engine, engine.load(), complaints
        context.close()


@pytest.fixture(scope="module")
def engine(loading: tuple[Engine, dict[str, Any], list[str]]) -> Engine:
    return loading[0]


def test_load_tells_its_progress_and_what_the_model_can(
    loading: tuple[Engine, dict[str, Any], list[str]],
) -> None:
    engine, answer, _ = loading
    assert answer["result"] == {
        "model": "embedded",
        "contextWindow": WINDOW,
        "threads": answer["result"]["threads"],
        "constraints": ["json-schema", "grammar", "likelihood"],
    }
    cores = engine.page.evaluate("() => navigator.hardwareConcurrency")
    assert min(cores, 2) <= answer["result"]["threads"] <= cores
    shares = [progress["progress"] for progress in answer["progress"]]
    assert shares == sorted(shares)
    assert len(set(shares)) > 10
    assert shares[-1] == 1
    texts = [progress["text"] for progress in answer["progress"]]
    assert any(text == "Getting the model: 98 of 98 MB" for text in texts)
    assert texts[-2:] == ["Loading the model into memory", "The model is ready"]


def test_a_second_load_of_the_same_model_is_at_once(engine: Engine) -> None:
    answer = engine.load()
    assert answer["progress"] == []
    assert answer["result"] == engine.call("info", {})["result"]


def test_free_text_streams_and_is_counted(engine: Engine) -> None:
    answer = engine.generate(maxOutputTokens=6)
    result, progress = answer["result"], answer["progress"]
    assert result["text"].strip()
    assert "".join(step["text"] for step in progress if step["kind"] == "text") == result["text"]
    assert progress[0] == {"kind": "start"}
    reading = [step for step in progress if step["kind"] == "prompt"]
    assert reading[-1]["done"] == reading[-1]["total"] == result["usage"]["inputTokens"]
    assert result["finishReason"] == "length"
    assert result["usage"]["outputTokens"] == 6


def test_a_known_start_of_a_prompt_is_not_read_again(engine: Engine) -> None:
    question = [HELLO[0], {"role": "user", "content": "Name one colour of the rainbow."}]
    first = engine.generate(question, maxOutputTokens=1)["result"]["usage"]
    engine.generate(LONG, maxOutputTokens=1)  # another conversation comes between
    again = engine.generate(question, maxOutputTokens=1)["result"]["usage"]
    assert again["inputTokens"] == first["inputTokens"]
    assert again["cachedInputTokens"] == first["inputTokens"] - 1


def test_a_json_schema_is_kept(engine: Engine) -> None:
    schema = {
        "type": "object",
        "properties": {
            "colour": {"enum": ["red", "green"]},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
        },
        "required": ["colour", "count"],
        "additionalProperties": False,
    }
    result = engine.generate(jsonSchema=schema, maxOutputTokens=40)["result"]
    assert result["finishReason"] == "stop"
    answer = json.loads(result["text"])
    assert set(answer) == {"colour", "count"}
    assert answer["colour"] in ("red", "green")
    assert answer["count"] in range(1, 10)


def test_a_grammar_is_kept(engine: Engine) -> None:
    result = engine.generate(grammar='root ::= "north" | "south"')["result"]
    assert result["text"] in ("north", "south")


def test_a_stop_sequence_ends_the_answer_before_it(engine: Engine) -> None:
    result = engine.generate(grammar='root ::= "one two three"', stop=["two"])["result"]
    assert result["text"] == "one "
    assert result["finishReason"] == "stop"


@pytest.mark.parametrize("moment", ["prompt", "text", "now"])
def test_a_cancel_ends_the_call_and_the_engine_goes_on(engine: Engine, moment: str) -> None:
    result = engine.generate(LONG, maxOutputTokens=1000, cancel_on=moment)["result"]
    assert result["finishReason"] == "cancelled"
    assert result["usage"]["outputTokens"] < 1000
    assert bool(result["text"]) == (moment == "text")
    assert engine.generate(maxOutputTokens=2)["result"]["usage"]["outputTokens"] == 2


def test_ports_share_the_model_and_take_turns(engine: Engine) -> None:
    for name in ("first", "second", "third"):
        engine.page.evaluate("(name) => engine.openPort(name)", name)
    assert engine.load(end="second")["progress"] == []
    engine.page.evaluate("() => { engine.ended.length = 0; }")
    answers = engine.page.evaluate(
        """(params) => Promise.all([
            engine.call("first", "engine.generate", params),
            engine.call("second", "engine.generate", params, "now"),
            engine.call("third", "engine.generate", params),
        ])""",
        {"messages": [{"role": "user", "content": "Which port is this?"}], "maxOutputTokens": 3},
    )
    first, second, third = (answer["result"] for answer in answers)
    assert [first["finishReason"], third["finishReason"]] == ["length", "length"]
    assert second["finishReason"] == "cancelled"
    assert answers[1]["progress"] == [{"kind": "queued", "ahead": 1}]  # its turn never came
    # The second leaves before the third is told of it, or after.
    waits = [step["ahead"] for step in answers[2]["progress"] if step["kind"] == "queued"]
    assert waits[-1] == 1
    assert engine.page.evaluate("() => engine.ended") == ["second", "first", "third"]
    # The third came after the first and found its prompt read already.
    assert first["usage"]["cachedInputTokens"] < first["usage"]["inputTokens"] - 1
    assert third["usage"]["cachedInputTokens"] == third["usage"]["inputTokens"] - 1


def test_one_agent_stops_mid_token_and_the_other_has_its_own_answer(engine: Engine) -> None:
    for name in ("one", "other"):
        engine.page.evaluate("(name) => engine.openPort(name)", name)
    shared = {"model": "embedded", "temperature": 0}
    endless = {"messages": LONG, "grammar": 'root ::= "north " root', "maxOutputTokens": 3000}
    short = {"messages": HELLO, "grammar": 'root ::= "south"'}
    stopped, other = engine.page.evaluate(
        """([shared, endless, short]) => Promise.all([
            engine.call("one", "engine.generate", {...shared, ...endless}, "text"),
            engine.call("other", "engine.generate", {...shared, ...short}),
        ])""",
        [shared, endless, short],
    )
    assert stopped["result"]["finishReason"] == "cancelled"
    assert "north north ".startswith(stopped["result"]["text"][:12])
    assert other["result"]["text"] == "south"
    assert other["progress"][0] == {"kind": "queued", "ahead": 1}
    text = "".join(step["text"] for step in other["progress"] if step["kind"] == "text")
    assert text == "south"


def test_a_closed_port_stops_what_it_asked_for(engine: Engine) -> None:
    endless = {"messages": LONG, "maxOutputTokens": 3000, "grammar": 'root ::= "a" root'}
    engine.page.evaluate("() => engine.openPort('gone')")
    engine.page.evaluate(
        "(params) => engine.callUntil('gone', 'engine.generate', params, 'text')", endless
    )
    engine.page.evaluate("() => engine.closePort('gone')")
    assert engine.generate(maxOutputTokens=2)["result"]["usage"]["outputTokens"] == 2


def test_a_prompt_beyond_the_window_is_an_error_that_counts(engine: Engine) -> None:
    error = engine.generate([{"role": "user", "content": "word " * 5000}])["error"]
    assert error["name"] == "ContextWindowExceededError"
    assert error["details"]["window"] == WINDOW
    assert error["details"]["tokens"] > 5000
    assert str(WINDOW) in error["message"]


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        ({"jsonSchema": {"$ref": "#/nowhere"}}, "cannot resolve $ref #/nowhere"),
        ({"grammar": "root ::= ("}, "failed to parse grammar"),
    ],
)
def test_a_constraint_that_cannot_be_kept_is_refused(
    engine: Engine, constraint: dict[str, Any], said: str
) -> None:
    error = engine.generate(**constraint)["error"]
    assert error["name"] == "EngineError"
    assert said in error["message"]
    assert engine.generate(maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1


def test_an_unknown_model_is_refused_and_the_loaded_one_stays(engine: Engine) -> None:
    error = engine.load("magic:9000")["error"]
    assert error["name"] == "EngineError"
    assert 'no engine for the model "magic:9000"' in error["message"]
    assert engine.call("info", {})["result"]["model"] == "embedded"


def test_nothing_ran_against_the_policy(
    loading: tuple[Engine, dict[str, Any], list[str]],
) -> None:
    assert [text for text in loading[2] if "Security Policy" in text] == []


# -- engines of their own ----------------------------------------------------------------------


def test_without_isolation_one_thread_serves_and_a_second_visit_fetches_no_part(
    built_site: Path, visit: Callable[[str], Engine], parts: list[str]
) -> None:
    with served(built_site, isolated=False) as server:
        first = visit(server.address)
        assert first.load()["result"]["threads"] == 1
        assert first.generate(maxOutputTokens=2)["result"]["usage"]["outputTokens"] == 2
        assert Counter(server.asked) >= Counter(parts)
        server.asked.clear()

        second = visit(server.address)
        assert second.load()["result"]["threads"] == 1
        assert not set(server.asked) & set(parts)


def test_a_cut_download_resumes_with_the_part_that_was_cut(
    built_site: Path, visit: Callable[[str], Engine], parts: list[str]
) -> None:
    with served(built_site) as server:
        engine = visit(server.address)
        server.faults[parts[2]] = Fault.CUT
        error = engine.load()["error"]
        assert error["name"] == "EngineError"
        assert error["retryable"]
        assert Path(parts[2]).name in error["message"]
        assert engine.call("info", {})["result"] is None

        del server.faults[parts[2]]
        assert engine.load()["result"]["model"] == "embedded"
        fetched = Counter(path for path in server.asked if path in parts)
        assert [fetched[part] for part in parts] == [1, 1, 2, 1, 1]


@pytest.mark.parametrize("fault", [Fault.DAMAGED, Fault.MISSING])
def test_a_bad_part_is_named_and_only_it_is_fetched_again(
    built_site: Path, visit: Callable[[str], Engine], parts: list[str], fault: Fault
) -> None:
    with served(built_site) as server:
        engine = visit(server.address)
        server.faults[parts[-1]] = fault
        error = engine.load()["error"]
        assert error["name"] == "EngineError"
        assert Path(parts[-1]).name in error["message"]
        if fault is Fault.DAMAGED:
            expected = error["details"]["expected"]
            assert expected[:12] in parts[-1]
            assert error["details"]["actual"] != expected
        else:
            assert "answers 404" in error["message"]

        server.faults.clear()
        server.asked.clear()
        assert engine.load()["result"]["model"] == "embedded"
        assert [path for path in server.asked if path in parts] == [parts[-1]]


def test_a_part_that_went_bad_in_the_browser_is_fetched_again(
    built_site: Path, visit: Callable[[str], Engine], parts: list[str]
) -> None:
    with served(built_site) as server:
        engine = visit(server.address)
        engine.load()
        server.asked.clear()
        engine.page.evaluate(
            """async () => {
                const cache = await caches.open("pagehand-models");
                const [key] = await cache.keys();
                const blob = await (await cache.match(key)).blob();
                const hole = new Uint8Array(1000);
                const holed = new Blob([blob.slice(0, 1000), hole, blob.slice(2000)]);
                await cache.put(key, new Response(holed));
            }"""
        )
        assert visit(server.address).load()["result"]["model"] == "embedded"
        assert len([path for path in server.asked if path in parts]) == 1


def test_the_kept_model_is_listed_and_sized_and_deleted(
    built_site: Path, visit: Callable[[str], Engine], parts: list[str]
) -> None:
    with served(built_site) as server:
        engine = visit(server.address)
        gone = engine.call("load", {"model": "embedded"}, cancel_on="now")["error"]
        assert gone["name"] == "AbortError"  # and nothing is fetched that nobody waits for
        assert engine.call("cached", {})["result"] == []
        engine.load()
        size = sum((built_site / part).stat().st_size for part in parts)
        assert engine.call("cached", {})["result"] == [{"model": "embedded", "bytes": size}]
        engine.call("delete", {"model": "embedded"})
        assert engine.call("cached", {})["result"] == []
        # The loaded one goes on.
        assert engine.generate(maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1


def test_without_room_in_the_storage_the_model_runs_from_memory(
    built_site: Path, visit: Callable[[str], Engine]
) -> None:
    with served(built_site) as server:
        engine = visit(server.address)
        session = engine.page.context.new_cdp_session(engine.page)
        quota = {"origin": server.address, "quotaSize": 50_000_000}
        session.send("Storage.overrideQuotaForOrigin", quota)
        answer = engine.load()
        assert answer["result"]["model"] == "embedded"
        assert any("does not keep it" in step["text"] for step in answer["progress"])


def test_without_a_secure_context_the_model_runs_from_memory(
    built_site: Path, real_browser: Browser
) -> None:
    browser = real_browser.browser_type.launch(
        executable_path=str(find().path),
        args=[*FLAGS, "--host-resolver-rules=MAP plain.test 127.0.0.1"],
    )
    with closing(browser), served(built_site) as server:
        address = server.address.replace("127.0.0.1", "plain.test")
        engine = open_engine(browser.new_context(), address)
        assert not engine.page.evaluate("() => isSecureContext")
        answer = engine.load()
        assert answer["result"]["threads"] == 1
        assert any("does not keep it" in step["text"] for step in answer["progress"])
        assert engine.generate(maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1


def test_blocked_webassembly_is_an_error_that_says_so(
    built_site: Path, visit: Callable[[str], Engine]
) -> None:
    policy = "default-src 'self'; script-src 'self'; worker-src 'self'"
    with served(built_site, csp=policy) as server:
        error = visit(server.address).load()["error"]
        assert error["name"] == "EngineError"
        assert "wasm-unsafe-eval" in error["message"]


@pytest.mark.parametrize("name", ["wllama.*.wasm", "wllama-worker.*.js", "wllama-thread.*.js"])
def test_a_missing_file_of_the_engine_is_an_error(
    built_site: Path, visit: Callable[[str], Engine], name: str
) -> None:
    (file,) = (built_site / "vendor").glob(name)
    with served(built_site) as server:
        server.faults[f"vendor/{file.name}"] = Fault.MISSING
        error = visit(server.address).load()["error"]
        assert error["name"] == "EngineError"
        assert "does not start" in error["message"]


@pytest.fixture
def crashing(built_site: Path, tmp_path: Path) -> dict[str, Path]:
    """The worker's code with a fault in it, in place of the site's."""
    (code,) = (built_site / "vendor").glob("wllama-worker.*.js")
    file = tmp_path / "crashing.js"
    file.write_text(code.read_text() + CRASH_AT_THE_FIRST_RESULT)
    return {f"vendor/{code.name}": file}


def test_after_a_crash_the_model_is_started_anew_and_asked_again(
    built_site: Path,
    visit: Callable[[str], Engine],
    parts: list[str],
    crashing: dict[str, Path],
) -> None:
    with served(built_site) as server:
        whole_site = server.added
        server.added = {**whole_site, **crashing}
        engine = visit(server.address)
        assert engine.load()["result"]["model"] == "embedded"
        server.added = whole_site
        server.asked.clear()
        assert engine.generate(maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1
        assert not set(server.asked) & set(parts)


def test_a_second_crash_is_an_error_and_the_next_call_starts_anew(
    built_site: Path, visit: Callable[[str], Engine], crashing: dict[str, Path]
) -> None:
    with served(built_site) as server:
        whole_site = server.added
        server.added = {**whole_site, **crashing}
        engine = visit(server.address)
        error = engine.generate(model="embedded")["error"]
        assert error["name"] == "EngineError"
        assert error["retryable"]
        assert "an injected fault" in error["message"]
        server.added = whole_site
        assert engine.generate(maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1


def test_a_model_of_the_users_own_replaces_the_first(
    built_site: Path, visit: Callable[[str], Engine], parts: list[str], tmp_path: Path
) -> None:
    whole = tmp_path / "own.gguf"
    whole.write_bytes(b"".join((built_site / part).read_bytes() for part in parts))
    with served(built_site) as server:
        engine = visit(server.address)
        server.added = {**server.added, "own.gguf": whole}
        own = f"wllama:{server.address}/own.gguf"
        page = f"wllama:{server.address}/test/engine.html"

        assert (
            "answers 404" in engine.load(f"wllama:{server.address}/none.gguf")["error"]["message"]
        )
        for _ in range(2):  # what is no model is not kept either
            assert "no GGUF" in engine.load(page)["error"]["message"]
        assert server.asked.count("test/engine.html") == 3
        assert engine.load(own)["result"]["model"] == own
        assert engine.call("info", {})["result"]["model"] == own
        kept = engine.call("cached", {})["result"]
        assert kept == [{"model": own, "bytes": whole.stat().st_size}]
        engine.call("delete", {"model": own})
        assert engine.call("cached", {})["result"] == []
        assert engine.generate(maxOutputTokens=1)["result"]["usage"]["outputTokens"] == 1
        engine.call("unload", {})
        assert engine.call("info", {})["result"] is None
        assert "Call engine.load first" in engine.generate()["error"]["message"]


def test_a_window_is_as_large_as_asked_but_no_larger_than_the_model(
    built_site: Path, visit: Callable[[str], Engine]
) -> None:
    with served(built_site) as server:
        engine = visit(server.address)
        huge = engine.load(options={"contextWindow": 100_000})
        assert huge["result"]["contextWindow"] == MODEL_WINDOW
        assert engine.load()["progress"] == []  # the larger one serves whoever asks for none


def test_a_template_without_a_system_turn_gets_it_with_the_users(
    built_site: Path, visit: Callable[[str], Engine], parts: list[str], tmp_path: Path
) -> None:
    model = b"".join((built_site / part).read_bytes() for part in parts)
    strict = tmp_path / "strict.gguf"
    strict.write_bytes(with_template(model, STRICT_TEMPLATE))
    with served(built_site, added={"strict.gguf": strict}) as server:
        engine = visit(server.address)
        name = f"wllama:{server.address}/strict.gguf"
        system, question = HELLO
        alone = engine.generate([question], model=name, maxOutputTokens=1)["result"]
        both = engine.generate(HELLO, model=name, maxOutputTokens=1)["result"]
        assert both["usage"]["inputTokens"] > alone["usage"]["inputTokens"]
        error = engine.generate([system, system, question], model=name)["error"]
        assert error["name"] == "EngineError"
