"""Recorded runs: what was run on which data, how it ended, and what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

import duckdb
import numpy as np

from workbench import __version__
from workbench.arrays import Array
from workbench.database.arrow_columns import arrow_column
from workbench.database.database import Database
from workbench.database.kept_arrays import forget_arrays
from workbench.database.kept_linkage import forget_linkage
from workbench.database.rows import FEW, first_value, handed_in, insert_few, insert_rows
from workbench.database.written_predictions import build_on, forget_predictions, written_predictions
from workbench.errors import UsageError
from workbench.language.reading import language_of
from workbench.resources import installed, sql_text

if TYPE_CHECKING:
    import pandas as pd

RunTable = OneOf["weight", "prediction", "metric", "trace"]
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "weight": (
        *(
            "fold",
            "template",
            "rule",
            "clause",
            "formula",
            "written",
            "share",
            "weight",
            "initial",
            "fixed",
        ),
        *("open", "satisfied", "violated", "low", "high", "support", "rate", "rate_of_others"),
    ),
    "prediction": ("fold", "world", "predicate", "arguments", "value", "truth"),
    "metric": ("fold", "predicate", "metric", "value"),
    "trace": ("fold", "step", "series", "value"),
}
Columns = Mapping[str, Sequence[Any] | Array]


def _versions() -> dict[str, str]:
    """What a result depends on."""
    return {"workbench": __version__, **installed("duckdb", "numpy", "scipy", "numba", "highspy")}


@dataclass(frozen=True)
class RunRecord:
    """A run about to be recorded.

    Attributes
    ----------
    kind : str
        `ground`, `learn`, `infer`, `evaluate`, `crossval`, `structure`, ...
    engine : str or None
        The engine or learner.
    parent : int or None
        The run this one is part of, or started from.
    base : int or None
        The run since which `predictions` are all that changed; None where they are all.
    parameters, versions : mapping
        JSON-ready.
    atom_types : mapping of predicate to types
        Of the arguments of the predicates that were predicted.
    weights, predictions, metrics, traces : mapping of column to values
        Columns as in `run_weight`, `run_prediction`, `run_metric`, `run_trace`; missing ones are
        NULL, NaN is NULL. `arguments` are ids of constants, int32 of shape (n, most arguments), -1
        where a predicate takes fewer.
    """

    kind: str
    status: str
    seconds: float
    program_text: str = ""
    engine: str | None = None
    seed: int | None = None
    parent: int | None = None
    data_hash: str | None = None
    name: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=_versions)
    atom_types: Mapping[str, Sequence[str]] = field(default_factory=dict)
    weights: Columns = field(default_factory=dict)
    predictions: Columns = field(default_factory=dict)
    metrics: Columns = field(default_factory=dict)
    traces: Columns = field(default_factory=dict)
    base: int | None = None


@dataclass(frozen=True)
class Run:
    """A recorded run, without its tables."""

    id: int
    parent: int | None
    kind: str
    name: str | None
    note: str | None
    created: datetime
    seconds: float
    status: str
    engine: str | None
    seed: int | None
    program_text: str
    program_hash: str
    data_hash: str | None
    parameters: Mapping[str, Any]
    versions: Mapping[str, str]

    @property
    def language(self) -> str:
        """The language of the program, as recorded; in old workspaces, as the text tells it."""
        return str(self.parameters.get("language") or language_of(self.program_text))


_AS_GIVEN = "parent kind name seconds status engine seed program_text data_hash".split()


def record_run(database: Database, record: RunRecord) -> int:
    """Write a run with all its tables in one transaction; its id.

    Cost: linear in the number of predictions, in bulk.
    """
    with database.transaction() as connection:
        inserted = first_value(
            connection.execute(
                sql_text("insert_run"),
                {
                    **{name: getattr(record, name) for name in _AS_GIVEN},
                    "created": datetime.now(UTC).replace(tzinfo=None),
                    "program_hash": sha256(record.program_text.encode()).hexdigest(),
                    "parameters": json.dumps(dict(record.parameters), sort_keys=True, default=str),
                    "versions": json.dumps(dict(record.versions), sort_keys=True),
                },
            )
        )
        number = int(inserted)
        insert_rows(
            connection,
            "run_predicate",
            ("INTEGER", "VARCHAR", "VARCHAR[]"),
            [(number, name, list(types)) for name, types in record.atom_types.items()],
        )
        for table, columns in (
            ("weight", record.weights),
            ("prediction", record.predictions),
            ("metric", record.metrics),
            ("trace", record.traces),
        ):
            _insert(connection, table, number, columns)
        if record.base is not None:
            build_on(connection, number, record.base)
    return number


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, number: int, columns: Columns
) -> None:
    if not columns:
        return
    unknown = set(columns) - set(COLUMNS[table])
    if unknown:
        raise UsageError.of("E0217", f"run_{table} has no column {', '.join(sorted(unknown))}")
    names = [name for name in COLUMNS[table] if name in columns]
    n_rows = len(columns[names[0]])
    if n_rows <= FEW:
        given = {"run": np.full(n_rows, number)} | {name: columns[name] for name in names}
        if n_rows:
            insert_few(connection, f"run_{table}", given)
        return
    import pyarrow

    rows = pyarrow.table({name: arrow_column(columns[name]) for name in names})
    is_float = {name: pyarrow.types.is_floating(rows.schema.field(name).type) for name in names}
    cells = [
        f"nullif({name}, 'NaN'::DOUBLE) AS {name}" if is_float[name] else name for name in names
    ]
    with handed_in(connection, "recorded_rows", rows):
        connection.execute(
            f"INSERT INTO run_{table} (run, {', '.join(names)}) SELECT $run, {', '.join(cells)} "
            "FROM recorded_rows",
            {"run": number},
        )


def read_runs(database: Database) -> tuple[Run, ...]:
    """All runs, the newest first."""
    return tuple(_run(*row) for row in database.execute(sql_text("runs")).fetchall())


def runs_begun(database: Database) -> dict[int, tuple[str, int | None]]:
    """Each run's kind, and the run that it started from."""
    rows = database.execute("SELECT id, kind, parent FROM run ORDER BY id").fetchall()
    return {number: (kind, parent) for number, kind, parent in rows}


def _run(*columns: Any) -> Run:
    named: dict[str, Any] = dict(zip(Run.__dataclass_fields__, columns))
    named["parameters"] = json.loads(named["parameters"])
    named["versions"] = json.loads(named["versions"])
    return Run(**named)


def read_run(database: Database, number: int) -> Run:
    """One run.

    Raises E0217 when there is none of that id.
    """
    query = f"SELECT * FROM ({sql_text('runs')}) WHERE id = $run"
    for row in database.execute(query, {"run": number}).fetchall():
        return _run(*row)
    raise UsageError.of("E0217", f"there is no run {number}", help="`workbench runs` lists them")


def run_table(database: Database, number: int, table: RunTable) -> pd.DataFrame:
    """The weights, predictions, metrics or trace of a run as a data frame, in the order they were
    recorded.

    Predictions are in words: fold, world, predicate, atom, value, truth.

    Raises E0217 when there is no run of that id.
    """
    read_run(database, number)
    if table == "prediction":
        query = written_predictions(database, number)
        return database.execute(
            f"SELECT fold, world, predicate, atom, value, truth FROM ({query}) ORDER BY place"
        ).df()
    columns = ", ".join(COLUMNS[table])
    return database.execute(
        f"SELECT {columns} FROM run_{table} WHERE run = $run ORDER BY rowid", {"run": number}
    ).df()


def mean_metrics(database: Database) -> pd.DataFrame:
    """Mean over folds of every recorded metric: run, metric, value."""
    return database.execute(
        "SELECT run, metric, avg(value) AS value FROM run_metric WHERE NOT isnan(value) GROUP BY "
        "ALL"
    ).df()


def record_intervals(database: Database, number: int, low: Array, high: Array) -> None:
    """Put an interval beside each weight of a run; `low` and `high` by template, at once."""
    import pandas as pd

    read_run(database, number)
    found = pd.DataFrame({"template": range(len(low)), "low": low, "high": high})
    with database.transaction() as connection, handed_in(connection, "found_intervals", found):
        connection.execute(
            "UPDATE run_weight SET low = f.low, high = f.high FROM found_intervals f "
            "WHERE run = $run AND run_weight.template = f.template",
            {"run": number},
        )


def label_run(
    database: Database, number: int, *, name: str | None = None, note: str | None = None
) -> None:
    """Set the name or the note of a run; None leaves it as it is."""
    read_run(database, number)
    with database.transaction() as connection:
        connection.execute(
            "UPDATE run SET name = coalesce($name, name), note = coalesce($note, note) WHERE id = "
            "$run",
            {"name": name, "note": note, "run": number},
        )


def delete_run(database: Database, number: int) -> None:
    """Delete a run with its tables; runs that came from it lose their parent."""
    read_run(database, number)
    with database.transaction() as connection:
        for table in (*(name for name in COLUMNS if name != "prediction"), "predicate"):
            connection.execute(f"DELETE FROM run_{table} WHERE run = $run", {"run": number})
        forget_arrays(database, number)
        forget_linkage(connection, number)
        connection.execute("UPDATE run SET parent = NULL WHERE parent = $run", {"run": number})
        connection.execute("DELETE FROM run WHERE id = $run", {"run": number})
        forget_predictions(connection, number)
