"""Values that records may share: whole ones, beginnings, ends, years;
what blocking statements are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from workbench.arrays import Float, Int32
from workbench.linkage.fields import Field, words_in_order
from workbench.linkage.numbers import digits_in, longest_number, numbers_in


@dataclass(frozen=True)
class BlockingKey:
    """A value that records may share: a field, its beginning, its year.

    Attributes
    ----------
    part : str
        `all`, `begin3`, `year`, `first word`, ...
    codes : int32 array, shape (n_records,)
        -1 where there is none.
    chance : float
        The probability that two records drawn at random share it.
    """

    field: str
    part: str
    codes: Int32
    chance: float

    @property
    def words(self) -> str:
        """The key for people."""
        return self.field if self.part == "all" else f"{self.part} of {self.field}"

    def chance_within(self, largest: int) -> float:
        """The chance without the values that more than `largest` records hold, such as `unknown`;
        infinite where hardly any others are left, for then a value is a class of records.
        """
        counts = _counts(self.codes)
        kept = counts[counts <= largest]
        return _chance(kept, len(self.codes)) if kept.sum() >= TELLING * counts.sum() else inf


TELLING = 0.1
"""Of the records with a value, the least share whose value few records hold."""

LAST_DIGITS = 6
"""Of telephones and the like, however they are written."""
_LETTERS = (
    ("first 4 letters", lambda text: text[:4]),
    ("last 4 letters", lambda text: text[-4:]),
    ("words", words_in_order),
)
_LETTERS_OF_CODES = (
    ("first word", lambda text: text.split()[0]),
    ("last 3 letters", lambda text: text[-3:]),
    ("last digits", lambda text: digits_in(text)[-LAST_DIGITS:]),
)
_BEGINNING = (("first 12 letters", lambda text: text[:12]),)
_NUMBERS = (("numbers", numbers_in), ("longest number", longest_number))
_PARTS: dict[str, tuple[tuple[str, Callable[[str], str]], ...]] = {
    "name": _LETTERS,
    "numbered": (*_LETTERS, *_NUMBERS),
    "words": _BEGINNING,
    "numbered words": (*_BEGINNING, *_NUMBERS),
    "date": (("year", lambda text: text[:4]), ("month and day", lambda text: text[5:])),
    "code": _LETTERS_OF_CODES,
    "numbered code": (*_LETTERS_OF_CODES, *_NUMBERS),
    "category": (),
    "text": (),
}
_ROUNDED = {"rounded": 0.02, "closely rounded": 0.002}
"""Parts of measurements, to so much of their standard deviation:
they differ a little where things are the same.
"""


def keys_of(fields: Sequence[Field]) -> list[BlockingKey]:
    """All keys that the fields offer."""
    found: list[BlockingKey] = []
    for field in fields:
        found.append(_key(field.name, "all", field.codes))
        for part in _parts(field):
            known: dict[str, int] = {}
            of_text = np.array(
                [
                    known.setdefault(text, len(known)) if text else -1
                    for text in part_texts(field, part)
                ],
                np.int32,
            )
            if 1 < len(known) < len(field.texts):
                codes = np.where(field.codes >= 0, np.append(of_text, -1)[field.codes], -1).astype(
                    np.int32
                )
                found.append(_key(field.name, part, codes))
    return [key for key in found if key.chance > 0]


def _parts(field: Field) -> list[str]:
    """Parts of a kind of field; whole numbers have none."""
    if field.kind != "number":
        return [part for part, _ in _PARTS[field.kind]]
    return list(_ROUNDED) if field.is_measured else []


def part_texts(field: Field, part: str) -> list[str]:
    """What a key's part is of each value; empty where there is none."""
    if part in _ROUNDED:
        return [str(text) for text in np.round(field.numbers / (_ROUNDED[part] * field.spread))]
    take = dict(_PARTS.get(field.kind, ())).get(part, str)
    return [take(str(text)) for text in field.texts]


def _key(field: str, part: str, codes: Int32) -> BlockingKey:
    return BlockingKey(field, part, codes, _chance(_counts(codes), len(codes)))


def _counts(codes: Int32) -> Float:
    """How many records hold each value."""
    return np.bincount(codes[codes >= 0]).astype(np.float64)


def _chance(counts: Float, n: int) -> float:
    """The probability that two of `n` records share a value of such counts."""
    return float((counts * (counts - 1)).sum()) / max(1.0, n * (n - 1.0))
