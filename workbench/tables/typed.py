"""Staged texts read as the mapping says: typed tables with a row for each thing or tuple, and all that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.database import quoted, text_literal, unused_name
from workbench.errors import Diagnostic, InputError
from workbench.tables.composite import joined_value
from workbench.tables.facts import Target, target_of
from workbench.tables.kinds import MOST_CATEGORIES
from workbench.tables.mapping import ColumnMapping, TableMapping, TablesMapping
from workbench.tables.staging import StagedTable, Staging
from workbench.tables.values import date_from_parts, date_value, is_blank, number_value, truth_value

__all__ = ["TypedTable", "counted", "type_tables"]

SHOWN = 5
ROW = "row_"


@dataclass(frozen=True)
class TypedTable:
    """A staged table, read: a row for each thing or tuple.

    Attributes
    ----------
    relation : str
        Its name in the staging's database. Beside the columns it has `row_`, the row of the source.
    columns : mapping of str to str
        The SQL name of each column that makes facts or names things: keys, references, categories and texts are
        VARCHAR, numbers DOUBLE, dates TIMESTAMP, yes and no DOUBLE 1 and 0; NULL where the cell is blank.
    subject : tuple of str
        The SQL names of what a row is about: the key, the references of a relation, or `row_`.
    target : str or None
        The SQL name of the target's column in its table: as said there, or DOUBLE 1 and 0 for a target of one value.
    """

    mapping: TableMapping
    relation: str
    columns: Mapping[str, str]
    rows: int
    subject: tuple[str, ...]
    target: str | None = None
    notes: tuple[Diagnostic, ...] = ()


def counted(staging: Staging, table: TableMapping) -> TableMapping:
    """A table of a mapping that was read, with the rows and blanks of a staged one, and where that came from."""
    staged = staging.tables[table.name]
    _check_columns(staged, table)
    wanted = ", ".join(f"count(*) FILTER (NOT ({_is_filled(staged, column)}))" for column in table.columns)
    blanks = staging.rows(f"SELECT {wanted} FROM {staged.relation}")[0] if wanted else ()
    columns = tuple(
        replace(column, missing=int(blank), reason=column.reason or "the mapping says so")
        for column, blank in zip(table.columns, blanks)
    )
    return replace(table, source=staged.source, rows=staged.rows, columns=columns)


def type_tables(staging: Staging, mapping: TablesMapping) -> Mapping[str, TypedTable]:
    """Read the staged tables as a mapping says, by name of the table.

    Cells that cannot be read, blank keys and rows that contradict each other are errors unless the mapping says
    otherwise; then they are counted in a warning.

    Raises
    ------
    InputError
        With every fault found (a handful of each kind) at its row and column: E0235 for a column that is not there,
        E0236 for a cell that cannot be read, E0238 for a blank key, E0239 for contradicting rows.
    """
    target = target_of(mapping)
    found: dict[str, TypedTable] = {}
    faults: list[Diagnostic] = []
    for number, table in enumerate(mapping.tables):
        typed = _typed(staging, table, f"r{number}", target if target and target.table.name == table.name else None)
        for step in (_with_readable_cells, _with_subjects, _with_one_row_each):
            typed = step(staging, typed)
        faults += [note for note in typed.notes if note.severity == "error"]
        found[table.name] = typed
    if faults:
        raise InputError(tuple(faults))
    return {name: _with_found_references(staging, typed, found) for name, typed in found.items()}


def _typed(staging: Staging, table: TableMapping, relation: str, target: Target | None) -> TypedTable:
    staged = staging.tables[table.name]
    _check_columns(staged, table)
    columns: dict[str, str] = {}
    cells = [f"rowid + {staged.first_row} AS {ROW}"]
    for column in table.columns:
        if column.kind == "key" or column.makes_facts or column.kind == "reference" or column.name in table.display:
            columns[column.name] = quoted(unused_name(column.name, [ROW, *(name[1:-1] for name in columns.values())]))
            cells.append(f"{_value(staged, column)} AS {columns[column.name]}")
    asked = None
    if target is not None:
        asked = columns[target.column.name]
        if target.kind == "yes/no":
            asked = quoted(unused_name("target", [name[1:-1] for name in columns.values()]))
            cells.append(f"{_target_value(staged, target)} AS {asked}")
    staging.connection.execute(
        f"CREATE OR REPLACE TABLE {relation} AS SELECT {', '.join(cells)} FROM {staged.relation}"
    )
    if table.relation is not None:
        subject = tuple(columns[column.name] for column in table.references)
    else:
        subject = (columns[table.key],) if table.key is not None else (ROW,)
    large = _too_many_categories(staging, table, relation, columns) if staged.rows > MOST_CATEGORIES else ()
    empty = Diagnostic("E0233", f"{staged.source.shown} has columns and no rows", staged.span(1), severity="warning")
    return TypedTable(table, relation, columns, staged.rows, subject, asked, large if staged.rows else (empty,))


def _too_many_categories(
    staging: Staging, table: TableMapping, relation: str, columns: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """Categories that a mapping asks for and that hardly repeat: a warning for each."""
    named = [column.name for column in table.columns if column.kind == "category" and column.makes_facts]
    if not named:
        return ()
    counts = staging.rows(
        f"SELECT {', '.join(f'approx_count_distinct({columns[name]})' for name in named)} FROM {relation}"
    )[0]
    return tuple(
        Diagnostic(
            "E0246",
            f"{table.name}.{name} has about {count:,} categories, more than {MOST_CATEGORIES:,}",
            staging.tables[table.name].span(1, name),
            'say kind = "text" for it in the mapping, unless rules are to speak of single values',
            severity="warning",
        )
        for name, count in zip(named, counts)
        if count > MOST_CATEGORIES
    )


def _check_columns(staged: StagedTable, table: TableMapping) -> None:
    for column in table.columns:
        for name in column.parts or (column.name,):
            if name not in staged.columns:
                raise InputError.of(
                    "E0235",
                    f"{staged.source.shown} has no column {name}",
                    span=staged.span(1),
                    help=f"add it (its cells may be blank), or take it out of the mapping; the file's columns are "
                    f"{', '.join(staged.columns)}",
                )


def _value(staged: StagedTable, column: ColumnMapping) -> str:
    """What a cell says, as a column's kind has it; NULL where it is blank or cannot be read."""
    if column.parts and column.kind != "date":
        return joined_value([staged.cell(part) for part in column.parts], column.reading.blanks)
    if column.parts:
        return date_from_parts(*(staged.cell(part) for part in column.parts))
    cell, reading = staged.cell(column.name), column.reading
    text = f"CASE WHEN NOT {is_blank(cell, reading.blanks)} THEN {cell} END"
    if column.kind == "number":
        return number_value(text, reading.decimal or ".", reading.unit)
    if column.kind == "date":
        return date_value(text, reading.format or "%Y-%m-%d")
    if column.kind == "yes/no":
        return f"({truth_value(text, reading.yes, reading.no)})::DOUBLE"
    return text


def _target_value(staged: StagedTable, target: Target) -> str:
    """1 where the row has the value asked for, 0 where it has another, NULL where it is blank."""
    column, value = target.column, target.value
    if column.kind == "yes/no":
        says = _value(staged, column)
        return f"1 - {says}" if value is not None and value in column.reading.no else says
    text = _value(staged, column)
    return f"CASE WHEN {text} IS NULL THEN NULL WHEN {text} = {text_literal(value)} THEN 1 ELSE 0 END::DOUBLE"


def _with_readable_cells(staging: Staging, typed: TypedTable) -> TypedTable:
    """Compare what is filled with what was read, and name the cells that make the difference."""
    staged = staging.tables[typed.mapping.name]
    checked = [column for column in typed.mapping.columns if column.kind in ("number", "date", "yes/no")]
    checked = [column for column in checked if column.makes_facts]
    if not checked or not typed.rows:
        return typed
    filled = ", ".join(f"count(*) FILTER ({_is_filled(staged, column)})" for column in checked)
    read = ", ".join(f"count({typed.columns[column.name]})" for column in checked)
    before = staging.rows(f"SELECT {filled} FROM {staged.relation}")[0]
    after = staging.rows(f"SELECT {read} FROM {typed.relation}")[0]
    notes = list(typed.notes)
    for column, wanted, got in zip(checked, before, after):
        if wanted > got:
            notes += _unreadable(staging, typed, staged, column, wanted - got)
    return replace(typed, notes=tuple(notes))


def _is_filled(staged: StagedTable, column: ColumnMapping) -> str:
    names = column.parts or (column.name,)
    return " AND ".join(f"NOT {is_blank(staged.cell(name), column.reading.blanks)}" for name in names)


def _unreadable(
    staging: Staging, typed: TypedTable, staged: StagedTable, column: ColumnMapping, count: int
) -> Iterator[Diagnostic]:
    shown = " || '-' || ".join(staged.cell(name) for name in column.parts or (column.name,))
    rows = staging.rows(
        f"SELECT t.{ROW}, {shown} FROM {typed.relation} t JOIN {staged.relation} s "
        f"ON s.rowid + {staged.first_row} = t.{ROW} WHERE t.{typed.columns[column.name]} IS NULL "
        f"AND {_is_filled(staged, column)} ORDER BY 1 LIMIT {SHOWN}"
    )
    what = {"number": "number", "date": "date", "yes/no": "yes or no"}[column.kind]
    where = (column.parts or (column.name,))[0]
    if column.unreadable == "blank":
        cells = "1 cell" if count == 1 else f"{count:,} cells"
        named = ", ".join(f"{text!r} in row {row}" for row, text in rows[:3]) + (", ..." if count > 3 else "")
        yield Diagnostic(
            "E0236",
            f"{cells} of {typed.mapping.name}.{column.name} {'is' if count == 1 else 'are'} no {what}, "
            f"taken for blank: {named}",
            staged.span(rows[0][0], where),
            'mend them, or map the column to kind = "text"',
            severity="warning",
        )
        return
    for row, text in rows:
        written = f" written as {column.reading.format}" if column.kind == "date" and column.reading.format else ""
        decimal = 'say decimal = "," in the mapping, ' if column.kind == "number" and "," in text else ""
        yield Diagnostic(
            "E0236",
            f"{text!r} in {typed.mapping.name}.{column.name}, row {row}, is no {what}{written}"
            + (f" ({count:,} such cells)" if count > len(rows) else ""),
            staged.span(row, where),
            f'{decimal}mend the cell, list it under missing = [...], or say unreadable = "blank" or another kind '
            "in the mapping",
        )


def _with_subjects(staging: Staging, typed: TypedTable) -> TypedTable:
    """Rows whose thing has no name: an error, or left out and counted."""
    if typed.subject == (ROW,):
        return typed
    table, staged = typed.mapping, staging.tables[typed.mapping.name]
    nameless = " OR ".join(f"{name} IS NULL" for name in typed.subject)
    rows = staging.rows(
        f"SELECT {ROW}, count(*) OVER () FROM {typed.relation} WHERE {nameless} ORDER BY 1 LIMIT {SHOWN}"
    )
    if not rows:
        return typed
    count = rows[0][1]
    named = ", ".join(str(row) for row, _ in rows) + (", ..." if count > len(rows) else "")
    what = f"its key {table.key}" if table.key else " or ".join(column.name for column in table.references)
    have = "1 row of" if count == 1 else f"{count:,} rows of"
    skips = table.blank_keys == "skip"
    note = Diagnostic(
        "E0238",
        f"{have} {staged.source.shown} {'has' if count == 1 else 'have'} no value for {what}: row {named}"
        + ("; left out" if skips else ""),
        staged.span(rows[0][0], table.key),
        None if skips else 'fill them, or say blank_keys = "skip" in the mapping',
        severity="warning" if skips else "error",
    )
    staging.connection.execute(f"DELETE FROM {typed.relation} WHERE {nameless}")
    return replace(typed, rows=typed.rows - count, notes=(*typed.notes, note))


def _with_one_row_each(staging: Staging, typed: TypedTable) -> TypedTable:
    """Rows that repeat another count once; rows of one thing that contradict each other are shown."""
    table = typed.mapping
    said = [
        name for name in dict.fromkeys((*typed.columns.values(), *_optional(typed.target))) if name not in typed.subject
    ]
    whole = table.key is None and (table.relation is None or len(said) <= 1)
    group = [*typed.subject, *said] if whole else [*typed.subject]
    group = [name for name in group if name != ROW]
    if not group or not typed.rows:
        return typed
    different = staging.rows(f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(group)} FROM {typed.relation})")[0][0]
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
    kept = [] if whole else [f"{pick}({name}, {ROW}) FILTER ({name} IS NOT NULL) AS {name}" for name in said]
    merged = f"{typed.relation}m"
    staging.connection.execute(
        f"CREATE OR REPLACE TABLE {merged} AS SELECT {', '.join([f'min({ROW}) AS {ROW}', *group, *kept])} "
        f"FROM {typed.relation} GROUP BY {', '.join(group)} ORDER BY {ROW}"
    )
    staging.drop([typed.relation])
    return replace(typed, relation=merged, rows=different, notes=tuple(notes))


def _optional(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _contradictions(staging: Staging, typed: TypedTable, said: Sequence[str]) -> tuple[int, list[Diagnostic]]:
    """How many rows beyond the first contradict another of the same thing, and the first of them, told in words."""
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
        f"SELECT [{', '.join(f'{name}::VARCHAR' for name in typed.subject)}], list({ROW} ORDER BY {ROW}), "
        f"concat_ws(', ', {named}), sum(count(*) - 1) OVER (), count(*) OVER () FROM {typed.relation} "
        f"GROUP BY {subject} HAVING count(*) > 1 AND ({' OR '.join(differs)}) ORDER BY min({ROW}) LIMIT {SHOWN}"
    )
    if not rows:
        return 0, []
    extra, things = int(rows[0][3]), int(rows[0][4])
    if table.keep != "error":
        values, places, where, *_ = rows[0]
        note = Diagnostic(
            "E0239",
            f"{things:,} of {table.name} stand in rows that contradict each other; the {table.keep} counts "
            f"({', '.join(values)} in rows {_listed(places)}: {where})",
            staged.span(places[1], where.split(", ")[0]),
            severity="warning",
        )
        return extra, [note]
    return extra, [
        Diagnostic(
            "E0239",
            f"{', '.join(values)} stands in rows {_listed(places)} of {staged.source.shown} with different {where}"
            + (f" ({things:,} such)" if things > len(rows) else ""),
            staged.span(places[1], where.split(", ")[0]),
            'keep one of the rows, or say keep = "first" or keep = "last" in the mapping',
        )
        for values, places, where, *_ in rows
    ]


def _listed(rows: Sequence[int]) -> str:
    return ", ".join(map(str, rows[:SHOWN])) + (", ..." if len(rows) > SHOWN else "")


def _about_repetitions(staging: Staging, typed: TypedTable, group: Sequence[str], repeated: int) -> Diagnostic:
    staged = staging.tables[typed.mapping.name]
    names = ", ".join(group)
    places = staging.rows(
        f"SELECT list({ROW} ORDER BY {ROW}) FROM {typed.relation} GROUP BY {names} HAVING count(*) > 1 "
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


def _with_found_references(staging: Staging, typed: TypedTable, tables: Mapping[str, TypedTable]) -> TypedTable:
    """Count the references to things that their table does not have; their facts are made all the same."""
    notes = list(typed.notes)
    for column in typed.mapping.columns:
        other = tables.get(column.table or "")
        if other is None or other.mapping.key is None or column.kind == "key":
            continue
        name, key = typed.columns[column.name], other.columns[other.mapping.key]
        rows = staging.rows(
            f"SELECT {name}, min({ROW}), sum(count(*)) OVER (), count(*) OVER () FROM {typed.relation} t WHERE "
            f"{name} IS NOT NULL AND NOT EXISTS (FROM {other.relation} o WHERE o.{key} = t.{name}) "
            "GROUP BY 1 ORDER BY 2 LIMIT 3"
        )
        if rows:
            named = ", ".join(str(value) for value, *_ in rows) + (", ..." if rows[0][3] > len(rows) else "")
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
