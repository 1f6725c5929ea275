"""Versions of the engines: which are releases, which are builds, and which comes first."""

from __future__ import annotations

import re
from functools import cache

ReleaseKey = tuple[tuple[int, ...], int]
"""The numbers of a release, and that of its post-release; 0 for the release itself."""

_RELEASE = re.compile(
    r"v?\d+(?:\.\d+)+(?:\.?post(\d{1,18}))?(?:[+-](?:cu\d+|rocm[\d.]*|cpu|xpu|tpu|neuron\d*))?"
)
"""Names of releases. A tag that tells the device that it was built for (vllm setup.py, `get_vllm_version`)
changes nothing in its source."""
_BEFORE = re.compile(r"v?\d+(?:\.\d+)*[._-]?(?:a|b|c|rc|alpha|beta|preview|dev)\d*(?![a-z])")


@cache
def version_key(version: str) -> tuple[int, ...]:
    """Turn the release number of a version into a key to compare: `v0.33.0rc1` gives (0, 33), `nightly` ().

    Zeros at the end do not count (0.33 is 0.33.0), nor do pre- and post-release marks. Limits of refusals are
    compared by it: a build near a release mostly refuses what the release does.
    """
    found = re.match(r"v?(\d{1,18}(?:\.\d{1,18})*)", version)
    open_ended = re.match(r"v?\d+\.\d*x", version)  # `0.2x` may be any of ten releases
    numbers = [int(part) for part in found[1].split(".")] if found and not open_ended else []
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@cache
def release_key(version: str) -> ReleaseKey | None:
    """Turn a release or post-release into a key to compare and to look up; None for every build.

    Nobody knows what a build between releases has, or one with patches, so what a release lacks is looked up
    by this key.
    """
    found = _RELEASE.fullmatch(version)
    return (version_key(version), int(found[1] or 0)) if found else None


@cache
def order_key(version: str) -> ReleaseKey:
    """Turn a version into a key that tells which comes first: builds before the release of their number."""
    return release_key(version) or (version_key(version), -1 if comes_before(version) else 0)


def is_same_release(version: str, release: str) -> bool:
    """Tell whether a version is this very release, or build: facts of the one are those of the other."""
    key = release_key(version)
    return version == release or (key is not None and key == release_key(release))


def is_published(version: str) -> bool:
    """Tell whether wheels and images carry this name: a release, without a tag for another device."""
    return release_key(version) is not None and "+" not in version and "-" not in version


def comes_before(version: str) -> bool:
    """Tell whether this is a build from before the release that its number names: `0.33.0rc1`."""
    return _BEFORE.match(version) is not None


def is_patched(version: str) -> bool:
    """Tell whether this is a release with changes of its own: `0.10.1+gptoss`."""
    return bool(version_key(version)) and release_key(version) is None and not comes_before(version)
