"""A secret is written into a recipe or a cluster file.

## Why

Recipes are shared, and every value of theirs ends in rendered scripts, manifests and logs. A token does not
belong there.

## Fix

Remove it and export it on the hosts, or name a Kubernetes secret in the cluster file
(`kubernetes.token_secret`). The scripts pass the environment of the host on to the engine.

## References

- launchplan's bundle: secrets are named, never written
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from launchplan.finding import KeyPath
from launchplan.resolve import Resolved
from launchplan.rules.environment import variables
from launchplan.rules.rule import ERROR, Violation, rule

_NAME = re.compile(
    r"(^|_)(TOKEN|API_?KEYS?|ACCESS_KEY(_ID)?|SECRET(_\w+)?|PRIVATE_KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$"
)
_FLAGS = frozenset({"api-key", "admin-api-key", "hf-token", "ssl-keyfile-password"})
_NO_SECRET = re.compile(r"\s*|true|false|yes|no|on|off|[0-9]{1,6}|none|null|.*\$\{?\w+.*|<.*>", re.IGNORECASE)
"""Values that can't be a secret: switches, small numbers, references to a variable, placeholders."""


@rule("OPS101", "secret-not-written", severity=ERROR)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for values whose name says that they are secret; the value is never shown."""
    for name, value, path in variables(resolved):
        if _NAME.search(name.upper()) and not _NO_SECRET.fullmatch(value):
            yield Violation(f"{name} looks like a secret", path, "remove it, and export it on the hosts")
    for path in _secret_flags(resolved):
        yield Violation(
            f"--{path[-1]} looks like a secret", path, "remove it, and give it to the engine by environment"
        )


def _secret_flags(resolved: Resolved) -> Iterator[KeyPath]:
    seen: set[KeyPath] = set()
    for pool in resolved.pools:
        for key, value in pool.args.items():
            path = pool.arg_paths[key]
            if (
                key in _FLAGS
                and isinstance(value, str)
                and not _NO_SECRET.fullmatch(value)
                and path not in seen
            ):
                seen.add(path)
                yield path
