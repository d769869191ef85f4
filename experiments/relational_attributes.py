"""Attributes of a pair of constants made from the facts around them, for propositional baselines.

Order 1 describes each constant alone, order 2 how the two are connected (Richardson and Domingos
2006).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float, Int64

NONE_ONE_MANY = 3


@dataclass(frozen=True)
class TrueFacts:
    """The true facts of one predicate in one world.

    Attributes
    ----------
    types : tuple of str
        Of its arguments.
    facts : int64 array, shape (n_facts, arity)
        Constants as positions in their type's domain.
    """

    types: tuple[str, ...]
    facts: Int64


@dataclass(frozen=True)
class AttributeTable:
    """Categorical attributes of the ordered pairs of a type's constants, the second constant
    running fastest.

    Attributes
    ----------
    values : int64 array, shape (n * n, n_attributes)
    categories : int64 array, shape (n_attributes,)
    """

    names: tuple[str, ...]
    values: Int64
    categories: Int64


def pair_attributes(
    relations: Mapping[str, TrueFacts],
    sizes: Mapping[str, int],
    of_type: str,
    *,
    small: Sequence[str],
    order: Literal["1", "1+2"] = "1+2",
) -> AttributeTable:
    """Attributes of every ordered pair of constants of a type in one world.

    Parameters
    ----------
    relations : mapping of predicate to TrueFacts
        The evidence.
    sizes : mapping of type to int
        Domain sizes.
    of_type : str
        The type of the two constants.
    small : sequence of str
        Types with few, shared constants: each of them gives an attribute of its own. Their
        positions and number must be the same in all worlds.

    Returns
    -------
    AttributeTable
        Order 1: for every argument place of the type, how many facts hold the constant there (none,
        one, many), and whether a fact does together with each constant of a small type. Order 2:
        whether a fact holds both constants, and for every two places joined by a common third
        constant, through how many the pair is connected.
    """
    n = sizes[of_type]
    single: dict[str, tuple[Int64, int]] = {}
    for name, relation in relations.items():
        for place, type_ in enumerate(relation.types):
            if type_ != of_type:
                continue
            count = np.bincount(relation.facts[:, place], minlength=n)
            single[f"{name}/{place}"] = np.minimum(count, 2), NONE_ONE_MANY
            for other, other_type in enumerate(relation.types):
                if other_type in small:
                    held = _incidence(relation, place, other, sizes).toarray() > 0
                    for constant in range(sizes[other_type]):
                        single[f"{name}/{place}, {other_type} {constant}"] = (
                            held[:, constant].astype(np.int64),
                            2,
                        )
    names, columns, categories = [], [], []
    for which in ("first", "second"):
        for label, (value, size) in single.items():
            names.append(f"{which}: {label}")
            columns.append(np.repeat(value, n) if which == "first" else np.tile(value, n))
            categories.append(size)
    if order == "1+2":
        for label, matrix in _connections(relations, sizes, of_type):
            names.append(f"both: {label}")
            columns.append(np.minimum(matrix, 2).astype(np.int64).ravel())
            categories.append(NONE_ONE_MANY)
    values = np.stack(columns, axis=1) if columns else np.zeros((n * n, 0), np.int64)
    return AttributeTable(tuple(names), values, np.array(categories, np.int64))


def _connections(
    relations: Mapping[str, TrueFacts], sizes: Mapping[str, int], of_type: str
) -> list[tuple[str, Float]]:
    """Direct facts between two constants, and third constants that join them; shape (n, n)."""
    found: list[tuple[str, Float]] = []
    legs: list[tuple[str, str, csr_array]] = []
    for name, relation in relations.items():
        for place, type_ in enumerate(relation.types):
            if type_ != of_type:
                continue
            for other, other_type in enumerate(relation.types):
                if other == place:
                    continue
                incidence = _incidence(relation, place, other, sizes)
                if other_type == of_type:
                    found.append((f"{name}/{place},{other}", incidence.toarray()))
                else:
                    legs.append((f"{name}/{place}", other_type, incidence.sign()))
    for first, type_, left in legs:
        for second, other_type, right in legs:
            if type_ == other_type:
                found.append((f"{first} - {type_} - {second}", (left @ right.T).toarray()))
    return found


def _incidence(relation: TrueFacts, place: int, other: int, sizes: Mapping[str, int]) -> csr_array:
    """How many facts hold each (constant at `place`, constant at `other`)."""
    shape = sizes[relation.types[place]], sizes[relation.types[other]]
    ones = np.ones(len(relation.facts))
    return csr_array((ones, (relation.facts[:, place], relation.facts[:, other])), shape=shape)
