"""Grounding whose rules' queries run on PostgreSQL, against nested loops: what a second backend
takes is its dialect.

Skipped where PostgreSQL or its driver is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.grounding import test_psl_against_nested_loops as psl
from tests.grounding.test_against_nested_loops import (
    CONSTANTS,
    OPEN,
    SETTINGS,
    compare,
    formulas,
    grounded,
    program_text,
    worlds,
)
from tests.oracles.nested_loop import World, ground_naively
from workbench.errors import InfeasibleError, UsageError
from workbench.grounding.backend import Batch, Elsewhere
from workbench.grounding.dialect import Dialect
from workbench.grounding.select import (
    Call,
    ColumnRef,
    Function,
    Operator,
    Registered,
    Select,
    Union,
    Value,
)
from workbench.language import clausal_form, parse_mln

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
FUNCTIONS = """
CREATE FUNCTION list_sort(anyarray) RETURNS anyarray LANGUAGE sql AS
  'SELECT coalesce(array_agg(x ORDER BY x), $1) FROM unnest($1) AS x';
CREATE FUNCTION list_distinct(anyarray) RETURNS anyarray LANGUAGE sql AS
  'SELECT coalesce(array_agg(DISTINCT x), $1) FROM unnest($1) AS x';
CREATE FUNCTION list_extract(anyarray, integer) RETURNS anyelement LANGUAGE sql AS 'SELECT $1[$2]';
CREATE FUNCTION list_contains(anyarray, anyelement) RETURNS boolean LANGUAGE sql
    AS 'SELECT $2 = ANY($1)';
CREATE FUNCTION len(anyarray) RETURNS integer LANGUAGE sql AS 'SELECT cardinality($1)';
"""


class PostgresDialect(Dialect):
    """What PostgreSQL writes otherwise than DuckDB."""

    name = "PostgreSQL"
    semi_joins = False
    registered = False
    row_subqueries = False
    types: ClassVar[Mapping[str, str]] = {"DOUBLE": "DOUBLE PRECISION", "VARCHAR": "TEXT"}
    operators: ClassVar[Mapping[Operator, str]] = {
        "/": "{0}::double precision / {1}",
        "//": "{0} / {1}",
    }
    functions: ClassVar[Mapping[Function, str | None]] = {
        "any_value": "min({all}){filter}",
        "list": "array_agg({all}){filter}",
        "list_value": "ARRAY[{all}]",
        "levenshtein": None,
    }


class Postgres(Elsewhere):
    """A schema of its own in the tests' cluster."""

    dialect = PostgresDialect()
    interrupted = (duckdb.InterruptException,)

    def __init__(self, connection: duckdb.DuckDBPyConnection, server: Any) -> None:
        super().__init__(connection)
        self.server = server

    def create(self, name: str, batches: Any) -> None:
        kinds = {
            "int": "INTEGER",
            "double": "DOUBLE PRECISION",
            "string": "TEXT",
            "bool": "BOOLEAN",
        }
        columns = ", ".join(
            f"{field.name} "
            f"{next(kind for word, kind in kinds.items() if str(field.type).startswith(word))}"
            for field in batches.schema
        )
        self.server.execute(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({columns})")
        with self.server.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for row in batches.read_all().to_pylist():
                copy.write_row(tuple(row.values()))

    def rows(self, query: Select | Union) -> tuple[list[str], list[tuple[Any, ...]]]:
        cursor = self.server.execute(self.text(query))
        rows = [
            tuple(float(x) if isinstance(x, Decimal) else x for x in row)
            for row in cursor.fetchall()
        ]
        return [column.name for column in cursor.description], rows

    def batches(self, query: Select | Union, *, shared: bool, few: bool) -> Iterator[Batch]:
        names, rows = self.rows(query)
        if rows:
            yield {
                name: pa.array(column, pa.list_(pa.int64()))
                if name == "literals"
                else np.array(column)
                for name, column in zip(names, zip(*rows))
            }

    def interrupt(self) -> None:
        self.server.cancel()


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    psycopg = pytest.importorskip("psycopg", reason="the driver psycopg is not installed")
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed")
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    # Below /tmp: a socket's path is short, and the server's user reads no folder of another user's
    # tests.
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    try:
        if user:
            shutil.chown(folder, "postgres")
        run = {"check": True, "capture_output": True, "cwd": "/"}
        made = [
            *user,
            f"{PROGRAMS[-1]}/initdb",
            "-D",
            f"{folder}/data",
            "-U",
            "tests",
            "-A",
            "trust",
            "--locale=C",
        ]
        try:
            subprocess.run([*made, "--encoding=UTF8", "--no-sync"], **run)  # type: ignore[call-overload]
        except (subprocess.CalledProcessError, OSError) as error:
            pytest.skip(
                f"PostgreSQL makes no cluster here: {getattr(error, 'stderr', None) or error}"
            )
        control = [*user, f"{PROGRAMS[-1]}/pg_ctl", "-D", f"{folder}/data", "-w"]
        options = f"-c listen_addresses='' -c fsync=off -k {folder}"
        subprocess.run([*control, "-l", f"{folder}/log", "-o", options, "start"], **run)  # type: ignore[call-overload]
        try:
            with psycopg.connect(
                host=str(folder), user="tests", dbname="postgres", autocommit=True
            ) as connection:
                connection.execute(FUNCTIONS)
                yield connection
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **run)  # type: ignore[call-overload]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@settings(SETTINGS, max_examples=15)
@given(
    st.lists(formulas(), min_size=1, max_size=3, unique=True),
    st.lists(worlds(), min_size=1, max_size=2),
)
def test_rows_and_counts_equal_nested_loops(
    server: Any, rules: list[str], data: list[World]
) -> None:
    program = parse_mln(program_text(rules))
    expected = ground_naively(program, clausal_form(program, CONSTANTS), data, OPEN)  # type: ignore[arg-type]
    try:
        found = grounded(rules, data, backend=lambda connection: Postgres(connection, server))
    except InfeasibleError:
        assert expected.violated[None]
        return
    compare(found, expected)


@pytest.mark.parametrize("text", psl.RULES)
def test_energy_equals_nested_loops(server: Any, text: str) -> None:
    rng = np.random.default_rng(len(text))
    psl.compare(
        text, psl.random_lists(rng), rng, backend=lambda connection: Postgres(connection, server)
    )


def test_what_a_database_lacks_is_refused_by_name() -> None:
    column = ColumnRef("t", "a")
    for expression in (Call("levenshtein", (column, Value("x"))), Registered("mine", (column,))):
        with pytest.raises(UsageError, match="PostgreSQL has not") as refused:
            PostgresDialect().expression(expression)
        assert refused.value.diagnostics[0].code == "E0880"
