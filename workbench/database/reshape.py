"""Predicates renamed, merged and deleted, with their facts and folds."""

from __future__ import annotations

import re

from workbench.database.database import Database
from workbench.database.identifiers import all_equal, quoted, unused_name
from workbench.database.rows import first_value
from workbench.database.schema import create_view
from workbench.errors import UsageError

NAME = re.compile(r"[^\W\d]\w*")
RESERVED = ("v", "exist", "forall")


def require_predicate_name(name: str) -> None:
    """Raises E0271 for a name that no rule can write."""
    if NAME.fullmatch(name) is None or name.casefold() in RESERVED:
        raise UsageError.of(
            "E0271",
            f"{name!r} cannot be a predicate's name",
            help="use letters, digits and _, a letter first",
        )


def rename_predicate(database: Database, old: str, new: str) -> None:
    """Call a predicate otherwise; its facts and folds go with it, recorded runs keep the old name.

    Raises E0203 where there is no such predicate; E0271 where the new name is taken, or none that a
    rule can write.
    """
    stored = database.predicate(old)
    others = [one for name, one in database.predicates().items() if name != old]
    require_predicate_name(new)
    if new.casefold() in {one.name.casefold() for one in others}:
        raise UsageError.of(
            "E0271",
            f"there is a predicate {new} already",
            help="merge the two, or take another name",
        )
    with database.transaction() as connection:
        view = unused_name(new, (one.view_name for one in others))
        connection.execute(f"DROP VIEW facts.{quoted(stored.view_name)}")
        connection.execute(
            "UPDATE predicate SET name = ?, view_name = ? WHERE name = ?", [new, view, old]
        )
        connection.execute(
            "UPDATE predicate_argument SET predicate = ? WHERE predicate = ?", [new, old]
        )
        connection.execute("UPDATE folds SET predicate = ? WHERE predicate = ?", [new, old])
        database.forget_catalog()
        create_view(connection, database.predicate(new), database.type_tables())


def merge_predicates(database: Database, source: str, into: str) -> int:
    """Give the facts of `source` to `into`, and delete it; how many facts `into` did not have.

    Raises E0203 where there is no such predicate; E0272 where their arguments differ, or their
    facts contradict.
    """
    taken, kept = database.predicate(source), database.predicate(into)
    if source == into or taken.shape != kept.shape:
        raise UsageError.of(
            "E0272",
            f"{source}({', '.join(taken.argument_types)}) cannot be merged into {into}"
            f"({', '.join(kept.argument_types)})",
            help="two predicates with the same types of arguments, in "
            "the same order, can be merged",
        )
    with database.transaction() as connection:
        same = all_equal("t", "n", ("world", *kept.columns, "partition"))
        pair = f"{quoted(taken.table_name)} n JOIN {quoted(kept.table_name)} t ON {same}"
        clashes = first_value(
            connection.execute(
                f"SELECT count(*) FROM {pair} WHERE t.value IS DISTINCT FROM n.value"
            )
        )
        if clashes:
            raise UsageError.of(
                "E0272",
                f"{clashes} facts of {source} contradict facts of {into}",
                help="correct or remove them first; nothing was merged",
            )
        added = connection.execute(
            f"INSERT INTO {quoted(kept.table_name)} BY NAME FROM {quoted(taken.table_name)} n "
            f"WHERE NOT EXISTS (FROM {quoted(kept.table_name)} t WHERE {same})"
        )
        count = first_value(added)
        connection.execute(
            "UPDATE folds f SET predicate = $into WHERE predicate = $source AND NOT EXISTS (FROM "
            "folds o WHERE o.fold = f.fold AND o.world = f.world AND o.predicate = $into AND "
            "o.arguments = f.arguments)",
            {"into": into, "source": source},
        )
        delete_predicate(database, source)
    return int(count)


def delete_predicate(database: Database, name: str) -> int:
    """Remove a predicate with its facts and folds, recorded runs stay; how many facts there were.

    Raises E0203 where there is no such predicate.
    """
    stored = database.predicate(name)
    with database.transaction() as connection:
        count = first_value(connection.execute(f"SELECT count(*) FROM {quoted(stored.table_name)}"))
        connection.execute(f"DROP VIEW facts.{quoted(stored.view_name)}")
        connection.execute(f"DROP TABLE {quoted(stored.table_name)}")
        for table, column in (
            ("predicate", "name"),
            ("predicate_argument", "predicate"),
            ("folds", "predicate"),
        ):
            connection.execute(f"DELETE FROM {table} WHERE {column} = ?", [name])
        database.forget_catalog()
        database.refresh_domains()
    return int(count)
