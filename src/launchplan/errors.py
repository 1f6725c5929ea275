"""What goes wrong outside our own code; everything else that is raised is a bug."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.finding import Finding


class LaunchplanError(Exception):
    """The base of the errors that a caller may want to catch."""


class InputError(LaunchplanError):
    """A recipe or cluster file that cannot be read as one; each finding says where and how to mend it."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        """Keep the findings; the first one is the message."""
        super().__init__(findings[0].message)
        self.findings = findings


class RefusedError(LaunchplanError):
    """A bundle was asked for a plan that has errors, without force."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        """Keep the errors that stand in the way."""
        super().__init__("nothing rendered: " + "; ".join(f"{f.code} {f.message}" for f in findings))
        self.findings = findings


def system_reason(error: OSError) -> str:
    """Say why the system refused, as messages print it: `no such file or directory`."""
    return (error.strerror or str(error)).lower()


class CatalogError(LaunchplanError):
    """A fact file of the catalog that is not as its schema says."""


class UnknownTargetError(LaunchplanError):
    """A target that launchplan cannot render."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        """Name the target, and the known one that was probably meant."""
        from difflib import get_close_matches  # noqa: PLC0415 # only an error pays for it

        self.name = name
        self.nearest = next(iter(get_close_matches(name, known, n=1)), None)
        cure = f"did you mean {self.nearest}?" if self.nearest else f"there are {', '.join(known)}"
        super().__init__(f"unknown target '{name}'; {cure}")


class TemplateError(LaunchplanError):
    """A template that cannot be used: not found, not Jinja, or printing what the plan does not have."""


class UnprintableError(LaunchplanError):
    """A value or a name that no script can hand to a process."""
