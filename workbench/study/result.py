"""What a study found, as plain values."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import TYPE_CHECKING, Any

from workbench.arrays import Float, Int64
from workbench.errors import Diagnostic
from workbench.language.number_scale import NumberScale

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class StudiedRule:
    """One learned rule.

    Attributes
    ----------
    text : str
        In the language, with its weight.
    words : str
        In plain words, with its weight; what it adds in per cent where rules add up to a logarithm.
    weight, step : float
        The weight of one unit of a number; the words speak of `step` units.
    support : int
        Labelled rows where it holds (of a number: where it is known; where half of the rows have
        the least value, those that have more).
    lift : float or None
        The rate (of a number: the mean) of the target where it holds, over that where it does not;
        None where one of these means is below 0.
    """

    text: str
    words: str
    weight: float
    step: float = 1.0
    support: int = 0
    lift: float | None = None
    rate_with: float | None = None
    rate_without: float | None = None

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        return {
            "text": self.text,
            "words": self.words,
            "weight": self.weight,
            "step": self.step,
            "support": self.support,
            "lift": self.lift,
            "rate_with": self.rate_with,
            "rate_without": self.rate_without,
        }


LEAST = 5e-4
"""What adds less is not told."""


@dataclass(frozen=True)
class Explained:
    """Why one row has its value: what each rule adds to the log-odds of a yes or of a class, or to
    a number.

    Attributes
    ----------
    value : float
        As the predictions have it; of a known row what the rules make of it.
    reasons : tuple of (words, what it adds)
        The largest first.
    begins : float
        What every row begins with.
    others : float
        What all other rules add.
    jointly : float
        What the rows that are predicted together with this one add; `begins`, the reasons, `others`
        and this are the value, but for a category, whose classes share 1.
    scale : NumberScale
        What they are of the value, where that is a number.
    """

    name: str
    value: float
    known: bool
    reasons: tuple[tuple[str, float], ...]
    begins: float = 0.0
    others: float = 0.0
    jointly: float = 0.0
    scale: NumberScale = NumberScale.PLAIN

    def parts(self) -> list[tuple[str, float]]:
        """What the value is made of, in words, from what every row begins with on."""
        rest = (
            ("all other rules", self.others),
            ("answers that are predicted together with it", self.jointly),
        )
        what = {
            NumberScale.PLAIN: "what",
            NumberScale.POSITIVE: "the logarithm that",
            NumberScale.NONNEGATIVE: "the logarithm of the number plus 1 that",
        }[self.scale]
        begins = (f"{what} every row begins with", self.begins)
        return [begins, *self.reasons, *(part for part in rest if abs(part[1]) > LEAST)]


@dataclass(frozen=True)
class HeldOut:
    """What the folds said of known atoms, each while it was held out.

    Attributes
    ----------
    arguments : tuple of sequences of str
        One a place: the constants of each atom.
    fold : int64 array, shape (n,)
    value, truth : float64 array, shape (n,)
    """

    predicate: str
    arguments: tuple[Sequence[str], ...]
    fold: Int64
    value: Float
    truth: Float


@dataclass(frozen=True)
class StudyResult:
    """A study.

    Attributes
    ----------
    target : str
        As the user named it.
    kind : {'yes/no', 'category', 'number'}
    sentence : str
        What was learned from, what is known, what was scored.
    metrics : mapping of str to {'mean', 'sd'}
        Over the folds.
    baselines : mapping of str to metrics
    rules : tuple of StudiedRule
        By the absolute weight, largest first.
    threshold : float or None
        From which probability on a yes is said.
    calibration : tuple of mappings
        By probability, how often it came true, on held-out rows.
    columns : mapping of str to sequence
        Of the predictions: the key columns of every row of the target's table, `value`, `known`,
        and beside them `low`, `high` of an interval (90 %) where it is asked, `held_out` where it
        is known: what the folds said of it.
    mapping : str
        The `dataset.toml` that goes with the program.
    status : {'done', 'limit', 'cancelled'}
    folds : int
        How many were run.
    commands : tuple of str
        To go on with.
    run_id : int or None
        The run that it is recorded as.
    held_out : HeldOut or None
        Of a yes/no target.
    predicted : str
        The predicate whose atoms the program predicts.
    """

    target: str
    kind: str
    sentence: str
    labelled: int
    asked: int
    metrics: Mapping[str, Mapping[str, float | None]]
    baselines: Mapping[str, Mapping[str, Mapping[str, float | None]]]
    rules: tuple[StudiedRule, ...]
    threshold: float | None
    calibration: tuple[Mapping[str, Any], ...]
    explanations: tuple[Explained, ...]
    columns: Mapping[str, Any]
    program: str
    mapping: str
    seconds: float
    status: str
    folds: int
    candidates: int
    learner: str
    warnings: tuple[Diagnostic, ...] = ()
    commands: tuple[str, ...] = ()
    run_id: int | None = None
    held_out: HeldOut | None = None
    predicted: str = ""

    def __repr__(self) -> str:
        found = ", ".join(
            f"{name} {score['mean']:.3f}" for name, score in self.metrics.items() if score["mean"]
        )
        return (
            f"StudyResult({self.target} by {self.learner}, {self.status}: {found}, "
            f"{len(self.rules)} rules)"
        )

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """The predictions as a data frame."""
        import pandas as pd

        return pd.DataFrame(dict(self.columns))

    def predictions_csv(self) -> str:
        """The predictions as CSV, what is not known left blank."""
        cells = (
            column if isinstance(column, list) else column.tolist()
            for column in self.columns.values()
        )
        written = StringIO()
        lines = csv.writer(written, lineterminator="\n")
        lines.writerow(self.columns)
        # Only what is not a number differs from itself.
        lines.writerows(["" if cell != cell else cell for cell in row] for row in zip(*cells))
        return written.getvalue()

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields; predictions and program are files."""
        return {
            "target": self.target,
            "kind": self.kind,
            "sentence": self.sentence,
            "labelled": self.labelled,
            "asked": self.asked,
            "learner": self.learner,
            "metrics": {name: dict(value) for name, value in self.metrics.items()},
            "baselines": {
                name: {metric: dict(value) for metric, value in metrics.items()}
                for name, metrics in self.baselines.items()
            },
            "rules": [rule.as_record() for rule in self.rules],
            "threshold": self.threshold,
            "calibration": [dict(row) for row in self.calibration],
            "explanations": [
                {
                    "name": one.name,
                    "value": one.value,
                    "known": one.known,
                    "reasons": [{"words": words, "adds": adds} for words, adds in one.reasons],
                    "parts": [{"words": words, "adds": adds} for words, adds in one.parts()],
                }
                for one in self.explanations
            ],
            "folds": self.folds,
            "candidates": self.candidates,
            "seconds": round(self.seconds, 3),
            "status": self.status,
            "commands": list(self.commands),
            "warnings": [warning.as_record() for warning in self.warnings],
        }
