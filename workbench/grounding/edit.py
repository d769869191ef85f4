"""A ground network brought up to date where changed facts decide alone: other rows stay put."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.grounding.carried_rows import (
    CarriedPart,
    CarriedRows,
    changed_rows,
    edited,
    with_added,
)
from workbench.grounding.differences import Difference, Side
from workbench.grounding.edited_rows import EditedNetwork, EditedRows, carried
from workbench.grounding.splice import Splice
from workbench.network.ground_network import GroundNetwork, Templates


def edit(
    network: GroundNetwork, templates: Templates, rows: EditedRows, difference: Difference | None
) -> Splice:
    """The network with the rows that came, without those that went, all else as it was.

    Cost: that of the rows over the atoms of the difference, and a byte for each row and atom.
    """
    if difference is None:
        none = rows.taken(np.zeros(0, np.int64))
        return _splice(network, templates, rows, (none, none), csr_array(network.unit.shape))
    came, went = (_carried(one) for one in (difference.came, difference.went))
    over = np.zeros(network.n_atoms, np.bool_)
    over[came.rows.A.indices] = over[went.rows.A.indices] = True
    near = rows.inside(over)
    near = near[np.isin(rows.taken(near).rule, list(difference.rules))]
    going = rows.taken(near)
    coming = edited(going, came.rows, went.rows)
    old, new, added, removed = changed_rows(going, coming)
    going, coming = going.taken(old), coming.taken(new)
    now, units = rows.edited(near[old], coming), came.units
    if went.units.nnz:
        units = csr_array(units - went.units)
    renewed = EditedNetwork.of(
        now, unit=with_added(network.unit, units), **difference.sums(network)
    )
    joined = _splice(renewed, templates, now, (coming, going), units)
    return replace(joined, added=added, removed=removed)


def _splice(
    network: GroundNetwork,
    templates: Templates,
    rows: EditedRows,
    changed: tuple[CarriedRows, CarriedRows],
    units: csr_array,
) -> Splice:
    """What came and what went of the rows, and how the units changed."""
    came, went = map(rows.as_network, changed)
    return Splice(
        network,
        templates,
        rows,
        touched=np.zeros(network.n_atoms, np.bool_),
        came=replace(came, unit=units),
        went=replace(went, unit=csr_array(units.shape)),
        only=(changed[0].rule, changed[1].rule),
    )


def _carried(side: Side) -> CarriedPart:
    return CarriedPart(carried(side.network, side.rule), side.network.unit)
