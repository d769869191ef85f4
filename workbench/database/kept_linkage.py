"""A linkage kept beside its run, in a schema of its own: records, the keys they are found by,
components, the model.

`record` is in the order of `number` and `key` in that of `key`, so that a look-up by either reads a
few row groups; what came later stands behind. All of it can be made again from the files: copies
and repairs leave it out, but it goes with a run that another workspace takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from workbench.arrays import Array, Int64
from workbench.database.database import Database
from workbench.database.rows import handed_in

if TYPE_CHECKING:
    import pyarrow

_SCHEMA = "linkage_"


def keep_linkage(database: Database, run: int, **tables: pyarrow.Table) -> None:
    """Keep the tables of a linkage under a run.

    Parameters
    ----------
    model : pyarrow.Table
        One row: content, a text.
    record : pyarrow.Table
        number, source, id, cluster (the number of its first record), component, and of field number
        k the value `f<k>` and by how many records it was held, `n<k>`; in the order of numbers,
        which are rows.
    key : pyarrow.Table
        key (uint64), number; in the order of keys.
    value : pyarrow.Table
        key (uint64) of a field's value, held: by how many records; in the order of keys.
    word : pyarrow.Table
        field (a number), word, held.
    component : pyarrow.Table
        component (the number of its first record), energy, bound; those of energy 0 left out.
    total : pyarrow.Table
        One row: records, clusters, components (of two records and more).
    label : pyarrow.Table
        lower, upper (numbers), same: pairs whose answer was given.
    doubt : pyarrow.Table
        lower, upper, log_odds: pairs that are worth asking about, the first one first.
    curve : pyarrow.Table
        threshold, pairs, precision, recall: what is expected where pairs count from there on.
    """
    with database.transaction() as connection:
        connection.execute(f"CREATE SCHEMA {_SCHEMA}{run}")
        for name, rows in tables.items():
            with handed_in(connection, "incoming", rows):
                connection.execute(f"CREATE TABLE {_SCHEMA}{run}.{name} AS FROM incoming")


def kept_linkage(database: Database, run: int | None = None) -> KeptLinkage | None:
    """The linkage kept under a run, or the newest one; None where there is none."""
    rows = database.execute(
        "SELECT schema_name FROM duckdb_schemas() "
        "WHERE starts_with(schema_name, $name) AND database_name = current_database()",
        {"name": _SCHEMA},
    ).fetchall()
    numbers = [int(name.removeprefix(_SCHEMA)) for (name,) in rows]
    kept = [number for number in numbers if run is None or number == run]
    return KeptLinkage(database.connection, max(kept)) if kept else None


def take_linkage(database: Database, source: Database, run: int, number: int) -> None:
    """Keep the linkage of a run of another database, if it keeps one, under a run of this one."""
    names = source.execute(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = $name AND database_name = "
        "current_database()",
        {"name": f"{_SCHEMA}{run}"},
    ).fetchall()
    if not names:
        return
    with database.transaction() as connection:
        connection.execute(f"CREATE SCHEMA {_SCHEMA}{number}")
        for (name,) in sorted(names):
            rows = source.cursor().sql(f"FROM {_SCHEMA}{run}.{name}").to_arrow_table()
            with handed_in(connection, "incoming", rows):
                connection.execute(f"CREATE TABLE {_SCHEMA}{number}.{name} AS FROM incoming")


def forget_linkage(connection: duckdb.DuckDBPyConnection, run: int) -> None:
    """Let the linkage of a run go, where there is one."""
    connection.execute(f"DROP SCHEMA IF EXISTS {_SCHEMA}{run} CASCADE")


@dataclass(frozen=True)
class KeptLinkage:
    """What is kept of one linkage, looked up and added to."""

    connection: duckdb.DuckDBPyConnection
    run: int

    def model(self) -> str:
        """The model, as it was given."""
        return str(self.rows("SELECT content FROM {0}.model")[0][0])

    def next_number(self) -> int:
        """The number of the next new record: none has it, and none had it."""
        return int(self.rows(f"SELECT coalesce(max(number), -1) + 1 FROM {self._ever}")[0][0])

    def figures(self) -> dict[str, Any]:
        """records, clusters, components of two and more, those not proven, energy and bound."""
        whole = "SELECT records::INT, clusters::INT, components::INT FROM {0}.total"
        open_ones = "count(*) FILTER (energy - bound > 1e-6)"
        costs = (
            f"SELECT {open_ones}, coalesce(sum(energy), 0), coalesce(sum(bound), 0) FROM "
            f"{{0}}.component"
        )
        names = ("records", "clusters", "components", "components_open", "energy", "bound")
        return dict(zip(names, (*self.rows(whole)[0], *self.rows(costs)[0])))

    def add_totals(self, records: int, clusters: int, components: int) -> None:
        """So many more, or fewer where it is below 0."""
        grown = (
            "records = records + $records, clusters = clusters + $clusters, components = "
            "components + $components"
        )
        self.rows(
            f"UPDATE {{0}}.total SET {grown}",
            records=records,
            clusters=clusters,
            components=components,
        )

    def held(self, keys: Array) -> dict[int, int]:
        """By how many fitted records values of such keys were held; those by none are left out."""
        where = "held > 0 AND key IN (SELECT unnest($keys::UBIGINT[]))"
        return dict(
            self.rows(f"SELECT key, held FROM {{0}}.value WHERE {where}", keys=keys.tolist())
        )

    def words(self, field: int, words: Sequence[str]) -> dict[str, int]:
        """How many of the fitted records hold words of a field."""
        asked = {"field": field, "asked": list(words)}
        where = "field = $field AND word IN (SELECT unnest($asked))"
        return dict(self.rows(f"SELECT word, held FROM {{0}}.word WHERE {where}", **asked))

    def sizes(self, keys: Array) -> dict[int, int]:
        """How many records share each key."""
        where = "key IN (SELECT unnest($keys::UBIGINT[]))"
        return dict(
            self.rows(
                f"SELECT key, count(*) FROM {{0}}.key WHERE {where} GROUP BY 1", keys=keys.tolist()
            )
        )

    def numbers(self, keys: Array | None) -> Int64:
        """The records that have one of some keys, in order; all where `keys` is None."""
        if keys is None:
            rows = self.rows("SELECT number FROM {0}.record ORDER BY 1")
        else:
            where = "key IN (SELECT unnest($keys::UBIGINT[]))"
            rows = self.rows(
                f"SELECT DISTINCT number FROM {{0}}.key WHERE {where} ORDER BY 1",
                keys=keys.tolist(),
            )
        return np.array([number for (number,) in rows], np.int64)

    def records(self, column: str, asked: Sequence[Any]) -> pyarrow.Table:
        """Records whose number, component, cluster or id is among some, by source and number."""
        kind = "VARCHAR" if column == "id" else "INTEGER"
        where = f"{column} IN (SELECT unnest($asked::{kind}[]))"
        sql = self.sql(f"FROM {{0}}.record WHERE {where}")
        found = self.connection.sql(sql, params={"asked": list(asked)}).to_arrow_table()
        # DuckDB takes as long to plan an order of twenty columns as to find the rows.
        return found.sort_by([("source", "ascending"), ("number", "ascending")])

    def values(self, fields: Sequence[int]) -> pyarrow.Table:
        """number, source and the values of some fields, of all records in order."""
        columns = ", ".join(["number", "source", *(f"f{field}" for field in fields)])
        return self.connection.sql(
            self.sql(f"SELECT {columns} FROM {{0}}.record ORDER BY source, number")
        ).to_arrow_table()

    def labels(self, numbers: Array) -> Array:
        """Pairs with one of some records in them whose answer was given: lower, upper, same."""
        if not self._labelled:
            return np.zeros((0, 3), np.int64)
        either = "lower IN (SELECT unnest($numbers)) OR upper IN (SELECT unnest($numbers))"
        rows = self.rows(
            f"SELECT lower, upper, same::INT FROM {{0}}.label WHERE {either}",
            numbers=numbers.tolist(),
        )
        return np.array(rows, np.int64).reshape(-1, 3)

    def put_tops(self, numbers: Array, tops: Array) -> None:
        """Give records the log odds of their best pair."""
        import pyarrow

        self._write(
            "UPDATE {0}.record SET top = i.top FROM incoming i WHERE record.number = i.number",
            pyarrow.table({"number": numbers.astype(np.int32), "top": tops}),
        )

    def groups(self, numbers: Array, clusters: Sequence[int]) -> pyarrow.Table:
        """number, source, id, cluster of all records in the clusters of some, and in more."""
        of_numbers = (
            "SELECT cluster FROM {0}.record WHERE number IN (SELECT unnest($numbers::INTEGER[]))"
        )
        sql = self.sql(
            "SELECT number, source, id, cluster FROM {0}.record "
            f"WHERE cluster IN ({of_numbers} UNION SELECT unnest($clusters::INTEGER[])) ORDER BY "
            "number"
        )
        return self.connection.sql(
            sql, params={"numbers": numbers.tolist(), "clusters": clusters}
        ).to_arrow_table()

    def add(self, record: pyarrow.Table, key: pyarrow.Table) -> None:
        """Put records and their keys behind the others."""
        for name, rows in (("record", record), ("key", key)):
            self._write(f"INSERT INTO {{0}}.{name} BY NAME FROM incoming", rows)

    def remove(self, numbers: Array) -> pyarrow.Table:
        """Take records and their keys out, and give them as they were; their values stay known."""
        asked, of_these = (
            {"numbers": numbers.tolist()},
            "number IN (SELECT unnest($numbers::INTEGER[]))",
        )
        rows = self.connection.sql(
            self.sql(f"FROM {{0}}.record WHERE {of_these} ORDER BY number"), params=asked
        )
        found = rows.to_arrow_table()
        if found.num_rows:
            self.rows("CREATE TABLE IF NOT EXISTS {0}.gone AS FROM {0}.record LIMIT 0")
            self._write("INSERT INTO {0}.gone BY NAME FROM incoming", found)
            for table in ("record", "key"):
                self.rows(f"DELETE FROM {{0}}.{table} WHERE {of_these}", **asked)
        return found

    def pointed_ids(self) -> float:
        """The share of ids such as 12.0, whole numbers written as fractions; of no record 0.5."""
        share = "avg(regexp_matches(id, '^-?[0-9]+[.]0$')::INT)"
        return float(self.rows(f"SELECT coalesce({share}, 0.5) FROM {{0}}.record")[0][0])

    def gone(self) -> list[tuple[int, str]]:
        """source and id of records that were corrected or removed, as they were."""
        return self.rows("SELECT source, id FROM {0}.gone") if self.has("gone") else []

    @property
    def _ever(self) -> str:
        """All records, those that were corrected or removed as they were, too."""
        every = "(FROM {0}.record UNION ALL BY NAME FROM {0}.gone)"
        return every if self.has("gone") else "{0}.record"

    @property
    def _labelled(self) -> bool:
        return bool(self.rows("SELECT 1 FROM {0}.label LIMIT 1"))

    def forget_components(self, components: Array) -> None:
        """Let the figures of components go that are to be clustered again."""
        self.rows(
            "DELETE FROM {0}.component WHERE component IN (SELECT unnest($gone))",
            gone=components.tolist(),
        )

    def regroup(self, groups: pyarrow.Table, component: pyarrow.Table) -> None:
        """Give records (number) their cluster and component, and components their figures."""
        self._write(
            "UPDATE {0}.record SET cluster = i.cluster, component = i.component FROM incoming i "
            "WHERE record.number = i.number",
            groups,
        )
        self._write("INSERT INTO {0}.component BY NAME FROM incoming", component)

    def has(self, table: str) -> bool:
        """Whether a table was kept: earlier versions kept fewer."""
        of_schema = "SELECT 1 FROM duckdb_tables() WHERE schema_name = '{0}'"
        return bool(self.rows(f"{of_schema} AND table_name = $table", table=table))

    def sql(self, sql: str) -> str:
        """A statement over this linkage's tables, which stand in the schema `{0}`."""
        return sql.format(f"{_SCHEMA}{self.run}")

    def rows(self, sql: str, **asked: Any) -> list[Any]:
        """What a statement over this linkage's tables gives."""
        return self.connection.execute(self.sql(sql), asked).fetchall()

    def _write(self, sql: str, rows: pyarrow.Table) -> None:
        with handed_in(self.connection, "incoming", rows):
            self.connection.execute(self.sql(sql))
