"""What every kind of rule becomes: its count query, and queries whose rows have one shape each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.grounding.merging import merged_lists, merged_rows, with_template
from workbench.grounding.select import (
    COUNT,
    Call,
    Column,
    Expression,
    Select,
    Source,
    Union,
    Value,
    call,
    count_of,
    equal,
    negate,
    real_sum,
)
from workbench.language.clauses import Clause, LinearRule

__all__ = [
    "TOLERANCE",
    "WIDEST_INTEGRAL",
    "Case",
    "LineForm",
    "MissingAtom",
    "Plan",
    "Shape",
    "count_case",
    "open_rows",
    "summed_scales",
]

TOLERANCE = 1e-9
"""PSL's rows whose potential cannot rise above this are left out."""

WIDEST_INTEGRAL = 127
"""Rows this wide or wider may have a constant (1 less the negated literals)
that does not fit a signed byte.
"""


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
        Columns `template` (with `+`), `l0, l1, ...` (atom ids; -1 where data decide the literal),
        `b` (the constant, where it varies) and `s` (a factor of the scale). With `listing`:
        `literals`, lists of `2 * atom + negated`. With `lines`: `k0, ..., atom, coefficient, b,
        undefined`.
    folded : bool
        Some `l` can be -1.
    constant : float or None
        `b` of the rows; None for the MLN's, 1 minus the number of negated literals left.
    """

    select: Select | Union
    coefficients: tuple[float, ...]
    folded: bool = False
    listing: bool = False
    lines: LineForm | None = None
    constant: float | None = None


@dataclass(frozen=True)
class MissingAtom:
    """An open atom that a grounding needs and that the data may not list.

    Attributes
    ----------
    alias : str or None
        The left join that finds it, if one does.
    is_missing : Expression
        The test that it is not listed.
    constants : tuple of Expression
        Ids of its arguments.
    """

    predicate: str
    alias: str | None
    is_missing: Expression
    constants: tuple[Expression, ...]


@dataclass(frozen=True)
class Case:
    """One query of a rule's rows, not yet merged.

    Attributes
    ----------
    select : Select
        Columns `t0, t1, ...` (the `+` constants), `l0, l1, ...` (atom ids; negative where data
        decide the literal), `b` (the constant, where it varies) and `s` (the scale, where it does).
        With `listing`: `literals` in place of `l`.
    signature : tuple of (str, int)
        Predicate and coefficient of each literal.
    may_fold : tuple of bool
        Which `l` can be negative.
    constant : float or None
        As in `Shape`.
    merged : bool
        Equal rows must be merged.
    missing : tuple of MissingAtom
        Atoms that must be listed.
    """

    select: Select
    signature: tuple[tuple[str, int], ...] = ()
    may_fold: tuple[bool, ...] = ()
    constant: float | None = None
    merged: bool = False
    listing: bool = False
    missing: tuple[MissingAtom, ...] = ()

    @property
    def folded(self) -> bool:
        return any(self.may_fold)

    @property
    def varying(self) -> bool:
        return any(name == "b" for name, _ in self.select.columns)

    @property
    def none_open(self) -> Expression | None:
        """The test that a grounding has no open literal; None where each has one."""
        if self.listing:
            return equal(call("len", Column("q", "literals")), 0)
        literals = tuple(value for name, value in self.select.columns if name.startswith("l"))
        if not literals:
            return Value(True)
        if not all(self.may_fold):
            return None
        return (Call("greatest", literals) if len(literals) > 1 else literals[0]) < 0


def open_rows(case: Case, sources: Sequence[Source] | None = None) -> Select:
    """A row for each grounding of a case that has an open atom,
    from its sources or some of them.
    """
    none_open, select = case.none_open, case.select
    where = select.where if none_open is None else (*select.where, negate(none_open))
    return Select(
        (("one", Value(1)),), select.sources if sources is None else tuple(sources), where
    )


def count_case(
    number: int,
    select: Select,
    none_open: Expression | None,
    sums: Sequence[tuple[str, Expression]],
    unlisted: Expression | None = None,
) -> Select:
    """The line of a rule's count query for one case;
    `sums` are the scales of what evidence violates.
    """
    plus = tuple((name, value) for name, value in select.columns if name.startswith("t"))
    decided = Value(0) if none_open is None else count_of(none_open)
    return Select(
        (
            ("part", Value(number)),
            *plus,
            ("n", COUNT),
            ("decided", decided),
            *sums,
            ("unlisted", unlisted or Value(0)),
        ),
        select.sources,
        select.where,
        group_by=tuple(value for _, value in plus),
    )


def summed_scales(
    scale: Expression, only: Expression | None, zero: float, *, in_order: bool
) -> list[tuple[str, Expression]]:
    """Sums of the scales above and below 0,
    each of the groundings that a test chooses and of all of them.
    """
    columns: list[tuple[str, Expression]] = []
    for name, sign in (("positive", 1.0), ("negative", -1.0)):
        signed = call("greatest", scale * sign, zero)
        chosen = Value(zero) if only is None else real_sum(signed, only, in_order=in_order)
        columns.append((name, call("coalesce", chosen, zero)))
        columns.append((f"all_{name}", call("coalesce", real_sum(signed, in_order=in_order), zero)))
    return columns


@dataclass(frozen=True)
class Plan:
    """A rule ready for the database.

    Attributes
    ----------
    cases : tuple of Case
        Of an arithmetic rule none: its `lines` are one query.
    counts : Select, Union or None
        `part, t0, ..., n, decided, positive, negative, unlisted`; None when the rule can have no
        grounding.

        `n` groundings that evidence does not satisfy, `decided` of them without an open atom, the
        latter's summed scales (times potential), and those that need an atom which is not listed.
        Where scales come from data also `all_positive` and `all_negative`, the summed scales of all
        `n`. Of an arithmetic rule also `width` (most atoms of a row), `total` groundings, and those
        left out as `undefined`.
    shared : bool
        Several threads read the relations, so real numbers are summed in order.
    total : Select or None
        Groundings before evidence is looked at: `t0, ..., n, positive, negative`, the last two
        summed scales. None where evidence removes no grounding.
    scale : float
        The part of the scale that all groundings share.
    width : int
        Most literals of a row.
    integral, integral_constants : bool
        All coefficients, all constants, are integers that fit a signed byte.
    open_groundings : tuple of Select
        Queries with a row for each grounding that has an open atom; none where another bound holds.
    missing : tuple of (str, Select)
        Predicates of atoms that must be listed, with the query for the ids of one that is not.
    checked_late : bool
        That they are is not counted, but seen when the rows are read.
    """

    clause: Clause | LinearRule
    cases: tuple[Case, ...]
    counts: Select | Union | None
    shared: bool
    total: Select | None = None
    scale: float = 1.0
    width: int = 0
    integral: bool = True
    integral_constants: bool = True
    open_groundings: tuple[Select, ...] = ()
    missing: tuple[tuple[str, Select], ...] = ()
    checked_late: bool = False
    lines: Shape | None = None

    @property
    def n_plus(self) -> int:
        return (
            len(self.clause.plus)
            if isinstance(self.clause, Clause) and not self.clause.multiset
            else 0
        )

    @property
    def only_units(self) -> bool:
        """No grounding becomes a row."""
        clause = self.clause
        if isinstance(clause, LinearRule) or clause.multiset or clause.existential:
            return False
        return not clause.hard and clause.power == 1 and self.width <= 1

    def shapes(self, templates: str | None) -> tuple[Shape, ...]:
        """The queries; `templates` is the relation `(t0, ...,
        template)` of the `+` combinations to keep.
        """
        if self.lines is not None:
            return (self.lines,)
        alike: dict[object, list[Case]] = {}
        for number, case in enumerate(self.cases):
            if case.signature or case.listing:
                key = (
                    (case.signature, case.constant, case.varying, case.folded)
                    if case.merged
                    else number
                )
                alike.setdefault(key, []).append(case)
        return tuple(self._shape(cases, templates) for cases in alike.values())

    def _shape(self, cases: Sequence[Case], templates: str | None) -> Shape:
        """The rows of cases that may hold equal ones, merged where they must be."""
        first, n_plus = cases[0], self.n_plus
        if first.listing:
            return Shape(
                merged_lists(first.select, n_plus, templates, in_order=self.shared),
                (),
                listing=True,
            )
        select: Select | Union = with_template(first.select, n_plus, templates)
        if first.merged:
            select = merged_rows(
                first.select if len(cases) == 1 else Union(tuple(case.select for case in cases)),
                first.signature,
                n_plus=n_plus,
                templates=templates,
                scale="s" if any(name == "s" for name, _ in first.select.columns) else None,
                constant="b" if first.varying else None,
                in_order=self.shared or len(cases) > 1,
            )
        coefficients = tuple(float(coefficient) for _, coefficient in first.signature)
        return Shape(select, coefficients, first.folded, constant=first.constant)
