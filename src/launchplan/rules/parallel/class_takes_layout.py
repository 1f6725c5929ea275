"""A layout that a model class refuses by name.

## Why

Some model classes of SGLang implement only part of the ways to split a model, and say so before anything is
loaded.

## Fix

Leave out the size that the message names.

## References

- SGLang 0.5.23 `arg_groups/model_hook.py:176`, `:569`; `arg_groups/parallel_hook.py:76`;
  `arg_groups/model_overrides/{ernie45_vl,iquest_q1,minicpm,deepseek_v2}.py`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines.sglang.settings import SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule


@dataclass(frozen=True, slots=True)
class Lacks:
    """The sizes that a class keeps at one."""

    sizes: tuple[str, ...]
    source: str


LACKS = {
    "InternS2MobiusForConditionalGeneration": Lacks(("pp_size", "ep_size"), "arg_groups/model_hook.py:176"),
    "Ernie4_5_VLMoeForConditionalGeneration": Lacks(("attn_dp_size",), "model_overrides/ernie45_vl.py"),
    "MiniCPMForCausalLM": Lacks(("attn_dp_size",), "model_overrides/minicpm.py"),
    "MiniCPMSALAForCausalLM": Lacks(("attn_dp_size",), "model_overrides/minicpm.py"),
    "IQuestQ1ForCausalLM": Lacks(
        ("attn_cp_size", "dcp_size", "attn_dp_size", "pp_size"), "model_overrides/iquest_q1.py"
    ),
    "HYV4ForCausalLM": Lacks(("dcp_size",), "model_overrides/deepseek_v2.py:70"),
    "NemotronHForCausalLM": Lacks(("attn_cp_size",), "arg_groups/parallel_hook.py:76"),
    "NemotronHPuzzleForCausalLM": Lacks(("attn_cp_size",), "arg_groups/parallel_hook.py:76"),
}
"""By class."""


@sglang_rule("PAR313", "class-takes-layout", source="model_hook.py:176")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the sizes with what the class implements."""
    name = first_class(view)
    lacks = LACKS.get(name or "")
    for size in lacks.sizes if lacks else ():
        value = _size(view.settings, size)
        if value > 1:
            flag = size.replace("_", "-")
            yield refuse(view, size, f"{name} does not take {flag} {value}", f"leave {flag} out")
    held = view.after("models.late")
    if name == "GptOssForCausalLM" and held.moe_runner_backend == "triton_kernel" and held.ep_size != 1:
        message = f"{name} on moe-runner-backend triton_kernel needs ep-size 1, not {held.ep_size}"
        yield refuse(view, "moe_runner_backend", message, "leave moe-runner-backend out")


def _size(held: SglangSettings, name: str) -> int:
    return int(getattr(held, name))
