"""Two fields do not tell how often matches and others agree in them; a title beside one does, by
what chance makes of it. Records are read both ways, and the reading that finds more is taken.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.arrays import Bool, Int32
from workbench.linkage.choice import told_by_a_title
from workbench.linkage.components import joined_records
from workbench.linkage.link_model import LinkModel
from workbench.linkage.mixture import sigmoid
from workbench.progress import Conduct
from workbench.verbs.linking.compared import Compared, compare
from workbench.verbs.linking.labels import LabelledPairs
from workbench.verbs.linking.reading import LinkedRecords

MOSTLY_RIGHT = 0.7
"""Of the pairs that the matches of a reading join, with those that these imply, so many are
expected to be right at least.
"""
Learned = tuple[LinkedRecords, Compared, LinkModel]


def likeliest(read: LinkedRecords, labelled: LabelledPairs, conduct: Conduct) -> Learned:
    """Pairs compared, and what is learned from them; of two fields that no labels teach, as they
    are and with a title, whichever finds more that is right.
    """
    plain = _learned(read, labelled, conduct)
    title = None if labelled.teach else told_by_a_title(read.choice)
    if title is None or conduct.over:
        return plain
    return max(plain, _learned(replace(read, choice=title), labelled, conduct), key=_right)


def _learned(read: LinkedRecords, labelled: LabelledPairs, conduct: Conduct) -> Learned:
    compared = compare(read, labelled, conduct)
    return read, compared, compared.model(conduct)


def _right(learned: Learned) -> float:
    """How many of the matches are expected to be right; 0 where they imply too many others."""
    read, compared, model = learned
    pairs, scores = compared.candidates.pairs, model.of_patterns(compared.patterns)
    right = float(sigmoid(scores[scores > 0]).sum())
    thing = joined_records(len(read.records), pairs, scores)
    one, other = (
        np.bincount(thing[side], minlength=len(thing)).astype(np.float64)
        for side in _sides(compared.second, len(thing))
    )
    implied = float(one @ other) if compared.second is not None else float(one @ (one - 1)) / 2.0
    return right if right >= MOSTLY_RIGHT * implied else 0.0


def _sides(second: Int32 | None, n: int) -> tuple[Bool, Bool]:
    """The records on either side of a pair."""
    if second is None:
        every = np.ones(n, np.bool_)
        return every, every
    return second == 0, second != 0
