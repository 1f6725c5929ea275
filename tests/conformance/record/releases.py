"""Write with which release each model class came to an engine, read from the wheels of all its releases.

    python -m tests.conformance.record.releases vllm|sglang

Single files are read out of the wheels at PyPI by ranges of bytes; nothing is installed or imported. With each
release goes the newest transformers that it allows today. The file goes to standard output.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import urllib.request
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPResponse
from io import BufferedReader, RawIOBase
from zipfile import ZipFile

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from launchplan.catalog.loadable import GENERATING
from tests.conformance.record.loadable import VLLM_TABLES, WIDTH, keys_of, tables_of

INDEX = "https://pypi.org/simple"
OLDEST = {"vllm": Version("0.6.3"), "sglang": Version("0.4.0"), "transformers": Version("4.42")}
"""The first releases whose registry is a file that can be read this way."""
REGISTRY = {
    "vllm": r"vllm/model_executor/models/registry\.py",
    "sglang": r"sglang/srt/models/.*\.py",
    "transformers": r"transformers/models/auto/modeling_auto\.py",
}
METADATA = r"[^/]*\.dist-info/METADATA"
CHUNK, TRIES, THREADS, TIMEOUT_S = 1 << 18, 3, 6, 120


def answered(url: str, headers: Mapping[str, str], method: str = "GET") -> HTTPResponse:
    """Ask for an address: the index, and what it links to."""
    request = urllib.request.Request(url, headers=dict(headers), method=method)  # noqa: S310
    answer: HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT_S)  # noqa: S310
    return answer


class Remote(RawIOBase):
    """A file at an address, read by ranges."""

    def __init__(self, url: str) -> None:
        self._url, self._at = url, 0
        with answered(url, {}, "HEAD") as answer:
            self._size = int(answer.headers["Content-Length"])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = (0, self._at, self._size)[whence] + offset
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        end = min(self._size, self._at + len(buffer)) - 1
        if end < self._at:
            return 0
        with answered(self._url, {"Range": f"bytes={self._at}-{end}"}) as answer:
            if answer.status != HTTPStatus.PARTIAL_CONTENT:
                raise OSError(f"{self._url} gives no ranges")
            data = answer.read()
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def wheels(project: str) -> dict[Version, str]:
    """The address of one wheel of each release since the oldest that is read."""
    with answered(f"{INDEX}/{project}/", {"Accept": "application/vnd.pypi.simple.v1+json"}) as answer:
        files = json.load(answer)["files"]
    found: dict[Version, str] = {}
    for file in files:
        name = re.fullmatch(rf"{project}-([^-]+)-.*\.whl", file["filename"])
        if name and "aarch64" not in file["filename"] and not file.get("yanked"):
            version = Version(name[1])
            if not version.is_prerelease and version >= OLDEST[project]:
                found.setdefault(version, file["url"])
    return found


def members(url: str, pattern: str) -> dict[str, str]:
    """The text of the files in a wheel whose whole name is as asked."""
    for left in reversed(range(TRIES)):
        try:
            with ZipFile(BufferedReader(Remote(url), CHUNK)) as wheel:
                names = [name for name in wheel.namelist() if re.fullmatch(pattern, name)]
                return {name: wheel.read(name).decode("utf-8-sig") for name in names}
        except OSError:
            if not left:
                raise
    raise AssertionError


def classes_in(project: str, sources: Iterable[str]) -> set[str]:
    """The classes that a project's registry names."""
    found = set[str]()
    for source in sources:
        tree = ast.parse(source)
        if project == "transformers":
            words = re.findall(r'"(\w+)"', source)
            found |= {word for word in words if word.endswith(GENERATING)}
            continue
        for name, table in tables_of(tree):
            if project == "vllm" and name.endswith("_MODELS") and name not in VLLM_TABLES:
                found |= set(keys_of(table))
            if project == "sglang" and name == "EntryClass":
                found |= {each.id for each in ast.walk(table) if isinstance(each, ast.Name)}
    return found


def read(project: str) -> dict[Version, tuple[set[str], SpecifierSet | None]]:
    """The classes of each release, and the transformers that it allows; posts belong to their release."""
    links = wheels(project)
    with ThreadPoolExecutor(THREADS) as threads:
        texts = threads.map(lambda url: members(url, f"{REGISTRY[project]}|{METADATA}"), links.values())
        found: dict[Version, tuple[set[str], SpecifierSet | None]] = {}
        for version, files in zip(links, texts, strict=True):
            metadata = next(text for name, text in files.items() if name.endswith("METADATA"))
            classes = classes_in(project, (text for name, text in files.items() if name.endswith(".py")))
            release = Version(version.base_version)
            before = found.get(release, (set[str](), None))
            found[release] = before[0] | classes, allowed(metadata) or before[1]
    return dict(sorted(found.items()))


def allowed(metadata: str) -> SpecifierSet | None:
    lines = (line.partition(":")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist:"))
    asked = (Requirement(line.strip()) for line in lines)
    return next((each.specifier for each in asked if each.name == "transformers"), None)


def grouped(pairs: Iterable[tuple[str, Version]]) -> dict[str, list[str]]:
    """Names by release, in the order of releases."""
    found: defaultdict[Version, list[str]] = defaultdict(list)
    for name, release in pairs:
        found[release].append(name)
    return {str(release): sorted(names) for release, names in sorted(found.items())}


def spans(releases: dict[Version, set[str]]) -> Iterator[tuple[str, Version, Version]]:
    """Each class with the first and the last release that has it."""
    for name in sorted(set[str]().union(*releases.values())):
        having = [release for release, classes in releases.items() if name in classes]
        yield name, having[0], having[-1]


def main(engine: str) -> None:
    """Print the fact file."""
    own, library = read(engine), read("transformers")
    classes = {release: names for release, (names, _) in own.items()}
    newest, held = max(own), list(spans(classes))
    known = {name for name, _, _ in held}
    theirs = spans({release: names & known for release, (names, _) in library.items()})
    head = {
        "engine": engine,
        "source": f"registries in the wheels of {engine} and transformers at PyPI, read",
        "checked": datetime.now(UTC).date().isoformat(),
    }
    allows = {
        str(release): str(max(each for each in library if asks is None or asks.contains(each)))
        for release, (_, asks) in own.items()
    }
    sys.stdout.write(yaml.safe_dump(head | {"transformers": allows}, sort_keys=False, width=WIDTH))
    for key, pairs in (
        ("since", [(name, first) for name, first, _ in held]),
        ("last", [(name, last) for name, _, last in held if last != newest]),
        ("in_transformers", [(name, first) for name, first, _ in theirs]),
    ):
        text = yaml.safe_dump({key: grouped(pairs)}, default_flow_style=None, sort_keys=False, width=WIDTH)
        sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
