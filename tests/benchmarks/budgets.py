"""Time budgets of ranks in one process.

    python tests/benchmarks/budgets.py [COUNT]

Prints budgets a second for every shipped recipe's pools in turn, with settings, weights, cache plan and capacity:
once as a search sees them, which asks again for layouts that differ in few settings, and once with everything that
is remembered of a layout forgotten before each. Facts are loaded and recipes are read before the clock starts. No
test: the figure belongs to the machine.
"""

from __future__ import annotations

import itertools
import sys
import time

from launchplan.engines.budgets import memory_inputs, memory_of
from launchplan.memory import activations, weights
from launchplan.memory.kv import sglang, vllm
from launchplan.memory.sglang import cut as sglang_cut
from launchplan.memory.vllm import cut as vllm_cut
from launchplan.pipeline import make_plan
from launchplan.resources import recipes_dir

COUNT = 5_000


def main() -> None:
    views = [view for path in sorted(recipes_dir().rglob("*.yaml")) for view in make_plan(path).views]
    known = [view for view in views if memory_inputs(view) is not None]
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    for name, before in (("remembered", None), ("from nothing", forget)):
        start = time.process_time()
        for view in itertools.islice(itertools.cycle(known), count):
            if before is not None:
                before()
            inputs = memory_inputs(view)
            assert inputs is not None
            assert memory_of(inputs) is not None
        seconds = time.process_time() - start
        sys.stdout.write(
            f"{name}: {count} budgets in {seconds:.2f} s of CPU, {count / seconds:,.0f} a second\n"
        )


def forget() -> None:
    """Empty what is remembered by model and layout."""
    weights.rank_weights.cache_clear()
    activations.activation_bytes.cache_clear()
    vllm.planned.cache_clear()
    sglang.sizes.cache_clear()
    vllm_cut.vllm_cut.cache_clear()
    sglang_cut.sglang_cut.cache_clear()


if __name__ == "__main__":
    main()
