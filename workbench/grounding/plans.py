"""What every kind of rule gives the grounder: count queries, and queries whose rows have one shape each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from workbench.errors import WorkbenchError
from workbench.grounding.select import Expression, Select, Union, Value, negate
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.program import Clause, LinearRule

__all__ = ["TOLERANCE", "WIDEST_INTEGRAL", "LineForm", "Plan", "Shape", "open_rows"]

TOLERANCE = 1e-9
"""PSL's rows whose potential cannot rise above this are left out."""

WIDEST_INTEGRAL = 127
"""Rows this wide or wider may have a constant (1 less the negated literals) that does not fit a signed byte."""


@dataclass(frozen=True)
class LineForm:
    """How the lines of an arithmetic rule, a line a grounding and atom, become rows.

    Attributes
    ----------
    n_keys : int
        Columns `k0, ...` whose change starts a grounding.
    constant : float
        Added to every row's `b`.
    relation : {'<=', '='}
        Rows of `<=` that nothing can violate are left out.
    merged : bool
        Equal rows must be merged.
    """

    n_keys: int
    constant: float
    relation: str
    merged: bool


@dataclass(frozen=True)
class Shape:
    """Rows of one shape.

    Attributes
    ----------
    select : Select
        Columns `template` (with `+`), `l0, l1, ...` (atom ids; -1 where data decide the literal), `b` (the constant,
        where it varies) and `s` (a factor of the scale). With `listing`: `literals`, lists of `2 * atom + negated`.
        With `lines`: `k0, ..., atom, coefficient, b, undefined`.
    coefficients : tuple of float
    folded : bool
        Some `l` can be -1.
    listing : bool
    lines : LineForm or None
    constant : float or None
        `b` of the rows; None for the MLN's, 1 minus the number of negated literals left.
    """

    select: Select | Union
    coefficients: tuple[float, ...]
    folded: bool = False
    listing: bool = False
    lines: LineForm | None = None
    constant: float | None = None


def open_rows(select: Select, none_open: Expression | None) -> Select:
    """A row for each grounding that has an open atom."""
    where = select.where if none_open is None else (*select.where, negate(none_open))
    return Select((("one", Value(1)),), select.sources, where)


class Plan(Protocol):
    """A rule ready for the database."""

    @property
    def clause(self) -> Clause | LinearRule: ...

    @property
    def scale(self) -> float:
        """The part of the scale that all groundings share."""
        ...

    @property
    def n_plus(self) -> int: ...

    @property
    def total(self) -> Select | None:
        """Groundings before evidence is looked at: `t0, ..., n, positive, negative`, the last two summed scales.

        None where evidence removes no grounding.
        """
        ...

    @property
    def checked_late(self) -> bool:
        """That all open atoms it needs are listed is not counted, but seen when the rows are read."""
        ...

    @property
    def only_units(self) -> bool:
        """No grounding becomes a row."""
        ...

    @property
    def width(self) -> int:
        """Most literals of a row."""
        ...

    @property
    def integral(self) -> bool:
        """All coefficients are integers that fit a signed byte."""
        ...

    @property
    def integral_constants(self) -> bool:
        """All constants are integers that fit a signed byte."""
        ...

    def open_groundings(self) -> tuple[Select, ...]:
        """Queries with a row for each grounding that has an open atom; none where another bound holds."""
        ...

    def counts(self) -> Select | Union | None:
        """`part, t0, ..., n, decided, positive, negative, unlisted`; None when the rule can have no grounding.

        `n` groundings that evidence does not satisfy, `decided` of them without an open atom, the latter's summed
        scales (times potential), and those that need an atom which is not listed. Where scales come from data also
        `all_positive` and `all_negative`, the summed scales of all `n`. Of an arithmetic rule also `width`
        (most atoms of a row), `total` groundings, and those left out as `undefined`.
        """
        ...

    def shapes(self, templates: str | None) -> tuple[Shape, ...]:
        """The queries; `templates` is the relation `(t0, ..., template)` of the `+` combinations to keep."""
        ...

    def unlisted_error(self, vocabulary: Vocabulary) -> WorkbenchError | None:
        """The error that names the rule and an open atom which the data do not list; None when they list all."""
        ...
