"""All candidates of all target rows as one matrix;
columns of neighbours' labels are filled from known labels only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.structure.candidate import Candidate, Onward, WordList
from workbench.structure.table_paths import Path
from workbench.study.around import Around
from workbench.study.columns import CandidateColumns
from workbench.study.folds import Labelled
from workbench.study.gathered import Neighbours, by_path
from workbench.study.word_lists import ListedTexts

A_TURN = 0.8
"""How much of a candidate a shrinking fit to few rows sees for each turn of what it says."""
FEW_ROWS = 600


@dataclass(frozen=True)
class CandidateMatrix:
    """Candidates and their values.

    Attributes
    ----------
    X : float32 array, shape (n_rows, n_candidates)
        NaN where unknown, and in columns of labels.
    neighbours : mapping of Path to Neighbours
        Of the candidates that count labels.
    around : mapping of Path to Around
        Of those that say what is known of other rows' target in another way.
    texts : mapping of (Path, Onward) to ListedTexts
        Of those that count words of lists.
    cut : {'', 'time', 'size'}
        Why not every path was walked, where not every one was.
    """

    candidates: tuple[Candidate, ...]
    X: Real
    neighbours: Mapping[Path, Neighbours]
    cut: Literal["", "time", "size"] = ""
    around: Mapping[Path, Around] = field(default_factory=dict)
    texts: Mapping[tuple[Path, Onward | None], ListedTexts] = field(default_factory=dict)

    @property
    def own(self) -> Int64:
        """The candidates that are columns of the target's own table, but for words of its texts."""
        own = (
            at for at, one in enumerate(self.candidates) if not one.path.hops and not one.of_text
        )
        return np.array(list(own), np.int64)

    @property
    def near(self) -> Int64:
        """The candidates that look no farther than what the target's rows refer to, or what refers
        to them, and at what these refer to; but for words of texts.
        """
        near = (at for at, one in enumerate(self.candidates) if one.steps <= 1 and not one.of_text)
        return np.array(list(near), np.int64)

    def plainness(self, n_rows: int) -> Float:
        """How much of each candidate a shrinking fit to so many rows sees, shape (n_candidates,).

        Less of what says more, for many such candidates fit few rows by chance; all of counts of
        labels.
        """
        turns = [0 if one.aggregate == "labelled" else one.turns for one in self.candidates]
        chance = min(FEW_ROWS / max(n_rows, 1), 1.0)
        return np.asarray(A_TURN ** (chance * np.array(turns, np.float64)))

    @property
    def labelled(self) -> frozenset[int]:
        """The columns that count neighbours of a label."""
        return frozenset(
            at for at, one in enumerate(self.candidates) if one.aggregate == "labelled"
        )

    @property
    def of_labels(self) -> frozenset[int]:
        """The columns that depend on labels of other rows."""
        return frozenset(at for at, one in enumerate(self.candidates) if one.label is not None)

    @property
    def of_lists(self) -> frozenset[int]:
        """The columns that count words of lists, which labels teach."""
        return frozenset(at for at, one in enumerate(self.candidates) if one.listed is not None)

    def seen_as_asked(self, target: Labelled) -> CandidateMatrix:
        """The same, each row that is learned from seeing no more labels of others than a blank
        does: with times those of rows asked long enough before, with groups none of its own.
        """
        when, around, neighbours = target.known_until(), dict(self.around), dict(self.neighbours)
        texts = dict(self.texts)
        if when is not None:
            around = {path: one.before(when) for path, one in around.items()}
        if (group := target.group) is not None:
            around = {path: replace(one, group=group) for path, one in around.items()}
            neighbours = {path: one.apart(group) for path, one in neighbours.items()}
            texts = {key: replace(one, group=group) for key, one in texts.items()}
        return replace(self, around=around, neighbours=neighbours, texts=texts)

    def without_labels(self, learned: Float) -> Real:
        """X with nothing known of any label of other rows, and lists of words of `learned` ones."""
        return self.given(np.full(len(self.X), np.nan), learned)

    def given(self, labels: Float, learned: Float | None = None) -> Real:
        """X with the columns of labels filled from `labels`, shape (n_rows,): NaN where a label is
        not to be seen.

        No row sees its own label, for a row is no neighbour of itself.

        Parameters
        ----------
        learned : float64 array, shape (n_rows,), optional
            The labels that teach lists of words, where these are others.
        """
        columns, lists = sorted(self.of_labels), sorted(self.of_lists)
        if not columns and not lists:
            return self.X
        filled = self.X.copy()
        filled[:, columns] = self.told(labels, columns)
        self._fill_lists(filled, labels if learned is None else learned)
        return filled

    def _fill_lists(self, filled: Real, labels: Float) -> None:
        for texts, places, lists in self._lists():
            filled[:, places] = texts.told(lists, labels)

    def _lists(self) -> Iterator[tuple[ListedTexts, list[int], list[WordList]]]:
        """The lists of each column's texts, and their places."""
        places: dict[tuple[Path, Onward | None], list[int]] = {}
        for at in sorted(self.of_lists):
            candidate = self.candidates[at]
            places.setdefault((candidate.path, candidate.onward), []).append(at)
        for key, some in places.items():
            lists = [self.candidates[at].listed for at in some]
            yield self.texts[key], some, [one for one in lists if one is not None]

    def with_lists(self, labels: Float) -> CandidateMatrix:
        """The same with the words that labels teach each list; without lists of none, of one, which
        is looked at alone, or of the words of another: what speaks for one class of a category may
        speak against another.
        """
        candidates = list(self.candidates)
        for texts, places, lists in self._lists():
            for at, learned in zip(places, texts.learned(lists, labels)):
                candidates[at] = replace(candidates[at], listed=learned)
        first: dict[tuple[object, ...], int] = {}
        for at, one in enumerate(candidates):
            words = None if one.listed is None else frozenset(one.listed.words)
            if words is None or len(words) > 1:
                first.setdefault((at,) if words is None else (one.path, one.onward, words), at)
        kept = list(first.values())
        X = self.X if len(kept) == len(candidates) else self.X[:, kept]
        return replace(self, candidates=tuple(candidates[at] for at in kept), X=X)

    def told(self, labels: Float, columns: Sequence[int]) -> Real:
        """The columns of labels alone, shape (n_rows, n_columns), filled as `given` fills them."""
        found = np.empty((len(labels), len(columns)), np.float32)
        for place, column in enumerate(columns):
            candidate = self.candidates[column]
            if candidate.path in self.around:
                found[:, place] = self.around[candidate.path].told(candidate, labels)
                continue
            ties = self.neighbours[candidate.path]
            hits = labels[ties.target] == candidate.label
            found[:, place] = np.bincount(ties.source[hits], minlength=len(labels))
        return found


def columns_of(columns: CandidateColumns, candidates: Sequence[Candidate]) -> Float:
    """The columns of some candidates, in their order, in the double precision that a program reads
    them in; those of labels are left NaN."""
    out = np.full((len(columns.rows), len(candidates)), np.nan)
    place = {candidate: index for index, candidate in enumerate(candidates)}
    for path, some in by_path(one for one in candidates if one.label is None):
        out[:, [place[one] for one in some]] = columns.fill(path, some, np.float64)
    columns.forget()
    return out
