"""Ray is asked for where nothing is known to bring it.

## Why

Since 0.19.1 Ray is not among what vLLM needs, and its published image is made without it; SGLang 0.5.23 does
not name it either. `ray start` is not found then, in every container of the deployment at once.

## Fix

Install it beside the engine, `pip install 'ray[default]'`, and name an image that holds both: `engine.image`
in the recipe or `container.image` in the cluster file. Or leave Ray out: both engines join several nodes
without it.

## References

- vLLM 0.33.0 package metadata (`ray[default]>=2.55.1; extra == "ray"`); SGLang 0.5.23 package metadata
- ai-dynamo/dynamo pull request 8515 (0.19.1), NVIDIA-NeMo/Skills pull request 1480 (image v0.22.1)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import BY_NAME
from launchplan.engines.container import engine_image
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.versions import reaches

WITHOUT_RAY = "0.19.1"


@rule("OPS113", "ray-installed", severity=WARNING, source="package metadata of vLLM 0.33.0 and SGLang 0.5.23")
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for an image that somebody chose where Ray is to start the ranks."""
    deployment = resolved.deployment
    if deployment.engine == "vllm" and not reaches(deployment.version, WITHOUT_RAY):
        return
    for pool in resolved.pools:
        image = engine_image(resolved, pool.role)
        if not BY_NAME[deployment.engine].by_ray(pool) or image.origin in {"cluster", "recipe"}:
            continue
        what = f"{deployment.engine_label} does not bring Ray" + (
            f", nor does {image.reference}" if image.reference else ""
        )
        yield Violation(
            what, pool.path("args"), "install ray[default] beside it; name an image: engine.image"
        )
        return
