"""Hosts and GPUs as Slurm scripts, manifests and images name them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from launchplan import catalog
from launchplan.lint.found import Surroundings
from launchplan.units import decimal

_DIRECTIVE = re.compile(r"^#SBATCH\s+(.+?)\s*$", re.MULTILINE)
_OPTION = re.compile(r"(?:--(?P<long>[a-z-]+)(?:=|\s+)|-(?P<short>[NG])\s*)(?P<value>\S+)")
_GPU_COUNT = re.compile(r"(?:(?:gpu|gres/gpu):)?(?:(?P<type>[A-Za-z][\w.-]*):)?(?P<count>\d+)")
_MAKERS = re.compile(r"^(?:nvidia|amd|tesla|instinct)[-_ ]+", re.IGNORECASE)
_FORMS = re.compile(r"[-_ ](?:hbm\d?e?|sxm\d?|oam|pcie|\d+gb)\b", re.IGNORECASE)


def slurm_hosts(text: str) -> Surroundings:
    """Read nodes and GPUs a node from the `#SBATCH` lines of a script."""
    return slurm_options(found[1].split("#")[0] for found in _DIRECTIVE.finditer(text))


def slurm_options(texts: Iterable[str]) -> Surroundings:
    """Read nodes and GPUs a node from options of sbatch or srun."""
    nodes: int | None = None
    per_node: int | None = None
    gpu: str | None = None
    for text in texts:
        for option in _OPTION.finditer(text):
            name, value = option["long"] or option["short"], option["value"]
            if name in {"nodes", "N"}:
                nodes = decimal(value) or nodes
            elif name in {"gpus-per-node", "gres"}:
                kind, count = _gpu_count(value)
                gpu, per_node = kind or gpu, count or per_node
    return Surroundings(gpu=gpu, nodes=nodes, gpus_per_node=per_node)


def _gpu_count(value: str) -> tuple[str | None, int | None]:
    found = _GPU_COUNT.fullmatch(value.partition(",")[0])
    if found is None:
        return None, None
    return (gpu_named(found["type"]) if found["type"] else None), decimal(found["count"])


def gpu_named(name: str) -> str | None:
    """Give the GPU that a scheduler or a node label names; None where none is surely meant."""
    plain = _MAKERS.sub("", name.strip())
    for candidate in (plain, _FORMS.sub("", plain)):
        known = catalog.gpu(candidate)
        if known is not None:
            return known.id
    return None
