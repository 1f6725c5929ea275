"""A bundle on disk: whole or not at all, and never over somebody else's files."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from launchplan.cli import write
from launchplan.cli.exits import RefusalError
from launchplan.render import Bundle

FILES = {"RUNBOOK.md": b"# old\n", "env/common.env": b"A=1\n", "node-0.sh": b"#!/bin/bash\n"}


def make_bundle(files: dict[str, bytes], *executable: str) -> Bundle:
    entries = {
        name: {
            "mode": "0755" if name in executable else "0644",
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        for name, content in files.items()
    }
    manifest = json.dumps({"launchplan": "0.1.0", "format": 1, "files": entries}).encode()
    return Bundle("b", dict(sorted({**files, "manifest.json": manifest}.items())), frozenset(executable))


OLD = make_bundle(FILES, "node-0.sh")
NEW = make_bundle(
    {"RUNBOOK.md": b"# new\n", "node-0.sh": b"#!/bin/bash\n:\n", "slurm/launch.sbatch": b"x"}, "node-0.sh"
)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def written(tmp_path: Path) -> Path:
    write.write_bundle(OLD, tmp_path / "out")
    return tmp_path / "out"


def test_new_folder_below_new_folders(tmp_path: Path) -> None:
    previous = os.umask(0o027)
    try:
        write.write_bundle(OLD, tmp_path / "a" / "b")
    finally:
        os.umask(previous)
    target = tmp_path / "a" / "b"
    assert tree(target) == dict(OLD.files)
    assert names(tmp_path / "a") == ["b"]
    modes = {path.name: path.stat().st_mode & 0o777 for path in (target, *target.iterdir())}
    assert modes == {
        "b": 0o750,
        "RUNBOOK.md": 0o640,
        "env": 0o750,
        "manifest.json": 0o640,
        "node-0.sh": 0o750,
    }


def test_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write.write_bundle(OLD, tmp_path / "out")
    assert tree(tmp_path / "out") == dict(OLD.files)
    assert names(tmp_path) == ["out"]


def test_bundle_of_before_is_replaced_as_a_whole(written: Path) -> None:
    write.write_bundle(NEW, written)
    assert tree(written) == dict(NEW.files)
    assert not (written / "env").exists()
    assert names(written.parent) == ["out"]


def test_through_a_link_the_linked_folder_is_written(written: Path, tmp_path: Path) -> None:
    link = tmp_path / "current"
    link.symlink_to(written)
    write.write_bundle(NEW, link)
    assert link.is_symlink()
    assert tree(written) == dict(NEW.files)


def _edit(folder: Path) -> None:
    (folder / "node-0.sh").write_bytes(b"#!/bin/bash\necho mine\n")


def _remove(folder: Path) -> None:
    (folder / "env" / "common.env").unlink()


def _add(folder: Path) -> None:
    (folder / "env" / "mine.env").write_bytes(b"")


def _add_folder(folder: Path) -> None:
    (folder / "logs").mkdir()


def _link(folder: Path) -> None:
    (folder / "extra").symlink_to("/")


def _foreign(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "thesis.tex").write_bytes(b"years of work")


def _foreign_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"name": "some web app"}')


def _broken_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("[" * 100_000)


def _file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"a file")


@pytest.mark.parametrize(
    ("change", "message", "force_helps"),
    [
        (_edit, "out/node-0.sh was edited since launchplan wrote it; --force gives the edit up", True),
        (_remove, "out/env/common.env was removed since launchplan wrote it; --force writes it again", True),
        (_add, "out/env/mine.env is not part of the bundle; move it away, or name another folder", False),
        (_add_folder, "out/logs is not part of the bundle; move it away, or name another folder", False),
        (_link, "out/extra is not part of the bundle; move it away, or name another folder", False),
        (_foreign, "out is not a launchplan bundle: it holds thesis.tex; name an empty or new folder", False),
        (
            _foreign_manifest,
            "out is not a launchplan bundle: it holds RUNBOOK.md; name an empty or new folder",
            False,
        ),
        (
            _broken_manifest,
            "out is not a launchplan bundle: it holds RUNBOOK.md; name an empty or new folder",
            False,
        ),
        (_file, "out is a file; name a folder", False),
    ],
)
def test_changed_folders_are_left_alone(
    written: Path,
    change: Callable[[Path], None],
    message: str,
    force_helps: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(written)
    monkeypatch.chdir(written.parent)
    before = tree(written) if written.is_dir() else written.read_bytes()
    with pytest.raises(RefusalError) as caught:
        write.write_bundle(NEW, Path("out"))
    assert caught.value.message == message
    assert (tree(written) if written.is_dir() else written.read_bytes()) == before
    if force_helps:
        write.write_bundle(NEW, Path("out"), force=True)
        assert tree(written) == dict(NEW.files)
    else:
        with pytest.raises(RefusalError) as caught:
            write.write_bundle(NEW, Path("out"), force=True)
        assert caught.value.message == message
    assert names(written.parent) == ["out"]


def test_current_folder_is_not_pulled_from_under_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RefusalError, match="holds the current folder"):
        write.write_bundle(NEW, Path())
    assert names(tmp_path) == []


def test_mount_point_is_not_replaced(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "ismount", lambda path: path == written)
    with pytest.raises(RefusalError, match="mount point"):
        write.write_bundle(NEW, written)
    assert tree(written) == dict(OLD.files)


class _Stop:
    """Fail at the n-th call of a function."""

    def __init__(self, real: Callable[..., object], number: int, error: BaseException) -> None:
        self.real, self.number, self.error, self.calls = real, number, error, 0

    def __call__(self, *args: object, **keywords: object) -> object:
        self.calls += 1
        if self.calls == self.number:
            raise self.error
        return self.real(*args, **keywords)


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "open", "rename"])
@pytest.mark.parametrize(
    "error", [FULL, KeyboardInterrupt(), SystemExit(143)], ids=["full", "ctrl-c", "sigterm"]
)
@pytest.mark.parametrize("had_bundle", [True, False])
def test_whatever_stops_it_leaves_the_folder_as_it_was(
    tmp_path: Path, step: str, error: BaseException, had_bundle: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "deep" / "out"
    if had_bundle:
        write.write_bundle(OLD, target)
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    owner: object = Path if step == "rename" else os
    for number in range(1, 40):
        with monkeypatch.context() as patched:
            stop = _Stop(getattr(owner, step), number, error)
            patched.setattr(owner, step, lambda *args, _stop=stop, **keywords: _stop(*args, **keywords))
            try:
                write.write_bundle(NEW, target)
            except (RefusalError, KeyboardInterrupt, SystemExit) as caught:
                if tree(target) == dict(NEW.files):
                    break  # stopped after the new bundle stood in its place
                told = isinstance(caught, RefusalError)
                assert told == (error is FULL), caught  # noqa: PT017 # it may also not be raised
            else:
                break
        assert sorted(str(path) for path in tmp_path.rglob("*")) == before
        if had_bundle:
            assert tree(target) == dict(OLD.files)
    assert number > (1 if step == "rename" else 3)
    assert tree(target) == dict(NEW.files)
    assert names(target.parent) == ["out"]


def test_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise FULL

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RefusalError) as caught:
        write.write_bundle(NEW, tmp_path / "out")
    assert (
        caught.value.message
        == f"cannot write {tmp_path / 'out'}: no space left on device; nothing was changed"
    )


NO_MOUNT = 77

TINY_DISK = """
mount -t tmpfs -o size=64k tmpfs "$1" || exit 77
cd "$1" && exec "$2" -c '
import sys
from pathlib import Path
from typing import Any
sys.path.insert(0, sys.argv[1])
from launchplan.cli import write
from launchplan.cli.exits import RefusalError
from launchplan.render import Bundle
try:
    write.write_bundle(Bundle("b", {"manifest.json": b"{}", "big": b"x" * 200_000}, frozenset()), Path("sub/out"))
except RefusalError as error:
    print(error.message)
print(sorted(path.name for path in Path().iterdir()))
' "$3"
"""


def test_a_disk_that_is_really_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tmpfs of 64 KiB where a mount namespace can be had; a device that is always full everywhere."""
    really_open = os.open

    def open_full(path: Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT:
            return really_open("/dev/full", os.O_WRONLY)
        return really_open(path, flags, mode, dir_fd=dir_fd)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", open_full)
        with pytest.raises(RefusalError, match="no space left on device"):
            write.write_bundle(NEW, tmp_path / "out")
    assert names(tmp_path) == []
    (tmp_path / "disk").mkdir()
    source = str(Path(write.__file__).parents[2])
    command = ["bash", "-c", TINY_DISK, "-", str(tmp_path / "disk"), sys.executable, source]
    if shutil.which("unshare"):
        command = ["unshare", "--map-root-user", "--mount", *command]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    told = "cannot write sub/out: no space left on device; nothing was changed\n[]\n"
    assert (run.returncode, run.stdout) in [(0, told), (NO_MOUNT, ""), (1, "")], run.stderr
    assert run.returncode == 0 or "launchplan" not in run.stderr


@pytest.fixture
def recipe_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "r.yaml"
    write.write_file(path, "launchplan: 1\n", overwrite=False)
    yield path
    assert names(tmp_path) == ["r.yaml"]


def test_file_is_not_overwritten_unasked(recipe_file: Path) -> None:
    with pytest.raises(RefusalError, match=r"r\.yaml exists; --force overwrites it"):
        write.write_file(recipe_file, "other", overwrite=False)
    assert recipe_file.read_text() == "launchplan: 1\n"
    write.write_file(recipe_file, "other: ü\n", overwrite=True)
    assert recipe_file.read_bytes() == "other: ü\n".encode()


def test_file_stays_whole_on_a_full_disk(recipe_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise FULL

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RefusalError, match="no space left on device; nothing was changed"):
        write.write_file(recipe_file, "other", overwrite=True)
    assert recipe_file.read_text() == "launchplan: 1\n"


def test_a_device_is_not_replaced_by_a_file(launchplan: Callable[..., Any], files: Path) -> None:
    os.mkfifo(files / "pipe")
    for arguments in (
        ("new", "--model", "config.json", "--gpu", "h100", "--name", "mine"),
        ("catalog", "add", "config.json", "--id", "org/fine"),
    ):
        ran = launchplan(*arguments, "-o", "pipe", "--force")
        told = "error: pipe is no file that can be replaced; name another\n"
        assert (ran.code, ran.out, ran.err) == (2, "", told)
    assert stat.S_ISFIFO((files / "pipe").stat().st_mode)
