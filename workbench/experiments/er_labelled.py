"""Record linkage with labels: pairs of products and of restaurants, learned on train, cut chosen on valid."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from workbench.experiments.measurements import Measurements, known_systems
from workbench.experiments.table import ReproductionTable
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field, make_field
from workbench.linkage.supervised import best_cut, fit_supervised
from workbench.progress import SILENT, Progress

__all__ = ["PUBLISHED", "run_labelled"]

PARTS = ("train", "valid", "test")
PUBLISHED: Mapping[str, Mapping[tuple[str, str, str], float | None]] = {
    "Amazon-Google": {
        ("random forest on similarities", "test", "F1"): 0.718,
        ("LightGBM on similarities", "test", "F1"): 0.747,
        ("gpt-4o (reported)", "test", "F1"): 0.781,
    },
    "Fodors-Zagats": {
        ("random forest on similarities", "test", "F1"): 0.969,
        ("LightGBM on similarities", "test", "F1"): 0.977,
    },
}
NUMBERS = frozenset({"price"})


def run_labelled(
    name: str, directory: str, data_dir: Path, progress: Progress = SILENT, systems: Sequence[str] | None = None
) -> ReproductionTable:
    """Learn from train alone; words are weighted by all records, whose labels that does not use."""
    known_systems(systems, ("link",))
    fields, pairs, match, part = _read(Path(data_dir) / "er-products" / directory)
    of = {one: np.flatnonzero(part == one) for one in PARTS}
    measured = Measurements(progress)
    with measured.until_cancelled():
        with measured.timed("link"):
            progress.step("learning", 0, None)
            model = fit_supervised(fields, _taken(pairs, of["train"]), match[of["train"]])
            said = {one: model.probabilities(_taken(pairs, of[one])) for one in ("valid", "test")}
            cut = best_cut(said["valid"], match[of["valid"]])
        for one, values in said.items():
            measured.add("link", one, "all", _scores(values >= cut, match[of[one]]))
    title = f"{directory}, labels of train, cut chosen on valid"
    return measured.table(
        name, title, PUBLISHED[directory], ("Rivals were measured on the same files, not in this run.",)
    )


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
