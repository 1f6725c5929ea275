"""The layout that `launchplan new` picks, for models and machines that people have."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from launchplan.cli.draft import draft_name

Runner = Callable[..., Any]

QWEN = "--model Qwen/Qwen3.8-2.4T-A95B-FP8"
CASES = {
    "--model Inferact/Qwen3.8-2.4T-A95B-NVFP4 --gpu b300": "{tp: 8}",
    f"{QWEN} --gpu b300 --nodes 2 --fabric infiniband": "{tp: 8, pp: 2}",
    f"{QWEN} --gpu b300 --nodes 2 --fabric infiniband --mtp 3": "{tp: 16}",
    f"{QWEN} --gpu gb300 --nodes 4": "{tp: 16}",
    f"{QWEN} --gpu gb300 --nodes 3": "{tp: 4, pp: 3}",
    "--model Inferact/Qwen3.8-2.4T-A95B-NVFP4 --gpu b300 --tp 4 --nodes 1": "{tp: 4, dp: 2}",
    "--model moonshotai/Kimi-K3 --gpu gb300 --nodes 2": "{tp: 8}",
    "--model moonshotai/Kimi-K3 --gpu h200 --nodes 2 --engine sglang --fabric infiniband": "{tp: 8, pp: 2}",
    "--model Qwen/Qwen3-32B --gpu h100": "{tp: 8}",
    "--model Qwen/Qwen3-32B --gpu h100 --dp 4": "{tp: 2, dp: 4}",
    "--model Qwen/Qwen3-32B --gpu h100 --tp 2": "{tp: 2, dp: 4}",
    "--model Qwen/Qwen3-32B --gpu h100 --pp 2": "{tp: 4, pp: 2}",
    "--model Qwen/Qwen3-8B --gpu l4 --gpus-per-node 1 --max-model-len 8192": "{tp: 1}",
    "--model Qwen/Qwen3-32B --gpu h100 --gpus-per-node 6": "{tp: 2, dp: 3}",
}


@pytest.mark.parametrize("flags", CASES)
def test_layout(flags: str, launchplan: Runner) -> None:
    made = launchplan("new", *flags.split(), "-o", "-")
    assert (made.code, made.err) == (0, "")
    assert re.findall(r"^parallel: (.*)$", made.out, re.MULTILINE) == [CASES[flags]]
    checked = launchplan("check", "-", stdin=made.out.encode())
    assert checked.code == 0


TOO_LARGE = {
    f"{QWEN} --gpu b300": "2,325 GiB of weights, 8 x 269 GiB are 2,149 GiB",
    f"{QWEN} --gpu b300 --tp 4 --nodes 1": "2,325 GiB of weights, 8 x 269 GiB are 2,149 GiB",
    "--model moonshotai/Kimi-K2-Instruct --gpu h100 --engine sglang": (
        "958 GiB of weights, 8 x 79.6 GiB are 637 GiB"
    ),
    "--model Qwen/Qwen3-32B --gpu l4 --gpus-per-node 1": "61.0 GiB of weights, l4 has 22.5 GiB",
}


@pytest.mark.parametrize("flags", TOO_LARGE)
def test_weights_that_no_layout_holds_are_refused(flags: str, launchplan: Runner) -> None:
    made = launchplan("new", *flags.split(), "-o", "-")
    assert (made.code, made.out) == (1, "")
    assert re.findall(r"error (MEM101) checkpoint-exceeds-gpus: (.*)$", made.err, re.MULTILINE) == [
        ("MEM101", TOO_LARGE[flags])
    ]
    assert made.err.endswith("nothing written\n")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen3.8-2.4T-A95B-FP8", "qwen3.8-2.4t-a95b-fp8-1x8-h100"),
        ("./my models/Qwen 3 (copy)/config.json", "qwen-3-copy-1x8-h100"),
        ("/models/x.json", "x-1x8-h100"),
        ("模型", "1x8-h100"),
        ("a" * 100, "a" * 54 + "-1x8-h100"),
    ],
)
def test_name(model: str, name: str) -> None:
    assert draft_name(model, 1, 8, "h100") == name
    assert len(name) <= 63


SHORTENED = {
    "--model meta-llama/Llama-3.1-8B --gpu l4 --gpus-per-node 1": "16384",
    "--model meta-llama/Llama-3.1-70B --gpu l40s --gpus-per-node 4": "16384",
    "--model meta-llama/Llama-3.1-70B --gpu h100 --gpus-per-node 2": "4096",
    # The pool may be too small for any useful window: the longest that can fit.
    "--model meta-llama/Llama-3.1-70B --gpu a100-80gb-sxm --gpus-per-node 2": "32768",
}


@pytest.mark.parametrize("flags", SHORTENED)
def test_a_window_that_cannot_fit_is_shortened(flags: str, launchplan: Runner) -> None:
    made = launchplan("new", *flags.split(), "-o", "-")
    assert (made.code, made.err) == (0, "")
    assert re.findall(r"^  max_model_len: (.*)$", made.out, re.MULTILINE) == [SHORTENED[flags]]
    assert launchplan("check", "-", stdin=made.out.encode()).code == 0


FEWER = {
    "--model Qwen/Qwen3.5-27B --gpu h100 --gpus-per-node 1": "128",
    "--model Qwen/Qwen3.5-35B-A3B --gpu h100 --gpus-per-node 1": "32",
}


@pytest.mark.parametrize("flags", FEWER)
def test_requests_without_a_block_for_their_state_are_not_asked_for(flags: str, launchplan: Runner) -> None:
    made = launchplan("new", *flags.split(), "-o", "-")
    assert (made.code, made.err) == (0, "")
    assert re.findall(r"^  max_num_seqs: (.*)$", made.out, re.MULTILINE) == [FEWER[flags]]
    assert launchplan("check", "-", stdin=made.out.encode()).code == 0


ASKED_TOO_LONG = """\
<new recipe>:11:18: error MEM203 longest-request-fits: one request of 131,072 tokens takes 16.0 GiB, the pool is 2.5 to 5.2 GiB
      max_model_len: 131072
                     ^^^^^^
  fix: lower max_model_len, or raise tp, pp or dcp
  source: vllm/v1/core/kv_cache_planning.py:78 (0.33.0)
with --checkpoint RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8 it passes; nothing written
"""


def test_a_window_that_was_asked_for_is_kept(launchplan: Runner) -> None:
    made = launchplan("new", *next(iter(SHORTENED)).split(), "--max-model-len", "131072", "-o", "-")
    assert (made.code, made.out, made.err) == (1, "", ASKED_TOO_LONG)
