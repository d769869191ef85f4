"""What few labels make of a linkage of made-up records: F1 by how many they are, and which.

    python -m benchmarks.linkage_few_labels --seed 5200 --sizes 10 50 300

Labelled are pairs that may match ("likely": log odds without labels beyond -8, at random), those
that are least sure ("asked for"), or matches and as many random pairs ("far"), which hardly look
like matches. F1 is that of the whole, labelled pairs included; the first row of a problem is
without labels.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.linkage_beside import of_kinds
from benchmarks.linkage_said import Problems, problems
from benchmarks.linkage_unseen import IN_VIEW
from benchmarks.measuring import print_records
from experiments.cluster_scores import cluster_scores
from workbench.verbs.linking.link import link
from workbench.verbs.linking.result import LinkResult

NAMES = (
    "companies, .2 in both", "vendors, two files", "addresses", "fresh contacts",
    "fresh works, few", "households, few", "pupils, two files", "people, spoiled",
)  # fmt: skip
LIKELY = -8.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=5200)
    parser.add_argument(
        "--of", nargs="+", default=NAMES, help="problems of benchmarks.linkage_said"
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 50, 300])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    made: Problems = problems(given.seed) | of_kinds(given.seed, IN_VIEW)
    rows = (row for name in given.of for row in measured(name, made, given.sizes))
    print_records(list(rows), as_json=given.json)


def measured(name: str, made: Problems, sizes: Sequence[int]) -> Iterator[dict[str, object]]:
    """A row a way of choosing labels: F1 by how many they are."""
    tables, truths = made[name]()
    of = dict(zip(map(str, pd.concat(tables)["id"]), np.concatenate(truths)))
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{letter}.csv") for letter, _ in zip("ab", tables)]
        for table, file in zip(tables, files):
            table.to_csv(file, index=False)
        without = link(files, id_column="id")
        truth = np.array([of[str(one)] for one in without.records.ids])
        yield {"problem": name, "labels": "none", "0": _f1(without, truth)}
        for way, pairs in _orders(without, truth).items():
            row: dict[str, object] = {"problem": name, "labels": way}
            for size in sizes:
                labels = _written(Path(folder, "labels.csv"), without, truth, pairs[:size])
                row[str(size)] = _f1(link(files, id_column="id", labels=labels), truth)
            yield row


def _orders(without: LinkResult, truth: np.ndarray) -> dict[str, np.ndarray]:
    """Pairs in the order in which each way of choosing labels takes them."""
    random = np.random.default_rng(7)
    source = without.records.source
    left, right = np.triu_indices(len(truth), 1)
    every = np.column_stack((left, right))[(source[left] != source[right]) | (not source.any())]
    pairs, scores = without.candidates.pairs, without.scores
    compared = np.column_stack((pairs.left, pairs.right))
    likely = random.permutation(compared[scores > LIKELY])
    same = random.permutation(every[truth[every[:, 0]] == truth[every[:, 1]]])
    far = random.choice(every, len(same), replace=False)
    return {
        "likely": likely,
        "far": np.stack((same, far), axis=1).reshape(-1, 2),
        "asked for": compared[np.argsort(np.abs(scores), kind="stable")],
    }


def _written(path: Path, without: LinkResult, truth: np.ndarray, pairs: np.ndarray) -> Path:
    ids, (left, right) = without.records.ids, np.unique(pairs, axis=0).T
    same = (truth[left] == truth[right]).astype(int)
    table = pd.DataFrame({"left": ids[left], "right": ids[right], "match": same})
    table.to_csv(path, index=False)
    return path


def _f1(result: LinkResult, truth: np.ndarray) -> float:
    return round(float(cluster_scores(result.clustering.label, truth)["F1"]), 3)


if __name__ == "__main__":
    main()
