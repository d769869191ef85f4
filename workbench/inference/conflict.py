"""A small set of hard rows that no state satisfies together."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, vstack

from workbench.arrays import Float, Int64
from workbench.inference.elsewhere import AT_ONCE, Stopped, elsewhere
from workbench.inference.propagation import propagate
from workbench.network.components import components
from workbench.network.ground_network import BlockKind, Domain, GroundNetwork, Relation
from workbench.network.layout import lay_out
from workbench.progress import PLAIN, Conduct, expired, remaining

PROVEN_INFEASIBLE = 2
"""SciPy's status of a program without a point."""


def smallest_conflict(
    network: GroundNetwork, *, among: Int64 | None = None, conduct: Conduct = PLAIN
) -> Int64 | None:
    """Rows of an irreducible infeasible set of hard rows, or None where they are consistent.

    Of 0/1 atoms, what hard rows force one after the other names rows in linear time. Where that
    clashes nowhere an elastic linear program (least sum of violations) names rows whose duals prove
    that no state in [0, 1] meets them; where it names none, states of 0 and 1 are looked at by
    component. Rows then leave in halves and one by one as long as the rest stays infeasible (a
    deletion filter), each test a small integer or linear program.

    Parameters
    ----------
    among : int64 array, optional
        Rows that are known to clash, to search among instead of all.
    conduct : Conduct
        After its deadline no further row leaves: what is left clashes, but perhaps not all of it.
        On a cancel `among` is all that is known.

    Returns
    -------
    int64 array or None
        Row indices, ascending. Blocks stay in force throughout and are not listed; where they clash
        alone there is no row.
    """
    forced = _forced(network) if among is None else None
    if forced is not None:
        fewer = smallest_conflict(network, among=forced, conduct=conduct)
        return forced if fewer is None else fewer
    rows = np.flatnonzero(network.hard) if among is None else among
    if int(np.diff(network.A.indptr)[rows].sum()) <= AT_ONCE:
        return _search(network, among, conduct.deadline)
    try:
        return elsewhere(conduct, _search, network, among, conduct.deadline)
    except Stopped:
        return among


def _forced(network: GroundNetwork) -> Int64 | None:
    """Rows that propagation finds to clash, with the blocks; None where it finds none."""
    if network.domain is Domain.UNIT:
        return None
    return propagate(lay_out(network, np.zeros(network.n_templates)), network).conflict


def _search(network: GroundNetwork, among: Int64 | None, deadline: float | None) -> Int64 | None:
    named = None
    if among is None:
        among = np.flatnonzero(network.hard)
        named = _proven(network, among, deadline)
        if named is None and network.domain is Domain.UNIT:
            return None
    hard = among if named is None else named
    hard = hard[np.diff(network.A.indptr)[hard] > 0]
    label = (
        components(network).of_atom[network.A.indices[network.A.indptr[hard]]]
        if hard.size
        else hard
    )
    for part in np.unique(label):
        rows = hard[label == part]
        if not _consistent(network, rows, deadline):
            return np.sort(_filtered(network, rows, deadline))
    return named


def _proven(network: GroundNetwork, rows: Int64, deadline: float | None) -> Int64 | None:
    """Rows that a linear program proves no state keeps, and all blocks; None without a proof."""
    from scipy.optimize import linprog

    m, n = rows.size, network.n_atoms
    if not m + n:
        return None
    A, b = network.A[rows].astype(np.float64), network.b[rows].astype(np.float64)
    slack = eye_array(m, format="csr")
    equal = network.relation[rows] == Relation.EQUAL
    blocks = network.blocks
    members = csr_array(
        hstack([blocks.members.astype(np.float64), csr_array((blocks.n_blocks, m))], format="csr")
    )
    exact = blocks.kind == BlockKind.EXACTLY_ONE
    at_most = [hstack([A, -slack]), hstack([-A[equal], -slack[equal]]), members[~exact]]
    violation: Float = np.concatenate([np.zeros(n), np.ones(m)])
    right: Float = np.concatenate([-b, b[equal], blocks.right[~exact]])
    answer = linprog(
        violation,
        A_ub=vstack(at_most, format="csr"),
        b_ub=right,
        A_eq=members[exact],
        b_eq=blocks.right[exact].astype(np.float64),
        bounds=[(0.0, 1.0)] * n + [(0.0, None)] * m,
        method="highs",
        options={} if deadline is None else {"time_limit": max(remaining(deadline), 0.01)},
    )
    if answer.status == PROVEN_INFEASIBLE:
        return np.zeros(0, np.int64)
    if answer.status != 0 or not float(answer.fun or 0.0) > 1e-7:
        return None
    marginals: Float = np.asarray(answer.ineqlin.marginals)
    duals = marginals[:m].copy()
    duals[equal] -= marginals[m : m + np.count_nonzero(equal)]
    return rows[np.abs(duals) > 1e-9].astype(np.int64)


def _filtered(network: GroundNetwork, rows: Int64, deadline: float | None) -> Int64:
    size = max(1, rows.size // 2)
    while not expired(deadline):
        start = 0
        while start < rows.size and rows.size > 1:
            rest = np.concatenate([rows[:start], rows[start + size :]])
            if rest.size and not _consistent(network, rest, deadline):
                rows = rest
            else:
                start += size
        if size == 1:
            return rows
        size = max(1, min(size // 2, rows.size // 2))
    return rows


def _consistent(network: GroundNetwork, rows: Int64, deadline: float | None) -> bool:
    """Whether no clash of the rows is proven in the time left."""
    from scipy.optimize import LinearConstraint, milp

    atoms = np.unique(network.A[rows].indices)
    members = network.blocks.members
    touched = (
        np.unique(members[:, atoms].tocoo().coords[0])
        if network.blocks.n_blocks
        else np.zeros(0, np.int64)
    )
    matrix = (
        csr_array(vstack([network.A[rows], members[touched]])) if touched.size else network.A[rows]
    )
    atoms = np.unique(matrix.indices)
    right = network.blocks.right[touched].astype(np.float64)
    upper = np.concatenate([-network.b[rows].astype(np.float64), right])
    equal = network.relation[rows] == Relation.EQUAL
    exactly = network.blocks.kind[touched] == BlockKind.EXACTLY_ONE
    lower = np.where(np.concatenate([equal, exactly]), upper, -np.inf)
    result = milp(
        np.zeros(atoms.size),
        integrality=np.full(atoms.size, int(network.domain is Domain.BOOLEAN)),
        bounds=(0, 1),  # type: ignore[arg-type]
        constraints=LinearConstraint(matrix[:, atoms].astype(np.float64), lower, upper),
        options={} if deadline is None else {"time_limit": max(remaining(deadline), 0.01)},
    )
    return bool(result.status != PROVEN_INFEASIBLE)
