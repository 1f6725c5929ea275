"""Which versions are releases, which are builds, and which releases judge them."""

from __future__ import annotations

import pytest

from launchplan.catalog import judging_facts
from launchplan.catalog.version import (
    comes_before,
    is_patched,
    is_published,
    is_same_release,
    release_key,
    version_key,
)


@pytest.mark.parametrize(
    ("version", "key"),
    [
        ("0.33.0", (0, 33)),
        ("v0.33.1", (0, 33, 1)),
        ("0.33", (0, 33)),
        ("0.33.0rc1", (0, 33)),
        ("0.5.23.post1", (0, 5, 23)),
        ("0.33.1.dev12+g1a2b3c", (0, 33, 1)),
        ("0.0", (0,)),
        ("nightly", ()),
    ],
)
def test_version_key(version: str, key: tuple[int, ...]) -> None:
    assert version_key(version) == key


@pytest.mark.parametrize(
    ("version", "key"),
    [
        ("0.33.0", ((0, 33), 0)),
        ("v0.33", ((0, 33), 0)),
        ("0.10.1.1", ((0, 10, 1, 1), 0)),
        ("0.5.9.post1", ((0, 5, 9), 1)),
        ("0.5.9post2", ((0, 5, 9), 2)),
        ("0.33.0+cu129", ((0, 33), 0)),
        ("0.19.1+rocm721", ((0, 19, 1), 0)),
        ("0.33.0+cpu", ((0, 33), 0)),
        ("v0.5.9.post1-cu130", ((0, 5, 9), 1)),
        ("0.33.0+ours", None),
        ("0.11.2+nv25.12", None),
        ("0.33.0rc1", None),
        ("0.33.0rc1+cu129", None),
        ("0.33.1.dev12+g1a2b3c", None),
        ("0.2x", None),
        ("nightly", None),
    ],
)
def test_release_key(version: str, key: tuple[tuple[int, ...], int] | None) -> None:
    assert release_key(version) == key


@pytest.mark.parametrize(
    ("version", "before", "patched"),
    [
        ("0.33.0", False, False),
        ("0.33.0.post1", False, False),
        ("0.33.0rc1", True, False),
        ("0.33.0.rc0", True, False),
        ("0.33.0a1", True, False),
        ("0.33.0alpha1", True, False),
        ("0.33.1.dev12+g1a2b3c", True, False),
        ("0.29.1rc1.dev5+gabc", True, False),
        ("0.33.0+ours", False, True),
        ("0.33.0+cu129", False, False),
        ("0.33.0-ours", False, True),
        ("nightly", False, False),
    ],
)
def test_builds(version: str, before: bool, patched: bool) -> None:
    assert (comes_before(version), is_patched(version)) == (before, patched)


@pytest.mark.parametrize(
    ("version", "release", "expected"),
    [
        ("v0.33", "0.33.0", True),
        ("0.33.0+cu129", "0.33.0", True),
        ("0.33.0.post1", "0.33.0", False),
        ("0.33.0rc1", "0.33.0", False),
        ("0.33.0rc1", "0.33.0rc1", True),  # facts that somebody recorded of a build
        ("nightly", "0.33.0", False),
    ],
)
def test_same_release(version: str, release: str, expected: bool) -> None:
    assert is_same_release(version, release) is expected


def test_what_is_published() -> None:
    assert [
        each for each in ("0.33.0", "v0.5.9.post1", "0.33.0+cu129", "0.33.0rc1", "main") if is_published(each)
    ] == [
        "0.33.0",
        "v0.5.9.post1",
    ]


@pytest.mark.parametrize(
    ("version", "judges"),
    [
        ("0.20.2", ["0.20.2"]),
        ("0.20.2+cu129", ["0.20.2"]),
        ("0.21.0", ["0.20.2", "0.24.0"]),
        ("0.20.2.post1", ["0.20.2", "0.24.0"]),
        ("0.21.0rc1", ["0.20.2", "0.24.0"]),
        ("0.20.2rc1", ["0.20.2", "0.18.1", "0.24.0"]),
        ("0.11.2rc1", ["0.11.2", "0.15.1"]),
        ("0.20.2+ours", []),
        ("0.33.0rc1", []),
        ("0.34.0", []),
        ("0.10.0", []),
        ("nightly", []),
    ],
)
def test_which_releases_judge(version: str, judges: list[str]) -> None:
    assert [facts.version for facts in judging_facts("vllm", version)] == judges
