"""The wheel, installed outside the checkout, does what the checkout does."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from launchplan import __version__, api
from launchplan.resources import recipes_dir, templates_dir

ROOT = Path(__file__).parents[2]
RECIPE = "Qwen/qwen3.8-fp8-2x8-b300"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel alone; what it needs comes from the environment of the tests."""
    folder = tmp_path_factory.mktemp("site") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder),
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
    ]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # Only the folder itself: the checkout's own entry in it is not followed.
    (packages / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder


def run(venv: Path, folder: Path, *arguments: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [str(venv / "bin" / "launchplan"), *arguments]
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_wheel_holds_everything_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    source = ROOT / "src"
    package = {
        p.relative_to(source).as_posix() for p in source.rglob("*") if p.is_file() and p.suffix != ".pyc"
    }
    data = {
        f"launchplan/_data/{kind}/{path.relative_to(ROOT / kind).as_posix()}"
        for kind in ("recipes", "templates")
        for path in (ROOT / kind).rglob("*")
        if path.is_file()
    }
    about = {
        f"launchplan-{__version__}.dist-info/{name}"
        for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")
    }
    assert names - package - data == about | {f"launchplan-{__version__}.dist-info/licenses/LICENSE"}
    assert package | data <= names
    assert "launchplan/py.typed" in names
    assert any(name.startswith("launchplan/catalog/data/engines/") for name in names)


def test_installed_program_renders_the_same_bundle(venv: Path, tmp_path: Path) -> None:
    assert run(venv, tmp_path, "--version") == f"launchplan {__version__}\n"
    assert f"{venv}" in run(venv, tmp_path, "list", "recipes", "--json")
    run(venv, tmp_path, "render", RECIPE, "-o", "out", "--target", "all")
    bundle = api.render(recipes_dir() / f"{RECIPE}.yaml", targets=("all",))
    written = {
        p.relative_to(tmp_path / "out").as_posix(): p.read_bytes()
        for p in (tmp_path / "out").rglob("*")
        if p.is_file()
    }
    assert written == dict(bundle.files)


def test_own_templates_replace_the_shipped_ones(venv: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine" / "shell" / "bench.sh.j2"
    mine.parent.mkdir(parents=True)
    mine.write_text(
        (templates_dir() / "shell" / "bench.sh.j2").read_text(encoding="utf-8") + "# ours\n", encoding="utf-8"
    )
    run(venv, tmp_path, "render", RECIPE, "-o", "out", "--templates", "mine")
    assert (tmp_path / "out" / "bench.sh").read_text(encoding="utf-8").endswith("# ours\n")
