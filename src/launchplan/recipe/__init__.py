"""The schema of recipe and cluster files and of kept measurements, and how they are read."""

from launchplan.recipe.cluster import Cluster
from launchplan.recipe.load import Loaded, Source, changed, load_cluster, load_measured, load_recipe
from launchplan.recipe.measured import MeasuredFile, MeasuredPool
from launchplan.recipe.schema import Recipe

__all__ = [
    "Cluster",
    "Loaded",
    "MeasuredFile",
    "MeasuredPool",
    "Recipe",
    "Source",
    "changed",
    "load_cluster",
    "load_measured",
    "load_recipe",
]
