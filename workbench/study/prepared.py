"""Tables read and understood: what is predicted of which rows, what may be said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import unused_name
from workbench.database.arrow_columns import numpy_column
from workbench.errors import Diagnostic, InputError, UsageError, nearest
from workbench.structure.relational import Schema
from workbench.study.anchors import TargetTimes
from workbench.study.compared_columns import with_types
from workbench.study.immense import immense_numbers
from workbench.study.schema import relational_schema
from workbench.tables import (
    Staging,
    TablesMapping,
    Target,
    TypedTable,
    check_definitions,
    leaks,
    mapped_predicates,
    propose,
    target_faults,
    target_of,
    target_rows,
    type_tables,
)
from workbench.tables.composite import split_value
from workbench.tables.facts import TargetKind
from workbench.tables.one_row_each import told_twice

FEWEST_LABELS = 8


@dataclass(frozen=True)
class Prepared:
    """Tables read and understood, and what is to be predicted of which rows.

    Attributes
    ----------
    rows : int64 array, shape (n_rows,)
        `rowid` of the target table's rows.
    labels : float64 array, shape (n_rows,)
        NaN where asked.
    keys : mapping of str to list of str
        The columns that tell the rows apart.
    """

    mapping: TablesMapping
    typed: dict[str, TypedTable]
    target: Target
    schema: Schema
    rows: Int64
    labels: Float
    keys: dict[str, list[Any]]
    names: list[str]
    classes: tuple[str, ...]
    times: TargetTimes | None
    time_column: str | None
    warnings: tuple[Diagnostic, ...]

    @property
    def n_labelled(self) -> int:
        """How many rows have a label."""
        return int((~np.isnan(self.labels)).sum())

    @property
    def kind(self) -> TargetKind:
        """What is predicted: whether, which, or how much."""
        return self.target.kind


def _refuse_few_labels(target: Target, labels: Float) -> None:
    labelled = int((~np.isnan(labels)).sum())
    if labelled < FEWEST_LABELS:
        raise InputError.of(
            "E0630",
            f"{target.name} has {labelled} labels, too few to learn from and to score with",
            help=f"fill in at least {FEWEST_LABELS}",
        )


def prepared(
    staging: Staging, predict: str, *, time: str | None = None, mapping: TablesMapping | None = None
) -> Prepared:
    """Profile, map and type the tables; find the labels, what is asked,
    and columns that give the target away.
    """
    chosen = (
        propose(staging, predict=predict, blank_is_no=False)
        if mapping is None
        else mapping_onto(staging, mapping, predict)
    )
    target = target_of(chosen)
    assert target is not None
    check_definitions(chosen)
    typed = dict(type_tables(staging, chosen))
    of_target = target_rows(staging, chosen, typed)
    twice = filter(None, (told_twice(staging, table) for table in typed.values()))
    faults = [*target_faults(of_target), *twice]
    if faults:
        raise InputError(faults)
    notes = [note for table in staging.tables.values() for note in table.notes]
    notes += [note for table in typed.values() for note in table.notes]
    found_leaks = leaks(staging, chosen, typed)
    notes += [leak.diagnostic(target) for leak in found_leaks]
    left_out = {
        (target.table.name, leak.column)
        for leak in found_leaks
        if leak.how.startswith("is filled exactly")
    }
    immense = list(immense_numbers(staging, typed))
    notes += [note for _, _, note in immense]
    time_column = _time_column(chosen, target, time)
    if target.kind == "yes/no" and chosen.known is None:
        chosen = replace(chosen, known=_known_name(chosen, target))
    without = {(target.table.name, target.column.name), *left_out}
    without |= {(table, column) for table, column, _ in immense}
    schema = relational_schema(
        staging, chosen, typed, target.table.name, without=without, timed=time_column is not None
    )
    chosen = with_types(chosen, schema)
    asked = asked_rows(staging, typed[target.table.name], target, of_target.classes, time_column)
    notes += asked.notes
    _refuse_few_labels(target, asked.labels)
    if time_column is not None:
        schema = _undated_target(schema, target.table.name, time_column)
    return Prepared(
        chosen, typed, target, schema, asked.rows, asked.labels, asked.keys, asked.names,
        of_target.classes, asked.times, time_column, tuple(notes),
    )  # fmt: skip


def mapping_onto(
    staging: Staging, mapping: TablesMapping, predict: str | None = None
) -> TablesMapping:
    """The mapping with the staged tables for its own.

    Raises E0642 for a table of the mapping that is not among them.
    """
    for table in mapping.tables:
        if table.name not in staging.tables:
            raise InputError.of(
                "E0642",
                f"the mapping speaks of a table {table.name}, and none of that name is given",
                help=f"the tables given are {', '.join(staging.tables)}",
            )
    tables = [
        replace(t, source=staging.tables[t.name].source, rows=staging.tables[t.name].rows)
        for t in mapping.tables
    ]
    return replace(mapping, tables=tuple(tables), predict=predict or mapping.predict)


def _known_name(mapping: TablesMapping, target: Target) -> str:
    """A name for the known labels of the target, which no predicate has."""
    taken = {found.name for found in mapped_predicates(mapping)}
    taken |= {one.name for one in mapping.definitions}
    return unused_name(f"Known{target.predicate}", taken)


def _time_column(mapping: TablesMapping, target: Target, time: str | None) -> str | None:
    if time is None:
        return None
    table, column = mapping.place(time)
    if table != target.table.name or not column:
        raise UsageError.of(
            "E0632",
            f"rows of {target.table.name} are asked at their own date, and {time} is not a column "
            "of it",
            help=f"write {target.table.name}.DATECOLUMN",
        )
    found = target.table.column(column)
    if found.kind != "date":
        dates = [one.name for one in target.table.columns if one.kind == "date"]
        close = nearest(column, dates) or (dates[0] if dates else None)
        raise UsageError.of(
            "E0632",
            f"{time} holds no dates: it is taken for {found.kind} ({found.reason})",
            help=f"did you mean {table}.{close}?"
            if close
            else 'map it to kind = "date" in the mapping',
        )
    return column


def _undated_target(schema: Schema, table: str, time_column: str) -> Schema:
    """The schema without the time itself as something to condition on:
    rules on it would hold of the past alone.
    """
    tables = dict(schema.tables)
    kept = tuple(
        one for one in tables[table].columns if one.name != time_column or one.kind == "calendar"
    )
    tables[table] = replace(tables[table], columns=kept, date=time_column, dated_by_year=False)
    return Schema(tables)


@dataclass(frozen=True)
class AskedRows:
    """The rows of the target's table: which they are, what is known of them, when they are asked.

    Attributes
    ----------
    rows : int64 array, shape (n_rows,)
    labels : float64 array, shape (n_rows,)
        NaN where unknown.
    keys : mapping of str to list
    """

    rows: Int64
    labels: Float
    keys: dict[str, list[Any]]
    names: list[str]
    times: TargetTimes | None
    notes: tuple[Diagnostic, ...]


def asked_rows(
    staging: Staging,
    typed: TypedTable,
    target: Target,
    classes: Sequence[str],
    time_column: str | None,
) -> AskedRows:
    """The rows of the target's table; a label of none of the classes is none."""
    mapping = typed.mapping
    if mapping.key is not None:
        shown = {mapping.key: typed.columns[mapping.key]}
    else:
        shown = {column.name: typed.columns[column.name] for column in mapping.references}
        if mapping.relation is None:
            shown = {"row": typed.subject[0], **shown}
            if time_column is not None:
                shown[time_column] = typed.columns[time_column]
    display = [typed.columns[name] for name in mapping.display if name in typed.columns]
    name = f"concat_ws(' ', {', '.join(display)})" if display else "NULL"
    cells = ", ".join(f"{sql}::VARCHAR AS k{place}" for place, sql in enumerate(shown.values()))
    found = staging.record_batches(
        f"SELECT rowid AS r_, {typed.target} AS y_, {name} AS n_, {cells} FROM {typed.relation} "
        "ORDER BY rowid"
    ).read_all()
    column = found.column("y_").to_pylist()
    place = {text: number for number, text in enumerate(classes)}
    said = (np.nan if v is None else place.get(v, np.nan) if classes else float(v) for v in column)
    labels = np.array(list(said), np.float64)
    keys = {name: found.column(f"k{number}").to_pylist() for number, name in enumerate(shown)}
    ids = [", ".join(str(part) for part in parts) for parts in zip(*keys.values())]
    if mapping.key is not None and (parts := mapping.column(mapping.key).parts):
        keys |= dict(zip(parts, map(list, zip(*map(split_value, ids)))))
    names = [
        f"{name} ({key})" if name else key for name, key in zip(found.column("n_").to_pylist(), ids)
    ]
    times: TargetTimes | None = None
    notes: tuple[Diagnostic, ...] = ()
    if time_column is not None:
        times = times_of(staging, typed, time_column)
        # A row without a date has no past that it could see.
        undated = np.isnan(times.days)
        if lost := int((undated & ~np.isnan(labels)).sum()):
            notes = (_without_date(target, time_column, lost),)
        labels = np.where(undated, np.nan, labels)
    rows = numpy_column(found.column("r_")).astype(np.int64)
    return AskedRows(rows, labels, keys, names, times, notes)


def _without_date(target: Target, column: str, lost: int) -> Diagnostic:
    rows = "1 row" if lost == 1 else f"{lost:,} rows"
    return Diagnostic(
        "E0648",
        f"{rows} of {target.table.name} with a {target.column.name} have no {column}: what they "
        "say is neither learned from nor scored, and a value is predicted for them",
        help="fill in their dates, or leave --time out",
        severity="warning",
    )


def times_of(staging: Staging, typed: TypedTable, column: str) -> TargetTimes:
    """What a column of dates says of all rows of a table, in their order."""
    name = typed.columns[column]
    found = staging.record_batches(
        f"SELECT epoch({name}) / 86400.0 AS d, year({name}) - 1.0 AS y FROM {typed.relation} "
        "ORDER BY rowid"
    ).read_all()
    days, years = (
        np.array([np.nan if v is None else v for v in found.column(n).to_pylist()], np.float64)
        for n in "dy"
    )
    return TargetTimes(days, years)
