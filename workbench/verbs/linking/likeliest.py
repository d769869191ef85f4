"""Two fields do not tell how often matches and others agree in them, and of a few shops write in
each what others write in another; a text tells, by what chance makes of it. Records are read in
these ways, and the reading that finds more is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from workbench.arrays import Bool, Int32
from workbench.linkage.choice import FieldChoice, told_by_a_title, told_by_all_texts
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
    """Pairs compared, and what is learned from them; of a few fields that no labels teach, as they
    are and by a text, whichever finds more that is right.
    """
    found = [_learned(read, labelled, conduct)]
    for choice, alone in () if labelled.teach else _by_a_text(read):
        if not conduct.over:
            one = _learned(replace(read, choice=choice), labelled, conduct)
            found += [one] if alone or one[2].repeats_nothing else []
    return max(found, key=_right) if len(found) > 1 else found[0]


def _by_a_text(read: LinkedRecords) -> Iterator[tuple[FieldChoice, bool]]:
    """The choices in which a text tells, and whether it is of one column: all together do not say
    in which one things differ, and only pairs within two files that repeat nothing tell it.
    """
    if title := told_by_a_title(read.choice):
        yield title, True
    if len(read.records.sources) == 2 and (texts := told_by_all_texts(read.choice)):
        yield texts, False


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
