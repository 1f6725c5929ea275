"""The `#SBATCH` options of a job, or of one part of a heterogeneous job.

Only options of Slurm 22.05 and before are chosen here; what the cluster file adds may be newer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from launchplan.engines.flags import scalar_text
from launchplan.recipe.cluster import Slurm
from launchplan.resolve import ResolvedPool

_OF_WHOLE_JOB = frozenset(
    {
        *("array", "begin", "chdir", "comment", "dependency", "error", "export", "job-name", "mail-type"),
        *("mail-user", "no-requeue", "open-mode", "output", "requeue", "signal", "wckey"),
    }
)
"""Options that the first part of a heterogeneous job gives for all of them."""
_SAME = (
    {"gres", "gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket"},
    {"mem", "mem-per-cpu", "mem-per-gpu"},
    {"exclusive", "oversubscribe"},
    {"nodelist", "nodefile"},
)
"""Options that say the same in different ways; the cluster file's replaces launchplan's."""


@dataclass(frozen=True, slots=True)
class Option:
    """One `#SBATCH` option."""

    name: str
    """Without the dashes."""
    value: str = ""

    @property
    def has_value(self) -> bool:
        """Whether it is more than a switch."""
        return bool(self.value)


def job_options(
    pool: ResolvedPool, ranks_per_node: int, names: tuple[str, ...], site: Slurm, *, first: bool
) -> tuple[Option, ...]:
    """Choose the options of a pool's part of the job.

    `names` are the hosts that the cluster file gives the pool, none where Slurm chooses them.
    """
    recipe = pool.deployment.recipe.value
    chosen = [Option("job-name", recipe.name), Option("signal", "B:TERM@120")] if first else []
    chosen += (
        Option(name, value)
        for name, value in (
            ("partition", site.partition),
            ("account", site.account),
            ("qos", site.qos),
            ("time", site.time),
        )
        if value
    )
    chosen += [Option("nodes", str(pool.nodes * pool.replicas)), Option("ntasks-per-node", "1")]
    if names:
        chosen.append(Option("nodelist", ",".join(names)))
    if site.gres:
        chosen.append(Option("gres", f"{site.gres}:{ranks_per_node}"))
    else:
        chosen.append(Option("gpus-per-node", str(ranks_per_node)))
    if pool.gpu is not None and pool.gpu.gpus_per_node == ranks_per_node:
        # The whole host: its CPUs and memory, too, which Slurm shares out by the task otherwise.
        chosen += [Option("exclusive"), Option("mem", "0")]
    return _with_own(chosen, site.options, first=first)


def _with_own(chosen: Iterable[Option], given: Mapping[str, JsonValue], *, first: bool) -> tuple[Option, ...]:
    """Let the cluster file's options replace and follow those that were chosen; `false` takes one away."""
    own = {name.lstrip("-").replace("_", "-"): value for name, value in given.items()}
    replaced = set(own).union(*(group for group in _SAME if group & set(own)))
    kept = [option for option in chosen if option.name not in replaced]
    kept += (
        Option(name, _text(value))
        for name, value in own.items()
        if value is not False and value is not None and (first or name not in _OF_WHOLE_JOB)
    )
    return tuple(kept)


def _text(value: JsonValue) -> str:
    if value is True:
        return ""
    return ",".join(map(scalar_text, value)) if isinstance(value, list) else scalar_text(value)
