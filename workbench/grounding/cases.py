"""One query of a rule's rows, before equal ones are merged, and its line of the rule's count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.grounding.select import (
    COUNT,
    Call,
    ColumnRef,
    Expression,
    Select,
    Source,
    Value,
    call,
    count_of,
    equal,
    negate,
    real_sum,
)


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
        As in `RowShape`.
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
            return equal(call("len", ColumnRef("q", "literals")), 0)
        literals = tuple(value for name, value in self.select.columns if name.startswith("l"))
        if not literals:
            return Value(True)
        if not all(self.may_fold):
            return None
        return (Call("greatest", literals) if len(literals) > 1 else literals[0]) < 0


def open_rows(case: Case, sources: Sequence[Source] | None = None) -> Select:
    """A row for a grounding of a case that has an open atom, from its sources or some of them."""
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
    """One case's line of a rule's count query; `sums` are the scales of what evidence violates."""
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
    """Sums of the scales above and below 0, of the groundings that a test chooses and of all."""
    columns: list[tuple[str, Expression]] = []
    for name, sign in (("positive", 1.0), ("negative", -1.0)):
        signed = call("greatest", scale * sign, zero)
        chosen = Value(zero) if only is None else real_sum(signed, only, in_order=in_order)
        columns.append((name, call("coalesce", chosen, zero)))
        columns.append((f"all_{name}", call("coalesce", real_sum(signed, in_order=in_order), zero)))
    return columns
