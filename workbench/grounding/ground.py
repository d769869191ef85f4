"""Rules to rows: count every rule, refuse what is too large, then stream atom ids into the arrays of a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from workbench.database.database import Database
from workbench.errors import Diagnostic, InfeasibleError, InputError, WorkbenchError
from workbench.grounding.atoms import AtomTable
from workbench.grounding.blocks import make_blocks
from workbench.grounding.clauses import plan_clause
from workbench.grounding.existential import plan_existential
from workbench.grounding.linear import plan_linear_rule
from workbench.grounding.plans import Plan, Shape
from workbench.grounding.prepare import clauses_of, prepare
from workbench.grounding.psl_clauses import plan_logical_rule
from workbench.grounding.request import Grounding, GroundRequest, RuleCount
from workbench.grounding.roles import Role
from workbench.grounding.rows import RowSink, UnitSink
from workbench.grounding.select import Select, Union, render
from workbench.grounding.templates import TemplateTable
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.program import Clause, LinearRule, Program
from workbench.network.ground_network import GroundNetwork, Relation
from workbench.progress import SILENT, Progress

__all__ = ["ground"]

Array = npt.NDArray[Any]
Batch = dict[str, Any]

BATCH = 262_144
_ONE_THREAD = RLock()


def ground(
    database: Database, program: Program, request: GroundRequest | None = None, *, progress: Progress = SILENT
) -> Grounding:
    """Ground a program over the facts of a database.

    Rows come in order of rule, clause and `+` constants, and within those in an order that depends only on the names
    of constants: not on the order of facts, nor on the number of threads.

    Raises
    ------
    UsageError
        E0301 to E0302, for names that do not exist or contradict.
    InputError
        E0310 when a rule has more ground rows than the limit, before anything is materialised.
    InfeasibleError
        E0320 when evidence or hard unit rules contradict.
    """
    request = request or GroundRequest()
    with one_thread(database) as connection:
        return Grounder(database, connection, program, request, progress).run()


@contextmanager
def one_thread(
    database: Database, connection: duckdb.DuckDBPyConnection | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor (a new one when None) whose queries run on one thread: else the order of rows is not repeatable.

    DuckDB's setting is global, so groundings of one process take turns.
    """
    with _ONE_THREAD:
        connection = connection or database.cursor()
        row = connection.execute("SELECT current_setting('threads')").fetchone()
        threads = int(row[0]) if row else 1
        connection.execute("SET threads = 1")
        try:
            yield connection
        finally:
            connection.execute(f"SET threads = {threads}")


@dataclass
class Tally:
    """Counts of one clause, per `+` combination in order of the constants' names."""

    plan: Plan
    keys: list[tuple[int, ...]]
    names: list[tuple[str, ...]]
    open: npt.NDArray[np.int64]
    violated: npt.NDArray[np.int64]
    violated_scale: npt.NDArray[np.float64]
    total: npt.NDArray[np.int64]
    total_scale: npt.NDArray[np.float64]
    width: int
    templates: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


def count_plan(vocabulary: Vocabulary, plan: Plan) -> Tally:
    """Run the count queries of one clause."""
    connection, n_plus = vocabulary.connection, plan.n_plus
    totals: dict[tuple[int, ...], tuple[float, ...]] = {}
    if plan.total is not None:
        totals = {row[:n_plus]: row[n_plus:] for row in connection.execute(render(plan.total)).fetchall()}
    open_: dict[tuple[int, ...], int] = {}
    decided: dict[tuple[int, ...], list[float]] = {}
    counting = plan.counts()
    width = plan.width
    for row in connection.execute(render(counting)).fetchall() if counting is not None else ():
        key, (n, none, positive, negative, unlisted) = row[1 : 1 + n_plus], row[1 + n_plus : 6 + n_plus]
        width = max(width, row[6 + n_plus]) if len(row) > 6 + n_plus else width
        if unlisted:
            raise plan.unlisted_error(vocabulary)
        if plan.total is None:
            before = totals.get(key, (0.0, 0.0, 0.0))
            totals[key] = (before[0] + n, before[1] + n, 0.0)
        open_[key] = open_.get(key, 0) + n - none
        if none:
            sums = decided.setdefault(key, [0, 0.0, 0.0])
            for place, value in enumerate((none, positive, negative)):
                sums[place] += value
    if n_plus:
        keys = [key for key in {**open_, **decided} if open_.get(key) or key in decided]
        names = _names(vocabulary, plan.clause, keys)
        order = sorted(range(len(keys)), key=lambda i: names[i])
        keys, names = [keys[i] for i in order], [names[i] for i in order]
    else:
        keys, names = [()], [()]
    scale = abs(plan.scale)
    flip = plan.scale < 0
    tally = Tally(
        plan,
        keys,
        names,
        np.array([open_.get(key, 0) for key in keys], np.int64),
        np.array([decided.get(key, (0,))[0] for key in keys], np.int64),
        np.array([decided.get(key, (0, 0.0, 0.0))[1:] for key in keys], np.float64).reshape(-1, 2) * scale,
        np.array([int(totals.get(key, (0,))[0] or 0) for key in keys], np.int64),
        np.array([[x or 0.0 for x in totals.get(key, (0, 0.0, 0.0))[1:]] for key in keys], np.float64).reshape(-1, 2)
        * scale,
        width,
    )
    if flip:
        tally.violated_scale = tally.violated_scale[:, ::-1]
        tally.total_scale = tally.total_scale[:, ::-1]
    return tally


def uncounted(plan: Plan) -> Tally:
    """The tally of a clause whose rows are left to a row source."""
    none, no_scale = np.zeros(1, np.int64), np.zeros((1, 2))
    return Tally(plan, [()], [()], none, none, no_scale, none, no_scale, plan.width)


def _names(vocabulary: Vocabulary, clause: Clause | LinearRule, keys: list[tuple[int, ...]]) -> list[tuple[str, ...]]:
    """Names of `+` combinations."""
    types = dict(clause.variable_types)
    columns = []
    assert isinstance(clause, Clause)
    for place, variable in enumerate(clause.plus):
        wanted = sorted({key[place] for key in keys})
        rows = vocabulary.connection.execute(
            f"SELECT id, name FROM {vocabulary.names(types[variable])} WHERE id IN (SELECT unnest($ids))",
            {"ids": wanted},
        ).fetchall()
        names = dict(rows)
        columns.append([names[key[place]] for key in keys])
    return list(zip(*columns))


def make_plan(
    vocabulary: Vocabulary, clause: Clause | LinearRule, request: GroundRequest, *, violated: bool = False
) -> Plan:
    """The plan of one clause or arithmetic rule; with `violated`, of what the vocabulary's state violates."""
    if isinstance(clause, LinearRule):
        return plan_linear_rule(vocabulary, clause)
    if clause.hard and clause.plus:
        clause = replace(clause, plus=())
    if clause.existential:
        return plan_existential(vocabulary, clause, tie=request.tie)
    if clause.multiset:
        return plan_logical_rule(vocabulary, clause, violated=violated)
    return plan_clause(vocabulary, clause, tie=request.tie, violated=violated)


def soft_evidence_units(
    vocabulary: Vocabulary, table: TemplateTable
) -> list[tuple[npt.NDArray[np.int64], int, npt.NDArray[np.float64]]]:
    """Atoms (ids in the whole space) with a probability p in the data, their template and logit(p).

    The template has fixed weight 1: a unit clause of weight logit(p) an atom.
    """
    if vocabulary.program.language == "psl":
        return []
    found = []
    for name, role in vocabulary.roles.items():
        learned = vocabulary.request.role == "learn" and role.role is not Role.EVIDENCE
        if not role.open or not role.facts.uncertain or learned:
            continue
        rows = vocabulary.connection.execute(f"{vocabulary.soft_query(name)}").fetchnumpy()
        probability = np.asarray(rows["value"], np.float64)
        if not probability.size:
            continue
        template = table.fixed_entry(-1, -1, f"soft evidence {name}", 1.0)
        if template >= 0:
            logit = np.log(probability) - np.log1p(-probability)
            found.append((np.asarray(rows["atom"], np.int64), template, logit))
    return found


def _too_many(vocabulary: Vocabulary, tally: Tally, total: int, limit: int) -> WorkbenchError:
    clause = tally.plan.clause
    text = getattr(vocabulary.program.rules[clause.rule], "text", "")
    return InputError.of(
        "E0310",
        f"rule {clause.rule + 1} alone has {int(tally.open.sum()):,} ground rows, all rules together {total:,}, above "
        f"the limit of {limit:,}: {text}",
        span=clause.span,
        help=f"it joins {joined_relations(vocabulary, tally)}; bind its variables by evidence, or raise --limit",
    )


def joined_relations(vocabulary: Vocabulary, tally: Tally) -> str:
    """The relations of a clause's largest case with their sizes: where the rows come from."""
    counting = tally.plan.counts()
    selects = counting.selects if isinstance(counting, Union) else (counting,) if counting is not None else ()
    widest = max(selects, key=lambda select: len(select.sources), default=None)
    shown = []
    for source in widest.sources if widest is not None else ():
        if isinstance(source.relation, str) and source.kind == "inner":
            (row,) = vocabulary.connection.execute(f"SELECT count(*) FROM {source.relation}").fetchall()
            kind, _, name = source.relation.strip('"').partition("_")
            what = f"every constant of {name}" if kind == "domain" else f"{kind} {name}"
            shown.append(f"{what} ({row[0]:,})")
    return " with ".join(shown) or "no relation"


@dataclass
class Grounder:
    """One run of `ground`: the steps in order."""

    database: Database
    connection: duckdb.DuckDBPyConnection
    program: Program
    request: GroundRequest
    progress: Progress
    lazy: frozenset[int] = frozenset()
    warnings: list[Diagnostic] = field(default_factory=list)

    def run(self) -> Grounding:
        clauses = self.open()
        try:
            return self.make(clauses)
        finally:
            self.vocabulary.drop()

    def open(self) -> tuple[Clause | LinearRule, ...]:
        """The clauses, and the vocabulary that their queries speak."""
        clauses = clauses_of(self.database, self.program, self.request)
        self.vocabulary, self.warnings = prepare(self.database, self.connection, self.program, clauses, self.request)
        return clauses

    def count(self, clauses: tuple[Clause | LinearRule, ...]) -> tuple[list[Tally], TemplateTable]:
        """Count every clause and number its templates; nothing is materialised."""
        self.atoms = AtomTable.build(self.database, self.vocabulary)
        tallies = []
        for number, clause in enumerate(clauses):
            self.progress.step("count", number, len(clauses), f"rule {clause.rule + 1}")
            plan = make_plan(self.vocabulary, clause, self.request)
            tallies.append(uncounted(plan) if number in self.lazy else count_plan(self.vocabulary, plan))
        table = TemplateTable(self.program, self.request.tie, self.request.templates)
        for tally in tallies:
            clause = tally.plan.clause
            if isinstance(clause, LinearRule):
                tally.templates = np.array([-1 if clause.hard else table.number_linear(clause)], np.int32)
            elif clause.hard:
                tally.templates = np.full(len(tally.keys), -1, np.int32)
            else:
                tally.templates = table.number(clause, tally.names)
        return tallies, table

    def make(self, clauses: tuple[Clause | LinearRule, ...]) -> Grounding:
        """Count, check, and stream all rows but those of the lazy clauses."""
        tallies, table = self.count(clauses)
        self.tallies = tallies
        self._check_total(tallies)
        self._check_hard(tallies)
        soft_evidence = soft_evidence_units(self.vocabulary, table)
        templates = table.finish()
        n_templates = templates.n_templates
        capacity = sum(int(tally.open.sum()) for tally in tallies if not tally.plan.only_units)
        entries = sum(int(tally.open.sum()) * tally.width for tally in tallies if not tally.plan.only_units)
        self.rows = RowSink(
            self.atoms.n_atoms,
            capacity,
            entries,
            all(tally.plan.integral for tally in tallies),
            all(tally.plan.integral_constants for tally in tallies),
        )
        self.units = UnitSink(self.atoms.n_atoms)
        for atoms, ids, change in soft_evidence:
            self.units.add(self.atoms.open_ids(atoms), ids, change, -1.0, 1.0)
        order = sorted(range(len(tallies)), key=lambda i: (int(tallies[i].templates.min(initial=2**30)), i))
        written: dict[int, tuple[int, int]] = {}
        for done, number in enumerate(order):
            tally = tallies[number]
            self.progress.step("ground", done, len(tallies), f"rule {tally.plan.clause.rule + 1}")
            before = self.rows.n_rows
            units = self._emit(tally)
            written[number] = (self.rows.n_rows - before, units)
        network = self._network(tallies, table, n_templates)
        self.warn_empty(tallies)
        counts = self._rule_counts(tallies, written)
        return Grounding(network, templates, self.atoms, counts, tuple(self.warnings))

    def _check_total(self, tallies: list[Tally]) -> None:
        total = sum(int(tally.open.sum()) for tally in tallies if not tally.plan.only_units)
        if total > self.request.limit:
            largest = max(tallies, key=lambda tally: int(tally.open.sum()))
            raise _too_many(self.vocabulary, largest, total, self.request.limit)

    def _check_hard(self, tallies: list[Tally]) -> None:
        """Hard rules that evidence alone violates: an error, or a warning where training or the request allows it."""
        broken = [tally for tally in tallies if tally.plan.clause.hard and tally.violated.sum()]
        found = []
        for tally in broken:
            clause = tally.plan.clause
            text = getattr(self.program.rules[clause.rule], "text", "")
            count = int(tally.violated.sum())
            message = f"evidence alone violates the hard rule {clause.rule + 1} in {count:,} groundings: {text}"
            found.append(Diagnostic("E0320", message, clause.span, help="correct the facts, or give the rule a weight"))
        if found and self.request.role == "infer" and not self.request.ignore_evidence_violations:
            raise InfeasibleError(tuple(found))
        self.warnings += [replace(diagnostic, severity="warning") for diagnostic in found]

    def _emit(self, tally: Tally) -> int:
        """Stream the rows of one clause; the number of unit groundings."""
        plan = tally.plan
        clause = plan.clause
        if not tally.open.sum():
            return 0
        relation = self.template_relation(tally)
        units = 0
        first_row, first_entry = self.rows.n_rows, self.rows.n_entries
        for shape in plan.shapes(relation):
            for batch in self.batches(shape.select):
                units += self.take(plan, shape, batch, tally)
        if plan.n_plus and self.rows.n_rows > first_row and not clause.hard:
            self._sort_by_template(first_row, first_entry)
        if relation is not None:
            self.connection.execute(f"DROP TABLE {relation}")
        return units

    def template_relation(self, tally: Tally) -> str | None:
        """A temporary relation `(t0, ..., template)` of a clause's `+` combinations; None where there are none."""
        if not tally.plan.n_plus:
            return None
        import pyarrow

        n_plus = tally.plan.n_plus
        relation = f"templates_{tally.plan.clause.rule}"
        columns = {f"t{i}": pyarrow.array([key[i] for key in tally.keys], pyarrow.int32()) for i in range(n_plus)}
        columns["template"] = pyarrow.array(tally.templates, pyarrow.int32())
        arrow = pyarrow.table(columns)
        self.connection.register("incoming_templates", arrow)
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {relation} AS SELECT * FROM incoming_templates "
            + ("" if tally.plan.clause.hard else "WHERE template >= 0")
        )
        self.connection.unregister("incoming_templates")
        return relation

    def batches(self, select: Select | Union) -> Iterator[Batch]:
        """The result of a query as columns, a batch at a time."""
        for batch in self.connection.sql(render(select)).to_arrow_reader(BATCH):
            if self.progress.cancelled:
                self.progress.step("ground", 0)
            if batch.num_rows:
                yield {
                    name: batch.column(place)
                    if name in ("literals", "coefficients")
                    else batch.column(place).to_numpy(zero_copy_only=False)
                    for place, name in enumerate(batch.schema.names)
                }

    def take(self, plan: Plan, shape: Shape, batch: Batch, tally: Tally) -> int:
        """Put one batch of a shape's rows where it belongs."""
        template = batch.get("template", int(tally.templates[0]))
        scale = batch["s"] * plan.scale if "s" in batch else plan.scale
        if shape.listing:
            if isinstance(plan.clause, LinearRule):
                return self._take_linear(plan.clause, batch, template, scale)
            return self._take_lists(plan, batch, template, scale)
        columns = [batch[f"l{i}"] for i in range(len(shape.coefficients))]
        if self.atoms._open_of_full is not None:
            columns = [self.atoms.open_ids(column) for column in columns]
        b = batch.get("b")
        if not shape.folded:
            return self._put(plan, shape, columns, shape.coefficients, b, template, scale)
        pattern = np.zeros(columns[0].size, np.int64)
        for place, column in enumerate(columns):
            pattern |= (column >= 0).astype(np.int64) << place
        units = 0
        for code in np.unique(pattern).tolist():
            if not code:
                continue
            rows = np.flatnonzero(pattern == code)
            places = [i for i in range(len(columns)) if code >> i & 1]
            units += self._put(
                plan,
                shape,
                [columns[i][rows] for i in places],
                [shape.coefficients[i] for i in places],
                None if b is None else b[rows],
                _at(template, rows),
                _at(scale, rows),
            )
        return units

    def _put(
        self,
        plan: Plan,
        shape: Shape,
        columns: list[Array],
        coefficients: Sequence[float],
        b: Any,
        template: Any,
        scale: Any,
    ) -> int:
        """Rows over these columns of open atoms; the number of those that are unit groundings."""
        clause = plan.clause
        if b is None:
            b = shape.constant
            if b is None:
                b = 1 - sum(coefficient > 0 for coefficient in coefficients)
        if len(columns) == 1 and not clause.hard and clause.power == 1:
            slope = coefficients[0]
            affine = np.broadcast_to((np.asarray(b) >= 0) & (np.asarray(b) + slope >= 0), columns[0].shape)
            if affine.all():
                self.units.add(columns[0], template, scale, float(slope), b)
                return int(columns[0].size)
            part, rest = np.flatnonzero(affine), np.flatnonzero(~affine)
            self.units.add(columns[0][part], _at(template, part), _at(scale, part), float(slope), _at(b, part))
            self.rows.add_clauses(
                [columns[0][rest]], coefficients, _at(b, rest), _at(template, rest), _at(scale, rest), Relation.HINGE
            )
            return int(part.size)
        relation = Relation.AT_MOST if clause.hard else Relation.HINGE
        self.rows.add_clauses(columns, coefficients, b, template, 1.0 if clause.hard else scale, relation)
        return 0

    def _take_lists(self, plan: Plan, batch: Batch, template: int | Array, scale: float | Array) -> int:
        """Rows of any width, as sorted lists of `2 * atom + negated`."""
        lists = batch["literals"]
        offsets = lists.offsets.to_numpy()
        keys = lists.values.to_numpy()[offsets[0] : offsets[-1]]
        offsets = (offsets - offsets[0]).astype(np.int64)
        widths = np.diff(offsets)
        owner = np.repeat(np.arange(widths.size), widths)
        twins = np.flatnonzero((keys[1:] >> 1 == keys[:-1] >> 1) & (owner[1:] == owner[:-1]))
        keep = widths > 0
        keep[owner[twins]] = False
        atoms = self.atoms.open_ids(keys >> 1)
        signs = ((keys & 1) << 1) - 1
        b = 1 - np.bincount(owner, keys & 1, minlength=widths.size)
        single = keep & (widths == 1) if not plan.clause.hard and plan.clause.power == 1 else np.zeros(keep.size, bool)
        rows = np.flatnonzero(single)
        first = offsets[:-1][rows]
        self.units.add(
            atoms[first], _at(template, rows), _at(scale, rows), signs[first].astype(float), b[rows].astype(float)
        )
        rest = keep & ~single
        chosen = rest[owner]
        indptr = np.concatenate([[0], np.cumsum(widths[rest])])
        relation = Relation.AT_MOST if plan.clause.hard else Relation.HINGE
        rows_left = np.flatnonzero(rest)
        self.rows.add_rows(
            indptr,
            atoms[chosen],
            signs[chosen].astype(np.int8),
            b[rest],
            _at(template, rows_left),
            1.0 if plan.clause.hard else _at(scale, rows_left),
            relation,
        )
        return int(rows.size)

    def _take_linear(self, rule: LinearRule, batch: Batch, template: int | Array, scale: float | Array) -> int:
        """Rows of any widths with coefficients: sorted lists of atoms beside lists of values."""
        offsets = batch["literals"].offsets.to_numpy().astype(np.int64)
        atoms = batch["literals"].values.to_numpy()[offsets[0] : offsets[-1]]
        values = batch["coefficients"].values.to_numpy()[offsets[0] : offsets[-1]]
        offsets -= offsets[0]
        widths, b = np.diff(offsets), batch["b"]
        first = offsets[:-1]
        affine = np.zeros(widths.size, bool)
        if not rule.hard and rule.power == 1:
            affine = (widths == 1) & (b >= 0) & (b + values[first] >= 0)
        units, rest = np.flatnonzero(affine), np.flatnonzero(~affine)
        at = first[units]
        self.units.add(atoms[at], _at(template, units), _at(scale, units), values[at], b[units])
        chosen = np.repeat(~affine, widths)
        relation = Relation.HINGE
        if rule.hard:
            relation = Relation.EQUAL if rule.relation == "=" else Relation.AT_MOST
        self.rows.add_rows(
            np.concatenate([[0], np.cumsum(widths[rest])]),
            atoms[chosen],
            values[chosen],
            b[rest],
            _at(template, rest),
            1.0 if rule.hard else _at(scale, rest),
            relation,
        )
        return int(units.size)

    def _sort_by_template(self, first_row: int, first_entry: int) -> None:
        """Bring the rows of one clause into runs of equal template, keeping their order within each."""
        sink = self.rows
        rows = slice(first_row, sink.n_rows)
        templates = sink.template[rows]
        if np.all(templates[1:] >= templates[:-1]):
            return
        order = np.argsort(templates, kind="stable")
        starts = sink.indptr[first_row : sink.n_rows].astype(np.int64)
        widths = np.diff(sink.indptr[first_row : sink.n_rows + 1]).astype(np.int64)
        new_widths = widths[order]
        ends = np.cumsum(new_widths)
        source = np.repeat(starts[order] - (ends - new_widths), new_widths) + np.arange(int(ends[-1]))
        entries = slice(first_entry, sink.n_entries)
        sink.indices[entries] = sink.indices[source]
        sink.data[entries] = sink.data[source]
        sink.indptr[first_row + 1 : sink.n_rows + 1] = first_entry + ends
        sink.template[rows] = templates[order]
        sink.b[rows] = sink.b[rows][order]
        if sink.scale is not None:
            sink.scale[rows] = sink.scale[rows][order]

    def _network(self, tallies: list[Tally], table: TemplateTable, n_templates: int) -> GroundNetwork:
        groundings = np.zeros((n_templates, 3), np.int64)
        satisfied_scale = np.zeros((n_templates, 2))
        violated_scale = np.zeros((n_templates, 2))
        for tally in tallies:
            seen = tally.templates >= 0
            ids = tally.templates[seen]
            satisfied = np.maximum(tally.total - tally.open - tally.violated, 0)
            np.add.at(groundings[:, 0], ids, tally.open[seen])
            np.add.at(groundings[:, 1], ids, satisfied[seen])
            np.add.at(groundings[:, 2], ids, tally.violated[seen])
            np.add.at(violated_scale, ids, tally.violated_scale[seen])
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(tally.total > 0, satisfied / np.maximum(tally.total, 1), 0.0)
            np.add.at(satisfied_scale, ids, (tally.total_scale * ratio[:, None])[seen])
        sink = self.rows
        power = np.array(table.power, np.int8) if table.power else np.ones(n_templates, np.int8)
        return GroundNetwork(
            A=sink.matrix(),
            b=sink.b[: sink.n_rows],
            template=sink.template[: sink.n_rows],
            scale=sink.scales(),
            relation=sink.relation[: sink.n_rows],
            power=power,
            unit=self.units.matrix(n_templates),
            constant=self.units.constant(n_templates),
            groundings=groundings,
            blocks=make_blocks(self.vocabulary, self.atoms),
            world=self.atoms.world_of(),
            unit_scale=self.units.scale_sums(n_templates),
            evidence_satisfied=satisfied_scale,
            evidence_violated=violated_scale,
        )

    def warn_empty(self, tallies: list[Tally]) -> None:
        """Warn of rules that have no grounding at all."""
        for number, rule in enumerate(self.program.rules):
            mine = [tally for tally in tallies if tally.plan.clause.rule == number]
            lazy = any(i in self.lazy for i, tally in enumerate(tallies) if tally.plan.clause.rule == number)
            if not lazy and not any(int(tally.total.sum()) or int(tally.open.sum()) for tally in mine):
                message = f"rule {number + 1} has no groundings: {getattr(rule, 'text', '')}"
                help_text = "no binding of its variables exists in the data"
                self.warnings.append(Diagnostic("E0307", message, rule.span, help_text, severity="warning"))

    def _rule_counts(self, tallies: list[Tally], written: dict[int, tuple[int, int]]) -> tuple[RuleCount, ...]:
        found = []
        for number, rule in enumerate(self.program.rules):
            mine = [i for i, tally in enumerate(tallies) if tally.plan.clause.rule == number]
            parts = [tallies[i] for i in mine]
            counts = [sum(int(getattr(t, name).sum()) for t in parts) for name in ("total", "open", "violated")]
            found.append(
                RuleCount(
                    rule=number,
                    text=getattr(rule, "text", ""),
                    clauses=len(mine),
                    templates=len({int(x) for t in parts for x in t.templates if x >= 0}),
                    ground_rows=sum(written[i][0] for i in mine),
                    unit_groundings=sum(written[i][1] for i in mine),
                    open=counts[1],
                    satisfied=max(0, counts[0] - counts[1] - counts[2]),
                    violated=counts[2],
                    unseen=sum(int(t.open[t.templates < 0].sum()) for t in parts if not t.plan.clause.hard),
                )
            )
        return tuple(found)


def _at(value: Any, rows: Array) -> Any:
    """The chosen entries of an array; a number stays."""
    return value if np.isscalar(value) else value[rows]
