"""Record linkage without labels: historical people in a file, papers of DBLP and ACM across two."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.cluster_scores import cluster_scores
from experiments.experiment import Experiment, Reproduction
from workbench.progress import Progress

if TYPE_CHECKING:
    from workbench.verbs.linking.result import LinkResult

LABELLED = "link, 10 % of labels, one to one"


def measure_historical(run: Reproduction) -> None:
    """50,578 records of 5,156 persons in one file; there are no folds."""
    directory = run.directory / "er-historical"
    with run.measured.timed("link"):
        result = _link([directory / "records.parquet"], "record", run.progress)
    truth = _column(directory / "truth.parquet", "record", "cluster")
    of_record = np.array([truth[str(one)] for one in result.records.ids])
    _, numbered = np.unique(of_record, return_inverse=True)
    figures = {**cluster_scores(result.clustering.label, numbered), **_said(result)}
    run.measured.add("link", "records", "all", figures)


def measure_dblp_acm(run: Reproduction) -> None:
    """2,616 and 2,294 papers, 2,224 of them in both; there are no folds."""
    directory = run.directory / "er-products" / "dblp-acm"
    with (directory / "DBLP-ACM_perfectMapping.csv").open(encoding="latin-1", newline="") as stream:
        truth = {(row["idDBLP"], row["idACM"]) for row in csv.DictReader(stream)}
    files = [directory / "DBLP2.csv", directory / "ACM.csv"]
    for system in run.systems:
        told: set[str] = set()
        with run.measured.timed(system):
            result = _link(files, "id", run.progress, one_to_one=system.endswith("one to one"))
            if system == LABELLED:
                with TemporaryDirectory() as folder:
                    labels = Path(folder, "labels.csv")
                    told = _write_labels(result, truth, labels)
                    result = _link(files, "id", run.progress, one_to_one=True, labels=labels)
        run.measured.add(
            system, "papers", "all", {**_across(result, truth, without=told), **_said(result)}
        )


def _link(files: Sequence[Path], id_column: str, progress: Progress, **options: Any) -> LinkResult:
    from workbench.verbs.linking.link import link

    return link(files, id_column=id_column, progress=progress, **options)


def _write_labels(result: LinkResult, truth: set[tuple[str, str]], path: Path) -> set[str]:
    """Label the compared pairs of a random tenth of the first source's records; these records."""
    ids, pairs = result.records.ids, result.candidates.pairs
    first = ids[result.records.source == 0]
    told = set(map(str, np.random.default_rng(0).choice(first, len(first) // 10, replace=False)))
    sides = [
        (str(left), str(right))
        for left, right in zip(ids[pairs.left], ids[pairs.right])
        if str(left) in told
    ]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("left", "right", "match"))
        writer.writerows((left, right, int((left, right) in truth)) for left, right in sides)
    return told


def _said(result: LinkResult) -> dict[str, float]:
    """What the model says of itself, to stand beside what is so."""
    return {
        "estimated precision": result.estimates.precision,
        "estimated recall": result.estimates.recall,
        "gap": result.clustering.gap,
        "pairs compared": float(len(result.candidates.pairs)),
    }


def _across(
    result: LinkResult, truth: set[tuple[str, str]], *, without: set[str]
) -> dict[str, float]:
    """Scores of the pairs across, but of those records of the first source that labels tell of."""
    records, label = result.records, result.clustering.label
    second: dict[int, list[str]] = {}
    for row in np.flatnonzero(records.source == 1):
        second.setdefault(int(label[row]), []).append(str(records.ids[row]))
    found = {
        (str(records.ids[row]), other)
        for row in np.flatnonzero(records.source == 0)
        for other in second.get(int(label[row]), ())
    }
    found, truth = ({pair for pair in pairs if pair[0] not in without} for pairs in (found, truth))
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


EXPERIMENTS = (
    Experiment.described("er-historical", measure_historical, ("link",)),
    Experiment.described("er-dblp-acm", measure_dblp_acm, ("link", "link, one to one", LABELLED)),
)
