"""The ground network: every ground clause and every ground hinge as a row of one sparse matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

import numpy as np
from scipy.sparse import coo_array, csr_array

from workbench.arrays import Array, Bool, Float, Int8, Int32


class Domain(StrEnum):
    """The values that atoms take: 0 or 1 in Markov logic, all of [0, 1] in soft logic."""

    BOOLEAN = "boolean"
    UNIT = "unit"


class Relation(IntEnum):
    """What a row means: a soft potential, or a constraint `ell <= 0` or `ell = 0`."""

    HINGE = 0
    AT_MOST = 1
    EQUAL = 2


class BlockKind(IntEnum):
    """How many atoms of a block are true."""

    EXACTLY_ONE = 0
    AT_MOST_ONE = 1


# Numba takes integers for constants, not members of an enumeration.
HINGE, AT_MOST, EQUAL = (int(relation) for relation in Relation)
EXACTLY_ONE, AT_MOST_ONE = (int(kind) for kind in BlockKind)


@dataclass(frozen=True)
class Blocks:
    """Mutually exclusive atoms (`!` and `?` arguments of a predicate's declaration).

    Attributes
    ----------
    members : csr_array, int8, shape (n_blocks, n_atoms)
        1 where the atom belongs to the block; only open atoms are members.
    kind : int8 array, shape (n_blocks,)
        A `BlockKind` each.
    right : int8 array, shape (n_blocks,)
        How many members may still be true: 1, or 0 where a known atom already took the place.
    """

    members: csr_array
    kind: Int8
    right: Int8

    @classmethod
    def none(cls, n_atoms: int) -> Blocks:
        """No block over `n_atoms` atoms."""
        return cls(
            csr_array(np.zeros((0, n_atoms), np.int8)), np.zeros(0, np.int8), np.zeros(0, np.int8)
        )

    @property
    def n_blocks(self) -> int:
        return int(self.kind.size)


@dataclass(frozen=True)
class Templates:
    """The weights' side of a program, shared by all its worlds and folds; one entry a template.

    Attributes
    ----------
    weight : float64 array, shape (n_templates,)
        Initial weight; NaN where the program gives none.
    fixed : bool array, shape (n_templates,)
        Never learned.
    rule, clause : int32 arrays, shape (n_templates,)
        The rule of the program and the clause of that rule.
    share : float64 array, shape (n_templates,)
        The template's weight as a part of its formula's: 1 where they are the same, negative where
        clausal form turned the formula round.
    label : tuple of str
        The clause in logic syntax, `+` variables replaced by their constants.
    formula : tuple of str
        The formula that the clause is of, as its author wrote it, `+` variables replaced by their
        constants; empty where that says something else than the clauses that have a template. None
        at all where it is not known.
    """

    weight: Float
    fixed: Bool
    rule: Int32
    clause: Int32
    share: Float
    label: tuple[str, ...]
    formula: tuple[str, ...] = ()

    @property
    def n_templates(self) -> int:
        return int(self.weight.size)


@dataclass(frozen=True)
class GroundNetwork:
    """Open ground atoms and the rows over them: `ell(y) = b + A y`.

    A soft row costs `weights[template] * scale * max(0, ell) ** power`; a hard row demands `ell <=
    0` or `ell = 0`. For a clause, `A` is -1 on positive and +1 on negated literals, and `b` is 1
    minus the number of negated ones.

    Weights are an argument of everything and no part of the network: reweighting needs no
    regrounding.

    Attributes
    ----------
    A : csr_array, int8 or float64, shape (n_rows, n_atoms)
        Sorted indices, no explicit zeros, no duplicates.
    b : int8/int32 or float64 array, shape (n_rows,)
    template : int32 array, shape (n_rows,)
        Index of the weight each row is tied to, in runs; -1 for hard rows.
    scale : float64 array, shape (n_rows,), or None for all 1
        Multiplicity x share x weight from data; any sign.
    relation : int8 array, shape (n_rows,)
        A `Relation` each.
    power : int8 array, shape (n_templates,)
        1 (linear) or 2 (squared), by template.
    unit : csr_array, float64, shape (n_atoms, n_templates)
        Soft groundings with one open atom whose potential is affine on [0, 1]: the change of the
        satisfied count when the atom goes from 0 to 1, times scale.
    constant : float64 array, shape (n_templates,)
        Summed potential of the unit groundings at y = 0.
    groundings : float64 array, shape (n_templates, 3)
        Open, satisfied by evidence alone, violated by evidence alone; a rule can have more of them
        than int64 holds.
    world : int32 array, shape (n_atoms,)
        The database each atom belongs to; rows never join worlds.
    unit_scale : float64 array, shape (n_templates, 2)
        Summed scale of the unit groundings: of those of positive scale, and of those of negative
        scale (absolute).
    evidence_satisfied, evidence_violated : float64 arrays, shape (n_templates, 2)
        The same two sums over the soft groundings that evidence alone satisfies or violates (for
        PSL, scale times potential of the violated ones). They enter `evidence_energy` only.
    domain : Domain
        The values that atoms take: decided where the network is made, by the language of its
        program.
    """

    A: csr_array
    b: Array
    template: Int32
    scale: Float | None
    relation: Int8
    power: Int8
    unit: csr_array
    constant: Float
    groundings: Float
    blocks: Blocks
    world: Int32
    unit_scale: Float
    evidence_satisfied: Float
    evidence_violated: Float
    domain: Domain

    @property
    def n_rows(self) -> int:
        return int(self.A.shape[0])

    @property
    def n_atoms(self) -> int:
        return int(self.A.shape[1])

    @property
    def n_templates(self) -> int:
        return int(self.power.size)

    @property
    def hard(self) -> Bool:
        """Whether each row is hard, shape (n_rows,)."""
        return np.asarray(self.relation != Relation.HINGE)

    @property
    def clausal(self) -> Bool:
        """Whether rows are clauses: entries of +-1, `b` one minus the negated; (n_rows,)."""
        return np.asarray(clauses(self.A, self.b) & (self.relation != Relation.EQUAL))

    @property
    def scales(self) -> Float:
        """`scale` written out, shape (n_rows,)."""
        return np.ones(self.n_rows) if self.scale is None else self.scale

    def take_rows(self, rows: Array) -> GroundNetwork:
        """The network with these rows alone, in this order; atoms, units and blocks stay."""
        return replace(
            self,
            A=self.A[rows],
            b=self.b[rows],
            template=self.template[rows],
            scale=None if self.scale is None else self.scale[rows],
            relation=self.relation[rows],
        )

    def effective_weights(self, weights: Float) -> Float:
        """`weights[template] * scale` by row, 0 on hard rows; shape (n_rows,)."""
        if not self.n_templates:
            return np.zeros(self.n_rows)
        soft = np.where(self.template >= 0, weights[np.maximum(self.template, 0)], 0.0)
        return soft if self.scale is None else soft * self.scale

    def total_weight(self, weights: Float) -> float:
        """Summed absolute effective weights: what energies are rounded at."""
        return float(np.abs(self.effective_weights(weights)).sum())


def clauses(A: csr_array, b: Array) -> Bool:
    """Whether each row `b + A y` has entries of +-1 and `b` 1 - the number of positive ones."""
    n = A.shape[0]
    owner = np.repeat(np.arange(n), np.diff(A.indptr))
    odd = np.bincount(owner, np.abs(A.data) != 1, n)
    return np.asarray((odd == 0) & (b == 1.0 - np.bincount(owner, A.data > 0, n)))


@dataclass(frozen=True)
class Rows:
    """Rows to add to a network: the columns of a `GroundNetwork` of the same names.

    Attributes
    ----------
    A : csr_array, shape (n, n_atoms)
    b : array, shape (n,)
    template : int32 array, shape (n,)
    relation : int8 array, shape (n,)
    scale : float64 array, shape (n,), or None for all 1
    """

    A: csr_array
    b: Array
    template: Int32
    relation: Int8
    scale: Float | None = None

    @property
    def n(self) -> int:
        return int(self.A.shape[0])


def unit_changes(came: GroundNetwork, went: GroundNetwork) -> coo_array:
    """By how much unit groundings are others, by atom and template."""
    if not went.unit.nnz:  # a difference is one more pass over all atoms
        return came.unit.tocoo()
    return csr_array(came.unit - went.unit).tocoo()
