"""Workspaces of older formats, brought up to date when they are opened for writing."""

from __future__ import annotations

import json
from collections.abc import Iterator

import duckdb

from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import handed_in
from workbench.database.schema import add_constants, create_view, declare_type
from workbench.database.stored import read_predicates
from workbench.language.ground_atoms import parse_atom
from workbench.resources import sql_text

FORMAT_VERSION = 7
LOST_TYPE = "recorded"
"""The type of a recorded constant whose predicate is no longer declared so."""


def upgrade(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """Bring a workspace from a format to the present one by steps, inside the transaction."""
    for step in range(version, FORMAT_VERSION):
        connection.execute(sql_text(f"upgrade_from_{step}"))
        if step == 3:
            _remake_views(connection)
    if version < 3:
        # Predicates are read as this format has them.
        _translate_predictions(connection)


def _remake_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Views of formats before 4 named no schema, and some predicates' names broke them."""
    tables = dict(connection.execute("SELECT name, table_name FROM constant_type").fetchall())
    for predicate in read_predicates(connection).values():
        create_view(connection, predicate, tables)


def _translate_predictions(connection: duckdb.DuckDBPyConnection) -> None:
    """Atoms that were recorded as text become keys, in the order they were recorded.

    The world, which was not recorded, is the run's where it had one; else it is told by the worlds
    that have the atom's constants: there must be as many as the run has predictions of that text.
    It stays NULL where they differ.
    """
    import pyarrow

    texts = connection.execute(
        "SELECT DISTINCT predicate, atom FROM text_prediction ORDER BY ALL"
    ).fetchall()
    constants = [(parse_atom(atom) or (atom, ()))[1] for _, atom in texts]
    table = pyarrow.table(
        {
            "predicate": pyarrow.array([name for name, _ in texts], pyarrow.string()),
            "atom": pyarrow.array([atom for _, atom in texts], pyarrow.string()),
            "names": pyarrow.array(constants, pyarrow.list_(pyarrow.string())),
        }
    )
    with handed_in(connection, "incoming_texts", table):
        connection.execute("CREATE TEMP TABLE read_text AS FROM incoming_texts")
    connection.execute(
        "CREATE TEMP TABLE keyed (place BIGINT, run INTEGER, fold INTEGER, predicate VARCHAR, "
        "arguments INTEGER[])"
    )
    connection.execute("CREATE TEMP TABLE candidate (place BIGINT, world INTEGER)")
    connection.execute("CREATE TEMP TABLE allowed (run INTEGER, fold INTEGER, world INTEGER)")
    allowed = list(_worlds_of_runs(connection))
    if allowed:
        connection.executemany("INSERT INTO allowed VALUES (?, ?, ?)", allowed)
    for predicate, arity in sorted(
        {(name, len(names)) for (name, _), names in zip(texts, constants)}
    ):
        _translate(connection, predicate, arity)
    connection.execute(sql_text("pair_worlds"))
    for name in ("text_prediction", "read_text", "keyed", "candidate", "allowed"):
        connection.execute(f"DROP TABLE {name}")


def _translate(connection: duckdb.DuckDBPyConnection, predicate: str, arity: int) -> None:
    """Keys of one predicate's predictions, and the worlds that they may be of."""
    stored = read_predicates(connection).get(predicate)
    types = [type_name for _, type_name in stored.constant_columns] if stored is not None else []
    if len(types) != arity:
        types = [LOST_TYPE] * arity
    chosen = f"r.predicate = {text_literal(predicate)} AND len(r.names) = {arity}"
    joins, members = [], []
    for place, type_name in enumerate(types, 1):
        names = declare_type(connection, type_name)
        add_constants(
            connection,
            names,
            f"SELECT DISTINCT r.names[{place}] AS name FROM read_text r WHERE {chosen}",
        )
        joins.append(f"JOIN {quoted(names)} c{place} ON c{place}.name = r.names[{place}]")
        members.append(
            f"EXISTS (FROM domain d WHERE d.world = a.world AND d.type = {text_literal(type_name)} "
            f"AND d.constant = k.arguments[{place}])"
        )
    ids = ", ".join(f"c{place}.id" for place in range(1, arity + 1))
    connection.execute(
        f"INSERT INTO keyed SELECT t.rowid, t.run, t.fold, t.predicate, [{ids}]::INTEGER[] FROM "
        "text_prediction t JOIN read_text r ON r.predicate = t.predicate AND r.atom = t.atom "
        f"{' '.join(joins)} WHERE {chosen}"
    )
    connection.execute(
        "INSERT INTO candidate SELECT k.place, a.world FROM keyed k JOIN allowed a ON a.run = "
        "k.run AND a.fold IS NOT DISTINCT FROM k.fold WHERE "
        f"{' AND '.join(['k.predicate = $name', *members])}",
        {"name": predicate},
    )
    connection.execute(
        "INSERT INTO run_predicate SELECT DISTINCT run, predicate, $types::VARCHAR[] FROM keyed "
        "WHERE predicate = $name",
        {"name": predicate, "types": types},
    )


def _worlds_of_runs(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, int | None, int]]:
    """(run, fold, world): the worlds that each recorded run, or fold of one, predicted in."""
    by_name = dict(connection.execute("SELECT name, id FROM world").fetchall())
    for run, kind, text in connection.execute(
        "SELECT id, kind, parameters FROM run ORDER BY id"
    ).fetchall():
        settings = json.loads(text or "{}")
        if kind == "crossval":
            folds: list[int | None] = list(range(len(settings.get("folds") or ())))
            asked = [plan.get("worlds") for plan in settings.get("folds") or ()]
        else:
            folds, asked = [None], [settings.get("worlds")]
        for fold, names in zip(folds, asked):
            yield from ((run, fold, by_name[name]) for name in names or by_name if name in by_name)
