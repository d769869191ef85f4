"""The part of a workspace that works on files beside it and records: studies, linkages, models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from workbench.tables import Tables, as_files
from workbench.verbs.reviewing import Reviewing

if TYPE_CHECKING:
    from workbench.study.result import StudyResult
    from workbench.verbs.linking.linkage import Linkage
    from workbench.verbs.linking.more_result import MoreLinked
    from workbench.verbs.linking.result import LinkResult
    from workbench.verbs.options import LinkMoreOptions, LinkOptions, SolveOptions, StudyOptions
    from workbench.verbs.solved_model import SolvedModel

LINKED = (
    "records",
    "candidates",
    "clusters",
    "estimated_precision",
    "estimated_recall",
    "energy",
    "bound",
    "gap",
)
SOLVED = ("log10_z", "map_log10", "cost", "bound", "gap")
"""Figures of a linkage, and of a solved model, that their runs keep."""


class Standalone(Reviewing):
    """Work that reads nothing of the workspace, recorded in it."""

    def study(
        self,
        sources: Tables,
        predict: str,
        *,
        record: bool = True,
        **options: Unpack[StudyOptions],
    ) -> StudyResult:
        """Learn, score and explain a model of one column of tables; of this workspace nothing is
        read.

        Parameters
        ----------
        sources : path or URL, several, or mapping of table to data frame
        record : bool
            Keep the study as a run.
        **options
            As in `workbench.verbs.studying.study.study`, whose errors these are.
        """
        from workbench.verbs.studying.runs import record_study
        from workbench.verbs.studying.study import study

        with as_files(sources) as files:
            result = study(files, predict, **options)
        if isinstance(sources, Mapping):
            result = replace(result, commands=())  # they would name files that are gone
        if not record:
            return result
        return replace(
            result, run_id=record_study(self.database, result, seed=options.get("seed", 0))
        )

    def link(
        self,
        *sources: str | os.PathLike[str] | Mapping[str, Any],
        record: bool = True,
        **options: Unpack[LinkOptions],
    ) -> LinkResult:
        """Which records of one file, or of two, are of the same thing; of this workspace nothing is
        read.

        Parameters
        ----------
        *sources : path, or mapping of name to data frame
        record : bool
            Keep the figures as a run, and beside it what `link_more` links new records by.
        **options
            As in `workbench.verbs.linking.link.link`, whose errors these are.
        """
        from workbench.verbs.linking.kept import keep
        from workbench.verbs.linking.link import link
        from workbench.verbs.runs import record_figures

        with ExitStack() as kept:
            files = [one for each in sources for one in kept.enter_context(as_files(each))]
            result = link(files, **options)
        if not record:
            return result
        said = result.as_record()
        figures = {name: said[name] for name in LINKED}
        settings = {"sources": [os.fspath(one) for one in files], **options}
        settings.pop("progress", None)
        with self.database.transaction():
            number = record_figures(
                self.database, "link", result.status, result.seconds, "em", figures, settings
            )
            keep(self.database, number, result)
        return replace(result, run_id=number)

    def link_more(
        self,
        *sources: str | os.PathLike[str],
        run: int | None = None,
        **options: Unpack[LinkMoreOptions],
    ) -> MoreLinked:
        """Link new records against those of a recorded linkage, and keep them there; or correct or
        remove kept ones.

        Parameters
        ----------
        run : int, optional
            The linkage; without it the newest one that is kept.
        **options
            As in `workbench.verbs.linking.more.link_more`, whose errors these are.
        """
        from workbench.verbs.linking.more import link_more

        return link_more(self.database, sources, run=run, **options)

    def linkage(self, run: int | None = None) -> Linkage:
        """A recorded linkage to look at and to correct: the one of a run, or the newest.

        Raises
        ------
        UsageError
            E0682 where none is kept.
        """
        from workbench.verbs.linking.linkage import Linkage

        return Linkage.of(self.database, run)

    def link_again(self, run: int | None = None, **options: Unpack[LinkOptions]) -> LinkResult:
        """The files of a recorded linkage linked again as they were, learning from all answers that
        were given to its pairs; a new run, where answers of pairs within one of two files hold too,
        though nothing is learned from them. Answers about records that the files lack are left out,
        with a warning (E0658).

        Parameters
        ----------
        run : int, optional
            The linkage; without it the newest one that is kept.
        **options
            What is to be otherwise, as in `link`.

        Raises
        ------
        UsageError
            E0682 where none is kept, E0696 for a file that is gone.
        """
        from workbench.database import read_run
        from workbench.verbs.linking.again import Again, say_again, written_labels

        linkage = self.linkage(run)
        again = Again.of(linkage, read_run(self.database, linkage.run_id).parameters)
        with written_labels(again.labels) as labels:
            result = self.link(*again.sources, **{**again.how, "labels": labels, **options})
        say_again(self.linkage(result.run_id), again.beside)
        return replace(result, warnings=(*again.notes, *result.warnings))

    def solve(
        self, path: str | os.PathLike[str], *, record: bool = True, **options: Unpack[SolveOptions]
    ) -> SolvedModel:
        """Solve a model of another tool, a UAI or WCNF file; of this workspace nothing is read.

        Parameters
        ----------
        record : bool
            Keep the figures as a run; the state or the marginals are in the result.
        **options
            As in `workbench.verbs.solve.solve_model`, whose errors these are.
        """
        from workbench.verbs.runs import record_figures
        from workbench.verbs.solve import solve_model

        result = solve_model(path, **options)
        if not record:
            return result
        figures = {name: getattr(result, name) for name in SOLVED}
        settings = {"sources": [os.fspath(path)], "reason": result.reason, **options}
        settings.pop("progress", None)
        number = record_figures(
            self.database, "solve", result.status, result.seconds, result.engine, figures, settings
        )
        return replace(result, run_id=number)
