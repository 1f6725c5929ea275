"""A value or a variable that no script can hand to a process.

## Why

Bash sets some variables itself (`UID`, `RANDOM`, `SECONDS`), and the scripts use two of their own: a value
for those never reaches the engine. A NUL character ends a word of a command line, and half of a surrogate
pair is no character that could be written to a file. `render` refuses each of them.

## Fix

Call the variable otherwise; remove the character.

## References

- bash(1), "Shell Variables"; execve(2)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import Launch
from launchplan.finding import KeyPath, dotted
from launchplan.posix import reserved_variable, unprintable
from launchplan.rules.environment import texts_below, variables
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut


@rule("OPS104", "value-printable", severity=ERROR, source="bash(1), execve(2)")
def check(launch: Launch) -> Iterator[Violation]:
    """Look at every name and value that ends in a script."""
    resolved = launch.layout.resolved
    given = tuple(variables(resolved))
    for name, _, path in given:
        reason = reserved_variable(name)
        if reason is not None:
            yield Violation(reason.partition(";")[0], path, "call it otherwise, or remove it")
    texts = [*given, *_words(launch)]
    if resolved.deployment.cluster is not None:
        cluster = texts_below(resolved.deployment.cluster.document.data, ("cluster",))
        texts += [(dotted(path), value, path) for path, value in cluster if "env" not in path]
    found = {path: f"{_plain(name)} {what}" for name, value, path in texts if (what := unprintable(value))}
    for path, message in found.items():
        yield Violation(message, path, "remove the character")


def _words(launch: Launch) -> Iterator[tuple[str, str, KeyPath]]:
    """List what command lines consist of, each with the key that it comes from."""
    recipe = launch.layout.resolved.deployment.recipe.value
    model = ("checkpoint",) if recipe.checkpoint else ("model",)
    for process in launch.processes:
        for value in process.command:
            yield from ((model[0], part, model) for part in value if isinstance(part, str))
        for flag in (*(process.ray.flags if process.ray else ()), *process.flags):
            for value in ((flag.name,), *flag.values):
                yield from ((flag.name, part, flag.path) for part in value if isinstance(part, str))


def _plain(name: str) -> str:
    """Write a name that may itself hold what is found."""
    return cut("".join(char if char.isprintable() else "?" for char in name))
