"""The terms that columns offer to a learner: numbers, thresholds, bends and pairs of conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int64, Real
from workbench.structure.cuts import plain_between
from workbench.structure.terms import Condition, Term


class MadeTerm(NamedTuple):
    """A term with its values of the rows that it was scaled on: of a condition whether it holds,
    also as bits.
    """

    term: Term
    values: Bool | Float
    pattern: bytes = b""


def straight_terms(X: Real, columns: Sequence[int] | Int64) -> Iterator[MadeTerm]:
    """A term a column, and one if it is unknown: the number, or which of two values."""
    found = []
    for column in columns:
        for term in _of_column(X, int(column), 0):
            if term.form == "number" or term.conditions:
                found.append(term)
    return _scaled(found, X)


def terms_of(
    X: Real, columns: Sequence[int] | Int64, *, linear: Collection[int] = (), n_cuts: int = 5
) -> Iterator[MadeTerm]:
    """Each column's terms: value, logarithm if skewed, thresholds at quantiles, being unknown.

    Of the columns in `linear` the value alone, as it is.
    """
    found: list[Term] = []
    for column in columns:
        if int(column) in linear:
            found.append(Term((), int(column), "number", -np.inf, np.inf))
        else:
            # Few rows cannot tell near thresholds apart.
            found += _of_column(X, int(column), min(max(len(X) // 40, 1), n_cuts))
    return _scaled(found, X)


def step_terms(X: Real, column: int, cut: float) -> Iterator[MadeTerm]:
    """The terms of a column's threshold: from it on and, where some are unknown, below."""
    found = [Term((Condition(column, "at_least", cut),))]
    if np.isnan(X[:, column]).mean() >= 0.01:
        found.append(Term((Condition(column, "below", cut),)))
    return _scaled(found, X)


def edges_of(values: Float, n_cuts: int) -> list[tuple[float, float]]:
    """Values that stand next to each other, with a threshold between them for about equal shares of
    the known values, ascending; none where fewer than three are different.
    """
    known = np.sort(values[~np.isnan(values)])
    different = _different(known)
    return _edges(known, different, n_cuts) if len(different) > 2 else []


def bent_terms(X: Real, columns: Sequence[int] | Int64) -> Iterator[MadeTerm]:
    """Of columns of many values, the number above and up to some of its quantiles."""
    found = []
    for column in columns:
        values = np.asarray(X[:, column], np.float64)
        known = np.sort(values[~np.isnan(values)])
        different = _different(known)
        if len(different) < FEW_VALUES:
            continue
        low, high = _quantiles(known, ENDS).tolist()
        for cut in _cuts(known, different, BENDS):
            if low < cut < high:
                found += [
                    Term((), int(column), "above", cut, high),
                    Term((), int(column), "below", low, cut),
                ]
    return _scaled(found, X)


BENDS = 4
"""Quantiles at which a number bends."""
FEW_VALUES = 8
"""Below so many different values steps say what bends could."""
PAIRED = 60
PAIRS = 40
"""Conditions that are paired, and pairs that are kept, at most."""


def _of_column(X: Real, column: int, n_cuts: int) -> Iterator[Term]:
    values = np.asarray(X[:, column], np.float64)
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return
    unknown = 1 - len(known) / len(values)
    if 0.01 <= unknown <= 0.99:
        yield Term((Condition(column, "missing"),))
    different = _different(known)
    if len(different) == 2:
        yield Term((Condition(column, "at_least", float(different.mean())),))
        if unknown >= 0.01:
            yield Term((Condition(column, "below", float(different.mean())),))
        return
    if len(different) < 2:
        return
    low, high = _quantiles(known, ENDS).tolist()
    if high <= low:
        low, high = float(known[0]), float(known[-1])
    low, high = _plain(low, (high - low) / 200), _plain(high, (high - low) / 200)
    clipped = np.clip(known, low, high)
    yield Term((), column, "number", low, high)
    spread = clipped.std()
    if low >= 0 and spread > 0 and ((clipped - clipped.mean()) ** 3).mean() / spread**3 > 1:
        yield Term((), column, "log", min(low, 0.0), high)
    for cut in _cuts(known, different, n_cuts) if n_cuts else ():
        yield Term((Condition(column, "at_least", cut),))
        if unknown >= 0.01:
            yield Term((Condition(column, "below", cut),))


def _cuts(known: Float, different: Float, n_cuts: int) -> list[float]:
    """Thresholds between neighbouring values, at about equal shares of the rows."""
    return [plain_between(*edge) for edge in _edges(known, different, n_cuts)]


def _edges(known: Float, different: Float, n_cuts: int) -> list[tuple[float, float]]:
    wanted = _quantiles(known, np.linspace(0, 1, n_cuts + 2)[1:-1])
    at = np.clip(np.searchsorted(different, wanted, side="left"), 1, len(different) - 1)
    if len(different) <= n_cuts + 1:
        at = np.arange(1, len(different))
    at = np.unique(at)
    return list(zip(different[at - 1].tolist(), different[at].tolist()))


ENDS = np.array([0.01, 0.99])
"""The shares of known values between which lines are straight."""


def _quantiles(ordered: Float, shares: Float) -> Float:
    """Between the two values next to each share, in proportion."""
    at = shares * (len(ordered) - 1)
    low = at.astype(np.int64)
    above = ordered[np.minimum(low + 1, len(ordered) - 1)]
    return np.asarray(ordered[low] + (above - ordered[low]) * (at - low))


def _different(ordered: Float) -> Float:
    """Each value once."""
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]])


def _scaled(found: Iterable[Term], X: Real) -> Iterator[MadeTerm]:
    """Terms that tell training rows apart, with a spread there of 1, values of mean about 0."""
    seen: set[bytes] = set()
    read, values = -1, np.empty(0)
    for term in found:
        if term.form == "condition":
            single = len(term.conditions) == 1 and term.columns[0] == read
            held = term.conditions[0].passes(values) if single else term.holds(X)
            made = _condition(term, held)
            # Columns of one table are unknown in the same rows.
            if made is not None and made.pattern not in seen:
                seen.add(made.pattern)
                yield made
            continue
        if term.column != read:
            read, values = term.column, np.asarray(X[:, term.column], np.float64)
        formed = term.formed(values)
        known = formed[~np.isnan(formed)]
        if len(known) and (spread := float(known.std())) > 0:
            spread = max(spread, 1e-12)
            centre = _plain(float(known.mean()), spread / 100)
            scaled = np.nan_to_num((formed - centre) / spread, nan=0.0)
            yield MadeTerm(replace(term, centre=centre, spread=spread), scaled)


def _condition(term: Term, held: Bool) -> MadeTerm | None:
    """A term of conditions that hold of some rows; nothing where they tell few of them apart."""
    share = float(held.mean())
    if min(share, 1 - share) * len(held) < max(3, 0.002 * len(held)):
        return None
    spread = max(float(np.sqrt(share * (1 - share))), 0.05)
    return MadeTerm(replace(term, spread=spread), held, np.packbits(held).tobytes())


def _plain(number: float, within: float) -> float:
    """A near number of few digits: clipping and centring need not be exact, people read it."""
    return plain_between(number - within, number + within)


def pair_terms(
    single: Sequence[Term], held: Bool, residual: Float
) -> Iterator[tuple[Term, int, int]]:
    """Conjunctions of two conditions that go with what a model without them leaves unexplained, and
    the places of both.

    `held`, shape (n_conditions, n_rows), says of which rows terms of one condition hold; `residual`
    (n_rows,) is target less prediction. A pair is kept where its correlation with it clearly
    exceeds that of both its conditions. One matrix product of the best conditions.
    """
    if len(single) < 2:
        return
    n = held.sum(axis=1)
    alone = np.abs(held @ residual) / np.sqrt(np.maximum(n, 1))
    best = np.argsort(-alone, kind="stable")[:PAIRED]
    among, alone = held[best].astype(np.float64), alone[best]
    n_pair = among @ among.T
    score = np.abs((among * residual) @ among.T) / np.sqrt(np.maximum(n_pair, 1))
    score[n_pair < max(5, 0.005 * held.shape[1])] = 0
    score[score < 1.2 * np.maximum(alone[:, None], alone[None, :])] = 0
    rows, columns = np.triu_indices(len(best), 1)
    seen: set[bytes] = set()
    for place in np.argsort(-score[rows, columns], kind="stable")[:PAIRS]:
        one, other = int(best[rows[place]]), int(best[columns[place]])
        first, second = single[one], single[other]
        if score[rows[place], columns[place]] <= 0 or first.columns == second.columns:
            continue
        both = Term((*first.conditions, *second.conditions))
        made = _condition(both, held[one] & held[other])
        if made is not None and made.pattern not in seen:
            seen.add(made.pattern)
            yield made.term, one, other
