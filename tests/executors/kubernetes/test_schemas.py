"""Strict schemas take every manifest: Kubernetes' own kinds, and custom ones where their definitions are there."""

from __future__ import annotations

import copy
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.executors.bundles import NAMES, bundle_named
from tests.executors.kubernetes.crds import errors, folder
from tests.render.api_server import complaints, pod_templates
from tests.render.kubelet import Manifest, manifests

kubernetes_validate: Any = None
if find_spec("kubernetes_validate") is not None:
    kubernetes_validate = import_module("kubernetes_validate")
VERSIONS = ("1.31", "1.34", "1.37")
NATIVE = frozenset({"Deployment", "StatefulSet", "Service"})
CUSTOM = frozenset({"LeaderWorkerSet", "InferencePool", "HTTPRoute", "LLMInferenceService", "ComputeDomain"})
NO_DEFINITION = frozenset({"ComputeDomain"})


def native_errors(document: Manifest, version: str) -> list[str]:
    if kubernetes_validate is None:
        pytest.fail("kubernetes-validate is missing: pip install --group executors")
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{list(error.path)}: {error.message}"]
    return []


def documents_of(name: str) -> list[Manifest]:
    return manifests(bundle_named(name, "kubernetes"))


@pytest.mark.parametrize("name", NAMES)
def test_kinds_are_known(name: str) -> None:
    assert {each["kind"] for each in documents_of(name)} <= NATIVE | CUSTOM


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_native_kinds(name: str, version: str) -> None:
    for document in documents_of(name):
        if document["kind"] in NATIVE:
            assert native_errors(document, version) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_pod_template_is_one_of_a_deployment(name: str) -> None:
    """Pods of custom kinds hold to Kubernetes' own schema, too."""
    for place, pod in pod_templates(documents_of(name)):
        shell = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p"},
            "spec": pod,
        }
        assert (place, native_errors(shell, VERSIONS[-1])) == (place, [])


@pytest.mark.parametrize("name", NAMES)
def test_custom_kinds(name: str) -> None:
    if folder() is None:
        pytest.skip("no definitions of custom resources beside the checkout")
    for document in documents_of(name):
        if document["kind"] in CUSTOM - NO_DEFINITION:
            assert errors(document) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_server_has_no_complaints(name: str) -> None:
    assert complaints([each for each in documents_of(name) if each["kind"] != "HTTPRoute"]) == []


@pytest.mark.parametrize("name", NAMES)
def test_kustomization_lists_every_manifest(name: str) -> None:
    files = bundle_named(name, "kubernetes").files
    made = {Path(path).name for path in files if path.startswith("kubernetes/")} - {"kustomization.yaml"}
    listed = yaml.safe_load(files["kubernetes/kustomization.yaml"])
    assert set(listed) <= {"apiVersion", "kind", "namespace", "resources", "labels"}
    assert sorted(listed["resources"]) == sorted(made)


def _container(document: Manifest) -> Any:
    return document["spec"]["template"]["spec"]["containers"][0]


NATIVE_FAULTS: dict[str, Callable[[Manifest], Any]] = {
    "a misspelt field": lambda d: _container(d)["readinessProbe"].update(failureTreshold=3),
    "a number in the environment": lambda d: _container(d)["env"].append({"name": "A", "value": 1}),
    "a number in the arguments": lambda d: _container(d)["args"].append(8),
    "true as a label": lambda d: d["spec"]["template"]["spec"].update(nodeSelector={"gpu": True}),
}


@pytest.mark.parametrize("fault", NATIVE_FAULTS)
def test_native_schemas_find(fault: str) -> None:
    document = copy.deepcopy(documents_of("one-node")[0])
    NATIVE_FAULTS[fault](document)
    assert native_errors(document, VERSIONS[-1]) != []


def _leader(document: Manifest) -> Any:
    return document["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["spec"]


CUSTOM_FAULTS: dict[str, Callable[[Manifest], Any]] = {
    "a misspelt field": lambda d: d["spec"]["leaderWorkerTemplate"].update(sise=2),
    "a port in quotes": lambda d: _leader(d)["containers"][0]["ports"][0].update(containerPort="8000"),
    "a quantity of GiB": lambda d: _leader(d)["volumes"][0]["emptyDir"].update(sizeLimit="64GiB"),
    "a Deployment's restart policy": lambda d: d["spec"]["leaderWorkerTemplate"].update(
        restartPolicy="Always"
    ),
    "a misspelt probe": lambda d: _leader(d)["containers"][0]["startupProbe"].update(failureTreshold=3),
}


@pytest.mark.parametrize("fault", CUSTOM_FAULTS)
def test_custom_schemas_find(fault: str) -> None:
    if folder() is None:
        pytest.skip("no definitions of custom resources beside the checkout")
    document = copy.deepcopy(documents_of("two-nodes")[0])
    assert errors(document) == []
    CUSTOM_FAULTS[fault](document)
    assert errors(document) != []
