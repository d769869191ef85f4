"""The facade: one DuckDB database and all that can be done with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from workbench.database import Database, LoadReport, Partition, Salvage, endings, salvage
from workbench.database.copying import copy_of
from workbench.errors import UsageError
from workbench.language.ground_atoms import atom_text, parse_atom
from workbench.language.values import value_text
from workbench.progress import SILENT, Progress
from workbench.tables import ColumnKind, TableMapping, TablesMapping
from workbench.verbs.common import as_words
from workbench.verbs.data import Data
from workbench.verbs.examples import BundledExample, bundled_examples, example_tables
from workbench.verbs.explaining.explanation import names_of_rules
from workbench.verbs.keywords import strict
from workbench.verbs.modelling import RulesLike
from workbench.verbs.models import Models
from workbench.verbs.recorded import Runs
from workbench.verbs.revisiting import Revisiting
from workbench.verbs.rules import CheckedRules, Rules
from workbench.verbs.standalone import Standalone

if TYPE_CHECKING:
    import pandas as pd

    from workbench.database import Unlisted
    from workbench.verbs.infer import InferenceResult

__all__ = [
    "BundledExample",
    "CheckedRules",
    "ColumnKind",
    "Salvage",
    "TableMapping",
    "TablesMapping",
    "Workspace",
    "as_words",
    "atom_text",
    "bundled_examples",
    "example_tables",
    "file_endings",
    "names_of_rules",
    "open_workspace",
    "parse_atom",
    "salvage",
    "value_text",
]


def open_workspace(
    path: str | os.PathLike[str] | None = None,
    *,
    read_only: bool = False,
    memory_limit: str | None = None,
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
        E0201 where the file is no workspace, is locked by another process, or is of another
        version.
    """
    return Workspace(Database.open(path, read_only=read_only, memory_limit=memory_limit))


def file_endings(kind: Literal["facts", "columns", "wide"]) -> list[str]:
    """Endings, without the dot, of files of facts, tables with columns, or wide tables; and gz."""
    return [*(ending[1:] for ending in endings(kind)), "gz"]


@strict
class Workspace(Standalone, Revisiting):
    """Data, rules and runs in one DuckDB database.

    Use as a context manager, or call `close`. What only some verbs need (SciPy, Numba, pandas) is
    imported by them.
    """

    def __init__(self, database: Database) -> None:
        if isinstance(database, (str, os.PathLike)):
            raise UsageError.of("E0201", "a workspace is opened, not made: workbench.open(path)")
        self.database = database

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; what the next update may start from is kept in its file."""
        if "last_answer" in vars(self) and self.database.path is not None:
            self.last_answer.keep(self.database)
        self.database.close()

    def save_as(
        self,
        path: str | os.PathLike[str],
        *,
        facts: bool = True,
        runs: bool = True,
        linkages: bool = True,
    ) -> None:
        """Write what is committed, with facts, runs and the linkages kept beside these or without,
        to a new workspace file; this one stays open.
        """
        from workbench.database import read_runs, take_linkage

        beside = self.database.beside()
        with (
            beside,
            beside.transaction(),
            copy_of(beside.within(), path, facts=facts, runs=runs) as copied,
        ):
            for run in read_runs(copied) if linkages else ():
                take_linkage(copied, beside.within(), run.id, run.id)

    @contextmanager
    def heeding(self, progress: Progress) -> Iterator[None]:
        """Statements inside stop when `progress` is cancelled, those that write too;
        what was written is taken back. Other threads' writes wait until they are done.
        """
        from workbench.grounding.interruption import statements_heeding

        with self.database.reading() as connection, statements_heeding(progress, connection):
            yield

    def beside(self) -> Workspace:
        """This workspace as committed, for another thread; closing it closes no more."""
        return Workspace(self.database.beside())

    @property
    def data(self) -> Data:
        """What is in the workspace: facts (changed here), tables, constants, folds, SQL."""
        return Data(self.database)

    @property
    def rules(self) -> Rules:
        """The rules at hand and their versions; rules checked and formatted."""
        return Rules(self.database)

    @property
    def models(self) -> Models:
        """Engines and learners; programs, rules and weights of recorded runs."""
        return Models(self.database)

    @property
    def runs(self) -> Runs:
        """Recorded runs: `ws.runs()` lists them; predictions, scores, comparisons, reports."""
        return Runs(self.database)

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
        progress: Progress = SILENT,
    ) -> LoadReport:
        """Load facts: Alchemy `.db`, CSV, TSV, Parquet, `dataset.toml`, PSL `.data`, or a data
        frame; or wide tables.

        All of it or nothing is loaded. Tables (CSV, Parquet, JSON lines, Excel, SQLite, DuckDB,
        PostgreSQL) for which no predicate is declared by their name are wide: a look at them, or a
        mapping, says what each column means.

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
            Whether tables are wide; None decides for each by its name, and with `rules` they never
            are.
        mapping : TablesMapping or path, optional
            What the columns of wide tables mean (`dataset.toml` with `[[tables]]`); None proposes
            it.
        predict : str, optional
            `TABLE.COLUMN` or `TABLE.COLUMN=VALUE` of wide tables: its cells become labels, its
            blanks are asked for.
        labels : {'evidence', 'withheld'}
            Whether known cells of what is predicted are facts that inference may use, or truth to
            learn and score by.
        progress : Progress
            Cancelling it stops the reading of wide tables; nothing is loaded then.

        Returns
        -------
        LoadReport
            New facts by predicate, the worlds they went to, warnings; of wide tables a TablesReport
            with `.mapping`.

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
            progress=progress,
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
        truth : path or paths, optional
            Alchemy `.db`, a table, PSL's data, or a `dataset.toml`.
        unlisted : {'auto', 'false', 'skip'}
            What an atom without a label is. `auto`: false where all labels of its predicate are
            true, a closed-world list; not scored elsewhere, and in soft logic. `?` is never scored.

        Returns
        -------
        dict
            Metrics by name, as `workbench.evaluation.scores` gives them; `scored`, `left_out` and
            `reading` say what they are of; `unpredicted`, `by_predicate`, `calibration`,
            `warnings`; without a file `in_sample`: whether the weights were learned from these
            labels.

        Raises
        ------
        InputError
            E0826 where no prediction has a label; what loading the truth raises.
        """
        from workbench.verbs.evaluate import evaluate_result

        return evaluate_result(result, truth, unlisted=unlisted)

    def recall(self, name: str) -> str | None:
        """A remembered text."""
        return self.database.setting(name)

    def remember(self, name: str, value: str | None) -> None:
        """Remember a text; None forgets it."""
        self.database.remember(name, value)
