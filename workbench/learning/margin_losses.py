"""Losses of max-margin training, in the network, so that any MAP engine is a separation oracle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, hstack

from workbench.arrays import Bool, Float
from workbench.inference.row_source import RowSource
from workbench.network.energy import energy_offset, potentials
from workbench.network.ground_network import GroundNetwork, Relation, Rows
from workbench.network.growth import extend, with_template

LossKind = Literal["hamming", "0/1", "f1"]


@dataclass(frozen=True)
class MarginWorld:
    """A training database whose least energy is the most violated margin.

    Hamming and 0/1: `energy(network, [weights, 1], y) = energy of y at weights - loss(y)`, the loss
    being one more template of weight 1. F1: two more templates, which count the true and the false
    positives.

    Attributes
    ----------
    network : GroundNetwork
        With the loss as its last template or two.
    truth : float64 array, shape (n_atoms,)
        0 or 1, hidden atoms completed.
    scored : bool array, shape (n_atoms,)
        Atoms that the loss counts.
    row_potentials : float64 array, shape (n_templates,)
        Summed potentials of the rows at `truth`, without units and loss.
    truth_potentials : float64 array, shape (n_templates of the network,)
        Summed potentials of all groundings and the loss at `truth`.
    kind : {'hamming', '0/1', 'f1'}
    source : RowSource or None
        Rows left out of the network until a state violates them, with none that the truth violates.
    """

    network: GroundNetwork
    truth: Float
    scored: Bool
    row_potentials: Float
    truth_potentials: Float
    kind: LossKind
    source: RowSource | None = None

    @property
    def n_weights(self) -> int:
        """Templates without those of the loss."""
        return self.network.n_templates - (2 if self.kind == "f1" else 1)

    def loss(self, values: Float) -> float:
        """A state's loss; of a fractional one linearly extended (0/1: at most 1; F1: of counts)."""
        if self.kind == "f1":
            positive = self.scored & (self.truth == 1.0)
            marked = float(values[self.scored].sum()) + np.count_nonzero(positive)
            return 1.0 - 2.0 * float(values[positive].sum()) / marked if marked else 0.0
        distance = float(np.abs(values - self.truth)[self.scored].sum())
        return distance if self.kind == "hamming" else min(1.0, distance)

    def truth_energy(self, augmented: Float) -> float:
        """The reported energy of the truth at weights with those of the loss."""
        return float(augmented @ self.truth_potentials) + energy_offset(self.network, augmented)

    def sum_rows(self, by_row: Float) -> Float:
        """Potentials by row, shape (n_rows,), scaled and summed by template, the loss left out."""
        return _sum_rows(self.network, by_row, self.n_weights)


def hamming_world(network: GroundNetwork, truth: Float, scored: Bool) -> MarginWorld:
    """Hamming loss, the number of wrong scored atoms: slope 1 where the truth is 0, else -1.

    At a truth inside (0, 1) this is the least concave function above the absolute error, and equal
    to it at 0 and 1.
    """
    towards = np.where(scored, 1.0 - 2.0 * truth, 0.0)
    return _world(
        with_template(network, towards, -float(truth[scored].sum())), truth, scored, "hamming"
    )


def with_sides(world: MarginWorld, side: Float) -> GroundNetwork:
    """The world's network with the loss the linear `side * (y - truth)`, nowhere above it.

    Parameters
    ----------
    side : float64 array, shape (n_atoms,)
        -1 or 1 where the loss counts, else 0.
    """
    network = world.network
    bare = replace(network, unit=network.unit[:, :-1])
    last = with_template(bare, side, -float(side @ world.truth)).unit[:, -1:]
    constant = np.append(network.constant[:-1], -float(side @ world.truth))
    return replace(
        network, unit=csr_array(hstack([bare.unit, last], format="csr")), constant=constant
    )


def zero_one_world(network: GroundNetwork, truth: Float, scored: Bool) -> MarginWorld:
    """0/1 loss: a constant, so separation is plain MAP; see `exclude_truth`."""
    return _world(with_template(network, np.zeros(truth.size), -1.0), truth, scored, "0/1")


def f1_world(network: GroundNetwork, truth: Float, scored: Bool) -> MarginWorld:
    """The loss 1 - F1 over the scored atoms: a function of two linear counts."""
    for counted in (scored & (truth == 1.0), scored & (truth == 0.0)):
        network = with_template(network, counted.astype(np.float64), 0.0)
    return _world(network, truth, scored, "f1")


def _world(network: GroundNetwork, truth: Float, scored: Bool, kind: LossKind) -> MarginWorld:
    bare = MarginWorld(network, truth, scored, np.zeros(0), potentials(network, truth), kind)
    return replace(
        bare, row_potentials=bare.sum_rows(np.maximum(network.A @ truth + network.b, 0.0))
    )


def _sum_rows(network: GroundNetwork, by_row: Float, n: int) -> Float:
    soft = np.flatnonzero(network.template >= 0)
    template = network.template[soft]
    by_row = by_row[soft] ** network.power[template]
    if network.scale is not None:
        by_row = by_row * network.scale[soft]
    return np.bincount(template, by_row, n).astype(np.float64)


def exclude_truth(world: MarginWorld) -> MarginWorld:
    """The world with one hard clause more: some scored atom differs from the truth."""
    network, atoms = world.network, np.flatnonzero(world.scored)
    slope = np.where(world.truth[atoms] == 1.0, 1, -1).astype(network.A.dtype)
    row = csr_array((slope, atoms, [0, atoms.size]), shape=(1, network.n_atoms))
    b = np.array([1.0 - np.count_nonzero(slope > 0)])
    differs = Rows(row, b, np.array([-1], np.int32), np.array([Relation.AT_MOST], np.int8))
    return replace(world, network=extend(network, differs))
