"""Equal rows merged in SQL, with the sum of their scales."""

from __future__ import annotations

from collections.abc import Sequence

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
