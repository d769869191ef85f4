"""The words of many texts, and their letters in threes, as places among the different ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.linkage.numbers import words_in
from workbench.linkage.sorting import different

WHOLE = " "
"""Stands behind the words of a text whose letters in threes stand beside them."""
CHUNK = 10_000
"""Texts whose letters are held as numbers at once."""
TABLE = 1 << 24
"""Possible threes that are looked up in a table; of larger alphabets they are sorted."""


@dataclass(frozen=True)
class Words:
    """The words of a field's values:
    value v has `texts[ids[starts[v]:starts[v + 1]]]`, each once.
    """

    ids: Int32
    starts: Int64
    texts: tuple[str, ...]

    @classmethod
    def of(cls, split: Iterable[Iterable[str]]) -> Words:
        """Of the different words of each value."""
        known: dict[str, int] = {}
        ids: list[int] = []
        ends = [0]
        for words in split:
            ids.extend([known.setdefault(word, len(known)) for word in words])
            ends.append(len(ids))
        return cls._read_only(np.array(ids, np.int32), np.array(ends, np.int64), tuple(known))

    @classmethod
    def with_threes(cls, texts: Sequence[str]) -> Words:
        """The words of texts, and beside these their letters in threes."""
        found = [cls.of(())]
        for start in range(0, len(texts), CHUNK):
            some = texts[start : start + CHUNK]
            words = cls.of(map(words_in, some))
            whole = replace(words, texts=tuple(f"{word}{WHOLE}" for word in words.texts))
            found.append(whole._beside(_threes_of(some)))
        return cls.joined(found)

    @classmethod
    def joined(cls, parts: Sequence[Words]) -> Words:
        """Those of values that follow each other."""
        known: dict[str, int] = {}
        ids = []
        for one in parts:
            place = [known.setdefault(text, len(known)) for text in one.texts]
            ids.append(np.array(place, np.int32)[one.ids])
        lengths = np.concatenate([np.diff(one.starts) for one in parts])
        return cls._read_only(np.concatenate(ids), _starts(lengths), tuple(known))

    @classmethod
    def _read_only(cls, ids: Int32, starts: Int64, texts: tuple[str, ...]) -> Words:
        ids.flags.writeable = starts.flags.writeable = False
        return cls(ids, starts, texts)

    def _beside(self, other: Words) -> Words:
        """Each value's words, and then the other ones, which are no words of these."""
        own, others = np.diff(self.starts), np.diff(other.starts)
        starts = _starts(own + others)
        ids = np.empty(len(self.ids) + len(other.ids), np.int32)
        ids[_places(starts[:-1], own)] = self.ids
        ids[_places(starts[:-1] + own, others)] = other.ids + np.int32(len(self.texts))
        return Words._read_only(ids, starts, (*self.texts, *other.texts))


def _starts(lengths: Int64) -> Int64:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def _places(starts: Int64, lengths: Int64) -> Int64:
    """The numbers that follow each start, as many as it is long."""
    return np.arange(lengths.sum()) + np.repeat(starts - _starts(lengths)[:-1], lengths)


def padded(text: str) -> str:
    """As its letters are taken in threes: words begin and end with a stroke."""
    return f"_{text.replace(' ', '_')}_"


def threes_in(text: str) -> list[str]:
    """Letters in threes."""
    whole = padded(text)
    return [whole[at : at + 3] for at in range(len(whole) - 2)]


def _threes_of(texts: Sequence[str]) -> Words:
    """The different `threes_in` of each text, by arrays of letters."""
    every = [padded(text) for text in texts]
    whole = "".join(every).encode("utf-32-le", "surrogatepass")
    letters = np.frombuffer(whole, np.uint32).astype(np.int64)
    alphabet = different(letters)
    size = len(alphabet)
    place = np.searchsorted(alphabet, letters)
    lengths = np.array([len(one) for one in every], np.int64)
    first = _places(_starts(lengths)[:-1], np.maximum(lengths - 2, 0))
    three = (place[first] * size + place[first + 1]) * size + place[first + 2]
    known, three = _dense(three, size**3)
    of_text = np.repeat(np.arange(len(every)), np.maximum(lengths - 2, 0))
    text, three = np.divmod(different(of_text * len(known) + three), max(len(known), 1))
    said = [alphabet[known // step % size] for step in (size * size, size, 1)]
    names = tuple(map("".join, zip(*(map(chr, side.tolist()) for side in said))))
    starts = np.searchsorted(text, np.arange(len(every) + 1))
    return Words(three.astype(np.int32), starts.astype(np.int64), names)


def _dense(values: Int64, size: int) -> tuple[Int64, Int64]:
    """The different ones of numbers below `size`, and the place of each among them."""
    if size > TABLE:
        known = different(values)
        return known, np.searchsorted(known, values)
    seen = np.zeros(size, np.bool_)
    seen[values] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[values]
