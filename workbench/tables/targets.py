"""What is to be predicted, as arrays; and what makes its prediction pointless:
one class only, or a leak.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Float
from workbench.database.arrow_columns import numpy_column
from workbench.errors import Diagnostic, InputError
from workbench.tables.facts import Target, target_of
from workbench.tables.kinds import share
from workbench.tables.mapping import TablesMapping
from workbench.tables.staged import Staging
from workbench.tables.typed import TypedTable

if TYPE_CHECKING:
    import pyarrow

GIVES_AWAY = 0.99

IMMENSE = 1e100
"""Of numbers beyond it, of either sign, squares are too near to what 64 bits hold."""


@dataclass(frozen=True)
class TargetRows:
    """The rows of the target's table, in order of what they are about.

    Attributes
    ----------
    keys : pyarrow.Table
        A column of texts for each argument that says what a row is about: the key, the things
        related, or the row's number.
    values : float64 array (n_rows,)
        The label: 1 and 0, a number, or the place of a class in `classes`; NaN where it is asked
        for.
    classes : tuple of str
        The values of a category, in order of name; empty for other targets.
    """

    target: Target
    keys: pyarrow.Table
    values: Float
    classes: tuple[str, ...]

    @property
    def labelled(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """bool (n_rows,): where the value is known."""
        return ~np.isnan(self.values)


def _asked_for(mapping: TablesMapping) -> Target:
    target = target_of(mapping)
    if target is None:
        raise InputError.of(
            "E0237", "nothing is to be predicted", help="name a column: --predict TABLE.COLUMN"
        )
    return target


def target_rows(
    staging: Staging, mapping: TablesMapping, typed: Mapping[str, TypedTable]
) -> TargetRows:
    """The target's keys with their labels; NaN where they are blank and so asked for.

    Raises E0237 for a mapping that predicts nothing.
    """
    import pyarrow
    from pyarrow.compute import index_in

    target = _asked_for(mapping)
    table = typed[target.table.name]
    keys = ", ".join(f"{name}::VARCHAR AS s{place}" for place, name in enumerate(table.subject))
    order = ", ".join(table.subject)
    found: pyarrow.Table = staging.connection.sql(
        f"SELECT {keys}, {table.target} AS value FROM {table.relation} ORDER BY {order}"
    ).to_arrow_table()
    column = found.column("value").combine_chunks()
    classes: tuple[str, ...] = ()
    if target.kind == "category":
        classes = tuple(sorted(text for text in column.unique().to_pylist() if text is not None))
        column = index_in(column, value_set=pyarrow.array(classes, pyarrow.string()))
    values = numpy_column(column.cast(pyarrow.float64()))
    return TargetRows(
        target, found.drop_columns(["value"]), np.asarray(values, np.float64), classes
    )


def target_faults(rows: TargetRows) -> tuple[Diagnostic, ...]:
    """What makes a target impossible to learn: no label at all, or one class only. As errors."""
    target, labels = rows.target, rows.values[rows.labelled]
    if not len(labels):
        return (
            Diagnostic(
                "E0243",
                f"{target.name} is blank in every row, so there is nothing to learn from",
                help="fill in some of its cells",
            ),
        )
    if target.kind == "number" and np.abs(labels).max() > IMMENSE:
        return (
            Diagnostic(
                "E0243",
                f"{target.name} holds numbers as large as {np.abs(labels).max():.3g}: their "
                "squares cannot be added up",
                help="write them in another unit, or as logarithms",
            ),
        )
    if target.kind != "number" and len(np.unique(labels)) < 2:
        if target.value is not None and not labels.any() and target.column.kind == "category":
            return (
                Diagnostic(
                    "E0243",
                    f"none of the {len(labels):,} labels of {target.table.name}."
                    f"{target.column.name} says {target.value}",
                    help="write the value as the cells have it",
                ),
            )
        only = rows.classes[int(labels[0])] if rows.classes else ("no", "yes")[int(labels[0])]
        said = target.value or (*target.column.reading.yes, only)[0]
        return (
            Diagnostic(
                "E0243",
                f"all {len(labels):,} labels of {target.name} say {only}, so there is nothing to "
                "tell apart",
                help="fill in rows of another class, name the value to predict "
                "(TABLE.COLUMN=VALUE), or, where a blank cell means no, say so in a mapping: "
                f'{target.column.name} = {{ kind = "yes/no", yes = ["{said}"], no = [""] }}',
            ),
        )
    return ()


def target_warnings(
    staging: Staging, mapping: TablesMapping, typed: Mapping[str, TypedTable], *, learning: bool
) -> tuple[Diagnostic, ...]:
    """What a load says of its target: leaks and, for learning, faults, as warnings;
    nothing where none is predicted, or its table is not loaded.
    """
    target = target_of(mapping)
    if target is None or target.table.name not in typed:
        return ()
    faults = target_faults(target_rows(staging, mapping, typed)) if learning else ()
    found = [replace(fault, severity="warning") for fault in faults]
    return (*found, *(leak.diagnostic(target) for leak in leaks(staging, mapping, typed)))


FEWEST_TO_PART = 20
"""Labelled rows from which on a threshold that parts them is no chance."""


@dataclass(frozen=True)
class Leak:
    """A column that gives the target away.

    Attributes
    ----------
    how : str
        In words: "is filled exactly where is_fraud = yes".
    agreement : float
        The share of labelled rows where the column tells the label.
    """

    column: str
    how: str
    agreement: float

    def diagnostic(self, target: Target) -> Diagnostic:
        """The leak as a warning."""
        return Diagnostic(
            "E0244",
            f"{target.table.name}.{self.column} {self.how}: it gives {target.name} away",
            help=f'if it is known only afterwards, say kind = "ignore" for {self.column} in the '
            "mapping",
            severity="warning",
        )


def leaks(
    staging: Staging, mapping: TablesMapping, typed: Mapping[str, TypedTable]
) -> tuple[Leak, ...]:
    """Columns of the target's own table that tell its value in at least 99 % of the labelled rows,
    and far more often than the commoner value does.

    A column gives away by being filled, or by its values: each of a category, of yes and no; those
    of a number or date from one on. Targets of one value (yes or no) only. Cost: one aggregation a
    column.

    Returns
    -------
    tuple of Leak
        The surest first.
    """
    target = _asked_for(mapping)
    table = typed[target.table.name]
    if target.kind != "yes/no" or not table.rows:
        return ()
    labelled = f"(SELECT * FROM {table.relation} WHERE {table.target} IS NOT NULL)"
    ones, rows = staging.rows(f"SELECT sum({table.target}), count(*) FROM {labelled}")[0]
    if not rows or ones in (0, rows):
        return ()
    enough = gives_away_from(max(ones, rows - ones) / rows)
    found = []
    for column in target.table.columns:
        name = table.columns.get(column.name)
        if name is None or column.name == target.column.name or name in table.subject:
            continue
        for how, agreement in _agreements(
            staging, table, labelled, name, column.kind, target, rows
        ):
            if agreement >= enough:
                found.append(Leak(column.name, how, agreement))
                break
    return tuple(sorted(found, key=lambda leak: -leak.agreement))


def gives_away_from(guessed: float) -> float:
    """The share of labelled rows that a leak tells at least, where the commoner class is guessed
    right in so many by chance alone: it leaves hardly any of the rest wrong.
    """
    return max(GIVES_AWAY, 1 - 0.02 * (1 - guessed) / 0.5)


def _agreements(
    staging: Staging,
    table: TypedTable,
    labelled: str,
    name: str,
    kind: str,
    target: Target,
    rows: int,
) -> list[tuple[str, float]]:
    said = target.column.name
    is_yes = f"{said} = {target.value or (target.column.reading.yes or ('yes',))[0]}"
    filled, blank = staging.rows(
        f"SELECT count(*) FILTER (({name} IS NOT NULL) = ({table.target} = 1)), "
        f"count(*) FILTER (({name} IS NULL) = ({table.target} = 1)) FROM {labelled}"
    )[0]
    found = []
    for hits, how in ((filled, "filled"), (blank, "blank")):
        exactly = "exactly" if hits == rows else f"in {share(hits, rows)} of the labelled rows"
        found.append((f"is {how} {exactly} where {is_yes}", hits / rows))
    if kind in ("category", "yes/no"):
        hits, values = staging.rows(
            f"SELECT sum(most), count(*) FROM (SELECT greatest(count(*) FILTER ({table.target} = "
            f"1), count(*) FILTER ({table.target} = 0)) AS most FROM {labelled} GROUP BY {name})"
        )[0]
        # A value of its own for nearly every row tells every label and nothing of the next row.
        if values <= 0.05 * rows + 2:
            found.append(
                (f"tells {said} in {share(int(hits), rows)} of the labelled rows", int(hits) / rows)
            )
    if kind in ("number", "date") and rows >= FEWEST_TO_PART:
        (hits,) = staging.rows(
            "SELECT max(greatest(yes + no_all - no, no + yes_all - yes)) FROM (SELECT sum(y) OVER "
            "(ORDER BY v) AS yes, sum(n) OVER (ORDER BY v) AS no, sum(y) OVER () AS yes_all, "
            f"sum(n) OVER () AS no_all FROM (SELECT {name} AS v, count(*) FILTER ({table.target} = "
            f"1) AS y, count(*) FILTER ({table.target} = 0) AS n FROM {labelled} WHERE {name} IS "
            "NOT NULL GROUP BY 1))"
        )[0]
        hits = int(hits or 0)
        found.append(
            (
                f"tells {said} by one threshold in {share(hits, rows)} of the labelled rows",
                hits / rows,
            )
        )
    return found


def ask_where_absent(staging: Staging, target: Target) -> None:
    """Tables to predict for need no column of what is not known yet."""
    table, column = target.table.name, target.column.name
    if column not in staging.tables[table].columns and not target.column.parts:
        staging.add_blank_column(table, column)
