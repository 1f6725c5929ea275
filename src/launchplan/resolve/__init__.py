"""Recipe, cluster and catalog brought together; every value has an origin."""

from launchplan.resolve.build import engine_version, fabric_name, flag_key, resolve
from launchplan.resolve.model import local_config
from launchplan.resolve.origins import Origin, origins
from launchplan.resolve.types import ENGINES, Deployment, Resolved, ResolvedPool, Role

__all__ = [
    "ENGINES",
    "Deployment",
    "Origin",
    "Resolved",
    "ResolvedPool",
    "Role",
    "engine_version",
    "fabric_name",
    "flag_key",
    "local_config",
    "origins",
    "resolve",
]
