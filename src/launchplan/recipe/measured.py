"""Schema of the file that keeps what an engine's log measured."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from launchplan.recipe.base import Section, Text

MeasuredName = Literal["driver", "weights", "activations", "cuda graphs", "non-torch", "pool"]
Number = Annotated[float, Field(allow_inf_nan=False, strict=False)]


class MeasuredTerm(Section):
    """One term of a rank's budget."""

    gib: Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False, strict=False)]
    step_gib: Annotated[float, Field(gt=0, le=1, strict=False)]
    """What the last printed digit is worth."""


class MeasuredPool(Section):
    """What one log says of the ranks of a pool."""

    role: Text
    """The pool of the recipe: `serve`, `prefill` or `decode`."""
    engine: Literal["vllm", "sglang"]
    version: Text | None = None
    """As the log names it."""
    log: Text
    """The log's name."""
    settings: dict[str, JsonValue]
    """The settings of the launch; a term counts only where those that it depends on are the same."""
    terms: dict[MeasuredName, MeasuredTerm]
    figures: dict[str, Number]
    """Everything that the log printed, of the fullest rank."""


class MeasuredFile(Section):
    """What logs measured of a recipe's pools."""

    launchplan: Literal[1]
    """Version of this format."""
    recipe: Text
    """The recipe's name."""
    pools: Annotated[tuple[MeasuredPool, ...], Field(min_length=1)]
