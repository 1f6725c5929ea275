"""The order in which the layouts of a given number of GPUs are tried, where machines are fixed."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.fit.space import splits


@dataclass(frozen=True, slots=True)
class Fixed:
    """The parallel sizes that the user fixed; None for one to choose."""

    tp: int | None = None
    pp: int | None = None
    dp: int | None = None

    def allow(self, tp: int, pp: int, dp: int) -> bool:
        """Tell whether sizes keep to what was fixed."""
        asked = ((self.tp, tp), (self.pp, pp), (self.dp, dp))
        return all(wanted in {None, size} for wanted, size in asked)


Sizes = tuple[int, int, int]


def preferred(gpus: int, fixed: Fixed, near: int, *, stages_last: bool) -> tuple[Sizes, ...]:
    """List the (tp, pp, dp) that fill so many GPUs, best first.

    Tensor parallelism belongs inside what NVLink joins, `near` GPUs, and takes as much of it as it can;
    stages join hosts, replicas are for what is left on one.
    """

    def dislike(sizes: Sizes) -> tuple[int, ...]:
        tp, pp, dp = sizes
        crosses, stages, replicas = int(tp > near), int(pp > 1), int(dp > 1)
        return (stages, replicas, crosses, -tp) if stages_last else (replicas, crosses, -tp, stages)

    return tuple(sorted((each for each in splits(gpus, gpus) if fixed.allow(*each)), key=dislike))
