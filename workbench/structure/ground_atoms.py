"""A predicate's ground atoms as examples: all, a weighted sample of the false ones, a share."""

from __future__ import annotations

from itertools import product

import numpy as np

from workbench.arrays import Float, Int32
from workbench.structure.background import Background, Examples


def all_atoms(
    background: Background,
    predicate: str,
    *,
    limit: int = 5000,
    seed: int = 0,
    false: Int32 | None = None,
) -> tuple[Examples, Float]:
    """Ground atoms of a predicate with their truth, and a weight for each.

    Every true atom, and every false one where there are at most `limit` atoms; otherwise a sample
    of false ones, each weighted by how many it stands for.

    Parameters
    ----------
    false : int32 array, shape (n_false, arity), or None
        The atoms that the data call false, where they do: then no other atom is labelled.
    """
    number = background.number[predicate]
    types = background.argument_types[number]
    if false is not None and len(false):
        true = background.facts[number]
        label = np.concatenate([np.ones(len(true)), np.zeros(len(false))])
        return Examples(predicate, types, np.concatenate([true, false]), label), np.ones(len(label))
    domains = [background.domain(name) for name in types]
    true = background.facts[number]
    total = int(np.prod([len(domain) for domain in domains], dtype=np.float64))
    known = {tuple(row) for row in true.tolist()}
    if total <= limit:
        false = np.array(
            [row for row in product(*(d.tolist() for d in domains)) if row not in known], np.int32
        )
    else:
        rng = np.random.default_rng(seed)
        drawn = np.stack([rng.choice(domain, limit) for domain in domains], axis=1).astype(np.int32)
        false = np.array(
            [row for row in np.unique(drawn, axis=0).tolist() if tuple(row) not in known], np.int32
        )
    false = false.reshape(-1, len(types))
    arguments = np.concatenate([true, false])
    label = np.concatenate([np.ones(len(true)), np.zeros(len(false))])
    weight = np.ones(len(arguments))
    if len(false):
        weight[len(true) :] = (total - len(true)) / len(false)
    return Examples(predicate, types, arguments, label), weight


def true_atoms(background: Background, head: str) -> Examples:
    """A predicate's facts."""
    number = background.number[head]
    facts = background.facts[number]
    return Examples(head, background.argument_types[number], facts, np.ones(len(facts)))


def in_parts(examples: Examples, most: int) -> list[Examples]:
    """The examples in parts of at most so many, so that a deadline is heard between them."""
    return [
        Examples(
            examples.predicate,
            examples.types,
            examples.arguments[at : at + most],
            examples.label[at : at + most],
        )
        for at in range(0, len(examples), most)
    ]


def domain_atoms(background: Background, head: str, false: Int32, limit: int) -> Examples:
    """All labelled tuples of a predicate's constants; an even share of too many subjects.

    Parameters
    ----------
    false : int32 array, shape (n_false, arity)
        The atoms that the data call false; where there are such, no others than these and the facts
        are labelled.
    limit : int
        Tuples; of more, an even share of the first arguments, each with all the others.
    """
    number = background.number[head]
    types = background.argument_types[number]
    if len(false):
        true = background.facts[number]
        label = np.repeat([1.0, 0.0], [len(true), len(false)])
        return Examples(head, types, np.concatenate([true, false]), label)
    first, *rest = (background.domain(name) for name in types)
    others = int(np.prod([len(domain) for domain in rest], dtype=np.int64))
    kept = min(len(first), max(1, limit // max(others, 1)))
    subjects = (
        first[np.unique(np.linspace(0, len(first) - 1, kept).astype(np.int64))]
        if len(first)
        else first
    )
    grid = np.stack(np.meshgrid(subjects, *rest, indexing="ij"), axis=-1)
    rows = grid.reshape(-1, len(types)).astype(np.int32)
    label = np.zeros([len(background.constants[name]) for name in types])
    label[tuple(background.facts[number].T)] = 1.0
    return Examples(head, types, rows, label[tuple(rows.T)])
