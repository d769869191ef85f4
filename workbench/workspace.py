"""The facade: one DuckDB database and all that can be done with it; the command line and the page are its twins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from workbench.database import (
    Database,
    LoadReport,
    Partition,
    Salvage,
    endings,
    read_run,
    read_runs,
    run_table,
    salvage,
)
from workbench.tables import ColumnKind, TableMapping, TablesMapping
from workbench.verbs.browsing import Browsing, CheckedRules, Example, bundled_examples, example_tables
from workbench.verbs.common import as_words
from workbench.verbs.living import Living
from workbench.verbs.modelling import RulesLike
from workbench.verbs.reports import Reporting
from workbench.verbs.reviewing import Reviewing

if TYPE_CHECKING:
    import pandas as pd

    from workbench.database import Unlisted
    from workbench.study.result import StudyResult
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.link_result import LinkResult

__all__ = [
    "CheckedRules",
    "ColumnKind",
    "Example",
    "Salvage",
    "TableMapping",
    "TablesMapping",
    "Workspace",
    "as_words",
    "bundled_examples",
    "example_tables",
    "file_endings",
    "open_workspace",
    "salvage",
]


def open_workspace(
    path: str | os.PathLike[str] | None = None, *, read_only: bool = False, memory_limit: str | None = None
) -> Workspace:
    """Open or create a workspace (`workbench.open`).

    Parameters
    ----------
    path : path or None
        A DuckDB file, made where there is none; None keeps the workspace in memory.
    read_only : bool
        Look only; several processes may then share the file.
    memory_limit : str, optional
        Such as `'4GB'`, for the database; None for four fifths of the machine's memory.

    Returns
    -------
    Workspace
        A context manager that closes the file.

    Raises
    ------
    InputError
        E0201 where the file is no workspace, is locked by another process, or is of another version.
    """
    return Workspace(Database.open(path, read_only=read_only, memory_limit=memory_limit))


def file_endings(kind: Literal["facts", "columns", "wide"]) -> list[str]:
    """Endings, without the dot, of files of facts, of tables with columns, of wide tables; text may be compressed."""
    return [*(ending[1:] for ending in endings(kind)), "gz"]


class Workspace(Browsing, Reviewing, Living, Reporting):
    """Data, rules and runs in one DuckDB database.

    Use as a context manager, or call `close`. What only some verbs need (SciPy, Numba, pandas) is imported by them.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def save_as(self, path: str | os.PathLike[str], *, runs: bool = True) -> None:
        """Write everything, or all but the runs, to a new workspace file; this one stays open."""
        self.database.copy(path, runs=runs).close()

    def take_run(self, copy: Workspace, number: int) -> int:
        """Record here a run that was made in a copy of this workspace; its number here.

        Raises
        ------
        UsageError
            E0217 when the copy has none of that number.
        """
        from workbench.verbs.runs import take_run

        return take_run(self.database, copy.database, number)

    def load(
        self,
        source: str | os.PathLike[str] | pd.DataFrame | Iterable[str | os.PathLike[str]],
        *,
        rules: RulesLike | None = None,
        world: str | None = None,
        partition: Partition = "evidence",
        predicate: str | None = None,
        split: Literal["infer", "learn"] = "infer",
        wide: bool | None = None,
        mapping: TablesMapping | str | os.PathLike[str] | None = None,
        predict: str | None = None,
        labels: Literal["evidence", "withheld"] = "withheld",
    ) -> LoadReport:
        """Load facts: Alchemy `.db`, CSV, TSV, Parquet, `dataset.toml`, PSL `.data`, or a data frame; or wide tables.

        All of it or nothing is loaded. Tables (CSV, Parquet, JSON lines, Excel, SQLite, DuckDB, PostgreSQL) for which
        no predicate is declared by their name are wide: a look at them, or a mapping, says what each column means.

        Parameters
        ----------
        source : path, data frame, or several paths
        rules : Program, path or text, optional
            Declares the predicates that the facts belong to.
        world : str, optional
            The database the facts belong to; rules never join worlds.
        partition : {'evidence', 'truth', 'target'}
        predicate : str, optional
            For a data frame, or a table whose file name is not the predicate's.
        split : {'infer', 'learn'}
            Which of the two lists of files a PSL 2.4 document may hold.
        wide : bool, optional
            Whether tables are wide; None decides for each by its name, and with `rules` they never are.
        mapping : TablesMapping or path, optional
            What the columns of wide tables mean (`dataset.toml` with `[[tables]]`); None proposes it.
        predict : str, optional
            `TABLE.COLUMN` or `TABLE.COLUMN=VALUE` of wide tables: its cells become labels, its blanks are asked for.
        labels : {'evidence', 'withheld'}
            Whether known cells of what is predicted are facts that inference may use, or truth to learn and score by.

        Returns
        -------
        LoadReport
            New facts by predicate, the worlds they went to, warnings; of wide tables a TablesReport with `.mapping`.

        Raises
        ------
        InputError
            With every fault of the files, at line and column; nothing is loaded.
        UsageError
            E0813 for a data frame without a predicate.
        """
        if rules is not None:
            self.declare(rules)
        from workbench.verbs.loading import load

        return load(
            self.database,
            source,
            world=world,
            partition=partition,
            predicate=predicate,
            split=split,
            wide=False if wide is None and rules is not None else wide,
            mapping=mapping,
            predict=predict,
            labels=labels,
        )

    def evaluate(
        self,
        result: InferenceResult,
        truth: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        *,
        unlisted: Unlisted = "auto",
    ) -> dict[str, Any]:
        """Score a result against the labels in the workspace, or against a file of facts.

        Parameters
        ----------
        result : InferenceResult
        truth : path or paths, optional
            Alchemy `.db`, a table, PSL's data, or a `dataset.toml`.
        unlisted : {'auto', 'false', 'skip'}
            What an atom without a label is. `auto`: false where all labels of its predicate are true, a closed-world
            list; not scored elsewhere, and in soft logic. `?` is never scored.

        Returns
        -------
        dict
            Metrics by name, as `workbench.evaluation.scores` gives them; `scored`, `left_out` and `reading` say what
            they are of; `unpredicted`, `by_predicate`, `calibration`, `warnings`; without a file `in_sample`: whether
            the weights were learned from these labels.

        Raises
        ------
        InputError
            E0826 where no prediction has a label; what loading the truth raises.
        """
        from workbench.verbs.evaluate import evaluate_result

        return evaluate_result(result, truth, unlisted=unlisted)

    def study(self, sources: Sequence[str | os.PathLike[str]], predict: str, **options: Any) -> StudyResult:
        """Learn, score and explain a model of one column of tables; nothing of this workspace is touched.

        Options, errors and what is returned are those of `workbench.verbs.study.study`.
        """
        from workbench.verbs.study import study

        return study(sources, predict, **options)

    def link(self, *sources: str | os.PathLike[str], **options: Any) -> LinkResult:
        """Which records of one file, or of two, are of the same thing; nothing of this workspace is touched.

        Options, errors and what is returned are those of `workbench.verbs.link.link`.
        """
        from workbench.verbs.link import link

        return link(sources, **options)

    def runs(self) -> pd.DataFrame:
        """The recorded runs, newest first: id, parent, kind, name, created, seconds, status, engine, seed."""
        import pandas as pd

        columns = ("id", "parent", "kind", "name", "created", "seconds", "status", "engine", "seed")
        return pd.DataFrame(
            [[getattr(run, name) for name in columns] for run in read_runs(self.database)], columns=list(columns)
        )

    def compare(self, first: int, second: int, *, most: int | None = None) -> dict[str, list[dict[str, Any]]]:
        """What differs between two runs: `settings`, `metrics`, `weights`, `predictions`; of each at most `most` rows.

        Two cross-validations over the same folds have paired `tests` of each metric beside them.
        """
        from workbench.verbs.runs import compare_runs

        return compare_runs(self.database, first, second, most=most)

    def run_program(self, run: int) -> str:
        """The program of a run, with the weights it learned where it learned any."""
        return read_run(self.database, run).program_text

    def run_predictions(self, run: int) -> pd.DataFrame:
        """The predictions of a run."""
        return run_table(self.database, run, "prediction")
