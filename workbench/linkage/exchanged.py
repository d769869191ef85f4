"""Values that stand in each other's columns: records whose forename and surname are exchanged.

Two columns of names are exchanged in some records where more of these have a counterpart, the same
values the other way round, than chance has. There each value goes where it mostly stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from workbench.arrays import Array, Bool, Int64
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
