"""An experiment as a value, and the one driver that runs any of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from time import perf_counter
from typing import Any

from experiments.measurements import Measurements, known_systems
from experiments.table import Figure, ReproductionTable, published_figures
from workbench.errors import UsageError
from workbench.progress import SILENT, Progress

TABLES, PROGRAMS = (Path(__file__).parent / name for name in ("tables", "programs"))
"""What papers printed; and the rules and statements of experiments."""


@dataclass(frozen=True)
class Reproduction:
    """One run of an experiment: what is asked of it, and what it has measured.

    Attributes
    ----------
    directory : Path
        Of all data sets.
    systems, columns : tuple of str
        The parts of the table to measure.
    folds : int or None
        Only the first so many.
    """

    directory: Path
    systems: tuple[str, ...]
    columns: tuple[str, ...]
    folds: int | None
    measured: Measurements

    @property
    def progress(self) -> Progress:
        return self.measured.progress


@dataclass(frozen=True)
class Experiment:
    """A published table, and how its figures are measured.

    Attributes
    ----------
    subject : str
        What it is about, in a line.
    title : str
        Of the table.
    systems : collection of str
        The rows that can be run, each on its own.
    published : mapping of (system, column, metric) to float or None
    measure : callable
        Puts scores and seconds into `Reproduction.measured`; what it takes by name besides are
        choices of the caller.
    columns : collection of str
        The data sets that can be run apart; empty where the experiment offers no choice.
    clock : callable
        `perf_counter` for seconds on the wall, `cpu_seconds` for those of the processor.
    average : bool
        Also over all columns.
    """

    name: str
    subject: str
    title: str
    systems: Collection[str]
    published: Mapping[Figure, float | None]
    measure: Callable[..., None]
    notes: Sequence[str] = ()
    columns: Collection[str] = ()
    clock: Callable[[], float] = perf_counter
    average: bool = False

    @classmethod
    def described(
        cls, name: str, measure: Callable[..., None], systems: Collection[str] = (), **how: Any
    ) -> Experiment:
        """An experiment whose subject, title, notes and published figures stand in
        `tables/NAME.toml`.

        Parameters
        ----------
        systems : collection of str
            All that have published figures, where none is named.
        **how
            `columns`, `clock`, `average`.
        """
        table = tomllib.loads((TABLES / f"{name}.toml").read_text(encoding="utf-8"))
        published: dict[Figure, float] = {}
        for part in table.get("published", ()):
            published |= published_figures(part["columns"], part["metrics"], part["figures"])
        notes = [" ".join(note.split()) for note in table["notes"]]
        known = systems or tuple(dict.fromkeys(system for system, _, _ in published))
        return cls(name, table["subject"], table["title"], known, published, measure, notes, **how)

    def run(
        self,
        *,
        data_dir: Path,
        folds: int | None = None,
        progress: Progress = SILENT,
        systems: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        **options: object,
    ) -> ReproductionTable:
        """Measure the table or a part of it; what is measured until a cancel makes the table.

        Raises E0904 for an unknown system or column, and for a choice that the experiment does not
        offer.
        """
        unknown = sorted(set(options) - set(signature(self.measure).parameters))
        if columns and not self.columns:
            unknown.append("columns")
        if unknown:
            raise UsageError.of("E0904", f"this experiment has no choice of {', '.join(unknown)}")
        measured = Measurements(progress, self.clock)
        part = Reproduction(
            directory=Path(data_dir),
            systems=known_systems(systems, self.systems),
            columns=known_systems(columns, self.columns, "column"),
            folds=folds,
            measured=measured,
        )
        with measured.until_cancelled():
            self.measure(part, **options)
        notes = (*self.notes, *measured.notes)
        return measured.table(self.name, self.title, self.published, notes, average=self.average)
