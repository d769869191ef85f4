"""Fields that another one determines: who shares a postcode shares the town, and agreement in both
says no more than in one.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np

from workbench.linkage.comparison import first_equal
from workbench.linkage.field_tree import FAR, log_shares
from workbench.linkage.problem import LinkProblem
from workbench.linkage.tree import TreeModel

DETERMINED, SEVERAL = 0.9, 2.0
"""Of the pairs that are equal in a field, those that are so in one which it determines; and how
many there are a record at least.
"""
SOME = 0.001
"""Pairs of each level beside those that are seen."""


def with_determined(model: TreeModel, problem: LinkProblem) -> TreeModel:
    """A model of independent fields in which those that another one determines say nothing beside
    it: who shares a postcode shares the town.

    What matches are like does not count: of the determining field more pairs are equal than matches
    may be.
    """
    (other,), pairs = model.others, problem.across
    equal = [
        problem.levels[:, place] >= first_equal(one)
        for place, one in enumerate(problem.comparisons)
    ]
    parent, tables = list(other.parent), list(other.tables)
    for by, of in permutations(range(len(equal)), 2):
        first, weight = first_equal(problem.comparisons[of]), pairs * equal[by]
        found = np.bincount(problem.levels[:, of], weight, minlength=problem.sizes[of])
        counts = np.asarray(found, np.float64)
        there = counts[FAR:].sum()
        alone = max(parent[by], parent[of]) < 0
        if (
            alone
            and there >= SEVERAL * problem.records
            and counts[first:].sum() > DETERMINED * there
        ):
            table = np.tile(tables[of], (problem.sizes[by], 1))
            table[first_equal(problem.comparisons[by]) :, FAR:] = log_shares(counts + SOME)[FAR:]
            parent[of], tables[of] = by, table
    tree = replace(other, parent=tuple(parent), tables=tuple(tables))
    return replace(model, others=(tree,))
