"""From counts to a mapping: the shape of each table, a kind for each column,
names for types and predicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from workbench.tables.alike_keys import with_alike_keys
from workbench.tables.composite import find_composites, joined_name
from workbench.tables.declared import Declared, declared_in
from workbench.tables.keys import Key, find_keys
from workbench.tables.kinds import ColumnKind, Finding, kind_of
from workbench.tables.mapping import ColumnMapping, TableMapping, TablesMapping
from workbench.tables.names import plain_words, predicate_name, singular_words, type_name, words
from workbench.tables.profile import ColumnCounts, TableCounts, count_table
from workbench.tables.proposed_names import with_category_types, with_own_types, with_predicates
from workbench.tables.readings import Reading
from workbench.tables.references import KeyReference, find_references
from workbench.tables.split_dates import find_split_dates
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import BLANKS, Alike

_NAMES = frozenset("name title label bezeichnung titel nom nombre nome fullname naam".split())
_FIRST = frozenset("forename firstname first vorname given prenom nombre voornaam nome".split())
_LAST = frozenset(
    "surname lastname nachname nom apellido apellidos cognome achternaam sobrenome naam "
    "last".split()
)


@dataclass(frozen=True)
class _Found:
    """All that was found out about the tables."""

    tables: Sequence[TableCounts]
    keys: Mapping[str, Key]
    references: Mapping[tuple[str, str], KeyReference]
    lists: Mapping[tuple[str, str], Finding]


def propose(
    staging: Staging,
    *,
    predict: str | None = None,
    taken: Mapping[str, Sequence[str]] | None = None,
    blank_is_no: bool = True,
) -> TablesMapping:
    """Profile the staged tables and propose what they mean, with a reason for each column.

    Parameters
    ----------
    predict : str or None
        `TABLE.COLUMN` or `TABLE.COLUMN=VALUE`, kept in the mapping; `workbench.tables.target_of`
        checks it.
    taken : mapping of str to sequence of str, optional
        Predicates that there are already, with their argument types: a new one of that name and
        other types is called differently.
    blank_is_no : bool
        Whether a column of yes, no and blanks is one of yes or no, where a blank is taken for no;
        else it is a category of two values, but for what is to be predicted.

    Returns
    -------
    TablesMapping
        Its reasons and counts are those of these tables; edit it with `dataclasses.replace`, or as
        TOML.
    """
    counted = tuple(count_table(staging, table) for table in staging.tables.values())
    declared = declared_in(staging)
    keys = find_keys(counted, declared)
    references = find_references(staging, counted, keys, declared)
    found = _Found(counted, keys, references, _lists_apart(staging))
    tables = [_table(staging, found, counts) for counts in counted]
    tables = with_alike_keys(_with_composites(staging, counted, tables, declared))
    if not blank_is_no:
        tables = [_blanks_apart(table, predict or "") for table in tables]
    tables = with_category_types(staging, with_own_types(tables))
    return TablesMapping(tuple(with_predicates(tables, taken or {})), predict)


def _lists_apart(staging: Staging) -> dict[tuple[str, str], Finding]:
    """The columns of texts whose elements are tables of their own."""
    tables = [table for table in staging.tables.values() if not table.source.is_list]
    return {
        (table.name, one.source.part or ""): Finding(
            "ignore", f"lists separated by {one.source.list_separator}: the table {one.name}"
        )
        for one in staging.tables.values()
        for table in tables
        if one.source.list_separator is not None and one.source.path == table.source.path
    }


def _table(staging: Staging, found: _Found, counts: TableCounts) -> TableMapping:
    table = counts.table
    key = found.keys.get(table.name)
    columns = [_column(found, counts, column, key) for column in counts.columns]
    columns += find_split_dates(staging, counts)
    mapped = TableMapping(
        table.source, type_name(singular_words(table.name)), columns=tuple(columns), rows=table.rows
    )
    if key is not None:
        return replace(mapped, key=key.column, display=_display(counts, key.column))
    if _is_relation(staging, mapped, table):
        return replace(mapped, relation=predicate_name(words(table.name)))
    return mapped


def _with_composites(
    staging: Staging,
    counted: Sequence[TableCounts],
    tables: Sequence[TableMapping],
    declared: Declared,
) -> list[TableMapping]:
    """The tables with keys of several columns, and with the references to these,
    as columns beside their parts.
    """
    keyed = {table.name for table in tables if table.key is not None}
    related = {table.name for table in tables if table.relation is not None}
    keys, references = find_composites(staging, counted, keyed, related, declared)

    rows = {table.name: (table.rows, table.name) for table in tables}

    def changed(table: TableMapping) -> TableMapping:
        key = keys.get(table.name)
        # Columns refer to one table, as single ones do: to the one found first.
        refers = {one.columns: one for one in reversed(references.get(table.name, ()))}
        more: list[ColumnMapping] = []
        if key is not None:
            same = refers.pop(key.columns, None)
            if same is not None and rows[table.name] > rows[same.table]:
                same = None  # Of two tables about the same things the smaller refers to the other.
            reason = key.reason + (f"; {same.reason}" if same else "")
            refers_to, alike = (same.table, same.alike) if same else (None, None)
            more = [_joined("key", key.columns, refers_to, reason, alike)]
            table = replace(table, key=joined_name(key.columns), relation=None)
        more = [_joined("reference", *astuple(one)) for one in refers.values()] + more
        return replace(table, columns=(*table.columns, *more))

    return [changed(table) for table in tables]


def _blanks_apart(table: TableMapping, predict: str) -> TableMapping:
    """The table with its columns of yes, no and more than a few blanks as categories."""
    asked = predict.partition("=")[0]

    def changed(column: ColumnMapping) -> ColumnMapping:
        few = column.missing < FEW_BLANKS * table.rows
        one_sided = column.kind != "yes/no" or column.distinct != 2
        if few or one_sided or f"{table.name}.{column.name}" == asked:
            return column
        reading = Reading(blanks=column.reading.blanks)
        return replace(column, kind="category", reading=reading, reason=f"{column.reason}, or none")

    return replace(table, columns=tuple(map(changed, table.columns)))


FEW_BLANKS = 0.01


def _joined(
    kind: ColumnKind, parts: tuple[str, ...], table: str | None, reason: str, alike: Alike | None
) -> ColumnMapping:
    reading = Reading(blanks=BLANKS, alike=alike)
    return ColumnMapping(
        joined_name(parts), kind, table=table, reading=reading, parts=parts, reason=reason
    )


def _column(
    found: _Found, counts: TableCounts, column: ColumnCounts, key: Key | None
) -> ColumnMapping:
    refers = found.references.get((counts.table.name, column.name))
    if key is not None and column.name == key.column:
        reason = key.reason + (f"; {refers.said}" if refers else "")
        table = refers.table if refers else None
        return ColumnMapping(
            column.name,
            "key",
            table=table,
            reading=_plain(column, refers),
            reason=reason,
            missing=column.blanks,
        )
    if refers is not None:
        return ColumnMapping(
            column.name,
            "reference",
            table=refers.table,
            reading=_plain(column, refers),
            reason=refers.said,
            missing=column.blanks,
        )
    finding = found.lists.get((counts.table.name, column.name)) or kind_of(column)
    if finding.kind in ("category", "text", "constant", "empty"):
        column = replace(column, reading=_plain(column))
    return ColumnMapping(
        column.name,
        finding.kind,
        reading=replace(column.reading, other_format=None, other_decimal=None, seen=()),
        unreadable="blank"
        if finding.mixed and finding.kind in ("number", "date", "yes/no")
        else "error",
        reason=_reason(finding),
        missing=column.blanks,
        distinct=column.distinct,
    )


def _plain(column: ColumnCounts, refers: KeyReference | None = None) -> Reading:
    return Reading(blanks=BLANKS + column.reading.seen, alike=refers.alike if refers else None)


def _reason(finding: Finding) -> str:
    return "; ".join(filter(None, (finding.reason, finding.mixed)))


def _is_relation(staging: Staging, mapped: TableMapping, table: StagedTable) -> bool:
    """Whether rows without a key are tuples of the things they refer to: all of these are there,
    and of no tuple different things are said."""
    references = mapped.references
    if len(references) < 2:
        return False
    others = [
        column
        for column in mapped.columns
        if column.kind in ("category", "number", "date", "yes/no", "text")
    ]
    if not others:
        return True
    if any(column.missing for column in references):
        return False
    cells = ", ".join(table.cell(column.name) for column in references)
    (tuples, rows) = staging.rows(
        f"SELECT (SELECT count(*) FROM (SELECT DISTINCT {cells} FROM {table.relation})), "
        f"(SELECT count(*) FROM (SELECT DISTINCT * FROM {table.relation}))"
    )[0]
    return int(tuples) == int(rows)


def _display(counts: TableCounts, key: str) -> tuple[str, ...]:
    """The columns that people would call a row's thing by."""

    def having(names: frozenset[str]) -> list[str]:
        return [
            column.name
            for column in counts.columns
            if column.name != key
            and column.filled > 0.5 * counts.table.rows
            and column.numbers < 0.5 * column.filled
            and ({*plain_words(column.name), "".join(plain_words(column.name))} & names)
        ]

    named = having(_NAMES)
    exact = [name for name in named if "".join(plain_words(name)) in _NAMES]
    first, last = having(_FIRST), having(_LAST)
    # In some languages the word for a name is that for its first or last part, too.
    whole = [name for name in exact if name not in (*first, *last)]
    if not whole and first and last and first[0] != last[0]:
        return (first[0], last[0])
    return tuple((whole or exact or named or last)[:1])
