"""Scores of predictions, counted by hand: what is scored, left out, unpredicted."""

from __future__ import annotations

import math
import random
import tempfile
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

from tests.differential.outcome import Difference, Tally
from workbench.verbs.evaluate import evaluate_file

PEOPLE = ("Ann", "Bob", "Cy", "A b")
READINGS: tuple[Literal["auto", "false", "skip"], ...] = ("auto", "false", "skip")
LEAST = 1e-6
"""What probabilities are clipped to in the log likelihood."""

Atom = tuple[str, str]
"""World and the atom's text."""


@dataclass(frozen=True)
class ScoreCase:
    """Predictions, and labels: 1, 0, or None for `?`."""

    seed: int
    predicted: tuple[tuple[Atom, float], ...]
    labels: tuple[tuple[Atom, int | None], ...]
    unlisted: Literal["auto", "false", "skip"]

    @property
    def worlds(self) -> list[str]:
        return sorted({world for (world, _), _ in (*self.predicted, *self.labels)})

    def table(self) -> str:
        several = len(self.worlds) > 1
        lines = ["world,atom,predicate,value" if several else "atom,predicate,value"]
        for (world, atom), value in self.predicted:
            cells = [
                *([world] if several else []),
                '"' + atom.replace('"', '""') + '"',
                atom[0],
                repr(value),
            ]
            lines.append(",".join(cells))
        return "\n".join(lines) + "\n"

    def truth(self, world: str) -> str:
        marks = {1: "", 0: "!", None: "?"}
        return "".join(
            f"{marks[label]}{atom}\n" for (at, atom), label in self.labels if at == world
        )

    def shown(self) -> str:
        truths = [f"// truth of {world}\n{self.truth(world)}" for world in self.worlds]
        return "\n".join([f"// seed {self.seed}, unlisted {self.unlisted}", self.table(), *truths])

    def smaller(self) -> list[ScoreCase]:
        found = []
        for i in range(len(self.predicted)):
            found.append(replace(self, predicted=self.predicted[:i] + self.predicted[i + 1 :]))
        for i in range(len(self.labels)):
            found.append(replace(self, labels=self.labels[:i] + self.labels[i + 1 :]))
        return [one for one in found if one.predicted and one.labels and one.worlds == self.worlds]


def random_score_case(seed: int) -> ScoreCase:
    """The case of a seed."""
    draw = random.Random(f"scores {seed}")
    worlds = ["w0"] if draw.random() < 0.6 else ["w0", "w1"]
    quoted = [name if name.isalpha() else f'"{name}"' for name in PEOPLE]
    atoms = [f"P({one})" for one in quoted] + [
        f"Q({one}, {other})" for one, other in product(quoted, repeat=2)
    ]
    mostly = draw.choice([(1,), (1, 1, None), (0, 1), (0, 1, None)])
    share = draw.choice([0.3, 0.6, 0.9])
    predicted, labels = [], []
    for atom in product(worlds, atoms):
        if draw.random() < 0.7:
            predicted.append(
                (atom, draw.choice([0.0, 0.25, 0.5, 0.5, 0.9, 1.0, round(draw.random(), 2)]))
            )
        if draw.random() < share:
            labels.append((atom, draw.choice(mostly)))
    for world in worlds:
        # A world, and a predicate, that neither file names is another question.
        predicted.append(((world, "P(Dee)"), 0.75))
        labels.append(((world, "P(Dee)"), 1))
        predicted.append(((world, "Q(Dee, Dee)"), 0.125))
        labels.append(((world, "Q(Dee, Dee)"), 1))
    return ScoreCase(seed, tuple(predicted), tuple(labels), READINGS[seed % 3])


def check_scores(case: ScoreCase, tally: Tally) -> None:
    """Raise `Difference` where a number is not the one that counting gives."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "predictions.csv").write_text(case.table(), encoding="utf-8")
        paths = []
        for world in case.worlds:
            (place / f"{world}.db").write_text(case.truth(world), encoding="utf-8")
            paths.append(
                Path(f"{world}={place / world}.db")
                if len(case.worlds) > 1
                else place / f"{world}.db"
            )
        found = evaluate_file(place / "predictions.csv", paths, unlisted=case.unlisted)
    tally.add(f"unlisted {case.unlisted}")
    pairs, left_out, unpredicted = _counted(case)
    counts: dict[str, Any] = {
        "scored": len(pairs),
        "left_out": left_out,
        "unpredicted": unpredicted,
    }
    for name, wanted in (*counts.items(), *_figures(pairs).items()):
        got = found[name]
        if abs(got - wanted) > 1e-9 and not (math.isnan(got) and math.isnan(wanted)):
            raise Difference(f"score {name}", f"{got}, counted {wanted}")


def _counted(case: ScoreCase) -> tuple[list[tuple[float, int]], int, int]:
    """Value and label of what is scored; how many are left out or unpredicted."""
    labels, predicted = dict(case.labels), dict(case.predicted)
    pairs, left_out = [], 0
    for atom, value in case.predicted:
        label = (
            labels[atom]
            if atom in labels
            else (0 if _reading(case, atom[1][0]) == "false" else None)
        )
        if label is None:
            left_out += 1
        else:
            pairs.append((value, label))
    return pairs, left_out, sum(label == 1 and atom not in predicted for atom, label in case.labels)


def _reading(case: ScoreCase, predicate: str) -> str:
    if case.unlisted != "auto":
        return case.unlisted
    given = [label for (_, atom), label in case.labels if atom[0] == predicate]
    return "false" if given and 0 not in given else "skip"


def _figures(pairs: list[tuple[float, int]]) -> dict[str, float]:
    hits = sum(value >= 0.5 and label == 1 for value, label in pairs)
    guessed, true = sum(value >= 0.5 for value, _ in pairs), sum(label for _, label in pairs)
    precision, recall = hits / guessed if guessed else 0.0, hits / true if true else 0.0
    beaten = [
        (one > other) + (one == other) / 2 for one, a in pairs if a for other, b in pairs if not b
    ]
    clipped = [min(max(value, LEAST), 1 - LEAST) for value, _ in pairs]
    return {
        "precision": precision,
        "recall": recall,
        "F1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "accuracy": sum((value >= 0.5) == label for value, label in pairs) / len(pairs),
        "AUC-ROC": sum(beaten) / len(beaten) if beaten else math.nan,
        "average precision": _average_precision(pairs),
        "CLL": sum(math.log(p if label else 1 - p) for p, (_, label) in zip(clipped, pairs))
        / len(pairs),
        "Brier": sum((value - label) ** 2 for value, label in pairs) / len(pairs),
        "positives": true,
    }


def _average_precision(pairs: list[tuple[float, int]]) -> float:
    """The precision at each threshold, weighed by the recall that it adds."""
    true = sum(label for _, label in pairs)
    total, before = 0.0, 0
    for threshold in sorted({value for value, _ in pairs}, reverse=True):
        above = [label for value, label in pairs if value >= threshold]
        total += (sum(above) - before) / true * sum(above) / len(above) if true else math.nan
        before = sum(above)
    return total
