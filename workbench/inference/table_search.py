"""Branch and bound over the values of one component's variables, by messages between its tables."""

from __future__ import annotations

import math

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.inference.cost_tables import cost_tables
from workbench.inference.elimination_order import Variables
from workbench.inference.message_kernels import (
    Messages,
    cost_of,
    decode,
    descend,
    most_doubtful,
    sweep,
)
from workbench.network.layout import Layout
from workbench.progress import Conduct

PASSES = 5
"""Sweeps there and back at a node, at most."""
LITTLE = 0.02
"""The share of what is missing to the best state below which sweeps at a node gain too little."""


class TableSearch:
    """A component's messages, the best state found, and what every state costs at least.

    Parameters
    ----------
    layout : Layout
        Forced atoms are fixed in it.
    names : Variables
        The component's.
    conduct : Conduct
        Every step raises `Cancelled` when it says so, and leaves what was found.

    Attributes
    ----------
    state : int64 array, shape (n_variables,)
        The value of each variable in the best state.
    cost, bound : float
        What that state costs, infinite where none is known, and what every state costs at least.
    """

    def __init__(self, layout: Layout, names: Variables, conduct: Conduct) -> None:
        self._names, self._conduct = names, conduct
        self._tables, self._costs = cost_tables(layout, names, conduct.look)
        _, value, entry = self._costs
        least = np.minimum.reduceat(entry, self._tables.entry_ptr[:-1]) if entry.size else entry
        self._root = Messages(value.copy(), entry.copy(), least)
        largest = max(choice.size for choice in names.choices)
        self._room, self._other_room = np.zeros(largest), np.zeros(largest)
        self.bound = self._least_of_all(self._root)
        self.cost, self.state = math.inf, np.zeros(len(names.choices), np.int64)

    @property
    def entries(self) -> int:
        """Entries of all tables."""
        return self._costs.entry.size

    @property
    def gap(self) -> float:
        """By how much a better state might be cheaper."""
        return max(self.cost - self.bound, 0.0)

    @property
    def is_infeasible(self) -> bool:
        """Whether every state is ruled out."""
        return self.bound == self.cost == math.inf

    def relax(self, tolerance: float) -> None:
        """Pass messages until two sweeps gain less than this share of the bound."""
        gained, rounds = math.inf, 0
        while gained > tolerance * max(1.0, abs(self.bound)):
            self._conduct.look()
            before = self.bound
            self._set_bound(self._there_and_back(self._root, self.bound))
            gained = self.bound - before if self.bound < self.cost else 0.0
            if rounds % 10 == 0 or gained <= tolerance * max(1.0, abs(self.bound)):
                self._decode(self._root, both=True)
            rounds += 1

    def read(self, values: Float) -> None:
        """Take the state of these atoms where it is better than the best."""
        self._keep_better(np.array([_chosen(one, values) for one in self._names.choices]))

    def write(self, values: Float) -> None:
        """Set the component's atoms to the best state."""
        for choice, value in zip(self._names.choices, self.state.tolist(), strict=True):
            values[choice[choice >= 0]] = 0.0
            if choice[value] >= 0:
                values[choice[value]] = 1.0

    def search(self, most: int | None) -> int:
        """Branch, depth first, to a proof or the `most`-th node; how many there were."""
        waiting = [(np.isinf(self._root.value), self.bound)]
        nodes, here = 0, math.inf
        try:
            while waiting and nodes != most:
                ruled_out, here = waiting.pop()
                messages = self._without(ruled_out)
                while here < self._ceiling and nodes != most:
                    self._conduct.look()
                    nodes += 1
                    here = self._visit(messages, here)
                    if here < self._ceiling:
                        here = self._branch(messages, here, waiting)
        finally:
            left = min((bound for _, bound in waiting), default=math.inf)
            self._set_bound(max(self.bound, min(left, here)))
        return nodes

    @property
    def _ceiling(self) -> float:
        """What a state that is worth finding costs less than."""
        return self.cost - 1e-9 * (1.0 + abs(self.cost)) if self.cost < math.inf else math.inf

    def _set_bound(self, bound: float) -> None:
        """Of states that cost no less than the best, infinite stands for its cost."""
        self.bound = self.cost if bound >= self._ceiling else bound

    def _visit(self, messages: Messages, bound: float) -> float:
        """Pass messages at a node while they gain, and try the state that they say; its bound."""
        for _ in range(PASSES):
            before = bound
            bound = self._there_and_back(messages, bound)
            if bound >= self._ceiling or bound - before < LITTLE * (self._ceiling - bound):
                break
        if bound < self._ceiling:
            self._decode(messages)
        return bound

    def _branch(self, messages: Messages, bound: float, waiting: list[tuple[Bool, float]]) -> float:
        """Choose a value and go on with it, the others wait; the bound with it, infinite where
        nothing is left to choose.
        """
        tables, value = self._tables, messages.value
        variable, chosen = most_doubtful(tables, messages, self._room, self._other_room)
        if variable < 0:
            return math.inf
        own = value[tables.value_ptr[variable] : tables.value_ptr[variable + 1]]
        others = np.isinf(value)
        others[tables.value_ptr[variable] + chosen] = True
        waiting.append((others, bound))
        before, kept = own.min(), own[chosen]
        own[:] = np.inf
        own[chosen] = kept
        return float(bound + kept - before)

    def _without(self, ruled_out: Bool) -> Messages:
        """The root's messages without some values."""
        value, entry, least = self._root
        return Messages(np.where(ruled_out, np.inf, value), entry.copy(), least.copy())

    def _there_and_back(self, messages: Messages, bound: float) -> float:
        bound = self._least_of_all(messages)
        for forward in (True, False):
            if bound < math.inf:
                bound = sweep(forward, self._tables, messages, bound, self._ceiling, self._room)
        return bound

    def _least_of_all(self, messages: Messages) -> float:
        """The sum of what is least of each variable and table."""
        own = np.minimum.reduceat(messages.value, self._tables.value_ptr[:-1])
        return float(self._costs.constant + own.sum() + messages.least.sum())

    def _decode(self, messages: Messages, *, both: bool = False) -> None:
        """Keep the states that messages say, each improved value by value, if they are better."""
        for forward in (True, False) if both else (True,):
            state = np.zeros_like(self.state)
            decode(forward, self._tables, messages, state, self._room)
            self._keep_better(state)

    def _keep_better(self, state: Int64) -> None:
        _, value, entry = self._costs
        descend(self._tables, value, entry, state, self._room)
        cost = self._costs.constant + cost_of(self._tables, value, entry, state)
        if cost < self.cost or self.cost == math.inf:
            self.cost, self.state = cost, state


def _chosen(choice: Int64, values: Float) -> int:
    """Which of a variable's values a state of the atoms has; the first where it has none."""
    is_true = np.where(choice >= 0, values[np.maximum(choice, 0)] >= 0.5, False)
    if is_true.any():
        return int(np.argmax(is_true))
    return int(np.argmin(choice)) if choice.min(initial=0) < 0 else 0
