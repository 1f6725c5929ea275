"""Read input files into documents; what cannot be read is a finding, not a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from launchplan.errors import InputError, system_reason
from launchplan.finding import Location
from launchplan.source.document import Document
from launchplan.source.problem import problem
from launchplan.source.yaml_text import parse_text

_MAX_BYTES = 64 * 2**20
"""More than any recipe or model configuration has; a device or a checkpoint named by mistake has no end."""


def read_document(path: Path) -> Document:
    """Read a YAML or JSON file; raise `InputError` with the reason and the cure if that can't be."""
    return parse_text(read_text(path), str(path))


def read_json(path: Path) -> Any:
    """Read a JSON file that is someone else's, of any size; raise `InputError` when it is not JSON."""
    try:
        return json.loads(read_text(path).removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = Location(str(path), error.lineno, error.colno)
        raise InputError((problem("REC002", f"not JSON: {error.msg.lower()}", place),)) from error
    except RecursionError as error:
        raise InputError((problem("REC002", "nested too deep", Location(str(path))),)) from error


def read_text(path: Path) -> str:
    """Read a UTF-8 file; raise `InputError` when it is missing, unreadable or of another encoding."""
    place = Location(str(path))
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except IsADirectoryError as error:
        raise InputError((problem("REC001", "this is a folder", place, fix="name a file in it"),)) from error
    except FileNotFoundError as error:
        fix = _neighbour(path)
        raise InputError((problem("REC001", "no such file", place, fix=fix),)) from error
    except (OSError, ValueError) as error:
        reason = system_reason(error) if isinstance(error, OSError) else str(error).lower()
        raise InputError((problem("REC001", f"cannot be read: {reason}", place),)) from error
    if len(content) > _MAX_BYTES:
        message = f"larger than {_MAX_BYTES // 2**20} MiB, or without an end"
        raise InputError((problem("REC001", message, place),))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        message = f"byte 0x{content[error.start]:02x} is not UTF-8"
        place = Location(str(path), line, column)
        raise InputError((problem("REC001", message, place, fix="save the file as UTF-8"),)) from error


def _neighbour(path: Path) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 # only an error pays for it

    try:
        names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError:
        return None
    near = get_close_matches(path.name, names, 1)
    return f"did you mean {path.parent / near[0]}?" if near else None
