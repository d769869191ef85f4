"""Adding rows to a ground network: how lazy grounding makes it grow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, vstack

from workbench.arrays import Int64
from workbench.network.ground_network import GroundNetwork, Rows

__all__ = ["extend", "joined", "take"]


def extend(network: GroundNetwork, rows: Rows) -> GroundNetwork:
    """The network with the rows after its own, so that row numbers stay; its counts of open groundings follow.

    Rows are taken as given: whoever grounds them sees to it that none is there already and that one-atom groundings
    which belong in `unit` are not among them. Linear in the size of the result.
    """
    if not rows.n:
        return network
    scale = network.scale
    if scale is not None or rows.scale is not None:
        old = np.ones(network.n_rows) if scale is None else scale
        scale = np.concatenate((old, np.ones(rows.n) if rows.scale is None else rows.scale))
    soft = rows.template[rows.template >= 0]
    groundings = network.groundings.copy()
    groundings[:, 0] += np.bincount(soft, minlength=network.n_templates)
    return replace(
        network,
        A=csr_array(vstack((network.A, rows.A), format="csr")),
        b=np.concatenate((network.b, rows.b)),
        template=np.concatenate((network.template, rows.template.astype(np.int32))),
        relation=np.concatenate((network.relation, rows.relation.astype(np.int8))),
        scale=scale,
        groundings=groundings,
    )


def take(rows: Rows, chosen: Int64) -> Rows:
    """Some of the rows, by their numbers."""
    return Rows(
        A=rows.A[chosen],
        b=rows.b[chosen],
        template=rows.template[chosen],
        relation=rows.relation[chosen],
        scale=None if rows.scale is None else rows.scale[chosen],
    )


def joined(first: Rows, second: Rows) -> Rows:
    """All rows of both."""
    scales = [np.ones(rows.n) if rows.scale is None else rows.scale for rows in (first, second)]
    return Rows(
        A=csr_array(vstack((first.A, second.A), format="csr")),
        b=np.concatenate((first.b, second.b)),
        template=np.concatenate((first.template, second.template)),
        relation=np.concatenate((first.relation, second.relation)),
        scale=None if first.scale is None and second.scale is None else np.concatenate(scales),
    )
