"""Rules with their support and lift, rows with the reasons for their value, intervals of what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Bool, Float, Real
from workbench.structure.sparse_fits import sigmoid
from workbench.structure.terms import Term
from workbench.study.definitions import Definitions
from workbench.study.learners import FittedRules
from workbench.study.matrix import CandidateMatrix
from workbench.study.program import rule_texts
from workbench.study.result import Explained, StudiedRule
from workbench.study.run import Studied
from workbench.study.words import number_text, term_words

if TYPE_CHECKING:
    from workbench.study.prepared import Prepared

__all__ = ["explained_rows", "intervals", "studied_rules"]

MOST_EXPLAINED = 10
MOST_REASONS = 5
COVERAGE = 0.9
LISTED = 1000
"""Rules of boosted trees that are listed one by one; the program has all of them."""


def studied_rules(
    ready: Prepared, model: FittedRules, matrix: CandidateMatrix, studied: Studied, *, timed: bool
) -> tuple[StudiedRule, ...]:
    """Every rule with its support and lift on the labelled rows, the weightiest first."""
    X = matrix.given(studied.labels)
    found: list[tuple[float, StudiedRule]] = []
    definitions = Definitions(ready)
    for place, part in enumerate(model.parts):
        y = studied.labels if model.kind != "category" else (studied.labels == place).astype(np.float64)
        head = definitions.head(place)
        order = np.argsort(-np.abs(part.weights / [term.spread for term in part.terms]), kind="stable")
        for at in order[:LISTED] if len(part) else ():
            term, weight = part.terms[at], float(part.weights[at])
            text = "\n".join(rule_texts(definitions, term, weight, matrix.candidates, head))
            each = weight / term.spread
            said = term_words(term, matrix.candidates, timed=timed)
            about = f" [{ready.classes[place]}]" if model.kind == "category" else ""
            words = f"{said}{about}: {each:+.3g}"
            found.append((abs(weight), _rule(text, words, each, term, X, y, counts=_counts_labels(term, matrix))))
    return tuple(rule for _, rule in sorted(found, key=lambda one: -one[0]))


def _rule(text: str, words: str, weight: float, term: Term, X: Real, y: Float, *, counts: bool) -> StudiedRule:
    if term.form == "condition":
        held = term.holds(X)
        support = int(held.sum())
    else:
        known = ~np.isnan(X[:, term.column]) & term.holds(X)
        support = int(known.sum())
        held = known & (X[:, term.column] >= np.median(X[known, term.column]) if support else known)
        if counts:
            held = known & (X[:, term.column] > 0)
            support = int(held.sum())
    with_, without = _mean(y[held]), _mean(y[~held])
    lift = None if with_ is None or without is None or without == 0 else with_ / without
    return StudiedRule(text, words, weight, support, lift, with_, without)


def _counts_labels(term: Term, matrix: CandidateMatrix) -> bool:
    """Whether a term counts labelled neighbours: it holds where there are any."""
    return term.form != "condition" and term.column in matrix.labelled


def _mean(values: Float) -> float | None:
    return float(values.mean()) if len(values) else None


def explained_rows(
    ready: Prepared,
    model: FittedRules,
    matrix: CandidateMatrix,
    X: Real,
    predicted: Float,
    known: Bool,
    *,
    timed: bool,
) -> tuple[Explained, ...]:
    """The rows most clearly decided, the asked ones before the known, with what each rule adds to them."""
    certain = _certainty(model, predicted)
    order = np.lexsort((-certain, known))[:MOST_EXPLAINED]
    found = []
    for row in order:
        part, value = _part_of(model, predicted, int(row))
        reasons = []
        for term, weight in zip(part.terms, part.weights):
            adds = float(weight * term.values(X[row : row + 1])[0])
            if adds:
                reasons.append((_reason(term, matrix, X, int(row), timed), adds))
        reasons.sort(key=lambda reason: -abs(reason[1]))
        found.append(Explained(ready.names[row], value, bool(known[row]), tuple(reasons[:MOST_REASONS])))
    return tuple(found)


def _certainty(model: FittedRules, predicted: Float) -> Float:
    if model.kind == "category":
        return np.asarray(predicted.max(axis=1))
    if model.kind == "number":
        return np.asarray(np.abs(predicted - np.median(predicted)))
    return np.asarray(predicted)


def _part_of(model: FittedRules, predicted: Float, row: int) -> tuple[Any, float]:
    if model.kind != "category":
        return model.parts[0], float(predicted[row])
    best = int(np.argmax(predicted[row]))
    return model.parts[best], float(predicted[row, best])


def _reason(term: Term, matrix: CandidateMatrix, X: Real, row: int, timed: bool) -> str:
    said = term_words(term, matrix.candidates, timed=timed)
    if term.form == "condition":
        return said
    value = float(X[row, term.column])
    return f"{said.removeprefix('each unit of the ')} is {number_text(value)}"


def intervals(studied: Studied, model: FittedRules, X: Real, known: Bool) -> tuple[Float, Float]:
    """Intervals of the asked rows, shape (n_rows,) each; NaN where there are none.

    Of a number: 90 % of the held-out rows lay as near to what was predicted (split conformal: Lei et al. 2018). Of a
    probability: 1.64 standard errors to both sides on the scale of log odds, the errors from the folds' own rules by
    the jackknife (Efron and Stein 1981); of a category there are none.
    """
    nothing = np.full(len(X), np.nan)
    if not studied.folds or model.kind == "category":
        return nothing, nothing
    if model.kind == "number":
        errors = np.sort(np.concatenate([np.abs(f.predicted - studied.labels[f.held_out]) for f in studied.folds]))
        at = min(int(np.ceil(COVERAGE * (len(errors) + 1))) - 1, len(errors) - 1)
        centre = model.predict(X)
        return centre - errors[at], centre + errors[at]
    del known
    scores = np.stack([fold.model.parts[0].scores(X) for fold in studied.folds])
    n = len(scores)
    error = np.sqrt((n - 1) / n * ((scores - scores.mean(axis=0)) ** 2).sum(axis=0))
    centre = model.parts[0].scores(X)
    return sigmoid(centre - 1.64 * error), sigmoid(centre + 1.64 * error)
