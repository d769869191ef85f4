"""What `$now` stands for in definitions and scopes."""

from __future__ import annotations

from workbench.database.identifiers import quoted
from workbench.database.rows import first_value
from workbench.errors import InputError
from workbench.grounding.fact_relations import FactRelations
from workbench.grounding.select import Expression, call
from workbench.language.values import ValueKind


def latest_date(relations: FactRelations) -> Expression:
    """The latest date that the evidence of the chosen worlds has; E0326 where it has none."""
    dates = [
        f"SELECT max({column}) AS latest FROM {quoted(stored.table_name)} "
        f"WHERE partition = 'evidence' AND value = 1 AND world IN ({relations.in_worlds})"
        for name, stored in relations.stored.items()
        if name not in relations.made
        for column, kind in stored.value_columns
        if kind is ValueKind.DATE
    ]
    every = f"SELECT max(latest) FROM ({' UNION ALL '.join(dates)})"
    latest = first_value(relations.connection.execute(every)) if dates else None
    if latest is None:
        raise InputError.of(
            "E0326",
            "`$now` is the latest date of the facts, and they have none",
            help="load facts that have dates",
        )
    return call("cast TIMESTAMP", str(latest))
