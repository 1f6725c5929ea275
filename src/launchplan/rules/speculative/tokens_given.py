"""Speculative decoding without a number of drafted tokens.

## Why

vLLM wants `num_speculative_tokens` for every method that drafts from the model itself or from the prompt;
a draft model's own configuration may say it, and suffix decoding has a default. SGLang chooses one.

## Fix

Give `speculative.tokens`; three tokens are a good start for MTP.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1615`, `:1947`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.flags import for_engine
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import speculative
from launchplan.engines.vllm.settings.speculative import written_method
from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.vllm import settled

WITHOUT_DRAFT = frozenset({"mtp", "ngram"})
WITH_DRAFT = frozenset({"eagle", "eagle3", "draft_model"})
"""Methods whose draft configurations don't say how many tokens."""


@rule(
    "SPC101",
    "tokens-given",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/config/speculative.py:1615, 1947 (0.33.0)",
    at="config",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for the number of drafted tokens."""
    config, typed = speculative(view), view.pool.speculative is not None
    if settled(view) is None:
        yield from _by_recipe(view.pool)
    elif config is not None and config.get("num_speculative_tokens") is None:
        method, named = written_method(config), isinstance(config.get("model"), str)
        if method in WITH_DRAFT or (method != "suffix" and not named):
            message = f"speculative method {method} needs a number of tokens"
            path = view.pool.path("speculative", "method") if typed else view.path("speculative_config")
            fix = "add 'tokens: 3' to speculative" if typed else "add num_speculative_tokens: 3"
            yield Violation(message, path, fix)


def _by_recipe(pool: ResolvedPool) -> Iterator[Violation]:
    wanted = pool.speculative
    if wanted is None or wanted.tokens is not None:
        return
    needed = wanted.method in WITH_DRAFT or (wanted.method in WITHOUT_DRAFT and wanted.model is None)
    if needed and "num_speculative_tokens" not in for_engine(wanted.options, "vllm"):
        message = f"speculative method {wanted.method} needs a number of tokens"
        yield Violation(message, pool.path("speculative", "method"), "add 'tokens: 3' to speculative")
