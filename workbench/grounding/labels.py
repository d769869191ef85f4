"""Labels of open atoms: the truth that the data keep apart, and values listed beside targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database.identifiers import text_literal
from workbench.grounding.roles import Role
from workbench.grounding.space import Numbering
from workbench.grounding.vocabulary import Vocabulary


def labelled_predicates(vocabulary: Vocabulary) -> tuple[str, ...]:
    """The predicates asked about of which the data state some label, true, false or unknown."""
    psl = vocabulary.program.language == "psl"
    return tuple(
        name
        for name, role in vocabulary.roles.items()
        if role.role is Role.QUERY and (role.facts.truth or (role.facts.evidence and not psl))
    )


def truth_of(vocabulary: Vocabulary, numbering: Numbering) -> Float:
    """Labels of the columns of the network, float64 of shape (n_atoms,), NaN where there is none.

    In `learn` the facts of an MLN's query and hidden predicates are labels under the closed world:
    an atom without a fact is false, one marked `?` has no label, and a hidden predicate without any
    fact has none at all. In `infer`, and for PSL, labels are the facts of the partition `truth`;
    for an MLN an unlisted atom is false where all of them are true, a closed-world list, and has no
    label where some are not.
    """
    truth = np.full(vocabulary.space.size, np.nan)
    for name in vocabulary.space.predicates:
        _label(vocabulary, name, truth)
    return np.asarray(numbering.of_open(truth))


def _label(vocabulary: Vocabulary, name: str, truth: Float) -> None:
    role = vocabulary.roles[name]
    psl = vocabulary.program.language == "psl"
    learns = vocabulary.request.role == "learn" and not psl
    if role.listed and not role.scoped and not psl:
        return
    has_facts = role.facts.truth or (learns and role.facts.evidence)
    first, count = vocabulary.space.offset[name], int(vocabulary.space.count[name].sum())
    if not psl and (has_facts or (learns and role.role is Role.QUERY)) and count:
        truth[int(first[0]) : int(first[0]) + count] = 0.0
    if not has_facts:
        return
    ids, values = _placed(vocabulary, name, ("evidence", "truth") if learns else ("truth",))
    if not psl and not learns and np.any(values < 1):
        truth[int(first[0]) : int(first[0]) + count] = np.nan
    truth[ids] = values


def listed_values(vocabulary: Vocabulary, numbering: Numbering) -> Float | None:
    """Values that the data list beside targets (PSL), float64 (n_atoms,), NaN for none.

    None where no predicate has targets.
    """
    names = [name for name in vocabulary.space.predicates if vocabulary.roles[name].facts.target]
    if not names or vocabulary.program.language != "psl":
        return None
    listed = np.full(vocabulary.space.size, np.nan)
    for name in names:
        ids, values = _placed(vocabulary, name, ("target",))
        listed[ids] = values
    return np.asarray(numbering.of_open(listed))


def _placed(vocabulary: Vocabulary, name: str, partitions: tuple[str, ...]) -> tuple[Int64, Float]:
    """Ids in the space, and values, of a predicate's facts in some partitions."""
    stored = vocabulary.stored[name]
    joins, shown = [], []
    for number, (column, type_name) in enumerate(stored.constant_columns):
        joins.append(
            f"JOIN domain d{number} ON d{number}.world = t.world AND d{number}.constant = "
            f"t.{column} AND d{number}.type = {text_literal(type_name)}"
        )
        shown.append(f"d{number}.position AS p{number}")
    chosen = ", ".join(map(text_literal, partitions))
    facts = (
        f"SELECT {', '.join(['t.world', *shown, 't.value'])} FROM {vocabulary.table(stored)} t "
        f"{' '.join(joins)} WHERE t.partition IN ({chosen}) AND t.world IN ({vocabulary.in_worlds})"
    )
    if vocabulary.roles[name].listed:
        keys = "".join(f" AND l.p{number} = f.p{number}" for number in range(len(shown)))
        rows = vocabulary.connection.execute(
            f"SELECT l.atom, f.value FROM {vocabulary.listed(name)} l JOIN ({facts}) f ON f.world "
            f"= l.world{keys} WHERE l.atom IS NOT NULL"
        ).fetchnumpy()
        return np.asarray(rows["atom"], np.int64), _floats(rows["value"])
    rows = vocabulary.connection.execute(facts).fetchnumpy()
    grid = vocabulary.space.grids[name]
    place = np.searchsorted(np.array(vocabulary.worlds), np.asarray(rows["world"]))
    ids = grid.offset[place]
    for number in range(len(shown)):
        ids = ids + grid.strides[place, number] * np.asarray(rows[f"p{number}"], np.int64)
    return ids, _floats(rows["value"])


def _floats(column: Any) -> Float:
    """A column of doubles, NULL as NaN."""
    if isinstance(column, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(column.astype(np.float64), np.nan), np.float64)
    return np.asarray(column, np.float64)
