"""Typed tables, and all that is wrong with their rows: unreadable cells, blank keys,
contradictions, repetitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.database import text_literal
from workbench.errors import Diagnostic, InputError
from workbench.tables.facts import target_of
from workbench.tables.mapping import ColumnMapping, TablesMapping
from workbench.tables.staging import StagedTable, Staging
from workbench.tables.typed import ROW, TypedTable, is_filled, typed_table

__all__ = ["type_tables"]


SHOWN = 5


def type_tables(staging: Staging, mapping: TablesMapping) -> Mapping[str, TypedTable]:
    """Read the staged tables as a mapping says, by name of the table.

    Cells that cannot be read, blank keys and rows that contradict each other are errors unless the
    mapping says otherwise; then they are counted in a warning.

    Raises
    ------
    InputError
        With every fault found (a handful of each kind) at its row and column: E0235 for a column
        that is not there, E0236 for a cell that cannot be read, E0238 for a blank key, E0239 for
        contradicting rows.
    """
    target = target_of(mapping)
    found: dict[str, TypedTable] = {}
    faults: list[Diagnostic] = []
    for number, table in enumerate(mapping.tables):
        typed = typed_table(
            staging,
            table,
            f"r{number}",
            target if target and target.table.name == table.name else None,
        )
        for step in (_with_readable_cells, _with_subjects, _with_one_row_each):
            typed = step(staging, typed)
        faults += [note for note in typed.notes if note.severity == "error"]
        found[table.name] = typed
    if faults:
        raise InputError(tuple(faults))
    return {name: _with_found_references(staging, typed, found) for name, typed in found.items()}


def _with_readable_cells(staging: Staging, typed: TypedTable) -> TypedTable:
    """Compare what is filled with what was read, and name the cells that make the difference."""
    staged = staging.tables[typed.mapping.name]
    checked = [
        column for column in typed.mapping.columns if column.kind in ("number", "date", "yes/no")
    ]
    checked = [column for column in checked if column.makes_facts]
    if not checked or not typed.rows:
        return typed
    filled = ", ".join(f"count(*) FILTER ({is_filled(staged, column)})" for column in checked)
    read = ", ".join(f"count({typed.columns[column.name]})" for column in checked)
    before = staging.rows(f"SELECT {filled} FROM {staged.relation}")[0]
    after = staging.rows(f"SELECT {read} FROM {typed.relation}")[0]
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
            f"{what}, "
            f"taken for blank: {named}",
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
            "or another kind "
            "in the mapping",
        )


def _with_subjects(staging: Staging, typed: TypedTable) -> TypedTable:
    """Rows whose thing has no name: an error, or left out and counted."""
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
    skips = table.blank_keys == "skip"
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


def _with_one_row_each(staging: Staging, typed: TypedTable) -> TypedTable:
    """Rows that repeat another count once;
    rows of one thing that contradict each other are shown.
    """
    table = typed.mapping
    said = [
        name
        for name in dict.fromkeys((*typed.columns.values(), *_optional(typed.target)))
        if name not in typed.subject
    ]
    whole = table.key is None and (table.relation is None or len(said) <= 1)
    group = [*typed.subject, *said] if whole else [*typed.subject]
    group = [name for name in group if name != ROW]
    if not group or not typed.rows:
        return typed
    different = staging.rows(
        f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(group)} FROM {typed.relation})"
    )[0][0]
    if different == typed.rows:
        return typed
    notes = list(typed.notes)
    clashing = 0
    if not whole and said:
        clashing, clashes = _contradictions(staging, typed, said)
        notes += clashes
    repeated = typed.rows - different - clashing
    if repeated > 0:
        notes.append(_about_repetitions(staging, typed, group, repeated))
    pick = "arg_max" if table.keep == "last" else "arg_min"
    kept = (
        []
        if whole
        else [f"{pick}({name}, {ROW}) FILTER ({name} IS NOT NULL) AS {name}" for name in said]
    )
    merged = f"{typed.relation}m"
    staging.connection.execute(
        f"CREATE OR REPLACE TABLE {merged} AS SELECT "
        f"{', '.join([f'min({ROW}) AS {ROW}', *group, *kept])} "
        f"FROM {typed.relation} GROUP BY {', '.join(group)} ORDER BY {ROW}"
    )
    staging.drop([typed.relation])
    return replace(typed, relation=merged, rows=different, notes=tuple(notes))


def _optional(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _contradictions(
    staging: Staging, typed: TypedTable, said: Sequence[str]
) -> tuple[int, list[Diagnostic]]:
    """How many rows beyond the first contradict another of the same thing, and the first of them,
    told in words.
    """
    table, staged = typed.mapping, staging.tables[typed.mapping.name]
    subject = ", ".join(typed.subject)
    differs = [f"count(DISTINCT {name}) > 1" for name in said]
    columns = {sql: name for name, sql in typed.columns.items()}
    named = ", ".join(
        f"CASE WHEN {test} THEN {text_literal(columns[name])} END"
        for test, name in zip(differs, said)
        if name in columns
    )
    rows = staging.rows(
        f"SELECT [{', '.join(f'{name}::VARCHAR' for name in typed.subject)}], list({ROW} ORDER BY "
        f"{ROW}), "
        f"concat_ws(', ', {named}), sum(count(*) - 1) OVER (), count(*) OVER () FROM "
        f"{typed.relation} "
        f"GROUP BY {subject} HAVING count(*) > 1 AND ({' OR '.join(differs)}) ORDER BY min({ROW}) "
        f"LIMIT {SHOWN}"
    )
    if not rows:
        return 0, []
    extra, things = int(rows[0][3]), int(rows[0][4])
    if table.keep != "error":
        values, places, where, *_ = rows[0]
        note = Diagnostic(
            "E0239",
            f"{things:,} of {table.name} stand in rows that contradict each other; the "
            f"{table.keep} counts "
            f"({', '.join(values)} in rows {_listed(places)}: {where})",
            staged.span(places[1], where.split(", ")[0]),
            severity="warning",
        )
        return extra, [note]
    return extra, [
        Diagnostic(
            "E0239",
            f"{', '.join(values)} stands in rows {_listed(places)} of {staged.source.shown} with "
            f"different {where}" + (f" ({things:,} such)" if things > len(rows) else ""),
            staged.span(places[1], where.split(", ")[0]),
            'keep one of the rows, or say keep = "first" or keep = "last" in the mapping',
        )
        for values, places, where, *_ in rows
    ]


def _listed(rows: Sequence[int]) -> str:
    return ", ".join(map(str, rows[:SHOWN])) + (", ..." if len(rows) > SHOWN else "")


def _about_repetitions(
    staging: Staging, typed: TypedTable, group: Sequence[str], repeated: int
) -> Diagnostic:
    staged = staging.tables[typed.mapping.name]
    names = ", ".join(group)
    places = staging.rows(
        f"SELECT list({ROW} ORDER BY {ROW}) FROM {typed.relation} GROUP BY {names} HAVING "
        "count(*) > 1 "
        f"ORDER BY min({ROW}) LIMIT 1"
    )[0][0]
    rows = "1 row of" if repeated == 1 else f"{repeated:,} rows of"
    return Diagnostic(
        "E0240",
        f"{rows} {staged.source.shown} {'repeats' if repeated == 1 else 'repeat'} another and "
        f"{'counts' if repeated == 1 else 'count'} once, such as rows {_listed(places)}",
        staged.span(places[1]),
        severity="note",
    )


def _with_found_references(
    staging: Staging, typed: TypedTable, tables: Mapping[str, TypedTable]
) -> TypedTable:
    """Count the references to things that their table does not have;
    their facts are made all the same.
    """
    notes = list(typed.notes)
    for column in typed.mapping.columns:
        other = tables.get(column.table or "")
        if other is None or other.mapping.key is None or column.kind == "key":
            continue
        name, key = typed.columns[column.name], other.columns[other.mapping.key]
        rows = staging.rows(
            f"SELECT {name}, min({ROW}), sum(count(*)) OVER (), count(*) OVER () FROM "
            f"{typed.relation} t WHERE "
            f"{name} IS NOT NULL AND NOT EXISTS (FROM {other.relation} o WHERE o.{key} = t.{name}) "
            "GROUP BY 1 ORDER BY 2 LIMIT 3"
        )
        if rows:
            named = ", ".join(str(value) for value, *_ in rows) + (
                ", ..." if rows[0][3] > len(rows) else ""
            )
            cells = "1 cell" if rows[0][2] == 1 else f"{rows[0][2]:,} cells"
            refer = "refers" if rows[0][2] == 1 else "refer"
            notes.append(
                Diagnostic(
                    "E0241",
                    f"{cells} of {typed.mapping.name}.{column.name} {refer} to nothing "
                    f"in {other.mapping.name}: {named}",
                    staging.tables[typed.mapping.name].span(rows[0][1], column.name),
                    "their facts are loaded; nothing else is known of these things",
                    severity="warning",
                )
            )
    return replace(typed, notes=tuple(notes))
