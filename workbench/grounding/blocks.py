"""Blocks of mutually exclusive atoms, from `!` and `?` arguments of declarations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.errors import InfeasibleError
from workbench.grounding.atom_keys import names_in_space
from workbench.grounding.space import Numbering
from workbench.grounding.vocabulary import Vocabulary
from workbench.network.ground_network import BlockKind, Blocks


def make_blocks(vocabulary: Vocabulary, numbering: Numbering) -> Blocks:
    """One block per binding of a marked predicate's other arguments, over its open atoms.

    Known members fold into the right side: a true one leaves 0 for the rest.

    Raises E0321 when known members leave a block no state.
    """
    made = [
        part
        for name in vocabulary.space.predicates
        for marked, kind in _marks(vocabulary, name)
        for part in _blocks_of(vocabulary, name, marked, kind)
    ]
    if not made:
        return Blocks.none(numbering.n_open)
    starts = np.concatenate(([0], np.cumsum(np.concatenate([one.sizes for one in made]))))
    columns = np.concatenate([numbering.to_open(one.members) for one in made])
    matrix = csr_array(
        (np.ones(columns.size, np.int8), columns, starts),
        shape=(starts.size - 1, numbering.n_open),
        dtype=np.int8,
    )
    kinds = [np.full(one.sizes.size, int(one.kind), np.int8) for one in made]
    rights = [(1 - one.taken).astype(np.int8) for one in made]
    return Blocks(matrix, np.concatenate(kinds), np.concatenate(rights))


class _Made(NamedTuple):
    """A declaration's blocks, one after the other: open atoms, and how many known ones are true."""

    kind: BlockKind
    sizes: Int64
    members: Int64
    taken: Int64


def _marks(vocabulary: Vocabulary, name: str) -> Iterator[tuple[tuple[int, ...], BlockKind]]:
    declared = vocabulary.program.predicates[name]
    if declared.exactly_one:
        yield declared.exactly_one, BlockKind.EXACTLY_ONE
    if declared.at_most_one:
        yield declared.at_most_one, BlockKind.AT_MOST_ONE


def _blocks_of(
    vocabulary: Vocabulary, name: str, marked: tuple[int, ...], kind: BlockKind
) -> Iterator[_Made]:
    role = vocabulary.roles[name]
    if role.scoped:
        yield _scoped_blocks(vocabulary, name, marked, kind)
    elif not role.listed:
        values = _known_values(vocabulary, name)
        for number in np.flatnonzero(vocabulary.space.count[name]).tolist():
            yield _grid_blocks(vocabulary, name, marked, kind, values, number)


def _grid_blocks(
    vocabulary: Vocabulary,
    name: str,
    marked: tuple[int, ...],
    kind: BlockKind,
    values: Float | None,
    number: int,
) -> _Made:
    """Blocks among all atoms of a predicate in one world, of which some have known values."""
    shape = vocabulary.space.grids[name].shape[number]
    offset, count = (
        int(one[name][number]) for one in (vocabulary.space.offset, vocabulary.space.count)
    )
    axes = [axis for axis in range(shape.size) if axis not in marked] + list(marked)
    width = int(np.prod(shape[list(marked)]))
    members = np.arange(offset, offset + count).reshape(shape).transpose(axes).reshape(-1, width)
    is_open = np.ones(members.shape, np.bool_)
    taken = np.zeros(members.shape[0], np.int64)
    if values is not None:
        local = values[members - int(vocabulary.space.offset[name][0])]
        is_open = np.isnan(local)
        taken = np.nansum(local, axis=1).astype(np.int64)
    _check(vocabulary, name, kind, members, is_open, taken)
    sizes = is_open.sum(axis=1)
    keep = sizes > 0
    # Sorted with what is known at the end, where it is cut off.
    last = np.iinfo(np.int64).max
    order = np.sort(np.where(is_open, members, last), axis=1)[keep]
    return _Made(kind, sizes[keep], order[order != last], taken[keep])


def _scoped_blocks(
    vocabulary: Vocabulary, name: str, marked: tuple[int, ...], kind: BlockKind
) -> _Made:
    """Blocks among the atoms of scopes."""
    rest = [f"a{place}" for place in range(len(vocabulary.arguments(name))) if place not in marked]
    group = ", ".join(["world", *rest])
    rows = vocabulary.connection.execute(
        f"SELECT atom, dense_rank() OVER (ORDER BY {group}) - 1 AS block, sum(CASE WHEN atom IS "
        f"NULL AND value > 0 THEN 1 ELSE 0 END) OVER (PARTITION BY {group}) AS taken FROM "
        f"{vocabulary.listed(name)} QUALIFY atom IS NOT NULL ORDER BY block, atom"
    ).fetchnumpy()
    atoms = np.asarray(rows["atom"], np.int64)
    _, first, sizes = np.unique(np.asarray(rows["block"]), return_index=True, return_counts=True)
    taken = np.asarray(rows["taken"], np.float64)[first].astype(np.int64)
    for place in np.flatnonzero(taken > 1)[:1]:
        members = atoms[first[place] : first[place] + sizes[place]][None]
        _check(
            vocabulary, name, kind, members, np.ones(members.shape, bool), taken[place : place + 1]
        )
    return _Made(kind, sizes, atoms, taken)


def _known_values(vocabulary: Vocabulary, name: str) -> Float | None:
    """Known value of each atom of a predicate, NaN where open; None when all are open."""
    if not vocabulary.has_known(name):
        return None
    rows = vocabulary.connection.execute(
        f"SELECT atom, value FROM {vocabulary.known(name)}"
    ).fetchnumpy()
    values = np.full(int(vocabulary.space.count[name].sum()), np.nan)
    values[np.asarray(rows["atom"], np.int64) - int(vocabulary.space.offset[name][0])] = rows[
        "value"
    ]
    return values


def _check(
    vocabulary: Vocabulary,
    name: str,
    kind: BlockKind,
    members: Int64,
    is_open: Bool,
    taken: Int64,
) -> None:
    crowded = np.flatnonzero(taken > 1)
    empty = (
        np.flatnonzero((taken == 0) & ~is_open.any(axis=1))
        if kind == BlockKind.EXACTLY_ONE
        else crowded[:0]
    )
    if crowded.size or empty.size:
        row = members[int(crowded[0] if crowded.size else empty[0])]
        shown = names_in_space(vocabulary, row[:4])
        what = "more than one of them is true" if crowded.size else "all of them are false"
        raise InfeasibleError.of(
            "E0321",
            f"the data contradict the declaration of {name}: of "
            f"{', '.join(shown)}{', ...' if row.size > 4 else ''} "
            f"{'exactly' if kind == BlockKind.EXACTLY_ONE else 'at most'} one may be true, but "
            f"{what}",
            span=vocabulary.program.predicates[name].span,
            help="correct the facts, or drop the mark from the declaration",
        )
