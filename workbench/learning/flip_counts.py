"""What one atom's value changes in the counts, all others fixed: what a pseudo-likelihood needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array, vstack

from workbench.arrays import Bool, Float, Int64, Integer
from workbench.mapped import ROWS_AT_ONCE, release
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.network.runs import row_runs
from workbench.row_keys import equal_rows, row_keys


@dataclass(frozen=True)
class FlipCounts:
    """A conditional model over groups of options: a plain atom is a group of one (true) or none.

    The score of an option is `features @ weights`, that of none is 0.

    Attributes
    ----------
    features : csr_array, float64, shape (n_options, n_templates)
        Satisfied count with the option true minus that with the whole group false, all other atoms
        as labelled.
    group : int64 array, shape (n_options,)
        The group of each option, ascending.
    none_allowed : bool array, shape (n_groups,)
        Whether the whole group may be false.
    true : float64 array, shape (n_options,)
        How often (by weight) this option is the label.
    none : float64 array, shape (n_groups,)
        How often the label is none.
    """

    features: csr_array
    group: Int64
    none_allowed: Bool
    true: Float
    none: Float

    @property
    def n_groups(self) -> int:
        return int(self.none.size)

    def log_likelihood(self, weights: Float) -> tuple[float, Float]:
        """The pseudo-log-likelihood and its gradient. One product with `features` each."""
        score, log_partition, probability = self.conditionals(weights)
        count = self.times
        value = self.true @ score - count @ log_partition
        expected = count[self.group] * probability
        return float(value), np.asarray(self.features.T @ (self.true - expected))

    def conditionals(self, weights: Float) -> tuple[Float, Float, Float]:
        """Score and probability of each option, and between them the groups' log partitions."""
        score = np.asarray(self.features @ weights)
        highest = np.where(self.none_allowed, 0.0, -np.inf)
        np.maximum.at(highest, self.group, score)
        raised = np.exp(score - highest[self.group])
        partition = np.bincount(self.group, raised, self.n_groups)
        partition += np.where(self.none_allowed, np.exp(-highest), 0.0)
        return score, np.log(partition) + highest, raised / partition[self.group]

    @property
    def times(self) -> Float:
        """How often each group counts."""
        return self.none + np.bincount(self.group, self.true, self.n_groups)


class FlipCountSource(Protocol):
    """Where generative counts come from: the database, one `FlipCounts` a predicate.

    The workspace fills it: for each predicate, that predicate's atoms are open and all others
    evidence.
    """

    def flip_counts(self) -> Sequence[FlipCounts]:
        """The counts of all predicates' atoms over all worlds, the templates as columns."""
        ...


def flip_counts(
    network: GroundNetwork,
    values: Float,
    *,
    weight: Float | None = None,
    rows_at_once: int = ROWS_AT_ONCE,
) -> FlipCounts:
    """The flip counts of every open atom of a network at a state that breaks no hard row.

    Options that a hard row forbids are left out, and groups with a single option left with them.

    O(nnz of A), and a sort where there are blocks. One pass: what is left is of atoms, not of rows.

    Parameters
    ----------
    values : float64 array, shape (n_atoms,)
        0 or 1.
    weight : float64 array, shape (n_atoms,), or None for all 1
        Importance of each atom's term; 0 leaves it out. A block has the mean weight of its members.
    rows_at_once : int
        Rows whose entries are looked at together; those of a network on disk then leave memory.
    """
    block = _groups(network)
    features, broken = _flip_features(network, values, block, rows_at_once)
    importance = np.ones(network.n_atoms) if weight is None else weight
    n_groups = int(block.max(initial=-1)) + 1
    size = np.bincount(block, minlength=n_groups)
    emphasis = np.bincount(block, importance, n_groups) / np.maximum(size, 1)

    label = values == 1
    labelled_broken = np.bincount(block, np.where(label, broken, 0), n_groups)
    none_allowed = np.ones(n_groups, np.bool_)
    if network.blocks.n_blocks:
        none_allowed[: network.blocks.n_blocks] = network.blocks.kind == BlockKind.AT_MOST_ONE
        none_allowed[: network.blocks.n_blocks] |= network.blocks.right == 0
    none_allowed &= labelled_broken >= 0
    legal = broken <= labelled_broken[block]
    if network.blocks.n_blocks:
        full = np.zeros(n_groups, np.bool_)
        full[: network.blocks.n_blocks] = network.blocks.right == 0
        legal &= ~full[block]
    choices = np.bincount(block, legal, n_groups) + none_allowed
    used = (choices > 1) & (emphasis > 0)
    chosen = np.flatnonzero(legal & used[block])
    chosen = chosen[np.argsort(block[chosen], kind="stable")]
    number = np.cumsum(used) - 1
    any_true = np.bincount(block, label, n_groups) > 0
    return FlipCounts(
        features=features[chosen],
        group=number[block[chosen]],
        none_allowed=none_allowed[used],
        true=np.where(label[chosen], emphasis[block[chosen]], 0.0),
        none=np.where(any_true, 0.0, emphasis)[used],
    )


def _groups(network: GroundNetwork) -> Int64:
    """The group of each atom: its block's number, else a number of its own after the blocks'."""
    group = np.full(network.n_atoms, -1, np.int64)
    members = network.blocks.members.tocoo()
    group[members.coords[1]] = members.coords[0]
    free = group < 0
    group[free] = network.blocks.n_blocks + np.arange(np.count_nonzero(free))
    return group


def _flip_features(
    network: GroundNetwork, values: Float, group: Int64, rows_at_once: int
) -> tuple[csr_array, Float]:
    """Per atom: change of the satisfied counts, and of the number of broken hard rows,
    from its group false to it.
    """
    features, broken = network.unit, np.zeros(network.n_atoms)
    for _, run in row_runs(network, rows_at_once):
        of_rows, change = _features_of_rows(run, values, group)
        features, broken = features + of_rows, broken + change
        release(run.A.data, run.A.indices, run.A.indptr, run.b, run.template, run.relation)
    return csr_array(features), broken


def _features_of_rows(
    network: GroundNetwork, values: Float, group: Int64
) -> tuple[csr_array, Float]:
    """The same by the rows of a run alone."""
    entries = network.A.tocoo()
    row, atom = entries.coords
    coefficient = entries.data.astype(np.float64)
    ell = np.asarray(network.b, np.float64) + network.A @ values
    contribution = coefficient * values[atom]
    blocked = group[atom] < network.blocks.n_blocks
    if blocked.any():
        key = row[blocked].astype(np.int64) * network.blocks.n_blocks + group[atom[blocked]]
        inverse = np.unique(key, return_inverse=True)[1].ravel()
        contribution[blocked] = np.bincount(inverse, contribution[blocked])[inverse]
    base = ell[row] - contribution
    template = network.template[row]
    soft = template >= 0

    power = network.power[np.maximum(template, 0)]
    gain = np.maximum(base, 0.0) ** power - np.maximum(base + coefficient, 0.0) ** power
    if network.scale is not None:
        gain *= network.scale[row]
    kept = soft & (gain != 0)
    shape = (network.n_atoms, network.n_templates)
    features = csr_array((gain[kept], (atom[kept], template[kept])), shape=shape)

    tolerance = 1e-9
    equal = network.relation[row] == Relation.EQUAL
    before = (base > tolerance) | (equal & (base < -tolerance))
    after = (base + coefficient > tolerance) | (equal & (base + coefficient < -tolerance))
    change = (after.astype(np.float64) - before)[~soft]
    return features, _sums(atom[~soft], change, network.n_atoms)


def _sums(index: Integer, values: Float, n: int) -> Float:
    """Sum of `values` by `index`, float even where there is none (bincount then has integers)."""
    return np.bincount(index, values, n).astype(np.float64)


def together(parts: Sequence[FlipCounts]) -> FlipCounts:
    """Several worlds' or predicates' counts as one."""
    offsets = np.cumsum([0, *(part.n_groups for part in parts)])
    return FlipCounts(
        features=csr_array(vstack([part.features for part in parts], format="csr")),
        group=np.concatenate([part.group + offset for part, offset in zip(parts, offsets)]),
        none_allowed=np.concatenate([part.none_allowed for part in parts]),
        true=np.concatenate([part.true for part in parts]),
        none=np.concatenate([part.none for part in parts]),
    )


def compressed(counts: FlipCounts) -> FlipCounts:
    """The same likelihood with plain atoms of equal features merged into one group."""
    size = np.bincount(counts.group, minlength=counts.n_groups)
    plain = (size == 1) & counts.none_allowed
    merge = plain[counts.group]
    rows = csr_array(counts.features[merge])
    rows.sum_duplicates()
    first, kind = np.unique(_first_equals(rows), return_inverse=True)
    merged = FlipCounts(
        features=csr_array(rows[first]),
        group=np.arange(first.size),
        none_allowed=np.ones(first.size, np.bool_),
        true=_sums(kind, counts.true[merge], first.size),
        none=_sums(kind, counts.none[counts.group[merge]], first.size),
    )
    if merge.all():
        return merged
    number = np.cumsum(~plain) - 1
    rest = FlipCounts(
        features=csr_array(counts.features[~merge]),
        group=number[counts.group[~merge]],
        none_allowed=counts.none_allowed[~plain],
        true=counts.true[~merge],
        none=counts.none[~plain],
    )
    return together([merged, rest])


def _first_equals(rows: csr_array) -> Int64:
    """For each row the number of the first that equals it."""
    n, filled = rows.shape[0], np.flatnonzero(np.diff(rows.indptr))
    ends, nothing = np.append(rows.indptr[filled], rows.indptr[-1]), np.zeros(filled.size)
    keys = row_keys(ends, rows.indices, rows.data, nothing, nothing)
    first = np.full(n, np.argmin(np.diff(rows.indptr)) if n else 0)
    first[filled] = filled[equal_rows(keys)]
    return first
