"""Launches of the cases in `recipes/`, and a place where their scripts run with recorders for engines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from launchplan.engines import Launch, Site, Value, build_launch, head_views
from launchplan.engines.budgets import pool_memory
from launchplan.finding import Finding, Severity
from launchplan.layout import place
from launchplan.recipe import Source, load_cluster, load_recipe
from launchplan.render import TARGETS, Background, Bundle, Reason, render_bundle
from launchplan.resolve import resolve

HERE = Path(__file__).parent
CASES = tuple(
    sorted(path.stem for path in HERE.glob("recipes/*.yaml") if not path.name.endswith(".cluster.yaml"))
)
FINDINGS = (
    Finding(
        "PAR107",
        "idle-gpus",
        Severity.WARNING,
        "8 of 16 GPUs | idle",
        ("hardware", "nodes"),
        fix="use `nodes: 1`",
    ),
    Finding("OPS102", "no-evidence", Severity.INFO, "nothing shows that this was run"),
)
RECORDER = """#!{python} -IS
import json, os, sys
with open("/proc/self/environ", "rb") as file:
    pairs = [pair.split(b"=", 1) for pair in file.read().split(b"\\0") if pair]
record = {{
    "argv": [os.fsencode(word).decode("latin-1") for word in sys.argv],
    "env": {{name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}},
    "cwd": os.getcwd(),
}}
with open({log!r}, "a") as file:
    file.write(json.dumps(record) + "\\n")
{then}
"""


@dataclass(frozen=True)
class Run:
    """What a script did: its streams, and what the recorders saw as (program, arguments, environment)."""

    code: int
    stdout: str
    stderr: str
    records: tuple[dict[str, Any], ...]

    @property
    def argvs(self) -> list[list[str]]:
        """The words of each program that ran, its own name first."""
        found = ([word.encode("latin-1").decode() for word in record["argv"]] for record in self.records)
        return [[Path(program).name, *words] for program, *words in found]

    @property
    def argv(self) -> list[str]:
        """The words of the only program that ran."""
        (argv,) = self.argvs
        return argv

    @property
    def env(self) -> dict[str, str]:
        """Its environment, without what bash and the test itself put there."""
        (record,) = self.records
        env = {name: value.encode("latin-1").decode() for name, value in record["env"].items()}
        return {
            name: value for name, value in env.items() if name not in {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}
        }


class Host:
    """A folder with a bundle and programs that record instead of serving."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bundle = root / "a bundle"
        self.programs = root / "programs"
        self.programs.mkdir(parents=True)
        self.log = root / "log"

    def put(self, bundle: Bundle) -> None:
        for path, content in bundle.files.items():
            target = self.bundle / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if path in bundle.executable else 0o644)

    def record(self, *programs: str, then: str = "") -> None:
        for program in programs:
            self.program(program, RECORDER.format(python=sys.executable, log=str(self.log), then=then))

    def program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(text)
        path.chmod(0o755)

    def run(
        self,
        *command: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        path: str | None = None,
    ) -> Run:
        self.log.unlink(missing_ok=True)
        whole = {"PATH": path or f"{self.programs}:/usr/bin:/bin:/usr/sbin:/sbin", **(env or {})}
        done = subprocess.run(
            command, env=whole, cwd=cwd or self.root, capture_output=True, check=False, timeout=60
        )
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return Run(
            done.returncode,
            done.stdout.decode(),
            done.stderr.decode(),
            tuple(json.loads(line) for line in lines),
        )

    def script(self, name: str, *arguments: str, env: Mapping[str, str] | None = None, **more: Any) -> Run:
        return self.run(str(self.bundle / name), *arguments, env=env, **more)


def make_launch(recipe: Source, cluster: Source | None = None) -> Launch:
    layout = place(resolve(load_recipe(recipe), load_cluster(cluster) if cluster is not None else None))
    assert layout is not None
    return build_launch(layout)


@cache
def case_launch(name: str) -> Launch:
    cluster = HERE / "recipes" / f"{name}.cluster.yaml"
    return make_launch(HERE / "recipes" / f"{name}.yaml", cluster if cluster.exists() else None)


@cache
def case_bundle(name: str) -> Bundle:
    launch = case_launch(name)
    return render_bundle(launch, FINDINGS, tuple(TARGETS), None, background_of(launch))


def background_of(launch: Launch) -> Background:
    """Compute the memory of a launch's ranks; choices are as they come, no rule has seen them."""
    memory = pool_memory(head_views(launch.layout.resolved, launch))
    return Background(memory, {"PAR107": Reason("Idle GPUs.", ("GPUs that no rank uses <cost> money.",))})


def fill(value: Value, site: Mapping[str, str]) -> str:
    """Put the site's values into a value; a host of the tests has no search paths of its own."""
    return "".join(
        part if isinstance(part, str) else site[part.variable] if isinstance(part, Site) else ""
        for part in value
    )


def site_of(launch: Launch) -> dict[str, str]:
    """Give every site variable of a launch a value with something in it that bash could spoil."""
    return {site.variable: f"{site.variable.lower()} $x 'y'" for site in launch.sites()}
