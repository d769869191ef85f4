"""Lists of words, or of values, that speak for a label or against it, learned from labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import rankdata

from workbench.arrays import Bool, Float, Int64
from workbench.structure.candidate import Onward, WordList
from workbench.structure.table_paths import Path
from workbench.study.around import PARTS, parts_of
from workbench.study.columns import CandidateColumns
from workbench.study.texts import coded_words

FEWEST = 3
"""Texts with a known label that have a word which is listed."""
MOST_LISTED = 100
ADDED = 2
"""Labels that are added to those of a word, as all labels are: few of them say little."""
GRADES = (3.0, 0.7, 0.3, 0.1)
"""From how far a word moves log odds it is in the first list, in the second, in the third; half as
far in deviations of a number.
"""


@dataclass(frozen=True)
class ListedTexts:
    """The words of the texts that each target row reaches.

    Attributes
    ----------
    words : tuple of str
    counts : csr array, shape (n_rows, n_words)
        How many of a row's texts have each word.
    known : bool array, shape (n_rows,)
        Whether there are texts that could have any.
    group : int64 array, shape (n_rows,), or None
        Rows of one group, by their codes, see no list that another of them taught.
    """

    words: tuple[str, ...]
    counts: csr_array
    known: Bool
    group: Int64 | None = None

    @cached_property
    def _present(self) -> csr_array:
        return (self.counts > 0).astype(np.float64)

    def told(self, lists: Sequence[WordList], labels: Float) -> Float:
        """How many words of each list the texts of each row have, shape (n_rows, n_lists), lists
        being learned from the labels that are known. O(words of all texts, times lists).

        A row whose label is known sees lists that other parts of the rows taught (five, drawn
        once, groups whole), as a row that is asked does.
        """
        seen = ~np.isnan(labels)
        part = parts_of(len(labels), self.group)
        found = np.full((len(labels), len(lists)), np.nan)
        for one in range(PARTS):
            rows = seen & (part == one) & self.known
            found[rows] = self.counts[rows] @ self._listed(lists, labels, seen & (part != one))
        rows = ~seen & self.known
        found[rows] = self.counts[rows] @ self._listed(lists, labels, seen)
        return found

    def learned(self, lists: Sequence[WordList], labels: Float) -> tuple[WordList, ...]:
        """The lists with the words that all known labels teach, those that tell most first."""
        chosen = self._chosen(lists, labels, ~np.isnan(labels))
        return tuple(
            replace(one, words=tuple(self.words[at] for at in places))
            for one, places in zip(lists, chosen)
        )

    def _listed(self, lists: Sequence[WordList], labels: Float, among: Bool) -> Float:
        """1 where a list has a word, else 0, shape (n_words, n_lists)."""
        found = np.zeros((len(self.words), len(lists)))
        for place, chosen in enumerate(self._chosen(lists, labels, among)):
            found[chosen, place] = 1.0
        return found

    def _chosen(self, lists: Sequence[WordList], labels: Float, among: Bool) -> Iterator[Int64]:
        """The places of the words of each list as the labels of some rows tell them, those that
        tell most first.
        """
        rows = among & self.known
        texts = self._present[rows]
        n = np.asarray(texts.sum(axis=0), np.float64)
        told = {one: _spoken(texts, n, labels[rows], one) for one in {x.label for x in lists}}
        for one in lists:
            tells = told[one.label] if one.is_for else -told[one.label]
            least = GRADES[one.grade]
            most = GRADES[one.grade - 1] if one.grade else np.inf
            chosen = np.flatnonzero((tells >= least) & (tells < most) & (n >= FEWEST))
            yield chosen[np.argsort(-tells[chosen], kind="stable")][:MOST_LISTED]


def _spoken(texts: csr_array, n: Float, labels: Float, label: int | None) -> Float:
    """By how much each word moves the log odds of a label, or twice a number's rank in deviations.

    Naive Bayes, with `ADDED` labels more, times what is sure of it: 1 - 1/z^2, z being by how many
    standard errors a word is from telling nothing (James and Stein 1961), 0 up to one.
    """
    if label is None and len(labels):
        ranks = rankdata(labels)
        y = (ranks - ranks.mean()) / (ranks.std() or 1.0)
        total = np.asarray(texts.T @ y)
        return _sure(2 * total / (n + ADDED), total / np.sqrt(np.maximum(n, 1)))
    y = (labels == label).astype(np.float64)
    rate = float(y.mean()) if len(y) else 0.0
    if not 0 < rate < 1:
        return np.zeros(len(n))
    total = np.asarray(texts.T @ y)
    share = (total + ADDED * rate) / (n + ADDED)
    tells = np.log(share / (1 - share)) - np.log(rate / (1 - rate))
    return _sure(tells, (total - n * rate) / np.sqrt(np.maximum(n, 1) * rate * (1 - rate)))


def _sure(tells: Float, z: Float) -> Float:
    return tells * (1 - 1 / np.maximum(z * z, 1.0))


def lists_of(labels: Sequence[int | None]) -> tuple[WordList, ...]:
    """The lists that are made for each label: for and against it, of words that tell much, less
    or little.
    """
    return tuple(
        WordList(label, is_for, grade)
        for label in labels
        for is_for in (True, False)
        for grade in range(len(GRADES))
    )


def listed_texts(columns: CandidateColumns, path: Path, text: Onward) -> ListedTexts | None:
    """The words of a column's texts that each target row reaches; None where these are too many."""
    reached, typed = columns.texts(path, text), columns.typed_of(path)
    words, rows, places = coded_words(columns.staging, typed, text.column, FEWEST)
    counts = reached.counts(rows, places, len(words)) if words else None
    return None if counts is None else ListedTexts(words, counts, reached.known)
