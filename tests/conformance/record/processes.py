"""One process of a launch that has come together, without the others: groups by arithmetic, tensors without memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Hollow:
    """A stream or an event that nothing ever waits for."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take whatever the real one takes."""


@dataclass(frozen=True, slots=True)
class _Members:
    """What a process group knows of itself."""

    world_size: int
    place: int

    def size(self) -> int:
        return self.world_size

    def rank(self) -> int:
        return self.place


def unconnected(coordinator: Any, rank: int) -> type:
    """Make an engine's class of process groups that knows its members and connects nothing."""

    class Group(coordinator):  # type: ignore[misc] # the engine's own class
        def __init__(self, group_ranks: list[list[int]], local_rank: int, *_: Any, **options: Any) -> None:
            self.rank, self.local_rank = rank, local_rank
            self.ranks = next(ranks for ranks in group_ranks if rank in ranks)
            self.world_size, self.rank_in_group = len(self.ranks), self.ranks.index(rank)
            self.unique_name = str(options.get("group_name"))
            self.cpu_group = self.device_group = _Members(self.world_size, self.rank_in_group)
            self.device_communicator = self.mq_broadcaster = None
            self.use_device_communicator = False

    return Group


def on_meta(torch: Any) -> Any:
    """Make every tensor on the meta device, also those that a class asks the GPU for."""

    class OnMeta(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            options = dict(kwargs or {})
            if "device" in options or func in _makers(torch):
                options["device"] = "meta"
            return func(*args, **options)

    return OnMeta()


def _makers(torch: Any) -> frozenset[Any]:
    names = ("empty", "zeros", "ones", "full", "arange", "rand", "randn", "tensor", "linspace", "eye")
    return frozenset(getattr(torch, name) for name in names)
