"""`launchplan observe`, and `launchplan memory --measured`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.observe.test_observation import LOG, RECIPE

Runner = Callable[..., Any]
OBSERVED = """\
serve: vllm 0.33.0, figures of 2 ranks; the fullest one counts

                            unit      planned    from     to         measured  planned over measured  in interval  ranks
driver                      GiB       0.48       0.25     0.85       0.46      +4.9%                  yes
weights                     GiB       7.52       7.51     7.71       7.60      -1.1%                  yes          7.51 to 7.60
activations                 GiB       0.76       0.58     0.99       2.35      -67.5%                 no
cuda graphs                 GiB       0.76       0.17     1.24       1.55      -51.1%                 no
non-torch                   GiB       0.43       0.00     2.61       0.90      -52.6%                 yes
pool                        GiB       63.37      59.94    64.78      60.50     +4.7%                  yes          60.50 to 60.54
pool                        tokens    1,038,208  982,096  1,061,392  991,232   +4.7%                  yes
requests of 131,072 tokens  requests  7.92       7.49     8.10       7.56      +4.8%                  yes
CUDA graphs, as captured    GiB                                      0.71
reading weights             s                                        41.50
loading weights             s                                        45.10                                         44.90 to 45.10
starting the engine         s                                        203.23
"""


def test_command(launchplan: Runner, tmp_path: Path) -> None:
    (tmp_path / "llama.yaml").write_text(RECIPE, "utf-8")
    (tmp_path / "start.log").write_text(LOG, "utf-8")
    recipe, log, kept = (str(tmp_path / name) for name in ("llama.yaml", "start.log", "kept.yaml"))
    ran = launchplan("observe", recipe, "--log", log, "--write", kept)
    assert (ran.code, ran.err) == (0, f"kept in {kept}\n")
    assert ran.out == OBSERVED
    printed = json.loads(launchplan("observe", recipe, "--log", log, "--json").out)
    assert printed["ranks"][0]["figures"]["pool_tokens"] == 991232
    assert {each["name"] for each in printed["comparisons"]} >= {"weights", "pool", "non-torch"}
    planned = launchplan("memory", recipe, "--measured", kept)
    assert planned.out.count("measured, start.log") == 6
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_file()) == [
        "kept.yaml",
        "llama.yaml",
        "start.log",
    ]


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (
            "",
            (
                "kept.yaml: error REC001 unreadable-file: the file is empty\n"
                "  fix: `launchplan observe RECIPE --log FILE --write FILE` writes one\n"
            ),
        ),
        (
            "launchplan: 2\n",
            (
                "kept.yaml:1:13: error REC004 wrong-format-version:"
                " the file of measurements is of format 2; this launchplan reads format 1\n"
                "    launchplan: 2\n                ^\n  fix: write 'launchplan: 1'\n"
            ),
        ),
        (
            "launchplan: 1\nrecipe: x\npools: []\n",
            (
                "kept.yaml:3:8: error REC008 wrong-value: pools has 0 entries; it should have at least 1\n"
                "    pools: []\n           ^\n"
            ),
        ),
        (
            "launchplan: 1\nrecipe: x\nother: 1\npools: 3\n",
            (
                "kept.yaml:3:1: error REC005 unknown-key: 'other' is not a key of this file\n"
                "    other: 1\n    ^^^^^\n  fix: known here: launchplan, recipe, pools\n\n"
                "kept.yaml:4:8: error REC006 wrong-type: pools is 3, not a list\n"
                "    pools: 3\n           ^\n  fix: write [3]\n"
            ),
        ),
        (
            "- 1\n",
            (
                "kept.yaml:1:1: error REC006 wrong-type:"
                " the file holds a list, not the mapping of a file of measurements\n    - 1\n    ^\n"
            ),
        ),
        ("{", "kept.yaml:2:1: error REC002 not-yaml: not YAML: did not find expected node content\n"),
    ],
)
def test_bad_file_of_measurements(launchplan: Runner, files: Path, kept: str, told: str) -> None:
    (files / "llama.yaml").write_text(RECIPE, "utf-8")
    (files / "kept.yaml").write_text(kept, "utf-8")
    ran = launchplan("memory", "llama.yaml", "--measured", "kept.yaml")
    assert (ran.code, ran.out, ran.err) == (2, "", told)


@pytest.mark.parametrize(
    ("log", "told"), [("missing.log", "no such file or directory"), (".", "is a directory")]
)
def test_unreadable_log(launchplan: Runner, files: Path, log: str, told: str) -> None:
    (files / "llama.yaml").write_text(RECIPE, "utf-8")
    ran = launchplan("observe", "llama.yaml", "--log", log)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: cannot read {log}: {told}\n")


def test_figures_are_written_over_figures_and_over_nothing_else(launchplan: Runner, files: Path) -> None:
    (files / "llama.yaml").write_text(RECIPE, "utf-8")
    (files / "start.log").write_text(LOG, "utf-8")
    arguments = ("observe", "llama.yaml", "--log", "start.log", "--write")
    assert launchplan(*arguments, "kept.yaml").err == "kept in kept.yaml\n"
    assert launchplan(*arguments, "kept.yaml").err == "kept in kept.yaml\n"
    ran = launchplan(*arguments, "llama.yaml")
    told = "error: llama.yaml holds something else than figures of a log; name another file\n"
    assert (ran.code, ran.out, ran.err) == (2, "", told)
    assert (files / "llama.yaml").read_text("utf-8") == RECIPE


def test_figures_of_a_pool_that_the_recipe_lacks(launchplan: Runner, files: Path) -> None:
    (files / "llama.yaml").write_text(RECIPE, "utf-8")
    (files / "start.log").write_text(LOG, "utf-8")
    launchplan("observe", "llama.yaml", "--log", "start.log", "--write", "kept.yaml")
    kept = (files / "kept.yaml").read_text("utf-8").replace("role: serve", "role: decode")
    (files / "kept.yaml").write_text(kept, "utf-8")
    ran = launchplan("memory", "llama.yaml", "--measured", "kept.yaml")
    told = (
        "kept.yaml:5:9: error REC008 wrong-value: pool decode was measured; the recipe has serve\n"
        "    - role: decode\n            ^^^^^^\n"
    )
    assert (ran.code, ran.out, ran.err) == (2, "", told)
