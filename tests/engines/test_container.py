"""The image and the folders of the host that a process's container is given."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan.engines import Launch, Site, build_launch
from launchplan.engines.container import HUB_CACHE_IN_CONTAINER, Image, Mount, image_of, mounts_of
from launchplan.errors import InputError
from launchplan.layout import place
from launchplan.recipe import load_cluster, load_recipe
from launchplan.resolve import resolve

RECIPE: dict[str, Any] = {
    "launchplan": 1,
    "name": "r",
    "model": "Qwen/Qwen3.8-2.4T-A95B",
    "checkpoint": "Qwen/Qwen3.8-2.4T-A95B-FP8",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "b300", "nodes": 2, "gpus_per_node": 8},
    "parallel": {"tp": 16},
}
POOLS: dict[str, Any] = {
    "hardware": {"gpu": "b300", "gpus_per_node": 8},
    "parallel": {},
    "pools": {"prefill": {"parallel": {"tp": 8}}, "decode": {"parallel": {"tp": 8}}},
}


def launch_of(cluster: dict[str, Any] | None = None, **more: Any) -> Launch:
    recipe = {key: value for key, value in {**RECIPE, **more}.items() if value != {}}
    site = load_cluster({"launchplan": 1, "name": "c", **cluster}) if cluster is not None else None
    layout = place(resolve(load_recipe(recipe), site))
    assert layout is not None
    return build_launch(layout)


def test_the_clusters_image_comes_before_the_recipes_and_that_before_the_published_one() -> None:
    own = {"name": "vllm", "version": "0.33.0", "image": "mine/vllm:1"}
    cluster: dict[str, Any] = {"container": {"image": "registry.example/vllm@sha256:" + "0" * 64}}
    assert image_of(launch_of()) == Image("vllm/vllm-openai:v0.33.0", "published")
    assert image_of(launch_of(engine=own)) == Image("mine/vllm:1", "recipe")
    assert image_of(launch_of(cluster, engine=own)) == Image(cluster["container"]["image"], "cluster")
    nightly = launch_of(engine={"name": "vllm", "version": "nightly"})
    assert image_of(nightly) == Image(None, "unknown")


def test_the_routers_image_is_its_own() -> None:
    launch = launch_of(**POOLS)
    router = launch.processes[-1]
    assert image_of(launch, router) == Image("vllm/vllm-router:nightly", "published")
    assert mounts_of(launch, router) == ()
    named = launch_of(**POOLS, router={"image": "mine/router:2"})
    assert image_of(named, named.processes[-1]) == Image("mine/router:2", "recipe")
    site = launch_of({"container": {"image": "e:1", "router_image": "r:1"}}, **POOLS)
    assert [image_of(site, process).reference for process in site.processes] == ["e:1", "e:1", "r:1"]


def test_each_pools_image_is_that_of_its_gpu() -> None:
    pools: dict[str, Any] = {
        "prefill": {"hardware": {"gpu": "mi355x"}, "parallel": {"tp": 8}},
        "decode": {"parallel": {"tp": 8}},
    }
    launch = launch_of(**{**POOLS, "pools": pools})
    assert [image_of(launch, process).reference for process in launch.processes[:2]] == [
        "vllm/vllm-openai-rocm:v0.33.0",
        "vllm/vllm-openai:v0.33.0",
    ]


def test_mounts_without_a_cluster_file() -> None:
    launch = launch_of()
    cache = (Site("LOCAL_CACHE", "folder on a disk of this host"),)
    assert mounts_of(launch, launch.processes[1]) == (
        Mount("hub", None, (HUB_CACHE_IN_CONTAINER,)),
        Mount("cache", cache, cache),
    )
    alone = launch_of(hardware={"gpu": "b300", "nodes": 1, "gpus_per_node": 8}, parallel={"tp": 8})
    assert mounts_of(alone, alone.processes[0]) == (Mount("hub", None, (HUB_CACHE_IN_CONTAINER,)),)


def test_mounts_of_a_site() -> None:
    cluster = {
        "paths": {"model": "/models/q", "hub_cache": "/data/hub", "local_cache": "/nvme/cache"},
        "container": {"mounts": ["/data/hub:/data/hub:ro", "/etc/topo.xml:/etc/nccl/topo.xml"]},
    }
    launch = launch_of(cluster, speculative={"method": "eagle3", "tokens": 3, "model": "/models/draft"})
    assert mounts_of(launch, launch.processes[0]) == (
        Mount("model", ("/models/q",), ("/models/q",), read_only=True),
        Mount("model", ("/models/draft",), ("/models/draft",), read_only=True),
        Mount("extra", ("/data/hub",), ("/data/hub",), read_only=True),
        Mount("cache", ("/nvme/cache",), ("/nvme/cache",)),
        Mount("extra", ("/etc/topo.xml",), ("/etc/nccl/topo.xml",)),
    )


@pytest.mark.parametrize("mount", ["data:/data", "/data", "/a:b", "/a b:/c", "/a:/b,/c:/d", "/a:/b:z"])
def test_a_mount_is_a_folder_of_the_host_and_one_of_the_container(mount: str) -> None:
    with pytest.raises(InputError) as caught:
        launch_of({"container": {"mounts": [mount]}})
    assert [finding.key for finding in caught.value.findings] == ["container.mounts[0]"]


@pytest.mark.parametrize("image", ["a b", "a,b", " vllm/vllm-openai:v1"])
def test_an_image_is_one_word(image: str) -> None:
    with pytest.raises(InputError):
        launch_of({"container": {"image": image}})
