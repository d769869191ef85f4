"""Duplicates within either of two files, which are compared across alone."""

from __future__ import annotations

import numpy as np

from workbench.errors import Diagnostic
from workbench.linkage.candidates import Candidates
from workbench.linkage.clustering import Clustering
from workbench.linkage.link_model import LinkModel, Scoring
from workbench.linkage.sources import pairs_within
from workbench.tables.records import Records

MOST = 5000
"""Records of each file that are asked about."""
SOME, SHARE = 20, 0.05
"""Pairs that are told of, at least, and for each that is taken."""


def about_repeated(
    records: Records,
    candidates: Candidates,
    model: Scoring,
    clustering: Clustering,
    cut_at: float,
    taken: int,
) -> list[Diagnostic]:
    """That pairs within two files look like one thing and are apart, where these repeat things."""
    if len(records.sources) != 2 or not isinstance(model, LinkModel):
        return []
    if model.within is not None or model.at_chance is not None:
        return []
    fields = [one.field for one in model.comparisons]
    asked = np.concatenate(
        [np.arange(size) < MOST for size in np.bincount(records.source, minlength=2)]
    )
    pairs = pairs_within(fields, candidates.proposed, candidates.near, records.source, asked)
    apart = clustering.label[pairs.left] != clustering.label[pairs.right]
    alike = np.flatnonzero(apart & (model.scores(pairs) > cut_at))
    if len(alike) < max(SOME, SHARE * taken):
        return []
    left, right = (records.ids[side[alike[0]]] for side in (pairs.left, pairs.right))
    of = [records.sources[place] for place in np.unique(records.source[pairs.left[alike]])]
    return [
        Diagnostic.warning(
            "E0708",
            f"{len(alike):,} pairs within {' and '.join(of)} look like one thing "
            f"({left} and {right}, say), and stay apart: two files are compared across alone",
            help="link each file by itself first, or put both into one file, to find what either "
            "has twice",
        )
    ]
