"""What records are compared by: a field is a column with a kind of
comparison and the counts of its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Float, Int32, Int64
from workbench.linkage.numbers import hold_numbers, words_in
from workbench.linkage.words import WHOLE, Words

FieldKind = Literal[
    "name",
    "numbered",
    "words",
    "numbered words",
    "code",
    "numbered code",
    "date",
    "number",
    "category",
    "text",
]
"""`name`: few words, misspelt; `words`: many; `numbered`: such with numbers in them; `code`:
letters and digits in order; `category`: few values; `text`: the only column.
"""

SAMPLE = 4000
ENOUGH = 100
"""Different texts that fill the levels of numbers as well."""


@dataclass(frozen=True)
class Frequencies:
    """What values and words are among all records, for a field that holds some of these.

    Attributes
    ----------
    counts : int64 array, shape (n_texts,)
        Records that hold each value.
    filled : int
        Records with a value.
    held : mapping of str to int
        Records that hold each word; others are in none.
    threes : mapping of str to int
        Records that hold each three letters.
    spread : float
        The standard deviation of numbers.
    """

    counts: Int64
    filled: int
    held: Mapping[str, int]
    threes: Mapping[str, int]
    spread: float


@dataclass(frozen=True)
class Field:
    """One field of all records.

    Attributes
    ----------
    texts : object array of str
        The different values.
    codes : int32 array, shape (n_records,)
        The value of each record, a place in `texts`; -1 where it is missing.
    beyond : tuple of str
        Fields whose words were taken out of this one, because it repeats them.
    among : Frequencies or None
        Where these records are some of many.
    exchanged : str
        A field whose values stand in this one's place in some records, and are put in theirs.
    called : mapping of str to str
        Values that stand for others, and what these are called.
    joined : tuple of pairs of str and tuple of str
        Fields whose texts are this one's, beside each other, and what each is beyond.
    begun : Words or None
        The words of the first texts, where they are known.
    """

    name: str
    kind: FieldKind
    texts: Array
    codes: Int32
    beyond: tuple[str, ...] = ()
    among: Frequencies | None = None
    exchanged: str = ""
    called: Mapping[str, str] = field(default_factory=dict)
    joined: tuple[tuple[str, tuple[str, ...]], ...] = ()
    begun: Words | None = None

    @property
    def of_many_words(self) -> bool:
        """Whether it is compared by words, and not by letters."""
        return self.kind in ("words", "numbered words", "text")

    @cached_property
    def is_measured(self) -> bool:
        """Whether it holds numbers with fractions, which differ a little where things are the same;
        whole ones are years, counts and codes.
        """
        return self.kind == "number" and bool((self.numbers % 1 > 0).any())

    @cached_property
    def counts(self) -> Int64:
        """How many records hold each value."""
        if self.among is not None:
            return self.among.counts
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    @property
    def filled(self) -> int:
        """How many records have a value."""
        return int((self.codes >= 0).sum()) if self.among is None else self.among.filled

    @cached_property
    def held(self) -> Float:
        """How many records hold each word."""
        words = self.words
        if self.among is not None:
            return np.array([self.among.held.get(word, 0) for word in words.texts], np.float64)
        each = np.repeat(self.counts, np.diff(words.starts))
        return np.bincount(words.ids, weights=each, minlength=len(words.texts)).astype(np.float64)

    @cached_property
    def numbers(self) -> Float:
        """Numbers that the values say; NaN where they say none."""
        return np.array([_number(str(text)) for text in self.texts])

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the numbers, 1 where they do not differ."""
        if self.among is not None:
            return self.among.spread
        return float(np.nanstd(np.repeat(self.numbers, self.counts))) or 1.0

    @cached_property
    def words(self) -> Words:
        """The words of the values."""
        if self.begun is None:
            return self._split(self.texts.tolist())
        rest = self.texts[len(self.begun.starts) - 1 :]
        return Words.joined((self.begun, self._split(rest.tolist())))

    @cached_property
    def weighted(self) -> csr_array:
        """The values as rows of words, weighted by how rare they are among records and scaled to
        length 1 (tf-idf).
        """
        rows = self._rows(np.log1p(self.filled / np.maximum(self.held, 1.0)))
        squares = csr_array((rows.data**2, rows.indices, rows.indptr), shape=rows.shape)
        length = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
        rows.data *= np.repeat(1.0 / np.maximum(length, 1e-12), np.diff(rows.indptr))
        return rows

    @cached_property
    def informed(self) -> csr_array:
        """The values as rows of whole words, whose products are the information that they share."""
        whole = np.array([word.endswith(WHOLE) for word in self.words.texts], np.bool_)
        says = np.log(self.filled / np.maximum(self.held, 1.0))
        rows = self._rows(np.sqrt(np.where(whole, np.maximum(says, 0.0), 0.0)))
        rows.eliminate_zeros()
        return rows

    def _rows(self, weights: Float) -> csr_array:
        ids, starts = self.words.ids, self.words.starts
        shape = (len(self.texts), len(self.words.texts))
        rows = csr_array((weights[ids], ids.copy(), starts.astype(np.int32)), shape=shape)
        rows.sort_indices()
        return rows

    def _split(self, texts: Sequence[str]) -> Words:
        if self.kind == "text":
            return Words.with_threes(texts)
        if self.of_many_words:
            return Words.of(map(words_in, texts))
        return Words.of(dict.fromkeys(text.split()) for text in texts)


def make_field(name: str, kind: str, texts: Sequence[str], codes: Int32) -> Field:
    """A field of a column; texts get the kind of comparison that suits them."""
    values = np.array(texts, object)
    chosen: FieldKind = kind if kind in ("date", "number") else kind_of_texts(values, codes)  # type: ignore[assignment]
    return Field(name, chosen, values, codes)


def kind_of_texts(texts: Array, codes: Int32) -> FieldKind:
    """How texts are compared, told by a sample of them."""
    if not len(texts):
        return "category"
    sample = [str(text) for text in texts[:: max(1, len(texts) // SAMPLE)]]
    words = float(np.mean([text.count(" ") + 1 for text in sample]))
    with_digits = float(np.mean([any(letter.isdigit() for letter in text) for text in sample]))
    length = float(np.mean([len(text) for text in sample]))
    commonest = float(np.bincount(codes[codes >= 0], minlength=1).max()) / max(
        1, int((codes >= 0).sum())
    )
    if len(texts) <= 30 or (commonest > 0.3 and len(texts) <= 1000):
        return "category"
    numbered = len(sample) >= ENOUGH and hold_numbers(sample)
    if words > 4 or (words > 3 and length > 24):
        return "numbered words" if numbered else "words"
    if with_digits > 0.6 and length <= 16:
        return "numbered code" if numbered else "code"
    return "numbered" if numbered else "name"


def words_in_order(text: str) -> str:
    """The words of a text in the alphabet's order: names are written from either end."""
    return " ".join(sorted(text.split()))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def without_words_of(field: Field, others: Sequence[Field]) -> Field | None:
    """The field with the words of others taken out, where it repeats them in most records; None
    where it adds nothing.

    A full name beside a first name and a surname says the middle names: compared as it stands it
    would count the same agreement twice.
    """
    texts, left = beyond_words_of(field, others)
    if (left >= 0).sum() < 0.02 * max(1, field.filled):
        return None
    return Field(
        field.name, kind_of_texts(texts, left), texts, left, tuple(other.name for other in others)
    )


def beyond_words_of(field: Field, others: Sequence[Field]) -> tuple[Array, Int32]:
    """What each record's value says beyond those of others: the different texts,
    and a code into them a record.
    """
    sets = [field, *others]
    split = [[frozenset(text.split()) for text in one.texts] for one in sets]
    codes = np.stack([one.codes for one in sets], axis=1)
    unique, inverse = np.unique(codes, axis=0, return_inverse=True)
    texts: dict[str, int] = {}
    of_unique = np.full(len(unique), -1, np.int32)
    for place, row in enumerate(unique):
        if row[0] < 0:
            continue
        said = frozenset().union(*(split[n][row[n]] for n in range(1, len(sets)) if row[n] >= 0))
        words = " ".join(word for word in str(field.texts[row[0]]).split() if word not in said)
        if words:
            of_unique[place] = texts.setdefault(words, len(texts))
    return np.array(list(texts), object), of_unique[inverse.ravel()]


def joined_texts(fields: Sequence[Field]) -> Field:
    """The texts of fields beside each other, compared as a text alone is."""
    codes = np.stack([one.codes for one in fields], axis=1)
    unique, inverse = np.unique(codes, axis=0, return_inverse=True)
    texts: dict[str, int] = {}
    of_unique = np.full(len(unique), -1, np.int32)
    for place, row in enumerate(unique):
        said = " ".join(str(one.texts[code]) for one, code in zip(fields, row) if code >= 0)
        if said:
            of_unique[place] = texts.setdefault(said, len(texts))
    found, of_record = np.array(list(texts), object), of_unique[inverse.ravel()]
    joined = tuple((one.name, one.beyond) for one in fields)
    return Field(" and ".join(name for name, _ in joined), "text", found, of_record, joined=joined)
