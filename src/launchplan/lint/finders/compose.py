"""Commands in compose files: `command` and `entrypoint` of each service, as a list or as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from yaml.nodes import Node, ScalarNode

from launchplan.lint.finders.containers import LARGE_BYTES, size_bytes
from launchplan.lint.finders.exec_form import exec_launch
from launchplan.lint.finders.search import Search
from launchplan.lint.finders.yaml_nodes import Yaml, get, items, scalar_text, sequence
from launchplan.lint.finders.yaml_words import environment_of, substituted, token_of, whole_number, words_of
from launchplan.lint.found import BY_TEMPLATE, Container
from launchplan.lint.shell import Script, Token
from launchplan.lint.text import Text

_NAMED = re.compile(
    r"\$(?:(?P<dollar>\$)|\{(?P<name>[A-Za-z_]\w*)(?::?-(?P<default>[^}]*))?(?::?[?+][^}]*)?\})"
)


def find_in_services(yaml: Yaml, document: Node, search: Search) -> None:
    """Search every service."""
    for key, service in items(get(document, "services")):
        command, entrypoint = get(service, "command"), get(service, "entrypoint")
        image = get(service, "image")
        if command is None and entrypoint is None:
            continue
        env = {
            name: _filled(token) for name, token in environment_of(yaml, get(service, "environment")).items()
        }
        words = _words(yaml, command)
        entry = _words(yaml, entrypoint)
        name = _filled(token_of(yaml, image)) if isinstance(image, ScalarNode) else None
        container = Container(
            "compose",
            token_of(yaml, key),
            _shared(service),
            scalar_text(get(service, "network_mode")) == "host",
        )
        around = replace(
            search.around, container=container, gpus_per_node=_gpus(service) or search.around.gpus_per_node
        )
        launches = list(exec_launch(name, entry, words or (), env, around, search))
        templated = any(yaml.has_template(node) for node in (command, entrypoint) if node is not None)
        search.launches += (replace(each, partial=BY_TEMPLATE if templated else None) for each in launches)


def _words(yaml: Yaml, node: Node | None) -> list[Token] | None:
    """Give the words of a list, or of a text that compose splits as a shell does, without running one."""
    if isinstance(node, ScalarNode) and str(node.value):
        text = yaml.scalar(node)
        script = Script(Text(text.text.replace("$$", "\\$"), text.places), blank_newlines=True)
        return [token for statement in script.statements() for token in statement.tokens]
    listed = words_of(yaml, node)
    return [_filled(token) for token in listed] if listed is not None else None


def _filled(token: Token, env: Mapping[str, Token] | None = None) -> Token:
    """Fill in defaults; what the shell around compose sets is not known."""
    return substituted(token, _NAMED, env or {}, unset=True)


def _shared(service: Node) -> bool | None:
    ipc, size = scalar_text(get(service, "ipc")), scalar_text(get(service, "shm_size"))
    if ipc in {"host", "shareable"} or (ipc or "").startswith(("service:", "container:")):
        return True
    if size is not None:
        given = size_bytes(size)
        return None if given == 0 else given > LARGE_BYTES
    mounts = [*sequence(get(service, "volumes")), *sequence(get(service, "tmpfs"))]
    texts = [scalar_text(mount) or scalar_text(get(mount, "target")) or "" for mount in mounts]
    return any("/dev/shm" in text for text in texts)  # noqa: S108 # a path to look for


def _gpus(service: Node) -> int | None:
    for device in sequence(get(service, "deploy", "resources", "reservations", "devices")):
        count = whole_number(get(device, "count")) or len(sequence(get(device, "device_ids"))) or None
        if count is not None:
            return count
    return None
