"""How much an answer about one atom would move what is predicted of it and of its neighbours."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.ground_network import GroundNetwork

LEAST = 1e-6
HARD = 20.0
"""Log-odds that stand for a hard row, which has no weight."""


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
    rows_of, effective, clausal = csc_array(network.A), _weights(network, weights), network.clausal
    for place, atom in enumerate(atoms.tolist()):
        rows = rows_of.indices[rows_of.indptr[atom] : rows_of.indptr[atom + 1]].astype(np.int64)
        others, coupling = _couplings(network, rows[clausal[rows]], effective, p, atom)
        together = _joint(p[atom], p[others], np.exp(-np.clip(coupling, -HARD, HARD)))
        change[place] += 2 * np.abs(together - p[atom] * p[others]).sum()
    return change


def _weights(network: GroundNetwork, weights: Float) -> Float:
    return np.where(network.hard, HARD, network.effective_weights(weights))


def _couplings(
    network: GroundNetwork, rows: Int64, effective: Float, p: Float, atom: int
) -> tuple[Int64, Float]:
    """The atoms that share rows with one, and the energy of both being true beyond that of each."""
    part = network.A[rows]
    owner = np.repeat(np.arange(rows.size), np.diff(part.indptr))
    sign, member = part.data.astype(np.float64), part.indices.astype(np.int64)
    violated = np.log(np.where(sign > 0, p[member], 1 - p[member]))
    own: Bool = member == atom
    of_atom, sign_of_atom = np.zeros(rows.size), np.zeros(rows.size)
    of_atom[owner[own]], sign_of_atom[owner[own]] = violated[own], sign[own]
    rest = np.exp(
        np.bincount(owner, violated, minlength=rows.size)[owner] - of_atom[owner] - violated
    )
    energy = effective[rows][owner] * sign * sign_of_atom[owner] * rest
    others, place = np.unique(member[~own], return_inverse=True)
    return others, np.asarray(np.bincount(place, energy[~own], minlength=others.size), np.float64)


def _joint(one: float, other: Float, ratio: Float) -> Float:
    """The probability that both are true, of two with their probabilities and odds ratio."""
    near = np.abs(ratio - 1) < 1e-9
    gap = np.where(near, 1.0, ratio - 1)
    total = 1 + (one + other) * gap
    root = np.sqrt(np.maximum(total**2 - 4 * ratio * gap * one * other, 0.0))
    return np.where(near, one * other, (total - root) / (2 * gap))
