"""Write the names that every release of an engine has, read from the wheels of all its releases.

    python -m tests.conformance.record.releases vllm|sglang|transformers FOLDER

pip downloads the wheels one after the other; FOLDER keeps what is read of them, and what it has is not
downloaded again. Nothing is installed or imported. With each release of an engine goes the newest transformers
that it allows today; of transformers the classes are listed that the engines' files know. The file goes to
standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from launchplan.catalog.load import read_fact
from launchplan.catalog.releases import CLASSES, FOLDER, LIBRARY, Releases
from tests.conformance.record.loadable import WIDTH
from tests.conformance.record.names import READERS
from tests.conformance.record.wheels import METADATA, releases, sources

Names = Mapping[Version, frozenset[str]]


def runs(names: Names) -> dict[str, list[str]]:
    """Names by the run of releases that have them, the oldest run first."""
    order, found = sorted(names), dict[tuple[int, int], list[str]]()
    for name in sorted(frozenset[str]().union(*names.values())):
        for run in _runs([name in names[release] for release in order]):
            found.setdefault(run, []).append(name)
    newest = len(order) - 1
    return {
        f"{order[first]}..{order[last] if last < newest else ''}": held
        for (first, last), held in sorted(found.items())
    }


def _runs(has: list[bool]) -> Iterator[tuple[int, int]]:
    start = None
    for place, (now, later) in enumerate(zip(has, [*has[1:], False], strict=True)):
        start = place if now and start is None else start
        if now and not later and start is not None:
            yield start, place
            start = None


def without_gaps(of: str, names: Names) -> Names:
    """Leave out the releases before the first that has the list; raises where a later one has none."""
    order = sorted(names)
    first = next(place for place, release in enumerate(order) if names[release])
    empty = [release for release in order[first:] if not names[release]]
    if empty:
        raise ValueError(f"{of} has no names in {', '.join(map(str, empty))}")
    return {release: names[release] for release in order[first:]}


def allowed(place: Path, library: Iterable[Version]) -> frozenset[str]:
    """The transformers that a release asks for, else the newest that it allows."""
    (metadata,) = place.glob(f"*.dist-info/{METADATA}")
    lines = (line.partition(":") for line in metadata.read_text(encoding="utf-8").splitlines())
    asked = [Requirement(text.strip()) for key, _, text in lines if key == "Requires-Dist"]
    asks = next((each.specifier for each in asked if each.name == LIBRARY), SpecifierSet())
    pinned = [each.version for each in asks if each.operator == "=="]  # one that was withdrawn, too
    return frozenset(pinned or [str(max(asks.filter(library)))])


def known_classes() -> frozenset[str]:
    """The classes that the engines' files list."""
    files = [read_fact(Releases, FOLDER / f"{engine}.yaml") for engine in READERS if engine != LIBRARY]
    lists = [each for file in files for each in file.lists if each.of == CLASSES]
    return frozenset(name for each in lists for names in each.runs.values() for name in names)


def main(project: str, folder: str) -> None:
    """Print the fact file."""
    places = sources(project, Path(folder))
    found: dict[str, dict[Version, frozenset[str]]] = {of: {} for of in READERS[project]}
    for release, place in places.items():  # release by release: a reader keeps what it read last
        for of, (_, read) in READERS[project].items():
            found[of][release] = frozenset(read(place))
    if project == LIBRARY:
        known = known_classes()
        found[CLASSES] = {release: names & known for release, names in found[CLASSES].items()}
    lists = {of: (READERS[project][of][0], names) for of, names in found.items()}
    if project != LIBRARY:
        library = releases(LIBRARY)
        newest = {release: allowed(place, library) for release, place in places.items()}
        lists[LIBRARY] = ("the newest at PyPI that the wheel's METADATA allows", newest)
    sys.stdout.write(text(project, list(places), lists))


def text(project: str, every: list[Version], lists: Mapping[str, tuple[str, Names]]) -> str:
    """The file: what was read, and each list by runs of releases."""
    head = {
        "engine": project,
        "source": f"the wheels of {project} at PyPI, read",
        "checked": datetime.now(UTC).date().isoformat(),
    }
    body = [
        {"of": of, "source": source, "runs": runs(without_gaps(of, names))}
        for of, (source, names) in lists.items()
    ]
    return "".join((
        yaml.safe_dump(head, sort_keys=False, width=WIDTH),
        yaml.safe_dump({"releases": [str(each) for each in every]}, default_flow_style=None, width=WIDTH),
        yaml.safe_dump({"lists": body}, default_flow_style=None, sort_keys=False, width=WIDTH),
    ))  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
