"""Probabilities that data give open atoms, as unit clauses."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int64
from workbench.grounding.roles import Role
from workbench.grounding.templates import TemplateTable
from workbench.grounding.vocabulary import Vocabulary


def soft_evidence_units(
    vocabulary: Vocabulary, table: TemplateTable
) -> list[tuple[Int64, int, Float]]:
    """Atoms (ids in the whole space) with a probability p in the data, their template and logit(p).

    The template has fixed weight 1: a unit clause of weight logit(p) an atom.
    """
    if vocabulary.program.language == "psl":
        return []
    found = []
    for name, role in vocabulary.roles.items():
        learned = vocabulary.request.role == "learn" and role.role is not Role.EVIDENCE
        if not role.open or not role.facts.uncertain or learned:
            continue
        rows = vocabulary.connection.execute(f"{vocabulary.soft_query(name)}").fetchnumpy()
        probability = np.asarray(rows["value"], np.float64)
        if not probability.size:
            continue
        template = table.fixed_entry(-1, -1, f"soft evidence {name}", 1.0)
        if template >= 0:
            logit = np.log(probability) - np.log1p(-probability)
            found.append((np.asarray(rows["atom"], np.int64), template, logit))
    return found
