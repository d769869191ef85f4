"""What a program would ground to: exact counts, the SQL, DuckDB's plan, sample clauses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.grounding.atom_keys import names_in_space
from workbench.grounding.column_functions import user_errors
from workbench.grounding.counting import Tally, sizes
from workbench.grounding.dialect import render
from workbench.grounding.ground import Grounder
from workbench.grounding.intake import Intake
from workbench.grounding.interruption import interruptible
from workbench.grounding.memory import estimated_bytes, too_large
from workbench.grounding.plans import Plan, RowShape
from workbench.grounding.plus_relations import plus_relation
from workbench.grounding.preview_result import Preview, RulePreview, ScopePreview
from workbench.grounding.refusals import check_listed, joined_relations
from workbench.grounding.request import GroundRequest
from workbench.grounding.rows import RowSink
from workbench.grounding.select import (
    Call,
    ColumnRef,
    Expression,
    Operation,
    Select,
    Source,
    Star,
    Value,
    add,
    all_of,
    call,
    count_of,
    negate,
)
from workbench.grounding.tallied import clauses_by_rule, doubtful_rules
from workbench.grounding.unit_sink import UnitSink
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import LinearRule
from workbench.language.program import Program
from workbench.progress import SILENT, Progress

COUNTABLE = 250_000_000
"""Ground rows of a rule that can be counted one by one in seconds."""


@user_errors()
def preview(
    database: Database,
    program: Program,
    request: GroundRequest | None = None,
    *,
    samples: int = 3,
    seconds: float | None = None,
    progress: Progress = SILENT,
) -> Preview:
    """Count what `ground` would make, without making it.

    Counts are exact: merged rows are counted by the queries that would return them. A rule above
    the request's limit is only counted before merging.

    Raises E0310 for a rule of more ground rows than can be counted; E0312 when all `seconds` were
    over; it names the rule that was being counted.
    """
    request = request or GroundRequest()
    connection = database.cursor()
    grounder = Grounder(database, connection, program, request, progress)
    clauses = grounder.open()
    try:
        with interruptible(grounder.backend, progress, seconds) as doing:

            def report(stage: str, done: float, total: float | None, message: str) -> None:
                doing.append(message)
                progress.report(stage, done, total, message)

            grounder.progress = replace(progress, report=report)
            tallies, table = grounder.count(clauses, max(request.limit, COUNTABLE))
            for tally in tallies:
                if tally.plan.checked_late:
                    check_listed(grounder.vocabulary, tally.plan)
            grounder.warnings += doubtful_rules(program, tallies, grounder.lazy)
            shown = []
            of_rule = clauses_by_rule(tallies)
            for number, rule in enumerate(program.rules):
                doing.append(f"rule {number + 1}")
                mine = [tallies[place] for place in of_rule.get(number, ())]
                shown.append(_rule_preview(grounder, getattr(rule, "text", ""), mine, samples))
        rows, entries = sizes(tallies)
        refused = too_large(request.memory, rows, entries, grounder.numbering.n_open)
        vocabulary = grounder.vocabulary
        return Preview(
            tuple(shown),
            grounder.numbering.n_open,
            table.n_templates,
            (*grounder.warnings, *([refused] if refused is not None else [])),
            dict(sorted(vocabulary.made.items())),
            {name: _scope_preview(vocabulary, name) for name in vocabulary.scopes},
            estimated_bytes(rows, entries, grounder.numbering.n_open),
        )
    finally:
        grounder.vocabulary.drop()


def _scope_preview(vocabulary: Vocabulary, name: str) -> ScopePreview:
    ((atoms,),) = vocabulary.connection.execute(
        f"SELECT count(*) FROM {quoted(vocabulary.scopes[name])}"
    ).fetchall()
    types = vocabulary.arguments(name)
    every = sum(
        prod(vocabulary.domain_size(world, one) for one in types) for world in vocabulary.worlds
    )
    return ScopePreview(int(atoms), atoms / every if every else 0.0)


def _rule_preview(grounder: Grounder, text: str, tallies: list[Tally], samples: int) -> RulePreview:
    shown = _Shown(grounder, samples)
    for tally in tallies:
        shown.add(tally)
    total = sum(int(tally.total.sum()) for tally in tallies)
    n_open, violated = (
        sum(int(getattr(tally, name).sum()) for tally in tallies) for name in ("open", "violated")
    )
    return RulePreview(
        rule=text,
        clauses=len(tallies),
        ground_rows=shown.rows,
        unit_groundings=shown.units,
        open=n_open,
        satisfied=max(0, total - n_open - violated),
        violated=violated,
        templates=len({int(t) for tally in tallies for t in tally.templates if t >= 0}),
        joins=" and ".join(
            dict.fromkeys(joined_relations(grounder.vocabulary, tally.plan) for tally in tallies)
        ),
        sql="\n\n".join(shown.statements),
        plan="\n".join(shown.plans),
        samples=tuple(shown.clauses),
    )


@dataclass
class _Shown:
    """What is shown of one rule's clauses, and how many ground rows and unit groundings these make.

    `samples` is how many ground clauses are to be shown.
    """

    grounder: Grounder
    samples: int
    rows: int = 0
    units: int = 0
    statements: list[str] = field(default_factory=list)
    plans: list[str] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)

    def add(self, tally: Tally) -> None:
        grounder, n_open = self.grounder, int(tally.open.sum())
        if tally.plan.counts is not None:
            self.statements.append(f"-- count\n{render(tally.plan.counts)};")
        if not n_open:
            return
        countable = n_open <= grounder.request.limit
        if not countable:
            self.rows += n_open
        relation = plus_relation(grounder.backend, tally)
        for shape in tally.plan.shapes(relation):
            sql = render(shape.select)
            self.statements.append(f"-- rows\n{sql};")
            plan = grounder.connection.execute(f"EXPLAIN {sql}").fetchall()
            self.plans += [str(line[-1]) for line in plan]
            if countable:
                self._count(tally, shape)
        if relation is not None:
            grounder.backend.drop(relation)

    def _count(self, tally: Tally, shape: RowShape) -> None:
        grounder, more = self.grounder, self.samples - len(self.clauses)
        if shape.lines is not None:
            sink, units = _linear_rows(grounder, tally, shape)
            rows = sink.n_rows
            self.clauses += linear_samples(grounder, sink, shape.lines.relation, more)
        else:
            # All rows are fetched: an unfinished result would block the next statement on this
            # connection.
            counted = grounder.backend.rows(_counting(tally.plan, shape))[1]
            units, rows = (counted or [(0, 0)])[0]
            if more > 0:
                self.clauses += clause_samples(grounder, shape, more)
        self.rows += rows
        self.units += units


def _counting(plan: Plan, shape: RowShape) -> Select:
    """How many of a shape's rows are unit groundings, and how many are rows."""
    clause = plan.clause
    soft = not clause.hard and clause.power == 1
    affine: Expression = Value(True)
    n_open: Expression
    if shape.listing:
        n_open = call("len", ColumnRef("r", "literals"))
    else:
        n_open = Value(len(shape.coefficients))
        slope: Expression = Value(shape.coefficients[0])
        if shape.folded:
            columns = (ColumnRef("r", f"l{i}") for i in range(len(shape.coefficients)))
            present = [call("cast INTEGER", column >= 0) for column in columns]
            n_open = add(tuple(present))
            slope = add(tuple((one * c for one, c in zip(present, shape.coefficients))))
        if shape.constant is not None:
            varying = any(name == "b" for name, _ in getattr(shape.select, "columns", ()))
            b: Expression = ColumnRef("r", "b") if varying else Value(shape.constant)
            affine = all_of((b >= 0, add((b, slope)) >= 0))
    unit = all_of((Operation("=", (n_open, Value(1))), affine)) if soft else Value(False)
    row = all_of((n_open > 0, negate(unit)))
    return Select(
        (("units", count_of(unit)), ("rows", count_of(row))), (Source(shape.select, "r"),)
    )


def _linear_rows(grounder: Grounder, tally: Tally, shape: RowShape) -> tuple[RowSink, int]:
    """An arithmetic rule's rows, and its unit groundings; made, for merging is no query."""
    assert isinstance(tally.plan.clause, LinearRule)
    assert shape.lines is not None
    n_rows = int(tally.open.sum())
    intake = Intake(
        grounder.numbering,
        RowSink(
            grounder.numbering.n_open,
            n_rows,
            n_rows * tally.width,
            integral=False,
            integral_constants=False,
        ),
        UnitSink(grounder.numbering.n_open, 1),
    )
    units = intake.take_lines(tally.plan.clause, shape.lines, grounder.batches(shape.select), 0)
    return intake.rows, units


MOST_LITERALS = 8
"""Literals of a sample clause that are shown."""


def linear_samples(grounder: Grounder, sink: RowSink, relation: str, count: int) -> list[str]:
    """The first few rows of an arithmetic rule."""
    shown = []
    for row in range(min(count, sink.n_rows)):
        entries = slice(int(sink.indptr[row]), int(sink.indptr[row + 1]))
        ids = grounder.numbering.to_space(sink.indices[entries].astype(np.int64))
        names = names_in_space(grounder.vocabulary, ids)
        parts = " ".join(
            f"{value:+g} {name}" for value, name in zip(sink.data[entries].tolist(), names)
        )
        shown.append(f"{parts.lstrip('+')} {relation} {-sink.b[row]:g}")
    return shown


def clause_samples(grounder: Grounder, shape: RowShape, count: int) -> list[str]:
    """The first few rows in logic syntax."""
    some_open: tuple[Expression, ...] = ()
    if shape.folded:
        columns = tuple(ColumnRef("r", f"l{i}") for i in range(len(shape.coefficients)))
        some_open = (Call("greatest", columns) >= 0,)
    sample = Select((("everything", Star()),), (Source(shape.select, "r"),), some_open, limit=count)
    sql = render(sample).replace("* AS everything", "*", 1)
    cursor = grounder.connection.execute(sql)
    names = [column[0] for column in cursor.description or ()]
    return [_clause(grounder.vocabulary, shape, dict(zip(names, row))) for row in cursor.fetchall()]


def _clause(vocabulary: Vocabulary, shape: RowShape, row: dict[str, object]) -> str:
    if shape.listing:
        keys = np.array(row["literals"], np.int64)
        ids, negated = keys >> 1, (keys & 1).tolist()
    else:
        pairs = [(row[f"l{i}"], c > 0) for i, c in enumerate(shape.coefficients)]
        pairs = [
            (identity, sign)
            for identity, sign in pairs
            if isinstance(identity, int) and identity >= 0
        ]
        ids = np.array([identity for identity, _ in pairs], np.int64)
        negated = [sign for _, sign in pairs]
    names = names_in_space(vocabulary, ids[:MOST_LITERALS])
    shown = " v ".join(f"{'!' if sign else ''}{name}" for sign, name in zip(negated, names))
    return shown if ids.size <= MOST_LITERALS else f"{shown} v ... ({ids.size} literals)"
