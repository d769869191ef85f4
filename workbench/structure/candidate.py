"""One number a target row: what an aggregate over the rows that a path reaches says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.structure.relational import Column, Reference
from workbench.structure.table_paths import Path

Aggregate = Literal[
    "value", "is", "count", "different", "mean", "min", "max", "sum", "variance", "share", "latest",
    "previous", "latest_is", "since", "first", "interval", "labelled", "in_common", "difference",
    "ratio", "product", "listed",
]  # fmt: skip
INVOLVED = frozenset(("variance", "different", "latest", "latest_is", "first", "interval", "since"))
"""Aggregates of how rows are ordered or spread."""


@dataclass(frozen=True)
class Onward:
    """A column read at the end of a path, perhaps of a row that the last one refers to."""

    references: tuple[Reference, ...]
    column: Column

    @property
    def kind(self) -> str:
        """The column's kind."""
        return self.column.kind


@dataclass(frozen=True)
class WordList:
    """Words of texts, or values of a category, that speak for a label, or against it.

    Attributes
    ----------
    label : int or None
        The place of a class; None of a number: for more of it.
    is_for : bool
        Whether they speak for it, or against.
    grade : int
        0 of the words that tell most, more of others.
    words : tuple of str
        Those that all known labels tell, what tells most first.
    """

    label: int | None
    is_for: bool
    grade: int
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """One number a target row: `aggregate` of `onward` over what `path` reaches.

    Attributes
    ----------
    value : str or None
        Of `is`, `share`, `sum` and `latest_is` over a category: which; of `sum` over a number: a
        threshold, such as `>= 3`, that counted rows pass. Of `since`, `first` and
        `interval` (from row to row, on average): `years`, where rows are dated by these, else days.
    window : int or None
        Only rows of the last so many days (years, where rows are dated by the year) before the
        target's own time; where target rows have none, before the latest of all that is dated so.
    label : int or None
        Of `labelled`: how many rows reached are known to have this label. Of others, which label
        of other rows `onward` reads, as far as known: the place of a class, 0 for a number.
    among : tuple of (Onward, str or None), or None
        Only rows where a category has this value, or where a flag (without a value) is set.
    with_ : (Path, str) or None
        Of `in_common`: where its values must stand, too, as a path of the same target row and a
        column of its end.
    turned : bool
        Of labels of rows of two roles: whether what is known counts for the thing itself, a match
        lost by the home team as won by the other.
    compared : (Candidate, Candidate) or None
        Of `difference`, `ratio` and `product`: the first less the second, divided by it, or times
        it.
    listed : WordList or None
        Of `listed`: how many of these words the texts have, or how many rows one of these values.
    """

    path: Path
    aggregate: Aggregate
    onward: Onward | None = None
    value: str | None = None
    window: int | None = None
    label: int | None = None
    among: tuple[Onward, str | None] | None = None
    with_: tuple[Path, str] | None = None
    compared: tuple[Candidate, Candidate] | None = None
    turned: bool = False
    listed: WordList | None = None

    @property
    def steps(self) -> int:
        """How far from the target's rows it looks."""
        parts = self.compared or ()
        return max((len(self.path.hops), *(part.steps for part in parts)))

    @property
    def turns(self) -> int:
        """By how many turns it says more than a column, or a total over rows next to the target's:
        farther ways, comparisons, some rows alone, things in common, order and spread.
        """
        parts = self.compared or (self,)
        return sum(
            (
                self.compared is not None,
                self.steps > 1,
                any(part.among is not None for part in parts),
                any(part.with_ for part in parts)
                or any(hop.kind == "shared" for part in parts for hop in part.path.hops),
                any(part.aggregate in INVOLVED for part in parts),
            )
        )

    @property
    def of_one_row(self) -> bool:
        """Whether it looks at a row and at what this refers to alone."""
        return not self.path.many and all(part.of_one_row for part in self.compared or ())

    @property
    def of_earlier(self) -> bool:
        """Whether it reads other rows of the target's own table, of which with times the earlier
        ones count: the usual amount, the latest visit. Numbers and totals count the row itself.
        """
        comes_back = self.path.many and self.path.end == self.path.start
        return comes_back and self.aggregate not in ("count", "sum", "different", "listed")

    @property
    def of_text(self) -> bool:
        """Whether it is about words of a text."""
        return self.onward is not None and self.onward.kind == "text"
