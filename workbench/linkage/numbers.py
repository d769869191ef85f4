"""Numbers inside texts: a screw of 4x30 is not one of 4x40, though the texts are a letter apart.

What is written closer or in another order (64GB 64 GB, AB-1234 AB1234) has the same numbers; codes
are the same words.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from workbench.arrays import Array, Bool, Int32
from workbench.linkage.sorting import distinct_pairs

Value = TypeVar("Value", bound=Hashable)

MIXED = 0.2
"""Of texts, those that have words and numbers."""
MISTYPED = 4
"""Digits of a number that a slip is told in; of fewer another digit makes another number."""
TELLING = 5
"""Digits of a code that tell it, however it is written."""
LETTERS, DIGITS = 2, 3
"""Letters of a code beside its digits, at most: more are a word; and digits, at least: fewer are a
house's or a size.
"""
_NUMBER = re.compile(r"\d+")
_LONG = re.compile(rf"\d{{{DIGITS}}}")
_RUN = re.compile(r"\d+|[^\W\d]+")
_WORD = re.compile(r"[^\W\d]{4}")


def hold_numbers(texts: Sequence[str]) -> bool:
    """Whether texts have numbers beside words; letters of plates and postcodes are no words."""
    both = [bool(_WORD.search(text)) for text in texts if _NUMBER.search(text)]
    return sum(both) > max(MIXED * len(texts), 0.5 * len(both))


def numbers_in(text: str) -> str:
    """The numbers of a text, the longest first: texts say them in any order."""
    return " ".join(sorted(_NUMBER.findall(text), key=lambda number: (-len(number), number)))


def words_in(text: str) -> list[str]:
    """The words of a text, each once; a long number and the few letters beside it are one, however
    they are written.
    """
    found = dict.fromkeys(text.split())
    if not _LONG.search(text):
        return list(found)
    runs, apart = _RUN.findall(text), set[str]()
    for one, other in pairwise(runs):
        number, letters = (one, other) if one.isdecimal() else (other, one)
        code = len(number) >= DIGITS and len(letters) <= LETTERS
        if code and one.isdecimal() != other.isdecimal():
            found[one + other] = None
            apart |= {one, other}
    return [word for word in found if word not in apart]


def longest_number(text: str) -> str:
    """The number of most digits; empty where there is none."""
    return numbers_in(text).partition(" ")[0]


def digits_in(text: str) -> str:
    """The numbers of a text side by side, without leading zeros."""
    return "".join(number.lstrip("0") for number in _NUMBER.findall(text))


def written_otherwise(texts: Sequence[str], one: Int32, other: Int32) -> Bool:
    """Which pairs of codes end with the same digits, all of those of one: what stands before them,
    and between, is a country, a court or a sign.
    """
    digits = [digits_in(text) for text in texts]
    letters = ["".join(filter(str.isalpha, text)) for text in texts]
    ends, _ = codes_of(number[-TELLING:] for number in digits)
    long = np.array([len(number) >= TELLING for number in digits])
    found = np.asarray((ends[one] == ends[other]) & long[one] & long[other])
    for at in np.flatnonzero(found):
        a, b = one[at], other[at]
        found[at] = (digits[a].endswith(digits[b]) or digits[b].endswith(digits[a])) and (
            letters[a] in letters[b] or letters[b] in letters[a]
        )
    return found


def codes_of(values: Iterable[Value]) -> tuple[Int32, list[Value]]:
    """Of each value its place among the different ones, and these, as they first come."""
    places: dict[Value, int] = {}
    codes = [places.setdefault(value, len(places)) for value in values]
    return np.array(codes, np.int32), list(places)


def compared_numbers(texts: Array, one: Int32, other: Int32) -> tuple[Bool, Bool]:
    """Which pairs of texts have the same numbers, and which have numbers that the other lacks, on
    either side.
    """
    # Many texts have the same numbers, which are compared once.
    code, sets = codes_of(frozenset(_NUMBER.findall(str(text))) for text in texts)
    some = np.array([len(each) > 0 for each in sets], np.bool_)
    left, right = code[one], code[other]
    equal = np.asarray(left == right)
    unlike = np.flatnonzero(~equal & some[left] & some[right])
    first, second, place = distinct_pairs(left[unlike], right[unlike], len(sets))
    told = [_differ(sets[a] - sets[b], sets[b] - sets[a]) for a, b in zip(first, second)]
    differ = np.zeros(len(one), np.bool_)
    differ[unlike] = np.array(told, np.bool_)[place]
    return equal & some[left], differ


def _differ(left: frozenset[str], right: frozenset[str]) -> bool:
    """Whether either has numbers that no slip makes of the other's."""
    return bool(left and right) and not any(_slipped(a, b) for a in left for b in right)


def _slipped(one: str, other: str) -> bool:
    """Whether a digit was changed."""
    alike = len(one) == len(other) >= MISTYPED
    return alike and sum(a != b for a, b in zip(one, other)) == 1
