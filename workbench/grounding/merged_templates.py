"""Two tables of templates made one: those of replaced rules go, those ground again come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Array, Bool, Int64
from workbench.network.ground_network import Templates


@dataclass(frozen=True)
class MergedTemplates:
    """Two tables of templates made one: the numbers of both in it.

    `goes` marks the templates of the old table that do. One with none of its name in the new table
    has a number past the end: `width` counts those too.
    """

    templates: Templates
    goes: Bool
    old: Int64
    new: Int64
    width: int


def merge_templates(templates: Templates, goes: Bool, piece: Templates) -> MergedTemplates:
    """The templates that stay and those of the piece, in order of their rules."""
    chosen = np.flatnonzero(~goes)
    rules = np.concatenate([templates.rule[chosen], piece.rule])
    order = np.argsort(np.where(rules < 0, np.iinfo(np.int32).max, rules), kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)

    def join(name: str) -> Array:
        return np.concatenate([getattr(templates, name)[chosen], getattr(piece, name)])[order]

    labels = [*(templates.label[i] for i in chosen), *piece.label]
    formulas = [*(_formulas(templates)[i] for i in chosen), *_formulas(piece)]
    merged = Templates(
        **{name: join(name) for name in ("weight", "fixed", "rule", "clause", "share")},
        label=tuple(labels[i] for i in order),
        formula=tuple(formulas[i] for i in order),
    )
    new = rank[chosen.size :]
    names = dict(zip(zip(piece.rule.tolist(), piece.clause.tolist(), piece.label), new.tolist()))
    old, width = np.empty(templates.n_templates, np.int64), order.size
    old[chosen] = rank[: chosen.size]
    for number in np.flatnonzero(goes).tolist():
        name = (int(templates.rule[number]), int(templates.clause[number]), templates.label[number])
        old[number] = names.get(name, width)
        width += name not in names
    return MergedTemplates(merged, goes, old, new, width)


def _formulas(templates: Templates) -> tuple[str, ...]:
    return templates.formula or ("",) * templates.n_templates


def sums_by_template(old: Array, new: Array, tables: MergedTemplates) -> Array:
    """Sums by template: of those that stay as they were, of the others as they are now."""
    sums = np.zeros((tables.templates.n_templates, *old.shape[1:]), old.dtype)
    stays = ~tables.goes
    sums[tables.old[stays]] = old[stays]
    sums[tables.new] = new
    return sums
