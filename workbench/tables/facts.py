"""The facts that a mapping makes of each table: which predicates, over which types,
from which columns. No data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import Literal

from workbench.errors import UsageError, WorkbenchError
from workbench.tables.mapping import ColumnMapping, TableMapping, TablesMapping
from workbench.tables.names import predicate_name, words

TargetKind = Literal["yes/no", "category", "number"]


@dataclass(frozen=True)
class MappedPredicate:
    """A predicate that one column of a table, or the table as a relation, fills.

    Attributes
    ----------
    types : tuple of str
        Of its arguments; `number`, `date` and `text` are value types.
    column : ColumnMapping or None
        None for the relation of a table whose rows are tuples.
    subjects : int
        How many leading arguments are what the row is about; the rest is what is said of it.
    functional : bool
        Whether there is at most one fact for each row's thing.
    """

    name: str
    types: tuple[str, ...]
    table: str
    column: ColumnMapping | None
    subjects: int
    functional: bool


@dataclass(frozen=True)
class Target:
    """What is to be predicted.

    Attributes
    ----------
    value : str or None
        The value whose presence is predicted, of a category or of the words for yes and no.
    kind : {'yes/no', 'category', 'number'}
        Whether something is so; which of several values it is; how much it is.
    """

    table: TableMapping
    column: ColumnMapping
    value: str | None
    kind: TargetKind
    predicate: str
    types: tuple[str, ...]

    @property
    def name(self) -> str:
        """The target as the user names it."""
        value = "" if self.value is None else f"={self.value}"
        return f"{self.table.name}.{self.column.name}{value}"


def subject_types(mapping: TablesMapping, table: TableMapping) -> tuple[str, ...]:
    """The types of what a row of a table is about: of its thing,
    or of the things that it relates.
    """
    if table.relation is None:
        return (mapping.type_of(table),)
    return tuple(mapping.type_of(mapping.table(column.table or "")) for column in table.references)


def mapped_predicates(mapping: TablesMapping) -> tuple[MappedPredicate, ...]:
    """Every predicate that the mapping fills, the target's included, table by table.

    Raises E0235 for a reference to a table that is not there, E0237 for a column that cannot be
    predicted.
    """
    return tuple(found for table in mapping.tables for found in _of_table(mapping, table))


def rows_predicate(mapping: TablesMapping) -> MappedPredicate | None:
    """The predicate that holds of each row of the table to predict: of its things, such as
    `PeopleRow(person)`, or of the tuples of a relation; None where nothing is to be predicted.

    What is asked are these, whatever else other tables name.
    """
    target = target_of(mapping)
    if target is None:
        return None
    table, subjects = target.table, subject_types(mapping, target.table)
    name = table.relation
    if name is None:
        taken = {found.name for found in mapped_predicates(mapping)}
        taken |= {one.name for one in mapping.definitions}
        name = predicate_name((*words(table.name), "row"))
        name = next(
            one for one in chain((name,), map(f"{name}{{}}".format, count(2))) if one not in taken
        )
    return MappedPredicate(name, subjects, table.name, None, len(subjects), False)


def _of_table(mapping: TablesMapping, table: TableMapping) -> Iterator[MappedPredicate]:
    subjects = subject_types(mapping, table)
    several = table.relation is not None and len(_said(table)) <= 1
    if table.relation is not None:
        yield MappedPredicate(table.relation, subjects, table.name, None, len(subjects), False)
    target = target_of(mapping)
    for column in _said(table):
        assert column.predicate is not None
        if (
            target is not None
            and target.table.name == table.name
            and target.column.name == column.name
        ):
            yield MappedPredicate(
                target.predicate, target.types, table.name, column, len(subjects), not several
            )
            if mapping.known is not None and target.kind == "yes/no":
                types = (*subjects, "number")
                yield MappedPredicate(
                    mapping.known, types, table.name, column, len(subjects), not several
                )
        else:
            types = (*subjects, *value_types(mapping, column))
            yield MappedPredicate(
                column.predicate, types, table.name, column, len(subjects), not several
            )


def _said(table: TableMapping) -> tuple[ColumnMapping, ...]:
    """The columns that say something of the row, beyond what it is about."""
    return tuple(
        column
        for column in table.columns
        if column.makes_facts and not (table.relation is not None and column.kind == "reference")
    )


def value_types(mapping: TablesMapping, column: ColumnMapping) -> tuple[str, ...]:
    """The type of what a column says; nothing for yes or no."""
    if column.kind == "reference":
        return (mapping.type_of(mapping.table(column.table or "")),)
    if column.kind == "yes/no":
        return ()
    return (column.type or column.kind,)


def target_of(mapping: TablesMapping) -> Target | None:
    """What a mapping's `predict` asks for; None where it asks for nothing.

    Raises E0235 for a table or column that is not there, E0237 for a column that cannot be
    predicted or a value that it cannot have, E0780 for a relation itself.
    """
    if mapping.predict is None:
        return None
    place, equals, value = mapping.predict.partition("=")
    name, column_name = mapping.place(place)
    if equals and not value:
        raise UsageError.of(
            "E0237",
            f"{mapping.predict} names no value",
            help="write TABLE.COLUMN or TABLE.COLUMN=VALUE; blank cells are what is asked for",
        )
    if not column_name:
        if any(table.name == name and table.relation is not None for table in mapping.tables):
            raise _only_pairs(mapping.table(name))
        raise UsageError.of(
            "E0237",
            f"{mapping.predict} names no column",
            help="write TABLE.COLUMN or TABLE.COLUMN=VALUE",
        )
    table = mapping.table(name)
    column = table.column(column_name)
    kind = _target_kind(table, column, value)
    subjects = subject_types(mapping, table)
    assert column.predicate is not None
    if kind == "number":
        return Target(table, column, None, kind, column.predicate, (*subjects, "number"))
    if kind == "category":
        return Target(
            table, column, None, kind, column.predicate, (*subjects, *value_types(mapping, column))
        )
    said_yes = column.kind == "yes/no" and (not value or value in column.reading.yes)
    predicate = (
        column.predicate if said_yes else predicate_name((*words(column.name), *words(value)))
    )
    return Target(table, column, value or None, kind, predicate, subjects)


def _target_kind(table: TableMapping, column: ColumnMapping, value: str) -> TargetKind:
    fault, help_text = (
        "",
        "another column can be named, or this one given another kind in the mapping",
    )
    if column.kind in ("key", "constant", "empty", "ignore", "date", "text"):
        why = (
            "its table has no rows"
            if column.kind == "empty" and not table.rows
            else f"it is {_a(column.kind)}"
        )
        fault = f"{table.name}.{column.name} cannot be predicted: {why}"
        if column.kind == "constant":
            fault += f" ({column.reason})"
    elif table.relation is not None and column.kind == "reference":
        raise _only_pairs(table)
    elif column.kind == "number" and value:
        fault = (
            f"{table.name}.{column.name} holds numbers, and {value} is not one of several values"
        )
        help_text = "leave the value out to predict the number"
    elif (
        column.kind == "yes/no" and value and value not in (*column.reading.yes, *column.reading.no)
    ):
        fault = f"{table.name}.{column.name} is never {value}"
        help_text = f"its words are {', '.join((*column.reading.yes[:1], *column.reading.no[:1]))}"
    if fault:
        raise UsageError.of("E0237", fault, help=help_text)
    return (
        "yes/no"
        if column.kind == "yes/no" or value
        else "number"
        if column.kind == "number"
        else "category"
    )


def _only_pairs(table: TableMapping) -> WorkbenchError:
    """A relation itself is asked for: its rows say what is so,
    and nothing says what is in question.
    """
    ends = ", ".join(column.name for column in table.references)
    return UsageError.of(
        "E0780",
        f"{table.name} lists which things it relates, and nothing "
        "says which others are in question",
        help=f"give a table of the pairs in question: {ends}, and a column of yes, no or blank "
        "that --predict names",
    )


def _a(kind: str) -> str:
    return {
        "key": "the key",
        "constant": "the same in every row",
        "empty": "empty",
        "ignore": "to be ignored",
    }.get(kind, f"a {kind}")
