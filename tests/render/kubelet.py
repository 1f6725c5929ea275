"""What a cluster makes of rendered manifests: pods with their names, and the words and environment they run with.

Expansion is that of the kubelet (third_party/forked/golang/expansion): `$(NAME)` of a variable that the container
has, `$$` for a dollar, and anything else as it stands. The variables of a LeaderWorkerSet come before all others
(lws pkg/utils/pod: AddLWSVariables).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from launchplan.render import Bundle

_REFERENCE = re.compile(r"\$\$|\$\(([^)]*)\)")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Manifest = dict[str, Any]


@dataclass(frozen=True)
class RunningPod:
    """One pod of a workload."""

    name: str
    host: str
    """What others in its namespace call it by; empty for a pod without a stable name."""
    component: str
    group: int
    index: int
    spec: Manifest
    injected: Mapping[str, str]

    @property
    def container(self) -> Manifest:
        (container,) = self.spec["containers"]
        assert isinstance(container, dict)
        return container

    def env(self, ip: str, secret: str | None = None) -> dict[str, str]:
        """Give what the container sees, in order; `ip` is the pod's."""
        env = dict(self.injected)
        for each in self.container.get("env", []):
            if "value" in each:
                env[each["name"]] = expand(each["value"], env)
            elif "fieldRef" in each["valueFrom"]:
                assert each["valueFrom"] == {"fieldRef": {"fieldPath": "status.podIP"}}
                env[each["name"]] = ip
            elif secret is not None:
                assert set(each["valueFrom"]) == {"secretKeyRef"}
                env[each["name"]] = secret
        return env

    def argv(self, env: Mapping[str, str]) -> list[str]:
        words = [*self.container["command"], *self.container["args"]]
        return [expand(word, env) for word in words]


def expand(text: str, env: Mapping[str, str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        return "$" if match[0] == "$$" else env.get(match[1], match[0])

    return _REFERENCE.sub(replaced, text)


def manifests(bundle: Bundle) -> list[Manifest]:
    """Read every object of a bundle but the kustomization."""
    return [document for path, content in bundle.files.items()
            if path.startswith("kubernetes/") and not path.endswith("kustomization.yaml")
            for document in yaml.load_all(content, Loader=LOADER)]  # fmt: skip


def pods_of(documents: list[Manifest], namespace: str = "default") -> list[RunningPod]:
    """Start what Deployments, StatefulSets and LeaderWorkerSets ask for."""
    return [pod for document in documents for pod in _pods(document, namespace)]


def _pods(document: Manifest, namespace: str) -> Iterator[RunningPod]:
    name, spec = document["metadata"]["name"], document["spec"]
    if document["kind"] in {"Deployment", "StatefulSet"}:
        component = spec["template"]["metadata"]["labels"]["app.kubernetes.io/component"]
        for group in range(spec["replicas"]):
            stable = document["kind"] == "StatefulSet"
            host = f"{name}-{group}.{spec['serviceName']}" if stable else ""
            yield RunningPod(f"{name}-{group}", host, component, group, 0, spec["template"]["spec"], {})
    elif document["kind"] == "LeaderWorkerSet":
        template = spec["leaderWorkerTemplate"]
        for group in range(spec["replicas"]):
            for index in range(template["size"]):
                pod = template["workerTemplate" if index else "leaderTemplate"]
                injected = {
                    "LWS_LEADER_ADDRESS": f"{name}-{group}.{name}.{namespace}",
                    "LWS_GROUP_SIZE": str(template["size"]),
                    "LWS_WORKER_INDEX": str(index),
                }
                own = f"{name}-{group}" + (f"-{index}" if index else "")
                component = pod["metadata"]["labels"]["app.kubernetes.io/component"]
                yield RunningPod(own, f"{own}.{name}", component, group, index, pod["spec"], injected)
