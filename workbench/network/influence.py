"""How much an answer about one atom would move what is predicted of it and of its neighbours."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.ground_network import GroundNetwork

LEAST = 1e-6
HARD = 20.0
"""Log-odds that stand for a hard row, which has no weight."""
AT_ONCE = 1 << 18
"""Rows of so many entries of the asked atoms' columns are looked at together."""


def conditional_probability(network: GroundNetwork, weights: Float, values: Float) -> Float:
    """Of each atom that it is true where all others are as in a 0/1 state; shape (n_atoms,)."""
    owner = np.repeat(np.arange(network.n_rows), np.diff(network.A.indptr))
    coefficient = network.A.data.astype(np.float64)
    at_state = network.b.astype(np.float64) + network.A @ values
    at_false = at_state[owner] - coefficient * values[network.A.indices]
    rise = np.maximum(at_false + coefficient, 0.0) - np.maximum(at_false, 0.0)
    odds = np.bincount(
        network.A.indices, -_weights(network, weights)[owner] * rise, minlength=network.n_atoms
    )
    return np.asarray(1 / (1 + np.exp(-np.clip(odds + network.unit @ weights, -HARD, HARD))))


def expected_change(
    network: GroundNetwork, weights: Float, probability: Float, atoms: Int64
) -> Float:
    """The change of all probabilities, summed, expected of being told whether an atom is true.

    Of the atom itself that is `2 p (1 - p)`; of a neighbour, one that shares ground clauses with
    it, twice the size of their covariance. The two atoms' joint distribution is the one of their
    probabilities and the odds ratio that the clauses give them (Plackett 1965), the other atoms of
    a clause taken as independent. Where clauses join two atoms each and no cycle of them closes,
    that is exact for every neighbour; what goes further than one step is not counted.

    Cost: the entries of the rows that each atom is in.

    Parameters
    ----------
    network : GroundNetwork
        Of Markov logic.
    weights : float64 array, shape (n_templates,)
    probability : float64 array, shape (n_atoms,)
    atoms : int64 array, shape (n,)

    Returns
    -------
    float64 array, shape (n,)
    """
    p = np.clip(probability, LEAST, 1 - LEAST)
    change = 2 * p[atoms] * (1 - p[atoms])
    effective, columns = _weights(network, weights), csc_array(network.A)
    rows = np.cumsum(np.diff(columns.indptr)[atoms])
    for part in np.split(np.arange(atoms.size), np.flatnonzero(np.diff(rows // AT_ONCE)) + 1):
        asked = atoms[part]
        place, other, coupling = _couplings(network, columns[:, asked], effective, p, asked)
        one, two = p[asked[place]], p[other]
        together = _joint(one, two, np.exp(-np.clip(coupling, -HARD, HARD)))
        size = np.abs(together - one * two)
        change[part] += 2 * np.bincount(place, size, minlength=part.size)
    return change


def _weights(network: GroundNetwork, weights: Float) -> Float:
    return np.where(network.hard, HARD, network.effective_weights(weights))


def _couplings(
    network: GroundNetwork, columns: csc_array, effective: Float, p: Float, asked: Int64
) -> tuple[Int64, Int64, Float]:
    """The atoms that share clauses with each asked one, whose columns are given: its place, the
    other atom, and the energy of both being true beyond that of each.
    """
    place = np.repeat(np.arange(asked.size), np.diff(columns.indptr))
    clausal = network.clausal[columns.indices]
    place, rows = place[clausal], columns.indices[clausal].astype(np.int64)
    part = network.A[rows]
    owner = np.repeat(np.arange(rows.size), np.diff(part.indptr))
    sign, member = part.data.astype(np.float64), part.indices.astype(np.int64)
    violated = np.log(np.where(sign > 0, p[member], 1 - p[member]))
    own: Bool = member == asked[place[owner]]
    of_atom, sign_of_atom = np.zeros(rows.size), np.zeros(rows.size)
    of_atom[owner[own]], sign_of_atom[owner[own]] = violated[own], sign[own]
    rest = np.exp(
        np.bincount(owner, violated, minlength=rows.size)[owner] - of_atom[owner] - violated
    )
    energy = effective[rows][owner] * sign * sign_of_atom[owner] * rest
    pair = (place[owner] * network.n_atoms + member)[~own]
    pairs, at = np.unique(pair, return_inverse=True)
    coupling = np.bincount(at, energy[~own], minlength=pairs.size)
    return pairs // network.n_atoms, pairs % network.n_atoms, np.asarray(coupling, np.float64)


def _joint(one: Float, other: Float, ratio: Float) -> Float:
    """The probability that both are true, of two with their probabilities and odds ratio."""
    near = np.abs(ratio - 1) < 1e-9
    gap = np.where(near, 1.0, ratio - 1)
    total = 1 + (one + other) * gap
    root = np.sqrt(np.maximum(total**2 - 4 * ratio * gap * one * other, 0.0))
    return np.where(near, one * other, (total - root) / (2 * gap))
