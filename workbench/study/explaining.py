"""Rules with their support and lift, rows with the reasons for their value,
intervals of what was predicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Bool, Float, Real
from workbench.language.number_scale import NumberScale
from workbench.structure.candidate import Candidate
from workbench.structure.sparse_fits import sigmoid
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import WeightedRules
from workbench.study.definitions import Definitions
from workbench.study.learners import FittedRules
from workbench.study.matrix import CandidateMatrix
from workbench.study.program import rule_texts, written_intercept
from workbench.study.result import Explained, StudiedRule
from workbench.study.rule_words import readable_step, reason_words, term_words
from workbench.study.run import Studied
from workbench.study.words import added_text
from workbench.tables.facts import TargetKind

if TYPE_CHECKING:
    from workbench.study.prepared import Prepared

MOST_EXPLAINED = 2000
MOST_REASONS = 5
COVERAGE = 0.9
SURE = 1e-9
"""The least probability of which a logarithm is taken."""
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
        y = (
            studied.labels
            if model.kind != "category"
            else (studied.labels == place).astype(np.float64)
        )
        head = definitions.head(place)
        order = np.argsort(
            -np.abs(part.weights / [term.spread for term in part.terms]), kind="stable"
        )
        for at in order[:LISTED] if len(part) else ():
            term, weight = part.terms[at], float(part.weights[at])
            text = "\n".join(rule_texts(definitions, term, weight, matrix.candidates, head))
            each = weight / term.spread
            step = readable_step(term, matrix.candidates)
            said = term_words(term, matrix.candidates, timed=timed, step=step)
            about = f" [{ready.classes[place]}]" if model.kind == "category" else ""
            adds = each * step
            words = f"{said}{about}: {added_text(adds, part.scale)}"
            found.append(
                (
                    abs(weight),
                    _rated(
                        StudiedRule(text, words, each, step),
                        term,
                        X,
                        y,
                        counts=_counts_labels(term, matrix),
                    ),
                )
            )
    return tuple(rule for _, rule in sorted(found, key=lambda one: -one[0]))


def _rated(rule: StudiedRule, term: Term, X: Real, y: Float, *, counts: bool) -> StudiedRule:
    """A rule with its support and lift on the labelled rows."""
    supporting, held = rows_of_term(term, X, counts=counts)
    support = int(supporting.sum())
    with_, without = _mean(y[held]), _mean(y[~held])
    return replace(
        rule,
        support=support,
        lift=lift_between(with_, without),
        rate_with=with_,
        rate_without=without,
    )


def lift_between(with_: float | None, without: float | None) -> float | None:
    """One rate or mean over another; None of means below 0, whose ratio says nothing."""
    if with_ is None or without is None or with_ < 0 or without <= 0:
        return None
    return with_ / without


def rows_of_term(term: Term, X: Real, *, counts: bool = False) -> tuple[Bool, Bool]:
    """The rows that support a rule, and of these the ones whose rate is told beside the others'.

    Where half of a number's values are the least, as of a count of what most rows have none of,
    both are the rows that have more; else they are the rows where it is known, and the upper half.

    Parameters
    ----------
    X : float32 array, shape (n_rows, n_candidates)
    counts : bool
        The number counts labelled neighbours: rows that have any.
    """
    holds = term.holds(X)
    if term.form == "condition":
        return holds, holds
    values = X[:, term.column]
    known = holds & ~np.isnan(values)
    if not known.any():
        return known, known
    least, middle = values[known].min(), np.median(values[known])
    if counts or least == middle:
        above = known & (values > (0 if counts else least))
        return above, above
    return known, known & (values >= middle)


def _counts_labels(term: Term, matrix: CandidateMatrix) -> bool:
    """Whether a term counts labelled neighbours: it holds where there are any."""
    return term.form != "condition" and term.column in matrix.labelled


def _mean(values: Float) -> float | None:
    return float(values.mean()) if len(values) else None


def explained_rows(
    ready: Prepared,
    model: FittedRules,
    candidates: Sequence[Candidate],
    X: Real,
    predictions: Mapping[str, Any],
) -> tuple[Explained, ...]:
    """The rows most clearly decided, the asked ones before the known, with what each rule adds to
    them.

    Parameters
    ----------
    X : float32 array, shape (n_rows, n_candidates)
    predictions : mapping of str to sequence
        Their columns, as a study gives them: `value`, `known`, of a category `probability`.
    """
    known = predictions["known"]
    own = model.predict(X)
    if model.kind == "category":
        place = own.argmax(axis=1)
        place[~known] = [
            ready.classes.index(predictions["value"][row]) for row in np.flatnonzero(~known)
        ]
        values = np.where(known, own.max(axis=1), predictions["probability"])
    else:
        place = np.zeros(len(own), np.int64)
        values = np.where(known, own, predictions["value"])
    certain = np.abs(values - np.median(values)) if model.kind == "number" else values
    chosen = np.lexsort((-certain, known))[:MOST_EXPLAINED]
    adds = [_adds(part, X[chosen]) for part in model.parts]
    timed = ready.times is not None
    return tuple(
        _explained(
            ready.names[row], float(values[row]), bool(known[row]), model.parts[place[row]],
            model.kind, candidates, adds[place[row]][at], X[row], timed,
        )
        for at, row in enumerate(chosen)
    )  # fmt: skip


def _adds(part: WeightedRules, X: Real) -> Float:
    """What each rule adds to each row, as it is written: shape (n_rows, n_terms)."""
    found = np.empty((len(X), len(part)))
    for at, (term, weight) in enumerate(zip(part.terms, part.weights)):
        centre = term.centre / term.spread if term.uncentred else 0.0
        found[:, at] = weight * (term.values(X) + centre)
    return found


def _explained(
    name: str,
    value: float,
    known: bool,
    part: WeightedRules,
    kind: TargetKind,
    candidates: Sequence[Candidate],
    adds: Float,
    row: Real,
    timed: bool,
) -> Explained:
    """A row, of candidates' values `row`, by what each rule of its part adds."""
    begins = written_intercept(part)
    order = np.argsort(-np.abs(adds), kind="stable")
    weighty = order[adds[order] != 0]
    told = [
        (reason_words(term, candidates, float(row[term.column]), timed=timed), float(adds[at]))
        for at in weighty[:MOST_REASONS]
        for term in [part.terms[at]]
    ]
    others = float(adds[weighty[MOST_REASONS:]].sum())
    jointly = 0.0
    if kind != "category" and not known:
        sure = min(max(value, SURE), 1.0 - SURE)
        if kind == "number":
            reached = float(part.scale.sums(np.asarray(value)))
        else:
            reached = float(np.log(sure / (1.0 - sure)))
        jointly = reached - begins - others - sum(adds for _, adds in told)
    return Explained(name, value, known, tuple(told), begins, others, jointly, part.scale)


def intervals(studied: Studied, model: FittedRules, X: Real, known: Bool) -> tuple[Float, Float]:
    """Intervals of the asked rows, shape (n_rows,) each; NaN where there are none.

    Of a number: 90 % of the held-out rows lay as near to what was predicted (split conformal: Lei
    et al. 2018), by their ratio where rules add up to its logarithm. Of a probability: 1.64
    standard errors to both sides on the scale of log odds, the errors from the folds' own rules by
    the jackknife (Efron and Stein 1981); of a category there are none.
    """
    nothing = np.full(len(X), np.nan)
    if not studied.folds or model.kind == "category":
        return nothing, nothing
    if model.kind == "number":
        scale = model.parts[0].scale
        pairs = (
            (_sums(scale, f.predicted), _sums(scale, studied.labels[f.held_out]))
            for f in studied.folds
        )
        errors = np.sort(np.concatenate([np.abs(said - true) for said, true in pairs]))
        at = min(int(np.ceil(COVERAGE * (len(errors) + 1))) - 1, len(errors) - 1)
        centre = model.parts[0].scores(X)
        return scale.numbers(centre - errors[at]), scale.numbers(centre + errors[at])
    del known
    scores = np.stack([fold.model.parts[0].scores(X) for fold in studied.folds])
    n = len(scores)
    error = np.sqrt((n - 1) / n * ((scores - scores.mean(axis=0)) ** 2).sum(axis=0))
    centre = model.parts[0].scores(X)
    return sigmoid(centre - 1.64 * error), sigmoid(centre + 1.64 * error)


def _sums(scale: NumberScale, numbers: Float) -> Float:
    """Numbers as their rules add them up; of a held-out row one may be none of its scale."""
    return scale.sums(np.maximum(numbers, SURE) if scale.is_logarithm else numbers)
