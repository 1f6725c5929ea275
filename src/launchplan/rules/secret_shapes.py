"""Shapes of text that are secrets whatever they are called."""

from __future__ import annotations

import re

NO_SECRET = re.compile(
    r"\s*|true|false|yes|no|on|off|[0-9]{1,6}|none|null|.*\$\{?\w+.*|<.*>|\*+|x{3,}", re.IGNORECASE
)
"""Values that can't be a secret: switches, small numbers, references to a variable, placeholders."""
_TOKENS = (
    ("a Hugging Face token", r"hf_(?:[A-Za-z0-9]{20,}|(?=[A-Za-z]*[0-9])[A-Za-z0-9]{12,})"),
    ("an API key", r"(?:sk[-_]|gsk_|r8_|nvapi-)(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}"),
    ("a GitHub token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    ("a GitLab token", r"gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_-]{16,}"),
    ("an AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    ("a Google API key", r"AIza[A-Za-z0-9_-]{30,}"),
    ("a Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("a registry token", r"(?:npm_|dckr_pat_|pypi-)[A-Za-z0-9_-]{20,}"),
    ("a JSON web token", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"),
    ("a bearer token", r"[Bb]earer\s+(?=\S*[0-9])[A-Za-z0-9._~+/=-]{16,}"),
)
_SHAPES = tuple(
    (what, re.compile(rf"(?<![A-Za-z0-9_-])(?:{shape})(?![A-Za-z0-9])")) for what, shape in _TOKENS
)
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_WITH_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#:@]*:(?P<password>[^\s/?#@]+)@")


def secret_in(text: str) -> str | None:
    """Say what kind of secret a text holds, by the shapes that hubs and providers give theirs."""
    for what, shape in _SHAPES:
        if shape.search(text):
            return what
    if _KEY_BLOCK.search(text):
        return "a private key"
    passwords = (found["password"] for found in _WITH_PASSWORD.finditer(text))
    if any(not NO_SECRET.fullmatch(password) for password in passwords):
        return "a password in a URL"
    return None
