"""The Slurm target: one batch job a deployment, around the scripts of the shell target."""

from launchplan.render.slurm.files import TARGET

__all__ = ["TARGET"]
