"""What bash, the scripts and a command line keep out: names of variables and texts that no process gets."""

from __future__ import annotations

_BASH_NAMES = frozenset(
    {
        *("BASHOPTS", "BASHPID", "BASH_ARGC", "BASH_ARGV", "BASH_LINENO", "BASH_SOURCE", "BASH_VERSINFO"),
        *("DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "LINENO", "PPID"),
        *("RANDOM", "SECONDS", "SHELLOPTS", "SHLVL", "SRANDOM", "UID", "_"),
    }
)
"""Variables that bash sets itself."""
_SCRIPT_NAMES = frozenset({"args", "here"})
"""Variables of the scripts that read environment files."""


def reserved_variable(name: str) -> str | None:
    """Say why a script can't hand an environment variable of this name on; None when it can."""
    if name in _BASH_NAMES:
        return f"bash keeps the variable {name} for itself; a script cannot hand it on"
    if name in _SCRIPT_NAMES:
        return f"the scripts use the variable {name} themselves; call it otherwise"
    return None


def unprintable(text: str) -> str | None:
    """Say what in a text no command line and no environment can hold; None when it is printable."""
    if "\0" in text:
        return "holds a NUL character, which no command line can hold"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a character (a lone surrogate)"
    return None
