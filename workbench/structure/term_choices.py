"""The terms that columns offer to a learner: numbers, thresholds, bends and pairs of conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int64, Real
from workbench.structure.interplay import BEYOND_CHANCE
from workbench.structure.terms import Condition, Term, plain_between


class MadeTerm(NamedTuple):
    """A term with its values of the rows that it was scaled on: of a condition whether it holds,
    also as bits.
    """

    term: Term
    values: Bool | Float
    pattern: bytes = b""


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """A column's values of all rows; known ones in ascending order, and each different one once."""

    values: Float
    known: Float
    different: Float

    @staticmethod
    def of(X: Real, column: int) -> ColumnValues:
        """Sorted. O(rows log(rows))."""
        values = X[:, column].astype(np.float64)
        known = np.sort(values)  # unknown ones come last
        known = known[: len(known) - np.count_nonzero(np.isnan(values))]
        different = known[np.append(True, known[1:] != known[:-1])[: len(known)]]
        return ColumnValues(values, known, different)

    @property
    def unknown(self) -> float:
        """The share of unknown ones."""
        return 1 - len(self.known) / len(self.values)


def straight_terms(X: Real, columns: Sequence[int] | Int64) -> Iterator[MadeTerm]:
    """A term a column, and one if it is unknown: the number, or which of two values."""
    return _unlike(made for column in columns for made in _straight(X, int(column)))


def _straight(X: Real, column: int) -> Iterator[MadeTerm]:
    one = ColumnValues.of(X, column)
    found = _of_column(one, column, 0)
    return _scaled((term for term in found if term.form == "number" or term.conditions), one)


def terms_of(
    X: Real, columns: Sequence[int] | Int64, *, linear: Collection[int] = (), n_cuts: int = 5
) -> Iterator[MadeTerm]:
    """Each column's terms: value, logarithm if skewed, thresholds at quantiles, being unknown.

    Of the columns in `linear` the value alone, as it is.
    """

    def made(column: int) -> Iterator[MadeTerm]:
        one = ColumnValues.of(X, column)
        if column in linear:
            return _scaled([Term((), column, "number", -np.inf, np.inf)], one)
        return column_terms(one, column, n_cuts)

    return _unlike(found for column in columns for found in made(int(column)))


def column_terms(one: ColumnValues, column: int, n_cuts: int = 5) -> Iterator[MadeTerm]:
    """The terms of a column; few rows cannot tell near thresholds apart."""
    return _scaled(_of_column(one, column, min(max(len(one.values) // 40, 1), n_cuts)), one)


def step_terms(one: ColumnValues, column: int, cut: float) -> Iterator[MadeTerm]:
    """The terms of a column's threshold: from it on and, where some are unknown, below."""
    found = [Term((Condition(column, "at_least", cut),))]
    if one.unknown >= 0.01:
        found.append(Term((Condition(column, "below", cut),)))
    return _scaled(found, one)


def edges_of(one: ColumnValues, n_cuts: int) -> list[tuple[float, float]]:
    """Values that stand next to each other, with a threshold between them for about equal shares of
    the known values, ascending; none where fewer than three are different.
    """
    return _edges(one, n_cuts) if len(one.different) > 2 else []


def bent_terms(X: Real, columns: Sequence[int] | Int64) -> Iterator[MadeTerm]:
    """Of columns of many values, the number above and up to some of its quantiles."""
    for column in map(int, columns):
        one = ColumnValues.of(X, column)
        if len(one.different) < FEW_VALUES:
            continue
        low, high = _quantiles(one.known, ENDS).tolist()
        found = []
        for cut in _cuts(one, BENDS):
            if low < cut < high:
                found += [
                    Term((), column, "above", cut, high),
                    Term((), column, "below", low, cut),
                ]
        yield from _scaled(found, one)


BENDS = 4
"""Quantiles at which a number bends."""
FEW_VALUES = 8
"""Below so many different values steps say what bends could."""
PAIRED = 60
PAIRS = 40
"""Conditions that are paired whatever their pairs say, and pairs that are kept, at most."""


def _of_column(one: ColumnValues, column: int, n_cuts: int) -> Iterator[Term]:
    known, different, unknown = one.known, one.different, one.unknown
    if not len(known):
        return
    if 0.01 <= unknown <= 0.99:
        yield Term((Condition(column, "missing"),))
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
    yield Term((), column, "number", low, high)
    if low >= 0 and _skewed(np.clip(known, low, high)):
        yield Term((), column, "log", min(low, 0.0), high)
    for cut in _cuts(one, n_cuts) if n_cuts else ():
        yield Term((Condition(column, "at_least", cut),))
        if unknown >= 0.01:
            yield Term((Condition(column, "below", cut),))


def _skewed(values: Float) -> bool:
    apart = values - values.mean()
    squares = apart * apart
    spread = float(np.sqrt(squares.mean()))
    return spread > 0 and float(squares @ apart) / len(values) > spread**3


def _cuts(one: ColumnValues, n_cuts: int) -> list[float]:
    """Thresholds between neighbouring values, at about equal shares of the rows."""
    return [plain_between(*edge) for edge in _edges(one, n_cuts)]


def _edges(one: ColumnValues, n_cuts: int) -> list[tuple[float, float]]:
    different = one.different
    if len(different) <= n_cuts + 1:
        at = np.arange(1, len(different))
    else:
        wanted = _quantiles(one.known, _inner_shares(n_cuts))
        at = np.clip(np.searchsorted(different, wanted, side="left"), 1, len(different) - 1)
        at = at[np.append(True, at[1:] != at[:-1])]
    return list(zip(different[at - 1].tolist(), different[at].tolist()))


@cache
def _inner_shares(n_cuts: int) -> Float:
    """What parts the whole into equal shares."""
    return np.linspace(0, 1, n_cuts + 2)[1:-1]


ENDS = np.array([0.01, 0.99])
"""The shares of known values between which lines are straight."""


def _quantiles(ordered: Float, shares: Float) -> Float:
    """Between the two values next to each share, in proportion."""
    at = shares * (len(ordered) - 1)
    low = at.astype(np.int64)
    above = ordered[np.minimum(low + 1, len(ordered) - 1)]
    return np.asarray(ordered[low] + (above - ordered[low]) * (at - low))


def _scaled(found: Iterable[Term], one: ColumnValues) -> Iterator[MadeTerm]:
    """Terms of a column that tell training rows apart, with a spread there of 1, values of mean
    about 0.
    """
    for term in found:
        if term.form == "condition":
            made = _condition(term, term.conditions[0].passes(one.values))
            if made is not None:
                yield made
            continue
        formed = term.formed(one.values)
        known = formed[~np.isnan(formed)]
        if len(known) and (spread := float(known.std())) > 0:
            spread = max(spread, 1e-12)
            centre = _plain(float(known.mean()), spread / 100)
            scaled = np.nan_to_num((formed - centre) / spread, nan=0.0)
            yield MadeTerm(replace(term, centre=centre, spread=spread), scaled)


def _unlike(made: Iterable[MadeTerm]) -> Iterator[MadeTerm]:
    """Of conditions that hold of the same rows the first: columns of one table are unknown in the
    same rows.
    """
    seen: set[bytes] = set()
    for one in made:
        if not one.pattern or one.pattern not in seen:
            seen.add(one.pattern)
            yield one


def _condition(term: Term, held: Bool) -> MadeTerm | None:
    """A term of conditions that hold of some rows; nothing where they tell few of them apart."""
    share = np.count_nonzero(held) / len(held)
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
    exceeds that of both its conditions: of the conditions that go with it most alone, and of all
    where chance would not make it, for two that say nothing alone may say much together. One
    matrix product, O(n_conditions^2 n_rows).
    """
    if len(single) < 2:
        return
    n = held.sum(axis=1)
    alone = np.abs(held @ residual) / np.sqrt(np.maximum(n, 1))
    order = np.argsort(-alone, kind="stable")
    among, alone = held[order].astype(np.float32), alone[order]
    n_pair = among @ among.T
    both = among * residual.astype(np.float32)
    score = np.abs(both @ among.T) / np.sqrt(np.maximum(n_pair, 1))
    score[n_pair < max(5, 0.005 * held.shape[1])] = 0
    score[score < 1.2 * np.maximum(alone[:, None], alone[None, :])] = 0
    rows, columns = np.triu_indices(len(order), 1)
    scores = score[rows, columns]
    best = (columns < PAIRED) | (scores > BEYOND_CHANCE * residual.std())
    places = np.flatnonzero(best & (scores > 0))
    seen: set[bytes] = set()
    for place in places[np.argsort(-scores[places], kind="stable")[:PAIRS]]:
        # In order of columns: a pair is the same whichever of both tells more.
        one, other = sorted(
            (int(order[rows[place]]), int(order[columns[place]])),
            key=lambda at: single[at].columns,
        )
        first, second = single[one], single[other]
        if first.columns == second.columns:
            continue
        both_hold = Term((*first.conditions, *second.conditions))
        made = _condition(both_hold, held[one] & held[other])
        if made is not None and made.pattern not in seen:
            seen.add(made.pattern)
            yield made.term, one, other
