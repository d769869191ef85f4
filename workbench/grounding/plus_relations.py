"""The `+` combinations of a clause as a relation that its rows are joined with."""

from __future__ import annotations

import numpy as np

from workbench.grounding.backend import Backend
from workbench.grounding.counting import Tally


def plus_relation(backend: Backend, tally: Tally) -> str | None:
    """A temporary relation `(t0, ..., template)` of a clause's `+` combinations, if any."""
    if not tally.plan.n_plus:
        return None
    import pyarrow

    n_plus = tally.plan.n_plus
    relation = f"templates_{tally.plan.clause.rule}"
    columns = {
        f"t{i}": pyarrow.array([key[i] for key in tally.keys], pyarrow.int32())
        for i in range(n_plus)
    }
    columns["template"] = pyarrow.array(tally.templates, pyarrow.int32())
    chosen = np.ones(len(tally.keys), np.bool_) if tally.plan.clause.hard else tally.templates >= 0
    backend.make(relation, pyarrow.table(columns).filter(pyarrow.array(chosen)))
    return relation
