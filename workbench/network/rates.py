"""How often a rule's head is true where its body is, and elsewhere, as the data say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int64, Integer
from workbench.network.energy import row_values
from workbench.network.ground_network import GroundNetwork
from workbench.network.runs import row_runs


@dataclass(frozen=True)
class Rates:
    """Rates of atoms that a rule speaks of, by whether its other literals leave the matter to them.

    Attributes
    ----------
    support : int
        Labelled atoms for which some ground rule's body is true.
    rate : float
        Share of true ones among them; NaN without any.
    others : int
        Labelled atoms of the same predicates for which no ground rule's body is.
    body_rate : float
        Share of the rule's open groundings whose body is true.
    """

    support: int
    rate: float
    others: int
    rate_of_others: float
    body_rate: float


def observed_rates(
    network: GroundNetwork, truth: Float, templates: Sequence[int], among: Bool, *, head: int
) -> Rates:
    """The rates of the rule behind some templates at the labels.

    An atom is left to a ground clause where all its other literals are false: for `body => head`,
    where the body is true. Atoms of the rule's own predicates for which that never happens are the
    others.

    With `ell = b + A y`, the potential of a clause is 1 when all literals are false, so literal `a`
    decides alone where `ell - A_a y_a + max(A_a, 0) = 1`. O(nonzeros of the templates' rows).

    Parameters
    ----------
    truth : float64 array, shape (n_atoms,)
        NaN where an atom has no label; ground clauses with such an atom beside the head are passed
        over.
    among : bool array, shape (n_atoms,)
        Atoms that may be others: those of the predicates that the rule's head may have.
    head : {1, -1, 0}
        Take positive literals alone for heads, as in an implication, or negated ones, as where
        that ends in a negation; 0 where every literal is one in its turn.
    """
    heads, with_body, groundings = np.zeros(network.n_atoms, bool), 0, 0
    for _, run in row_runs(network):
        own = run.take_rows(np.isin(run.template, np.asarray(templates, run.template.dtype)))
        of_row, atoms = _decided(own, truth, head)
        heads[atoms] = True
        with_body += np.unique(of_row).size
        groundings += own.n_rows
    units = network.unit[:, list(templates)].tocoo()
    decided = units.data * head > 0 if head else units.data != 0
    heads[units.row[decided]] = True
    with_body += int(decided.sum())
    groundings += units.nnz
    labelled = ~np.isnan(truth)
    inside, outside = heads & labelled, among & labelled & ~heads
    return Rates(
        int(inside.sum()),
        _mean(truth[inside]),
        int(outside.sum()),
        _mean(truth[outside]),
        with_body / groundings if groundings else float("nan"),
    )


def _decided(network: GroundNetwork, truth: Float, head: int) -> tuple[Int64, Integer]:
    """The rows whose other literals leave the matter to an atom, and that atom."""
    of_row = np.repeat(np.arange(network.n_rows), np.diff(network.A.indptr))
    signs, atoms = network.A.data.astype(np.float64), network.A.indices
    known = np.where(np.isnan(truth), 0.0, truth)
    ell = row_values(network, known)
    alone = np.isclose(ell[of_row] - signs * known[atoms] + np.maximum(signs, 0.0), 1.0)
    # A clause is passed over for a head where another of its atoms has no label.
    unlabelled = np.bincount(of_row, np.isnan(truth)[atoms], network.n_rows)
    alone &= unlabelled[of_row] == np.isnan(truth)[atoms]
    if head:
        alone &= signs * head < 0
    return of_row[alone], atoms[alone]


def _mean(values: Float) -> float:
    return float(values.mean()) if values.size else float("nan")
