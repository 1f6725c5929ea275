"""The bundles of the shipped recipes."""

from __future__ import annotations

from functools import cache

from launchplan import api
from launchplan.engines import Launch
from launchplan.pipeline import make_plan
from launchplan.render import Bundle
from launchplan.resources import recipes_dir

SHIPPED = tuple(sorted(str(path.relative_to(recipes_dir()))[:-5] for path in recipes_dir().rglob("*.yaml")))


@cache
def shipped_launch(recipe: str) -> Launch:
    launch = make_plan(recipes_dir() / f"{recipe}.yaml").launch
    assert launch is not None
    return launch


@cache
def shipped_bundle(recipe: str, *targets: str) -> Bundle:
    return render(recipe, *targets)


def render(recipe: str, *targets: str) -> Bundle:
    """What `launchplan render` writes."""
    return api.render(recipes_dir() / f"{recipe}.yaml", targets=targets)
