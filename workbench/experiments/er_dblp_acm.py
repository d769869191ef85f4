"""The experiment `er-dblp-acm`: see `er_linkage`."""

from workbench.experiments.er_linkage import DBLP_ACM as PUBLISHED
from workbench.experiments.er_linkage import run_dblp_acm as run

__all__ = ["PUBLISHED", "SYSTEMS", "run"]

SYSTEMS = (
    "link",
    "link, one to one",
)
