"""Record linkage with labels: pairs of products and of restaurants, learned on train, cut chosen on
valid.

How alike a pair is beside all other records of both sources says more than how alike it is: it is
read from the records of all parts, whose labels are not.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from experiments.experiment import Experiment, Reproduction
from workbench.arrays import Bool, Float
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field, make_field
from workbench.linkage.similarity import in_threes
from workbench.linkage.supervised import fit_supervised, whole_record

PARTS = ("train", "valid", "test")
NUMBERS = frozenset({"price"})
SAME = 1e-9
"""Similarities that differ by no more are equal."""


def measure(run: Reproduction, directory: str) -> None:
    """Learn on train, choose the cut on valid, score on test; words are weighted by all records."""
    fields, pairs, match, part = _read(run.directory / "er-products" / directory)
    of = {one: np.flatnonzero(part == one) for one in PARTS}
    with run.measured.timed("link"):
        run.progress.step("learning", 0, None)
        beside = _among_rivals(fields, pairs)
        train, seen = of["train"], ("valid", "test")
        model = fit_supervised(fields, _taken(pairs, train), match[train], beside=beside[train])
        said = {one: model.probabilities(_taken(pairs, of[one]), beside[of[one]]) for one in seen}
        cut = best_cut(said["valid"], match[of["valid"]])
    for one, values in said.items():
        run.measured.add("link", one, "all", _scores(values >= cut, match[of[one]]))


def best_cut(values: Float, match: Bool) -> float:
    """The cut of largest F1, midway between the values around it."""
    order = np.argsort(-values, kind="stable")
    found = np.cumsum(match[order])
    f1 = 2 * found / (np.arange(1, len(values) + 1) + max(1, int(match.sum())))
    at = int(f1.argmax())
    following = values[order[min(at + 1, len(values) - 1)]]
    return float(values[order[at]] + following) / 2


def _among_rivals(fields: Sequence[Field], pairs: Pairs) -> Float:
    """How alike the texts of pairs are beside those of all other records of the two sources, shape
    (n_pairs, n).

    Of long texts and of whole records, by words and by letters in threes: the similarity, of either
    record how many of the other source are more alike to it, and how much less alike this one is
    than the most alike.
    """
    whole = whole_record(fields)
    texts = [*(field for field in fields if field.kind == "words"), whole]
    return np.column_stack(
        [_ranked(one, pairs) for field in texts for one in (field, in_threes(field))]
    )


def _ranked(field: Field, pairs: Pairs) -> Float:
    rows = field.weighted
    (one, left), (other, right) = (
        np.unique(side, return_inverse=True) for side in (pairs.left, pairs.right)
    )
    alike = (rows[field.codes[one]] @ rows[field.codes[other]].T).toarray()
    alike[field.codes[one] < 0], alike[:, field.codes[other] < 0] = 0.0, 0.0
    said = alike[left, right]
    found = [said, said - alike.max(axis=1)[left], said - alike.max(axis=0)[right]]
    found.append(np.array([(alike[row] > value + SAME).sum() for row, value in zip(left, said)]))
    found.append(
        np.array([(alike[:, row] > value + SAME).sum() for row, value in zip(right, said)])
    )
    return np.column_stack(found).astype(np.float64)


def _taken(pairs: Pairs, rows: np.ndarray) -> Pairs:
    return Pairs(pairs.left[rows], pairs.right[rows])


def _scores(found: np.ndarray, match: np.ndarray) -> dict[str, float]:
    right = float((found & match).sum())
    return {
        "precision": right / max(1.0, found.sum()),
        "recall": right / max(1.0, match.sum()),
        "F1": 2 * right / max(1.0, found.sum() + match.sum()),
    }


def _read(directory: Path) -> tuple[list[Field], Pairs, np.ndarray, np.ndarray]:
    """Fields of all records, the pairs, their labels, and the part that each is of."""
    records: dict[tuple[int, str], int] = {}
    left, right, match, part = [], [], [], []
    for name in PARTS:
        with gzip.open(directory / f"{name}.txt.gz", "rt", encoding="utf-8") as stream:
            for line in stream:
                one, other, label = line.rstrip("\n").split("\t")
                left.append(records.setdefault((0, one), len(records)))
                right.append(records.setdefault((1, other), len(records)))
                match.append(label == "1")
                part.append(name)
    cells = [
        dict(re.findall(r"COL (\S+) VAL (.*?)\s*(?=COL \S+ VAL|$)", text)) for _, text in records
    ]
    fields = [_field(name, [one.get(name, "") for one in cells]) for name in cells[0]]
    pairs = Pairs(np.array(left, np.int32), np.array(right, np.int32))
    return fields, pairs, np.array(match), np.array(part)


def _field(name: str, cells: Sequence[str]) -> Field:
    known: dict[str, int] = {}
    codes = []
    for cell in cells:
        text = cell.strip() if name in NUMBERS else " ".join(re.findall(r"\w+", cell.lower()))
        codes.append(known.setdefault(text, len(known)) if text else -1)
    return make_field(
        name, "number" if name in NUMBERS else "text", list(known), np.array(codes, np.int32)
    )


EXPERIMENTS = tuple(
    Experiment.described(
        f"er-{directory.lower()}", partial(measure, directory=directory), ("link",)
    )
    for directory in ("Amazon-Google", "Fodors-Zagats")
)
