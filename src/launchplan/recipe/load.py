"""Read recipe and cluster files into their typed, frozen form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from launchplan.errors import InputError
from launchplan.finding import Location
from launchplan.recipe.cluster import Cluster
from launchplan.recipe.measured import MeasuredFile
from launchplan.recipe.overrides import override
from launchplan.recipe.problems import problems_of
from launchplan.recipe.schema import FORMAT_VERSION, Recipe
from launchplan.source import Document, parse_text, problem, read_document

S = TypeVar("S", bound=BaseModel)
Source = str | Path | Mapping[str, Any]
"""A path, the text itself, or data already parsed."""


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """A typed file together with the document that knows where each value stands."""

    value: S
    document: Document

    @property
    def folder(self) -> Path:
        """The folder that relative paths of the file start from."""
        return Path(self.document.file).parent


def load_recipe(source: Source, settings: Iterable[str] = ()) -> Loaded[Recipe]:
    """Read a recipe and apply `--set` settings; raise `InputError` with every problem and its place."""
    return _load(override(open_document(source), settings), Recipe, "recipe")


def changed(recipe: Loaded[Recipe], settings: Iterable[str]) -> Loaded[Recipe]:
    """Read a recipe again with further `--set` settings; raise `InputError` as `load_recipe` does."""
    return _load(override(recipe.document, settings), Recipe, "recipe")


def load_cluster(source: Source) -> Loaded[Cluster]:
    """Read a cluster file; raise `InputError` with every problem and its place."""
    return _load(open_document(source), Cluster, "cluster file")


def load_measured(source: Source) -> Loaded[MeasuredFile]:
    """Read what logs measured; raise `InputError` with every problem and its place."""
    return _load(open_document(source), MeasuredFile, "file of measurements")


def open_document(source: Source) -> Document:
    """Make a document of a path, of text (anything with a line end or a colon and space), or of data."""
    if isinstance(source, Mapping):
        return Document(_json_data(source), "<mapping>")
    if isinstance(source, str) and ("\n" in source or ": " in source or source.lstrip().startswith("{")):
        return parse_text(source, "<text>")
    return read_document(Path(source))


def _json_data(source: Mapping[str, Any]) -> Any:
    """Copy parsed data as JSON has it; a date, which YAML loaders make of `2026-08-15`, is text again."""
    try:
        text = json.dumps(source, default=_date_text, allow_nan=False, ensure_ascii=False)
        text.encode()  # half of a surrogate pair is no text
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        found = problem("REC006", f"the data is no recipe: {error}", Location("<mapping>"))
        raise InputError((found,)) from error


def _date_text(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} {value!r} is nothing that YAML or JSON can hold")


def _load(document: Document, schema: type[S], what: str) -> Loaded[S]:
    data = document.data
    if data is None:
        message = "the file is empty"
        raise InputError((problem("REC001", message, document.locate(()), fix=_WRITERS[schema]),))
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else f"'{str(data)[:40]}'"
        message = f"the file holds {kind}, not the mapping of a {what}"
        raise InputError((problem("REC006", message, document.locate(())),))
    _check_version(document, what)
    try:
        # JSON mode takes a list for a tuple while "8" stays a string; the data is JSON already.
        return Loaded(schema.model_validate_json(json.dumps(data)), document)
    except ValidationError as error:
        raise InputError(problems_of(error, document, schema)) from error


_WRITERS: dict[type[BaseModel], str] = {
    Recipe: "`launchplan new` writes a recipe",
    Cluster: "see docs/cluster.md",
    MeasuredFile: "`launchplan observe RECIPE --log FILE --write FILE` writes one",
}


def _check_version(document: Document, what: str) -> None:
    version = document.data.get("launchplan")
    fix = f"write 'launchplan: {FORMAT_VERSION}'"
    if "launchplan" not in document.data:
        message = f"'launchplan: {FORMAT_VERSION}' is missing, so this may not be a {what}"
        raise InputError((problem("REC004", message, document.locate(()), (), fix),))
    if version != FORMAT_VERSION or isinstance(version, bool):
        message = f"the {what} is of format {version}; this launchplan reads format {FORMAT_VERSION}"
        path = ("launchplan",)
        raise InputError((problem("REC004", message, document.locate(path), path, fix),))
