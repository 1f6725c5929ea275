"""What every target that starts containers says of a process; each of them writes it in its own format."""

from launchplan.render.container.devices import Devices, devices_of
from launchplan.render.container.environment import ContainerEnvironment, environment_of
from launchplan.render.container.health import Health, health_of
from launchplan.render.container.start import start_budget_s

__all__ = [
    "ContainerEnvironment",
    "Devices",
    "Health",
    "devices_of",
    "environment_of",
    "health_of",
    "start_budget_s",
]
