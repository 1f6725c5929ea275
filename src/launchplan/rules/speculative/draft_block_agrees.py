"""A number of drafted tokens that the algorithm does not draft.

## Why

DFLASH and DSPARK draft a block of fixed size: DFLASH verifies the block, DSPARK the block and the token
before it. Saying it twice in different ways is refused, and so is a block of nothing. NGRAM's extra corpus
must leave room in the window.

## Fix

Give the block size or the number of draft tokens, not both.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:364`-`:378`, `:806`-`:850`, `:1330`-`:1350`, `:1411`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule
from launchplan.rules.speculative.draft_model_given import bundles_dspark

TOKENS = "speculative_num_draft_tokens"
LEAST_WINDOW = 2


@sglang_rule("SPC310", "draft-block-agrees", source="speculative_hook.py:364")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the sizes that say the same thing."""
    algorithm = algorithm_of(view)
    if algorithm == "DFLASH":
        yield from _block(
            view, "speculative_dflash_block_size", view.arguments["speculative_dflash_block_size"], 0
        )
    elif algorithm == "DSPARK":
        yield from _dspark(view)
    elif algorithm == "NGRAM":
        yield from _ngram(view)


def _block(view: SglangView, name: str, block: int | None, more: int) -> Iterator[Violation]:
    tokens, flag = view.arguments[TOKENS], name.replace("_", "-")
    if block is None:
        return
    if block <= 0 and name in view.arguments:
        yield refuse(view, name, f"{flag} is {block}, 1 is the least", f"remove {flag}")
    elif tokens is not None and tokens != block + more:
        what = f"{flag} {block}" if name in view.arguments else f"the draft's block of {block}"
        message = f"speculative-num-draft-tokens {tokens} is not {block + more}, which {what} makes"
        yield refuse(view, TOKENS, message, "remove speculative-num-draft-tokens")


def _dspark(view: SglangView) -> Iterator[Violation]:
    given, model = view.arguments, view.architecture
    block = given["speculative_dspark_block_size"]
    if block is None and given["speculative_draft_model_path"] is None and model and bundles_dspark(model):
        own = model.dims.get("dspark_block_size")
        block = own if isinstance(own, int) else None
    yield from _block(view, "speculative_dspark_block_size", block, 1)
    tokens = given[TOKENS]
    if block is None and tokens is not None and tokens < LEAST_WINDOW:
        message = f"speculative-num-draft-tokens is {tokens}, DSPARK needs {LEAST_WINDOW} at least"
        yield refuse(view, TOKENS, message, "remove speculative-num-draft-tokens")


def _ngram(view: SglangView) -> Iterator[Violation]:
    given = view.arguments
    if given["speculative_ngram_max_bfs_breadth"] == 0 and given["speculative_num_steps"] is None:
        message = "speculative-ngram-max-bfs-breadth is 0, by which the draft tokens are divided"
        yield refuse(view, "speculative_ngram_max_bfs_breadth", message, "use 1, or leave it out")
    if given["speculative_ngram_external_corpus_path"] is not None:
        yield from _corpus(view)


def _corpus(view: SglangView) -> Iterator[Violation]:
    given, tokens = view.arguments, view.settings.speculative_num_draft_tokens or 12
    budget = given["speculative_ngram_external_sam_budget"]
    if not 0 < budget <= tokens - 1:
        message = f"speculative-ngram-external-sam-budget is {budget}, 1 to {tokens - 1} work"
        yield refuse(view, "speculative_ngram_external_sam_budget", message, "set it to 4")
    longest = given["speculative_ngram_external_corpus_max_tokens"]
    if longest <= 0:
        message = f"speculative-ngram-external-corpus-max-tokens is {longest}, 1 is the least"
        yield refuse(view, "speculative_ngram_external_corpus_max_tokens", message, "remove it")
