"""Search for one clause: general-to-specific refinement through the subsets of one example's bottom clause."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int32, Int64, UInt64
from workbench.network.compiled import compiled
from workbench.progress import PLAIN, Conduct
from workbench.structure.covers import CoverCache
from workbench.structure.saturation import BottomClause
from workbench.structure.scores import ClassCounts, least_to_beat, score, upper_bound
from workbench.structure.settings import SearchSettings

__all__ = ["Found", "search_clause"]


@dataclass(frozen=True)
class Found:
    """What the search from one seed gave.

    Attributes
    ----------
    parts : int32 array or None
        Components of the best acceptable clause; None when none beats the seed itself.
    positives, negatives : int
        Covered by it.
    score : float
    length : int
        Literals, the head counted.
    collected : int64 array
        Numbers (of the `CoverCache`) of all clauses kept on the way.
    nodes : int
        Clauses evaluated.
    status : {'exhausted', 'nodes', 'covers all', 'limit', 'cancelled'}
    """

    parts: Int32 | None
    positives: int
    negatives: int
    score: float
    length: int
    collected: Int64
    nodes: int
    status: str


@dataclass
class _Block:
    """Clauses of one length evaluated together: paths into the bottom clause, and where each one's siblings end."""

    paths: Int64
    end: Int64
    alive: Bool
    score: Float
    bound: Float


@compiled
def _children(
    paths: Int64,
    low: Int64,
    high: Int64,
    block_literal: Int64,
    alive: Bool,
    dependents: Int64,
    dependents_start: Int64,
    inputs: Int32,
    outputs: Int32,
    n_head: int,
) -> tuple[Int64, Int64]:
    """Refinements of each node: literals that its last literal feeds, then later siblings (indices, and start)."""
    n_nodes, depth = paths.shape
    start = np.zeros(n_nodes + 1, np.int64)
    total = 0
    for node in range(n_nodes):
        last = paths[node, depth - 1] if depth else -1
        total += dependents_start[last + 2] - dependents_start[last + 1] + high[node] - low[node]
    literals = np.empty(total, np.int64)
    count = 0
    for node in range(n_nodes):
        last = paths[node, depth - 1] if depth else -1
        first, stop = dependents_start[last + 1], dependents_start[last + 2]
        for at in range(first, stop):
            candidate = dependents[at]
            legal = True
            for place in range(depth):
                if paths[node, place] == candidate:
                    legal = False
            for slot in range(inputs.shape[1]):
                variable = inputs[candidate, slot]
                if variable < 0 or not legal:
                    break
                if variable < n_head:
                    continue
                given = False
                for place in range(depth):
                    for out in range(outputs.shape[1]):
                        if outputs[paths[node, place], out] == variable:
                            given = True
                legal = given
            if legal:
                literals[count] = candidate
                count += 1
        for sibling in range(low[node], high[node]):
            if not alive[sibling]:
                continue
            candidate = block_literal[sibling]
            fed = False
            for at in range(first, stop):
                if dependents[at] == candidate:
                    fed = True
                    break
            if not fed:
                literals[count] = candidate
                count += 1
        start[node + 1] = count
    return literals[:count], start


@compiled
def _replay(
    start: Int64,
    parent_bound: Float,
    positives: Int64,
    negatives: Int64,
    scores: Float,
    bounds: Float,
    best: float,
    nodes: int,
    max_nodes: int,
    minpos: int,
    noise: int,
    minacc: float,
    minscore: float,
    explore: bool,
    all_positives: int,
    alive: Bool,
    good: Bool,
) -> tuple[int, int, float, int]:
    """Aleph's loop over evaluated candidates: prune, accept, stop. Returns (index of the best, nodes, best, stop)."""
    chosen = -1
    for parent in range(start.size - 1):
        if not explore and parent_bound[parent] <= best:
            continue
        for child in range(start[parent], start[parent + 1]):
            if nodes >= max_nodes:
                return chosen, nodes, best, 1
            nodes += 1
            p, n = positives[child], negatives[child]
            if p < minpos or (not explore and bounds[child] <= best):
                continue
            alive[child] = True
            if n > noise or p < minacc * (p + n) or scores[child] < minscore:
                continue
            good[child] = True
            if scores[child] > best:
                best = scores[child]
                chosen = child
                if p == all_positives and not explore:
                    return chosen, nodes, best, 2
    return chosen, nodes, best, 0


_BATCH = 200_000


def search_clause(
    bottom: BottomClause,
    cache: CoverCache,
    positive: UInt64,
    negative: UInt64,
    settings: SearchSettings,
    counts: ClassCounts,
    *,
    conduct: Conduct = PLAIN,
) -> Found:
    """The best clause among the connected subsets of a bottom clause.

    Parameters
    ----------
    positive, negative : uint64 arrays, shape (n_words,)
        The examples to be counted (see `workbench.structure.coverage.pack`).
    counts : ClassCounts
        Totals of those examples.
    conduct : Conduct
        At its deadline, or a cancel, the best so far is returned.

    Notes
    -----
    Follows Aleph's order: a node's refinements are the literals that its newest literal feeds, then the siblings after
    it; a clause below `minpos`, or that cannot beat the best so far, is dropped with all its refinements. In 'bf' all
    clauses of one length are evaluated as one set.
    """
    state = _Search(bottom, cache, np.stack([positive, negative]), settings, counts)
    heap: list[tuple[float, float, int, int, int]] = []
    blocks: list[_Block] = []

    def push(block: _Block, length: int) -> None:
        if length >= settings.clauselength:
            return
        blocks.append(block)
        for index in np.flatnonzero(block.alive).tolist():
            keys = (-block.score[index], float(length))
            if settings.search == "df":
                keys = (-float(length), -block.score[index])
            heapq.heappush(heap, (*keys, len(heap) + len(blocks) * 1_000_000, len(blocks) - 1, index))

    root = _Block(
        np.zeros((1, 0), np.int64), np.ones(1, np.int64), np.ones(1, np.bool_), np.zeros(1), np.full(1, np.inf)
    )
    level, stop = state.expand(root, np.zeros(1, np.int64), conduct)
    length = 2
    if settings.search == "bf":
        while not stop and length < settings.clauselength and level.alive.any():
            order = np.argsort(-level.score, kind="stable")
            frontier = order[level.alive[order]]
            if settings.openlist:
                frontier = frontier[: settings.openlist]
            level, stop = state.expand(level, frontier, conduct)
            length += 1
    else:
        push(level, length)
        while heap and not stop:
            if settings.openlist and len(heap) > settings.openlist:
                heap = heapq.nsmallest(settings.openlist, heap)
            *_, number, index = heapq.heappop(heap)
            source = blocks[number]
            block, stop = state.expand(source, np.array([index], np.int64), conduct)
            push(block, block.paths.shape[1] + 1)
    return state.found(("exhausted", "nodes", "covers all", conduct.stopped)[stop])


class _Search:
    """The mutable part of one search: best so far, nodes evaluated, clauses collected."""

    def __init__(
        self, bottom: BottomClause, cache: CoverCache, masks: UInt64, settings: SearchSettings, counts: ClassCounts
    ) -> None:
        self.bottom, self.cache, self.masks, self.settings, self.counts = bottom, cache, masks, settings, counts
        self.function = "mestimate" if settings.evalfn == "fitted_m" else settings.evalfn
        self.best = least_to_beat(self.function, counts)
        self.best_parts: Int32 | None = None
        self.best_counts = (1, 0)
        self.best_length = 1
        self.nodes = 0
        self.collected: list[Int64] = []

    def expand(self, block: _Block, frontier: Int64, conduct: Conduct) -> tuple[_Block, int]:
        """Evaluate all refinements of the frontier; returns them, and a code other than 0 when the search is over."""
        depth = block.paths.shape[1]
        empty = np.zeros(0, np.int64)
        results: list[_Block] = []
        stop = 0
        at = 0
        width = max(1, _BATCH // max(1, len(self.bottom)))
        literal = np.ascontiguousarray(block.paths[:, -1]) if depth else empty
        while at < len(frontier) and not stop:
            if conduct.over:
                stop = 3
                break
            chosen = frontier[at : at + width]
            at += width
            if not self.settings.explore:
                chosen = chosen[block.bound[chosen] > self.best]
            paths = np.ascontiguousarray(block.paths[chosen])
            low = chosen + 1 if depth else np.zeros(len(chosen), np.int64)
            high = block.end[chosen] if depth else low
            children, start = _children(
                paths, low, high, literal, block.alive, self.bottom.dependents, self.bottom.dependents_start,
                self.bottom.inputs, self.bottom.outputs, self.cache.coverage.n_head,
            )  # fmt: skip
            left = self.settings.nodes - self.nodes
            if start[-1] > left:  # no more than the node limit lets through is evaluated
                start = np.minimum(start, left + 1)
                children = children[: left + 1]
            parent = np.repeat(np.arange(len(chosen)), np.diff(start))
            grown = np.concatenate([paths[parent], children[:, None]], axis=1)
            result, stop = self._evaluate(grown, start, block.bound[chosen])
            results.append(result)
        return _joined(results, depth + 1), stop

    def _evaluate(self, paths: Int64, start: Int64, parent_bound: Float) -> tuple[_Block, int]:
        settings = self.settings
        parts = self.cache.parts(self.bottom.literals[paths])
        tally = self.cache.tally(parts, self.masks)
        positives, negatives = tally[:, 0], tally[:, 1]
        length = paths.shape[1] + 1
        scores = score(self.function, positives, negatives, length, self.counts)
        bounds = upper_bound(self.function, positives, length, self.counts)
        alive, good = np.zeros(len(paths), np.bool_), np.zeros(len(paths), np.bool_)
        chosen, self.nodes, self.best, stop = _replay(
            start, parent_bound, positives, negatives, scores, bounds, self.best, self.nodes, settings.nodes,
            settings.minpos, settings.noise, settings.minacc, settings.minscore, settings.explore,
            self.counts.positives, alive, good,
        )  # fmt: skip
        if chosen >= 0:
            self.best_parts = parts[chosen]
            self.best_counts = (int(positives[chosen]), int(negatives[chosen]))
            self.best_length = length
        if settings.collect is not None:
            kept = good & (scores > settings.collect)
            if kept.any():
                self.collected.append(np.unique(self.cache.number(parts[kept])))
        end = np.repeat(start[1:], np.diff(start))
        return _Block(paths, end, alive, scores, bounds), int(stop)

    def found(self, status: str) -> Found:
        """The answer as it stands."""
        collected = np.unique(np.concatenate(self.collected)) if self.collected else np.zeros(0, np.int64)
        return Found(self.best_parts, *self.best_counts, self.best, self.best_length, collected, self.nodes, status)


def _joined(blocks: list[_Block], depth: int) -> _Block:
    if not blocks:
        none = np.zeros(0)
        return _Block(np.zeros((0, depth), np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_), none, none)
    if len(blocks) == 1:
        return blocks[0]
    offsets = np.cumsum([0, *(len(block.paths) for block in blocks)])
    return _Block(
        np.concatenate([block.paths for block in blocks]),
        np.concatenate([block.end + offset for block, offset in zip(blocks, offsets)]),
        np.concatenate([block.alive for block in blocks]),
        np.concatenate([block.score for block in blocks]),
        np.concatenate([block.bound for block in blocks]),
    )
