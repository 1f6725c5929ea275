"""Docker Compose reads any text as it was meant, in commands and in environment files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from launchplan.render import render_bundle
from tests.executors.bundles import write
from tests.executors.compose.test_config import config
from tests.render.kit import fill, make_launch
from tests.render.test_values import TROUBLE, recipe

PIECES = (
    *TROUBLE,
    "a",
    " ",
    "=",
    ",",
    "é☃",
    "\U0001f600",
    "\t",
    "{",
    "}",
    "$$",
    "${",
    "\\n",
    "\\$",
    "%s",
    "*",
)


@pytest.mark.parametrize("seed", range(8))
def test_any_text_arrives(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 # any will do
    texts = ["".join(chance.choices(PIECES, k=chance.randrange(6))) for _ in range(200)]
    launch = make_launch(recipe(texts, texts, "".join(PIECES), "s"))
    folder = write(render_bundle(launch, (), ("compose",), None), tmp_path) / "compose" / "node-0"
    service = config(folder, {})["services"]["node-0"]
    words = [fill(word, {}) for word in launch.processes[0].argv]
    assert [*service["entrypoint"], *service["command"]] == words
    wanted = {each.name: fill(each.value, {}) for each in launch.env}
    assert service["environment"] == wanted | {"HF_TOKEN": None}
