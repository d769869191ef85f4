"""Terms of a number grown one at a time, each by what those before leave unexplained.

Orthogonal matching pursuit (Pati, Rezaiifar & Krishnaprasad 1993) under absolute errors, over terms
and products of a condition with another term, as rule ensembles grow them (Dembczyński, Kotłowski &
Słowiński 2010): after each term all weights are fitted again, so that the next is chosen by what
truly is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.arrays import Bool, Float, Int64, Real
from workbench.progress import expired
from workbench.structure.sparse_fits import least_absolute
from workbench.structure.term_choices import MadeTerm
from workbench.structure.terms import Term

GROWN_WITH = 3.0
"""The ridge of the weights that say what is left."""


def grow(
    X: Real,
    y: Float,
    terms: Iterable[MadeTerm],
    most: int,
    deadline: float | None = None,
    *,
    products: bool = True,
    gates: Collection[int] | Int64 = (),
) -> Iterator[Term]:
    """Terms one by one, each the one that goes best with what is left unexplained.

    With `products` those of a condition and a term are grown, too; of conditions on columns in
    `gates` even where these tell nothing alone.
    """
    pool = _Pool.of(terms, len(X), np.asarray(gates, np.int64))
    chosen = np.empty((len(y), 0))
    basis = np.ones((len(y), 1)) / np.sqrt(len(y))
    residual = y - np.median(y)
    while pool.terms and chosen.shape[1] < most and not (chosen.shape[1] and expired(deadline)):
        # Errors far from the rest say little of where the middle lies.
        far = 3 * float(np.median(np.abs(residual))) or np.inf
        left = np.clip(residual, -far, far)
        found = pool.best(left - basis @ (basis.T @ left), basis, products=products)
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
SHAPES = {"log": 0.98, "above": 0.96, "below": 0.96}
"""What a bent line counts beside a straight one or a step, which are shorter to say."""
NEW = 0.02
"""The share of a column's squares that chosen terms leave, at least."""


@dataclass
class _Pool:
    """Terms and float32 columns (n_rows, n_terms): conditions as 0 or 1, scaled numbers."""

    terms: Sequence[Term]
    columns: Real
    is_condition: Bool
    column_of: Int64
    squares: Float
    plainness: Float
    gates: Int64
    _sums: dict[int, tuple[Float, Float]] = field(default_factory=dict)
    _within: Float = field(default_factory=lambda: np.zeros(1))
    _seen: int = 1  # the first is the mean, which `squares` are without

    @classmethod
    def of(cls, made: Iterable[MadeTerm], n_rows: int, gates: Int64) -> _Pool:
        terms, each = [], []
        for term, values, _ in made:
            terms.append(term)
            each.append(values.astype(np.float32))
        columns = np.stack(each).T if each else np.empty((n_rows, 0), np.float32)
        total = columns.sum(axis=0, dtype=np.float64)
        squares = np.einsum("ij,ij->j", columns, columns, dtype=np.float64)
        kinds = np.array([bool(term.conditions) for term in terms])
        of = np.array([term.columns[0] for term in terms], np.int64)
        plainness = np.array([SHAPES.get(term.form, 1.0) for term in terms])
        squares = np.maximum(squares - total**2 / max(n_rows, 1), 0)
        return cls(terms, columns, kinds, of, squares, plainness, gates)

    def best(self, left: Float, basis: Float, *, products: bool) -> Term | None:
        """The term, or product of a condition with one, that correlates most with what is left.

        `left` is orthogonal to the basis of what is chosen, so a column's product with it is that
        of its new part.
        """
        left = left.astype(np.float32)
        said = np.asarray(self.columns.T @ left, np.float64)
        while self._seen < basis.shape[1]:
            self._within = (
                self._within + (basis[:, self._seen].astype(np.float32) @ self.columns) ** 2
            )
            self._seen += 1
        new = self.squares - self._within
        score = np.where(
            new > NEW * self.squares,
            self.plainness * np.abs(said) / np.sqrt(np.maximum(new, 1e-9)),
            0.0,
        )
        at = int(np.argmax(score))
        found, most = (self.terms[at], float(score[at])) if score[at] > 1e-9 else (None, 0.0)
        for gate, other in self._products(score, left) if products else ():
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
        worth[
            (held.sum(axis=0) < few)[:, None]
            | (self.is_condition & ((total < few) | (total > n - few)))
        ] = 0
        worth[self.column_of[gates][:, None] == self.column_of] = 0
        least = (
            np.partition(worth, -PRODUCTS, axis=None)[-PRODUCTS] if worth.size > PRODUCTS else 0.0
        )
        for place in np.flatnonzero(worth >= least):
            gate, other = divmod(int(place), len(self.terms))
            if worth[gate, other] > 0:
                yield int(gates[gate]), other

    def _gates(self, score: Float) -> Int64:
        """The condition of each column that tells most, of the columns that tell most and of those
        that are gates anyway.
        """
        conditions = np.flatnonzero(self.is_condition)
        order = conditions[np.argsort(-score[conditions], kind="stable")]
        _, first = np.unique(self.column_of[order], return_index=True)
        first = np.sort(first)
        anyway = first[MOST_GATES:][np.isin(self.column_of[order[first[MOST_GATES:]]], self.gates)]
        return order[np.append(first[:MOST_GATES], anyway)]

    def _sums_of(self, gates: Int64) -> tuple[Float, Float]:
        """Sums and sums of squares of conditions times each column, shape (n_gates, n_terms)."""
        new = [gate for gate in gates.tolist() if gate not in self._sums]
        held = self.columns[:, new].T
        for gate, *sums in zip(new, held @ self.columns, held @ self.columns**2):
            self._sums[gate] = (sums[0].astype(np.float64), sums[1].astype(np.float64))
        total, squares = zip(*(self._sums[gate] for gate in gates.tolist()))
        return np.stack(total), np.stack(squares)
