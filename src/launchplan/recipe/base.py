"""What every section of a recipe or cluster file shares."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Port = Annotated[int, Field(ge=1, le=65535)]
Text = Annotated[str, StringConstraints(min_length=1)]
Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Date = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Environment = dict[VariableName, str]
Arguments = dict[str, JsonValue]


class Section(BaseModel):
    """A mapping of the file: immutable, without conversions, without unknown keys."""

    # Few sections are read in one run: each builds what it is validated with when it is first read.
    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", defer_build=True, use_attribute_docstrings=True
    )

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Give itself: what can't change needs no copy, as pydantic makes of each default."""
        return self
