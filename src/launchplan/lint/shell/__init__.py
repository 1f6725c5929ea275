"""Shell text: words with their places, variables, simple commands."""

from launchplan.lint.shell.scope import UNKNOWN_SIGN, Scope, Token, Value
from launchplan.lint.shell.statements import Document, Script, Statement
from launchplan.lint.text import Text

__all__ = [
    "UNKNOWN_SIGN",
    "Document",
    "Scope",
    "Script",
    "Statement",
    "Text",
    "Token",
    "Value",
    "shell_statements",
    "shell_tokens",
]


def shell_statements(text: str) -> list[Statement]:
    """Give the simple commands of a text; raises ValueError for a quote that is not closed."""
    script = Script(Text(text, range(len(text))))
    statements = list(script.statements())
    if script.open_quote is not None:
        raise ValueError("No closing quotation")
    return statements


def shell_tokens(text: str) -> list[Token]:
    """Give the words of one command line; raises ValueError for a quote that is not closed."""
    return [token for statement in shell_statements(text) for token in statement.tokens]
