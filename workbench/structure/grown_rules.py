"""A number as a sum of few weighted terms, grown one at a time by what those before leave unexplained.

Orthogonal matching pursuit (Pati, Rezaiifar & Krishnaprasad 1993) under absolute errors, over terms and products of a
condition with another term, as rule ensembles grow them (Dembczyński, Kotłowski & Słowiński 2010): after each term all
weights are fitted again, so that the next is chosen by what truly is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from workbench.arrays import Bool, Float, Int64, Real
from workbench.progress import SILENT, Progress, expired
from workbench.structure.scopes import Scope, scopes_of
from workbench.structure.sparse_fits import least_absolute
from workbench.structure.terms import Term, bent_terms, straight_terms, terms_of
from workbench.structure.weighted_rules import WeightedRules, constant_rules, even_sample, random_splits

__all__ = ["fit_grown_rules"]

MOST_COLUMNS = 120
MOST_BENT = 50
N_CUTS = 15
MOST_ROWS = 10_000
PATIENCE = 8
"""Terms that may bring nothing on held-out rows before growing ends."""
RIDGES = (1.0, 10.0, 50.0)
GROWN_WITH = 3.0


def fit_grown_rules(
    X: Real,
    y: Float,
    *,
    most_rules: int = 30,
    own: Int64 | None = None,
    held_out: Sequence[Int64] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> WeightedRules:
    """Choose and weigh at most `most_rules` terms of a number, for the least mean absolute error.

    Parameters
    ----------
    X : float array, shape (n_rows, n_candidates)
        NaN where unknown.
    y : float64 array, shape (n_rows,)
    own, held_out
        As of `fit_weighted_rules`.

    Notes
    -----
    Terms are grown on the other rows of each held-out set, of all columns, and of the target's own table's alone;
    where the latter are few, all of them as plain numbers are tried as well. The number of terms, their ridge and the
    columns are those that do best on the held-out rows; then all rows grow so many. Beyond `MOST_ROWS` rows all this
    sees an even sample of them, and the terms that it chose are weighed by all.
    """
    if most_rules < 1 or len(y) < 4:
        return constant_rules(y, discrete=False)
    if len(y) > MOST_ROWS:
        rows = even_sample(y, MOST_ROWS)
        of_sample = None if held_out is None else [np.flatnonzero(np.isin(rows, split)) for split in held_out]
        chosen = fit_grown_rules(
            X[rows], y[rows], most_rules=most_rules, own=own, held_out=of_sample, seed=seed, deadline=deadline,
            progress=progress,
        )  # fmt: skip
        return _weighed(chosen.terms, X, y, RIDGES[0], complete=chosen.complete)
    splits = random_splits(y, False, seed) if held_out is None else held_out
    scopes = scopes_of(X, own, most_rules)
    losses: dict[tuple[int, int, float], list[float]] = {}
    for number, left_out in enumerate(splits):
        if number and expired(deadline):
            break
        progress.step("rules", number, len(splits) + 1)
        training = np.setdiff1d(np.arange(len(y)), left_out)
        if len(training) < 3 or not len(left_out):
            continue
        learned, asked = (X[training], y[training]), (X[left_out], y[left_out])
        for place, scope in enumerate(scopes):
            terms = _grown(scope, *learned, most_rules, deadline)
            for choice, loss in _tried(terms, learned, asked, whole=scope.straight):
                losses.setdefault((place, *choice), []).append(loss)
    if not losses:
        return constant_rules(y, discrete=False)
    progress.step("rules", len(splits), len(splits) + 1)
    tried_most = max(map(len, losses.values()))
    place, size, ridge = min(
        (choice for choice in losses if len(losses[choice]) == tried_most), key=lambda one: float(np.mean(losses[one]))
    )
    if not size:
        return constant_rules(y, discrete=False)
    final = list(islice(_grown(scopes[place], X, y, most_rules, deadline), size))
    return _weighed(final, X, y, ridge, complete=not expired(deadline))


def _grown(scope: Scope, X: Real, y: Float, most: int, deadline: float | None) -> Iterator[Term]:
    if scope.straight:
        yield from straight_terms(X, scope.columns)[:most]
        return
    columns = scope.telling(X, y, discrete=False, most=MOST_COLUMNS)
    terms = [*terms_of(X, columns, n_cuts=N_CUTS), *bent_terms(X, columns[:MOST_BENT])]
    yield from grow(X, y, terms, most, deadline)


def _tried(
    terms: Iterator[Term], learned: tuple[Real, Float], asked: tuple[Real, Float], *, whole: bool
) -> Iterator[tuple[tuple[int, float], float]]:
    """The mean absolute error on the asked rows of the first terms, ever more of them, under each ridge.

    With `whole` all of them or none.
    """
    (X, y), (X_asked, truth) = learned, asked
    best, size = float(np.abs(truth - np.median(y)).mean()), 0
    yield (0, 0.0), best
    values, asked_values = np.empty((len(X), 0)), np.empty((len(X_asked), 0))
    for batch in [list(terms)] if whole else ([term] for term in terms):
        values = np.column_stack((values, *(term.values(X) for term in batch)))
        asked_values = np.column_stack((asked_values, *(term.values(X_asked) for term in batch)))
        for ridge in RIDGES:
            weights, intercept = _weights(values, y, ridge)
            error = float(np.abs(truth - asked_values @ weights - intercept).mean())
            yield (values.shape[1], ridge), error
            if error < 0.999 * best:
                best, size = error, values.shape[1]
        if values.shape[1] - size >= PATIENCE:
            return


def _weighed(terms: Sequence[Term], X: Real, y: Float, ridge: float, *, complete: bool = True) -> WeightedRules:
    """The terms with the weights that these rows give them."""
    if not terms:
        return replace(constant_rules(y, discrete=False), complete=complete)
    weights, intercept = _weights(np.column_stack([term.values(X) for term in terms]), y, ridge)
    return WeightedRules(tuple(terms), weights, intercept, False, complete=complete)


def _weights(values: Float, y: Float, ridge: float) -> tuple[Float, float]:
    """Weights of the least absolute error; the ridge is of columns of one spread."""
    spread = np.maximum(values.std(axis=0), 0.05)
    weights, intercept = least_absolute(values / spread, y, ridge)
    return weights / spread, intercept


def grow(X: Real, y: Float, terms: Sequence[Term], most: int, deadline: float | None = None) -> Iterator[Term]:
    """Terms one by one, each the one whose column goes best with what those before it leave unexplained."""
    pool = _Pool.of(terms, X)
    chosen = np.empty((len(y), 0))
    basis = np.ones((len(y), 1)) / np.sqrt(len(y))
    residual = y - np.median(y)
    while terms and chosen.shape[1] < most and not (chosen.shape[1] and expired(deadline)):
        # Errors far from the rest say little of where the middle lies.
        far = 3 * float(np.median(np.abs(residual))) or np.inf
        left = np.clip(residual, -far, far)
        found = pool.best(left - basis @ (basis.T @ left), basis)
        if found is None:
            return
        yield found
        column = found.values(X)
        chosen = np.column_stack((chosen, column / max(float(column.std()), 0.05)))
        apart = column - basis @ (basis.T @ column)
        basis = np.column_stack((basis, apart / np.linalg.norm(apart)))
        weights, intercept = least_absolute(chosen, y, GROWN_WITH)
        residual = y - chosen @ weights - intercept


MOST_GATES = 24
"""Conditions, of different columns, whose products with all terms are looked at."""
PRODUCTS = 8
"""Products of the best correlation that are compared without what chosen terms say already."""
PLAINER = 0.9
"""What a product's correlation counts beside that of a single term."""
NEW = 0.02
"""The share of a column's squares that chosen terms leave, at least."""


@dataclass
class _Pool:
    """Terms and their columns, float32 of shape (n_rows, n_terms): 0 or 1 of conditions, scaled values of numbers."""

    terms: Sequence[Term]
    columns: Real
    is_condition: Bool
    column_of: Int64
    squares: Float
    _sums: dict[int, tuple[Float, Float]] = field(default_factory=dict)

    @classmethod
    def of(cls, terms: Sequence[Term], X: Real) -> _Pool:
        columns = np.empty((len(X), len(terms)), np.float32)
        for at, term in enumerate(terms):
            columns[:, at] = term.values(X) * (term.spread if term.conditions else 1.0)
        total = columns.sum(axis=0, dtype=np.float64)
        squares = np.einsum("ij,ij->j", columns, columns, dtype=np.float64)
        kinds = np.array([bool(term.conditions) for term in terms])
        of = np.array([term.columns[0] for term in terms], np.int64)
        return cls(terms, columns, kinds, of, np.maximum(squares - total**2 / max(len(X), 1), 0))

    def best(self, left: Float, basis: Float) -> Term | None:
        """The term, or the product of a condition with one, of the greatest correlation with what is left.

        `left` is orthogonal to the basis of what is chosen, so a column's product with it is that of its new part.
        """
        left = left.astype(np.float32)
        said = np.asarray(self.columns.T @ left, np.float64)
        within = ((basis[:, 1:].astype(np.float32).T @ self.columns) ** 2).sum(axis=0, dtype=np.float64)
        new = self.squares - within
        score = np.where(new > NEW * self.squares, np.abs(said) / np.sqrt(np.maximum(new, 1e-9)), 0.0)
        at = int(np.argmax(score))
        found, most = (self.terms[at], float(score[at])) if score[at] > 1e-9 else (None, 0.0)
        for gate, other in self._products(score, left):
            column = np.asarray(self.columns[:, gate] * self.columns[:, other], np.float64)
            apart = column - basis @ (basis.T @ column)
            length = float(np.linalg.norm(apart))
            if length**2 <= NEW * float(column @ column):
                continue
            worth = PLAINER * abs(float(apart @ left)) / length
            if worth > most:
                found, most = self._product(gate, other), worth
        return found

    def _product(self, gate: int, other: int) -> Term:
        first, second = self.terms[gate], self.terms[other]
        if not second.conditions:
            return replace(second, conditions=first.conditions)
        return Term((*first.conditions, *second.conditions))

    def _products(self, score: Float, left: Real) -> Iterator[tuple[int, int]]:
        """The products whose columns, less their means, go best with what is left."""
        gates = self._gates(score)
        if not len(gates):
            return
        n = len(left)
        held = self.columns[:, gates]
        said = np.abs((held * left[:, None]).T @ self.columns)
        total, squares = self._sums_of(gates)
        spread = squares - total**2 / n
        few = max(10, 0.01 * n)
        worth = np.where(spread > 0, said / np.sqrt(np.maximum(spread, 1e-9)), 0)
        worth[(held.sum(axis=0) < few)[:, None] | (self.is_condition & ((total < few) | (total > n - few)))] = 0
        worth[self.column_of[gates][:, None] == self.column_of] = 0
        least = np.partition(worth, -PRODUCTS, axis=None)[-PRODUCTS] if worth.size > PRODUCTS else 0.0
        for place in np.flatnonzero(worth >= least):
            gate, other = divmod(int(place), len(self.terms))
            if worth[gate, other] > 0:
                yield int(gates[gate]), other

    def _gates(self, score: Float) -> Int64:
        """The condition of each column that tells most, of the columns that tell most."""
        conditions = np.flatnonzero(self.is_condition)
        order = conditions[np.argsort(-score[conditions], kind="stable")]
        _, first = np.unique(self.column_of[order], return_index=True)
        return order[np.sort(first)[:MOST_GATES]]

    def _sums_of(self, gates: Int64) -> tuple[Float, Float]:
        """The sums and sums of squares of the products of conditions with each column, shape (n_gates, n_terms)."""
        new = [gate for gate in gates.tolist() if gate not in self._sums]
        held = self.columns[:, new].T
        for gate, *sums in zip(new, held @ self.columns, held @ self.columns**2):
            self._sums[gate] = (sums[0].astype(np.float64), sums[1].astype(np.float64))
        total, squares = zip(*(self._sums[gate] for gate in gates.tolist()))
        return np.stack(total), np.stack(squares)
