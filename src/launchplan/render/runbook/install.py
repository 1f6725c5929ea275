"""How the pinned build of the engine comes to a host: wheels, and the image."""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.engines import Launch
from launchplan.engines.container import engine_image
from launchplan.engines.launch import text
from launchplan.render.quoting import shell_word
from launchplan.render.runbook.blocks import Block, Step
from launchplan.resolve import Resolved


def engine_steps(launch: Launch) -> Iterator[Step]:
    """Give the ways to the engine; wheels are no way to what an image of one's own holds."""
    resolved = launch.layout.resolved
    wheels = tuple(_wheels(resolved))
    yield from wheels
    lead = "Or its image" if wheels else "The image of the engine"
    for image in _images(resolved):
        yield Step(
            f"{lead}, on every host:",
            Block("download of the image", f"docker pull {shell_word(text(image))}"),
        )


def install_gaps(launch: Launch) -> Iterator[str]:
    """Say where there are no wheels, and where nothing is known."""
    resolved = launch.layout.resolved
    deployment = resolved.deployment
    if _own_image(resolved):
        return
    if not catalog.version_key(deployment.version):
        yield f"How a host gets {deployment.engine_label} is not known here: the plan pins no release."
        return
    for vendor in _vendors(resolved):
        known = catalog.engine_install(deployment.engine, deployment.version, vendor)
        if known is None:
            yield f"How {deployment.engine_label} is installed for GPUs of {vendor} is not known here."
        elif not known.commands:
            yield from _sentences(known.notes)


def _wheels(resolved: Resolved) -> Iterator[Step]:
    if _own_image(resolved):
        return
    for vendor in _vendors(resolved):
        known = catalog.engine_install(resolved.deployment.engine, resolved.deployment.version, vendor)
        if known is not None and known.commands:
            lead = "The engine, on every host, in an environment that the commands then run in"
            yield Step(
                " ".join((f"{lead}.", *_sentences(known.asks))) if known.asks else f"{lead}:",
                Block("installation of the engine", "\n".join(known.commands)),
                notes=tuple(_sentences(known.notes)),
            )


def _sentences(notes: tuple[str, ...]) -> Iterator[str]:
    yield from (f"{note[:1].upper()}{note[1:]}." for note in notes)


def _images(resolved: Resolved) -> Iterator[str]:
    found = (engine_image(resolved, pool.role).reference for pool in resolved.pools)
    yield from dict.fromkeys(each for each in found if each is not None)


def _own_image(resolved: Resolved) -> bool:
    return any(engine_image(resolved, pool.role).origin in {"cluster", "recipe"} for pool in resolved.pools)


def _vendors(resolved: Resolved) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pool.gpu.vendor for pool in resolved.pools if pool.gpu is not None))
