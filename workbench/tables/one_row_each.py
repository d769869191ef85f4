"""Rows that say the same thing of one thing twice, or otherwise: once, kept or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.database import text_literal
from workbench.errors import Diagnostic
from workbench.tables.staged import Staging
from workbench.tables.typed import ROW, TypedTable

SHOWN = 5


def with_one_row_each(staging: Staging, typed: TypedTable) -> TypedTable:
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


def told_twice(staging: Staging, typed: TypedTable) -> Diagnostic | None:
    """E0650 where a relation's tuples stand in rows that say different things of them: one tie to a
    rule, several rows to who counts rows.
    """
    table, subject = typed.mapping, ", ".join(typed.subject)
    if table.relation is None or not typed.rows:
        return None
    found = staging.rows(
        f"SELECT [{', '.join(f'{name}::VARCHAR' for name in typed.subject)}], list({ROW} ORDER BY "
        f"{ROW}), count(*) OVER () FROM {typed.relation} GROUP BY {subject} HAVING count(*) > 1 "
        f"ORDER BY min({ROW}) LIMIT 1"
    )
    if not found:
        return None
    ((values, places, several),) = found
    return Diagnostic(
        "E0650",
        f"{', '.join(values)} stands in rows {_listed(places)} of {table.name} with different "
        f"things said of it ({several:,} such), and the mapping says that the rows are one "
        f"{table.relation}",
        staging.tables[table.name].span(places[1]),
        f'take `relation = "{table.relation}"` out of the mapping, so that each row is a thing of '
        "its own, or keep one of the rows",
    )


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
        f"{ROW}), concat_ws(', ', {named}), sum(count(*) - 1) OVER (), count(*) OVER () FROM "
        f"{typed.relation} GROUP BY {subject} HAVING count(*) > 1 AND ({' OR '.join(differs)}) "
        f"ORDER BY min({ROW}) LIMIT {SHOWN}"
    )
    if not rows:
        return 0, []
    extra, things = int(rows[0][3]), int(rows[0][4])
    if table.keep != "error":
        values, places, where, *_ = rows[0]
        note = Diagnostic(
            "E0239",
            f"{things:,} of {table.name} stand in rows that contradict each other; the "
            f"{table.keep} counts ({', '.join(values)} in rows {_listed(places)}: {where})",
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
        f"SELECT list({ROW} ORDER BY {ROW}) FROM {typed.relation} GROUP BY {names} HAVING count(*) "
        f"> 1 ORDER BY min({ROW}) LIMIT 1"
    )[0][0]
    nameless = typed.mapping.key is None and typed.mapping.relation is None
    apart = "; a column that tells them apart, such as a number, keeps each" if nameless else ""
    rows = "1 row of" if repeated == 1 else f"{repeated:,} rows of"
    return Diagnostic(
        "E0240",
        f"{rows} {staged.source.shown} {'repeats' if repeated == 1 else 'repeat'} another and "
        f"{'counts' if repeated == 1 else 'count'} once, such as rows {_listed(places)}"
        f"{apart}",
        staged.span(places[1]),
        severity="note",
    )
