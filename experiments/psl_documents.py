"""Node labelling on Cora and Citeseer: categories flow along citations (Bach et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from experiments.experiment import Experiment, Reproduction
from experiments.psl_worlds import HingeWorld, best_marks, measure_splits
from workbench.arrays import Bool, Float, Int64
from workbench.database import Database, Partition, load_frame
from workbench.evaluation import categorical_accuracy
from workbench.inference.elsewhere import cpu_seconds
from workbench.language import parse_psl

SPLITS = 20
ALL, UNOBSERVED = "accuracy, all test documents", "accuracy, unobserved documents"
DRAWN = "accuracy, all test documents, ties drawn"


@dataclass(frozen=True)
class Split:
    """One random split: documents of each half, and which of them show their label."""

    train: Int64
    test: Int64
    observed: Bool


def splits(n_documents: int, count: int) -> tuple[Split, ...]:
    """Random halves; each document's label is observed with probability 1/2."""
    rng = np.random.default_rng(2013)
    made = []
    for _ in range(count):
        order = rng.permutation(n_documents)
        half = n_documents // 2
        made.append(
            Split(np.sort(order[:half]), np.sort(order[half:]), rng.random(n_documents) < 0.5)
        )
    return tuple(made)


def program_text(categories: Sequence[str]) -> str:
    """Two flow rules per category, a small negative prior, and one category per document."""
    flow = [
        line
        for category in categories
        for line in (
            f"1.0: HasCat(A, '{category}') & Link(A, B) -> HasCat(B, '{category}') ^2",
            f"1.0: HasCat(A, '{category}') & Link(B, A) -> HasCat(B, '{category}') ^2",
        )
    ]
    return "\n".join([*flow, "0.001: !HasCat(A, C) ^2", "HasCat(A, +C) = 1 .", ""])


def measure(run: Reproduction, name: str) -> None:
    """Twenty random splits of one citation network, `cora` or `citeseer`."""
    labels = np.loadtxt(run.directory / "hlmrf" / name / f"{name}.labels", dtype=np.int64)
    links = np.loadtxt(run.directory / "hlmrf" / name / f"{name}.links", dtype=np.int64)
    documents, category = labels[:, 0], labels[:, 1]
    drawn = splits(documents.size, run.folds or SPLITS)
    program = parse_psl(program_text([str(c) for c in np.unique(category)]))

    def load(database: Database, number: int) -> None:
        split = drawn[number]
        for world, half in (("train", split.train), ("test", split.test)):
            _load(database, world, documents, category, links, half, split.observed)

    def score(number: int, test: HingeWorld, values: Float) -> dict[str, float]:
        split = drawn[number]
        shown = category[split.test[split.observed[split.test]]]
        unobserved = _accuracy(test, values, np.bincount(shown, minlength=int(category.max()) + 1))
        n_open = split.test.size - shown.size
        ties = _accuracy_of_drawn_ties(test, values)
        return {
            ALL: (shown.size + unobserved * n_open) / split.test.size,
            UNOBSERVED: unobserved,
            DRAWN: (shown.size + ties * n_open) / split.test.size,
        }

    spent = measure_splits(
        run, program, "HasCat", column=name, number=SPLITS, load=load, score=score
    )
    run.measured.notes.extend(
        [
            f"{spent.note('split')} (the paper reports HL-MRFs to be many times faster than the "
            "sampled discrete MRF).",
            *best_marks(run.measured.scores),
        ]
    )


def _load(
    database: Database,
    world: str,
    documents: Int64,
    category: Int64,
    links: Int64,
    half: Int64,
    observed: Bool,
) -> None:
    """Observed labels as evidence, the others as targets with truth, links inside the half."""
    inside = np.isin(links, documents[half]).all(axis=1)
    pairs = pd.DataFrame(links[inside].astype(str), columns=["from", "to"])
    load_frame(database, pairs, predicate="Link", world=world)
    categories = np.unique(category)
    parts: dict[Partition, Int64] = {
        "evidence": half[observed[half]],
        "truth": half[~observed[half]],
    }
    for partition, chosen in parts.items():
        frame = pd.DataFrame(
            {
                "document": np.repeat(documents[chosen], categories.size).astype(str),
                "category": np.tile(categories, chosen.size).astype(str),
                "value": (
                    np.repeat(category[chosen], categories.size) == np.tile(categories, chosen.size)
                )
                * 1.0,
            }
        )
        if partition == "truth":
            targets = frame[["document", "category"]]
            load_frame(database, targets, predicate="HasCat", world=world, partition="target")
        load_frame(
            database, frame, predicate="HasCat", value="value", world=world, partition=partition
        )


def _accuracy(world: HingeWorld, values: Float, frequency: Int64) -> float:
    """Accuracy over documents to be predicted; ties to 0.001 go to the more frequent category."""
    item = np.array([int(document) for document, _ in world.arguments])
    category = np.array([int(c) for _, c in world.arguments])
    rank = np.argsort(np.argsort(-frequency, kind="stable"))
    return categorical_accuracy(np.round(values, 3), world.example.truth, item, rank[category])


def _accuracy_of_drawn_ties(world: HingeWorld, values: Float) -> float:
    """Expected accuracy where one of a document's top categories, equal to 0.001, is drawn."""
    documents, item = np.unique([document for document, _ in world.arguments], return_inverse=True)
    rounded = np.round(values, 3)
    top = np.full(documents.size, -np.inf)
    np.maximum.at(top, item, rounded)
    tied = rounded == top[item]
    right = np.bincount(item[tied], world.example.truth[tied] > 0.5, documents.size)
    return float(np.mean(right / np.bincount(item[tied], minlength=documents.size)))


EXPERIMENTS = tuple(
    Experiment.described(f"psl-{name}", partial(measure, name=name), clock=cpu_seconds)
    for name in ("cora", "citeseer")
)
