"""Typed tables, and all that is wrong with their rows: unreadable cells, blank keys,
contradictions, repetitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from types import MappingProxyType

from workbench.errors import Diagnostic, InputError
from workbench.tables.alike_keys import more_would_refer, nearly_references
from workbench.tables.facts import target_of
from workbench.tables.keys import CALLED_AND_NEARLY_UNIQUE
from workbench.tables.kinds import NEARLY_ALL
from workbench.tables.mapping import ColumnMapping, TableMapping, TablesMapping
from workbench.tables.one_row_each import SHOWN, with_one_row_each
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.typed import ROW, TypedTable, is_filled, typed_table

NOTHING: Mapping[str, str] = MappingProxyType({})
FEWEST_NAMES = 5
"""Fewer texts may be another column's by chance."""


def type_tables(
    staging: Staging, mapping: TablesMapping, known: Mapping[str, str] = NOTHING
) -> Mapping[str, TypedTable]:
    """Read the staged ones of its tables as a mapping says, by name of the table.

    Cells that cannot be read, blank keys and rows that contradict each other are errors unless the
    mapping says otherwise; then they are counted in a warning.

    `known`: by table a relation of the staging's database with the things that it has elsewhere, in
    a column `name`: cells may refer to them, too.

    Raises InputError with every fault found (a handful of each kind) at its row and column: E0235
    for a column that is not there, E0236 for a cell that cannot be read, E0238 for a blank key,
    E0239 for contradicting rows.
    """
    target = target_of(mapping)
    found: dict[str, TypedTable] = {}
    faults: list[Diagnostic] = []
    staged = [table for table in mapping.tables if table.name in staging.tables]
    for number, table in enumerate(staged):
        typed = typed_table(
            staging,
            table,
            f"r{number}",
            target if target and target.table.name == table.name else None,
        )
        for step in (_with_readable_cells, _with_subjects, with_one_row_each):
            typed = step(staging, typed)
        faults += [note for note in typed.notes if note.severity == "error"]
        found[table.name] = typed
    if faults:
        raise InputError(tuple(faults))
    there = {
        name: f"SELECT {typed.columns[typed.mapping.key]} AS name FROM {typed.relation}"
        for name, typed in found.items()
        if typed.mapping.key is not None
    }
    for name, relation in known.items():
        elsewhere = f"SELECT name FROM {relation}"
        there[name] = f"{there[name]} UNION {elsewhere}" if name in there else elsewhere
    return {
        name: _with_nearby_names(
            staging, _with_found_references(staging, typed, there, found), found
        )
        for name, typed in found.items()
    }


def _with_readable_cells(staging: Staging, typed: TypedTable) -> TypedTable:
    """Compare what is filled with what was read, and name the cells that make the difference."""
    staged = staging.tables[typed.mapping.name]
    checked = [
        column for column in typed.mapping.columns if column.kind in ("number", "date", "yes/no")
    ]
    checked = [column for column in checked if column.makes_facts]
    if not checked or not typed.rows:
        return typed
    filled = [f"count(*) FILTER ({is_filled(staged, column)})" for column in checked]
    read = [f"count({typed.columns[column.name]})" for column in checked]
    before = staging.counts(staged.relation, filled)
    after = staging.counts(typed.relation, read)
    notes = list(typed.notes)
    for column, wanted, got in zip(checked, before, after):
        if wanted > got:
            notes += _unreadable(staging, typed, staged, column, wanted - got)
    return replace(typed, notes=tuple(notes))


def _unreadable(
    staging: Staging, typed: TypedTable, staged: StagedTable, column: ColumnMapping, count: int
) -> Iterator[Diagnostic]:
    shown = " || '-' || ".join(staged.cell(name) for name in column.parts or (column.name,))
    rows = staging.rows(
        f"SELECT t.{ROW}, {shown} FROM {typed.relation} t JOIN {staged.relation} s "
        f"ON s.rowid + {staged.first_row} = t.{ROW} WHERE t.{typed.columns[column.name]} IS NULL "
        f"AND {is_filled(staged, column)} ORDER BY 1 LIMIT {SHOWN}"
    )
    what = {"number": "number", "date": "date", "yes/no": "yes or no"}[column.kind]
    where = (column.parts or (column.name,))[0]
    if column.unreadable == "blank":
        cells = "1 cell" if count == 1 else f"{count:,} cells"
        named = ", ".join(f"{text!r} in row {row}" for row, text in rows[:3]) + (
            ", ..." if count > 3 else ""
        )
        yield Diagnostic(
            "E0236",
            f"{cells} of {typed.mapping.name}.{column.name} {'is' if count == 1 else 'are'} no "
            f"{what}, taken for blank: {named}",
            staged.span(rows[0][0], where),
            'mend them, or map the column to kind = "text"',
            severity="warning",
        )
        return
    for row, text in rows:
        written = (
            f" written as {column.reading.format}"
            if column.kind == "date" and column.reading.format
            else ""
        )
        decimal = (
            'say decimal = "," in the mapping, ' if column.kind == "number" and "," in text else ""
        )
        yield Diagnostic(
            "E0236",
            f"{text!r} in {typed.mapping.name}.{column.name}, row {row}, is no {what}{written}"
            + (f" ({count:,} such cells)" if count > len(rows) else ""),
            staged.span(row, where),
            f'{decimal}mend the cell, list it under missing = [...], or say unreadable = "blank" '
            "or another kind in the mapping",
        )


def _with_subjects(staging: Staging, typed: TypedTable) -> TypedTable:
    """Rows whose thing has no name: an error, or left out and counted. So are those of a table that
    only ties things: without one of these they say nothing.
    """
    if typed.subject == (ROW,):
        return typed
    table, staged = typed.mapping, staging.tables[typed.mapping.name]
    nameless = " OR ".join(f"{name} IS NULL" for name in typed.subject)
    rows = staging.rows(
        f"SELECT {ROW}, count(*) OVER () FROM {typed.relation} WHERE {nameless} ORDER BY 1 LIMIT "
        f"{SHOWN}"
    )
    if not rows:
        return typed
    count = rows[0][1]
    named = ", ".join(str(row) for row, _ in rows) + (", ..." if count > len(rows) else "")
    what = (
        f"its key {table.key}"
        if table.key
        else " or ".join(column.name for column in table.references)
    )
    have = "1 row of" if count == 1 else f"{count:,} rows of"
    skips = table.blank_keys == "skip" or _only_ties(table)
    note = Diagnostic(
        "E0238",
        f"{have} {staged.source.shown} {'has' if count == 1 else 'have'} no value for {what}: row "
        f"{named}" + ("; left out" if skips else ""),
        staged.span(rows[0][0], table.key),
        None if skips else 'fill them, or say blank_keys = "skip" in the mapping',
        severity="warning" if skips else "error",
    )
    staging.connection.execute(f"DELETE FROM {typed.relation} WHERE {nameless}")
    return replace(typed, rows=typed.rows - count, notes=(*typed.notes, note))


def _only_ties(table: TableMapping) -> bool:
    """Whether rows say no more than which things they tie."""
    facts = [one.name for one in table.columns if one.makes_facts]
    return table.key is None and {*facts} <= {one.name for one in table.references}


def _with_found_references(
    staging: Staging,
    typed: TypedTable,
    there: Mapping[str, str],
    found: Mapping[str, TypedTable],
) -> TypedTable:
    """Count the references to things that their table does not have;
    their facts are made all the same.

    `there` has a query for the things of each table, in a column `name`.
    """
    notes = list(typed.notes)
    for column in typed.mapping.columns:
        things = there.get(column.table or "")
        if things is None or column.kind == "key":
            continue
        name = typed.columns[column.name]
        rows = staging.rows(
            f"SELECT {name}, min({ROW}), sum(count(*)) OVER (), count(*) OVER () FROM "
            f"{typed.relation} t WHERE {name} IS NOT NULL AND NOT EXISTS "
            f"(FROM ({things}) o WHERE o.name = t.{name}) "
            "GROUP BY 1 ORDER BY 2 LIMIT 3"
        )
        if rows:
            named = ", ".join(str(value) for value, *_ in rows) + (
                ", ..." if rows[0][3] > len(rows) else ""
            )
            cells = "1 cell" if rows[0][2] == 1 else f"{rows[0][2]:,} cells"
            refer = "refers" if rows[0][2] == 1 else "refer"
            other = found.get(column.table or "")
            more = more_would_refer(staging, typed.mapping, column, other.mapping) if other else ""
            notes.append(
                Diagnostic(
                    "E0241",
                    f"{cells} of {typed.mapping.name}.{column.name} {refer} to nothing "
                    f"in {column.table}: {named}",
                    staging.tables[typed.mapping.name].span(rows[0][1], column.name),
                    f"{more}their facts are loaded; nothing else is known of these things",
                    severity="warning",
                )
            )
    return replace(typed, notes=tuple(notes))


def _with_nearby_names(
    staging: Staging, typed: TypedTable, found: Mapping[str, TypedTable]
) -> TypedTable:
    """Say which columns hold texts that would name another table's rows, were there no blanks and
    repetitions.
    """
    notes, table = list(typed.notes), typed.mapping
    nearly = [
        (other, name)
        for other in found.values()
        if other.mapping.key is None and other.mapping.relation is None and other.mapping != table
        for name in other.mapping.columns
        if name.kind == "text"
        and CALLED_AND_NEARLY_UNIQUE * other.mapping.rows <= name.distinct < other.mapping.rows
    ]
    texts = [
        one
        for one in table.columns
        if one.kind in ("category", "text") and one.distinct >= FEWEST_NAMES
    ]
    for (other, name), column in product(nearly, texts):
        held, there = typed.columns[column.name], other.mapping.name
        ((inside, different),) = staging.rows(
            f"SELECT count(*) FILTER (x IN (SELECT {other.columns[name.name]} FROM "
            f"{other.relation})), count(*) FROM (SELECT DISTINCT {held} AS x FROM {typed.relation} "
            f"WHERE {held} IS NOT NULL LIMIT 1000)"
        )
        if inside < NEARLY_ALL * different:
            continue
        trouble = {"blank": name.missing}
        trouble["repeated"] = other.mapping.rows - name.missing - name.distinct
        counted = ", ".join(f"{count:,} {what}" for what, count in trouble.items() if count)
        message = f"{table.name}.{column.name} is not tied to {there}: its texts are in "
        message += f"{there}.{name.name}, which is no key ({counted})"
        cure = f'mend {name.name}; or in the mapping give {there} key = "{name.name}", blank_keys '
        cure += f'= "skip", keep = "first", and {column.name} kind = "reference", table = "{there}"'
        place = staging.tables[table.name].span(1, column.name)
        notes.append(Diagnostic("E0241", message, place, cure, severity="warning"))
    return replace(typed, notes=(*notes, *nearly_references(staging, typed, found)))
