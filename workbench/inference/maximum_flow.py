"""Maximum flows in graphs of literals: nodes `2i` and `2i + 1` are mirrors of each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int8, Int32, Int64
from workbench.network.compiled import allocating, compiled


class Graph(NamedTuple):
    """Arcs by their tail, each with its head, its reverse arc and its capacity."""

    start: Int32
    head: Int32
    reverse: Int32
    capacity: Float


def graph_of(n: int, tail: Int64, head: Int64, capacity: Float) -> Graph:
    """Arcs with their reverses, parallel ones merged."""
    zero = np.zeros(capacity.size)
    ends = (np.concatenate([tail, head]), np.concatenate([head, tail]))
    both_ways = csr_array((np.concatenate([capacity, zero]), ends), shape=(n, n))
    both_ways.sum_duplicates()
    places = csr_array(
        (np.arange(both_ways.nnz, dtype=np.int32), both_ways.indices, both_ways.indptr), (n, n)
    )
    reverse = csr_array(places.T.tocsr()).data
    start, ends_at = both_ways.indptr.astype(np.int32), both_ways.indices.astype(np.int32)
    return Graph(start, ends_at, reverse, both_ways.data)


@allocating
def contract(graph: Graph, source: Float, sink: Float) -> tuple[float, Int8]:
    """Join nodes whose supply exceeds all they can pass on to the source, mirrors to the sink.

    Such a node is on the source's side of some minimum cut (its literal is persistent whatever its
    neighbours do), so its arcs become supply and demand of its neighbours. Returns the flow spent
    and 1 for source, -1 for sink, 0.
    """
    start, head, reverse, capacity = graph
    n = source.size
    side = np.zeros(n, np.int8)
    out = np.zeros(n)
    queue = np.empty(n, np.int32)
    waiting = np.ones(n, np.bool_)
    flow = 0.0
    for v in range(n):
        for e in range(start[v], start[v + 1]):
            out[v] += capacity[e]
        queue[v] = v
    first, last, size = 0, 0, n
    while size > 0:
        v = queue[first]
        first = first + 1 if first + 1 < n else 0
        size -= 1
        waiting[v] = False
        if side[v] != 0 or source[v] - sink[v] < out[v] or source[v] <= sink[v]:
            continue
        mate = v ^ 1
        if side[mate] != 0:
            continue
        # Joined to the source, its arcs are supply of their heads; the mirror's arcs are demand.
        side[v], side[mate] = 1, -1
        flow += sink[v] + source[mate]
        for e in range(start[v], start[v + 1]):
            u = head[e]
            source[u] += capacity[e]
            out[u] -= capacity[reverse[e]]
            if u == mate:
                flow += capacity[e]
            capacity[e] = 0.0
            capacity[reverse[e]] = 0.0
            if side[u] == 0 and not waiting[u]:
                waiting[u] = True
                queue[last] = u
                last = last + 1 if last + 1 < n else 0
                size += 1
        for e in range(start[mate], start[mate + 1]):
            u = head[e]
            sink[u] += capacity[reverse[e]]
            out[u] -= capacity[reverse[e]]
            capacity[e] = 0.0
            capacity[reverse[e]] = 0.0
            if side[u] == 0 and not waiting[u]:
                waiting[u] = True
                queue[last] = u
                last = last + 1 if last + 1 < n else 0
                size += 1
        source[v] = sink[v] = source[mate] = sink[mate] = 0.0
    return flow, side


@allocating
def maximum_flow(
    graph: Graph, source: Float, sink: Float, tolerance: float, stop: Int8
) -> tuple[float, Bool, int]:
    """Dinic's algorithm, using the capacities up; the flow, the source side, and the phases."""
    n = source.size
    flow = 0.0
    for v in range(n):
        through = min(source[v], sink[v])
        flow += through
        source[v] -= through
        sink[v] -= through
    distance = np.empty(n, np.int32)
    arc = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    phases = 0
    while _find_distances(graph, source, sink, tolerance, distance) and stop[0] == 0:
        phases += 1
        arc[:] = graph.start[:n]
        for s in range(n):
            while distance[s] >= 0 and source[s] > tolerance and stop[0] == 0:
                v, depth = _find_path(graph, s, sink, tolerance, distance, arc, path)
                if v >= 0:
                    amount = _push(graph, path[:depth], min(source[s], sink[v]))
                    source[s] -= amount
                    sink[v] -= amount
                    flow += amount
    return flow, _reached(graph, source, tolerance), phases


@allocating
def _find_distances(
    graph: Graph, source: Float, sink: Float, tolerance: float, distance: Int32
) -> bool:
    """Distances to the sink, breadth first, -1 without a way; whether the source has one."""
    start, head, reverse, capacity = graph
    queue = np.empty(distance.size, np.int32)
    distance[:] = -1
    first = last = 0
    for v in range(distance.size):
        if sink[v] > tolerance:
            distance[v] = 0
            queue[last] = v
            last += 1
    found = False
    while first < last:
        v = queue[first]
        first += 1
        if source[v] > tolerance:
            found = True
        for e in range(start[v], start[v + 1]):
            u = head[e]
            if distance[u] < 0 and capacity[reverse[e]] > tolerance:
                distance[u] = distance[v] + 1
                queue[last] = u
                last += 1
    return found


@compiled
def _find_path(
    graph: Graph,
    s: int,
    sink: Float,
    tolerance: float,
    distance: Int32,
    arc: Int32,
    path: Int32,
) -> tuple[int, int]:
    """A path from `s` by current arcs: its last node (-1: none), how many arcs of `path` it has."""
    start, head, reverse, capacity = graph
    depth = 0
    v = s
    while distance[v] > 0 or sink[v] <= tolerance:
        if distance[v] > 0 and arc[v] < start[v + 1]:
            e = arc[v]
            u = head[e]
            if capacity[e] > tolerance and distance[u] == distance[v] - 1:
                path[depth] = e
                depth += 1
                v = u
            else:
                arc[v] += 1
        else:
            distance[v] = -1
            if depth == 0:
                return -1, 0
            depth -= 1
            v = head[reverse[path[depth]]]
            arc[v] += 1
    return v, depth


@compiled
def _push(graph: Graph, path: Int32, most: float) -> float:
    """Send as much as its arcs hold along a path; how much."""
    _, _, reverse, capacity = graph
    for e in path:
        most = min(most, capacity[e])
    for e in path:
        capacity[e] -= most
        capacity[reverse[e]] += most
    return most


@allocating
def _reached(graph: Graph, source: Float, tolerance: float) -> Bool:
    """What the source still reaches."""
    start, head, _, capacity = graph
    queue = np.empty(source.size, np.int32)
    reached = np.zeros(source.size, np.bool_)
    first = last = 0
    for v in range(source.size):
        if source[v] > tolerance:
            reached[v] = True
            queue[last] = v
            last += 1
    while first < last:
        v = queue[first]
        first += 1
        for e in range(start[v], start[v + 1]):
            u = head[e]
            if not reached[u] and capacity[e] > tolerance:
                reached[u] = True
                queue[last] = u
                last += 1
    return reached
