"""What resolution starts from: arguments, environment, model and GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from launchplan.engines.sglang.settings.model import HfModel
from launchplan.engines.sglang.settings.types import SglangSettings

TRUE_WORDS = frozenset({"true", "1", "yes", "y"})
"""What `environ.py:EnvBool` reads as true."""
FABRIC_GPUS = frozenset({"gb200", "gb300"})
"""Superchips that SGLang knows by name to share NVLink across hosts (`utils/common.py:1038`, 0.5.23)."""


class Flags(Protocol):
    """The command's arguments, for steps that need neither model nor GPU."""

    def __getitem__(self, name: str) -> Any:
        """Give an argument by the parser's name."""


@dataclass(frozen=True, slots=True)
class Given:
    """Everything that no step changes."""

    arguments: Mapping[str, Any]
    env: Mapping[str, str]
    model: HfModel
    capability: tuple[int, int]
    """CUDA compute capability."""
    memory_mib: float | None
    """Device memory in MiB as the driver reports it."""
    across_hosts: bool
    """NVLink reaches other hosts."""

    def __getitem__(self, name: str) -> Any:
        """Give an argument by the parser's name; None for one that this version does not have."""
        return self.arguments.get(name)

    @property
    def major(self) -> int:
        """First number of the compute capability."""
        return self.capability[0]

    @property
    def hopper(self) -> bool:
        """Compute capability 9.x."""
        return self.major == 9

    @property
    def sm100(self) -> bool:
        """Compute capability 10.x: the data centre Blackwells."""
        return self.major == 10

    @property
    def sm120(self) -> bool:
        """Compute capability 12.x: the workstation Blackwells."""
        return self.major == 12

    @property
    def blackwell(self) -> bool:
        """Any Blackwell (`utils/common.py:is_blackwell_supported`)."""
        return self.major in {10, 11, 12}

    def switched_on(self, variable: str, *, default: bool = False) -> bool:
        """Tell what a boolean variable of the environment says."""
        value = self.env.get(variable)
        return default if value is None else value.strip().lower() in TRUE_WORDS


Step = Callable[[Given, SglangSettings], SglangSettings]
"""One step of the resolution."""
EarlyStep = Callable[[Flags, SglangSettings], SglangSettings]
"""A step that needs neither model nor GPU."""
