"""Templates print and don't decide: shown on their syntax trees, with the types of what they print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import jinja2
import pytest
from jinja2 import nodes

from launchplan.engines import Value
from launchplan.render.block import Block
from launchplan.render.compose.context import ComposeFile, ComposePlan, Service
from launchplan.render.docker.context import DockerPlan, DockerScript
from launchplan.render.drawing import Drawing
from launchplan.render.environment import Printer
from launchplan.render.filters import FILTERS
from launchplan.render.kubernetes.context import KubernetesPlan, Workload
from launchplan.render.kubernetes.kserve import KServePlan
from launchplan.render.kubernetes.pod import Pod
from launchplan.render.runbook.context import Runbook
from launchplan.render.shell.context import EnvironmentFile, ShellPlan
from launchplan.render.shell.scripts import Script
from launchplan.render.site.context import Index
from launchplan.render.slurm.context import SlurmPlan
from launchplan.render.systemd.context import SystemdPlan, Unit
from launchplan.resources import templates_dir

Scope = dict[str, Any]
WORKLOAD: Scope = {"plan": KubernetesPlan, "workload": Workload, "leader": Block, "worker": Block}
CONTEXTS: dict[str, Scope] = {
    "compose/docker-compose.yaml.j2": {"plan": ComposePlan, "file": ComposeFile},
    "compose/service.env.j2": {"plan": ComposePlan, "service": Service},
    "docker/run.sh.j2": {"plan": DockerPlan, "script": DockerScript},
    "docker/stop.sh.j2": {"plan": DockerPlan},
    "kubernetes/_head.yaml.j2": {"plan": KubernetesPlan, "workload": Workload},
    "kubernetes/_labels.yaml.j2": {"plan": KubernetesPlan, "workload": Workload},
    "kubernetes/_pod.yaml.j2": {"pod": Pod},
    "kubernetes/compute-domain.yaml.j2": {"plan": KubernetesPlan},
    "kubernetes/deployment.yaml.j2": WORKLOAD,
    "kubernetes/gateway.yaml.j2": {"plan": KubernetesPlan},
    "kubernetes/kustomization.yaml.j2": {"plan": KubernetesPlan},
    "kubernetes/leaderworkerset.yaml.j2": WORKLOAD,
    "kubernetes/llm-inference-service.yaml.j2": {
        "plan": KubernetesPlan,
        "service": KServePlan,
        "leader": Block,
        "worker": Block,
        "prefill_leader": Block,
        "prefill_worker": Block,
    },
    "kubernetes/service.yaml.j2": {"plan": KubernetesPlan},
    "kubernetes/statefulset.yaml.j2": WORKLOAD,
    "runbook/RUNBOOK.md.j2": {"book": Runbook},
    "runbook/_script.js.j2": {},
    "runbook/_style.css.j2": {},
    "runbook/runbook.html.j2": {"book": Runbook},
    "site/_script.js.j2": {},
    "site/_style.css.j2": {},
    "site/index.html.j2": {"index": Index},
    "shell/_http.sh.j2": {"plan": ShellPlan},
    "shell/_url.sh.j2": {"plan": ShellPlan},
    "shell/bench.sh.j2": {"plan": ShellPlan},
    "shell/preflight.sh.j2": {"plan": ShellPlan},
    "shell/process.env.j2": {"environment": EnvironmentFile},
    "shell/process.sh.j2": {"plan": ShellPlan, "script": Script},
    "shell/smoke.sh.j2": {"plan": ShellPlan},
    "shell/wait-ready.sh.j2": {"plan": ShellPlan},
    "shell/with-ray.sh.j2": {"plan": ShellPlan},
    "slurm/launch.sbatch.j2": {"plan": SlurmPlan},
    "systemd/healthy.sh.j2": {"plan": SystemdPlan},
    "systemd/site.env.j2": {"plan": SystemdPlan},
    "systemd/unit.env.j2": {"plan": SystemdPlan, "unit": Unit},
    "systemd/unit.service.j2": {"plan": SystemdPlan, "unit": Unit},
}
WORDS = tuple[Value, ...]
TAKES: dict[str, tuple[Any, ...]] = {
    "sh": (Value, str),
    "sh_or_fail": (Value, str),
    "sh_or_empty": (Value, str),
    "sh_or_local": (Value, str),
    "words": (WORDS,),
    "words_or_fail": (WORDS,),
    "words_or_empty": (WORDS,),
    "variable": (str,),
    "name": (str,),
    "json": (str, Mapping),
    "sbatch": (str,),
    "unit": (str,),
    "unit_exec": (WORDS,),
    "unit_text": (str,),
    "unit_env": (str,),
    "comment": (str,),
    "md": (str,),
    "prose": (str,),
    "code": (str,),
    "fence": (int,),
    "yaml": (str,),
    "number": (int,),
    "literal": (str,),
    "block": (Block,),
    "verbatim": (str,),
    "html": (str,),
    "parted_html": (str,),
    "prose_html": (str,),
    "svg": (Drawing,),
}


class NotAllowedError(AssertionError):
    """A template does more than print."""


def jinja() -> jinja2.Environment:
    return Printer()._jinja


def check_body(body: list[nodes.Node], scope: Scope) -> None:
    for node in body:
        match node:
            case nodes.Output():
                for printed in node.nodes:
                    if not isinstance(printed, nodes.TemplateData):
                        check_printed(printed, scope)
            case nodes.For(recursive=False, test=None, else_=[], target=nodes.Name(name=name)):
                items = get_args(type_of(node.iter, scope))
                demand(len(items) == 2 and items[1] is ..., node, "loops over what is no tuple")
                check_body(node.body, scope | {name: items[0]})
            case nodes.If(elif_=[]):
                demand(type_of(node.test, scope) is bool, node, "asks for what is not true or false")
                check_body(node.body, scope)
                check_body(node.else_, scope)
            case nodes.Include(template=nodes.Const(value=name), ignore_missing=False):
                demand(CONTEXTS.get(name, {}).items() <= scope.items(), node, f"includes {name}")
            case _:
                demand(False, node, f"is a {type(node).__name__}")


def check_printed(node: nodes.Node, scope: Scope) -> None:
    demand(isinstance(node, nodes.Filter), node, "is printed without a filter")
    assert isinstance(node, nodes.Filter)
    assert node.node is not None
    bare = not node.args and not node.kwargs and node.dyn_args is None and node.dyn_kwargs is None
    demand(node.name in FILTERS and bare, node, f"passes {node.name}")
    if isinstance(node.node, nodes.Filter):
        check_printed(node.node, scope)
        kind: Any = str
    else:
        kind = type_of(node.node, scope)
    taken = [get_origin(kind), kind] if get_origin(kind) not in {None, tuple} else [kind]
    demand(any(each in TAKES[node.name] or (_is_mapping(each) and node.name == "json") for each in taken), node,
           f"gives {kind} to {node.name}")  # fmt: skip


def _is_mapping(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Mapping)


def type_of(node: nodes.Node, scope: Scope) -> Any:
    """Give the type of a name or of an attribute of one; nothing else is an expression."""
    match node:
        case nodes.Name(name=name):
            demand(name in scope, node, f"is the undeclared {name}")
            return scope[name]
        case nodes.Getattr():
            owner = type_of(node.node, scope)
            demand(is_dataclass(owner), node, f"looks for {node.attr} in {owner}")
            declared = {each.name for each in fields(owner)}
            if node.attr in declared:
                return get_type_hints(owner)[node.attr]
            found = getattr(owner, node.attr, None)
            demand(isinstance(found, property), node, f"is no field: {node.attr}")
            assert isinstance(found, property)
            return get_type_hints(found.fget)["return"]
    demand(False, node, f"calculates by {type(node).__name__}")
    return None


def demand(holds: bool, node: nodes.Node, what: str) -> None:
    if not holds:
        raise NotAllowedError(f"line {node.lineno} {what}")


def shipped() -> list[str]:
    return sorted(str(path.relative_to(templates_dir())) for path in templates_dir().rglob("*.j2"))


def test_every_template_has_a_context() -> None:
    assert shipped() == sorted(CONTEXTS)


def test_every_filter_says_what_it_takes() -> None:
    assert set(TAKES) == set(FILTERS)


@pytest.mark.parametrize("template", CONTEXTS)
def test_a_template_only_prints(template: str) -> None:
    source = (templates_dir() / template).read_text()
    check_body(jinja().parse(source).body, CONTEXTS[template])


@pytest.mark.parametrize("template", CONTEXTS)
def test_contexts_are_frozen(template: str) -> None:
    assert all(kind.__dataclass_params__.frozen for kind in CONTEXTS[template].values())


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("{{ plan.name }}", "line 1 is printed without a filter"),
        ("{{ 'x' }}", "line 1 is printed without a filter"),
        ("\n{{ plan.name | upper }}", "line 2 passes upper"),
        ("{{ plan.name | md(1) }}", "line 1 passes md"),
        ("{{ (plan.name ~ 'x') | md }}", "line 1 calculates by Concat"),
        ("{{ (book.ticks + 1) | fence }}", "line 1 calculates by Add"),
        ("{{ plan.scripts[0] | md }}", "line 1 calculates by Getitem"),
        ("{{ plan.name.upper() | md }}", "line 1 calculates by Call"),
        ("{{ nothing | md }}", "line 1 is the undeclared nothing"),
        ("{{ plan.nothing | md }}", "line 1 is no field: nothing"),
        ("{{ plan.name.nothing | md }}", "line 1 looks for nothing in <class 'str'>"),
        ("{{ plan.name | fence }}", "line 1 gives <class 'str'> to fence"),
        ("{{ book.ticks | sh }}", "line 1 gives <class 'int'> to sh"),
        ("{% set x = 1 %}", "line 1 is a Assign"),
        ("{% if plan.name %}{% endif %}", "line 1 asks for what is not true or false"),
        ("{% if plan.endpoint.tools and plan.endpoint.tools %}{% endif %}", "line 1 calculates by And"),
        ("{% if plan.endpoint.tools %}{{ x | md }}{% endif %}", "line 1 is the undeclared x"),
        ("{% for each in plan.name %}{% endfor %}", "line 1 loops over what is no tuple"),
        ("{% for each in plan.scripts if each.has_codes %}{% endfor %}", "line 1 is a For"),
        ("{% macro m() %}{% endmacro %}", "line 1 is a Macro"),
        ("{% include plan.name %}", "line 1 is a Include"),
    ],
)  # fmt: skip
def test_the_check_finds(source: str, complaint: str) -> None:
    environment = jinja()
    environment.filters["upper"] = str.upper
    with pytest.raises(NotAllowedError) as caught:
        check_body(environment.parse(source).body, {"plan": ShellPlan, "book": Runbook})
    assert str(caught.value) == complaint
