"""The partition function of a factor model by elimination in plain NumPy, least degree first."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

import numpy as np

from workbench.interchange import FactorModel


class Buckets:
    """The tables that are left, by number and by variable, and the scale taken out of them."""

    def __init__(self) -> None:
        self.tables: dict[int, tuple[list[int], np.ndarray]] = {}
        self.of: dict[int, set[int]] = {}
        self.log10, self.made = 0.0, 0

    def put(self, scope: list[int], table: np.ndarray) -> None:
        self.log10 += float(np.log10(table.max()))
        self.made += 1
        self.tables[self.made] = (scope, table / table.max())
        for variable in scope:
            self.of[variable].add(self.made)

    def scope(self, variable: int) -> list[int]:
        return sorted({variable}.union(*(self.tables[one][0] for one in self.of[variable])))

    def take(self, variable: int) -> list[tuple[list[int], np.ndarray]]:
        taken = [(one, *self.tables.pop(one)) for one in self.of.pop(variable)]
        for number, scope, _ in taken:
            for other in set(scope) - {variable}:
                self.of[other].discard(number)
        return [(scope, table) for _, scope, table in taken]


def log10_partition(model: FactorModel, known: Mapping[int, int]) -> float:
    """log10 of the sum over all states that agree with the known ones; for narrow models."""
    left, states = Buckets(), model.states.tolist()
    left.of = {variable: set() for variable in range(len(states)) if variable not in known}
    for group in model.groups:
        for scope, logs in zip(group.scopes.tolist(), group.logs):
            table = np.exp(logs[tuple(known.get(variable, slice(None)) for variable in scope)])
            left.put([one for one in scope if one not in known], np.asarray(table))
    waiting = [(len(left.scope(variable)), variable) for variable in left.of]
    heapify(waiting)
    while waiting:
        width, variable = heappop(waiting)
        scope = left.scope(variable)
        if len(scope) > width:
            heappush(waiting, (len(scope), variable))
            continue
        product = np.ones([states[one] for one in scope])
        for own, table in left.take(variable):
            shape = [states[one] if one in own else 1 for one in scope]
            product = product * np.transpose(table, np.argsort(own)).reshape(shape)
        left.put([one for one in scope if one != variable], product.sum(scope.index(variable)))
    return left.log10
