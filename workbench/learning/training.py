"""What every learner does first: check labels, leave out what contradicts, count, start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.errors import UsageError
from workbench.inference.row_source import RowStore
from workbench.inference.solution import Engine
from workbench.learning.flip_counts import FlipCountSource
from workbench.network import potentials
from workbench.network.ground_network import (
    BlockKind,
    Blocks,
    Domain,
    GroundNetwork,
    Relation,
    Templates,
)


@dataclass(frozen=True)
class Example:
    """One training database, grounded.

    Attributes
    ----------
    truth : float64 array, shape (n_atoms,)
        The label of each open atom; NaN where hidden.
    scored : bool array, shape (n_atoms,), or None for all
        Atoms that losses count (hidden predicates inferred jointly are not scored).
    source : RowStore or None
        Where the rows of rules that were not grounded come from, for learners that can do with the
        violated ones.
    counts : FlipCountSource or None
        Counts of all predicates' atoms in the database, for learners that declare to learn from
        them.
    """

    network: GroundNetwork
    truth: Float
    scored: Bool | None = None
    source: RowStore | None = None
    counts: FlipCountSource | None = None

    @property
    def counted(self) -> Bool:
        """The atoms that a loss or a score counts: labelled, and scored; shape (n_atoms,)."""
        labelled = ~np.isnan(self.truth)
        return labelled if self.scored is None else labelled & self.scored


@dataclass(frozen=True)
class TrainingWorld:
    """One example made ready.

    Attributes
    ----------
    network : GroundNetwork
        The example's network without the hard rows that its labels violate.
    labels : float64 array, shape (n_atoms,)
        0, 1 (or between, for PSL), or NaN where hidden.
    violated_hard_rows : int64 array
        Rows of the example's own network that were left out.
    """

    network: GroundNetwork
    labels: Float
    violated_hard_rows: Int64

    @property
    def hidden(self) -> Bool:
        """Atoms without a label, shape (n_atoms,)."""
        return np.isnan(self.labels)

    def complete(self, hidden_values: Float | float = 0.0) -> Float:
        """The labels, hidden atoms filled from `hidden_values` (a state, or one number)."""
        return np.where(self.hidden, hidden_values, self.labels)


@dataclass(frozen=True)
class TrainingSet:
    """All examples made ready, and the templates whose weights are learned."""

    examples: Sequence[Example]
    worlds: tuple[TrainingWorld, ...]
    templates: Templates

    @cached_property
    def learned(self) -> Bool:
        """Templates that are not fixed, shape (n_templates,)."""
        return ~np.asarray(self.templates.fixed, np.bool_)

    @property
    def domain(self) -> Domain:
        """Where the atoms of all worlds live."""
        return self.worlds[0].network.domain if self.worlds else Domain.BOOLEAN

    @property
    def least_weight(self) -> float:
        """0 in soft logic, whose energy must stay convex."""
        return 0.0 if self.domain is Domain.UNIT else -np.inf

    def given_weights(self) -> Float:
        """The templates' own weights; where the program gives none 0, in soft logic 1."""
        return np.nan_to_num(self.templates.weight, nan=1.0 if self.domain is Domain.UNIT else 0.0)

    def projected(self, weights: Float) -> Float:
        """The nearest weights that the domain allows."""
        return np.where(self.learned, np.maximum(weights, self.least_weight), weights)

    def free_slope(self, weights: Float, slope: Float) -> Float:
        """A gradient, 0 for weights that are fixed or that it would push below the least."""
        return np.where(self.learned & ((weights > self.least_weight) | (slope > 0.0)), slope, 0.0)

    def notes(self) -> dict[str, object]:
        """What a learner reports of its data: hidden atoms, hard rows that the labels violate."""
        return {
            "hidden_atoms": sum(int(world.hidden.sum()) for world in self.worlds),
            "violated_hard_rows": tuple(world.violated_hard_rows for world in self.worlds),
        }


def prepare(examples: Sequence[Example], templates: Templates) -> TrainingSet:
    """Check the examples and make them ready; labels lie where the network's atoms do.

    Raises E0501 without an example, E0502 where an example does not fit the templates or its labels
    are no truth values, E0503 where no atom is labelled, E0520 for a negative weight in soft logic.
    """
    if not examples:
        raise UsageError.of("E0501", "there is no training database")
    worlds = []
    for example in examples:
        network, truth = example.network, np.asarray(example.truth, np.float64)
        if network.n_templates != templates.n_templates:
            raise UsageError.of(
                "E0502",
                f"a training network has {network.n_templates} templates, the program "
                f"{templates.n_templates}",
                help="ground every training database with the same templates",
            )
        if truth.shape != (network.n_atoms,):
            raise UsageError.of("E0502", f"{truth.size} labels for {network.n_atoms} open atoms")
        known = truth[~np.isnan(truth)]
        if known.size and not (known.min() >= 0.0 and known.max() <= 1.0):
            raise UsageError.of("E0502", "a label lies outside [0, 1]")
        if network.domain is Domain.BOOLEAN and not np.isin(known, (0.0, 1.0)).all():
            raise UsageError.of("E0502", "a label of a Markov logic network is neither 0 nor 1")
        if network.n_atoms and not known.size:
            raise UsageError.of(
                "E0503", "no open atom is labelled", help="load the truth of the query predicates"
            )
        worlds.append(_prepare_world(network, truth))
    training = TrainingSet(examples, tuple(worlds), templates)
    if np.any(training.given_weights() < training.least_weight):
        raise UsageError.of(
            "E0520", "a hinge-loss rule has a negative weight", help="PSL's weights are at least 0"
        )
    return training


def _prepare_world(network: GroundNetwork, labels: Float) -> TrainingWorld:
    """Leave out the hard rows and blocks that the labels contradict in any case."""
    hard = np.flatnonzero(network.relation != Relation.HINGE)
    least = condition(network.take_rows(hard), labels)
    b = np.asarray(least.b, np.float64)
    lowest = b + least.A.minimum(0).sum(axis=1)
    highest = b + least.A.maximum(0).sum(axis=1)
    tolerance = 1e-6  # a truth value that was solved for keeps its hard rows to this much
    violated = lowest > tolerance
    violated |= (least.relation == Relation.EQUAL) & (highest < -tolerance)
    rows = hard[violated]
    stays = np.ones(network.n_rows if rows.size else 0, np.bool_)
    stays[rows] = False
    kept = network.take_rows(np.flatnonzero(stays)) if rows.size else network
    if network.blocks.n_blocks:
        true_members = network.blocks.members @ np.nan_to_num(labels, nan=0.0)
        hidden_members = network.blocks.members @ np.isnan(labels).astype(np.float64)
        empty = (network.blocks.kind == BlockKind.EXACTLY_ONE) & (
            true_members + hidden_members < network.blocks.right - tolerance
        )
        fits = ~empty & (true_members <= network.blocks.right + tolerance)
        blocks = Blocks(
            network.blocks.members[fits], network.blocks.kind[fits], network.blocks.right[fits]
        )
        kept = replace(kept, blocks=blocks)
    return TrainingWorld(kept, labels, rows)


def hidden_among_labelled(network: GroundNetwork, labels: Float) -> bool:
    """Whether some row or block joins an atom without a label to one with a label.

    Where none does, what is likely of the labelled atoms depends on no hidden one.
    """
    hidden = np.isnan(labels)
    if not hidden.any():
        return False
    for matrix in (network.A, network.blocks.members):
        entries = (np.ones(matrix.nnz, np.int32), matrix.indices, matrix.indptr)
        among = csr_array(entries, shape=matrix.shape) @ hidden.astype(np.int32)
        if ((among > 0) & (among < np.diff(matrix.indptr))).any():
            return True
    return False


def condition(network: GroundNetwork, values: Float) -> GroundNetwork:
    """The network with the atoms that `values` knows folded in; NaN atoms stay open.

    Atom ids stay the same: known atoms simply occur in no row any more. Energies of completed
    states are unchanged.
    """
    open_atoms = np.isnan(values)
    known = np.where(open_atoms, 0.0, values)
    if open_atoms.all():
        return network
    members = network.blocks.members
    right = (
        network.blocks.right - (members @ known).astype(np.int8)
        if network.blocks.n_blocks
        else network.blocks.right
    )
    return replace(
        network,
        A=_kept(network.A, open_atoms, 1),
        b=network.b + network.A @ known,
        unit=_kept(network.unit, open_atoms, 0),
        constant=network.constant - network.unit.T @ known,
        blocks=replace(
            network.blocks, members=_kept(members, open_atoms, 1), right=np.asarray(right, np.int8)
        ),
    )


def hidden_part(world: TrainingWorld) -> GroundNetwork:
    """What the labels leave open: the world's network given them, without rows that they decide."""
    network = condition(world.network, world.labels)
    satisfied = network.b + network.A.maximum(0).sum(axis=1) <= 0.0
    whole = np.diff(network.A.indptr) == 0
    soft = network.relation == Relation.HINGE
    decided = network.take_rows(np.flatnonzero(whole & soft))
    stays = np.where(soft, ~satisfied & ~whole, ~satisfied | (network.relation == Relation.EQUAL))
    by_evidence = potentials(decided, np.zeros(network.n_atoms))
    return replace(network.take_rows(np.flatnonzero(stays)), constant=by_evidence)


def _kept(matrix: csr_array, keep: Bool, axis: int) -> csr_array:
    """`matrix` with the entries outside the kept rows (axis 0) or columns removed, shape kept."""
    coo = matrix.tocoo()
    entries = keep[coo.coords[axis]]
    row, column = (one[entries] for one in coo.coords)
    return csr_array((coo.data[entries], (row, column)), shape=matrix.shape)


def named_engine(engine: Engine | str | None) -> Engine | None:
    """A MAP engine that was given as itself or by name."""
    from workbench.inference import make_engine

    return make_engine(engine, "map") if isinstance(engine, str) else engine


def default_map_engine() -> Engine:
    """MaxWalkSAT with its own defaults."""
    from workbench.inference import make_engine

    return make_engine("maxwalksat", "map")
