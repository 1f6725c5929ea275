"""Typed facts as YAML, one file a thing: models, GPUs, fabrics, cluster presets, engine versions."""

from launchplan.catalog.advice import Score, Thinking
from launchplan.catalog.calibration import Calibration, calibration
from launchplan.catalog.clusters import ClusterPreset
from launchplan.catalog.drivers import Toolkit, engine_toolkit
from launchplan.catalog.engine_json import EngineJson, engine_json
from launchplan.catalog.engine_models import EngineModels, engine_models
from launchplan.catalog.engines import Ambiguous, EngineFacts, Flag
from launchplan.catalog.fabrics import Fabric
from launchplan.catalog.gpus import Gpu
from launchplan.catalog.history import FlagChange, FlagHistory, flag_history
from launchplan.catalog.images import engine_image, router_image
from launchplan.catalog.installs import engine_install
from launchplan.catalog.load import (
    cluster_preset,
    cluster_presets,
    engine_facts,
    fabric,
    fabrics,
    given,
    given_facts,
    gpu,
    gpus,
    nearest_cluster_preset,
    nearest_fabric,
    nearest_facts,
    nearest_gpu,
    read_engine_facts,
    versions,
)
from launchplan.catalog.loadable import Loadable, loadable
from launchplan.catalog.models import Checkpoint, ModelEntry, Speculative, model, models, nearest_model
from launchplan.catalog.neighbours import judging_facts
from launchplan.catalog.releases import ReleaseNames, lacks_class, release_names
from launchplan.catalog.version import is_same_release, version_key

__all__ = [
    "Ambiguous",
    "Calibration",
    "Checkpoint",
    "ClusterPreset",
    "EngineFacts",
    "EngineJson",
    "EngineModels",
    "Fabric",
    "Flag",
    "FlagChange",
    "FlagHistory",
    "Gpu",
    "Loadable",
    "ModelEntry",
    "ReleaseNames",
    "Score",
    "Speculative",
    "Thinking",
    "Toolkit",
    "calibration",
    "cluster_preset",
    "cluster_presets",
    "engine_facts",
    "engine_image",
    "engine_install",
    "engine_json",
    "engine_models",
    "engine_toolkit",
    "fabric",
    "fabrics",
    "flag_history",
    "given",
    "given_facts",
    "gpu",
    "gpus",
    "is_same_release",
    "judging_facts",
    "lacks_class",
    "loadable",
    "model",
    "models",
    "nearest_cluster_preset",
    "nearest_fabric",
    "nearest_facts",
    "nearest_gpu",
    "nearest_model",
    "read_engine_facts",
    "release_names",
    "router_image",
    "version_key",
    "versions",
]
