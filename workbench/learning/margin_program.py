"""The quadratic program of cutting-plane training, solved in its dual over the cuts, never over the weights."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import not_installed

__all__ = ["MarginProgram", "solve_dual", "solve_dual_cvxpy"]

FREE = -1
TOLERANCE = 1e-9
"""Largest violated margin left, relative to the largest loss."""


def solve_dual(gram: Float, loss: Float, group: Int64, penalty: float, start: Float) -> tuple[Float, Float]:
    """Maximise `loss . a - a K a / 2` with `a >= 0` and `sum of a over group g <= penalty` for each group g >= 0.

    Parameters
    ----------
    gram : float64 array, shape (n, n)
        K: inner products of the cuts.
    loss : float64 array, shape (n,)
    group : int64 array, shape (n,)
        The slack each cut shares; -1 for a multiplier without upper limit (a sign constraint).
    penalty : float
        C.
    start : float64 array, shape (n,)
        A feasible point; the last optimum, with zeros for new cuts.

    Returns
    -------
    multipliers : float64 array, shape (n,)
    slack : float64 array, shape (n_groups,)

    Notes
    -----
    A primal active-set method in the manner of Lawson & Hanson's non-negative least squares; each group's unused
    penalty is one more multiplier, of a cut that is zero. Every step solves a system over the positive multipliers
    only, so a warm start costs a few small factorisations.
    """
    n, n_groups = loss.size, int(group.max(initial=FREE)) + 1
    total = n + n_groups
    label = np.concatenate([group, np.arange(n_groups)])
    gain = np.concatenate([loss, np.zeros(n_groups)])
    a = np.concatenate([start, np.maximum(penalty - np.bincount(group[group >= 0], start[group >= 0], n_groups), 0.0)])
    free = a > 0
    ridge = 1e-13 * (float(gram.diagonal().max(initial=0.0)) or 1.0)
    margin = TOLERANCE * max(1.0, float(np.abs(gain).max(initial=0.0)))
    for _ in range(20 * total + 100):
        chosen = np.flatnonzero(free)
        target, slack = _on_face(gram, gain, label, chosen, penalty, ridge, n, n_groups)
        if np.all(target >= 0.0):
            a[:] = 0.0
            a[chosen] = target
            short = gain - np.where(label >= 0, slack[label], 0.0)
            short[:n] -= gram @ a[:n]
            short[free] = -np.inf
            worst = int(np.argmax(short))
            if short[worst] <= margin:
                break
            free[worst] = True
            continue
        now = a[chosen]
        falling = target < 0.0
        step = float(np.min(now[falling] / (now[falling] - target[falling])))
        a[chosen] = np.maximum(now + step * (target - now), 0.0)
        blocked = chosen[falling & (a[chosen] <= 1e-14 * penalty)]
        a[blocked] = 0.0
        free[blocked] = False
    return a[:n], np.maximum(slack, 0.0)


def _on_face(
    gram: Float, gain: Float, label: Int64, chosen: Int64, penalty: float, ridge: float, n: int, n_groups: int
) -> tuple[Float, Float]:
    """The optimum with only the `chosen` multipliers, of either sign; and each group's slack."""
    size = chosen.size
    system = np.zeros((size + n_groups, size + n_groups))
    real = np.flatnonzero(chosen < n)
    system[np.ix_(real, real)] = gram[np.ix_(chosen[real], chosen[real])]
    system[np.arange(size), np.arange(size)] += ridge
    tied = np.flatnonzero(label[chosen] >= 0)
    system[tied, size + label[chosen[tied]]] = 1.0
    system[size + label[chosen[tied]], tied] = 1.0
    answer = np.linalg.solve(system, np.concatenate([gain[chosen], np.full(n_groups, penalty)]))
    return answer[:size], answer[size:]


def solve_dual_cvxpy(gram: Float, loss: Float, group: Int64, penalty: float, solver: str) -> tuple[Float, Float]:
    """The same program by a solver of CVXPY (`ECOS`, `CLARABEL`, `SCS`, ...): slow, independent.

    Raises
    ------
    InputError
        E0402 where CVXPY is not installed.
    """
    try:
        import cvxpy
    except ImportError:
        raise not_installed("E0402", f"the solver {solver}", "cvxpy", "solvers") from None

    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    a = cvxpy.Variable(loss.size, nonneg=True)
    n_groups = int(group.max(initial=FREE)) + 1
    limits = [cvxpy.sum(a[np.flatnonzero(group == g)]) <= penalty for g in range(n_groups)]
    problem = cvxpy.Problem(cvxpy.Maximize(loss @ a - cvxpy.sum_squares(root.T @ a) / 2), limits)
    problem.solve(solver=solver)
    return np.maximum(a.value, 0.0), np.array([float(limit.dual_value) for limit in limits])


@dataclass
class MarginProgram:
    """Minimise `w.w / 2 + C sum_g slack_g` over cuts `w . direction >= loss - slack_g`; optionally `w >= 0`.

    A working set that grows by `add` and is solved again from where it stood.

    Parameters
    ----------
    n_weights : int
    penalty : float
        C.
    n_groups : int
        Number of slacks: 1, or one per training database.
    nonnegative : bool
        Demand `w >= 0`, as PSL does.
    solver : {'active_set', 'ECOS', 'CLARABEL', ...}
        Ours, or a solver of CVXPY by name.
    patience : int
        Cuts whose multiplier was zero in that many solves are dropped.
    """

    n_weights: int
    penalty: float
    n_groups: int = 1
    nonnegative: bool = False
    solver: str = "active_set"
    patience: int = 50
    directions: Float = field(init=False)
    gram: Float = field(init=False)
    loss: Float = field(init=False)
    group: Int64 = field(init=False)
    multipliers: Float = field(init=False)
    idle: Int64 = field(init=False)
    slack: Float = field(init=False)
    weights: Float = field(init=False)
    n_cuts: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        capacity = 64
        self.directions = np.zeros((capacity, self.n_weights))
        self.gram = np.zeros((capacity, capacity))
        self.loss, self.multipliers = np.zeros(capacity), np.zeros(capacity)
        self.group, self.idle = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
        self.slack = np.zeros(self.n_groups)
        self.weights = np.zeros(self.n_weights)

    def add(self, direction: Float, loss: float, group: int = 0) -> None:
        """Add the cut `w . direction >= loss - slack[group]`; one row of inner products."""
        k = self.n_cuts
        if k == self.loss.size:
            self._grow()
        self.directions[k] = direction
        inner = self.directions[: k + 1] @ direction
        self.gram[k, : k + 1] = self.gram[: k + 1, k] = inner
        self.loss[k], self.group[k], self.multipliers[k], self.idle[k] = loss, group, 0.0, 0
        self.n_cuts += 1

    def solve(self) -> None:
        """Bring `multipliers`, `weights` and `slack` to the optimum over the present cuts."""
        while True:
            self._solve_once()
            negative = self._unguarded() if self.nonnegative else np.zeros(0, np.int64)
            if not negative.size:
                break
            for k in negative:
                unit = np.zeros(self.n_weights)
                unit[k] = 1.0
                self.add(unit, 0.0, FREE)
        if self.nonnegative:
            self.weights = np.maximum(self.weights, 0.0)
        self._drop()

    def reset_penalty(self, penalty: float) -> None:
        """Keep the cuts and go to another C: the multipliers shrink where they must."""
        self.multipliers *= min(1.0, penalty / self.penalty)
        self.penalty = penalty

    def slack_at(self, weights: Float) -> Float:
        """What each slack would have to be at other weights, by the present cuts; shape (n_groups,)."""
        k = self.n_cuts
        short = self.loss[:k] - self.directions[:k] @ weights
        needed = np.zeros(self.n_groups)
        shared = self.group[:k] != FREE
        np.maximum.at(needed, self.group[:k][shared], short[shared])
        return needed

    @property
    def lower_bound(self) -> float:
        """The dual's value: no weights reach less under all cuts that exist."""
        k = self.n_cuts
        return float(self.loss[:k] @ self.multipliers[:k] - self.weights @ self.weights / 2)

    def _solve_once(self) -> None:
        k = self.n_cuts
        gram, loss, group = self.gram[:k, :k], self.loss[:k], self.group[:k]
        if not k:
            return
        if self.solver == "active_set":
            a, slack = solve_dual(gram, loss, group, self.penalty, self.multipliers[:k])
        else:
            a, slack = solve_dual_cvxpy(gram, loss, group, self.penalty, self.solver)
        self.multipliers[:k] = a
        self.slack[: slack.size] = slack
        active = np.flatnonzero(a > 0)
        self.weights = a[active] @ self.directions[active]
        self.idle[:k] = np.where(a > 0, 0, self.idle[:k] + 1)

    def _unguarded(self) -> Int64:
        """Negative weights that no sign constraint holds yet."""
        signs = self.directions[: self.n_cuts][self.group[: self.n_cuts] == FREE]
        return np.flatnonzero((self.weights < 0.0) & ~signs.any(axis=0))

    def _drop(self) -> None:
        """Forget cuts that have long been idle."""
        k = self.n_cuts
        keep = np.flatnonzero(self.idle[:k] < self.patience)
        if keep.size == k:
            return
        m = keep.size
        self.directions[:m] = self.directions[keep]
        self.gram[:m, :m] = self.gram[np.ix_(keep, keep)]
        for column in (self.loss, self.multipliers, self.group, self.idle):
            column[:m] = column[keep]
        self.n_cuts = m

    def _grow(self) -> None:
        k = self.loss.size
        self.directions = np.concatenate([self.directions, np.zeros_like(self.directions)])
        gram = np.zeros((2 * k, 2 * k))
        gram[:k, :k] = self.gram
        self.gram = gram
        self.loss, self.multipliers = (np.concatenate([c, np.zeros(k)]) for c in (self.loss, self.multipliers))
        self.group, self.idle = (np.concatenate([c, np.zeros(k, np.int64)]) for c in (self.group, self.idle))
