"""Predictions beside their labels, met by key in SQL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Array, Bool, Float, Int32, Int64
from workbench.database.database import Database
from workbench.database.identifiers import all_equal, quoted
from workbench.database.rows import first_row, first_value, ids_of_columns


@dataclass(frozen=True)
class BesideTruth:
    """The predictions of one predicate, with what the truth says of their atoms.

    Attributes
    ----------
    value : float64 array, shape (n,)
    label : float64 array, shape (n,)
        NaN where the truth does not list the atom, or marks it `?`.
    listed : bool array, shape (n,)
        Whether the truth lists the atom.
    item : int64 array, shape (n,)
        A number for the world and the arguments but the last.
    category : object array, shape (n,)
        The name of the last argument.
    all_true : bool
        Whether no label of the predicate says less than true: a closed-world list.
    n_labels : int
        Facts that the truth lists of the predicate.
    unpredicted : int
        Those that are not false and have no prediction.
    """

    value: Float
    label: Float
    listed: Bool
    item: Int64
    category: Array
    all_true: bool
    n_labels: int
    unpredicted: int


def beside_truth(database: Database, predicate: str) -> BesideTruth:
    """The facts of a predicate in the partition `target`, which are predictions, beside those in
    `truth`.

    Cost: one hash join of the two.
    """
    stored = database.predicate(predicate)
    table, columns = quoted(stored.table_name), stored.columns
    same = all_equal("l", "t", ("world", *columns))
    truth = f"(FROM {table} WHERE partition = 'truth')"
    items = ", ".join(["t.world", *(f"t.{column}" for column in columns[:-1])])
    category, join = "''", ""
    if columns and columns[-1] not in dict(stored.constant_columns):
        category = f"t.{columns[-1]}::VARCHAR"
    elif columns:
        names = quoted(database.type_tables()[stored.argument_types[-1]])
        category, join = "c.name", f"JOIN {names} c ON c.id = t.{columns[-1]}"
    rows = database.execute(
        "SELECT t.value, coalesce(l.value, 'NaN'::DOUBLE) AS label, l.world IS NOT NULL AS listed, "
        f"dense_rank() OVER (ORDER BY {items}) AS item, {category} AS category "
        f"FROM (FROM {table} WHERE partition = 'target') t {join} LEFT JOIN {truth} l ON {same} "
        f"ORDER BY {items}, category"
    ).fetchnumpy()
    less, count = first_row(
        database.execute(f"SELECT count(*) FILTER (value < 1), count(*) FROM {truth}")
    ) or (0, 0)
    missing = first_value(
        database.execute(
            f"SELECT count(*) FROM {truth} l WHERE l.value > 0 AND NOT EXISTS "
            f"(FROM {table} t WHERE t.partition = 'target' AND {same})"
        )
    )
    return BesideTruth(
        value=np.asarray(rows["value"], np.float64),
        label=np.asarray(rows["label"], np.float64),
        listed=np.asarray(rows["listed"], np.bool_),
        item=np.asarray(rows["item"], np.int64),
        category=np.asarray(rows["category"], object),
        all_true=not less,
        n_labels=int(count),
        unpredicted=int(missing),
    )


def label_keys(
    database: Database, predicate: str, worlds: tuple[int, ...], *, withheld: bool = False
) -> tuple[Int32, Int32, Float]:
    """Worlds, constants, values of labels, `?` as NaN; shapes (n,), (n, arguments), (n,).

    Where they were `withheld` facts among the evidence are labels, too, behind which those of the
    truth come.
    """
    stored = database.predicate(predicate)
    columns = [column for column, _ in stored.constant_columns]
    chosen = ", ".join(map(str, worlds)) or "NULL"
    rows = database.execute(
        f"SELECT {', '.join(['world', *columns])}, coalesce(value, 'NaN'::DOUBLE) AS value "
        f"FROM {quoted(stored.table_name)} WHERE partition IN ({label_partitions(withheld)}) "
        f"AND world IN ({chosen}) ORDER BY partition"
    ).fetchnumpy()
    world = np.asarray(rows["world"], np.int32)
    return world, ids_of_columns(rows, columns), np.asarray(rows["value"], np.float64)


def label_partitions(withheld: bool) -> str:
    """The partitions that hold labels, in SQL."""
    return "'evidence', 'truth'" if withheld else "'truth'"


def label_counts(database: Database) -> dict[str, int]:
    """How many labels each predicate has that has any."""
    found = {}
    for name, stored in database.predicates().items():
        counted = f"SELECT count(*) FROM {quoted(stored.table_name)} WHERE partition = 'truth'"
        if count := first_value(database.connection.execute(counted)):
            found[name] = int(count)
    return found


def keep_truth(database: Database) -> None:
    """Forget all facts but labels."""
    with database.transaction() as connection:
        for stored in database.predicates().values():
            connection.execute(
                f"DELETE FROM {quoted(stored.table_name)} WHERE partition <> 'truth'"
            )
