"""Why an atom has its value: what each of its ground rows adds, given the rest of a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.ground_network import Domain, GroundNetwork, Relation


@dataclass(frozen=True)
class AtomExplanation:
    """One atom's rows and unit groundings, an entry each, and what each contributes.

    Attributes
    ----------
    row : int64 array, shape (n,)
        The row; -1 for the summed unit groundings of a template.
    template : int64 array, shape (n,)
        -1 for hard rows.
    contribution : float64 array, shape (n,)
        Boolean: energy with the atom false less energy with it true, infinite where a hard row
        forbids one of them. On [0, 1]: the downhill slope, positive where raising the atom lowers
        the energy.
    distance : float64 array, shape (n,)
        Distance to satisfaction of the row at the state; 0 for unit groundings.
    log_odds : float
        Sum of the contributions.
    value : float
        The atom's own, at the state or in the mean.
    """

    row: Int64
    template: Int64
    contribution: Float
    distance: Float
    log_odds: float
    value: float


def explain_atom(
    network: GroundNetwork, weights: Float, values: Float, atom: int
) -> AtomExplanation:
    """The conditional of one atom given all others at `values`, taken apart.

    For a state of 0 and 1 the contributions sum to the conditional log-odds of the atom (blocks
    aside). On [0, 1] they are the weighted pressures up (positive) and down (negative), zero in sum
    at an interior optimum.

    One pass over the matrix to find the atom's rows: O(nnz).

    Parameters
    ----------
    values : float64 array, shape (n_atoms,)
    """
    column = csc_array(network.A[:, [atom]])
    rows = column.indices.astype(np.int64)
    coefficients = column.data.astype(np.float64)
    at_state = network.b[rows].astype(np.float64) + network.A[rows] @ values
    template = network.template[rows].astype(np.int64)
    effective = network.take_rows(rows).effective_weights(weights)
    hard = network.relation[rows] != Relation.HINGE
    power = np.where(
        template >= 0, network.power[np.maximum(template, 0)] if network.n_templates else 1, 1
    )
    distance = np.maximum(at_state, 0.0)
    equal = network.relation[rows] == Relation.EQUAL
    distance[equal] = np.abs(at_state[equal])
    if network.domain is Domain.BOOLEAN:
        at_false = at_state - coefficients * values[atom]
        contribution = effective * (
            np.maximum(at_false, 0.0) ** power - np.maximum(at_false + coefficients, 0.0) ** power
        )
        contribution[hard] = _forbidden(at_false[hard], coefficients[hard], equal[hard])
    else:
        contribution = -effective * power * distance ** (power - 1) * (at_state > 0) * coefficients
        contribution[hard] = 0.0
    start, stop = network.unit.indptr[atom], network.unit.indptr[atom + 1]
    unit_template = network.unit.indices[start:stop].astype(np.int64)
    unit_contribution = network.unit.data[start:stop] * weights[unit_template]
    contributions = np.concatenate([contribution, unit_contribution])
    with np.errstate(invalid="ignore"):
        total = float(contributions.sum())
    return AtomExplanation(
        np.concatenate([rows, np.full(unit_template.size, -1, np.int64)]),
        np.concatenate([np.where(hard, -1, template), unit_template]),
        contributions,
        np.concatenate([distance, np.zeros(unit_template.size)]),
        total,
        float(values[atom]),
    )


def mean_explanation(
    network: GroundNetwork, weights: Float, states: Sequence[Float], atom: int
) -> tuple[AtomExplanation, int]:
    """The mean of `explain_atom` over states of 0 and 1, and over how many.

    States in which a hard row decides the atom, where its log-odds are infinite, are left out; the
    first stands where none other is left.
    """
    single = [explain_atom(network, weights, state, atom) for state in states]
    open_ones = [each for each in single if np.isfinite(each.contribution).all()] or single[:1]
    value = float(np.mean([each.value for each in open_ones]))
    contribution = np.mean([each.contribution for each in open_ones], axis=0)
    distance = np.mean([each.distance for each in open_ones], axis=0)
    log_odds = float(np.mean([each.log_odds for each in open_ones]))
    mean = replace(
        open_ones[0], contribution=contribution, distance=distance, log_odds=log_odds, value=value
    )
    return mean, len(open_ones)


def _forbidden(at_false: Float, coefficients: Float, equal: Bool) -> Float:
    """What hard rows contribute: infinite where just one value of the atom violates the row."""
    at_true = at_false + coefficients
    tolerance = 1e-9
    false_bad = np.where(equal, np.abs(at_false) > tolerance, at_false > tolerance)
    true_bad = np.where(equal, np.abs(at_true) > tolerance, at_true > tolerance)
    return np.where(false_bad & ~true_bad, np.inf, np.where(true_bad & ~false_bad, -np.inf, 0.0))
