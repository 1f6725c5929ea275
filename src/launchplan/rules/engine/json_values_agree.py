"""Values of a JSON flag that do not go together.

## Why

vLLM reads the JSON of a flag into a configuration that looks at its values, too: a profiler wants its folder,
an option of one backend is refused with another, pooling is named once.

## Fix

Change the value that is named.

## References

- vLLM 0.33.0 `vllm/config/profiler.py:211`-`:302`, `vllm/config/structured_outputs.py:68`,
  `vllm/config/pooler.py:141`-`:168`, `vllm/config/quantization.py:58`-`:184`,
  `vllm/config/ec_transfer.py:91`, `vllm/config/ec_manager_config.py:22`, `vllm/config/attention.py:192`,
  `:256`, `vllm/config/compilation.py:1049`-`:1075`, `vllm/config/kernel.py:271`, `vllm/config/model.py:1181`,
  `vllm/engine/arg_utils.py:2815`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.json_values import DEMANDS
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import names_are_known, vllm_rule
from launchplan.rules.wording import shown

KERNELS = ("moe_backend", "linear_backend", "sparse_indexer_topk_backend")


@vllm_rule(
    "ENG218",
    "json-values-agree",
    source="engine/arg_utils.py:369",
    at="parse",
    about=(*DEMANDS, "kernel_config"),
)
def check(view: VllmView) -> Iterator[Violation]:
    """Ask each configuration that is written for what it refuses."""
    if not names_are_known(view):
        return
    for dest, (file, demands) in DEMANDS.items():
        if view.arguments[dest] is None:
            continue
        problem = next((text for broken, text in demands(mapping(view, dest)) if broken), None)
        if problem is not None:
            place = f"vllm/config/{file} (0.33.0)"
            yield Violation(f"{dest.replace('_', '-')} {problem}", view.path(dest), None, place)
    yield from _kernels(view)
    yield from _twice(view)


def _twice(view: VllmView) -> Iterator[Violation]:
    """Say of an operation whose priority stands in two flags."""
    own, config = mapping(view, "ir_op_priority"), mapping(view, "kernel_config").get("ir_op_priority")
    both = [name for name in own if own[name] and isinstance(config, Mapping) and config.get(name)]
    if both:
        message = f"ir-op-priority and kernel-config both order {both[0]}"
        yield Violation(
            message, view.path("ir_op_priority"), "leave one", "vllm/engine/arg_utils.py:2815 (0.33.0)"
        )


def _kernels(view: VllmView) -> Iterator[Violation]:
    """Compare names of kernels with the choices of the flags that stand for them."""
    facts, config = view.pool.deployment.facts, mapping(view, "kernel_config")
    for key in KERNELS:
        name, flag = config.get(key), facts.flag_of(key) if facts is not None else None
        if flag is None or not isinstance(name, str):
            continue
        names = [str(each) for each in flag.choices or () if each is not None]
        folded = name.lower().replace("-", "_")
        if folded not in names:
            near = get_close_matches(folded, names, n=1)
            message, fix = (
                f"kernel-config {key} is {shown(name)}",
                f"did you mean {near[0]}?" if near else None,
            )
            place = "vllm/config/kernel.py:271 (0.33.0)"
            yield Violation(message, view.path("kernel_config"), fix, place)
