"""The environment of a process in a container, and the command that it takes.

A container does not inherit the host's environment. A search path that the fabric wants a folder put before
is the image's own, which only a shell inside the container can read.
"""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Inherited, Launch, Process, Site, Value, Variable
from launchplan.engines.launch import text
from launchplan.render.quoting import shell_word, variable_name
from launchplan.render.ray import in_container

TOKEN = "HF_TOKEN"  # noqa: S105 # its name
"""The variable that the hub's token comes in; its value is the site's and is never written."""


@dataclass(frozen=True, slots=True)
class ContainerEnvironment:
    """What a container is given: variables in their order, and the words that it runs."""

    variables: tuple[Variable, ...]
    """Each name once; the value that holds."""
    argv: tuple[Value, ...]
    """The planned words, behind a shell's where the image's own search paths are extended or Ray starts."""
    planned: tuple[Value, ...]
    """The planned words."""

    @property
    def sites(self) -> tuple[Site, ...]:
        """What only the site knows, each variable once, by name."""
        values = (*self.argv, *(each.value for each in self.variables))
        found = {part.variable: part for value in values for part in value if isinstance(part, Site)}
        return tuple(found[name] for name in sorted(found))


def environment_of(launch: Launch, process: Process) -> ContainerEnvironment:
    """Bring together what a launch and a process set; the process wins, as the last one does in a shell."""
    named = {each.name: each for each in (*launch.env, *process.env)}
    extended = [each for each in named.values() if any(isinstance(part, Inherited) for part in each.value)]
    variables = tuple(each for each in named.values() if each not in extended and _passed(each))
    ray = in_container(process.ray) if process.ray else ()
    argv = (*(_extend(extended) if extended else ()), *ray, *process.argv)
    return ContainerEnvironment(variables, argv, process.argv)


def _passed(variable: Variable) -> bool:
    """Check that the name is one that can be handed on; raise `UnprintableError` for another."""
    return bool(variable_name(variable.name))


def _extend(variables: list[Variable]) -> tuple[Value, ...]:
    """Give the shell that puts folders in front of the image's own and becomes the command behind it."""
    settings = "; ".join(f"export {variable_name(each.name)}={shell_word(each.value)}" for each in variables)
    return tuple(text(word) for word in ("/bin/bash", "-c", f'{settings}; exec "$@"', "bash"))
