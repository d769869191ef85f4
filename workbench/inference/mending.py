"""A state that breaks no hard row of a growing network, nor of those left out, found by search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.arrays import Bool, Float
from workbench.inference.growing import Growing
from workbench.inference.lp import local_search
from workbench.inference.row_source import RowSource
from workbench.network.components import connected
from workbench.network.energy import hard_violations
from workbench.network.ground_network import GroundNetwork
from workbench.network.part import part
from workbench.progress import Conduct

ROUNDS = 20
"""Searches before the state is given up that the rounds of an engine ended with."""


def mend(growing: Growing, source: RowSource, conduct: Conduct) -> None:
    """Make the best state a legal one: MaxWalkSAT over the components that break hard rows, as long
    as the conduct allows; then those components nearly empty.

    A state that cannot be mended so is left as it was.
    """
    state = growing.best
    assert state is not None
    for _ in range(ROUNDS):
        network = growing.partial
        broken = hard_violations(network, state) > 0
        if not broken.any() and _keeps(growing, source, state):
            growing.best = state
            return
        if conduct.over:
            break
        state = _searched(growing, state, replace(conduct, deadline=conduct.share(1 / 4)))
    for _ in range(ROUNDS):
        state = _lowered(growing.partial, state)
        if hard_violations(growing.partial, state).any():
            return
        if _keeps(growing, source, state):
            growing.best = state
            return


def _keeps(growing: Growing, source: RowSource, state: Float) -> bool:
    """Whether a state keeps all rows left out; what it violates is added."""
    rows = source.violated(state)
    growing.extend(rows)
    return not rows.n


def _searched(growing: Growing, state: Float, conduct: Conduct) -> Float:
    network = growing.partial
    piece = part(network, _around_broken(network, state))
    found = local_search(piece.problem, growing.weights, state[piece.variables], conduct)
    return piece.lift(found, state)


def _lowered(network: GroundNetwork, state: Float) -> Float:
    """The state, as near to all false as can be in components that break hard rows."""
    return np.where(_around_broken(network, state), nearly_empty(network), state)


def nearly_empty(network: GroundNetwork) -> Float:
    """All atoms false but those that hard rows of one atom want true."""
    single = np.flatnonzero((np.diff(network.A.indptr) == 1) & network.hard & (network.b != 0))
    state = np.zeros(network.n_atoms)
    state[network.A.indices[network.A.indptr[single]]] = 1.0
    return state


def _around_broken(network: GroundNetwork, state: Float) -> Bool:
    """The atoms of components that break hard rows."""
    of_atom = connected(network.n_atoms, network.A, network.blocks.members)
    broken = np.flatnonzero(hard_violations(network, state) > 0)
    touched = np.zeros(network.n_atoms, np.bool_)
    touched[of_atom[network.A[broken].indices]] = True
    around: Bool = touched[of_atom]
    return around
