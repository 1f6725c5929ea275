"""What publishers and others tell whoever serves a model: its switch for thoughts, scores, known issues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from launchplan.catalog.base import Fact


class Thinking(Fact):
    """A variable of the chat template that switches thoughts on and off: a key of `chat_template_kwargs`."""

    keyword: str
    enabled: JsonValue = True
    """The value with which the model thinks."""
    disabled: JsonValue = False
    """The value with which it answers at once."""
    by_default: bool | None = None
    """What it does where nobody says; None where the engines differ or the model decides by itself."""
    source: str = Field(min_length=1)


class Stretch(Fact):
    """A window beyond the model's own, which a change of its configuration gives it on vLLM."""

    tokens: int = Field(gt=0)
    hf_overrides: Mapping[str, JsonValue]
    since: str
    """The first release of vLLM that it is published for."""
    source: str = Field(min_length=1)


class Score(Fact):
    """A published result of an accuracy test, to compare with what was measured in the same way only."""

    test: str
    """The benchmark as people call it: `GSM8K`."""
    percent: float = Field(ge=0, le=100)
    way: str = Field(min_length=1)
    """Program, API, shots and whatever else makes the result comparable."""
    checkpoint: str | None = None
    """The repository that was tested; None for the model's own."""
    engine: Literal["vllm", "sglang"] | None = None
    gpus: str | None = None
    """What it ran on, as published."""
    source: str = Field(min_length=1)


class Speed(Fact):
    """A published load test: one length, so many requests at once, on one kind of GPU."""

    engine: Literal["vllm", "sglang"]
    version: str
    """As published: a release, a commit, an image."""
    checkpoint: str | None = None
    """The repository that was served; None for the model's own."""
    gpu: str
    """Id of the catalog."""
    layout: str = Field(min_length=1)
    """How many of them, and how the model lay on them."""
    prompt_tokens: int = Field(gt=0)
    output_tokens: int = Field(gt=0)
    concurrency: int = Field(gt=0)
    ttft_ms: float | None = Field(default=None, gt=0)
    tpot_ms: float | None = Field(default=None, gt=0)
    tokens_per_s_per_gpu: float | None = Field(default=None, gt=0)
    """Prompt and output together."""
    source: str = Field(min_length=1)


class Issue(Fact):
    """Something that goes wrong with this model, and its cure."""

    seen: str = Field(min_length=1)
    cause: str = Field(min_length=1)
    cure: str = Field(min_length=1)
    engine: Literal["vllm", "sglang"] | None = None
    """The engine that it happens with; None: with both."""
    gpus: tuple[str, ...] = ()
    """Vendors, generations or GPU ids that it happens on; empty: on all."""
    checkpoints: tuple[str, ...] = ()
    """The repositories that it happens with; empty: with all."""
    source: str = Field(min_length=1)
