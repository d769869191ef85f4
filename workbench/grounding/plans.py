"""What every kind of rule becomes: its count query, and queries whose rows have one shape
each; equal rows are merged in SQL, with the sum of their scales.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.grounding.cases import Case
from workbench.grounding.select import (
    COUNT,
    Call,
    ColumnRef,
    Expression,
    Select,
    Source,
    Union,
    call,
    equal,
    real_sum,
)
from workbench.language.clauses import Clause, LinearRule


def _canonical(signature: Sequence[tuple[str, float]], alias: str) -> tuple[Expression, ...]:
    """`l0, ...`, ascending where predicate and coefficient agree: equal rows are identical."""
    ordered: dict[int, Expression] = {}
    for kind in dict.fromkeys(signature):
        places = [i for i, other in enumerate(signature) if other == kind]
        columns = tuple(ColumnRef(alias, f"l{i}") for i in places)
        if len(places) == 1:
            ordered[places[0]] = columns[0]
        elif len(places) == 2:
            ordered[places[0]] = Call("least", columns)
            ordered[places[1]] = Call("greatest", columns)
        else:
            values = call("list_sort", Call("list_value", columns))
            for rank, place in enumerate(places):
                ordered[place] = call("list_extract", values, rank + 1)
    return tuple(ordered[i] for i in range(len(signature)))


def merged_rows(
    inner: Select | Union,
    signature: Sequence[tuple[str, float]],
    *,
    n_plus: int,
    templates: str | None,
    scale: str | None,
    constant: str | None,
    in_order: bool,
) -> Select:
    """Group equal rows of `inner`, in ascending order.

    Columns: `template` (where `templates` is given), `l0, ...`, the `constant` column if any, and
    `s`, the number of groundings or the sum of their `scale` column, scales above and below 0
    apart: each has its own cost in an energy.
    """
    keys, sources = _by_template(inner, "r", n_plus, templates)
    keys += [(f"l{i}", value) for i, value in enumerate(_canonical(signature, "r"))]
    if constant is not None:
        keys.append((constant, ColumnRef("r", constant)))
    total: Expression = (
        COUNT if scale is None else real_sum(ColumnRef("r", scale), in_order=in_order)
    )
    names = tuple(ColumnRef("", name) for name, _ in keys)
    signs = () if scale is None else (ColumnRef("r", scale) < 0,)
    return Select(
        (*keys, ("s", call("cast DOUBLE", total))),
        sources,
        group_by=(*(value for _, value in keys), *signs),
        order_by=(*names, ColumnRef("", "s")) if signs else names,
    )


def merged_lists(inner: Select, n_plus: int, templates: str | None, *, in_order: bool) -> Select:
    """The same of rows that are lists of literals, by their columns `literals` and `s`."""
    keys, sources = _by_template(inner, "q", n_plus, templates)
    keys.append(("literals", ColumnRef("q", "literals")))
    return Select(
        (*keys, ("s", real_sum(ColumnRef("q", "s"), in_order=in_order))),
        sources,
        group_by=(*(value for _, value in keys), ColumnRef("q", "s") < 0),
        order_by=(*(ColumnRef("", name) for name, _ in keys), ColumnRef("", "s")),
    )


def _by_template(
    inner: Select | Union, alias: str, n_plus: int, templates: str | None
) -> tuple[list[tuple[str, Expression]], tuple[Source, ...]]:
    """The column `template` where there are `+` constants, and the relation that gives it."""
    rows = Source(inner, alias)
    if not n_plus or templates is None:
        return [], (rows,)
    on = tuple(equal(ColumnRef("tm", f"t{i}"), ColumnRef(alias, f"t{i}")) for i in range(n_plus))
    return [("template", ColumnRef("tm", "template"))], (rows, Source(templates, "tm", on))


def with_template_id(select: Select, n_plus: int, templates: str | None) -> Select:
    """The select with the template's id in place of its `+` constants."""
    if not n_plus or templates is None:
        return select
    on = tuple(
        equal(ColumnRef("tm", f"t{i}"), value)
        for i, (_, value) in enumerate(select.columns[:n_plus])
    )
    columns = (("template", ColumnRef("tm", "template")), *select.columns[n_plus:])
    # Before left and anti joins: those look rows up, and need no more of them than there must be.
    inner = [source for source in select.sources if source.kind == "inner"]
    rest = [source for source in select.sources if source.kind != "inner"]
    if not inner:
        return Select(columns, (Source(templates, "tm"),), (*select.where, *on))
    return Select(columns, (*inner, Source(templates, "tm", on), *rest), select.where)


TOLERANCE = 1e-9
"""PSL's rows whose potential cannot rise above this are left out."""

WIDEST_INTEGRAL = 127
"""Rows this wide may have a constant (1 less the negated literals) that fits no signed byte."""


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
class RowShape:
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
        Of existential clauses, each that closed predicates leave open, and of arithmetic rules
        every one: so many are looked at.
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
    lines: RowShape | None = None

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

    def shapes(self, templates: str | None) -> tuple[RowShape, ...]:
        """The queries; `templates` is `(t0, ..., template)`, the `+` combinations to keep."""
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

    def _shape(self, cases: Sequence[Case], templates: str | None) -> RowShape:
        """The rows of cases that may hold equal ones, merged where they must be."""
        first, n_plus = cases[0], self.n_plus
        if first.listing:
            return RowShape(
                merged_lists(first.select, n_plus, templates, in_order=self.shared),
                (),
                listing=True,
            )
        select: Select | Union = with_template_id(first.select, n_plus, templates)
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
        return RowShape(select, coefficients, first.folded, constant=first.constant)
