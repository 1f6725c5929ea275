"""How vLLM 0.33.0 puts the caches of layers into groups that share one pool of blocks.

v1/core/kv_cache_planning.py: one group when all are alike, else pages of one size in groups of equal length,
or packed groups where a layout puts the block outermost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from launchplan.memory.kv.vllm.types import Cache, Group

if TYPE_CHECKING:
    from collections.abc import Iterable

# A type with fewer than this times the layers of the smallest one is not cut further: :416.
_NEARLY_EQUAL = 1.5


def group_caches(caches: tuple[Cache, ...], *, packed: bool) -> tuple[Group, ...]:
    """Group the caches of a rank."""
    if not caches:
        return ()
    if _uniform(caches):
        return (Group(caches),)
    if packed and len({cache.page_bytes for cache in caches}) > 1:
        return tuple(Group(tuple(each)) for each in _packed(caches))
    return tuple(Group(each) for each in _equal_pages(_one_page_size(caches)))


def _uniform(caches: Iterable[Cache]) -> bool:
    return len({_likeness(cache) for cache in _distinct(caches)}) == 1


def _distinct(caches: Iterable[Cache]) -> tuple[Cache, ...]:
    """Take each object once: layers that are alike share one, and comparing sixty layers takes time."""
    return tuple({id(cache): cache for cache in caches}.values())


def _likeness(cache: Cache) -> tuple[int, str, int]:
    """Give what caches of one group have in common; of states, the page too."""
    return (cache.block_tokens, cache.base, cache.page_bytes if cache.kind == "state" else 0)


def _one_page_size(caches: tuple[Cache, ...]) -> tuple[Cache, ...]:
    """Give all pages the size of the largest: more tokens a block where that comes out even, else padding."""
    distinct = _distinct(caches)
    largest = max(cache.page_bytes for cache in distinct)
    grown = {_kind(cache): _grown(cache, largest) for cache in distinct}
    by_object = {id(cache): grown[_kind(cache)] for cache in distinct}
    return tuple(by_object[id(cache)] for cache in caches)


def _kind(cache: Cache) -> tuple[object, ...]:
    """Give what tells caches of different specifications apart."""
    return (cache.kind, *_likeness(cache), cache.page_bytes, cache.padded_bytes)


def _grown(cache: Cache, page: int) -> Cache:
    if cache.page_bytes == page:
        return cache
    if cache.kind != "state" and page % cache.page_bytes == 0:
        return replace(cache, block_tokens=cache.block_tokens * (page // cache.page_bytes))
    return replace(cache, padded_bytes=page)


def _equal_pages(caches: tuple[Cache, ...]) -> list[tuple[Cache, ...]]:
    kinds = {id(cache): _kind(cache) for cache in _distinct(caches)}
    by_kind: dict[tuple[object, ...], list[Cache]] = {}
    for cache in caches:
        by_kind.setdefault(kinds[id(cache)], []).append(cache)
    counts = [len(each) for each in by_kind.values()]
    size = max(counts) if max(counts) < min(counts) * _NEARLY_EQUAL else min(counts)
    return [
        tuple(each[start :: ceil(len(each) / size)])
        for each in by_kind.values()
        for start in range(ceil(len(each) / size))
    ]


@dataclass(frozen=True, slots=True)
class _Bucket:
    """Caches that may stand in one packed group."""

    caches: tuple[Cache, ...]

    @property
    def by_page(self) -> dict[int, list[Cache]]:
        found: dict[int, list[Cache]] = {}
        for cache in self.caches:
            found.setdefault(cache.page_bytes, []).append(cache)
        return found

    @property
    def balanced(self) -> bool:
        return len({len(each) for each in self.by_page.values()}) == 1

    @property
    def most(self) -> int:
        return Counter(cache.page_bytes for cache in self.caches).most_common(1)[0][1]

    def parts(self, repeats: int | None) -> int:
        return ceil(self.most / repeats) if self.balanced and repeats else 1

    def widest(self, parts: int) -> int:
        return sum(ceil(len(each) / parts) * page for page, each in self.by_page.items())


def _packed(caches: Iterable[Cache]) -> list[list[Cache]]:
    """Split uniform buckets into groups of about one width (:914)."""
    buckets = _buckets(caches)
    mixed = [each.most for each in buckets if each.balanced and len(each.by_page) > 1]
    repeats = _common_size([each.most for each in buckets if each.balanced], max(mixed)) if mixed else None
    anchor = max(
        each.widest(len(each.caches) if _keeps_state(each, repeats) else each.parts(repeats))
        for each in buckets
    )
    groups: list[list[Cache]] = []
    for bucket in buckets:
        parts = bucket.parts(repeats)
        if _keeps_state(bucket, repeats):
            fitting = max(anchor // bucket.caches[0].page_bytes, 1)
            parts = max(parts, ceil(len(bucket.caches) / fitting))
        groups += _cut(bucket, parts)
    return groups


def _buckets(caches: Iterable[Cache]) -> list[_Bucket]:
    found: dict[tuple[int, str, int], list[Cache]] = {}
    for cache in caches:
        found.setdefault(_likeness(cache), []).append(cache)
    return [_Bucket(tuple(each)) for each in found.values()]


def _keeps_state(bucket: _Bucket, repeats: int | None) -> bool:
    kind = bucket.caches[0].kind
    return kind == "state" or (repeats is None and kind.startswith("sliding"))


def _cut(bucket: _Bucket, parts: int) -> list[list[Cache]]:
    if parts == 1:
        return [list(bucket.caches)]
    rows = list(zip(*bucket.by_page.values(), strict=False))
    return [[cache for row in rows[start::parts] for cache in row] for start in range(parts)]


def _common_size(counts: list[int], least: int) -> int:
    """Find the size that wastes the fewest places, the larger one of equals."""
    sizes = range(max(1, least), max(counts) + 1)
    return min(sizes, key=lambda size: (sum(-count % size for count in counts), -size), default=max(1, least))
