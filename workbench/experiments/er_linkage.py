"""Record linkage without labels: historical people within one file, papers of DBLP and ACM across two."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.evaluation import cluster_scores
from workbench.experiments.measurements import Measurements, known_systems
from workbench.experiments.table import ReproductionTable
from workbench.progress import SILENT, Progress

if TYPE_CHECKING:
    from workbench.verbs.link_result import LinkResult

__all__ = ["DBLP_ACM", "HISTORICAL", "run_dblp_acm", "run_historical"]

HISTORICAL: Mapping[tuple[str, str, str], float | None] = {
    (system, "records", metric): value
    for system, figures in (
        ("Splink 5.0, its tutorial's model", (0.924, 0.750, 0.828, 0.856)),
        ("Splink 5.0, twelve wider blocking rules", (0.893, 0.806, 0.847, 0.882)),
        ("GoldenMatch 3.22, probabilistic", (0.960, 0.750, 0.842, 0.860)),
        ("LightGBM on labels, average linkage", (None, None, 0.918, 0.927)),
    )
    for metric, value in zip(("precision", "recall", "F1", "B-cubed F1"), figures)
}
DBLP_ACM: Mapping[tuple[str, str, str], float | None] = {
    ("Splink 5.0", "papers", "F1"): 0.905,
    ("Splink 5.0, one to one", "papers", "F1"): 0.987,
    ("random forest, 10 % of labels, one to one", "papers", "F1"): 0.983,
}
NOTES = (
    "No label is read before the scores. Choices were made on people made up by benchmarks/linkage.py and on DBLP-ACM.",
    "The rivals' figures were measured on the same files (their own defaults), not in this run.",
)


def run_historical(
    *, data_dir: Path, folds: int | None = None, progress: Progress = SILENT, systems: Sequence[str] | None = None
) -> ReproductionTable:
    """50,578 records of 5,156 persons in one file; there are no folds."""
    del folds
    known_systems(systems, ("link",))
    directory = Path(data_dir) / "er-historical"
    measured = Measurements(progress)
    with measured.until_cancelled():
        with measured.timed("link"):
            result = _link([directory / "records.parquet"], "record", progress)
        truth = _column(directory / "truth.parquet", "record", "cluster")
        of_record = np.array([truth[str(one)] for one in result.records.ids])
        _, numbered = np.unique(of_record, return_inverse=True)
        measured.add("link", "records", "all", cluster_scores(result.clustering.label, numbered))
        measured.add("link", "records", "all", _said(result))
    return measured.table("er-historical", "Historical people, no labels: pairs and B-cubed", HISTORICAL, NOTES)


def run_dblp_acm(
    *, data_dir: Path, folds: int | None = None, progress: Progress = SILENT, systems: Sequence[str] | None = None
) -> ReproductionTable:
    """2,616 and 2,294 papers, 2,224 of them in both; there are no folds."""
    del folds
    chosen = known_systems(systems, ("link", "link, one to one"))
    directory = Path(data_dir) / "er-products" / "dblp-acm"
    with (directory / "DBLP-ACM_perfectMapping.csv").open(encoding="latin-1", newline="") as stream:
        truth = {(row["idDBLP"], row["idACM"]) for row in csv.DictReader(stream)}
    measured = Measurements(progress)
    with measured.until_cancelled():
        for system in chosen:
            with measured.timed(system):
                files = [directory / "DBLP2.csv", directory / "ACM.csv"]
                result = _link(files, "id", progress, one_to_one=system.endswith("one to one"))
            measured.add(system, "papers", "all", {**_across(result, truth), **_said(result)})
    return measured.table("er-dblp-acm", "DBLP and ACM, no labels: pairs across", DBLP_ACM, NOTES)


def _link(files: Sequence[Path], id_column: str, progress: Progress, **options: bool) -> LinkResult:
    from workbench.verbs.link import link

    return link(files, id_column=id_column, progress=progress, **options)  # type: ignore[arg-type]


def _said(result: LinkResult) -> dict[str, float]:
    """What the model says of itself, to stand beside what is so."""
    return {
        "estimated precision": result.estimates.precision,
        "estimated recall": result.estimates.recall,
        "gap": result.clustering.gap,
        "pairs compared": float(len(result.candidates.pairs)),
    }


def _across(result: LinkResult, truth: set[tuple[str, str]]) -> dict[str, float]:
    records, label = result.records, result.clustering.label
    second: dict[int, list[str]] = {}
    for row in np.flatnonzero(records.source == 1):
        second.setdefault(int(label[row]), []).append(str(records.ids[row]))
    found = {
        (str(records.ids[row]), other)
        for row in np.flatnonzero(records.source == 0)
        for other in second.get(int(label[row]), ())
    }
    right = len(found & truth)
    return {
        "precision": right / max(1, len(found)),
        "recall": right / max(1, len(truth)),
        "F1": 2 * right / max(1, len(found) + len(truth)),
    }


def _column(path: Path, key: str, value: str) -> dict[str, str]:
    from pyarrow import parquet

    table = parquet.read_table(path)
    return dict(zip(map(str, table[key].to_pylist()), map(str, table[value].to_pylist())))
