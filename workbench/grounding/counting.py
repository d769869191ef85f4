"""Counting queries: how many groundings each clause has, before anything is materialised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.grounding.backend import Backend
from workbench.grounding.bindings import all_bindings, open_bindings
from workbench.grounding.clauses import scale_of
from workbench.grounding.plans import Plan
from workbench.grounding.refusals import check_listed, selects_of, too_many
from workbench.grounding.select import Select, Union, Value
from workbench.grounding.templates import TemplateTable
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.progress import SILENT, Progress

__all__ = ["Tally", "count_plans", "number_templates", "sizes"]


@dataclass
class Tally:
    """Counts of one clause, per `+` combination in order of the constants' names.

    `undefined` groundings are left out because they divide by zero. `unsatisfied_scale` is of all
    groundings that evidence does not satisfy; None where their scales do not differ.
    """

    plan: Plan
    keys: list[tuple[int, ...]]
    names: list[tuple[str, ...]]
    open: Int64
    violated: Int64
    violated_scale: Float
    total: Float
    total_scale: Float
    width: int
    undefined: int = 0
    unsatisfied_scale: Float | None = None
    templates: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))


TOGETHER = 50
"""Clauses without variables that are counted by one query: preparing it is what takes time,
and more than linearly.
"""


def count_plans(
    vocabulary: Vocabulary,
    plans: Mapping[int, Plan],
    most: int,
    lazy: Collection[int] = (),
    progress: Progress = SILENT,
) -> list[Tally]:
    """Counts of all clauses, those left to a row source (`lazy`) uncounted."""
    counted = count_together(vocabulary, {n: plan for n, plan in plans.items() if n not in lazy})
    tallies = []
    for number, plan in plans.items():
        progress.step("count", number, len(plans), f"rule {plan.clause.rule + 1}")
        if number in lazy:
            tallies.append(uncounted(plan))
        else:
            tallies.append(count_plan(vocabulary, plan, most, counted.get(number)))
    return tallies


def number_templates(tallies: Sequence[Tally], table: TemplateTable) -> None:
    """Give each `+` combination of each clause the number of its template; -1 for hard rules."""
    for tally in tallies:
        clause = tally.plan.clause
        if clause.hard:
            tally.templates = np.full(len(tally.keys), -1, np.int32)
        elif isinstance(clause, LinearRule):
            tally.templates = np.array([table.number_linear(clause)], np.int32)
        else:
            tally.templates = table.number(clause, tally.names)


def count_together(
    vocabulary: Vocabulary, plans: Mapping[int, Plan]
) -> dict[int, list[dict[str, Any]]]:
    """Lines of the count queries of those clauses that have no variables and
    open atoms or not as the data say.
    """
    found: dict[int, list[dict[str, Any]]] = {}
    selects = []
    for number, plan in plans.items():
        clause = plan.clause
        if (
            isinstance(clause, LinearRule)
            or clause.multiset
            or clause.variable_types
            or scale_of(clause)[1]
        ):
            continue
        if open_bindings(vocabulary, clause) is None:
            found[number] = []
            selects += [_numbered(number, one) for one in selects_of(plan)]
    for first in range(0, len(selects), TOGETHER):
        names, rows = vocabulary.backend.rows(Union(tuple(selects[first : first + TOGETHER])))
        for row in rows:
            found[row[0]].append(dict(zip(names, row)))
    return found


def _numbered(number: int, select: Select) -> Select:
    return replace(select, columns=(("clause", Value(number)), *select.columns))


def count_plan(
    vocabulary: Vocabulary, plan: Plan, most: int, counted: Sequence[dict[str, Any]] | None = None
) -> Tally:
    """Run the count queries of one clause, of which `counted` may give the lines.

    Raises
    ------
    InputError
        E0310 where a query would count more than `most` groundings with an open atom; E0330 for an
        atom not listed.
    """
    backend, n_plus = vocabulary.backend, plan.n_plus
    counts: defaultdict[tuple[int, ...], _Counts] = defaultdict(_Counts)
    bindings = open_bindings(vocabulary, plan.clause)
    if bindings is not None:
        counts[()].add_total(bindings.total, bindings.total)
    elif (
        plan.total is not None
        and (every := all_bindings(vocabulary, plan.clause, plan.total)) is not None
    ):
        counts[()].add_total(every, every)
    elif plan.total is not None:
        for row in backend.rows(plan.total)[1]:
            counts[row[:n_plus]].add_total(*row[n_plus:])
    if bindings is not None and bindings.open < 2**62:
        counts[()].open = bindings.open
    elif bindings is not None or _explodes(
        vocabulary, plan, sum(one.total for one in counts.values()), most
    ):
        raise too_many(vocabulary, plan, most)
    width, undefined, scales_differ = plan.width, 0, False
    if counted is None and bindings is None:
        lines = _count_rows(backend, plan)
    else:
        lines = (((), line) for line in counted or ())
    for key, line in lines:
        if line["unlisted"]:
            check_listed(vocabulary, plan)
        width = max(width, line.get("width", 0))
        undefined += line.get("undefined", 0)
        one = counts[key]
        if plan.total is None:
            more = line.get("total", line["n"])
            one.add_total(more, more)
        one.open += line["n"] - line["decided"]
        if "all_positive" in line:
            scales_differ = True
            one.unsatisfied_scale += (line["all_positive"], line["all_negative"])
        if line["decided"]:
            one.violated += line["decided"]
            one.violated_scale += (line["positive"], line["negative"])
    keys: list[tuple[int, ...]] = [()]
    names: list[tuple[str, ...]] = [()]
    if n_plus:
        keys = [
            key
            for key, one in counts.items()
            if one.open or one.violated or one.costs_while_satisfied(plan)
        ]
        named = sorted(zip(_names(vocabulary, plan.clause, keys), keys))
        names, keys = [name for name, _ in named], [key for _, key in named]
    chosen = [counts[key] for key in keys]

    def scales(name: str) -> Float:
        sums = np.array([getattr(one, name) for one in chosen], np.float64).reshape(-1, 2) * abs(
            plan.scale
        )
        return sums[:, ::-1] if plan.scale < 0 else sums

    return Tally(
        plan,
        keys,
        names,
        np.array([one.open for one in chosen], np.int64),
        np.array([one.violated for one in chosen], np.int64),
        scales("violated_scale"),
        np.array([one.total for one in chosen], np.float64),
        scales("total_scale"),
        width,
        undefined,
        scales("unsatisfied_scale") if scales_differ else None,
    )


@dataclass
class _Counts:
    """Groundings of one `+` combination, and their summed scales above and below 0."""

    total: float = 0.0
    open: int = 0
    violated: int = 0
    total_scale: Float = field(default_factory=lambda: np.zeros(2))
    violated_scale: Float = field(default_factory=lambda: np.zeros(2))
    unsatisfied_scale: Float = field(default_factory=lambda: np.zeros(2))

    def add_total(
        self, count: float | None, positive: float | None, negative: float | None = 0.0
    ) -> None:
        """Add groundings, of which there may be none."""
        self.total += float(count or 0)
        self.total_scale += (float(positive or 0), float(negative or 0))

    def costs_while_satisfied(self, plan: Plan) -> bool:
        """Whether groundings cost something that satisfied ones pay."""
        clause = plan.clause
        assert isinstance(clause, Clause)
        weight = 1.0 if clause.weight_variable is not None else clause.weight or 0.0
        positive, negative = self.total_scale
        return (
            self.total > 0
            and (positive if weight * plan.scale < 0 else negative if weight else 0.0) > 0
        )


def _explodes(vocabulary: Vocabulary, plan: Plan, total: float, most: int) -> bool:
    """Whether a rule has more open groundings than are to be counted."""
    if plan.total is not None and total <= most:
        return False
    return vocabulary.backend.has_more_than(plan.open_groundings, most)


def _count_rows(backend: Backend, plan: Plan) -> Iterator[tuple[tuple[int, ...], dict[str, Any]]]:
    """Lines of the count query: the `+` combination, and the counts by name."""
    if plan.counts is None:
        return
    names, rows = backend.rows(plan.counts)
    for row in rows:
        yield row[1 : 1 + plan.n_plus], dict(zip(names, row))


def uncounted(plan: Plan) -> Tally:
    """The tally of a clause whose rows are left to a row source."""
    none, no_scale = np.zeros(1, np.int64), np.zeros((1, 2))
    return Tally(plan, [()], [()], none, none, no_scale, np.zeros(1), no_scale, plan.width)


def _names(
    vocabulary: Vocabulary, clause: Clause | LinearRule, keys: list[tuple[int, ...]]
) -> list[tuple[str, ...]]:
    """Names of `+` combinations."""
    types = dict(clause.variable_types)
    columns = []
    assert isinstance(clause, Clause)
    for place, variable in enumerate(clause.plus):
        names = vocabulary.names_of(types[variable], sorted({key[place] for key in keys}))
        columns.append([names[key[place]] for key in keys])
    return list(zip(*columns))


def sizes(tallies: Sequence[Tally]) -> tuple[int, int]:
    """The most rows, and the most literals in them, that counted clauses come to."""
    stored = [
        (int(tally.open.sum()), tally.width) for tally in tallies if not tally.plan.only_units
    ]
    return sum(rows for rows, _ in stored), sum(rows * width for rows, width in stored)
