"""What every fact of the catalog has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Fact(BaseModel):
    """A frozen value read from a fact file; a key that it does not know is refused."""

    # Few kinds of facts are read in one run: each builds what it is validated with when it is first read.
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)


class Sourced(Fact):
    """A fact with its source, the day it was checked (ISO), and the fields that the source leaves open."""

    source: str = Field(min_length=1)
    checked: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    unconfirmed: tuple[str, ...] = ()


class Named(Sourced):
    """A fact that people look up: by its id, which is also the name of its file, or by an alias."""

    id: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
