"""From a layout to command lines and environments of the engines."""

from launchplan.engines.build import BY_NAME, build_launch, head_views
from launchplan.engines.launch import Flag, Inherited, Launch, Process, RayHead, Site, Value, Variable
from launchplan.engines.view import EngineView, PoolViews

__all__ = [
    "BY_NAME",
    "EngineView",
    "Flag",
    "Inherited",
    "Launch",
    "PoolViews",
    "Process",
    "RayHead",
    "Site",
    "Value",
    "Variable",
    "build_launch",
    "head_views",
]
