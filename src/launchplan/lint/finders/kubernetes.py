"""Commands in Kubernetes objects: containers of pods, wherever in an object they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from yaml.nodes import MappingNode, Node, ScalarNode

from launchplan.lint.finders.exec_form import exec_launch
from launchplan.lint.finders.hosts import gpu_named
from launchplan.lint.finders.search import Search
from launchplan.lint.finders.yaml_nodes import Yaml, get, items, mappings, scalar_text, sequence
from launchplan.lint.finders.yaml_words import environment_of, substituted, token_of, whole_number, words_of
from launchplan.lint.found import BY_TEMPLATE, Container, Launch, Surroundings
from launchplan.lint.shell import Script, Token

_REFERENCE = re.compile(r"\$(?:(?P<dollar>\$(?=\())|\((?P<name>[A-Za-z_][\w.-]*)\))")
_FILLED_IN = re.compile(r"\$\{(?P<name>[A-Za-z_]\w*)\}")
_GPU_RESOURCES = ("nvidia.com/gpu", "amd.com/gpu")
_RDMA = re.compile(r"rdma|/efa$")
"""Resources of RDMA devices: `rdma/ib`, `openshift.io/mlx5_rdma`, `vpc.amazonaws.com/efa`."""
_GPU_LABELS = (
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "gpu.nvidia.com/class",
    "gpu.nvidia.com/model",
)


def find_in_object(yaml: Yaml, document: Node, search: Search) -> None:
    """Search an object for containers, and note the Services that it makes."""
    if scalar_text(get(document, "kind")) == "Service":
        _service(yaml, document, search)
        return
    for mapping, around in mappings(document):
        if get(mapping, "args") is not None or get(mapping, "command") is not None:
            search.launches += _container(yaml, mapping, around, search)


def _service(yaml: Yaml, document: Node, search: Search) -> None:
    name = get(document, "metadata", "name")
    if isinstance(name, ScalarNode):
        search.services.append((str(name.value), yaml.place(name)))


def _container(
    yaml: Yaml, container: MappingNode, outer: Sequence[MappingNode], search: Search
) -> list[Launch]:
    command, arguments = get(container, "command"), get(container, "args")
    if _is_probe(container, outer) or get(container, "modelFormat") is not None:
        return []
    env = environment_of(yaml, get(container, "env"))
    entry, words = _words(yaml, command, env), _words(yaml, arguments, env)
    image = get(container, "image")
    name = token_of(yaml, image) if isinstance(image, ScalarNode) else None
    pod = outer[-1] if outer else container
    around = _around(yaml, container, pod, outer, name, search)
    launches = exec_launch(name, entry or None, words or (), env, around, search)
    templated = any(yaml.has_template(node) for node in (command, arguments) if node is not None)
    return [replace(each, partial=BY_TEMPLATE if templated else each.partial) for each in launches]


def _is_probe(container: MappingNode, outer: Sequence[MappingNode]) -> bool:
    """Tell whether a command is that of a probe or hook, which starts no server."""
    return any(
        key.value == "exec" and value is container for around in outer[-1:] for key, value in items(around)
    )


def _words(yaml: Yaml, node: Node | None, env: dict[str, Token]) -> list[Token] | None:
    """Give the items of a list; a text, which the API refuses, is read as its words."""
    listed = words_of(yaml, node)
    if listed is None and isinstance(node, ScalarNode) and str(node.value):
        script = Script(yaml.scalar(node), blank_newlines=True)
        listed = [token for statement in script.statements() for token in statement.tokens]
    if listed is None:
        return None
    return [_templated(substituted(token, _REFERENCE, env, unset=True), env) for token in listed]


def _templated(token: Token, env: Mapping[str, Token]) -> Token:
    """Hold `${NAME}` for unknown: no kubelet reads it, so something else fills it in before.

    A name of the pod's own environment was meant for the kubelet, and stays as it is written.
    """
    names = {found["name"] for found in _FILLED_IN.finditer(token.text)}
    if not names or names & env.keys() or any(sign.isspace() for sign in token.text):
        return token
    return substituted(token, _FILLED_IN, {}, unset=True)


def _around(
    yaml: Yaml,
    container: MappingNode,
    pod: MappingNode,
    outer: Sequence[MappingNode],
    image: Token | None,
    search: Search,
) -> Surroundings:
    key = get(container, "name")
    place = token_of(yaml, key) if isinstance(key, ScalarNode) else image
    said = Container(
        "kubernetes",
        place or Token("", yaml.place(container), yaml.place(container) + 1),
        _shared(yaml, container, pod),
        scalar_text(get(pod, "hostNetwork")) == "true",
        scalar_text(get(pod, "enableServiceLinks")) != "false",
        any(_RDMA.search(key.value) for key, _ in items(get(container, "resources", "limits"))),
    )
    labels = [*items(get(pod, "nodeSelector"))]
    gpu = next((gpu_named(str(value.value)) for label, value in labels if label.value in _GPU_LABELS), None)
    size = next((n for each in outer if (n := whole_number(get(each, "leaderWorkerTemplate", "size")))), None)
    return Surroundings(
        gpu=gpu, nodes=size, gpus_per_node=_gpus(container), container=said, group=search.around.group
    ).over(search.around)


def _shared(yaml: Yaml, container: MappingNode, pod: MappingNode) -> bool | None:
    """Tell whether something larger is mounted at /dev/shm; None where a template decides."""
    if scalar_text(get(pod, "hostIPC")) == "true":
        return True
    mounts = {
        scalar_text(get(mount, "mountPath")): mount for mount in sequence(get(container, "volumeMounts"))
    }
    if "/dev/shm" in mounts:  # noqa: S108 # a path to look for
        return True
    return None if yaml.has_template(pod) or get(pod, "containers") is None else False


def _gpus(container: MappingNode) -> int | None:
    for kind in ("limits", "requests"):
        for resource in _GPU_RESOURCES:
            count = whole_number(get(container, "resources", kind, resource))
            if count is not None:
                return count
    return None
