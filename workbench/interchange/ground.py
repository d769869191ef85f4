"""Factors and weighted clauses as ground networks, so that every engine serves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.interchange.factors import FactorGroup, FactorModel
from workbench.interchange.wcnf import WeightedClauses
from workbench.network.build import blocks_from_members, network_from_rows
from workbench.network.ground_network import BlockKind, Blocks, GroundNetwork

SMALL = 64
"""Values of the largest table whose commonest value is looked for."""


@dataclass(frozen=True)
class GroundModel:
    """A model's network; `log p(x)` is `offset` minus the energy of `x`, but for the normalisation.

    Attributes
    ----------
    network : GroundNetwork
        One template, of weight 1; a row's cost is its scale.
    offset : float
        -inf where a factor is 0 everywhere, or a hard clause is empty.
    states : int64 array, shape (n_variables,)
    first : int64 array, shape (n_variables + 1,)
        The first atom of each variable: none for one state, one that is true in state 1 for two,
        one a state for more.
    """

    network: GroundNetwork
    offset: float
    states: Int64
    first: Int64

    @property
    def weights(self) -> Float:
        """The weight of the only template."""
        return np.ones(1)

    def probabilities(self, values: Float) -> list[Float]:
        """The probability of every state of each variable, from those of the atoms."""
        return [
            np.ones(1)
            if size == 0
            else np.array([1.0 - found[0], found[0]])
            if size == 1
            else found
            for size, found in zip(np.diff(self.first).tolist(), np.split(values, self.first[1:-1]))
        ]

    def chosen(self, values: Float) -> Int64:
        """The state of each variable in a state of the atoms."""
        return np.array([int(np.argmax(found)) for found in self.probabilities(values)], np.int64)


def atoms_of_states(states: Int64) -> Int64:
    """The first atom of each variable and the number of atoms: `GroundModel.first`."""
    atoms = np.select([states == 1, states == 2], [0, 1], states)
    return np.concatenate(([0], np.cumsum(atoms))).astype(np.int64)


def ground_factors(model: FactorModel, known: Int64 | None = None) -> GroundModel:
    """One clause for every entry of a table that differs from the table's commonest value.

    The clause says that the variables are not all in that entry's states, and costs what the entry
    is less likely; a clause from a rule of a relational model comes back as one row. Evidence is
    hard rows of one atom.

    Time and memory linear in the entries of all tables.

    Parameters
    ----------
    known : int64 array, shape (n_variables,), optional
        The known state of each variable, -1 where none is.
    """
    first = atoms_of_states(model.states)
    parts = [_entries(group) for group in model.groups]
    offset = sum(part[0] for part in parts)
    rows = _Rows.of(
        [_literals(group, part, model.states, first) for group, part in zip(model.groups, parts)]
    )
    observed = np.flatnonzero(known >= 0) if known is not None else np.zeros(0, np.int64)
    if known is not None:
        rows = rows.with_facts(observed, known[observed], model.states, first)
    members = [
        list(range(first[at], first[at + 1])) for at in np.flatnonzero(model.states > 2).tolist()
    ]
    blocks = blocks_from_members(int(first[-1]), members, BlockKind.EXACTLY_ONE)
    return GroundModel(rows.network(int(first[-1]), blocks), float(offset), model.states, first)


def ground_clauses(clauses: WeightedClauses) -> GroundModel:
    """Weighted clauses as a network; its energy is the violated weight, less `-offset`."""
    length = np.diff(clauses.start)
    # A clause is a set: equal literals merge, and one with both signs of a variable is always
    # satisfied.
    row, literal = np.unique(np.stack([clauses.of_clause, clauses.literals]), axis=1)
    _, times = np.unique(np.stack([row, np.abs(literal)]), axis=1, return_counts=True)
    seen = np.unique(np.stack([row, np.abs(literal)]), axis=1)[0]
    live = (length > 0) & (clauses.weight != 0)
    live[seen[times > 1]] = False
    inside = live[row]
    number = np.cumsum(live) - 1
    rows = _Rows(
        clauses.weight[live], number[row[inside]], np.abs(literal[inside]) - 1, literal[inside] < 0
    )
    offset = -float(clauses.weight[length == 0].sum())
    n_variables = clauses.n_variables
    return GroundModel(
        rows.network(n_variables), offset, np.full(n_variables, 2), np.arange(n_variables + 1)
    )


@dataclass(frozen=True)
class _Rows:
    """Clauses as triples: row `row[i]`, which costs `cost[row[i]]`, has atom `atom[i]`, or not."""

    cost: Float
    row: Int64
    atom: Int64
    negated: Bool

    @classmethod
    def of(cls, parts: list[_Rows]) -> _Rows:
        """Several one after the other."""
        begin = np.concatenate(([0], np.cumsum([part.cost.size for part in parts]))).astype(
            np.int64
        )
        if not parts:
            return cls(
                np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_)
            )
        return cls(
            np.concatenate([part.cost for part in parts]),
            np.concatenate([part.row + at for part, at in zip(parts, begin)]),
            np.concatenate([part.atom for part in parts]),
            np.concatenate([part.negated for part in parts]),
        )

    def with_facts(self, variable: Int64, state: Int64, states: Int64, first: Int64) -> _Rows:
        """With a hard clause of one literal for each known variable of several states."""
        several = states[variable] > 1
        variable, state = variable[several], state[several]
        binary = states[variable] == 2
        facts = _Rows(
            np.full(variable.size, np.inf),
            np.arange(variable.size),
            first[variable] + np.where(binary, 0, state),
            binary & (state == 0),
        )
        return _Rows.of([self, facts])

    def network(self, n_atoms: int, blocks: Blocks | None = None) -> GroundNetwork:
        """Clauses of infinite cost as hard rows, the others as rows of one template, weight 1."""
        size = self.cost.size
        hard = np.isinf(self.cost)
        return network_from_rows(
            csr_array(
                (np.where(self.negated, 1, -1).astype(np.int8), (self.row, self.atom)),
                shape=(size, n_atoms),
            ),
            (1 - np.bincount(self.row[self.negated], minlength=size)).astype(np.int8),
            np.where(hard, -1, 0),
            n_templates=1,
            scale=np.where(hard, 1.0, self.cost),
            blocks=blocks,
        )


def _entries(group: FactorGroup) -> tuple[float, Int64, Int64, Float]:
    """The summed reference values of a group, and where tables differ: factor, entry, cost."""
    n = group.scopes.shape[0]
    logs = group.logs.reshape(n, -1)
    reference = _commonest(logs) if logs.shape[1] <= SMALL else logs.max(axis=1)
    with np.errstate(invalid="ignore"):
        cost = reference[:, None] - logs
    factor, entry = np.nonzero(np.where(np.isnan(cost), 0.0, cost))
    return float(reference.sum()), factor, entry, cost[factor, entry]


def _commonest(logs: Float) -> Float:
    """Each row's commonest value, of equals the largest; 0 only where there is no other."""
    count = (logs[:, :, None] == logs[:, None, :]).sum(axis=2)
    count[np.isneginf(logs)] = 0
    often = count == count.max(axis=1, keepdims=True)
    return np.asarray(np.where(often, logs, -np.inf).max(axis=1))


def _literals(
    group: FactorGroup, found: tuple[float, Int64, Int64, Float], states: Int64, first: Int64
) -> _Rows:
    """The clauses against the entries found: a literal for each variable of several states."""
    _, factor, entry, cost = found
    shape = group.logs.shape[1:]
    state = (
        np.stack(np.unravel_index(entry, shape), axis=1)
        if shape
        else np.zeros((entry.size, 0), np.int64)
    )
    variable = group.scopes[factor]
    binary = states[variable] == 2
    atom = first[variable] + np.where(binary, 0, state)
    row = np.broadcast_to(np.arange(entry.size)[:, None], variable.shape)
    several = states[variable] > 1
    # A clause against an entry negates what holds there: in state 0 of two, what holds is that the
    # atom is false.
    negated = ~binary | (state == 1)
    return _Rows(cost, row[several], atom[several], negated[several])
