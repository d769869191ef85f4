"""Components larger than a core's share: blocks of rows on executors that are brought to agree."""

from __future__ import annotations

from dataclasses import fields
from time import time
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Int64
from workbench.inference import Status
from workbench.inference.consensus import Agreed, BlockAnswer, BlockQuestion, Consensus
from workbench.network import Domain
from workbench.verbs.spark.records import TOLD
from workbench.verbs.spark.tasks import BlockTask, SolveTask

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BLOCKS = "blocks"
"""The engine that an answer of blocks names."""
SMALLEST = 20_000
"""Atoms of a component below which one executor is sooner done."""
ROUNDS = 30
EXACT = 1e-6
"""By how much hard rows are broken by rounding alone."""
TOLERANCE = 1e-3
"""Relative gap at which the blocks agree well enough, and by how much they may break hard rows."""


def blocks_of(least: Int64, cores: int, domain: Domain) -> tuple[Int64, list[int]]:
    """The block of each atom, from 0 on, -1 outside of large components of soft logic; how many
    each of these has.
    """
    block = np.full(least.size, -1)
    roots, sizes = np.unique(least, return_counts=True)
    large = (sizes > max(SMALLEST, least.size / max(cores, 2))) & (domain is Domain.UNIT)
    counts: list[int] = []
    for root in roots[large].tolist():
        atoms = np.flatnonzero(least == root)
        n = max(2, cores)
        block[atoms] = sum(counts) + np.arange(atoms.size) * n // atoms.size
        counts.append(n)
    return block, counts


def agreed(placed: DataFrame, counts: list[int], solver: SolveTask) -> list[dict[str, Any]]:
    """An answer for each large component, whose blocks are parts one after the other.

    Parameters
    ----------
    placed : data frame
        The records of the blocks, with their `part`.
    """
    kept = placed.repartition(sum(counts), "part").sortWithinPartitions("part").persist()
    given = {one.name: getattr(solver, one.name) for one in fields(SolveTask)}

    def run(**asked: Any) -> list[dict[str, Any]]:
        task = BlockTask(**given, **asked)
        few = [str(part) for part in asked.get("asked", ())]
        chosen = kept.where(f"part IN ({', '.join(few)})") if few else kept
        told = chosen.mapInArrow(lambda batches: task.run(batches), TOLD).toArrow().to_pylist()
        return sorted(told, key=lambda one: int(one["part"]))

    try:
        known, answers = run(), []
        for n in counts:
            blocks, known = known[:n], known[n:]
            answers.append(_answer(blocks, run, solver))
        return answers
    finally:
        kept.unpersist()


def _answer(blocks: list[dict[str, Any]], run: Any, solver: SolveTask) -> dict[str, Any]:
    """Rounds over one component's blocks until their gap is small, or time or patience ends."""
    parts = [int(one["part"]) for one in blocks]
    members = [np.array(one["atoms"], np.int64) for one in blocks]
    atoms = np.unique(np.concatenate(members))
    weights = solver.weights[solver.weights > 0]
    consensus = Consensus(
        [np.searchsorted(atoms, own) for own in members],
        atoms.size,
        float(weights.mean()) if weights.size else 1.0,
        TOLERANCE,
    )

    def ask(asked: list[BlockQuestion], penalty: float) -> list[BlockAnswer]:
        told = run(asked=dict(zip(parts, asked)), penalty=penalty)
        return [
            BlockAnswer(np.array(one["values"]), one["bound"], one["energy"], one["hard"])
            for one in told
        ]

    wanted = float(solver.options.get("tolerance") or TOLERANCE)  # type: ignore[arg-type]
    now, late = Agreed(np.zeros(0)), False
    for now in consensus.rounds(ask):
        late = solver.ends is not None and time() >= solver.ends
        done = now.violation <= TOLERANCE and abs(now.gap) <= wanted
        if done or late or now.rounds == ROUNDS:
            status = _status(now, late=late, done=done)
            break
    else:
        status = Status.INFEASIBLE
    return {"part": parts[0], "atoms": atoms} | _told(now, status, blocks)


def _told(now: Agreed, status: Status, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """A common state in the form of a component's answer."""
    return {
        "values": now.values,
        "energy": now.energy,
        "bound": now.bound,
        "hard": now.violation,
        "status": str(status),
        "engine": BLOCKS,
        "reason": f"{len(blocks)} blocks of a large component agreed in {now.rounds} rounds",
        "clash": [],
        "n_rows": sum(one["n_rows"] for one in blocks),
        "n_units": sum(one["n_units"] for one in blocks),
    }


def _status(now: Agreed, *, late: bool, done: bool) -> Status:
    """What the common state counts as: hard rows broken by a little are said, and no proof."""
    if now.violation > TOLERANCE or (late and not done):
        return Status.LIMIT
    return Status.OPTIMAL if done and now.violation <= EXACT else Status.FEASIBLE
