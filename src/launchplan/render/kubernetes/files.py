"""The files of the kubernetes target and the template of each."""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import Launch
from launchplan.finding import Finding
from launchplan.render.block import Block
from launchplan.render.environment import Printer
from launchplan.render.kubernetes.context import KubernetesPlan, Workload, kubernetes_plan
from launchplan.render.kubernetes.kserve import KServePlan, kserve_plan
from launchplan.render.kubernetes.pod import Pod
from launchplan.render.target import File, Target


def files(launch: Launch, findings: tuple[Finding, ...], printer: Printer) -> tuple[File, ...]:  # noqa: ARG001
    """Make a manifest a workload, those of Services and what else is asked for, and a kustomization."""
    plan = kubernetes_plan(launch)
    return tuple(File(f"kubernetes/{name}", content) for name, content in _manifests(launch, plan, printer))


def _manifests(launch: Launch, plan: KubernetesPlan, printer: Printer) -> Iterator[tuple[str, bytes]]:
    yield "kustomization.yaml", printer.file("kubernetes/kustomization.yaml.j2", plan=plan)
    if plan.has_compute_domain:
        yield "compute-domain.yaml", printer.file("kubernetes/compute-domain.yaml.j2", plan=plan)
    if plan.kserve:
        yield "llm-inference-service.yaml", _kserve(kserve_plan(launch, plan), plan, printer)
        return
    for workload in plan.workloads:
        yield f"{workload.component}.yaml", _workload(workload, plan, printer)
    if plan.front.leader.serves:
        yield "service.yaml", printer.file("kubernetes/service.yaml.j2", plan=plan)
    if plan.has_gateway:
        yield "gateway.yaml", printer.file("kubernetes/gateway.yaml.j2", plan=plan)


def _workload(workload: Workload, plan: KubernetesPlan, printer: Printer) -> bytes:
    deep = 8 if workload.leaderworkerset else 6
    leader = _block(workload.leader, deep, printer)
    worker = _block(workload.worker, deep, printer) if workload.worker is not None else leader
    name = f"kubernetes/{workload.kind}.yaml.j2"
    return printer.file(name, plan=plan, workload=workload, leader=leader, worker=worker)


def _kserve(service: KServePlan, plan: KubernetesPlan, printer: Printer) -> bytes:
    pods = {
        name: _block(pod, deep, printer)
        for name, pod, deep in (
            ("leader", service.leader, 4),
            ("worker", service.worker, 4),
            ("prefill_leader", service.prefill_leader, 6),
            ("prefill_worker", service.prefill_worker, 6),
        )
    }
    return printer.file("kubernetes/llm-inference-service.yaml.j2", plan=plan, service=service, **pods)


def _block(pod: Pod, indent: int, printer: Printer) -> Block:
    return Block(printer.text("kubernetes/_pod.yaml.j2", pod=pod), indent)


TARGET = Target(
    "kubernetes", "manifests for kustomize: Deployment or LeaderWorkerSet, Service, router", files
)
