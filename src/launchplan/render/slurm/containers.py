"""How Pyxis is told a process's image and folders.

Enroot writes the registry before a `#` (`nvcr.io#nvidia/vllm:25.01`), and a mount as `source:target:flags`
with commas between mounts.
"""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Launch, Process, Site, Value
from launchplan.engines.container import image_of, mounts_of
from launchplan.engines.launch import join, text

BUNDLE = Site("bundle", "folder of the bundle")
HUB = Site("HF_HOME", "hub cache")


@dataclass(frozen=True, slots=True)
class Container:
    """The container of the engines, or that of the router."""

    name: str
    """The role of the processes that run in it."""
    image: Value
    mounts: Value


def container(name: str, launch: Launch, process: Process) -> Container:
    """Make the container of a process; the image is demanded of the site where nobody names one."""
    image = image_of(launch, process).reference
    program = "".join(part for word in process.command[:1] for part in word if isinstance(part, str))
    variable = "ROUTER_IMAGE" if process.role == "router" else "IMAGE"
    asked = Site(variable, f"container image that holds {program}")
    return Container(
        name, text(enroot_name(image)) if image is not None else (asked,), _mounts(launch, process)
    )


def enroot_name(image: str) -> str:
    """Write an image's name as Enroot reads it; a path of a squashfs file and a written `#` stay."""
    first, slash, rest = image.partition("/")
    is_registry = bool(first) and ("." in first or ":" in first or first == "localhost")
    return f"{first}#{rest}" if slash and is_registry and "#" not in image else image


def _mounts(launch: Launch, process: Process) -> Value:
    folders = join((BUNDLE,), ":", (BUNDLE,), ":ro")
    for mount in mounts_of(launch, process):
        source, target = mount.source, mount.target
        if source is None:  # the hub cache of the user who submits
            source = target = (HUB,)
        folders = join(folders, ",", source, ":", target, ":ro" if mount.read_only else "")
    return folders
