"""Clause bodies as arrays, their connected components, and a canonical form of each component.

A literal is a row `[predicate, term, ..., term]`: a term >= 0 is a constant id of the argument's
type, a term < 0 is variable `-term - 1`, and `ABSENT` fills the places beyond the arity. Variables
0 .. n_head - 1 are the head's arguments. A batch of bodies is an int32 array (n_bodies, n_literals,
1 + max_arity), padded with literals of predicate -1.

Two literals are connected when they share a variable that is not the head's. Given the head's
arguments the components of a body are independent, so a body covers an example when every component
does, and the number of satisfying substitutions is the product of the components' numbers. That is
why covers are kept by component: a million clauses are made of far fewer of them.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.network.compiled import allocating, compiled


@allocating
def _renumber(literals: Int32, order: Int64, size: int, n_head: int, key: Int32) -> None:
    """Write the literals in `order` into `key`, body variables renumbered by first occurrence."""
    width = literals.shape[1]
    seen = np.empty(size * width, np.int32)
    n_seen = 0
    at = 0
    for position in range(size):
        row = literals[order[position]]
        key[at] = row[0]
        at += 1
        for place in range(1, width):
            term = row[place]
            if term < -n_head:
                found = -1
                for index in range(n_seen):
                    if seen[index] == term:
                        found = index
                        break
                if found < 0:
                    found = n_seen
                    seen[n_seen] = term
                    n_seen += 1
                term = -(n_head + found) - 1
            key[at] = term
            at += 1


@compiled
def _smaller(left: Int32, right: Int32, size: int) -> bool:
    for index in range(size):
        if left[index] != right[index]:
            return bool(left[index] < right[index])
    return False


@compiled
def _order_by_predicate(literals: Int32, order: Int64) -> bool:
    """Sort `order` by the literals' predicates, stably; whether these are all different."""
    different = True
    for i in range(1, order.size):
        j = i
        while j > 0 and literals[order[j - 1], 0] > literals[order[j], 0]:
            order[j - 1], order[j] = order[j], order[j - 1]
            j -= 1
        if j > 0 and literals[order[j - 1], 0] == literals[order[j], 0]:
            different = False
    return different


@compiled
def _permute(permutation: Int64) -> bool:
    """The next permutation in lexicographic order, in place; False where it was the last."""
    i = permutation.size - 2
    while i >= 0 and permutation[i] > permutation[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = permutation.size - 1
    while permutation[j] < permutation[i]:
        j -= 1
    permutation[i], permutation[j] = permutation[j], permutation[i]
    low, high = i + 1, permutation.size - 1
    while low < high:
        permutation[low], permutation[high] = permutation[high], permutation[low]
        low += 1
        high -= 1
    return True


@allocating
def _canonical(literals: Int32, size: int, n_head: int, key: Int32, trial: Int32) -> None:
    """The least encoding of the literals over all orders that keep predicates ascending."""
    order = np.arange(size)
    different = _order_by_predicate(literals, order)
    _renumber(literals, order, size, n_head, key)
    if different:
        return
    used = size * literals.shape[1]
    permutation = np.arange(size)
    chosen = np.empty(size, np.int64)
    while _permute(permutation):
        ascending = True
        for position in range(size):
            chosen[position] = order[permutation[position]]
            if position and literals[chosen[position], 0] < literals[chosen[position - 1], 0]:
                ascending = False
                break
        if ascending:
            _renumber(literals, chosen, size, n_head, trial)
            if _smaller(trial, key, used):
                key[:used] = trial[:used]


@compiled
def _same(literals: Int32, i: int, j: int) -> bool:
    place = 0
    while place < literals.shape[1] and literals[i, place] == literals[j, place]:
        place += 1
    return bool(place == literals.shape[1])


@compiled
def _share_variable(literals: Int32, i: int, j: int, n_head: int) -> bool:
    """Whether two literals have a variable in common that is not the head's."""
    for a in range(1, literals.shape[1]):
        if literals[i, a] < -n_head:
            for b in range(1, literals.shape[1]):
                if literals[i, a] == literals[j, b]:
                    return True
    return False


@compiled
def _label_components(literals: Int32, n_head: int, label: Int64) -> None:
    """The component of each literal, by its least literal; -1 for padding and repetitions."""
    for i in range(label.size):
        label[i] = i if literals[i, 0] >= 0 else -1
        for j in range(i):
            if label[i] >= 0 and label[j] >= 0 and _same(literals, i, j):
                label[i] = -1
    for i in range(label.size):
        for j in range(i):
            if label[i] < 0 or label[j] < 0 or label[i] == label[j]:
                continue
            if _share_variable(literals, i, j, n_head):
                old, new = label[i], label[j]
                for k in range(i + 1):
                    if label[k] == old:
                        label[k] = new


@allocating
def component_keys(bodies: Int32, n_head: int) -> tuple[Int32, Int32, Int64]:
    """Split every body into connected components and put each in canonical form.

    Parameters
    ----------
    bodies : int32 array, shape (n_bodies, n_literals, 1 + max_arity)
    n_head : int
        Variables of the head.

    Returns
    -------
    keys : int32 array, shape (n_components, n_literals * (1 + max_arity))
        Components one body after the other, padded with -1; equal keys mean components equal up to
        renaming. Repeated literals of a body are taken once.
    sizes : int32 array, shape (n_components,)
        Literals of each component.
    start : int64 array, shape (n_bodies + 1,)
    """
    n_bodies, n_literals, width = bodies.shape
    keys = np.full((n_bodies * n_literals, n_literals * width), -1, np.int32)
    sizes = np.zeros(n_bodies * n_literals, np.int32)
    start = np.zeros(n_bodies + 1, np.int64)
    label = np.empty(n_literals, np.int64)
    part = np.empty((n_literals, width), np.int32)
    trial = np.empty(n_literals * width, np.int32)
    count = 0
    for body in range(n_bodies):
        literals = bodies[body]
        _label_components(literals, n_head, label)
        for root in range(n_literals):
            size = 0
            for i in range(n_literals):
                if label[i] == root:
                    part[size] = literals[i]
                    size += 1
            if size:
                _canonical(part, size, n_head, keys[count], trial)
                sizes[count] = size
                count += 1
        start[body + 1] = count
    return keys[:count], sizes[:count], start


@compiled
def _hash(key: Int32) -> np.uint64:
    value = np.uint64(0x9E3779B97F4A7C15)
    for item in key:
        value ^= np.uint64(np.int64(item) & 0xFFFFFFFF)
        value *= np.uint64(0xFF51AFD7ED558CCD)
        value ^= value >> np.uint64(32)
    return value


@allocating
def _intern(keys: Int32, stored: Int32, n_stored: int, table: Int32, ids: Int64) -> int:
    mask = np.uint64(table.size - 1)
    for row in range(keys.shape[0]):
        slot = _hash(keys[row]) & mask
        while True:
            found = table[slot]
            if found < 0:
                table[slot] = n_stored
                stored[n_stored] = keys[row]
                ids[row] = n_stored
                n_stored += 1
                break
            same = True
            for column in range(keys.shape[1]):
                if stored[found, column] != keys[row, column]:
                    same = False
                    break
            if same:
                ids[row] = found
                break
            slot = (slot + np.uint64(1)) & mask
    return n_stored


@compiled
def _rehash(stored: Int32, n_stored: int, table: Int32) -> None:
    mask = np.uint64(table.size - 1)
    for row in range(n_stored):
        slot = _hash(stored[row]) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = row


class Interning:
    """Numbers for integer rows of one width: equal rows get equal numbers, in order of first sight.

    An open-addressing hash table; `rows` holds every distinct row once.
    """

    def __init__(self, width: int) -> None:
        self._stored = np.empty((1024, width), np.int32)
        self._table = np.full(4096, -1, np.int32)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def rows(self) -> Int32:
        """Distinct rows, shape (n, width)."""
        return self._stored[: self._size]

    def number(self, keys: Int32) -> Int64:
        """The numbers of the rows, shape (n_rows,); new rows are added. Amortised linear time."""
        needed = self._size + len(keys)
        if needed > len(self._stored):
            grown = np.empty((max(needed, 2 * len(self._stored)), self._stored.shape[1]), np.int32)
            grown[: self._size] = self.rows
            self._stored = grown
        if 2 * needed > self._table.size:
            self._table = np.full(1 << int(4 * needed - 1).bit_length(), -1, np.int32)
            _rehash(self._stored, self._size, self._table)
        ids = np.empty(len(keys), np.int64)
        self._size = int(
            _intern(
                np.ascontiguousarray(keys, np.int32), self._stored, self._size, self._table, ids
            )
        )
        return ids
