"""The quadratic program of cutting-plane training, solved in its dual over the cuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64

FREE = -1
TOLERANCE = 1e-9
"""Largest violated margin left, relative to the largest loss; both of cuts of length one."""
ROUNDING = 1e-12
"""Of the longest cut's length: what a shorter one says of weights is what sums of counts lose."""
RIDGE = 1e-13
"""What keeps a system of alike cuts regular, beside their squared length of one."""


def solve_dual(
    gram: Float, loss: Float, group: Int64, penalty: float, start: Float
) -> tuple[Float, Float]:
    """Maximise `loss . a - a K a / 2`, `a >= 0`, `sum of a over group g <= penalty`, g >= 0.

    A primal active-set method in the manner of Lawson & Hanson's non-negative least squares; each
    group's unused penalty is one more multiplier, of a cut that is zero. Every step solves a system
    over the positive multipliers only, so a warm start costs a few small factorisations. Cuts are
    scaled to length one: a sign constraint of length one beside cuts of length 1e5 would else be
    lost in what keeps the system regular. One that is zero but for rounding is not: its loss would
    come to be the largest by far, and every other margin small beside it.

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
    """
    n, n_groups = loss.size, int(group.max(initial=FREE)) + 1
    total, shared = n + n_groups, group >= 0
    length = np.sqrt(gram.diagonal())
    length = np.where(length > ROUNDING * length.max(initial=0.0), length, 1.0)
    unit = float(np.median(length[shared])) if shared.any() else 1.0
    gram, budget = gram / np.outer(length, length), penalty * unit
    label = np.concatenate([group, np.arange(n_groups)])
    part = np.concatenate([np.where(shared, unit / length, 0.0), np.ones(n_groups)])
    gain = np.concatenate([loss / length, np.zeros(n_groups)])
    used = np.bincount(group[shared], unit * start[shared], n_groups)
    a = np.concatenate([start * length, np.maximum(budget - used, 0.0)])
    free = a > 0
    margin = TOLERANCE * (float(np.abs(gain).max(initial=0.0)) or 1.0)
    for _ in range(20 * total + 100):
        chosen = np.flatnonzero(free)
        target, slack = _on_face(gram, gain, label, part, chosen, budget)
        if np.all(target >= 0.0):
            a[:] = 0.0
            a[chosen] = target
            short = gain - np.where(label >= 0, slack[label] * part, 0.0)
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
        blocked = chosen[falling & (a[chosen] <= 1e-14 * budget)]
        a[blocked] = 0.0
        free[blocked] = False
    return a[:n] / length, np.maximum(slack * unit, 0.0)


def _on_face(
    gram: Float, gain: Float, label: Int64, part: Float, chosen: Int64, budget: float
) -> tuple[Float, Float]:
    """The optimum with only the `chosen` multipliers, of either sign; and each group's slack.

    Of a group's budget a multiplier takes its `part`; those after the cuts' are the groups' own.
    """
    size, n = chosen.size, len(gram)
    n_groups = label.size - n
    system = np.zeros((size + n_groups, size + n_groups))
    real = np.flatnonzero(chosen < n)
    system[np.ix_(real, real)] = gram[np.ix_(chosen[real], chosen[real])]
    system[np.arange(size), np.arange(size)] += RIDGE
    tied = np.flatnonzero(label[chosen] >= 0)
    system[tied, size + label[chosen[tied]]] = part[chosen[tied]]
    system[size + label[chosen[tied]], tied] = part[chosen[tied]]
    answer = np.linalg.solve(system, np.concatenate([gain[chosen], np.full(n_groups, budget)]))
    return answer[:size], answer[size:]


@dataclass
class MarginProgram:
    """Minimise `w.w / 2 + C sum_g slack_g`, `w . direction >= loss - slack_g`; or `w >= 0` too.

    A working set that grows by `add` and is solved again from where it stood.

    Parameters
    ----------
    penalty : float
        C.
    n_groups : int
        Number of slacks: 1, or one per training database.
    nonnegative : bool
        Demand `w >= 0`, as PSL does.
    patience : int
        Cuts whose multiplier was zero in that many solves are dropped.
    """

    n_weights: int
    penalty: float
    n_groups: int = 1
    nonnegative: bool = False
    patience: int = 50

    def __post_init__(self) -> None:
        self.directions, self.gram = np.zeros((0, self.n_weights)), np.zeros((0, 0))
        self.loss, self.multipliers = np.zeros(0), np.zeros(0)
        self.group, self.idle = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.slack, self.weights = np.zeros(self.n_groups), np.zeros(self.n_weights)

    @property
    def n_cuts(self) -> int:
        return self.loss.size

    def add(self, direction: Float, loss: float, group: int = 0) -> None:
        """Add the cut `w . direction >= loss - slack[group]`; one row of inner products."""
        self.directions = np.vstack([self.directions, direction])
        self.gram = np.pad(self.gram, (0, 1))
        self.gram[-1] = self.gram[:, -1] = self.directions @ direction
        self.loss, self.multipliers = np.append(self.loss, loss), np.append(self.multipliers, 0.0)
        self.group, self.idle = np.append(self.group, group), np.append(self.idle, 0)

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
        """What each slack must be at other weights, by the present cuts; shape (n_groups,)."""
        short = self.loss - self.directions @ weights
        needed = np.zeros(self.n_groups)
        shared = self.group != FREE
        np.maximum.at(needed, self.group[shared], short[shared])
        return needed

    @property
    def lower_bound(self) -> float:
        """The dual's value: no weights reach less under all cuts that exist."""
        return float(self.loss @ self.multipliers - self.weights @ self.weights / 2)

    def _solve_once(self) -> None:
        if not self.n_cuts:
            return
        self.multipliers, slack = solve_dual(
            self.gram, self.loss, self.group, self.penalty, self.multipliers
        )
        self.slack[: slack.size] = slack
        active = np.flatnonzero(self.multipliers > 0)
        self.weights = self.multipliers[active] @ self.directions[active]
        self.idle = np.where(self.multipliers > 0, 0, self.idle + 1)

    def _unguarded(self) -> Int64:
        """Negative weights that no sign constraint holds yet."""
        signs = self.directions[self.group == FREE]
        return np.flatnonzero((self.weights < 0.0) & ~signs.any(axis=0))

    def _drop(self) -> None:
        """Forget cuts that have long been idle."""
        keep = np.flatnonzero(self.idle < self.patience)
        if keep.size < self.n_cuts:
            self.directions, self.gram = self.directions[keep], self.gram[np.ix_(keep, keep)]
            self.loss, self.multipliers = self.loss[keep], self.multipliers[keep]
            self.group, self.idle = self.group[keep], self.idle[keep]
