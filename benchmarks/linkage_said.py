"""What `workbench link` says of its own precision and recall beside what is so, on made-up problems
of many kinds.

python -m benchmarks.linkage_said --seed 7000             # a row a problem, mean errors at the end
python -m benchmarks.linkage_said --seed 7000 --of blank  # problems whose name has a word in it
python -m benchmarks.linkage_said --seed 7000 --of fresh  # kinds of which two files differ in names
python -m benchmarks.linkage_said --seed 7000 --of title  # kinds that say all in a title
python -m benchmarks.linkage_said --seed 7000 --of alone  # a single column of texts
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.linkage import people
from benchmarks.linkage_fresh import FRESH, OTHERWISE
from benchmarks.linkage_further import FURTHER
from benchmarks.linkage_kinds import KINDS, made_up
from benchmarks.linkage_readings import READINGS
from benchmarks.linkage_sets import Tables, companies, households, papers
from benchmarks.linkage_titles import TITLES
from benchmarks.linkage_variants import VARIANTS
from benchmarks.measuring import print_records
from experiments.cluster_scores import cluster_scores
from workbench.verbs.linking.link import link

EVERY = KINDS | FURTHER | VARIANTS | READINGS
OF_TITLES = {f"title {kind}": made for kind, made in TITLES.items()}
MADE = EVERY | OF_TITLES | {f"fresh {kind}": made for kind, made in FRESH.items()}
ALONE = {
    "title registers": "firm", "title offers": "title", "title spares": "description",
    "title citations": "title", "title transliterated": "name", "hotels": "name",
    "catalogues": "product name", "fastenings": "article",
}  # fmt: skip
"""Kinds of which a single column is left."""
DOUBTS = {"E0681", "E0691", "E0692"}
Problems = dict[str, Callable[[], Tables]]


def main() -> None:
    """Print what is said and what is so of each problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=7000)
    parser.add_argument("--of", default="", metavar="WORD", help="problems whose name has it")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    rows = []

    def every() -> Iterator[dict[str, object]]:
        for name, make in problems(chosen.seed).items():
            if chosen.of in name:
                rows.append(measured(name, make()))
                yield rows[-1]
        yield means(rows)

    print_records(every(), chosen.json)


def problems(seed: int) -> Problems:
    """Names and makers: of each kind one file and two, many and few duplicates, blank cells."""
    found: Problems = {
        "households": lambda: households(3000, seed=seed + 1, copies=1.8),
        "households, few": lambda: households(4000, seed=seed + 2, copies=1.05),
        "households, spoiled": lambda: households(4000, seed=seed + 3, copies=2.5, spoiled=2.0),
        "households, half blank": lambda: households(4000, seed=seed + 4, copies=2.5, blank=0.5),
        "households, blank .3": lambda: households(3000, seed=seed + 14, copies=1.8, blank=0.3),
        "households, two files": lambda: households(4000, seed=seed + 5, copies=2.0, apart=True),
        "households, two files, few": lambda: households(
            4000, seed=seed + 15, copies=1.1, apart=True
        ),
        "households, 60 records": lambda: households(60, seed=seed + 6, copies=2.0),
        "households, 300 records": lambda: households(300, seed=seed + 16, copies=1.5),
        "companies, half in both": lambda: companies(3000, seed=seed + 7, overlap=0.5),
        "companies, .2 in both": lambda: companies(2000, seed=seed + 27, overlap=0.2),
        "companies, .05 in both": lambda: companies(1500, seed=seed + 17, overlap=0.05),
        "papers, .7 in both": lambda: papers(2500, seed=seed + 8, overlap=0.7),
        "papers, .05 in both": lambda: papers(1500, seed=seed + 18, overlap=0.05),
        "people": lambda: _people(seed + 9),
        "people, spoiled": lambda: _people(seed + 19, spoiled=2.5),
        "people, few": lambda: _people(seed + 29, copies=1.1),
    }
    for kind in EVERY:
        found |= _of_kind(kind, seed)
    for kind in FRESH:
        found |= _of_kind(f"fresh {kind}", seed)
    for kind in OF_TITLES:
        found |= _of_kind(kind, seed)
    for kind, column in ALONE.items():
        found |= _alone(kind, column, seed)
    return found


def _of_kind(kind: str, seed: int) -> Problems:
    def one(number: int, again: float, blank: float = 0.0) -> Callable[[], Tables]:
        return lambda: made_up(kind, 2000, seed=seed + number, again=again, blank=blank, kinds=MADE)

    def two(number: int, again: float, blank: float = 0.0) -> Callable[[], Tables]:
        return lambda: _otherwise(
            kind,
            made_up(
                kind, 2000, seed=seed + number, again=again, apart=True, blank=blank, kinds=MADE
            ),
        )

    return {
        kind: one(31, 0.3), f"{kind}, few": one(32, 0.05), f"{kind}, blank .4": one(35, 0.5, 0.4),
        f"{kind}, two files": two(33, 0.5), f"{kind}, two files, few": two(34, 0.05),
        f"{kind}, two files, half blank": two(36, 0.5, 0.5),
    }  # fmt: skip


def _alone(kind: str, column: str, seed: int) -> Problems:
    """The first four problems of a kind without its other columns."""

    def alone(make: Callable[[], Tables]) -> Callable[[], Tables]:
        def made() -> Tables:
            tables, truths = make()
            return [table[["id", column]] for table in tables], truths

        return made

    of_kind = {name: make for name, make in _of_kind(kind, seed).items() if "blank" not in name}
    return {f"{name}, {column} alone": alone(make) for name, make in of_kind.items()}


def _otherwise(kind: str, made: Tables) -> Tables:
    """With the second file's own names of columns, where the kind has such."""
    (first, second), truths = made
    names = OTHERWISE.get(kind.removeprefix("fresh "), "")
    if kind.startswith("fresh ") and names:
        second = second.set_axis(["id", *names.split(",")], axis="columns")
    return [first, second], truths


def _people(seed: int, *, copies: float = 4.0, spoiled: float = 1.0) -> Tables:
    frame, truth = people(4000, seed=seed, copies=copies, spoiled=spoiled)
    return [frame.rename(columns={"record": "id"}).astype({"id": str})], [truth.to_numpy()]


def measured(name: str, made: Tables) -> dict[str, object]:
    """What is said of a problem, and what is so."""
    tables, truths = made
    of = dict(zip(map(str, pd.concat(tables)["id"]), np.concatenate(truths)))
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{letter}.csv") for letter, _ in zip("ab", tables)]
        for table, file in zip(tables, files):
            table.to_csv(file, index=False)
        began = time.process_time()
        result = link(files, id_column="id")
        took = time.process_time() - began
    true = cluster_scores(
        result.clustering.label, np.array([of[str(one)] for one in result.records.ids])
    )
    said = result.estimates
    found = {
        "problem": name,
        "F1": true["F1"],
        "precision": true["precision"],
        "said precision": said.precision,
        "warned": " ".join(sorted({one.code for one in result.warnings} & DOUBTS)),
    }
    found["joined"] = len(result.clustering.label) - len(set(result.clustering.label.tolist()))
    found |= {"recall": true["recall"], "said recall": said.recall, "cpu_seconds": took}
    found |= {
        f"{one} within": _within(true[one], getattr(said, f"{one}_interval"))
        for one in ("precision", "recall")
    }
    return {
        key: round(value, 3) if isinstance(value, float) else value for key, value in found.items()
    }


def _within(share: float, interval: tuple[float, float]) -> bool | None:
    """Whether the interval holds a share, to the digits that are shown; None where none is said."""
    if np.isnan(interval[0]):
        return None
    return interval[0] - 0.005 <= share <= interval[1] + 0.005


def means(rows: list[dict[str, object]]) -> dict[str, object]:
    """Mean F1 and CPU-seconds; where something is said, mean absolute errors and how many intervals
    hold.
    """
    table = pd.DataFrame(rows)
    wrong = {
        f"said {one}": (table[f"said {one}"] - table[one]).abs().mean()
        for one in ("precision", "recall")
    }
    means = {
        name: table[name].mean() for name in ("F1", "precision", "recall", "cpu_seconds")
    } | wrong
    means |= {name: table[name].dropna().mean() for name in ("precision within", "recall within")}
    named = {"problem": f"mean of {len(rows)}; of what is said, mean absolute error"}
    return named | {name: round(float(means[name]), 4) for name in table.columns if name in means}


if __name__ == "__main__":
    main()
