"""Joins of evidence that several queries begin with, made once.

A rule is counted and then written, by a query for each of its cases, and rules that differ in signs
alone (the sixteen triads of structural balance) begin with the same relations of evidence under the
same conditions. Where these have few rows together, they become one small relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from workbench.grounding.backend import DuckDB
from workbench.grounding.fact_relations import LARGE
from workbench.grounding.plans import Plan
from workbench.grounding.select import ColumnRef, Raw, Select, Source, Union, parts, tables_of
from workbench.grounding.vocabulary import Vocabulary

FEW = 3
"""So many queries must begin alike: a join that is made takes longer than one that is counted."""


@dataclass(frozen=True)
class _Join:
    """The rows that queries begin with, and the columns of them by what they were."""

    query: Select
    names: Mapping[ColumnRef, ColumnRef]

    @classmethod
    def of(cls, alias: str, sources: tuple[Source, ...], selects: Sequence[Select]) -> _Join:
        """The rows of some sources under the conditions that all queries have on these alone."""
        aliases = {one.alias for one in sources}
        read = (one for select in selects for one in parts(select) if isinstance(one, ColumnRef))
        names = {
            one: ColumnRef(alias, f"{one.table}_{one.name}") for one in read if one.table in aliases
        }
        where = tuple(
            test
            for test in selects[0].where
            if tables_of(test) and tables_of(test) <= aliases
            if all(test in one.where for one in selects)
        )
        shown = tuple((new.name, old) for old, new in names.items())
        return cls(Select(shown, sources, where), names)

    def instead(self, select: Select, source: Source) -> Select:
        """A query that begins with the join, reading it from a relation."""
        rest: Select = _with(
            replace(
                select,
                sources=select.sources[len(self.query.sources) :],
                where=tuple(one for one in select.where if one not in self.query.where),
            ),
            self.names,
        )
        return replace(rest, sources=(source, *rest.sources))


def with_shared_joins(vocabulary: Vocabulary, plans: Mapping[int, Plan]) -> dict[int, Plan]:
    """The plans, each join that `FEW` of their queries begin with a relation of its own.

    Only of relations that one thread reads whole, and while the join is one, too: rows keep an
    order that no number of threads changes.
    """
    backend, tables = vocabulary.backend, vocabulary.tables
    if vocabulary.shared or not isinstance(backend, DuckDB):
        return dict(plans)
    opened = tables.of_kind("listed")
    uses: dict[tuple[Source, ...], list[Select]] = {}
    for select in (one for plan in plans.values() for one in _queries(plan)):
        uses.setdefault(_beginning(select, opened), []).append(select)
    instead: dict[int, Select] = {}
    for number, (sources, selects) in enumerate(uses.items()):
        if not sources or len(selects) < FEW or any(map(_has_subquery, selects)):
            continue
        join = _Join.of(f"j{number}", sources, selects)
        query = backend.text(join.query)
        relation = tables.keep_few("join", f"{number}", query, LARGE) if join.names else None
        if relation is not None:
            source = Source(relation, f"j{number}")
            instead |= {id(one): join.instead(one, source) for one in selects}
    return {
        number: _changed(plan, lambda one: instead.get(id(one), one))
        for number, plan in plans.items()
    }


def _has_subquery(select: Select) -> bool:
    return any(isinstance(one, Raw) for one in parts(select))


def _beginning(select: Select, opened: frozenset[str]) -> tuple[Source, ...]:
    """The joined relations of evidence that a query begins with; none of one without a join."""
    n = 0
    for source in select.sources:
        if source.kind != "inner" or source.relation in opened:
            break
        n += 1
    return select.sources[:n] if any(source.on for source in select.sources[:n]) else ()


def _queries(plan: Plan) -> Iterator[Select]:
    """The queries of relations alone that count a rule and make its rows."""
    found: list[Select] = []

    def noted(select: Select) -> Select:
        found.append(select)
        return select

    _changed(plan, noted)
    yield from found


def _changed(plan: Plan, change: Callable[[Select], Select]) -> Plan:
    """The plan with the queries of relations alone that count it and make its rows changed."""

    def of(query: Any) -> Any:
        if isinstance(query, Union):
            return Union(tuple(map(of, query.selects)))
        if not isinstance(query, Select):
            return query
        if all(isinstance(one.relation, str) for one in query.sources):
            return change(query)
        sources = (replace(one, relation=of(one.relation)) for one in query.sources)
        return replace(query, sources=tuple(sources))

    cases = tuple(replace(one, select=of(one.select)) for one in plan.cases)
    return replace(plan, cases=cases, counts=of(plan.counts), total=of(plan.total))


def _with(part: Any, names: Mapping[ColumnRef, ColumnRef]) -> Any:
    """A part of a query with some columns in the place of others."""
    if isinstance(part, ColumnRef):
        return names.get(part, part)
    if isinstance(part, tuple):
        return tuple(_with(one, names) for one in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    whole: Any = part
    return replace(
        whole, **{one.name: _with(getattr(part, one.name), names) for one in fields(part)}
    )
