"""A graphical model: variables of a few states each, and factors that multiply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64

MOST_STATES = 2**24
"""States of all variables together that a file may have: a wrong digit must not fill memory."""


@dataclass(frozen=True)
class FactorGroup:
    """Factors over as many variables of as many states.

    Attributes
    ----------
    scopes : int64 array, shape (n, k)
        The variables of each factor.
    logs : float64 array, shape (n, states of the first variable, ..., of the k-th)
        Natural logarithms of the factors' values; -inf where a factor is 0.
    """

    scopes: Int64
    logs: Float


@dataclass(frozen=True)
class FactorModel:
    """`p(x)` proportional to the product of all factors.

    Attributes
    ----------
    states : int64 array, shape (n_variables,)
        How many states each variable has.
    """

    states: Int64
    groups: tuple[FactorGroup, ...]

    def log_value(self, chosen: Int64) -> float:
        """Natural logarithm of the product at one state of every variable, shape (n_variables,)."""
        total = 0.0
        for group in self.groups:
            places = tuple(chosen[group.scopes].T)
            total += float(group.logs[(np.arange(group.scopes.shape[0]), *places)].sum())
        return total
