"""What an API server says of a manifest that its schemas don't: names, references, quantities, webhooks.

Each complaint is a path and what is wrong there. The rules are those of a Kubernetes 1.36 server; what it only warns
of, and what no server sees though it cannot work (a probe of a port that is not there), are complaints here, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

Manifest = dict[str, Any]
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_SERVICE = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?")
_LABEL_NAME = re.compile(r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
_PORT_NAME = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?")
_FACTORS = {"m": 0.001, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
            **{f"{letter}i": 1024.0 ** (power + 1) for power, letter in enumerate("KMGTP")}}  # fmt: skip
_ENV_NAME = re.compile(r"[ -<>-~]+")
_FIELDS = re.compile(r"(metadata\.(name|namespace|uid)|spec\.(nodeName|serviceAccountName)|"
                     r"status\.(hostIPs?|podIPs?)|metadata\.(labels|annotations)\['.+'\])")  # fmt: skip
_NATIVE = frozenset({"cpu", "memory", "ephemeral-storage"})
_HANDLERS = frozenset({"exec", "httpGet", "tcpSocket", "grpc"})
_POD_KINDS = frozenset({"Deployment", "StatefulSet", "LeaderWorkerSet", "LLMInferenceService"})
_MAX_INT32 = 2**31 - 1


def complaints(documents: list[Manifest]) -> list[str]:
    """Check every object, and what they say of each other."""
    found = [f"{_id(document)}: {text}" for document in documents for text in _object(document)]
    names = Counter(_id(document) for document in documents)
    found += [f"{name}: there are {count}" for name, count in names.items() if count > 1]
    return found + [f"{_id(each)}: {text}" for each in documents if each["kind"] == "Service"
                    for text in _service(each, documents)]  # fmt: skip


def _id(document: Manifest) -> str:
    return f"{document['kind']}/{document['metadata']['name']}"


def _object(document: Manifest) -> Iterator[str]:
    name, kind, spec = document["metadata"]["name"], document["kind"], document["spec"]
    pattern = _SERVICE if kind in {"Service", "LeaderWorkerSet"} else _LABEL
    if not pattern.fullmatch(name):
        yield f"metadata.name: {name} is no DNS label"
    yield from _labels(document["metadata"].get("labels", {}), "metadata.labels")
    if kind in {"Deployment", "StatefulSet"}:
        yield from _controller(kind, spec)
    if kind == "LeaderWorkerSet":
        yield from _leader_worker_set(name, spec)
    for path, template in _templates(document):
        yield from (f"{path}.{text}" for text in _pod(template))


def _templates(document: Manifest) -> Iterator[tuple[str, Manifest]]:
    spec = document["spec"]
    match document["kind"]:
        case "Deployment" | "StatefulSet":
            yield "spec.template.spec", spec["template"]["spec"]
        case "LeaderWorkerSet":
            for name in ("leaderTemplate", "workerTemplate"):
                if name in spec["leaderWorkerTemplate"]:
                    yield f"spec.leaderWorkerTemplate.{name}.spec", spec["leaderWorkerTemplate"][name]["spec"]
        case "LLMInferenceService":
            for path, part in (("spec", spec), ("spec.prefill", spec.get("prefill", {}))):
                yield from ((f"{path}.{each}", part[each]) for each in ("template", "worker") if each in part)


def pod_templates(documents: list[Manifest]) -> list[tuple[str, Manifest]]:
    """List every pod spec with its place."""
    return [(f"{_id(each)} {path}", pod) for each in documents if each["kind"] in _POD_KINDS
            for path, pod in _templates(each)]  # fmt: skip


def _labels(labels: Manifest, path: str) -> Iterator[str]:
    for name, value in labels.items():
        if not _LABEL_NAME.fullmatch(name):
            yield f"{path}: {name} is no name of a label"
        if not isinstance(value, str) or not _LABEL_VALUE.fullmatch(value):
            yield f"{path}.{name}: {value} is no value of a label"


def _controller(kind: str, spec: Manifest) -> Iterator[str]:
    labels = spec["template"]["metadata"]["labels"]
    yield from _labels(labels, "spec.template.metadata.labels")
    if not spec["selector"]["matchLabels"].items() <= labels.items():
        yield "spec.selector: does not match the template's labels"
    if spec["template"]["spec"].get("restartPolicy", "Always") != "Always":
        yield "spec.template.spec.restartPolicy: is not Always"
    rolling = spec.get("strategy", {}).get("rollingUpdate", {})
    if kind == "Deployment" and rolling.get("maxSurge") == rolling.get("maxUnavailable") == 0:
        yield "spec.strategy.rollingUpdate.maxUnavailable: may not be 0 when maxSurge is 0"
    if kind == "Deployment" and spec.get("strategy", {}).get("type") == "Recreate" and rolling:
        yield "spec.strategy.rollingUpdate: may not be given with Recreate"


def _leader_worker_set(name: str, spec: Manifest) -> Iterator[str]:
    """Restate the webhook of LeaderWorkerSet (pkg/webhooks/leaderworkerset_webhook.go)."""
    template, replicas = spec["leaderWorkerTemplate"], spec.get("replicas", 1)
    size = template.get("size", 1)
    if replicas < 0 or size < 1 or replicas * size > _MAX_INT32:
        yield f"spec: {replicas} replicas of {size} pods"
    rolling = spec.get("rolloutStrategy", {}).get("rollingUpdateConfiguration", {})
    if rolling and rolling.get("maxUnavailable", 1) == rolling.get("maxSurge", 0) == 0:
        yield "spec.rolloutStrategy: maxUnavailable and maxSurge are both 0"
    policy = template.get("subGroupPolicy")
    if policy is not None:
        sub = policy.get("subGroupSize", 0)
        whole = size - 1 if policy.get("subGroupPolicyType") == "LeaderExcluded" else size
        if not 1 <= sub <= size or whole % sub:
            yield f"spec.leaderWorkerTemplate.subGroupPolicy: {sub} of {size}"
    longest = f"{name}-{max(replicas - 1, 0)}-{max(size - 1, 0)}"
    if len(longest) > 63:
        yield f"metadata.name: the pod {longest} has a name of {len(longest)} characters"
    for each in ("leaderTemplate", "workerTemplate"):
        yield from _labels(template.get(each, {}).get("metadata", {}).get("labels", {}), each)


def _pod(spec: Manifest) -> Iterator[str]:
    volumes = [volume["name"] for volume in spec.get("volumes", [])]
    yield from (f"volumes: {name} twice" for name, count in Counter(volumes).items() if count > 1)
    for volume in spec.get("volumes", []):
        if len(volume) != 2 or not _LABEL.fullmatch(volume["name"]):
            yield f"volumes.{volume['name']}: has no name that is a DNS label, or not one source"
        empty = volume.get("emptyDir") or {}
        if empty.get("medium", "") not in {"", "Memory"} or not _is_quantity(empty.get("sizeLimit", "1")):
            yield f"volumes.{volume['name']}.emptyDir: {empty}"
        if "hostPath" in volume and ".." in volume["hostPath"]["path"].split("/"):
            yield f"volumes.{volume['name']}.hostPath: goes up"
    if spec.get("hostNetwork") and spec.get("dnsPolicy") != "ClusterFirstWithHostNet":
        yield "dnsPolicy: names of the cluster are not resolved on the host's network"
    if spec.get("terminationGracePeriodSeconds", 30) < 0:
        yield "terminationGracePeriodSeconds: is negative"
    runtime = spec.get("runtimeClassName")
    if runtime is not None and not _SUBDOMAIN.fullmatch(runtime):
        yield f"runtimeClassName: {runtime}"
    yield from _placement(spec)
    used = {mount["name"] for each in spec["containers"] for mount in each.get("volumeMounts", [])}
    yield from (f"volumes: nothing mounts {name}" for name in volumes if name not in used)
    for container in spec["containers"]:
        yield from (f"containers.{container['name']}.{text}" for text in _container(container, spec))


def _placement(spec: Manifest) -> Iterator[str]:
    yield from _labels(spec.get("nodeSelector", {}), "nodeSelector")
    for toleration in spec.get("tolerations", []):
        operator = toleration.get("operator", "Equal")
        if operator not in {"Exists", "Equal"} or (operator == "Exists" and toleration.get("value")):
            yield f"tolerations.{toleration.get('key')}: {operator}"
        if toleration.get("key") and not _LABEL_NAME.fullmatch(toleration["key"]):
            yield f"tolerations: {toleration['key']}"
    affinity = spec.get("affinity", {}).get("podAffinity", {})
    for term in affinity.get("requiredDuringSchedulingIgnoredDuringExecution", []):
        selector = term.get("labelSelector") or {}
        keys = {
            *selector.get("matchLabels", {}),
            *(each["key"] for each in selector.get("matchExpressions", [])),
        }
        if not term.get("topologyKey") or not selector or keys & set(term.get("matchLabelKeys", [])):
            yield "affinity.podAffinity: needs a topologyKey, a selector, and keys of labels that are not in it"


def _container(container: Manifest, spec: Manifest) -> Iterator[str]:
    if not _LABEL.fullmatch(container["name"]):
        yield "name: is no DNS label"
    if not container.get("image") or container["image"] != container["image"].strip():
        yield f"image: '{container.get('image')}'"
    security = container.get("securityContext", {})
    if security.get("privileged") and security.get("allowPrivilegeEscalation") is False:
        yield "securityContext: privileged, and without escalation"
    yield from _environment(container.get("env", []))
    yield from _ports(container, host_network=bool(spec.get("hostNetwork")))
    yield from _resources(container.get("resources", {}), spec)
    yield from _mounts(container, spec)
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        if name in container:
            yield from (f"{name}.{text}" for text in _probe(name, container[name], container))


def _environment(variables: list[Manifest]) -> Iterator[str]:
    names = Counter(each["name"] for each in variables)
    yield from (f"env: {name} twice" for name, count in names.items() if count > 1)
    known: set[str] = {"LWS_LEADER_ADDRESS", "LWS_WORKER_INDEX", "LWS_GROUP_SIZE"}
    for each in variables:
        if not _ENV_NAME.fullmatch(each["name"]):
            yield f"env: '{each['name']}' is no name"
        if ("value" in each) == ("valueFrom" in each):
            yield f"env.{each['name']}: one of value and valueFrom"
        if len(each.get("valueFrom", {"": 0})) != 1:
            yield f"env.{each['name']}.valueFrom: one source"
        field = (each.get("valueFrom") or {}).get("fieldRef", {}).get("fieldPath")
        if field is not None and not _FIELDS.fullmatch(field):
            yield f"env.{each['name']}.valueFrom.fieldRef: {field}"
        text = each.get("value", "").replace("$$", "")
        for name in re.findall(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)", text):
            if name not in known:
                yield f"env.{each['name']}: {name} is not set before it"
        known.add(each["name"])


def _ports(container: Manifest, *, host_network: bool) -> Iterator[str]:
    ports = container.get("ports", [])
    for key in ("name", "containerPort"):
        counted = Counter(port[key] for port in ports if key in port)
        yield from (f"ports: {key} {value} twice" for value, count in counted.items() if count > 1)
    for port in ports:
        if "name" in port and not _PORT_NAME.fullmatch(port["name"]):
            yield f"ports: {port['name']} is no name of a port"
        if not 0 < port["containerPort"] < 65536:
            yield f"ports: {port['containerPort']} is no port"
        if host_network and port.get("hostPort", port["containerPort"]) != port["containerPort"]:
            yield f"ports: hostPort {port['hostPort']} is not the container's"


def _resources(resources: Manifest, spec: Manifest) -> Iterator[str]:
    requests, limits = resources.get("requests", {}), resources.get("limits", {})
    for name, text in [*requests.items(), *limits.items()]:
        if not _is_quantity(text):
            yield f"resources.{name}: {text} is no quantity"
            return
        if name not in _NATIVE and ("/" not in name or not _LABEL_NAME.fullmatch(name)):
            yield f"resources: {name} is no resource"
        if name not in _NATIVE and not _amount(text).is_integer():
            yield f"resources.{name}: {text} is not whole"
    for name in {*requests, *limits} - _NATIVE:
        if name not in limits or requests.get(name, limits[name]) != limits[name]:
            yield f"resources.{name}: the request is not the limit"
    for name in _NATIVE & {*requests} & {*limits}:
        if _amount(requests[name]) > _amount(limits[name]):
            yield f"resources.{name}: the request is above the limit"
    claims = {each["name"] for each in spec.get("resourceClaims", [])}
    yield from (f"resources.claims: there is no {each['name']}" for each in resources.get("claims", [])
                if each["name"] not in claims)  # fmt: skip
    for volume in spec.get("volumes", []):
        size = dict(volume.get("emptyDir") or {}).get("sizeLimit")
        if size and "memory" in limits and _amount(size) > _amount(limits["memory"]):
            yield f"volumes.{volume['name']}: {size} of memory are above the limit"


def _mounts(container: Manifest, spec: Manifest) -> Iterator[str]:
    volumes = {volume["name"] for volume in spec.get("volumes", [])}
    mounts = container.get("volumeMounts", [])
    for path, count in Counter(mount["mountPath"] for mount in mounts).items():
        if count > 1:
            yield f"volumeMounts: {path} twice"
        if ":" in path or not path.startswith("/"):
            yield f"volumeMounts: {path} is no place"
    yield from (f"volumeMounts: there is no {mount['name']}" for mount in mounts
                if mount["name"] not in volumes)  # fmt: skip


def _probe(name: str, probe: Manifest, container: Manifest) -> Iterator[str]:
    if len(_HANDLERS & set(probe)) != 1:
        yield "has not one handler"
    for key in ("periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold"):
        if probe.get(key, 1) < 1:
            yield f"{key}: {probe[key]}"
    if name != "readinessProbe" and probe.get("successThreshold", 1) != 1:
        yield "successThreshold: must be 1"
    port = (probe.get("httpGet") or probe.get("tcpSocket") or {}).get("port")
    if isinstance(port, str) and port not in {each.get("name") for each in container.get("ports", [])}:
        yield f"port: there is no {port}"


def _service(service: Manifest, documents: list[Manifest]) -> Iterator[str]:
    """Look for the pods that a Service selects, and for its ports among theirs."""
    wanted = {name: value for name, value in service["spec"]["selector"].items()
              if not name.startswith("leaderworkerset.sigs.k8s.io/")}  # fmt: skip
    ports: set[str] = set()
    matched = False
    for document in documents:
        for labels, pod in _labelled(document):
            if wanted.items() <= labels.items():
                matched = True
                ports |= {port["name"] for port in pod["containers"][0].get("ports", [])}
    if not matched:
        yield "spec.selector: matches no pod"
    for port in service["spec"].get("ports", []):
        target = port.get("targetPort", port["port"])
        if isinstance(target, str) and target not in ports:
            yield f"spec.ports: no pod has {target}"
        if not 0 < port["port"] < 65536:
            yield f"spec.ports: {port['port']} is no port"


def _labelled(document: Manifest) -> Iterator[tuple[Manifest, Manifest]]:
    spec = document["spec"]
    if document["kind"] in {"Deployment", "StatefulSet"}:
        yield spec["template"]["metadata"]["labels"], spec["template"]["spec"]
    elif document["kind"] == "LeaderWorkerSet":
        for name in ("leaderTemplate", "workerTemplate"):
            template = spec["leaderWorkerTemplate"][name]
            yield template["metadata"]["labels"], template["spec"]


def _is_quantity(text: object) -> bool:
    return isinstance(text, int) or (isinstance(text, str) and bool(_QUANTITY.fullmatch(text)))


def _amount(text: object) -> float:
    match = _QUANTITY.fullmatch(str(text))
    assert match is not None
    return float(match[1]) * _FACTORS[match[2] or ""]
