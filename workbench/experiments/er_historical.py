"""The experiment `er-historical`: see `er_linkage`."""

from workbench.experiments.er_linkage import HISTORICAL as PUBLISHED
from workbench.experiments.er_linkage import run_historical as run

__all__ = ["PUBLISHED", "SYSTEMS", "run"]

SYSTEMS = ("link",)
