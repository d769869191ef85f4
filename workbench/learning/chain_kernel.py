"""The inner loop of the learners' Gibbs chain, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.network.compiled import compiled

__all__ = ["Graph", "sweep"]


class Graph(NamedTuple):
    """A network by atom, as flat arrays.

    `row_ptr`, `row`, `entry` are the columns of A; `weight` is a row's weight times scale; `hard` its `Relation`;
    `unit_ptr`, `unit_template`, `unit_entry` are the rows of `unit`, `unit_score` their weighted sums.
    """

    row_ptr: Int64
    row: Int32
    entry: Float
    weight: Float
    scale: Float
    power: Int64
    hard: Int64
    template: Int32
    unit_ptr: Int64
    unit_template: Int32
    unit_entry: Float
    unit_score: Float
    plain: Int32
    block_ptr: Int64
    block_atom: Int32
    block_kind: Int64


@compiled
def _energy_change(graph: Graph, ell: Float, atom: int, change: float) -> tuple[float, int]:
    """Change of the soft energy and of the number of broken hard rows when the atom's value moves by `change`."""
    soft = 0.0
    broken = 0
    for k in range(graph.row_ptr[atom], graph.row_ptr[atom + 1]):
        row = graph.row[k]
        before = ell[row]
        after = before + change * graph.entry[k]
        if graph.hard[row] == 0:
            first = max(before, 0.0)
            second = max(after, 0.0)
            if graph.power[row] == 2:
                first *= first
                second *= second
            soft += graph.weight[row] * (second - first)
        else:
            was = before > 1e-9 or (graph.hard[row] == 2 and before < -1e-9)
            now = after > 1e-9 or (graph.hard[row] == 2 and after < -1e-9)
            broken += int(now) - int(was)
    return soft, broken


@compiled
def _move(graph: Graph, ell: Float, counts: Float, state: Float, atom: int, change: float) -> None:
    """Move the atom's value, keeping `ell` and the summed potentials `counts` up to date."""
    state[atom] += change
    for k in range(graph.row_ptr[atom], graph.row_ptr[atom + 1]):
        row = graph.row[k]
        before = max(ell[row], 0.0)
        ell[row] += change * graph.entry[k]
        if graph.hard[row] == 0:
            after = max(ell[row], 0.0)
            if graph.power[row] == 2:
                before *= before
                after *= after
            counts[graph.template[row]] += graph.scale[row] * (after - before)
    for k in range(graph.unit_ptr[atom], graph.unit_ptr[atom + 1]):
        counts[graph.unit_template[k]] -= change * graph.unit_entry[k]


@compiled
def sweep(graph: Graph, state: Float, ell: Float, counts: Float, probability: Float, uniforms: Float) -> None:
    """One pass over the plain atoms, then the blocks; adds each atom's conditional probability to `probability`.

    `uniforms` holds one number for each plain atom and block. Broken hard rows weigh infinitely more than soft ones.
    """
    for position in range(graph.plain.size):
        atom = graph.plain[position]
        now = state[atom]
        change = 1.0 - 2.0 * now
        soft, broken = _energy_change(graph, ell, atom, change)
        soft -= change * graph.unit_score[atom]
        if broken > 0:
            move = 0.0
        elif broken < 0:
            move = 1.0
        elif soft > 0:
            move = np.exp(-soft) / (1.0 + np.exp(-soft))
        else:
            move = 1.0 / (1.0 + np.exp(soft))
        probability[atom] += move if now == 0.0 else 1.0 - move
        if uniforms[position] < move:
            _move(graph, ell, counts, state, atom, change)
    for block in range(graph.block_kind.size):
        start, stop = graph.block_ptr[block], graph.block_ptr[block + 1]
        size = stop - start
        for k in range(start, stop):
            if state[graph.block_atom[k]] == 1.0:
                _move(graph, ell, counts, state, graph.block_atom[k], -1.0)
        score = np.empty(size + 1)
        damage = np.zeros(size + 1, np.int64)
        for k in range(size):
            atom = graph.block_atom[start + k]
            soft, damage[k] = _energy_change(graph, ell, atom, 1.0)
            score[k] = graph.unit_score[atom] - soft
        score[size] = 0.0
        options = size + 1 if graph.block_kind[block] == 1 else size
        if options == 0:
            continue
        least = damage[:options].min()
        highest = -np.inf
        for k in range(options):
            if damage[k] == least:
                highest = max(highest, score[k])
        total = 0.0
        for k in range(options):
            score[k] = np.exp(score[k] - highest) if damage[k] == least else 0.0
            total += score[k]
        point = uniforms[graph.plain.size + block] * total
        chosen = -1
        for k in range(options):
            if k < size:
                probability[graph.block_atom[start + k]] += score[k] / total
            if score[k] > 0.0 and (point >= 0.0 or chosen < 0):
                chosen = k
            point -= score[k]
            if point < 0.0:
                point = -np.inf
        if chosen < size:
            _move(graph, ell, counts, state, graph.block_atom[start + chosen], 1.0)
