"""Baseball's Hall of Fame, from 14 tables as they are: ours by rules and by boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

from experiments.experiment import PROGRAMS, Experiment, Reproduction
from workbench.arrays import Float
from workbench.evaluation import best_threshold, binary_scores
from workbench.inference.elsewhere import cpu_seconds
from workbench.progress import Conduct, Progress
from workbench.structure.rule_task import RuleTask
from workbench.study.columns import CandidateColumns
from workbench.study.learners import LearnerName, fit_learner
from workbench.study.matrix import CandidateMatrix
from workbench.study.prepared import prepared
from workbench.study.search import candidate_matrix
from workbench.tables import find_sources, stage

SYSTEMS: Mapping[str, LearnerName] = {"rules": "rules", "boosted_trees": "boosted_trees"}
METRICS = ("AUC-ROC", "AUC-PR", "F1")
FOLDS = 5
TABLES = (
    "AllstarFull AwardsPlayers AwardsSharePlayers BattingPost CollegePlaying FieldingPost "
    "HomeGames Managers Parks People PitchingPost Salaries Schools Teams"
).split()
_AFTERWARDS = (
    "deathYear, deathMonth, deathDay, deathCountry, deathState, deathCity, retroID, bbrefID"
)
"""Columns of People that tell of the time after the ballot, or nothing."""


def measure(run: Reproduction) -> None:
    """Five folds of persons by id; each sees what is dated before the year of the first ballot."""
    with TemporaryDirectory() as directory:
        begun = cpu_seconds()
        matrix, labels = _candidates(
            run.directory / "tables" / "baseball", Path(directory), run.progress
        )
        shared = cpu_seconds() - begun
    for system in run.systems:
        run.measured.seconds[system] = shared
        with run.measured.timed(system):
            for fold in range(min(run.folds or FOLDS, FOLDS)):
                run.progress.step("folds", fold, FOLDS, system)
                figures = _fold(matrix, labels, fold, SYSTEMS[system], run.progress)
                run.measured.add(system, "inducted", str(fold + 1), figures)


def _candidates(source: Path, directory: Path, progress: Progress) -> tuple[CandidateMatrix, Float]:
    """The candidates' columns of every person on a ballot, by id, and who was inducted."""
    with stage(find_sources(_files(source, directory))) as staging:
        ready = prepared(staging, "ballots.inducted", time="ballots.asked")
        assert ready.times is not None
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
        order = np.argsort(np.array(ready.keys["playerID"]), kind="stable")
        matrix = candidate_matrix(columns, "ballots", progress=progress)
        ordered = CandidateMatrix(matrix.candidates, matrix.X[order], {}, matrix.cut)
        return ordered, ready.labels[order]


def _fold(
    matrix: CandidateMatrix, labels: Float, fold: int, system: LearnerName, progress: Progress
) -> dict[str, float]:
    test = np.arange(len(labels)) % FOLDS == fold
    X, y = matrix.X[~test], labels[~test]
    task = RuleTask(X, y, own=matrix.own, conduct=Conduct(fold, progress=progress))
    model = fit_learner(system, "yes/no", task)
    threshold = best_threshold(model.predict(X), y)
    scores: Mapping[str, Any] = binary_scores(
        model.predict(matrix.X[test]), labels[test], threshold=threshold
    )
    return {metric: float(scores[metric]) for metric in METRICS}


def _files(source: Path, directory: Path) -> list[Path]:
    """The tables as files: the ballots, and all others but the Hall of Fame's own."""
    connection = duckdb.connect()
    ballots = (PROGRAMS / "baseball_ballots.sql").read_text(encoding="utf-8")
    connection.execute(ballots, {"file": str(source / "HallOfFame.csv.gz")})
    files = [directory / "ballots.parquet"]
    connection.execute(f"COPY ballots TO '{files[0]}' (FORMAT parquet)")
    for name in TABLES:
        rest = f" EXCLUDE ({_AFTERWARDS})" if name == "People" else ""
        files.append(directory / f"{name}.parquet")
        connection.execute(
            f"COPY (SELECT *{rest} FROM read_csv($file, sample_size=-1)) TO '{files[-1]}' (FORMAT "
            "parquet)",
            {"file": str(source / f"{name}.csv.gz")},
        )
    connection.close()
    return files


EXPERIMENTS = (Experiment.described("baseball", measure, tuple(SYSTEMS), clock=cpu_seconds),)
