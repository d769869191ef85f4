"""Spark as a grounding's backend: its SQL, the relations as Parquet, queries as data frames."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import duckdb

from workbench.errors import UsageError, not_installed
from workbench.grounding.backend import Batch, Elsewhere, columns_of
from workbench.grounding.dialect import Dialect
from workbench.grounding.select import Function, Operator, Select, Union

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TASKS_A_CORE = 4
"""Tasks that work is split into: a few a core, so that a slow one holds up little."""


class SparkDialect(Dialect):
    """What Spark SQL writes otherwise than DuckDB."""

    name = "Spark"
    ordered_sums = False
    registered = False
    row_subqueries = False
    types: ClassVar[Mapping[str, str]] = {"VARCHAR": "STRING", "BIGINT[]": "ARRAY<BIGINT>"}
    operators: ClassVar[Mapping[Operator, str]] = {"//": "{0} div {1}"}
    functions: ClassVar[Mapping[Function, str | None]] = {
        "list": "collect_list({all}){filter}",
        "list_value": "array({all})",
        "list_sort": "array_sort({all})",
        "list_distinct": "array_distinct({all})",
        "list_extract": "element_at({all})",
        "list_contains": "array_contains({all})",
        "len": "size({all})",
        "row": "struct({all})",
        "starts_with": "startswith({all})",
        "ends_with": "endswith({all})",
        "trunc": "(CASE WHEN {0} < 0 THEN ceil({0}) ELSE floor({0}) END)",
        "epoch_us": None,
        "to_seconds": None,
        "regexp_extract_all": None,
        "list_intersect": None,
        "list_cosine_similarity": None,
        "try_cast DOUBLE[]": None,
        "damerau_levenshtein": None,
        "jaro_similarity": None,
        "jaro_winkler_similarity": None,
    }

    def literal(self, value: float | int | str | bool | None) -> str:
        if isinstance(value, str):
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        if isinstance(value, float):
            return f"{value!r}D" if abs(value) != float("inf") else f"double('{value}')"
        return super().literal(value)


class Spark(Elsewhere):
    """A session of Spark, and a folder that all of its machines see.

    `folder`: where relations, rows and answers are written as Parquet.
    """

    dialect = SparkDialect()

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, session: SparkSession, folder: Path
    ) -> None:
        super().__init__(connection)
        self.session, self.folder = session, folder

    @property
    def interrupted(self) -> tuple[type[Exception], ...]:
        from pyspark.errors import PySparkException

        return (PySparkException,)

    def create(self, name: str, batches: Any) -> None:
        from pyarrow import parquet

        path = self.folder / f"{name}.parquet"
        with parquet.ParquetWriter(path, batches.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        self.session.read.parquet(str(path)).createOrReplaceTempView(name)

    def frame(self, query: Select | Union) -> DataFrame:
        """A query as a data frame, in no order.

        Raises E0880 for a function that Spark has not; E0881 for a query that it cannot plan.
        """
        from pyspark.errors import AnalysisException

        text = self.text(replace(query, order_by=()) if isinstance(query, Select) else query)
        try:
            return self.session.sql(text)
        except AnalysisException as error:
            first = str(error).partition("\n")[0]
            raise UsageError.of(
                "E0881",
                f"Spark cannot plan the query of a rule: {first}",
                help="leave out --on to ground here",
            ) from None

    def rows(self, query: Select | Union) -> tuple[list[str], list[tuple[Any, ...]]]:
        frame = self.frame(query)
        return frame.columns, [tuple(row) for row in frame.collect()]

    def batches(self, query: Select | Union, *, shared: bool, few: bool) -> Iterator[Batch]:
        for batch in self.frame(query).toArrow().combine_chunks().to_batches():
            if batch.num_rows:
                yield columns_of(batch)

    def interrupt(self) -> None:
        self.session.sparkContext.cancelAllJobs()


@contextmanager
def spark_session(master: str) -> Iterator[SparkSession]:
    """A session on a master, closed at the end; one that is there already stays open.

    Raises E0882 where pyspark is not installed; E0883 where Spark does not start.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise not_installed("E0882", "--on spark", "pyspark", "spark") from None
    own = SparkSession.getActiveSession() is None
    builder: Any = SparkSession.builder
    builder = builder.master(master).appName("workbench")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.pyspark.python": sys.executable,
        # Executors on this machine import the workbench from where this process does.
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        "spark.sql.adaptive.enabled": "true",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, RuntimeError) as error:
        raise UsageError.of(
            "E0883",
            f"Spark did not start on {master}: {str(error).partition(chr(10))[0]}",
            help="is Java 17 or later installed (apt-get install default-jre-headless), and the "
            "master reachable?",
        ) from None
    session.sparkContext.setLogLevel("ERROR")
    session.conf.set(
        "spark.sql.shuffle.partitions", str(TASKS_A_CORE * session.sparkContext.defaultParallelism)
    )
    try:
        yield session
    finally:
        if own:
            session.stop()
