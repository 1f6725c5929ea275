"""The command line: the only room that reads arguments, environment and terminal, and that writes files.

Modules here import click, the standard library and the ground floor only; a command's body imports what it
needs, so that `--help` stays quick.
"""

from launchplan.cli.app import main

__all__ = ["main"]
