"""Facts added, corrected and removed one at a time, with the keys of those that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from workbench.database.arrow_columns import numpy_column
from workbench.database.database import Database
from workbench.database.fact_texts import FactTexts
from workbench.database.facts import FactRows, StatedFacts
from workbench.database.fingerprint import FactSum, TablePrint, hash_of_rows, sum_of_facts
from workbench.database.identifiers import all_equal, quoted, text_literal
from workbench.database.rows import first_value, handed_in, ids_of_columns
from workbench.database.schema import take_constants
from workbench.database.staged_facts import refuse_contradictions
from workbench.database.stored import StoredPredicate

if TYPE_CHECKING:
    import pyarrow

ROWS, CODED, KNOWN = "changed_texts", "changed_rows", "known_rows"
GONE, LOST = "gone_facts", "lost_constants"
FEW = 8
"""Domains of fewer worlds are counted one by one."""


@dataclass(frozen=True)
class Changed:
    """What became of the facts of a predicate.

    Attributes
    ----------
    facts : int
        How many were added or removed.
    by : FactSum
        What that changed in the sum of all.
    by_print : TablePrint
        What it changed in the print of their table.
    rows : FactRows or None
        Which; None where arguments are values.
    """

    facts: int
    by: FactSum
    by_print: TablePrint
    rows: FactRows | None


def add_facts(database: Database, facts: FactTexts, *, correct: bool = False) -> Changed:
    """Insert the facts that are not there yet, inside the open transaction.

    `correct`: a fact that says something else of its key takes the place of what was there, in its
    world and partition.

    Raises E0850 for facts that contradict facts of the same world and partition.
    """
    predicate = database.predicate(facts.predicate)
    key = predicate.key if facts.subjects is None else predicate.columns[: facts.subjects]
    for world in dict.fromkeys(facts.rows.column("world").to_pylist()):
        database.world_id(world)
    with _coded(database, predicate, facts.rows, grow=True) as coded:
        connection, table = coded.connection, quoted(predicate.table_name)
        same = all_equal("t", "n", ("world", *key, "partition"))
        differs = " OR ".join(
            f"t.{column} IS DISTINCT FROM n.{column}"
            for column in ("value", *predicate.columns[len(key) :])
        )
        contradicted, went = f"{same} AND ({differs})", None
        with _known(connection, predicate, same):
            if correct:
                went = _gone(connection, predicate, contradicted)
            else:
                both = f"FROM {CODED} n JOIN {KNOWN} t ON {contradicted}"
                refuse_contradictions(connection, predicate, both)
            came = _done(
                connection,
                f"INSERT INTO {table} BY NAME SELECT * FROM {CODED} n WHERE NOT EXISTS (FROM "
                f"{KNOWN} t WHERE {same} AND NOT ({differs}))",
            )
        # What is corrected may name things that the facts in its place do not.
        lost = _Rows(came[:0] if went is None else went, database.type_tables())
        return _changed(database, coded, came.num_rows, _Rows(came, coded.names), lost)


def remove_facts(database: Database, facts: FactTexts) -> Changed:
    """Delete the facts that are there with the same value, inside the open transaction."""
    predicate = database.predicate(facts.predicate)
    with _coded(database, predicate, facts.rows, grow=False) as coded:
        whole = all_equal("t", "n", ("world", *predicate.columns, "partition"))
        with _known(coded.connection, predicate, whole):
            said = f"{whole} AND t.value IS NOT DISTINCT FROM n.value"
            went = _gone(coded.connection, predicate, said)
        rows = (_Rows(one, coded.names) for one in (went[:0], went))
        return _changed(database, coded, went.num_rows, *rows)


@dataclass(frozen=True)
class _Coded:
    """Facts as ids in `changed_rows`, and tables of the constants they name, by type."""

    connection: duckdb.DuckDBPyConnection
    predicate: StoredPredicate
    names: Mapping[str, str]


@dataclass(frozen=True)
class _Rows:
    """Facts as ids, and tables by type that have the names of their constants."""

    facts: pyarrow.Table
    names: Mapping[str, str]


@contextmanager
def _known(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, same: str
) -> Iterator[None]:
    """What the facts there say of the same keys, and where, in the temporary table `known_rows`."""
    # All facts are looked through once. A join by one column of small numbers looks ids up in an
    # array, and leaves few facts to the join by all.
    first = [column for column, _ in predicate.constant_columns][:1]
    near = "".join(
        f"SEMI JOIN (SELECT DISTINCT {one} FROM {CODED}) f ON f.{one} = t.{one} " for one in first
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {KNOWN} AS SELECT t.*, t.rowid AS place FROM "
        f"{quoted(predicate.table_name)} t {near}SEMI JOIN {CODED} n ON {same}"
    )
    yield
    connection.execute(f"DROP TABLE {KNOWN}")


def _gone(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, chosen: str
) -> pyarrow.Table:
    """Delete the known facts that a condition chooses: which."""
    places = f"SELECT t.place FROM {KNOWN} t JOIN {CODED} n ON {chosen}"
    table = quoted(predicate.table_name)
    return _done(connection, f"DELETE FROM {table} WHERE rowid IN ({places})")


def _done(connection: duckdb.DuckDBPyConnection, statement: str) -> pyarrow.Table:
    """Run a statement that inserts or deletes facts: which."""
    return connection.sql(
        f"{statement} RETURNING * REPLACE (partition::VARCHAR AS partition)"
    ).to_arrow_table()


def _changed(database: Database, coded: _Coded, count: int, came: _Rows, went: _Rows) -> Changed:
    connection, predicate = coded.connection, coded.predicate
    (more, more_print), (less, less_print) = (
        _sums(connection, predicate, one) for one in (came, went)
    )
    rows = (
        None
        if predicate.value_columns
        else FactRows(*(_stated(predicate, one.facts) for one in (came, went)))
    )
    by_print = more.count - less.count, more_print ^ less_print
    change = Changed(count, more.since(less), by_print, rows)
    # A domain is a scan of all facts with a sort of their names: it stays as it is where its
    # constants do.
    worlds = _grown(database, connection, predicate, came.facts) if more.count else set()
    if less.count:
        with handed_in(connection, GONE, went.facts):
            worlds |= _shrunk(database, connection, predicate)
    database.refresh_domains([number for (number,) in sorted(worlds)])
    return change


def _grown(
    database: Database,
    connection: duckdb.DuckDBPyConnection,
    predicate: StoredPredicate,
    came: pyarrow.Table,
) -> set[tuple[int]]:
    """The worlds that have new constants."""
    wanted, tables = _constants(predicate, CODED), database.type_tables()
    worlds = np.unique(numpy_column(came.column("world"))).tolist()
    # A domain that has all constants of its type does not grow, which is soon seen of few.
    whole = " AND ".join(
        f"(SELECT count(*) FROM domain WHERE world = {world} AND type = {text_literal(name)}) = "
        f"(SELECT count(*) FROM {quoted(tables[name])})"
        for world in worlds
        for name in sorted({name for _, name in predicate.constant_columns})
    )
    if not wanted or (len(worlds) < FEW and first_value(connection.execute(f"SELECT {whole}"))):
        return set()
    # The other way round all domains would be put into a table of hashes.
    there = "FROM domain d SEMI JOIN wanted n USING (world, type, constant)"
    found = connection.execute(
        f"WITH wanted AS MATERIALIZED ({wanted}) SELECT DISTINCT world FROM (FROM wanted EXCEPT "
        f"SELECT d.world, d.type, d.constant {there})"
    )
    return set(found.fetchall())


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


def _sums(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, rows: _Rows
) -> tuple[FactSum, int]:
    """The sum of facts, and the exclusive or of the hashes of their rows."""
    if not rows.facts.num_rows:
        return FactSum(), 0
    encoded, names = dict(predicate.constant_columns), predicate.as_texts(rows.names)
    cells = [
        f"c_{column}.name AS {column}" if column in encoded else f"f.{column}"
        for column in predicate.columns
    ]
    shown = ", ".join(["w.name AS world", *cells, "f.value", "f.partition"])
    source = f"FROM changed_facts f JOIN world w ON w.id = f.world {names.joins}"
    with handed_in(connection, "changed_facts", rows.facts):
        total = sum_of_facts(connection, predicate.columns, f"FROM (SELECT {shown} {source})")
        return total, hash_of_rows(
            connection,
            "(SELECT * REPLACE (partition::fact_partition AS partition) FROM changed_facts)",
        )[1] or 0


@contextmanager
def _coded(
    database: Database, predicate: StoredPredicate, rows: pyarrow.Table, *, grow: bool
) -> Iterator[_Coded]:
    """The texts as ids in the temporary table `changed_rows`; `grow` gives new ones ids."""
    tables = database.type_tables()
    of_type: dict[str, list[str]] = {}
    for column, type_name in predicate.constant_columns:
        of_type.setdefault(type_name, []).append(column)
    names = {type_name: f"named_{place}" for place, type_name in enumerate(sorted(of_type))}
    with database.transaction() as connection, handed_in(connection, ROWS, rows):
        for type_name, made in names.items():
            asked = f"SELECT DISTINCT unnest([{', '.join(of_type[type_name])}]) AS name FROM {ROWS}"
            take_constants(connection, tables[type_name], asked, made, grow=grow)
        coded = predicate.as_ids(names, "s")
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {CODED} AS SELECT DISTINCT "
            f"{', '.join(['w.id AS world', *coded.cells])}, s.value, s.partition::fact_partition "
            f"AS partition FROM {ROWS} s JOIN world w ON w.name = s.world {coded.joins} ORDER BY "
            "ALL"
        )
        yield _Coded(connection, predicate, names)
        for table in (CODED, *names.values()):
            connection.execute(f"DROP TABLE {table}")
