"""Search for one clause through the subsets of a bottom clause, general to specific."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.arrays import Bool, Float, Int32, Int64, UInt64
from workbench.progress import PLAIN, Conduct
from workbench.structure.covers import CoverCache
from workbench.structure.refinement import (
    Acceptance,
    Evaluated,
    Siblings,
    refinements,
    replay,
)
from workbench.structure.saturation import BottomClause
from workbench.structure.scores import ClassCounts, least_to_beat, score, upper_bound
from workbench.structure.settings import SearchSettings


@dataclass(frozen=True)
class FoundClause:
    """What the search from one seed gave.

    Attributes
    ----------
    parts : int32 array or None
        Components of the best acceptable clause; None when none beats the seed itself.
    positives, negatives : int
        Covered by it.
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
    collected: Int64
    nodes: int
    status: str


@dataclass
class _Block:
    """Clauses of one length: paths into the bottom clause, and where their siblings end."""

    paths: Int64
    end: Int64
    alive: Bool
    score: Float
    bound: Float


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
) -> FoundClause:
    """The best clause among the connected subsets of a bottom clause.

    Follows Aleph's order: a node's refinements are the literals that its newest literal feeds, then
    the siblings after it; a clause below `minpos`, or that cannot beat the best so far, is dropped
    with all its refinements. In 'bf' all clauses of one length are evaluated as one set.

    Parameters
    ----------
    positive, negative : uint64 arrays, shape (n_words,)
        The examples to be counted (see `workbench.structure.coverage.pack`).
    counts : ClassCounts
        Totals of those examples.
    conduct : Conduct
        At its deadline, or a cancel, the best so far is returned.
    """
    state = _Search(bottom, cache, np.stack([positive, negative]), settings, counts)
    root = _Block(
        np.zeros((1, 0), np.int64),
        np.ones(1, np.int64),
        np.ones(1, np.bool_),
        np.zeros(1),
        np.full(1, np.inf),
    )
    level, stop = state.expand(root, np.zeros(1, np.int64), conduct)
    search = _by_length if settings.search == "bf" else _by_score
    stop = stop or search(state, level, conduct)
    return state.found(("exhausted", "nodes", "covers all", conduct.stopped)[stop])


def _by_length(state: _Search, level: _Block, conduct: Conduct) -> int:
    """Expand all clauses of a length together; why it stopped (`_Search.expand`)."""
    settings, stop = state.settings, 0
    for _ in range(2, settings.clauselength):
        if stop or not level.alive.any():
            break
        order = np.argsort(-level.score, kind="stable")
        frontier = order[level.alive[order]]
        if settings.openlist:
            frontier = frontier[: settings.openlist]
        level, stop = state.expand(level, frontier, conduct)
    return stop


def _by_score(state: _Search, level: _Block, conduct: Conduct) -> int:
    """Expand the best clause first, or among the longest ('df'); why it stopped."""
    settings, stop = state.settings, 0
    heap: list[tuple[float, float, int, int, int]] = []
    blocks: list[_Block] = []

    def push(block: _Block) -> None:
        length = block.paths.shape[1] + 1
        if length >= settings.clauselength:
            return
        blocks.append(block)
        for index in np.flatnonzero(block.alive).tolist():
            keys = (-block.score[index], float(length))
            if settings.search == "df":
                keys = (-float(length), -block.score[index])
            heapq.heappush(
                heap, (*keys, len(heap) + len(blocks) * 1_000_000, len(blocks) - 1, index)
            )

    push(level)
    while heap and not stop:
        if settings.openlist and len(heap) > settings.openlist:
            heap = heapq.nsmallest(settings.openlist, heap)
        *_, number, index = heapq.heappop(heap)
        block, stop = state.expand(blocks[number], np.array([index], np.int64), conduct)
        push(block)
    return stop


class _Search:
    """The mutable part of one search: best so far, nodes evaluated, clauses collected."""

    def __init__(
        self,
        bottom: BottomClause,
        cache: CoverCache,
        masks: UInt64,
        settings: SearchSettings,
        counts: ClassCounts,
    ) -> None:
        self.bottom, self.cache, self.masks, self.settings = bottom, cache, masks, settings
        self.counts = counts
        self.function = "mestimate" if settings.evalfn == "fitted_m" else settings.evalfn
        asked: Any = {name: getattr(settings, name) for name in Acceptance._fields[:-1]}
        self.acceptance = Acceptance(**asked, all_positives=counts.positives)
        self.best = least_to_beat(self.function, counts)
        self.best_parts: Int32 | None = None
        self.best_counts = (1, 0)
        self.nodes = 0
        self.collected: list[Int64] = []

    def expand(self, block: _Block, frontier: Int64, conduct: Conduct) -> tuple[_Block, int]:
        """Evaluate all of the frontier's refinements; these, and a code, not 0 where it is over."""
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
            children, start = refinements(
                paths, Siblings(low, high, literal, block.alive), self.bottom.feeding
            )
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
        evaluated = Evaluated(positives, negatives, scores, bounds, alive, good)
        chosen, self.nodes, self.best, stop = replay(
            start, parent_bound, evaluated, self.acceptance, self.best, self.nodes
        )
        if chosen >= 0:
            self.best_parts = parts[chosen]
            self.best_counts = (int(positives[chosen]), int(negatives[chosen]))
        if settings.collect is not None:
            kept = good & (scores > settings.collect)
            if kept.any():
                self.collected.append(np.unique(self.cache.number(parts[kept])))
        end = np.repeat(start[1:], np.diff(start))
        return _Block(paths, end, alive, scores, bounds), int(stop)

    def found(self, status: str) -> FoundClause:
        """The answer as it stands."""
        collected = (
            np.unique(np.concatenate(self.collected)) if self.collected else np.zeros(0, np.int64)
        )
        return FoundClause(
            self.best_parts,
            *self.best_counts,
            self.best,
            collected,
            self.nodes,
            status,
        )


def _joined(blocks: list[_Block], depth: int) -> _Block:
    if not blocks:
        none = np.zeros(0)
        return _Block(
            np.zeros((0, depth), np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_), none, none
        )
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
