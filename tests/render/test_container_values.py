"""Whatever text a recipe holds arrives in a container as it is: through Docker, Compose and the kubelet."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from launchplan.engines import Site, Value
from launchplan.render import render_bundle
from launchplan.render.compose.text import in_environment_file, in_yaml
from launchplan.render.filters import yaml_scalar
from launchplan.render.kubernetes.site import pod_text
from tests.render.kit import Host, fill, make_launch
from tests.render.kubelet import expand, manifests, pods_of
from tests.render.test_docker import DockerRun
from tests.render.test_values import SITED, TEXT, TROUBLE, recipe


def interpolated(text: str, site: dict[str, str]) -> str:
    """Interpolate as Compose does: `$$` is a dollar, `${NAME:?hint}` what the site says."""
    out, rest = "", text
    while "$" in rest:
        before, _, rest = rest.partition("$")
        out += before
        if rest.startswith("$"):
            out, rest = out + "$", rest[1:]
        else:
            assert rest.startswith("{"), text
            name, _, rest = rest[1:].partition("}")
            out += site[name.partition(":?")[0]]
    return out + rest


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXT, min_size=10, max_size=30), st.lists(TEXT, max_size=20), TEXT, TEXT)
@example(TROUBLE, TROUBLE, "".join(TROUBLE), "".join(TROUBLE))
@example(["$(POD_IP)", "$$(A)", "$", "x$"], ["$(X_0)", "$$"], "$(A)", "a: b # c")
def test_any_text_arrives(arguments: list[str], variables: list[str], model: str, summary: str) -> None:
    launch = make_launch(recipe(arguments, variables, model, summary))
    bundle = render_bundle(launch, (), ("docker", "compose", "kubernetes"), None)
    (process,) = launch.processes
    argv = [fill(word, {}) for word in process.argv]
    env = {each.name: fill(each.value, {}) for each in launch.env}

    (pod,) = pods_of(manifests(bundle))
    seen = pod.env("10.0.0.1", "t")
    assert pod.argv(seen) == argv
    assert seen == {"POD_IP": "10.0.0.1", "HF_TOKEN": "t", **env}

    (service,) = yaml.safe_load(bundle.files["compose/node-0/docker-compose.yaml"])["services"].values()
    words = [*service["entrypoint"], *service["command"]]
    assert [interpolated(word, {}) for word in words] == argv

    with TemporaryDirectory() as folder:
        host = Host(Path(folder))
        host.put(bundle)
        host.record("docker", "mkdir")
        done = host.script("docker/node-0.sh", env={"HOME": "/h"})
        assert (done.code, done.stderr) == (0, "")
        (record,) = (each for each in done.records if each["argv"][0].endswith("/docker"))
        run = DockerRun(["docker", *(word.encode("latin-1").decode() for word in record["argv"][1:])])
        assert (run.command, run.env) == (argv, env)


@settings(max_examples=200, deadline=None)
@given(TEXT)
@example("\ufeff")
@example("\x85\u2028\ue000\U0001f600")
@example("---")
@example("--- a")
@example("null")
@example("a: b")
@example("- a")
def test_any_text_is_a_scalar_of_yaml(text: str) -> None:
    written = yaml_scalar(text)
    data: Any = yaml.safe_load(f"a:\n  - {written}\nb: {written}\nc: [{written}]\n")
    assert data == {"a": [text], "b": text, "c": [text]}


@settings(max_examples=200, deadline=None)
@given(SITED, TEXT.filter(bool))
def test_site_values_stand_inside_any_text(value: Value, place: str) -> None:
    site = {"PLACE": place}
    assert interpolated(in_yaml(value), site) == fill(value, site)
    written = pod_text(value, {"PLACE": "$(PLACE)"})
    assert written is not None
    assert expand(written, site) == fill(value, site)
    assert pod_text((*value, Site("GONE", "gone")), {"PLACE": "x"}) is None
    assert "\n" not in in_environment_file(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (("INFO",), "INFO"),
        (("a b",), '"a b"'),
        (("",), '""'),
        (('$HOME \\ "q"\n\'',), '"\\$HOME \\\\ \\"q\\"\\n\'"'),
        ((Site("HEAD_ADDR", "address"), ":1"), '"${HEAD_ADDR:?address}:1"'),
        ((Site("LOCAL_CACHE", "folder"), "/t"), '"${LOCAL_CACHE:-/tmp/launchplan}/t"'),
    ],
)
def test_lines_of_an_environment_file(value: Value, written: str) -> None:
    assert in_environment_file(value) == written
