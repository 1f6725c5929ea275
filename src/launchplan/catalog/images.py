"""Container images that the engines and routers publish."""

from __future__ import annotations

from functools import cache
from typing import Literal

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.gpus import Gpu
from launchplan.catalog.load import DATA, read_fact
from launchplan.catalog.version import is_published, version_key


class Image(Fact):
    """How a program's image is called: `{version}` stands for the release; `until` is the last one."""

    program: Literal["vllm", "sglang", "vllm-router", "sglang-router"]
    vendor: Literal["nvidia", "amd"] | None = None
    """Whose GPUs the image is for; None: it needs none."""
    gfx: str | None = None
    """The one GPU architecture that it is for."""
    reference: str
    since: str | None = None
    until: str | None = None
    platforms: tuple[Literal["x86_64", "aarch64"], ...]
    """CPU architectures that the image has."""

    def holds(self, version: str) -> bool:
        """Tell whether the name is that of a release; a build or a version without numbers is none."""
        asked = version_key(version)
        return (
            is_published(version)
            and (self.since is None or version_key(self.since) <= asked)
            and (self.until is None or asked <= version_key(self.until))
        )


class Images(Sourced):
    """Every published image."""

    images: tuple[Image, ...]
    notes: tuple[str, ...] = ()


@cache
def images() -> Images:
    """Return the published images."""
    return read_fact(Images, DATA / "images.yaml")


def engine_image(engine: str, version: str, gpu: Gpu | None) -> str | None:
    """Name the image that holds an engine's release for a GPU; None when none is known."""
    if gpu is None:
        return None
    for image in images().images:
        fits = image.program == engine and image.vendor == gpu.vendor and image.gfx in {None, gpu.gfx}
        if fits and gpu.cpu_arch in image.platforms and image.holds(version):
            return image.reference.format(version=version.removeprefix("v"))
    return None


def router_image(router: str) -> str | None:
    """Name the image of a router; None when none is known."""
    return next((each.reference for each in images().images if each.program == router), None)
