"""The command line's own help as a Markdown page."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click


def help_page(command: click.Command) -> str:
    """Write the page of a command group and of every command in it that is not hidden."""
    if not isinstance(command, click.Group):
        raise TypeError(f"{command.name} has no commands")
    blocks = ["# Commands", _help_text(command)]
    for name, each in command.commands.items():
        if not each.hidden:
            blocks += _command_blocks(f"{command.name} {name}", each)
    return "\n\n".join(blocks) + "\n"


def _command_blocks(name: str, command: click.Command) -> Iterator[str]:
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    words = [name, *(_argument(argument) for argument in arguments), *(["[OPTIONS]"] if options else [])]
    yield f"## {name}"
    yield f"```text\n{' '.join(words)}\n```"
    yield _help_text(command)
    if options:
        rows = ["| option | meaning |", "|---|---|", *(_option_row(option) for option in options)]
        yield "\n".join(rows)


def _argument(argument: click.Argument) -> str:
    return argument.metavar or (argument.name or "").upper()


def _help_text(command: click.Command) -> str:
    """Take a docstring as it is; a block that click is told not to wrap becomes a code block."""
    paragraphs = []
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            paragraphs.append("```text\n" + paragraph.removeprefix("\b\n") + "\n```")
        else:
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def _option_row(option: click.Option) -> str:
    spelled = ", ".join(f"`{name}`" for name in option.opts)
    value = "" if option.is_flag else f" `{_value(option)}`"
    required = " Required." if option.required else ""
    default = f" Default: `{_default(option)}`." if option.show_default else ""
    return f"| {spelled}{value} | {_cell(option.help or '')}{required}{default} |"


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "\\|".join(str(choice) for choice in option.type.choices)
    return option.metavar or "N"


def _default(option: click.Option) -> str:
    default = option.default
    return ", ".join(default) if isinstance(default, tuple) else str(default)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
