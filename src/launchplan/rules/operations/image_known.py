"""No container image is known that holds this engine version.

## Why

The cluster file speaks of containers, and neither it nor the recipe names an image. launchplan knows how the
projects call the images of their releases; for a nightly build, an older release or a GPU without published
image it knows none. Scripts for Docker and Compose then demand `IMAGE`, and Kubernetes manifests hold a guess
that no registry has.

## Fix

Name the image in the cluster file, `container: {image: registry.example/vllm:mine}`, or in the recipe's
`engine.image`.

## References

- vLLM documentation, "Using Docker"; tags of vllm/vllm-openai, vllm/vllm-openai-rocm and lmsysorg/sglang
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.container import engine_image, router_image
from launchplan.finding import KeyPath
from launchplan.recipe.cluster import Cluster, Container, Kubernetes
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule


@rule("OPS111", "image-known", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for an image of every pool, and of the router."""
    deployment = resolved.deployment
    path = _place(deployment.cluster.value) if deployment.cluster is not None else ()
    if not path:
        return
    for pool in resolved.pools:
        if engine_image(resolved, pool.role).reference is None:
            what = f"no published image of {deployment.engine_label} for {pool.gpu_name} is known"
            yield Violation(what, path, "name one: container.image")
            return
    if deployment.recipe.value.pools is not None and router_image(deployment).reference is None:
        yield Violation("no published image of the router is known", path, "name one: container.router_image")


def _place(cluster: Cluster) -> KeyPath:
    """Give the section that is about containers; none where nothing in the file is."""
    if cluster.container != Container():
        return ("cluster", "container")
    if cluster.kubernetes != Kubernetes():
        return ("cluster", "kubernetes")
    return ("cluster", "slurm", "container") if cluster.slurm.container == "pyxis" else ()
