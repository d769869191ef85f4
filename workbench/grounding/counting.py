"""Counting queries: how many groundings each clause has, before anything is materialised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.grounding.bindings import all_bindings, open_bindings
from workbench.grounding.clauses import scale_of
from workbench.grounding.plans import Plan
from workbench.grounding.refusals import check_listed, selects_of, too_many
from workbench.grounding.select import Select, Union, Value
from workbench.grounding.templates import TemplateTable
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.progress import SILENT, Progress


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
"""Clauses without variables counted by one query: preparing it grows more than linearly."""

Line = tuple[tuple[int, ...], dict[str, Any]]
"""A `+` combination, and its counts by name."""

Lines = list[Line]

MOST_COUNTED = 2**62
"""Open groundings from which their number is no integer of the database any more."""


def count_plans(
    vocabulary: Vocabulary,
    plans: Mapping[int, Plan],
    most: int,
    lazy: Collection[int] = (),
    progress: Progress = SILENT,
    counted: Mapping[int, Lines] | None = None,
) -> list[Tally]:
    """Counts of all clauses, some `counted`, those left to a row source (`lazy`) uncounted."""
    known = dict(counted or {})
    known |= count_together(
        vocabulary, {n: plan for n, plan in plans.items() if n not in lazy and n not in known}
    )
    tallies = []
    for number, plan in plans.items():
        progress.step("count", number, len(plans), f"rule {plan.clause.rule + 1}")
        if number in lazy:
            tallies.append(uncounted(plan))
        else:
            tallies.append(count_plan(vocabulary, plan, most, known.get(number)))
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


def count_together(vocabulary: Vocabulary, plans: Mapping[int, Plan]) -> dict[int, Lines]:
    """Count clauses together that have no variables, with open atoms or not as the data say."""
    found: dict[int, Lines] = {}
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
            found[row[0]].append(((), dict(zip(names, row))))
    return found


def _numbered(number: int, select: Select) -> Select:
    return replace(select, columns=(("clause", Value(number)), *select.columns))


def count_plan(
    vocabulary: Vocabulary, plan: Plan, most: int, counted: Lines | None = None
) -> Tally:
    """Run the count queries of one clause, of which `counted` may give the lines.

    Raises E0310 where a query would count more than `most` groundings with an open atom; E0330 for
    an atom not listed.
    """
    count = _Count(plan, plan.width)
    bindings = open_bindings(vocabulary, plan.clause)
    if bindings is not None:
        count.of[()].add_total(bindings.total, bindings.total)
        if bindings.open >= MOST_COUNTED:
            raise too_many(vocabulary, plan, most)
        count.of[()].open = bindings.open
    else:
        _add_totals(vocabulary, count)
        few = plan.total is not None and count.total <= most
        if not few and vocabulary.backend.has_more_than(plan.open_groundings, most):
            raise too_many(vocabulary, plan, most)
    if counted is None and bindings is None and plan.counts is not None:
        counted = list(lines_of(plan, *vocabulary.backend.rows(plan.counts)))
    for key, line in counted or ():
        if line["unlisted"]:
            check_listed(vocabulary, plan)
        count.add(key, line)
    if not plan.n_plus:
        return count.tally([()], [()])
    keys = count.costly_keys()
    named = sorted(zip(_names(vocabulary, plan.clause, keys), keys))
    return count.tally([key for _, key in named], [name for name, _ in named])


def _add_totals(vocabulary: Vocabulary, count: _Count) -> None:
    """Count all groundings of a clause before evidence is looked at."""
    plan = count.plan
    if plan.total is None:
        return
    every = all_bindings(vocabulary, plan.clause, plan.total)
    if every is not None:
        count.of[()].add_total(every, every)
        return
    for row in vocabulary.rows(plan.total)[1]:
        count.of[row[: plan.n_plus]].add_total(*row[plan.n_plus :])


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


@dataclass
class _Count:
    """A clause being counted: its `+` combinations, and what its lines say of them all."""

    plan: Plan
    width: int
    undefined: int = 0
    scales_differ: bool = False
    of: defaultdict[tuple[int, ...], _Counts] = field(default_factory=lambda: defaultdict(_Counts))

    @property
    def total(self) -> float:
        return sum(one.total for one in self.of.values())

    def add(self, key: tuple[int, ...], line: Mapping[str, Any]) -> None:
        """Add a line of the count query."""
        self.width = max(self.width, line.get("width", 0))
        self.undefined += line.get("undefined", 0)
        one = self.of[key]
        if self.plan.total is None:
            more = line.get("total", line["n"])
            one.add_total(more, more)
        one.open += line["n"] - line["decided"]
        if "all_positive" in line:
            self.scales_differ = True
            one.unsatisfied_scale += (line["all_positive"], line["all_negative"])
        if line["decided"]:
            one.violated += line["decided"]
            one.violated_scale += (line["positive"], line["negative"])

    def costly_keys(self) -> list[tuple[int, ...]]:
        """The `+` combinations of which some grounding can cost something."""
        return [
            key
            for key, one in self.of.items()
            if one.open or one.violated or one.costs_while_satisfied(self.plan)
        ]

    def tally(self, keys: list[tuple[int, ...]], names: list[tuple[str, ...]]) -> Tally:
        chosen = [self.of[key] for key in keys]
        return Tally(
            self.plan,
            keys,
            names,
            np.array([one.open for one in chosen], np.int64),
            np.array([one.violated for one in chosen], np.int64),
            self._scales([one.violated_scale for one in chosen]),
            np.array([one.total for one in chosen], np.float64),
            self._scales([one.total_scale for one in chosen]),
            self.width,
            self.undefined,
            self._scales([one.unsatisfied_scale for one in chosen]) if self.scales_differ else None,
        )

    def _scales(self, summed: list[Float]) -> Float:
        """Sums above and below 0, of the scales as the plan's factor makes them."""
        scale = self.plan.scale
        sums = np.array(summed, np.float64).reshape(-1, 2) * abs(scale)
        return sums[:, ::-1] if scale < 0 else sums


def lines_of(plan: Plan, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Iterator[Line]:
    """Lines of the count query: the `+` combination, and the counts by name."""
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


def refuse_total(vocabulary: Vocabulary, tallies: Sequence[Tally], limit: int) -> None:
    """Raise E0310 where the open rows of all rules together are more than a limit."""
    open_rows = [0 if tally.plan.only_units else int(tally.open.sum()) for tally in tallies]
    if sum(open_rows) > limit:
        largest = max(tallies, key=lambda tally: int(tally.open.sum()))
        rows = int(largest.open.sum())
        raise too_many(vocabulary, largest.plan, limit, rows=rows, total=sum(open_rows))
