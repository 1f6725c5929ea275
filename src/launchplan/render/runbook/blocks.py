"""Commands to copy, and what they print."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Launch, Process
from launchplan.engines.commands import command_text, exports
from launchplan.render.quoting import printable, variable_name


@dataclass(frozen=True, slots=True)
class Block:
    """Text that somebody copies whole."""

    label: str
    """What it is, for a button and for somebody who hears the page."""
    text: str
    """Without the end of its last line."""
    language: str = "bash"

    @property
    def title(self) -> str:
        """The label as it begins a line."""
        return self.label[:1].upper() + self.label[1:]


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what it prints when all is well."""

    says: str
    """A sentence in front of the command."""
    block: Block
    prints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences behind it."""

    @property
    def has_output(self) -> bool:
        """Whether the command prints anything worth comparing."""
        return bool(self.prints)


def full_command(launch: Launch, process: Process) -> Block:
    """Write a process's environment and command as `launchplan show --env --wrap` does.

    Raises `UnprintableError` for what no command line can hold.
    """
    for variable in (*launch.env, *process.env):
        variable_name(variable.name)
    lines = (*exports(launch, process), command_text(process, wrap=True))
    return Block(f"command of {process.name}", printable("\n".join(lines)))
