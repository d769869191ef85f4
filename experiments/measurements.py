"""What an experiment keeps as it runs: scores by fold, seconds by system, which systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from experiments.table import Figure, FoldScore, ReproductionTable, rows_from_folds
from workbench.errors import Cancelled, UsageError, did_you_mean
from workbench.progress import SILENT, Progress

STOPPED = "Stopped before its end: only what was measured until then is in the table."


@dataclass(frozen=True)
class Measurements:
    """Scores and seconds so far; grows as an experiment runs.

    Attributes
    ----------
    progress : Progress
        Where the experiment learns that it should stop.
    clock : callable
        `perf_counter` for seconds on the wall, `cpu_seconds` for those of the processor.
    seconds : dict of str to float
        By system, summed over folds.
    notes : list of str
        What is found on the way and said below the table.
    """

    progress: Progress = SILENT
    clock: Callable[[], float] = perf_counter
    scores: list[FoldScore] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, system: str, column: str, fold: str, figures: Mapping[str, float]) -> None:
        """Keep one system's metrics on one fold.

        Raises Cancelled once the experiment is to stop, for what was then still learning answers
        with half its weights.
        """
        if self.progress.cancelled:
            raise Cancelled(system)
        self.scores.extend(
            FoldScore(system, column, metric, fold, value) for metric, value in figures.items()
        )

    @contextmanager
    def timed(self, system: str) -> Iterator[None]:
        """Count the seconds of the block for a system."""
        begun = self.clock()
        yield
        self.seconds[system] = self.seconds.get(system, 0.0) + self.clock() - begun

    @contextmanager
    def until_cancelled(self) -> Iterator[None]:
        """End the block, not the experiment, when it is cancelled: what is measured is shown.

        What hears no cancel is interrupted by hand, and says so in words of its own.
        """
        try:
            yield
        except (Exception, KeyboardInterrupt):
            if not self.progress.cancelled:
                raise

    def averaged(self) -> list[FoldScore]:
        """The same scores once more under the column `average`."""
        return [
            FoldScore(one.system, "average", one.metric, one.fold, one.value) for one in self.scores
        ]

    def table(
        self,
        name: str,
        title: str,
        published: Mapping[Figure, float | None],
        notes: Sequence[str],
        *,
        average: bool = False,
    ) -> ReproductionTable:
        """All of it beside the published figures; with `average`, over all columns too."""
        further = self.averaged() if average else []
        return ReproductionTable(
            name=name,
            title=title,
            rows=rows_from_folds([*self.scores, *further], published),
            folds_detail=tuple(self.scores),
            notes=(STOPPED, *notes) if self.progress.cancelled else tuple(notes),
            seconds=self.seconds,
            complete=not self.progress.cancelled,
        )


def known_systems(
    wanted: Sequence[str] | None, known: Collection[str], what: str = "system"
) -> tuple[str, ...]:
    """The systems (or other parts) to run, all when None; E0904 for one that there is not."""
    for system in wanted or ():
        if system not in known:
            cure = did_you_mean(system, known, f"the {what}s are {', '.join(known)}")
            raise UsageError.of("E0904", f"there is no {what} {system} here", help=cure)
    return tuple(known) if wanted is None else tuple(wanted)
