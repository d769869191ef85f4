"""Folds for cross-validation, kept in the workspace: whole worlds, or atoms of one predicate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Int32
from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_value, ids_of_columns
from workbench.database.stored import StoredPredicate
from workbench.errors import UsageError

MOST_ATOMS = 20_000_000


@dataclass(frozen=True)
class KeptFold:
    """One fold.

    Attributes
    ----------
    train_worlds, test_worlds : tuple of str
        Empty test worlds where the fold is made of atoms.
    test_atoms : int
        How many atoms are held out by name.
    """

    number: int
    train_worlds: tuple[str, ...]
    test_worlds: tuple[str, ...]
    test_atoms: int = 0


def clear_folds(database: Database) -> None:
    """Forget all folds."""
    with database.transaction() as connection:
        connection.execute("DELETE FROM folds")


def make_world_folds(database: Database) -> tuple[KeptFold, ...]:
    """Leave one world out: fold i tests on world i and trains on the others.

    Raises E0219 with fewer than two worlds.
    """
    if len(database.worlds()) < 2:
        raise UsageError.of(
            "E0219",
            "leaving one world out needs two worlds at least, and there are "
            f"{len(database.worlds())}",
            help="make random or grouped folds of one predicate's atoms instead",
        )
    with database.transaction() as connection:
        clear_folds(database)
        connection.execute(
            "INSERT INTO folds SELECT held.number, w.id, NULL, NULL, CASE WHEN w.id = held.id THEN "
            "'test' ELSE 'train' END FROM (SELECT id, row_number() OVER (ORDER BY name) - 1 AS "
            "number FROM world) held, world w ORDER BY ALL"
        )
    return read_folds(database)


def make_atom_folds(
    database: Database,
    predicate: str,
    *,
    count: int,
    seed: int = 0,
    group_by: int | None = None,
) -> tuple[KeptFold, ...]:
    """Deal the labelled atoms of a predicate (those in `truth` and `evidence`) into `count` folds.

    Where no fact is false and no atom a target, the world is closed: every combination of constants
    that has no fact is an atom known to be false, and dealt too. Atoms are dealt by a hash of their
    names and the seed, so that neither row order nor ids matter.

    `group_by`: an argument's position: atoms that share it stay together.

    Raises E0203 for an unknown predicate; E0219 for fewer than two folds, an argument that is not
    there, or more than 20 million atoms.
    """
    stored = database.predicate(predicate)
    if count < 2:
        raise UsageError.of("E0219", "there must be two folds at least")
    if group_by is not None and not 0 <= group_by < stored.arity:
        raise UsageError.of("E0219", f"{predicate} has no argument {group_by}")
    encoded = dict(stored.constant_columns)
    names = [
        f"c_{column}.name" if column in encoded else f"f.{column}::VARCHAR"
        for column in stored.columns
    ]
    key = names if group_by is None else [names[group_by]]
    text = ", ".join(["w.name", *key])
    atoms = _labelled_atoms(database, stored)
    with database.transaction() as connection:
        clear_folds(database)
        connection.execute(
            "INSERT INTO folds SELECT (dense_rank() OVER (ORDER BY key) - 1) % $count, world, "
            "$predicate, arguments, 'test' FROM (SELECT f.world, "
            f"[{', '.join(f'f.{c}' for c in stored.columns)}]::INTEGER[] AS arguments, "
            f"md5(concat_ws(chr(31), $seed, {text})) AS key FROM ({atoms}) f JOIN world w ON w.id "
            f"= f.world {stored.as_texts(database.type_tables()).joins}) ORDER BY ALL",
            {"count": count, "predicate": predicate, "seed": str(seed)},
        )
    return read_folds(database)


def _labelled_atoms(database: Database, stored: StoredPredicate) -> str:
    """A query of the atoms whose truth is known, listed or, in a closed world, by not being so."""
    table = quoted(stored.table_name)
    shown = ", ".join(["world", *stored.columns])
    listed = (
        f"SELECT DISTINCT {shown} FROM {table} WHERE partition <> 'target' AND value IS NOT NULL"
    )
    closed = not database.execute(
        f"SELECT 1 FROM {table} WHERE partition = 'target' OR value < 1 LIMIT 1"
    ).fetchall()
    encoded = dict(stored.constant_columns)
    if not closed or len(encoded) < len(stored.columns) or not stored.columns:
        return listed
    domains = [
        f"(SELECT world, constant FROM domain WHERE type = {text_literal(kind)}) d{place}"
        for place, kind in enumerate(encoded[column] for column in stored.columns)
    ]
    joined = domains[0] + "".join(f" JOIN {other} USING (world)" for other in domains[1:])
    number = first_value(database.execute(f"SELECT count(*) FROM {joined}"))
    if number > MOST_ATOMS:
        raise UsageError.of(
            "E0219",
            f"{stored.name} has {number:,} atoms, more than the {MOST_ATOMS:,} that folds are "
            "kept of",
            help="leave one world out instead, or list the false facts too",
        )
    constants = ", ".join(
        f"d{place}.constant AS {column}" for place, column in enumerate(stored.columns)
    )
    unknown = f"SELECT {shown} FROM {table} WHERE value IS NULL"
    return f"SELECT world, {constants} FROM {joined} EXCEPT ({unknown})"


def read_folds(database: Database) -> tuple[KeptFold, ...]:
    """The folds in order of number."""
    names = {number: name for name, number in database.worlds().items()}
    rows = database.execute(
        "SELECT fold, list(world ORDER BY world) FILTER (predicate IS NULL AND role = 'train'), "
        "list(world ORDER BY world) FILTER (predicate IS NULL AND role = 'test'), count(predicate) "
        "FROM folds GROUP BY fold ORDER BY fold"
    ).fetchall()

    def named(worlds: list[int] | None) -> tuple[str, ...]:
        return tuple(names[world] for world in worlds or ())

    return tuple(
        KeptFold(
            number, named(train) or (tuple(names.values()) if atoms else ()), named(test), atoms
        )
        for number, train, test, atoms in rows
    )


def held_out_keys(
    database: Database, fold: int
) -> tuple[tuple[int, ...], dict[str, tuple[Int32, Int32]]]:
    """What a fold tests: worlds that are held out whole, and by predicate the worlds, shape (n,),
    and constants, shape (n, arguments), of the atoms that are held out by name.
    """
    whole = (
        "SELECT DISTINCT world FROM folds WHERE fold = $fold AND role = 'test' AND predicate "
        "IS NULL ORDER BY world"
    )
    worlds = database.execute(whole, {"fold": fold}).fetchall()
    found = {}
    members = "FROM folds WHERE fold = $fold AND role = 'test' AND predicate"
    names = database.execute(
        f"SELECT DISTINCT predicate {members} IS NOT NULL ORDER BY 1", {"fold": fold}
    ).fetchall()
    for (name,) in names:
        stored = database.predicate(name)
        cells = "".join(
            f", arguments[{place}] AS {column}" for place, column in enumerate(stored.columns, 1)
        )
        query = f"SELECT world{cells} {members} = $name"
        rows = database.execute(query, {"fold": fold, "name": name}).fetchnumpy()
        world = np.asarray(rows["world"], np.int32)
        found[name] = world, ids_of_columns(rows, stored.columns)
    return tuple(number for (number,) in worlds), found
