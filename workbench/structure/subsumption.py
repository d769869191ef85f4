"""Theta-subsumption among bodies: each reduced to its least equivalent part (Plotkin 1970).

A body subsumes another when some substitution of its variables (the head's stay) makes it a subset
of the other. Two bodies that subsume each other have the same covers; a reduced body has no
equivalent proper subset, and two reduced bodies are equivalent exactly when they are equal up to
renaming.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Int32, Int64
from workbench.network.compiled import allocating

_UNBOUND = np.int32(-(2**31))


@allocating
def _maps_without(
    body: Int32, kept: Bool, dropped: int, n_head: int, image: Int64, bound: Int32
) -> bool:
    """Whether a substitution maps kept literals to kept ones other than `dropped`: a search."""
    size, width = body.shape
    for literal in range(size):
        image[literal] = -1
    for variable in range(bound.shape[1]):
        bound[0, variable] = _UNBOUND
    depth = 0
    while depth >= 0:
        if depth == size:
            return True
        if not kept[depth]:
            if image[depth] < 0:  # passes through once; on the way back the search goes on below it
                image[depth] = 0
                bound[depth + 1] = bound[depth]
                depth += 1
            else:
                image[depth] = -1
                depth -= 1
            continue
        image[depth] += 1
        target = image[depth]
        if target == size:
            image[depth] = -1
            depth -= 1
            continue
        if not kept[target] or target == dropped or body[target, 0] != body[depth, 0]:
            continue
        bound[depth + 1] = bound[depth]
        fits = True
        for place in range(1, width):
            term, other = body[depth, place], body[target, place]
            if term >= -n_head:
                if term != other:
                    fits = False
                    break
                continue
            variable = -term - 1 - n_head
            if bound[depth + 1, variable] == _UNBOUND:
                bound[depth + 1, variable] = other
            elif bound[depth + 1, variable] != other:
                fits = False
                break
        if fits:
            depth += 1
    return False


@allocating
def _reduce(bodies: Int32, n_head: int, n_variables: int) -> Int64:
    """Drop literals in place, blanking their predicate with -1; returns the rows that changed."""
    n_bodies, size, _ = bodies.shape
    kept = np.empty(size, np.bool_)
    image = np.empty(size, np.int64)
    bound = np.empty((size + 1, n_variables), np.int32)
    changed = np.empty(n_bodies, np.int64)
    count = 0
    for row in range(n_bodies):
        body = bodies[row]
        shared = False
        for i in range(size):
            kept[i] = body[i, 0] >= 0
            for j in range(i):
                shared |= kept[i] and body[i, 0] == body[j, 0]
        if not shared:  # a literal can be mapped to another of its predicate only
            continue
        before = kept.sum()
        for dropped in range(size):
            if kept[dropped] and _maps_without(body, kept, dropped, n_head, image, bound):
                kept[dropped] = False
        if kept.sum() < before:
            changed[count] = row
            count += 1
            for i in range(size):
                if not kept[i]:
                    body[i] = -1
    return changed[:count]


def reduced_bodies(bodies: Int32, n_head: int) -> tuple[Int32, Int64]:
    """Reduce bodies under theta-subsumption.

    A literal goes when the body can be mapped into the rest. Exponential in the literals of one
    predicate at worst, which a clause has few of; a body whose predicates all differ is left at
    once.

    Parameters
    ----------
    bodies : int32 array, shape (n_bodies, n_literals, 1 + max_arity)
        As `workbench.structure.clauses` describes.
    n_head : int
        Variables of the head; no substitution touches them.

    Returns
    -------
    reduced : int32 array, shape as `bodies`
        Dropped literals are all -1.
    changed : int64 array
        The bodies that lost a literal.
    """
    reduced = np.array(bodies, np.int32, order="C")
    n_variables = max(1, int(-reduced[:, :, 1:].min(initial=0)) - n_head)
    changed = _reduce(reduced, n_head, n_variables)
    return reduced, changed
