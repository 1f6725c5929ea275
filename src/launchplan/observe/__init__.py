"""Engine logs: what they measured, against what was planned, and kept for the next plan."""

from __future__ import annotations

from launchplan.observe.observation import Observation, observe_pools
from launchplan.observe.read import read_log

__all__ = ["Observation", "observe_pools", "read_log"]
