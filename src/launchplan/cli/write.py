"""Put a bundle on disk: whole or not at all, and never over somebody else's files."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from launchplan.cli.exits import RefusalError
from launchplan.errors import system_reason

if TYPE_CHECKING:
    from launchplan.render import Bundle

MANIFEST = "manifest.json"
_MANIFEST_LIMIT_BYTES = 5_000_000


def write_bundle(bundle: Bundle, folder: Path, *, force: bool = False) -> None:
    """Make a folder hold exactly a bundle's files.

    The folder may be absent, empty, or hold a bundle that was written before and not edited since; `force`
    gives edits up. Raises `RefusalError` otherwise, or when the disk refuses; the folder is then as it was.
    """
    target = Path(os.path.realpath(folder))
    _check_replaceable(target, folder, force=force)
    try:
        with _made_parents(target.parent), _unfinished(target) as fresh:
            _write_tree(bundle, fresh)
            _swap(fresh, target)
    except OSError as error:
        raise RefusalError(f"cannot write {folder}: {system_reason(error)}; nothing was changed") from error


def _check_replaceable(target: Path, shown: Path, *, force: bool) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise RefusalError(f"{shown} is a file; name a folder")
    here = Path.cwd()
    if target == here or target in here.parents:
        raise RefusalError(f"{shown} holds the current folder and cannot be replaced; name a folder below it")
    if os.path.ismount(target):
        raise RefusalError(f"{shown} is a mount point and cannot be replaced; name a folder below it")
    try:
        present = _entries(target)
        if present:
            _check_own(target, shown, present, force=force)
    except OSError as error:
        raise RefusalError(f"cannot read {shown}: {system_reason(error)}") from error


def _check_own(target: Path, shown: Path, present: frozenset[str], *, force: bool) -> None:
    """Refuse a folder that launchplan did not write, or that was changed since."""
    recorded = recorded_files(target / MANIFEST)
    if recorded is None:
        first = min(present)
        raise RefusalError(
            f"{shown} is not a launchplan bundle: it holds {first}; name an empty or new folder"
        )
    foreign = sorted(present - recorded.keys() - _folders_of(recorded) - {MANIFEST})
    if foreign:
        raise RefusalError(
            f"{shown / foreign[0]} is not part of the bundle; move it away, or name another folder"
        )
    if force:
        return
    for name, sha256 in sorted(recorded.items()):
        if name not in present:
            raise RefusalError(
                f"{shown / name} was removed since launchplan wrote it; --force writes it again"
            )
        if hashlib.sha256((target / name).read_bytes()).hexdigest() != sha256:
            raise RefusalError(
                f"{shown / name} was edited since launchplan wrote it; --force gives the edit up"
            )


def _entries(folder: Path) -> frozenset[str]:
    """List everything below a folder; a link counts as itself and is not followed."""
    found: set[str] = set()
    for root, folders, files in os.walk(folder, onerror=_raise):
        found.update(Path(root, name).relative_to(folder).as_posix() for name in (*folders, *files))
    return frozenset(found)


def _raise(error: OSError) -> None:
    raise error


def _folders_of(names: Mapping[str, str]) -> frozenset[str]:
    return frozenset(parent.as_posix() for name in names for parent in Path(name).parents if parent != Path())


def recorded_files(manifest: Path) -> dict[str, str] | None:
    """Read the SHA-256 of each file that a manifest lists; None where it is not one of ours."""
    try:
        if manifest.is_symlink() or manifest.stat().st_size > _MANIFEST_LIMIT_BYTES:
            return None
        data = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or "launchplan" not in data or not isinstance(data.get("files"), dict):
        return None
    files: dict[str, Any] = data["files"]
    return {name: str(entry.get("sha256")) for name, entry in files.items() if isinstance(entry, dict)}


@contextmanager
def _made_parents(folder: Path) -> Iterator[None]:
    """Make the folders that are missing above a bundle; take them away again when it does not come to be."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for path in missing:
            with suppress(OSError):
                path.rmdir()
        raise


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Give an empty folder beside the target; it is gone afterwards, whatever happens."""
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(4)}.unfinished")
    try:
        fresh.mkdir()
        yield fresh
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write_tree(bundle: Bundle, folder: Path) -> None:
    made = {folder}
    for name, content in bundle.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        made.update(parent for parent in path.parents if parent.is_relative_to(folder))
        _write_file(path, content, mode=0o777 if name in bundle.executable else 0o666)
    for each in made:
        _sync_folder(each)


def _write_file(path: Path, content: bytes, *, mode: int) -> None:
    """Write one file and wait until the disk has it; the user's umask narrows the mode."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _swap(fresh: Path, target: Path) -> None:
    """Rename the new folder over the old one; put the old one back if that fails between the two steps."""
    if not target.exists():
        fresh.rename(target)
        _sync_folder(target.parent)
        return
    old = target.with_name(f".{target.name}.{secrets.token_hex(4)}.replaced")
    try:
        target.rename(old)
        fresh.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    try:
        _sync_folder(target.parent)
    finally:
        shutil.rmtree(old, ignore_errors=True)


def write_file(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file whole or not at all; refuse to replace one unless asked to."""
    if path.exists() and not overwrite:
        raise RefusalError(f"{path} exists; --force overwrites it")
    _replace(path, text, mode=None)


def replace_text(path: Path, text: str) -> None:
    """Write a text over a file that is there, whole or not at all; its permissions stay."""
    mode = path.stat().st_mode & 0o7777
    if not mode & 0o222:
        raise RefusalError(f"{path} is read-only; --diff shows what would change")
    _replace(path, text, mode=mode)


def _replace(path: Path, text: str, *, mode: int | None) -> None:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # renamed over, a device such as /dev/null would be gone
        raise RefusalError(f"{path} is no file that can be replaced; name another")
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(4)}.unfinished")
    try:
        _write_file(fresh, text.encode("utf-8", "surrogateescape"), mode=0o666)
        if mode is not None:
            fresh.chmod(mode)
        fresh.rename(target)
    except OSError as error:
        raise RefusalError(f"cannot write {path}: {system_reason(error)}; nothing was changed") from error
    finally:
        fresh.unlink(missing_ok=True)


def write_files(texts: Mapping[Path, str], *, overwrite: bool) -> None:
    """Write text files into folders that may not exist yet; refuse before the first when one is there."""
    there = [path for path in texts if path.exists()]
    if there and not overwrite:
        raise RefusalError(f"{there[0]} exists; --force overwrites it; nothing was written")
    folders = {path.parent for path in texts}
    try:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RefusalError(
            f"cannot write {error.filename}: {system_reason(error)}; nothing was written"
        ) from error
    written: list[Path] = []
    try:
        for path, text in texts.items():
            write_file(path, text, overwrite=overwrite)
            written.append(path)
    except RefusalError:
        for path in written:
            if path not in there:
                path.unlink(missing_ok=True)
        raise
