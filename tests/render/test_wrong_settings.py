"""What wrong settings were seen to do can't come out of a bundle, and is told where somebody asks for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan.engines import Launch, Process, Value
from launchplan.engines.ports import last_value
from launchplan.pipeline import make_plan
from launchplan.render import render_bundle
from launchplan.render.runbook.failures import failures
from tests.recipes.bundles import SHIPPED, shipped_launch
from tests.render.kit import CASES, case_launch

ROWS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "wrong_settings.yaml").read_text("utf-8")
)
LAUNCHES = {name: case_launch(name) for name in CASES} | {name: shipped_launch(name) for name in SHIPPED}


def engines(launch: Launch) -> list[Process]:
    return [process for process in launch.processes if process.role != "router"]


def instances(launch: Launch) -> list[list[Process]]:
    return [list(group) for _, group in groupby(engines(launch), lambda each: (each.role, each.instance))]


def flag(process: Process, name: str) -> tuple[Value, ...] | None:
    return next((each.values for each in process.flags if each.name == name), None)


def shown(value: Value) -> str:
    return "".join(part if isinstance(part, str) else f"${part.variable}" for part in value)


def env(process: Process, launch: Launch) -> dict[str, Value]:
    return {each.name: each.value for each in (*launch.env, *process.env)}


def is_vllm(launch: Launch) -> bool:
    return launch.layout.resolved.deployment.engine == "vllm"


def interfaces_are_named(launch: Launch) -> None:
    for group in instances(launch):
        if len(group) > 1:
            assert all(any(env(each, launch)["GLOO_SOCKET_IFNAME"]) for each in group)


def followers_are_headless(launch: Launch) -> None:
    for process in engines(launch):
        if is_vllm(launch) and process.node and process.port is None and not process.is_worker:
            assert flag(process, "--headless") == ()


def heads_serve(launch: Launch) -> None:
    for process in engines(launch):
        if process.node == 0:
            assert process.port is not None
            assert flag(process, "--headless") is None


def one_master_each(launch: Launch) -> None:
    for name in ("--master-addr", "--data-parallel-address"):
        for group in instances(launch):
            given = {flag(each, name) for each in group}
            assert given in ({None}, {(group[0].address,)})
            joins = any(
                flag(each, other) for each in group for other in ("--nnodes", "--data-parallel-size-local")
            )
            if is_vllm(launch) and name == "--master-addr" and joins and len(group) > 1:
                assert flag(group[0], name) or flag(group[0], "--data-parallel-address")


def same_sizes(launch: Launch) -> None:
    names = (
        "--nnodes",
        "--data-parallel-size",
        "--data-parallel-size-local",
        "--tensor-parallel-size",
        "--tp-size",
    )
    for group in instances(launch):
        for name in names:
            assert len({flag(each, name) for each in group if not each.is_worker}) == 1


def ranks_start_apart(launch: Launch) -> None:
    for group in instances(launch):
        if (
            is_vllm(launch)
            and len(group) > 1
            and not group[0].ray
            and flag(group[0], "--data-parallel-size-local")
        ):
            local = int(last_value(group[0], "--data-parallel-size-local") or 0)
            starts = [int(last_value(each, "--data-parallel-start-rank") or 0) for each in group]
            assert starts == [index * local for index in range(len(group))]


def side_channels_are_reachable(launch: Launch) -> None:
    for process in engines(launch):
        if is_vllm(launch) and process.role != "serve":
            host = env(process, launch)["VLLM_NIXL_SIDE_CHANNEL_HOST"]
            assert host
            assert host[0] not in ("localhost", "127.0.0.1")


def router_knows_sides(launch: Launch) -> None:
    for process in launch.processes:
        if process.role == "router":
            modes = {"--vllm-pd-disaggregation", "--pd-disaggregation"}
            assert modes & {each.name for each in process.flags}
            assert flag(process, "--host") == ((".".join("0000"),),)
            for side in ("prefill", "decode"):
                given = [each.values[0] for each in process.flags if each.name == f"--{side}"]
                served = [each for each in engines(launch) if each.role == side for _ in each.ports]
                assert len(given) == len(served) > 0
                assert all(shown(each.address) in shown(url) for each, url in zip(served, given, strict=True))


def sides_have_roles(launch: Launch) -> None:
    for process in engines(launch):
        if is_vllm(launch) and process.role != "serve":
            config = json.loads(last_value(process, "--kv-transfer-config") or "")
            assert config["kv_role"] == {"prefill": "kv_producer", "decode": "kv_consumer"}[process.role]


def followers_are_ended(launch: Launch) -> None:
    files = render_bundle(launch, (), ("slurm",), None).files
    script = files["slurm/launch.sbatch"].decode()
    assert 'scancel --signal=TERM "$SLURM_JOB_ID"' in script
    assert script.endswith('while all_run; do\n  rest 2\ndone\nfinish "$code"\n')
    assert b"SIGTERM" in files["RUNBOOK.md"] or len(launch.processes) == 1


def ray_has_one_head(launch: Launch) -> None:
    for group in instances(launch):
        head, *workers = group
        assert all((head.ray is not None) == each.is_worker for each in workers)
        if head.ray is not None:
            assert {flag(each, "--address") for each in workers} == {(head.ray.address,)}
            offered = [int(last_value(each, "--num-gpus") or 0) for each in workers]
            own = next(each.values[0][0] for each in head.ray.flags if each.name == "--num-gpus")
            assert int(str(own)) + sum(offered) == head.ray.gpus
            assert flag(head, "--nnodes") is None or not is_vllm(launch)


CHECKS: dict[str, Callable[[Launch], None]] = {
    check.__name__: check
    for check in (
        interfaces_are_named, followers_are_headless, heads_serve, one_master_each, same_sizes, ranks_start_apart,
        side_channels_are_reachable, router_knows_sides, sides_have_roles, followers_are_ended,
        ray_has_one_head,
    )
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["wrong"])
def test_no_bundle_has_it(row: dict[str, Any]) -> None:
    for name, launch in LAUNCHES.items():
        try:
            CHECKS[row["check"]](launch)
        except AssertionError as error:
            raise AssertionError(name) from error


@pytest.mark.parametrize("row", [row for row in ROWS if "failure" in row], ids=lambda row: row["wrong"])
def test_the_runbook_tells_it(row: dict[str, Any]) -> None:
    seen = [failure.seen for launch in LAUNCHES.values() for failure in failures(launch)]
    assert any(row["failure"].strip("`") in each.replace("`", "") or row["failure"] in each for each in seen)


@pytest.mark.parametrize("row", [row for row in ROWS if "asked" in row], ids=lambda row: row["wrong"])
def test_a_recipe_that_asks_for_it_is_refused(row: dict[str, Any]) -> None:
    recipe = {
        "launchplan": 1,
        "name": "wrong",
        "model": "Qwen/Qwen3-235B-A22B",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200", "nodes": 2, "gpus_per_node": 8, "fabric": "ib"},
    }
    assert row["rule"] in {finding.code for finding in make_plan({**recipe, **row["asked"]}).errors}
