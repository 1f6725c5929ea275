"""The recorder's own parts, with an engine that is none: forks, time limits, places, lines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.record.launches import Launch, Verdict, read_launches, write_line
from tests.conformance.record.places import refusal
from tests.conformance.record.pretend import read_device
from tests.conformance.record.processes import unconnected
from tests.conformance.rows import FOLDER, Row, recordings

ROOT = FOLDER.parents[1]
FAKE = """
import os, time
from tests.conformance.record.isolate import judge_all
from tests.conformance.record.launches import Launch, Verdict

class Engine:
    seen = 0
    def load(self): self.loaded = os.getpid()
    def judge(self, launch):
        self.seen += 1
        if launch.model == "hangs": time.sleep(60)
        if launch.model == "dies": os._exit(9)
        return Verdict(self.loaded != os.getpid(), f"seen {self.seen} {os.environ.get('WORD')}")

launches = (Launch("a", "m", [], "h200", 8, {"WORD": "one"}), Launch("b", "dies", [], "h200", 8),
            Launch("c", "hangs", [], "h200", 8), Launch("d", "m", [], "h200", 8))
for launch, verdict in judge_all(Engine(), launches, 1.0):
    print(launch.id, verdict.ok, verdict.where)
"""


def test_each_launch_has_a_process_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FAKE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (
        done.stdout == "a True seen 1 one\nb False (no verdict)\nc False (no verdict)\nd True seen 1 None\n"
    )


def test_together_only_a_refused_launch_has_a_process_of_its_own() -> None:
    script = FAKE.replace("launches, 1.0", "launches[::3], 1.0, together=True")
    script = script.replace("return Verdict(self", "return Verdict(launch.id == 'a' or self")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "a True seen 1 one\nd True seen 3 None\n"


def test_an_engine_that_does_not_load_is_said() -> None:
    script = FAKE.replace("self.loaded = os.getpid()", "raise OSError('no such library')")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.endswith("RuntimeError: the engine's process ended after 0 of 4 launches\n")
    assert "OSError: no such library" in done.stderr


def test_a_line_is_a_row_of_the_data(tmp_path: Path) -> None:
    path = tmp_path / "vllm-1-config.jsonl"
    launch = Launch("id-1", "Qwen/Qwen3-8B", ["-tp", "8"], "h200", 8, {"A": "1"})
    with path.open("w", encoding="utf-8") as out:
        write_line(out, launch, Verdict(ok=False, where="vllm/config/model.py:1", error="not kept"))
        write_line(out, launch, Verdict(ok=True, resolved={"block_size": 16}))
    refused, accepted = (Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())
    assert (refused.ok, refused.where, refused.resolved) == (False, "vllm/config/model.py:1", {})
    assert (accepted.ok, accepted.where, accepted.resolved) == (True, None, {"block_size": 16})
    assert read_launches(path) == [launch, launch]


def test_recordings_can_be_asked_again() -> None:
    for recording in recordings():
        path = FOLDER / "data" / f"{recording.name}.jsonl.gz"
        assert [launch.id for launch in read_launches(path)] == [row.id for row in recording.rows()]


def test_every_recorded_gpu_can_be_pretended() -> None:
    gpus = {row.gpu for recording in recordings() for row in recording.rows()}
    devices = {gpu: read_device(gpu, 8) for gpu in sorted(gpus)}
    assert (devices["h200"].capability, devices["b200"].capability) == ((9, 0), (10, 0))
    assert devices["h200"].memory_bytes == 143_771 * 2**20


def engine_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "site-packages" / "engine" / "checks"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("def check(fail):\n    fail()\n")
    (folder.parent / "b.py").write_text("def fail():\n    raise ValueError('first\\nsecond')\n")
    return folder.parents[1]


def test_a_refusal_is_placed_in_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(engine_folder(tmp_path)))
    code = "from engine.checks.a import check\nfrom engine.b import fail\n"
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 # modules that the test wrote
    with pytest.raises(ValueError, match="first") as caught:
        exec("check(fail)", names)  # noqa: S102
    error = caught.value
    assert refusal(error, "engine") == Verdict(False, "engine/b.py:2", "first")
    assert refusal(error, "engine", "engine/checks/") == Verdict(False, "engine/checks/a.py:2", "first")
    assert refusal(SystemExit(2), "engine") == Verdict(False, "argparse", "exit 2")


LANGUAGE = """
from tests.conformance.record.pretend import stand_in
stand_in("kernels_that_nobody_has", language=True)
import kernels_that_nobody_has.cute as cute
from kernels_that_nobody_has.types import Float

@cute.jit
def plain(value): return value

@cute.kernel(warps=4)
def with_options(value: cute.Tensor[Float, 4] | None): return value

class Own(cute.Base): size = 3

print(plain(1), with_options(2), Own.size)
"""


def test_kernels_can_be_defined_in_a_language_that_is_not_there() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LANGUAGE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1 2 3\n"


class Coordinator:
    """Stands for an engine's class of process groups."""

    rank_in_group: int
    world_size: int


def test_an_unconnected_group_knows_its_members() -> None:
    group = unconnected(Coordinator, 5)([[0, 1, 2, 3], [4, 5, 6, 7]], 5, group_name="tp")
    assert (group.ranks, group.rank_in_group, group.world_size) == ([4, 5, 6, 7], 1, 4)
    assert (group.cpu_group.size(), group.cpu_group.rank(), group.unique_name) == (4, 1, "tp")
