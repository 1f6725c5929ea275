"""The schema of recipe and cluster files, and how they are read."""

from launchplan.recipe.cluster import Cluster
from launchplan.recipe.load import Loaded, Source, changed, load_cluster, load_recipe
from launchplan.recipe.schema import Recipe

__all__ = ["Cluster", "Loaded", "Recipe", "Source", "changed", "load_cluster", "load_recipe"]
