"""The engine facts: every release, and the look-ups that argparse would do the same way."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from launchplan.catalog.engines import Ambiguous, EngineFacts, Flag, Variable
from launchplan.catalog.load import DATA, EngineShelf, engine_facts, nearest_facts, read_fact, versions

# engine, version: flags (positional included), spellings, switches, deprecated flags, variables
RELEASES = {
    ("sglang", "0.5.23"): (531, 559, 173, 6, 889),
    ("sglang-router", "0.3.2"): (98, 98, 12, 0, 0),
    ("vllm", "0.11.2"): (201, 266, 54, 15, 209),
    ("vllm", "0.15.1"): (208, 286, 62, 2, 228),
    ("vllm", "0.18.1"): (226, 309, 67, 1, 233),
    ("vllm", "0.20.2"): (240, 327, 71, 2, 250),
    ("vllm", "0.24.0"): (267, 360, 76, 2, 268),
    ("vllm", "0.27.1"): (283, 382, 82, 2, 285),
    ("vllm", "0.30.0"): (301, 406, 88, 1, 302),
    ("vllm", "0.33.0"): (321, 484, 95, 5, 324),
    ("vllm-router", "0.1.17"): (72, 73, 8, 0, 0),
}


def facts_of(engine: str, version: str) -> EngineFacts:
    facts = engine_facts(engine, version)
    assert facts is not None
    return facts


VLLM = facts_of("vllm", "0.33.0")
SGLANG = facts_of("sglang", "0.5.23")


def test_every_file_is_a_known_release() -> None:
    assert sorted(path.stem for path in (DATA / "engines").glob("*.yaml")) == [
        "-".join(key) for key in RELEASES
    ]


@pytest.mark.parametrize(("engine", "version"), RELEASES)
def test_a_release_is_told_in_full(engine: str, version: str) -> None:
    facts = facts_of(engine, version)
    assert (facts.engine, facts.version) == (engine, version)
    counts = (
        len(facts.flags),
        sum(len(flag.names) for flag in facts.flags),
        sum(flag.kind == "switch" for flag in facts.flags),
        sum(flag.deprecated for flag in facts.flags),
        len(facts.variables),
    )
    assert counts == RELEASES[engine, version]


@pytest.mark.parametrize(("engine", "version"), RELEASES)
def test_flags_agree_with_themselves(engine: str, version: str) -> None:
    facts = facts_of(engine, version)
    names = Counter(name for flag in facts.flags for name in flag.names)
    assert [name for name, count in names.items() if count > 1] == []
    for flag in facts.flags:
        assert all(name.startswith("-") for name in flag.names)
        assert flag.name.startswith("--") or not flag.names
        assert (flag.type is None) == (flag.kind == "switch")
        assert flag.kind != "switch" or flag.default in (None, True, False)
        assert not (flag.choices and flag.value_names)
        assert flag.deprecated or flag.replaced_by is None
        if flag.replaced_by is not None:
            assert facts.find(flag.replaced_by.split(" ")[0]) is not None
        if flag.choices is not None and flag.kind == "value" and isinstance(flag.default, str):
            assert flag.default in flag.choices
        if flag.off_names:
            assert facts.find(flag.off_names[0]) is flag
    assert len({variable.name for variable in facts.variables}) == len(facts.variables)


@pytest.mark.parametrize(("engine", "version"), RELEASES)
def test_no_default_is_an_object_or_a_place_of_the_machine_that_was_asked(engine: str, version: str) -> None:
    facts = facts_of(engine, version)
    defaults = [*(flag.default for flag in facts.flags), *(variable.default for variable in facts.variables)]
    texts = [default for default in defaults if isinstance(default, str)]
    objects = [text for text in texts if text.startswith(("<", "==", "!")) or "(" in text]
    places = [text for text in texts if text.startswith((tempfile.gettempdir(), str(Path.home())))]
    assert (objects, places) == ([], [])


FLAGS = [
    (
        VLLM,
        "--tensor-parallel-size",
        Flag(names=("--tensor-parallel-size", "-tp"), dest="tensor_parallel_size", type="int", default=1),
    ),
    (
        VLLM,
        "--enable-expert-parallel",
        Flag(
            names=(
                "--enable-expert-parallel",
                "-ep",
                "--disable-expert-parallel",
                "--no-enable-expert-parallel",
            ),
            dest="enable_expert_parallel",
            kind="switch",
            default=False,
        ),
    ),
    (VLLM, "--headless", Flag(names=("--headless",), dest="headless", kind="switch", default=False)),
    (
        VLLM,
        "--max-model-len",
        Flag(names=("--max-model-len",), dest="max_model_len", type="human-int-or-auto"),
    ),
    (
        VLLM,
        "--speculative-config",
        Flag(names=("--speculative-config", "-sc"), dest="speculative_config", type="json", nullable=True),
    ),
    (
        VLLM,
        "--hf-overrides",
        Flag(names=("--hf-overrides",), dest="hf_overrides", type="json-or-str", default={}),
    ),
    (
        VLLM,
        "--middleware",
        Flag(names=("--middleware",), dest="middleware", action="append", type="str", default=[]),
    ),
    (
        VLLM,
        "--dcp-kv-cache-interleave-size",
        Flag(
            names=("--dcp-kv-cache-interleave-size",),
            dest="dcp_kv_cache_interleave_size",
            type="int",
            default=1,
            deprecated=True,
            replaced_by="--cp-kv-cache-interleave-size",
        ),
    ),
    (
        SGLANG,
        "--tp-size",
        Flag(names=("--tp-size", "--tensor-parallel-size"), dest="tp_size", type="int", default=1),
    ),
    (
        SGLANG,
        "--model-path",
        Flag(names=("--model-path", "--model"), dest="model_path", type="str", required=True),
    ),
    (
        SGLANG,
        "--kv-cache-dtype",
        Flag(
            names=("--kv-cache-dtype",),
            dest="kv_cache_dtype",
            type="str",
            choices=("auto", "fp8_e5m2", "fp8_e4m3", "mxfp8", "bf16", "bfloat16", "nvfp4", "fp4_mx_block16"),
            default="auto",
        ),
    ),
    (
        SGLANG,
        "--enable-dp-attention",
        Flag(
            names=("--enable-dp-attention",),
            dest="enable_dp_attention",
            kind="switch",
            default=False,
            deprecated=True,
            replaced_by="--attn-dp-size",
        ),
    ),
    (
        facts_of("sglang-router", "0.3.2"),
        "--prefill",
        Flag(names=("--prefill",), dest="prefill", kind="list", action="append", type="str"),
    ),
]


@pytest.mark.parametrize(
    ("facts", "name", "flag"), FLAGS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_flags_whole(facts: EngineFacts, name: str, flag: Flag) -> None:
    assert facts.find(name) == flag


def test_a_positional_argument_has_no_spelling() -> None:
    positional = [flag for flag in VLLM.flags if not flag.names]
    assert positional == [Flag(dest="model_tag", kind="optional-value", type="str")]
    assert positional[0].name == "model_tag"
    assert VLLM.find("model_tag") is None


def test_names_that_a_release_registers_without_enforcing_them() -> None:
    parsers, caches = VLLM.find("--tool-call-parser"), VLLM.find("--kv-cache-dtype")
    assert parsers is not None
    assert {"kimi_k3", "qwen3_coder", "deepseek_v3"} <= set(parsers.value_names)
    assert caches is not None
    assert {"auto", "fp8", "nvfp4"} <= set(caches.value_names)
    assert (parsers.choices, caches.choices) == (None, None)


@pytest.mark.parametrize(
    ("facts", "name", "off"),
    [
        (VLLM, "--enable-prefix-caching", ("--disable-prefix-caching", "--no-enable-prefix-caching")),
        (VLLM, "--disable-sliding-window", ("--enable-sliding-window", "--no-disable-sliding-window")),
        (VLLM, "--trust-remote-code", ("--no-trust-remote-code",)),
        (VLLM, "--headless", ()),
        (VLLM, "--port", ()),
        (SGLANG, "--enable-tf32-matmul", ("--no-enable-tf32-matmul",)),
        (SGLANG, "--disable-radix-cache", ()),
        (facts_of("vllm", "0.11.2"), "--disable-log-requests", ("--no-disable-log-requests",)),
    ],
)
def test_spellings_that_switch_off(facts: EngineFacts, name: str, off: tuple[str, ...]) -> None:
    flag = facts.find(name)
    assert flag is not None
    assert (flag.off_names, flag.negatable) == (off, bool(off))


@pytest.mark.parametrize(
    ("facts", "name", "is_json"),
    [
        (VLLM, "--compilation-config", True),
        (VLLM, "--kv-transfer-config", True),
        (VLLM, "--hf-overrides", True),
        (VLLM, "--model-loader-extra-config", True),
        (VLLM, "--headless", False),
        (VLLM, "--load-format", False),
        (SGLANG, "--json-model-override-args", True),
        (SGLANG, "--cuda-graph-config", True),
        (SGLANG, "--load-format", False),
    ],
)
def test_flags_that_take_json(facts: EngineFacts, name: str, is_json: bool) -> None:
    flag = facts.find(name)
    assert flag is not None
    assert flag.is_json is is_json


# what the real parsers said: a flag's canonical name, the candidates of an ambiguous one, or None
MATCHES: list[tuple[EngineFacts, str, str | tuple[str, ...] | None]] = [
    (VLLM, "--tensor-parallel-size", "--tensor-parallel-size"),
    (VLLM, "--tensor_parallel_size", "--tensor-parallel-size"),
    (VLLM, "--tensor-parallel-siz", "--tensor-parallel-size"),
    (VLLM, "--tensor_parallel_siz", "--tensor-parallel-size"),
    (VLLM, "-tp", "--tensor-parallel-size"),
    (VLLM, "-as", "--api-server-count"),
    (VLLM, "-dp", "--data-parallel-size"),
    (
        VLLM,
        "-d",
        ("-dcp", "-dp", "-dpn", "-dpr", "-dpl", "-dpa", "-dpp", "-dpb", "-dph", "-dpe", "-dpm", "-dc"),
    ),
    (VLLM, "--no-enable-prefix-caching", "--enable-prefix-caching"),
    (VLLM, "--device", ("--device-ids", "--device-memory-utilization")),
    (VLLM, "--no-enable-prefix", "--enable-prefix-caching"),
    (VLLM, "--swap-space", None),
    (VLLM, "--task", None),
    (VLLM, "--", None),
    (VLLM, "-", None),
    (VLLM, "", None),
    (VLLM, "tensor-parallel-size", None),
    (SGLANG, "--tp", "--tp-size"),
    (SGLANG, "--tensor-parallel-size", "--tp-size"),
    (SGLANG, "--tensor_parallel_size", None),
    (SGLANG, "--dp", "--dp-size"),
    (SGLANG, "--ep", "--ep-size"),
    (SGLANG, "--mem-frac", "--mem-fraction-static"),
    (SGLANG, "--context-len", "--context-length"),
    (SGLANG, "--speculative-algo", "--speculative-algorithm"),
    (SGLANG, "--pp", ("--pp-size", "--pp-max-micro-batch-size", "--pp-async-batch-depth")),
    (SGLANG, "--dcp", ("--dcp-size", "--dcp-comm-backend", "--dcp-replicate-q-proj")),
    (SGLANG, "--cuda-graph-max-bs", ("--cuda-graph-max-bs-decode", "--cuda-graph-max-bs-prefill")),
    (SGLANG, "--quant", ("--quantization", "--quantization-param-path", "--quantize-and-serve")),
    (SGLANG, "--enable-ep-moe", None),
]


@pytest.mark.parametrize(("facts", "name", "expected"), MATCHES)
def test_match(facts: EngineFacts, name: str, expected: str | tuple[str, ...] | None) -> None:
    match facts.match(name):
        case Flag() as flag:
            assert flag.name == expected
        case Ambiguous() as ambiguous:
            assert (ambiguous.name, ambiguous.candidates) == (name, expected)
        case None:
            assert expected is None


def test_find_wants_the_whole_name() -> None:
    assert VLLM.find("--tensor-parallel-siz") is None
    assert VLLM.find("-tp") is VLLM.find("--tensor_parallel_size")


@pytest.mark.parametrize("name", ["--swap-space", "--task", "--rope-scaling", "--guided-decoding-backend"])
def test_flags_that_have_gone(name: str) -> None:
    known = name in ("--swap-space", "--task", "--guided-decoding-backend")
    assert (facts_of("vllm", "0.11.2").find(name) is not None) is known
    assert VLLM.find(name) is None


@pytest.mark.parametrize(
    ("facts", "name", "nearest"),
    [
        (VLLM, "--tensor-parallel", "--tensor-parallel-size"),
        (VLLM, "--tp", "--tensor-parallel-size"),
        (VLLM, "--ep", "--enable-expert-parallel"),
        (VLLM, "--gpu-memory-utilisation", "--gpu-memory-utilization"),
        (VLLM, "--max_num_seq", "--max-num-seqs"),
        (VLLM, "--max-seq-len", "--max-model-len"),
        (VLLM, "--kv-cache-type", "--kv-cache-dtype"),
        (VLLM, "--num-scheduler-steps", None),
        (VLLM, "--swap-space", None),
        (SGLANG, "--tensor-parallel", "--tensor-parallel-size"),
        (SGLANG, "--tp_size", "--tp-size"),
        (SGLANG, "--nsa-prefill-backend", "--dsa-prefill-backend"),
        (SGLANG, "--gpu-memory-utilization", None),
    ],
)
def test_nearest(facts: EngineFacts, name: str, nearest: str | None) -> None:
    assert facts.nearest(name) == nearest


@pytest.mark.parametrize(
    ("facts", "name", "variable"),
    [
        (VLLM, "VLLM_PORT", Variable(name="VLLM_PORT", type="int")),
        (VLLM, "VLLM_HOST_IP", Variable(name="VLLM_HOST_IP", type="str", default="")),
        (
            VLLM,
            "VLLM_WORKER_MULTIPROC_METHOD",
            Variable(
                name="VLLM_WORKER_MULTIPROC_METHOD", type="str", choices=("fork", "spawn"), default="fork"
            ),
        ),
        (SGLANG, "MOONCAKE_PROTOCOL", Variable(name="MOONCAKE_PROTOCOL", type="str", default="rdma")),
        (SGLANG, "MOONCAKE_MASTER", Variable(name="MOONCAKE_MASTER", type="str")),
        (VLLM, "VLLM_ATTENTION_BACKEND", None),
        (VLLM, "vllm_port", None),
    ],
)
def test_variable(facts: EngineFacts, name: str, variable: Variable | None) -> None:
    assert facts.variable(name) == variable


def test_versions_sort_as_numbers() -> None:
    assert versions("vllm") == (
        "0.11.2",
        "0.15.1",
        "0.18.1",
        "0.20.2",
        "0.24.0",
        "0.27.1",
        "0.30.0",
        "0.33.0",
    )
    assert versions("sglang") == ("0.5.23",)
    assert versions("sglang-router") == ("0.3.2",)
    assert versions("tgi") == ()


def test_versions_of_ten_and_more(tmp_path: Path) -> None:
    for version in ("0.9.2", "0.10.0", "0.9.10"):
        (tmp_path / f"vllm-{version}.yaml").touch()
    assert EngineShelf(tmp_path).versions("vllm") == ("0.9.2", "0.9.10", "0.10.0")


@pytest.mark.parametrize(
    ("engine", "asked", "known"),
    [
        ("vllm", "0.33.0", "0.33.0"),
        ("vllm", "v0.33.0", "0.33.0"),
        ("vllm", "0.33", "0.33.0"),
        ("vllm", "0.33.0rc1", "0.33.0"),
        ("vllm", "0.33.1.dev12+g1a2b3c", "0.33.0"),
        ("vllm", "0.41.2", "0.33.0"),
        ("vllm", "nightly", "0.33.0"),
        ("vllm", "0.32.9", "0.30.0"),
        ("vllm", "0.19.0", "0.18.1"),
        ("vllm", "0.11.2", "0.11.2"),
        ("vllm", "0.11.1", None),
        ("vllm", "0.9.2", None),
        ("sglang", "0.5.23.post1", "0.5.23"),
        ("sglang", "0.5.9", None),
        ("sglang-router", "latest", "0.3.2"),
        ("tgi", "3.0", None),
    ],
)
def test_nearest_facts(engine: str, asked: str, known: str | None) -> None:
    facts = nearest_facts(engine, asked)
    assert (facts and (facts.engine, facts.version)) == (known and (engine, known))


def test_exact_facts_only() -> None:
    assert engine_facts("vllm", "0.33.1") is None
    assert engine_facts("vllm", "nightly") is None
    assert engine_facts("../engines/vllm", "0.33.0") is None


def test_a_release_loads_fast() -> None:
    started = time.process_time()
    read_fact(EngineFacts, DATA / "engines" / "vllm-0.33.0.yaml")
    assert time.process_time() - started < 0.5, "20 ms with libyaml, 170 ms without"
