"""Values that stand in each other's columns: records whose forename and surname are exchanged.

Two columns of names are exchanged in some records where more of these have a counterpart, the same
values the other way round, than chance has. There each value goes where it mostly stands.

Others stand for each other: records of one thing say ICML here and Proc. ICML there. In a column of
few values two of them are taken for one where records that share a rare value of another column
hold both about as often as either twice: what merely goes together, such as sizes of one article,
is held so as chance has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammainc

from workbench.arrays import Array, Bool, Float, Int64
from workbench.linkage.fields import Field

SOME = 5
"""Records with a counterpart, beyond chance and three standard deviations of it."""
CLEARLY = 1.0
"""Log odds of standing in the other's column from which values are exchanged."""
HALF = 0.5


def put_in_place(fields: Sequence[Field]) -> tuple[list[Field], dict[tuple[str, str], int]]:
    """The fields with values put where they mostly stand, and in how many records, of each two
    that are exchanged in some.
    """
    found, numbers = list(fields), dict[tuple[str, str], int]()
    names = [place for place, one in enumerate(fields) if one.kind == "name"]
    for one, other in combinations(names, 2):
        if found[one].exchanged or found[other].exchanged:
            continue
        placed, number = _both_in_place(found[one], found[other])
        if number:
            found[one], found[other] = placed
            numbers[found[one].name, found[other].name] = number
    return found, numbers


def stand_otherwise(own: tuple[Int64, Int64], others: tuple[Int64, Int64]) -> Bool:
    """Which records have values of two columns in each other's.

    Parameters
    ----------
    own, others : pairs of int64 arrays, shape (n_records,)
        How many records hold the first, and the second, column's value there; and in the other.
    """
    odds = [np.log(here + HALF) - np.log(there + HALF) for here, there in zip(own, others)]
    return np.asarray(odds[0] + odds[1] < -CLEARLY)


def _both_in_place(one: Field, other: Field) -> tuple[tuple[Field, Field], int]:
    texts, place = np.unique(np.concatenate((one.texts, other.texts)), return_inverse=True)
    rows = np.flatnonzero((one.codes >= 0) & (other.codes >= 0))
    first = place[: len(one.texts)][one.codes[rows]]
    second = place[len(one.texts) :][other.codes[rows]]
    held = [np.bincount(codes, minlength=len(texts)) for codes in (first, second)]
    if not _have_counterparts(first, second, held):
        return (one, other), 0
    turned = stand_otherwise((held[0][first], held[1][second]), (held[1][first], held[0][second]))
    sides = []
    for field, own, others, offset, name in (
        (one, first, second, 0, other.name),
        (other, second, first, len(one.texts), one.name),
    ):
        codes = np.append(place[offset : offset + len(field.texts)], -1)[field.codes]
        codes[rows] = np.where(turned, others, own)
        kept, of_kept = np.unique(codes[codes >= 0], return_inverse=True)
        codes[codes >= 0] = of_kept
        sides.append(
            replace(field, texts=texts[kept], codes=codes.astype(np.int32), exchanged=name)
        )
    return (sides[0], sides[1]), int(turned.sum())


def _have_counterparts(first: Int64, second: Int64, held: Sequence[Int64]) -> bool:
    """Whether more records have a counterpart than chance has."""
    size, number = len(held[0]), max(len(first), 1)
    there = np.isin(second * size + first, first * size + second) & (first != second)
    by_chance = np.minimum(held[0][second] * held[1][first] / number, 1.0)
    expected = float(by_chance[first != second].sum())
    return bool(there.sum() > expected + 3.0 * np.sqrt(expected) + SOME)


def exchanged_values(
    values: Sequence[Array], places: tuple[int, int], held: Sequence[Sequence[Int64]]
) -> list[Array]:
    """Values of new records with those put in place that stand in each other's column.

    Parameters
    ----------
    held : of each of the two fields, how many records hold there the first's and the second's value
    """
    one, other = places
    turned = stand_otherwise((held[0][0], held[1][1]), (held[1][0], held[0][1]))
    found = list(values)
    found[one] = np.where(turned, values[other], values[one])
    found[other] = np.where(turned, values[one], values[other])
    return found


MOST_VALUES = 60
RARE = 8
"""Records that hold a value by which others are paired, at most."""
ENOUGH = 100_000
"""Of these records."""
LIFT = 3.0
"""So many times as often as chance has it."""
BY_CHANCE = 1e-2
"""Expected pairs of values that would be held together so often by chance."""
AS_OFTEN = 0.5
"""Of the pairs that would hold both if each were written half of the times."""


def called_alike(fields: Sequence[Field]) -> list[Field]:
    """The fields with values of the same meaning called as these are mostly."""
    few = [_is_of_few_values(field) for field in fields]
    if not any(few):
        return list(fields)
    shared = [_shared(field) for field, skipped in zip(fields, few) if not skipped]
    # Records share now this, now that value where many are blank.
    ways = [_counting_once(pairs) for pairs in (*shared, *_joined(shared))]
    return [
        _renamed(field, _names(field, ways)) if named else field
        for field, named in zip(fields, few)
    ]


def _is_of_few_values(field: Field) -> bool:
    return field.kind == "category" and 1 < len(field.texts) <= MOST_VALUES


def _renamed(field: Field, called: dict[str, str]) -> Field:
    if not called:
        return field
    texts = [called.get(text, text) for text in field.texts.tolist()]
    kept, place = np.unique(np.array(texts, object), return_inverse=True)
    codes = np.append(place, -1)[field.codes].astype(np.int32)
    return replace(field, texts=kept, codes=codes, called=called)


def _names(field: Field, ways: Sequence[csr_array]) -> dict[str, str]:
    """Values of a field of few and what these are called mostly, by pairs of records that share a
    rare value of others.
    """
    often = np.zeros((len(field.texts),) * 2, np.bool_)
    for pairs in ways:
        often |= _often(_together(field, pairs), BY_CHANCE / (often.size * len(ways)))
    group = connected_components(often, directed=False)[1]
    named = [np.argmax(np.where(group == of, field.counts, -1)) for of in group]
    return {
        str(text): str(field.texts[name])
        for text, name in zip(field.texts, named)
        if text != field.texts[name]
    }


def _often(together: Float, by_chance: float) -> Bool:
    """Which two values are held together about as often as either twice, and not by chance."""
    alone = together.sum(axis=0)
    chance = np.outer(alone, alone) / max(float(together.sum()), 1.0)
    either = np.sqrt(np.outer(np.diag(together), np.diag(together)))
    # That a Poisson count is no less; counts of 0 are never so.
    surely = gammainc(np.maximum(together, 1e-9), chance) < by_chance
    return (together > LIFT * chance) & (together > AS_OFTEN * either) & surely


def _together(field: Field, pairs: csr_array) -> Float:
    """How many pairs of records hold each two values of a field."""
    rows = np.flatnonzero(field.codes >= 0)
    shape = (len(field.codes), len(field.texts))
    held = coo_array((np.ones(len(rows)), (rows, field.codes[rows])), shape).tocsr()
    return np.asarray((held.T @ (pairs @ held)).toarray())


def _shared(by: Field) -> csr_array:
    """Which two records share a rare value of a field, of so many that it is soon told."""
    rows = np.flatnonzero(by.codes >= 0)
    rows = rows[by.counts[by.codes[rows]] <= RARE]
    # Values are taken in no order of theirs: codes go by the alphabet.
    rows = rows[by.codes[rows] % -(-max(len(rows), 1) // ENOUGH) == 0]
    shape = (len(by.codes), len(by.texts))
    held = coo_array((np.ones(len(rows)), (rows, by.codes[rows])), shape).tocsr()
    pairs = csr_array(held @ held.T)
    pairs.setdiag(0.0)
    pairs.eliminate_zeros()
    return pairs


def _joined(shared: Sequence[csr_array]) -> list[csr_array]:
    """The pairs of several fields, each once."""
    if len(shared) < 2:
        return []
    total = shared[0]
    for pairs in shared[1:]:
        total = total + pairs
    return [total]


def _counting_once(pairs: csr_array) -> csr_array:
    """Each record counts for one with all its partners, as a thing's pairs are not independent."""
    found = csr_array((np.ones(pairs.nnz), pairs.indices, pairs.indptr), pairs.shape)
    each = diags_array(1.0 / np.sqrt(np.maximum(found.sum(axis=1), 1.0)))
    return csr_array(each @ found @ each)
