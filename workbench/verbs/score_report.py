"""Scores of what was predicted, with how many atoms were scored and which were left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from workbench.arrays import Array, Float
from workbench.database import BesideTruth, Unlisted
from workbench.evaluation import calibration, scores

Kind = Literal["auto", "binary", "continuous"]
"""How predictions are scored; `auto` goes by the labels."""


@dataclass(frozen=True)
class Scored:
    """The predictions of one predicate, and the labels that they are scored against.

    Attributes
    ----------
    predicate : str
        As the predictions spell it.
    unlisted : {'false', 'skip'}
        What an atom that the truth does not list is taken for.
    """

    predicate: str
    beside: BesideTruth
    unlisted: Literal["false", "skip"]

    @property
    def truth(self) -> Float:
        """Labels, NaN for what is not scored."""
        return np.where(
            self.beside.listed, self.beside.label, 0.0 if self.unlisted == "false" else np.nan
        )


def reading(beside: BesideTruth, unlisted: Unlisted, *, soft: bool) -> Literal["false", "skip"]:
    if unlisted != "auto":
        return unlisted
    return "false" if beside.n_labels and beside.all_true and not soft else "skip"


def score_report(parts: Sequence[Scored], threshold: float, kind: Kind) -> dict[str, Any]:
    values = np.concatenate([part.beside.value for part in parts] or [np.zeros(0)])
    truth = np.concatenate([part.truth for part in parts] or [np.zeros(0)])
    result: dict[str, Any] = dict(scores(values, truth, kind=kind, threshold=threshold))
    result |= _counts(parts)
    result["reading"] = _in_words(parts)
    result["by_predicate"] = {
        part.predicate: dict(scores(part.beside.value, part.truth, kind=kind, threshold=threshold))
        | _counts([part])
        | {"unlisted": part.unlisted}
        for part in parts
        if np.isfinite(part.truth).any()
    }
    result["calibration"] = _calibration(values, truth)
    result["warnings"] = []
    return result


def _counts(parts: Sequence[Scored]) -> dict[str, int]:
    scored = sum(int(np.isfinite(part.truth).sum()) for part in parts)
    return {
        "scored": scored,
        "left_out": sum(part.truth.size for part in parts) - scored,
        "unpredicted": sum(part.beside.unpredicted for part in parts),
    }


def _in_words(parts: Sequence[Scored]) -> str:
    """How unlisted atoms of each predicate were read; how many were scored and left out."""
    told = []
    for part in parts:
        unlisted = int((~part.beside.listed).sum())
        if part.unlisted == "false":
            told.append(
                f"of {part.predicate} an atom that the truth does not list is false ({unlisted:,})"
            )
        elif unlisted:
            told.append(
                f"of {part.predicate} only atoms that the truth lists are scored ({unlisted:,} "
                "left out)"
            )
    counts = _counts(parts)
    total = counts["scored"] + counts["left_out"]
    return "; ".join([f"{counts['scored']:,} of {total:,} predictions are scored", *told])


def _calibration(values: Array, target: Array) -> list[dict[str, Any]]:
    """How often atoms came true, by tenths of their probability; none of fractional labels."""
    if not np.isin(target[np.isfinite(target)], (0.0, 1.0)).all():
        return []
    table = calibration(values, target)
    columns = (table.lower, table.upper, table.count, table.mean_predicted, table.fraction_true)
    names = ("from", "to", "atoms", "predicted", "true")
    return [dict(zip(names, row)) for row in zip(*(column.tolist() for column in columns))]
