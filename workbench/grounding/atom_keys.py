"""From places in the space of atoms to keys and names, read while relations are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.database.database import Database
from workbench.database.identifiers import text_literal
from workbench.database.rows import ids_of_columns
from workbench.grounding.atoms import AtomTable, written_atoms
from workbench.grounding.names import Names
from workbench.grounding.roles import Role
from workbench.grounding.space import Numbering
from workbench.grounding.vocabulary import Vocabulary

DomainOf = Callable[[str], dict[int, Int32]]
"""The constants of a type by position, world by world."""


def numbering_of(vocabulary: Vocabulary) -> Numbering:
    """The columns of the network: the atoms of the space that the data do not decide."""
    known = [
        np.asarray(
            vocabulary.connection.execute(
                f"SELECT atom FROM {vocabulary.known(name)}"
            ).fetchnumpy()["atom"]
        )
        for name in vocabulary.space.predicates
        if vocabulary.has_known(name)
    ]
    return Numbering.without(
        vocabulary.space.size, np.concatenate(known).astype(np.int64) if known else None
    )


def atom_table(database: Database, vocabulary: Vocabulary, numbering: Numbering) -> AtomTable:
    """The keys of the columns of the network.

    Cost: linear in the atoms, and in the constants of their types.
    """
    space, roles = vocabulary.space, vocabulary.roles
    domains = cache(partial(_domain, vocabulary))
    keys = [
        _keys(vocabulary, domains, name, _columns_of(vocabulary, numbering, name))
        for name in space.predicates
    ]
    types = tuple(tuple(vocabulary.arguments(name)) for name in space.predicates)
    return AtomTable(
        predicates=space.predicates,
        types=types,
        hidden=tuple(roles[name].role is not Role.QUERY for name in space.predicates),
        predicate=np.repeat(
            np.arange(len(keys), dtype=np.int32), [world.size for world, _ in keys]
        ),
        world=np.concatenate([*(world for world, _ in keys), np.zeros(0, np.int32)]),
        constants=tuple(constants for _, constants in keys),
        worlds={
            number: name
            for name, number in database.worlds().items()
            if number in vocabulary.worlds
        },
        names_of={
            name: _dictionary(vocabulary, name)
            for name in sorted({one for own in types for one in own})
        },
    )


def names_in_space(vocabulary: Vocabulary, ids: Int64) -> list[str]:
    """A few atoms in the rules' language, by their ids in the space; known atoms have one, too."""
    found, domains = [""] * ids.size, cache(partial(_domain, vocabulary))
    for name in vocabulary.space.predicates:
        local = ids - _first(vocabulary, name)
        rows = np.flatnonzero((local >= 0) & (local < int(vocabulary.space.count[name].sum())))
        if not rows.size:
            continue
        types = tuple(vocabulary.arguments(name))
        names_of = {type_name: _dictionary(vocabulary, type_name) for type_name in types}
        _, constants = _keys(vocabulary, domains, name, local[rows])
        texts = written_atoms(name, types, constants, names_of)
        for row, text in zip(rows.tolist(), texts):
            found[row] = text
    return found


def _first(vocabulary: Vocabulary, name: str) -> int:
    offsets = vocabulary.space.offset[name]
    return int(offsets[0]) if len(offsets) else 0


def _columns_of(vocabulary: Vocabulary, numbering: Numbering, name: str) -> Int64 | None:
    """The atoms of a predicate that are columns, counted from its first; None for all."""
    first, count = _first(vocabulary, name), int(vocabulary.space.count[name].sum())
    return numbering.open_between(first, first + count)


def _keys(
    vocabulary: Vocabulary, domain_of: DomainOf, name: str, local: Int64 | None
) -> tuple[Int32, Int32]:
    """A predicate's worlds and constants (all when None), from its first; (n,), (n, arguments)."""
    if vocabulary.roles[name].listed:
        worlds, constants = _listed(vocabulary, name)
        return (worlds, constants) if local is None else (worlds[local], constants[local])
    if local is None:
        return _crossed(vocabulary, domain_of, name)
    types = vocabulary.arguments(name)
    world, constants = np.empty(local.size, np.int32), np.empty((local.size, len(types)), np.int32)
    domains = {type_name: domain_of(type_name) for type_name in types}
    ends = np.cumsum(vocabulary.space.count[name])
    place = np.searchsorted(ends, local, side="right")
    for index in np.unique(place).tolist():
        rows, number = np.flatnonzero(place == index), vocabulary.worlds[index]
        world[rows] = number
        if not types:
            continue
        begins = int(ends[index]) - int(vocabulary.space.count[name][index])
        shape = tuple(vocabulary.space.grids[name].shape[index].tolist())
        positions = np.unravel_index(local[rows] - begins, shape)
        for argument, type_name in enumerate(types):
            constants[rows, argument] = domains[type_name][number][positions[argument]]
    return world, constants


def _crossed(vocabulary: Vocabulary, domain_of: DomainOf, name: str) -> tuple[Int32, Int32]:
    """All combinations of the constants of each world."""
    types = vocabulary.arguments(name)
    counts = vocabulary.space.count[name]
    constants = np.empty((int(counts.sum()), len(types)), np.int32)
    domains = {type_name: domain_of(type_name) for type_name in types}
    ends = np.cumsum(counts)
    for index, number in enumerate(vocabulary.worlds):
        shape = vocabulary.space.grids[name].shape[index].tolist()
        # The rows of one world seen as a grid: each argument's constants run along its own axis.
        grid = constants[int(ends[index] - counts[index]) : int(ends[index])].reshape(
            *shape, len(types)
        )
        for place, type_name in enumerate(types):
            along = [1] * len(types)
            along[place] = shape[place]
            if grid.size:
                grid[..., place] = domains[type_name][number].reshape(along)
    return np.repeat(np.array(vocabulary.worlds, np.int32), counts), constants


def _domain(vocabulary: Vocabulary, type_name: str) -> dict[int, Int32]:
    """The constants of a type by position, world by world."""
    rows = vocabulary.connection.execute(
        f"SELECT world, constant FROM domain WHERE type = {text_literal(type_name)} "
        f"AND world IN ({vocabulary.in_worlds}) ORDER BY world, position"
    ).fetchnumpy()
    world, constant = np.asarray(rows["world"]), np.asarray(rows["constant"], np.int32)
    return {number: constant[world == number] for number in np.unique(world).tolist()}


def _listed(vocabulary: Vocabulary, name: str) -> tuple[Int32, Int32]:
    """The open atoms that the data list, in order of their numbers."""
    columns = [f"a{place}" for place in range(len(vocabulary.arguments(name)))]
    rows = vocabulary.connection.execute(
        f"SELECT {', '.join(['world', *columns])} FROM {vocabulary.listed(name)} WHERE atom IS "
        "NOT NULL ORDER BY atom"
    ).fetchnumpy()
    return np.asarray(rows["world"], np.int32), ids_of_columns(rows, columns)


def dictionaries(database: Database, types: Iterable[str]) -> dict[str, Names]:
    """The names of the constants of some types, by id."""
    tables, cursor = database.type_tables(), database.cursor()
    return {name: Names.of(cursor, tables[name]) for name in types if name in tables}


def _dictionary(vocabulary: Vocabulary, type_name: str) -> Names:
    """The names of a type's constants."""
    return Names.of(vocabulary.connection, vocabulary.type_tables[type_name])
