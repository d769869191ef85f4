"""Facts added, corrected and removed one at a time, with the keys of those that changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow

from workbench.database.arrow_columns import numpy_column
from workbench.database.database import Database
from workbench.database.fact_texts import FactTexts
from workbench.database.fingerprint import FactSum, sum_of_facts
from workbench.database.identifiers import all_equal, quoted, text_literal
from workbench.database.rows import handed_in, ids_of_columns
from workbench.database.schema import add_constants
from workbench.database.staged_facts import SHOWN
from workbench.database.stated_facts import FactRows, StatedFacts
from workbench.database.stored import StoredPredicate
from workbench.database.value_columns import text_of_value
from workbench.errors import Diagnostic, InputError

ROWS, CODED, KNOWN = "changed_texts", "changed_rows", "known_rows"
GONE, LOST = "gone_facts", "lost_constants"


@dataclass(frozen=True)
class Changed:
    """What became of the facts of a predicate.

    Attributes
    ----------
    facts : int
        How many were added or removed.
    by : FactSum
        What that changed in the sum of all.
    rows : FactRows or None
        Which; None where arguments are values.
    """

    facts: int
    by: FactSum
    rows: FactRows | None


def add_facts(database: Database, facts: FactTexts, *, correct: bool = False) -> Changed:
    """Insert the facts that are not there yet, inside the open transaction.

    `correct`: a fact that says something else of its key takes the place of what was there, in its
    world and partition.

    Raises E0850 for facts that contradict facts of the same world and partition.
    """
    predicate = database.predicate(facts.predicate)
    key = predicate.key if facts.subjects is None else predicate.columns[: facts.subjects]
    for world in facts.rows.column("world").unique().to_pylist():
        database.world_id(world)
    with _coded(database, predicate, facts.rows, grow=True) as connection:
        table = quoted(predicate.table_name)
        same = all_equal("t", "n", ("world", *key, "partition"))
        differs = " OR ".join(
            f"t.{column} IS DISTINCT FROM n.{column}"
            for column in ("value", *predicate.columns[len(key) :])
        )
        # All facts are looked through once, for those that say something of the same keys.
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {KNOWN} AS FROM {table} t SEMI JOIN {CODED} n ON {same}"
        )
        contradicted = f"{same} AND ({differs})"
        if not correct:
            _refuse_contradictions(connection, predicate, contradicted)
        went = _done(
            connection,
            f"DELETE FROM {table} t USING {CODED} n WHERE {correct} AND {contradicted}",
        )
        came = _done(
            connection,
            f"INSERT INTO {table} BY NAME SELECT * FROM {CODED} n WHERE NOT EXISTS (FROM {KNOWN} t "
            f"WHERE {same} AND NOT ({differs}))",
        )
        connection.execute(f"DROP TABLE {KNOWN}")
        return _changed(database, connection, predicate, came.num_rows, came, went)


def remove_facts(database: Database, facts: FactTexts) -> Changed:
    """Delete the facts that are there with the same value, inside the open transaction."""
    predicate = database.predicate(facts.predicate)
    with _coded(database, predicate, facts.rows, grow=False) as connection:
        whole = all_equal("t", "n", ("world", *predicate.columns, "partition"))
        went = _done(
            connection,
            f"DELETE FROM {quoted(predicate.table_name)} t USING {CODED} n "
            f"WHERE {whole} AND t.value IS NOT DISTINCT FROM n.value",
        )
        return _changed(database, connection, predicate, went.num_rows, went[:0], went)


def _done(connection: duckdb.DuckDBPyConnection, statement: str) -> pyarrow.Table:
    """Run a statement that inserts or deletes facts: which."""
    return connection.sql(
        f"{statement} RETURNING * REPLACE (partition::VARCHAR AS partition)"
    ).to_arrow_table()


def _changed(
    database: Database,
    connection: duckdb.DuckDBPyConnection,
    predicate: StoredPredicate,
    count: int,
    came: pyarrow.Table,
    went: pyarrow.Table,
) -> Changed:
    by = _sum(database, connection, predicate, came).since(
        _sum(database, connection, predicate, went)
    )
    rows = (
        None
        if predicate.value_columns
        else FactRows(*(_stated(predicate, one) for one in (came, went)))
    )
    change = Changed(count, by, rows)
    # A domain is a scan of all facts with a sort of their names: it stays as it is where its
    # constants do.
    worlds = set(connection.execute(_grown(predicate)).fetchall()) if came.num_rows else set()
    if went.num_rows:
        with handed_in(connection, GONE, went):
            worlds |= _shrunk(database, connection, predicate)
    database.refresh_domains([number for (number,) in sorted(worlds)])
    return change


def _grown(predicate: StoredPredicate) -> str:
    """A query for the worlds that have new constants."""
    wanted = _constants(predicate, CODED)
    if not wanted:
        return f"SELECT world FROM {CODED} WHERE false"
    # The other way round all domains would be put into a table of hashes.
    there = "FROM domain d SEMI JOIN wanted n USING (world, type, constant)"
    return (
        f"WITH wanted AS MATERIALIZED ({wanted}) SELECT DISTINCT world FROM (FROM wanted EXCEPT "
        f"SELECT d.world, d.type, d.constant {there})"
    )


def _shrunk(
    database: Database, connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate
) -> set[tuple[int]]:
    """The worlds in which no fact has some constant of those that went any more."""
    gone = _constants(predicate, GONE)
    if not gone:
        return set(connection.execute(f"SELECT DISTINCT world FROM {GONE}").fetchall())
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {LOST} AS {gone}")
    worlds: set[tuple[int]] = set()
    # Relation by relation, its own first: most constants are found there, and no other is read.
    relations = sorted(database.predicates().values(), key=lambda one: one.name != predicate.name)
    columns = [(one.table_name, *column) for one in relations for column in one.constant_columns]
    for table, column, type_name in columns:
        connection.execute(
            f"DELETE FROM {LOST} l USING {quoted(table)} t WHERE l.type = "
            f"{text_literal(type_name)} AND l.world = t.world AND l.constant = t.{column}"
        )
        worlds = set(connection.execute(f"SELECT DISTINCT world FROM {LOST}").fetchall())
        if not worlds:
            break
    connection.execute(f"DROP TABLE {LOST}")
    return worlds


def _constants(predicate: StoredPredicate, table: str) -> str:
    """A query for the constants of a table of a predicate's facts; empty where it has none."""
    return " UNION ".join(
        f"SELECT world, {text_literal(type_name)} AS type, {column} AS constant FROM {table}"
        for column, type_name in predicate.constant_columns
    )


def _stated(predicate: StoredPredicate, facts: pyarrow.Table) -> StatedFacts:
    """Those of the evidence that are not false."""
    columns = {name: numpy_column(facts.column(name)) for name in ("world", *predicate.columns)}
    evidence = np.array(
        [one == "evidence" for one in facts.column("partition").to_pylist()], np.bool_
    )
    values = np.asarray(numpy_column(facts.column("value")), np.float64)
    stated = np.flatnonzero(evidence & (values > 0))
    ids = ids_of_columns(columns, ("world", *predicate.columns))
    return StatedFacts(np.asarray(ids[stated], np.int32), values[stated])


def _sum(
    database: Database,
    connection: duckdb.DuckDBPyConnection,
    predicate: StoredPredicate,
    facts: pyarrow.Table,
) -> FactSum:
    if not facts.num_rows:
        return FactSum()
    encoded, names = dict(predicate.constant_columns), predicate.as_texts(database.type_tables())
    cells = [
        f"c_{column}.name AS {column}" if column in encoded else f"f.{column}"
        for column in predicate.columns
    ]
    shown = ", ".join(["w.name AS world", *cells, "f.value", "f.partition"])
    source = f"FROM changed_facts f JOIN world w ON w.id = f.world {names.joins}"
    with handed_in(connection, "changed_facts", facts):
        return sum_of_facts(connection, predicate.columns, f"FROM (SELECT {shown} {source})")


@contextmanager
def _coded(
    database: Database, predicate: StoredPredicate, rows: pyarrow.Table, *, grow: bool
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The texts as ids in the temporary table `changed_rows`; `grow` gives new ones ids."""
    tables = database.type_tables()
    coded = predicate.as_ids(tables, "s")
    of_type: dict[str, list[str]] = {}
    for column, type_name in predicate.constant_columns:
        of_type.setdefault(type_name, []).append(f"SELECT DISTINCT {column} AS name FROM {ROWS}")
    with database.transaction() as connection:
        with handed_in(connection, "incoming_texts", rows):
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {ROWS} AS FROM incoming_texts")
        if grow:
            for type_name, selects in sorted(of_type.items()):
                add_constants(connection, tables[type_name], " UNION ".join(selects))
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {CODED} AS SELECT DISTINCT "
            f"{', '.join(['w.id AS world', *coded.cells])}, s.value, s.partition::fact_partition "
            f"AS partition FROM {ROWS} s JOIN world w ON w.name = s.world {coded.joins} ORDER BY "
            "ALL"
        )
        yield connection
        for table in (ROWS, CODED):
            connection.execute(f"DROP TABLE {table}")


def _refuse_contradictions(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, clash: str
) -> None:
    both = f"FROM {CODED} n JOIN {KNOWN} t ON {clash}"
    if not connection.execute(f"SELECT 1 {both} LIMIT 1").fetchall():
        return
    tables = dict(connection.execute("SELECT name, table_name FROM constant_type").fetchall())
    encoded, values = dict(predicate.constant_columns), dict(predicate.value_columns)

    def arguments(row: str) -> str:
        cells = (
            f"(SELECT name FROM {quoted(tables[encoded[column]])} WHERE id = {row}.{column})"
            if column in encoded
            else text_of_value(f"{row}.{column}", values[column])
            for column in predicate.columns
        )
        return f"[{', '.join(cells)}]::VARCHAR[]"

    rows = connection.execute(
        f"SELECT {arguments('n')}, {arguments('t')}, t.value, n.value {both} ORDER BY ALL "
        f"LIMIT {SHOWN}"
    ).fetchall()
    raise InputError(
        tuple(
            Diagnostic(
                "E0850",
                f"{predicate.name}({', '.join(new)}) contradicts "
                + (
                    f"a fact of the same world: {_said(before)} there, {_said(after)} in the update"
                    if new == old
                    else f"{predicate.name}({', '.join(old)}), a fact of the same world"
                ),
                help="remove the old fact in the same update, or say that it is corrected",
            )
            for new, old, before, after in rows
        )
    )


def _said(value: float | None) -> str:
    return {None: "unknown", 1.0: "true", 0.0: "false"}.get(
        value, f"{value:g}" if value is not None else ""
    )
