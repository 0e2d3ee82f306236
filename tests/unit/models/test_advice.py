"""Which model is proposed for a device, and the table that the proposals come from."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagehand
from pagehand import Advice, ConfigError, Device, advise
from pagehand.models.local_models import (
    EMBEDDED_FACTS,
    GGUF_MODELS,
    WEB_LLM_LIST,
    WEB_LLM_MODELS,
)

GIBIBYTE = 1 << 30
GOOD_GPU = {"available": True, "shaderF16": True}
LAPTOP = {
    "webgpu": GOOD_GPU,
    "memoryBytes": 8 * GIBIBYTE,
    "storageBytes": 50 * GIBIBYTE,
    "cores": 8,
}
ENTRIES = {each.model: each for each in (EMBEDDED_FACTS, *WEB_LLM_MODELS, *GGUF_MODELS)}
LIST = Path(__file__).parents[3] / "web" / "vendor" / "web-llm-models.json"
SHIPPED = next(LIST.parents[2].glob("dist/site/models/embedded.*.json"), None)


def names(advice):
    return [each.model for each in advice.alternatives]


def reason(advice, model):
    return next(each.reason for each in advice.alternatives if each.model == model)


def test_a_good_laptop_gets_the_model_that_calls_best():
    advice = advise(LAPTOP)
    assert advice.model == "web-llm:Qwen3-4B-q4f16_1-MLC"
    assert advice.reason == (
        "Qwen3-4B fits: it needs 3.4 GB of the 8 GB that this device tells, gets 81 % of single "
        "calls right (BFCL V3, live) and is 2.3 GB to download."
    )
    assert advice.size_bytes == 2_284_830_783
    assert names(advice) == ["web-llm:Qwen3-1.7B-q4f16_1-MLC", "embedded"]


def test_the_wire_form():
    assert advise({"memoryBytes": 0, "browserModel": "downloading"}).to_dict() == {
        "model": None,
        "reason": "Not even the embedded model fits: its file is 98 MB, which is more than half of "
        "the 0 MB of memory that this device tells; take a model of a provider.",
        "sizeBytes": None,
        "alternatives": [],
    }
    told = advise(LAPTOP).to_dict()
    assert list(told) == ["model", "reason", "sizeBytes", "alternatives"]
    assert told["alternatives"][-1]["model"] == "embedded"
    assert told["alternatives"][-1]["sizeBytes"] == 98_362_432
    json.dumps(told)


def test_both_spellings_and_the_record_say_the_same():
    snake = {
        "webgpu": {"available": True, "shader_f16": True},
        "memory_bytes": 8 * GIBIBYTE,
        "storage_bytes": 50 * GIBIBYTE,
        "cores": 8,
    }
    assert advise(snake) == advise(LAPTOP)
    assert advise(Device(memory_bytes=8 * GIBIBYTE)) == advise({"memoryBytes": 8 * GIBIBYTE})


def test_nothing_known_is_taken_for_little():
    advice = advise({})
    assert (advice.model, advice.size_bytes) == ("embedded", 98_362_432)
    assert advise({"webgpu": {"available": None}}).model == "embedded"
    unknown_memory = advise({"webgpu": GOOD_GPU})
    assert ENTRIES[unknown_memory.model].memory_bytes <= GIBIBYTE
    assert "tells no memory" in unknown_memory.reason


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"webgpu": {"available": False}}, "WebGPU"),
        ({"webgpu": {"available": True, "shaderF16": False}}, "16-bit shaders (shader-f16)"),
        ({"memoryBytes": 4 * GIBIBYTE}, "a device with 6.7 GB of memory, half of it for the model"),
        ({"storageBytes": 2_000_000_000}, "2.3 GB of storage"),
        ({"webgpu": GOOD_GPU | {"maxBufferBytes": 1 << 27}}, "GPU buffers of 256 MB"),
        (
            {"webgpu": GOOD_GPU | {"maxStorageBufferBytes": 1 << 26}},
            "GPU storage buffers of 128 MB",
        ),
    ],
)
def test_what_the_better_model_needs_is_said(change, missing):
    advice = advise(LAPTOP | change)
    assert advice.model != "web-llm:Qwen3-4B-q4f16_1-MLC"
    better = advice.alternatives[0]
    assert better.model.startswith("web-llm:Qwen3-") and missing in better.reason


def test_without_16_bit_shaders_the_other_build_is_proposed():
    advice = advise(LAPTOP | {"webgpu": {"available": True, "shaderF16": False}})
    assert advice.model == "web-llm:Qwen3-1.7B-q4f32_1-MLC"
    assert advice.size_bytes is None and "at most 2.8 GB to download" in advice.reason


def test_a_stored_model_needs_no_room_and_no_download():
    full = LAPTOP | {"storageBytes": 0}
    assert advise(full).model == "embedded"
    for name in ("Qwen3-1.7B-q4f16_1-MLC", "web-llm:Qwen3-1.7B-q4f16_1-MLC"):
        advice = advise(full | {"cached": [name]})
        assert (advice.model, advice.size_bytes) == ("web-llm:Qwen3-1.7B-q4f16_1-MLC", 0)
        assert "is stored here already" in advice.reason
    beside = advise(LAPTOP | {"cached": ["Qwen3-0.6B-q4f16_1-MLC"]})
    assert "is stored here already" in reason(beside, "web-llm:Qwen3-0.6B-q4f16_1-MLC")


def test_the_browsers_own_model():
    weak = {"webgpu": GOOD_GPU, "memoryBytes": 3 * GIBIBYTE, "storageBytes": 400_000_000}
    without = advise(weak)
    assert without.model == "web-llm:Qwen3-0.6B-q4f16_1-MLC"
    with_one = advise(weak | {"browserModel": "available"})
    assert (with_one.model, with_one.size_bytes) == ("browser", 0)
    assert without.model in names(with_one)
    assert advise(LAPTOP | {"browserModel": "available"}).model == advise(LAPTOP).model
    assert "browser" in names(advise(LAPTOP | {"browserModel": "available"}))
    for state in ("downloadable", "downloading"):
        advice = advise({"browserModel": state})
        assert advice.model == "embedded" and "browser" in names(advice)
    assert "browser" not in names(advise({"browserModel": "unavailable"}))


def test_a_processor_with_cores_is_offered_a_file():
    plain = LAPTOP | {"webgpu": {"available": False}}
    advice = advise(plain | {"isolated": False})
    [file] = [each for each in advice.alternatives if each.model.startswith("wllama:https://")]
    assert "369 MB" in file.reason and "one core only" in file.reason
    assert file.size_bytes == 369_000_000
    assert "one core only" not in reason(advise(plain | {"isolated": True}), file.model)
    for change in ({"cores": 2}, {"cores": None}, {"storageBytes": 1000}):
        assert file.model not in names(advise(plain | change))


@pytest.mark.parametrize(
    ("device", "named"),
    [
        ({"memoryBytes": -1}, "memoryBytes"),
        ({"memory_bytes": float("nan")}, "memoryBytes"),
        ({"storageBytes": float("inf")}, "storageBytes"),
        ({"storageBytes": "8 GB"}, "storageBytes"),
        ({"cores": True}, "cores"),
        ({"isolated": 1}, "isolated"),
        ({"webgpu": {"available": "yes"}}, "webgpu.available"),
        ({"webgpu": {"maxBufferBytes": -5}}, "webgpu.maxBufferBytes"),
        ({"webgpu": True}, "webgpu"),
        ({"browserModel": "ready"}, "browserModel"),
        ({"cached": "Qwen3-4B-q4f16_1-MLC"}, "cached"),
        ({"cached": [1]}, "cached"),
        ({"memory": 8}, "memory_bytes"),
        ({"webgpu": {"f16": True}}, "'f16'"),
        ([], "device"),
    ],
)
def test_facts_that_cannot_be_are_refused_by_name(device, named):
    with pytest.raises(ConfigError, match=named):
        advise(device)


def sizes():
    return st.none() | st.integers(0, 64 * GIBIBYTE) | st.floats(0, 1e12)


DEVICES = st.fixed_dictionaries(
    {
        "webgpu": st.none()
        | st.fixed_dictionaries(
            {
                "available": st.none() | st.booleans(),
                "shaderF16": st.none() | st.booleans(),
                "maxBufferBytes": sizes(),
                "maxStorageBufferBytes": sizes(),
            }
        ),
        "memoryBytes": sizes(),
        "cores": st.none() | st.integers(0, 64),
        "storageBytes": sizes(),
        "browserModel": st.sampled_from(
            [None, "available", "downloadable", "downloading", "unavailable"]
        ),
        "isolated": st.none() | st.booleans(),
        "cached": st.lists(st.sampled_from([each.model for each in WEB_LLM_MODELS]), max_size=3),
    }
)


@given(DEVICES)
def test_no_known_limit_is_exceeded(device):
    advice = advise(device)
    assert isinstance(advice, Advice) and advice == advise(dict(device))
    memory, storage = device["memoryBytes"], device["storageBytes"]
    if advice.model is None:
        assert memory is not None and memory < 2 * EMBEDDED_FACTS.download_bytes
        return
    assert advice.model not in names(advice) and len(set(names(advice))) == len(names(advice))
    assert advice.reason.endswith(".") and all(each.reason for each in advice.alternatives)
    if advice.model == "browser":
        assert device["browserModel"] == "available"
        return
    entry = ENTRIES[advice.model]
    if memory is not None:
        assert (entry.memory_bytes or entry.download_bytes) <= memory
    if advice.model == "embedded":
        return
    gpu = device["webgpu"]
    assert gpu["available"] and (gpu["shaderF16"] or not entry.needs_f16)
    assert gpu["maxBufferBytes"] is None or gpu["maxBufferBytes"] >= 1 << 28
    assert gpu["maxStorageBufferBytes"] is None or gpu["maxStorageBufferBytes"] >= 1 << 27
    if advice.model not in device["cached"] and storage is not None:
        assert entry.most_to_download <= storage


def worth(advice):
    if advice.model is None:
        return -1.0
    if advice.model == "browser":
        return 60.0
    skill = ENTRIES[advice.model].skill
    return skill.percent if skill else 0.0


def better(draw_from, device):
    """Give a device that has more of one known fact, or tells that it has what it had not."""
    name, more = draw_from
    gpu = device["webgpu"]
    if name in ("memoryBytes", "storageBytes", "cores") and device[name] is not None:
        return device | {name: device[name] + more}
    if name in ("available", "shaderF16") and gpu is not None:
        return device | {"webgpu": gpu | {name: True}}
    if name in ("maxBufferBytes", "maxStorageBufferBytes") and gpu and gpu[name] is not None:
        return device | {"webgpu": gpu | {name: gpu[name] + more}}
    if name == "browserModel":
        return device | {"browserModel": "available"}
    if name == "cached":
        return device | {"cached": [*device["cached"], WEB_LLM_MODELS[more % 10].model]}
    return device


GAINS = st.tuples(
    st.sampled_from(
        [
            "memoryBytes",
            "storageBytes",
            "cores",
            "available",
            "shaderF16",
            "maxBufferBytes",
            "maxStorageBufferBytes",
            "browserModel",
            "cached",
        ]
    ),
    st.integers(0, 32 * GIBIBYTE),
)


@given(DEVICES, GAINS)
def test_a_better_device_never_gets_a_worse_proposal(device, gain):
    assert worth(advise(better(gain, device))) >= worth(advise(device))


def test_every_figure_has_its_page_and_its_day():
    assert len(ENTRIES) == 1 + len(WEB_LLM_MODELS) + len(GGUF_MODELS)
    for entry in ENTRIES.values():
        assert entry.source.startswith("https://") and entry.read == "2026-12-01"
        assert (entry.download_bytes is None) == (entry.download_source is None)
        if entry.skill is not None:
            assert 0 < entry.skill.percent < 100 and entry.skill.measure
            assert entry.skill.source.startswith("https://") and entry.skill.read == "2026-12-01"
        if entry.memory_bytes and entry.download_bytes:
            assert entry.download_bytes < entry.memory_bytes


@pytest.mark.skipif(SHIPPED is None, reason="the site is not built")
def test_the_embedded_model_is_the_one_that_is_shipped():
    assert ENTRIES["embedded"].download_bytes == json.loads(SHIPPED.read_text())["bytes"]


@pytest.mark.skipif(not LIST.exists(), reason="the site is not built")
def test_the_builds_are_those_of_the_list_that_is_shipped():
    records = {record["model_id"]: record for record in json.loads(LIST.read_text())}
    for entry in WEB_LLM_MODELS:
        assert entry.source == WEB_LLM_LIST
        record = records[entry.model.removeprefix("web-llm:")]
        assert entry.memory_bytes == round(record["vram_required_MB"] * 1024 * 1024)
        assert entry.context_window == record["overrides"]["context_window_size"]
        assert entry.needs_f16 or "shader-f16" not in record.get("required_features", [])
        assert entry.buffer_bytes == record.get("buffer_size_required_bytes")


def test_the_table_is_loaded_when_advice_is_asked():
    script = (
        "import sys, pagehand; pagehand.create_agent; "
        "assert 'pagehand.models.local_models' not in sys.modules; pagehand.advise; "
        "assert 'pagehand.models.local_models' in sys.modules"
    )
    root = str(Path(pagehand.__file__).parents[1])
    subprocess.run([sys.executable, "-c", script], check=True, env={"PYTHONPATH": root})
