"""Typed tables into the workspace: declarations, facts, labels, names; all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from workbench.database import (
    DEFAULT_WORLD,
    Database,
    FactColumns,
    LoadReport,
    Partition,
    insert_facts,
    name_things,
)
from workbench.errors import Diagnostic
from workbench.language.declarations import Predicate
from workbench.tables.checked import type_tables
from workbench.tables.definitions import defined_rows
from workbench.tables.facts import (
    MappedPredicate,
    mapped_predicates,
    rows_predicate,
    target_of,
)
from workbench.tables.mapping import SqlDefinition, TablesMapping
from workbench.tables.staged import Staging
from workbench.tables.targets import target_warnings
from workbench.tables.typed import TypedTable

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class TablesReport(LoadReport):
    """What a load of wide tables brought in.

    Attributes
    ----------
    mapping : TablesMapping
        What their columns were taken for.
    """

    mapping: TablesMapping = field(default_factory=lambda: TablesMapping(()))

    def as_record(self) -> dict[str, object]:
        """The report as JSON-ready fields."""
        return {
            "tables": [
                {
                    "name": table.name,
                    "rows": table.rows,
                    "key": table.key,
                    "columns": [
                        {
                            "name": column.name,
                            "kind": column.kind,
                            "predicate": column.predicate
                            or (table.relation if column.kind == "reference" else None),
                            "reason": column.reason,
                            "missing": column.missing,
                        }
                        for column in table.columns
                    ],
                }
                for table in self.mapping.tables
            ],
            "facts": dict(self.facts),
            "worlds": list(self.worlds),
        }


def load_tables_as_mapped(
    database: Database,
    staging: Staging,
    mapping: TablesMapping,
    *,
    world: str = DEFAULT_WORLD,
    typed: Mapping[str, TypedTable] | None = None,
    labels: Literal["evidence", "withheld"] = "withheld",
    more_rows: bool = False,
    last: bool = False,
) -> TablesReport:
    """Load staged tables as a mapping says, in one transaction.

    The target's column becomes labels (partition `truth`); what it leaves blank is asked for
    (partition `target`); `rows_predicate` holds of its table's rows.

    Raises what `type_tables` and `defined_rows` do; E0207 where a row contradicts a fact loaded
    earlier. Nothing is loaded then.

    Parameters
    ----------
    labels : {'evidence', 'withheld'}
        Whether the known cells of the target are facts that inference may use, or truth to learn
        from and to score.
    typed : mapping, optional
        What `type_tables` gave for this mapping, where that was called already.
    more_rows : bool
        The workspace has rows of these tables already: labels to learn from may be among those.
    last : bool
        Nothing reads the staging afterwards: its tables are let go of as soon as they are not
        needed.
    """
    tables = type_tables(staging, mapping) if typed is None else typed
    predicates = mapped_predicates(mapping)
    asked = rows_predicate(mapping)
    if asked is not None and asked not in predicates:
        predicates = (*predicates, asked)
    notes = [note for table in staging.tables.values() for note in table.notes]
    notes += target_warnings(
        staging, mapping, tables, learning=labels == "withheld" and not more_rows
    )
    defined = defined_rows(staging, mapping, tables)
    counts: dict[str, int] = {}
    if last:
        staging.drop([table.relation for table in staging.tables.values()])
    with database.transaction():
        database.declare_predicates([Predicate(found.name, found.types) for found in predicates])
        database.declare_predicates(
            [Predicate(one.name, one.types, closed=True) for one in mapping.definitions]
        )
        for name, table in tables.items():
            notes += table.notes
            of_table = [found for found in predicates if found.table == name]
            for predicate, count in _load(
                database, staging, mapping, table, of_table, world, labels
            ).items():
                counts[predicate] = counts.get(predicate, 0) + count
            if last:
                staging.drop([table.relation])
        for one in mapping.definitions:
            counts |= _insert_defined(database, defined[one.name], one, world)
            notes += [_without_rows(one)] if not len(defined[one.name]["v0"]) else []
    return TablesReport(counts, (world,), tuple(notes), mapping)


def _load(
    database: Database,
    staging: Staging,
    mapping: TablesMapping,
    table: TypedTable,
    predicates: list[MappedPredicate],
    world: str,
    labels: Literal["evidence", "withheld"],
) -> dict[str, int]:
    target = target_of(mapping)
    subject = tuple(f"s{place}" for place in range(len(table.subject)))
    cells = {short: f"{name}::VARCHAR" for name, short in zip(table.subject, subject)}
    facts: list[FactColumns] = []
    for number, found in enumerate(predicates):
        subjects = found.subjects if found.functional else None
        if found.column is None:
            facts.append(FactColumns(found.name, subject))
            continue
        short = f"v{number}"
        is_target = target is not None and found.name == target.predicate
        labels_it = is_target or found.name == mapping.known
        source = table.target if labels_it and table.target else table.columns[found.column.name]
        cells[short] = source
        unary = len(found.types) == found.subjects
        columns = subject if unary else (*subject, short)
        value = short if unary else None
        partition: Partition = "truth" if is_target and labels == "withheld" else "evidence"
        facts.append(FactColumns(found.name, columns, value, False, partition, subjects))
        if is_target and unary:
            facts.append(FactColumns(found.name, columns, value, True, "target", subjects))
    source_name = staging.tables[table.mapping.name].source.shown
    if not facts:
        return {}

    def read(names: Sequence[str]) -> pyarrow.RecordBatchReader:
        wanted = ", ".join(f"{cells[name]} AS {name}" for name in names)
        return staging.record_batches(f"SELECT {wanted} FROM {table.relation}")

    counts = insert_facts(database, read, facts, world=world, source=source_name)
    if table.mapping.display and table.mapping.key is not None:
        shown = ", ".join(table.columns[name] for name in table.mapping.display)
        named = (
            f"SELECT {table.subject[0]}::VARCHAR AS thing, concat_ws(' ', {shown}) AS name "
            f"FROM {table.relation}"
        )
        name_things(database, mapping.type_of(table.mapping), staging.record_batches(named))
    return counts


def _insert_defined(
    database: Database, columns: Mapping[str, pyarrow.Array], definition: SqlDefinition, world: str
) -> dict[str, int]:
    import pyarrow

    def read(names: Sequence[str]) -> pyarrow.RecordBatchReader:
        batch = pyarrow.RecordBatch.from_arrays(
            [columns[name] for name in names], names=list(names)
        )
        return pyarrow.RecordBatchReader.from_batches(batch.schema, [batch])

    facts = [FactColumns(definition.name, tuple(columns))]
    return insert_facts(
        database, read, facts, world=world, source=f"the definition {definition.name}"
    )


def _without_rows(definition: SqlDefinition) -> Diagnostic:
    return Diagnostic(
        "E0258",
        f"the definition {definition.name} has no rows, so nothing says that its atoms are false",
        definition.span,
        f"say so in the rules: *{definition.name}({', '.join(definition.types)})",
        severity="warning",
    )
