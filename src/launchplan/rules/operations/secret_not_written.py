"""A secret is written into a recipe or a cluster file.

## Why

Recipes are shared, and every value of theirs ends in rendered scripts, manifests and logs. A token does not
belong there. Secrets are told by their name (`HF_TOKEN`, `api-key`) and by their shape: tokens of hubs and
providers, private keys, `scheme://user:password@host`.

## Fix

Remove it and export it on the hosts, or name a Kubernetes secret in the cluster file
(`kubernetes.token_secret`). The scripts pass the environment of the host on to the engine.

## References

- launchplan's bundle: secrets are named, never written
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from launchplan.finding import KeyPath, dotted
from launchplan.resolve import Resolved
from launchplan.rules.environment import texts_below, variables
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.secret_shapes import NO_SECRET, secret_in
from launchplan.rules.wording import cut

_NAME = re.compile(
    r"(^|_)(TOKEN|API_?KEYS?|ACCESS_KEY(_ID)?|SECRET(_\w+)?|PRIVATE_KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$"
)
_FLAG = re.compile(
    r"(^|_)(hf_token|api_?keys?|access_key(_id)?|secret(_key)?|private_key|keyfile_password|password|passphrase)$"
)
"""Keys of `args` and of JSON in it; a bare `token` is no secret there: models have tokens."""
_EXPORT = "remove it, and export it on the hosts"
_GIVE = "remove it, and give it to the engine by environment"


@rule("OPS101", "secret-not-written", severity=ERROR)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for names and values that say that they are secret; the value is never shown."""
    seen: set[KeyPath] = set()
    for name, value, path in variables(resolved):
        if _NAME.search(name.upper()) and not NO_SECRET.fullmatch(value):
            seen.add(path)
            yield Violation(f"{name} looks like a secret", path, _EXPORT, quotable=False)
    for path, value in _texts(resolved):
        flag = _named(path)
        if path in seen:
            continue
        if flag is not None and not NO_SECRET.fullmatch(value):
            yield Violation(f"{cut(flag)} looks like a secret", path, _GIVE, quotable=False)
        elif (what := secret_in(value)) is not None:
            fix = _EXPORT if "env" in path else "remove it"
            yield Violation(f"{cut(dotted(path))} holds {what}", path, fix, quotable=False)


def _named(path: KeyPath) -> str | None:
    """Name the flag or JSON key of a value under `args` whose name says that it is secret."""
    if "args" not in path:
        return None
    names = [part for part in path[path.index("args") + 1 :] if isinstance(part, str)]
    last = names[-1] if names else ""
    if not _FLAG.search(last.lower().lstrip("-").replace("-", "_").rpartition(".")[2]):
        return None
    return f"--{last.lstrip('-')}" if names[:-1] in ([], ["vllm"], ["sglang"]) else last


def _texts(resolved: Resolved) -> Iterator[tuple[KeyPath, str]]:
    """List every text of recipe and cluster file with its place."""
    deployment = resolved.deployment
    yield from texts_below(deployment.recipe.document.data, ())
    if deployment.cluster is not None:
        yield from texts_below(deployment.cluster.document.data, ("cluster",))
