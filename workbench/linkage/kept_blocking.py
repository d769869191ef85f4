"""How new records find those that they are compared with: statements and near texts as keys of 64
bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

import numpy as np

from workbench.arrays import Array, Bool, Int32, Int64
from workbench.linkage.blocking import BlockingStatement, Pairs, block_pairs
from workbench.linkage.fields import Field
from workbench.linkage.keys import BlockingKey, part_texts
from workbench.linkage.neighbours import FEW, Near, in_words, near_pairs
from workbench.linkage.sorting import different

MIXED = np.uint64(0x9E3779B97F4A7C15)
"""Odd, of the golden ratio: multiplying by it spreads the bits of a key (Knuth 1998,
section 6.4).
"""


@dataclass(frozen=True)
class KeptBlocking:
    """Statements over keys of fields, and near texts.

    Attributes
    ----------
    statements : tuple of tuples of (field, part)
    every : bool
        Whether all pairs are compared.
    """

    statements: tuple[tuple[tuple[str, str], ...], ...]
    near: tuple[Near, ...]
    every: bool

    def keys(self, fields: Sequence[Field]) -> list[Array]:
        """Of each statement the joint key of every record, uint64 shape (n_records,),
        0 where it has none.
        """
        by_name = {field.name: field for field in fields}
        found = []
        for statement in self.statements:
            joint = np.full(len(fields[0].codes), hashed(repr(statement)), np.uint64)
            there = np.ones(len(joint), np.bool_)
            for name, part in statement:
                field = by_name[name]
                texts = [*part_texts(field, part), ""]
                of_text = np.array([hashed(text) for text in texts], np.uint64)
                joint = (joint ^ of_text[field.codes]) * MIXED
                joint ^= joint >> np.uint64(32)
                there &= np.array([bool(text) for text in texts], np.bool_)[field.codes]
            found.append(np.where(there, np.maximum(joint, np.uint64(1)), np.uint64(0)))
        return found

    def near_keys(self, fields: Sequence[Field]) -> tuple[Array, Int64]:
        """Keys of near texts, uint64, and the records that have them: a rare word each,
        and the whole value.
        """
        by_name = {field.name: field for field in fields}
        keys, rows = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for near in self.near:
            field = by_name[near.field]
            words = in_words(field).words
            of_word = np.array([hashed(f"{near.field}:{word}") for word in words.texts], np.uint64)
            rare = np.array([word not in near.common for word in words.texts], np.bool_)
            there = np.flatnonzero(np.append(field.counts <= FEW, False)[field.codes])
            sizes = np.diff(words.starts)[field.codes[there]]
            first = np.repeat(words.starts[field.codes[there]] - np.cumsum(sizes) + sizes, sizes)
            held = words.ids[first + np.arange(len(first))]
            kept = rare[held]
            whole = np.array(
                [hashed(f"{near.field}={text}") for text in field.texts] + [0], np.uint64
            )
            keys += [of_word[held[kept]], whole[field.codes[there]]]
            rows += [np.repeat(there, sizes)[kept], there]
        return np.concatenate(keys), np.concatenate(rows)

    def pairs(self, fields: Sequence[Field], second: Int32 | None, cut: Array, new: Bool) -> Pairs:
        """The pairs to compare, with a new record in each.

        Parameters
        ----------
        second : int32 array or None
            0 and 1: the source of each record, of two.
        cut : uint64 array
            Joint keys that too many records share.
        new : bool array, shape (n_records,)
        """
        n = len(new)
        found = [pairs_with(new).keys(n) if self.every else np.zeros(0, np.int64)]
        for joint in self.keys(fields):
            _, code = np.unique(joint, return_inverse=True)
            code = np.where((joint == 0) | np.isin(joint, cut), -1, code.ravel()).astype(np.int32)
            blocked = partial(block_pairs, largest=n)
            found.append(blocked(_statement(np.where(new, code, -1)), None))
            if not new.all():
                found.append(blocked(_statement(code), new.astype(np.int32)))
        for near in self.near:
            pairs = near_pairs(
                next(field for field in fields if field.name == near.field), near, None
            )
            found.append(pairs.keys(n)[new[pairs.left] | new[pairs.right]])
        return between(Pairs.of_keys(different(np.concatenate(found)), n), second)


def pairs_with(new: Bool) -> Pairs:
    """All pairs with a new record in them."""
    n = len(new)
    one, other = (side.ravel() for side in np.meshgrid(np.arange(n), np.flatnonzero(new)))
    apart = one != other
    keys = np.minimum(one, other)[apart] * n + np.maximum(one, other)[apart]
    return Pairs.of_keys(different(keys), n)


def between(pairs: Pairs, second: Int32 | None) -> Pairs:
    """Those across two sources, where `second` says which; else all."""
    if second is None:
        return pairs
    across = second[pairs.left] != second[pairs.right]
    return Pairs(pairs.left[across], pairs.right[across])


def _statement(codes: Array) -> BlockingStatement:
    return BlockingStatement((BlockingKey("", "all", codes.astype(np.int32), 0.0),), 0, 0.0)


def hashed(text: str) -> int:
    """64 bits that stay the same from one machine and version to another."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
