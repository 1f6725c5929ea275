"""The kubernetes target: manifests that kustomize builds."""

from launchplan.render.kubernetes.files import TARGET

__all__ = ["TARGET"]
