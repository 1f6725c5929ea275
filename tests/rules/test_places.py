"""Where findings point: into pools, into the cluster file, and once for what two pools share."""

from __future__ import annotations

from launchplan.finding import Finding
from launchplan.pipeline import make_plan

RECIPE = """\
launchplan: 1
name: two-pools
model: deepseek-ai/DeepSeek-R1
engine: {name: sglang, version: "0.5.23"}
hardware: {gpu: h200, nodes: 1, gpus_per_node: 8, fabric: infiniband}
args: {no-such-flag: 1}
pools:
  prefill:
    parallel: {tp: 8}
    env: {SGLANG_NO_SUCH: "1"}
  decode:
    parallel: {tp: 6}
    args: {page-size: large}
"""
CLUSTER = """\
launchplan: 1
name: site
nodes:
  - {name: a, address: 10.0.0.1, env: {HF_TOKEN: hf_abcdefgh}}
env:
  SGLANG_OTHER: "1"
"""


def found(*codes: str) -> list[tuple[str, str, str]]:
    findings = make_plan(RECIPE, CLUSTER).findings
    return sorted((each.code, each.key, place(each)) for each in findings if each.code in codes)


def place(finding: Finding) -> str:
    assert finding.location is not None
    return f"{finding.location.line}:{finding.location.column}"


def test_pools_have_their_own_places() -> None:
    assert found("PAR101", "ENG103") == [
        ("ENG103", "pools.decode.args.page-size", "13:23"),
        ("PAR101", "pools.decode.parallel.tp", "12:20"),
    ]


def test_what_pools_share_is_said_once() -> None:
    assert found("ENG101") == [("ENG101", "args.no-such-flag", "6:22")]


def test_cluster_file_has_places_too() -> None:
    assert found("ENG107", "NET103", "OPS101") == [
        ("ENG107", "cluster.env.SGLANG_OTHER", "6:17"),
        ("ENG107", "pools.prefill.env.SGLANG_NO_SUCH", "10:27"),
        ("NET103", "cluster.nodes", "4:3"),
        ("OPS101", "cluster.nodes[0].env.HF_TOKEN", "4:50"),
    ]


def test_a_secret_is_never_shown() -> None:
    for finding in make_plan(RECIPE, CLUSTER).findings:
        assert "hf_abcdefgh" not in f"{finding.message}{finding.fix}"
