"""Adding rows, as lazy grounding does, and templates to a ground network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, hstack, vstack

from workbench.arrays import Float, Int64
from workbench.network.ground_network import GroundNetwork, Rows


def extend(network: GroundNetwork, rows: Rows) -> GroundNetwork:
    """The network with rows after its own, which keep their numbers; counts follow.

    Rows are taken as given: whoever grounds them sees to it that none is there already and that
    one-atom groundings which belong in `unit` are not among them. Linear in the size of the result.
    """
    if not rows.n:
        return network
    scale = network.scale
    if scale is not None or rows.scale is not None:
        scale = np.concatenate(
            (network.scales, np.ones(rows.n) if rows.scale is None else rows.scale)
        )
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


def with_template(
    network: GroundNetwork,
    change: Float,
    constant: float,
    unit_scale: tuple[float, float] = (0.0, 0.0),
) -> GroundNetwork:
    """The network with a template more, of units: its satisfied count is `change . y - constant`.

    Parameters
    ----------
    change : float64 array, shape (n_atoms,)
    """
    atoms = np.flatnonzero(change)
    column = csr_array(
        (change[atoms], (atoms, np.zeros(atoms.size, np.int64))), shape=(change.size, 1)
    )
    return replace(
        network,
        power=np.append(network.power, np.int8(1)),
        unit=csr_array(hstack([network.unit, column], format="csr")),
        constant=np.append(network.constant, constant),
        groundings=np.vstack([network.groundings, np.zeros((1, 3))]),
        unit_scale=np.vstack([network.unit_scale, unit_scale]),
        evidence_satisfied=np.vstack([network.evidence_satisfied, np.zeros((1, 2))]),
        evidence_violated=np.vstack([network.evidence_violated, np.zeros((1, 2))]),
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


def stacked(first: Rows, second: Rows) -> Rows:
    """All rows of both."""
    scales = [np.ones(rows.n) if rows.scale is None else rows.scale for rows in (first, second)]
    return Rows(
        A=csr_array(vstack((first.A, second.A), format="csr")),
        b=np.concatenate((first.b, second.b)),
        template=np.concatenate((first.template, second.template)),
        relation=np.concatenate((first.relation, second.relation)),
        scale=None if first.scale is None and second.scale is None else np.concatenate(scales),
    )
