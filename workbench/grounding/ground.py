"""Rules to rows: count every rule, refuse what is too large, stream atom ids into a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import duckdb
import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.database.database import Database
from workbench.errors import Diagnostic, InfeasibleError, InputError
from workbench.grounding.atom_keys import atom_table, numbering_of
from workbench.grounding.backend import Backend, BackendOf, Batch, DuckDB, waiting
from workbench.grounding.blocks import make_blocks
from workbench.grounding.column_functions import user_errors
from workbench.grounding.counting import (
    Tally,
    count_plans,
    number_templates,
    refuse_total,
    sizes,
)
from workbench.grounding.few_rows import count_small, read_together, rows_of, runs_of_few
from workbench.grounding.intake import Intake, groundings
from workbench.grounding.interruption import interruptible
from workbench.grounding.labels import labelled_predicates, listed_values, truth_of
from workbench.grounding.lazy_rows import LazyRows, groundings_too_many
from workbench.grounding.memory import kept_on_disk, left_for_rows, too_large
from workbench.grounding.planning import make_plan
from workbench.grounding.plus_relations import plus_relation
from workbench.grounding.prepare import prepare
from workbench.grounding.program_clauses import clauses_of
from workbench.grounding.refusals import check_listed
from workbench.grounding.request import GroundRequest
from workbench.grounding.result import Grounding, Origin
from workbench.grounding.rows import RowSink
from workbench.grounding.select import Select, Union
from workbench.grounding.shared_joins import with_shared_joins
from workbench.grounding.soft_evidence import soft_evidence_units
from workbench.grounding.space import Numbering
from workbench.grounding.tallied import (
    broken_rules,
    doubtful_rules,
    evidence_sums,
    rule_counts,
    with_groundings,
)
from workbench.grounding.templates import TemplateTable
from workbench.grounding.unit_sink import UnitSink
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.language.program import Program
from workbench.network.ground_network import Blocks, Domain, GroundNetwork, Templates
from workbench.progress import SILENT, Progress


@user_errors()
def ground(
    database: Database,
    program: Program,
    request: GroundRequest | None = None,
    *,
    progress: Progress = SILENT,
    backend: BackendOf = DuckDB,
) -> Grounding:
    """Ground a program over the facts of a database; the rules' queries run on `backend`.

    Rows come in order of rule, clause and `+` constants, and within those in an order that depends
    only on the names of constants: not on the order of facts, nor on the number of threads.

    Raises E0301 or E0302, for names that do not exist or contradict; E0310 when a rule has more
    ground rows than the limit, E0340 where all would take more than the memory allowed, before
    anything is materialised; E0320 when evidence or hard unit rules contradict.
    """
    request = request or GroundRequest()
    return Grounder(database, database.cursor(), program, request, progress, backend).run()


@dataclass
class Grounder:
    """One run of `ground`: the steps in order."""

    database: Database
    connection: duckdb.DuckDBPyConnection
    program: Program
    request: GroundRequest
    progress: Progress
    backend_of: BackendOf = DuckDB
    lazy: frozenset[int] = frozenset()
    warnings: list[Diagnostic] = field(default_factory=list)
    emitted: list[tuple[int, int]] = field(default_factory=list)
    """The rule and the number of rows of each clause last streamed, in the order of the rows."""
    backend: Backend = field(init=False)
    vocabulary: Vocabulary = field(init=False)

    def run(self) -> Grounding:
        self.backend = waiting(self.backend)
        clauses = self.open()
        left = None
        try:
            many = groundings_too_many(self.vocabulary, clauses) if self.request.lazy else {}
            self.lazy = frozenset(many)
            with interruptible(self.backend, self.progress):
                grounding = self.make(clauses)
            if many:
                left = self.left()
                rules = with_groundings(grounding.rules, clauses, many)
                grounding = replace(grounding, left=left, rules=rules)
            return grounding
        finally:
            if left is None:
                self.vocabulary.drop()

    def left(self) -> LazyRows:
        """The rows of the lazy clauses, after `make`; they keep the vocabulary's relations."""
        tallies = tuple(tally for number, tally in enumerate(self.tallies) if number in self.lazy)
        return LazyRows(self.vocabulary, self.numbering, self.request, self.batches, tallies)

    def __post_init__(self) -> None:
        self.backend = self.backend_of(self.connection)

    def open(self) -> tuple[Clause | LinearRule, ...]:
        """The clauses, and the vocabulary that their queries speak."""
        clauses = clauses_of(self.database, self.program, self.request)
        self.vocabulary, self.warnings = prepare(
            self.database, self.connection, self.program, clauses, self.request, self.backend
        )
        return clauses

    @cached_property
    def numbering(self) -> Numbering:
        return numbering_of(self.vocabulary)

    def count(
        self,
        clauses: tuple[Clause | LinearRule, ...],
        most: int,
        templates: Templates | None = None,
    ) -> tuple[list[Tally], TemplateTable]:
        """Count every clause (so many ground rows at most), number its templates; makes no rows."""
        plans = {n: make_plan(self.vocabulary, clause) for n, clause in enumerate(clauses)}
        counted = count_small(self.vocabulary, plans, self.lazy)
        rest = {n: plan for n, plan in plans.items() if n not in counted}
        plans |= with_shared_joins(self.vocabulary, rest)
        tallies = count_plans(self.vocabulary, plans, most, self.lazy, self.progress, counted)
        table = TemplateTable(self.program, templates or self.request.templates)
        number_templates(tallies, table)
        return tallies, table

    def make(self, clauses: tuple[Clause | LinearRule, ...]) -> Grounding:
        """Count, check, and stream all rows but those of the lazy clauses."""
        tallies, table = self.count(clauses, self.request.limit)
        self.tallies = tallies
        refuse_total(self.vocabulary, tallies, self.request.limit)
        self.check_hard(tallies)
        soft_evidence = soft_evidence_units(self.vocabulary, table)
        templates = table.finish()
        on_disk = self._on_disk(tallies)
        written = self.stream(tallies, templates.n_templates, soft_evidence, on_disk=on_disk)
        atoms = atom_table(self.database, self.vocabulary, self.numbering)
        network = self.network(tallies, templates.n_templates, table.power, atoms.world)
        self.warnings += doubtful_rules(self.program, tallies, self.lazy)
        return Grounding(
            network=network,
            templates=templates,
            atoms=atoms,
            rules=rule_counts(self.program, tallies, written),
            warnings=tuple(self.warnings),
            truth=truth_of(self.vocabulary, self.numbering),
            listed=listed_values(self.vocabulary, self.numbering),
            labelled=labelled_predicates(self.vocabulary),
            origin=Origin(self.database, self.vocabulary, self.numbering),
            memory=left_for_rows(self.request.memory, self.numbering.n_open) if on_disk else None,
        )

    def as_it_was(self, grounding: Grounding) -> Grounding:
        """A grounding of the same atoms, with the origin and the notes that this one has."""
        origin = Origin(self.database, self.vocabulary, self.numbering)
        return replace(grounding, origin=origin, warnings=tuple(self.warnings))

    def _on_disk(self, tallies: list[Tally]) -> bool:
        """Whether the rows are to lie in files, for want of memory; an error where they may not."""
        capacity, entries = sizes(tallies)
        refused = too_large(self.request.memory, capacity, entries, self.numbering.n_open)
        if refused is None:
            return False
        if not self.request.on_disk:
            raise InputError([refused])
        self.warnings.append(
            kept_on_disk(self.request.memory, capacity, entries, self.numbering.n_open)
        )
        return True

    def stream(
        self,
        tallies: list[Tally],
        n_templates: int,
        soft_evidence: Sequence[tuple[Int64, int, Float]] = (),
        *,
        on_disk: bool = False,
    ) -> dict[int, tuple[int, int]]:
        """Stream rows of counted clauses into an intake of their own; each one's, and units."""
        capacity, entries = sizes(tallies)
        rows = RowSink(
            self.numbering.n_open,
            capacity,
            entries,
            all(tally.plan.integral for tally in tallies),
            all(tally.plan.integral_constants for tally in tallies),
            on_disk,
        )
        self.intake = Intake(self.numbering, rows, UnitSink(self.numbering.n_open, n_templates))
        self.emitted = []
        for known, template, change in soft_evidence:
            self.intake.units.add(self.numbering.to_open(known), template, change, -1.0, 1.0)
        written: dict[int, tuple[int, int]] = {}
        for run in runs_of_few(tallies):
            ready = read_together(self.vocabulary, [tallies[one] for one in run], self.batches)
            for number in run:
                rule, before = tallies[number].plan.clause.rule, self.intake.rows.n_rows
                self.progress.step("ground", len(written), len(tallies), f"rule {rule + 1}")
                units = self._emit(tallies[number], ready)
                written[number] = (self.intake.rows.n_rows - before, units)
                self.emitted.append((rule, written[number][0]))
        return written

    def check_hard(self, tallies: list[Tally]) -> None:
        """Hard rules that evidence violates: an error, or a warning where the request allows it."""
        found = broken_rules(self.program, tallies)
        if found and self.request.role == "infer" and not self.request.ignore_evidence_violations:
            raise InfeasibleError(tuple(found))
        self.warnings += [replace(diagnostic, severity="warning") for diagnostic in found]

    def _emit(self, tally: Tally, ready: Mapping[int, list[Batch]]) -> int:
        """Stream the rows of one clause, some `ready`; the number of unit groundings."""
        plan, clause = tally.plan, tally.plan.clause
        if not tally.open.sum():
            return 0
        relation = plus_relation(self.backend, tally)
        units = complete = 0
        first_row, template = self.intake.rows.n_rows, int(tally.templates[0])
        for shape in plan.shapes(relation):
            if shape.lines is not None:
                assert isinstance(clause, LinearRule)
                units += self.intake.take_lines(
                    clause, shape.lines, self.batches(shape.select), template
                )
                continue
            for batch in rows_of(self.vocabulary, tally, shape, self.batches, ready):
                complete += groundings(shape, batch) if plan.checked_late else 0
                units += self.intake.take(plan, shape, batch, template)
        if plan.checked_late and complete < tally.open.sum():
            check_listed(self.vocabulary, plan)
        if plan.n_plus and self.intake.rows.n_rows > first_row and not clause.hard:
            self.intake.rows.sort_by_template(first_row)
        if relation is not None:
            self.backend.drop(relation)
        return units

    def batches(self, select: Select | Union, *, few: bool = False) -> Iterator[Batch]:
        """A query's result as columns, a batch at a time; `few` rows (no lists) come at once."""
        for batch in self.backend.batches(select, shared=self.vocabulary.shared, few=few):
            if self.progress.cancelled:
                self.progress.step("ground", 0)
            yield batch

    def network(
        self,
        tallies: list[Tally],
        n_templates: int,
        powers: Sequence[int],
        world: Int32,
        blocks: Blocks | None = None,
    ) -> GroundNetwork:
        """The rows last streamed, with the sums of what was counted; `blocks` made if not given."""
        groundings, satisfied_scale, violated_scale = evidence_sums(tallies, n_templates)
        sink = self.intake.rows
        power = np.array(powers, np.int8) if powers else np.ones(n_templates, np.int8)
        return GroundNetwork(
            A=sink.matrix(),
            b=sink.b[: sink.n_rows],
            template=sink.template[: sink.n_rows],
            scale=sink.scales(),
            relation=sink.relation[: sink.n_rows],
            power=power,
            unit=self.intake.units.matrix(),
            constant=self.intake.units.constant,
            groundings=groundings,
            blocks=blocks or make_blocks(self.vocabulary, self.numbering),
            world=world,
            unit_scale=self.intake.units.scale_sums,
            evidence_satisfied=satisfied_scale,
            evidence_violated=violated_scale,
            domain=Domain.UNIT if self.program.language == "psl" else Domain.BOOLEAN,
        )
