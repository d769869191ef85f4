"""Record linkage with labels: pairs of products and of restaurants, learned on train, cut chosen on valid."""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from workbench.experiments.experiment import Experiment, Reproduction
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field, make_field
from workbench.linkage.supervised import best_cut, fit_supervised

__all__ = ["EXPERIMENTS"]

PARTS = ("train", "valid", "test")
NUMBERS = frozenset({"price"})


def measure(run: Reproduction, directory: str) -> None:
    """Learn on train, choose the cut on valid, score on test; words are weighted by all records."""
    fields, pairs, match, part = _read(run.directory / "er-products" / directory)
    of = {one: np.flatnonzero(part == one) for one in PARTS}
    with run.measured.timed("link"):
        run.progress.step("learning", 0, None)
        model = fit_supervised(fields, _taken(pairs, of["train"]), match[of["train"]])
        said = {one: model.probabilities(_taken(pairs, of[one])) for one in ("valid", "test")}
        cut = best_cut(said["valid"], match[of["valid"]])
    for one, values in said.items():
        run.measured.add("link", one, "all", _scores(values >= cut, match[of[one]]))


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
    cells = [dict(re.findall(r"COL (\S+) VAL (.*?)\s*(?=COL \S+ VAL|$)", text)) for _, text in records]
    fields = [_field(name, [one.get(name, "") for one in cells]) for name in cells[0]]
    pairs = Pairs(np.array(left, np.int32), np.array(right, np.int32))
    return fields, pairs, np.array(match), np.array(part)


def _field(name: str, cells: Sequence[str]) -> Field:
    known: dict[str, int] = {}
    codes = []
    for cell in cells:
        text = cell.strip() if name in NUMBERS else " ".join(re.findall(r"\w+", cell.lower()))
        codes.append(known.setdefault(text, len(known)) if text else -1)
    return make_field(name, "number" if name in NUMBERS else "text", list(known), np.array(codes, np.int32))


EXPERIMENTS = tuple(
    Experiment.described(f"er-{directory.lower()}", partial(measure, directory=directory), ("link",))
    for directory in ("Amazon-Google", "Fodors-Zagats")
)
