"""The facts of a database as text, predicate by predicate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.database.database import Database
from workbench.database.identifiers import all_equal, quoted
from workbench.database.rows import handed_in

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class FactTexts:
    """Facts of one predicate as text.

    Attributes
    ----------
    rows : pyarrow.Table
        Columns `world` (its name), `a0, ...` (text), `value`, `partition`.
    subjects : int or None
        How many leading arguments tell facts apart, where a thing has one fact; None as the
        predicate says.
    """

    predicate: str
    rows: pyarrow.Table
    subjects: int | None = None


def texts_of_facts(database: Database) -> list[FactTexts]:
    """All facts of a database as text, predicate by predicate; ones without a fact are left out."""
    tables, cursor = database.type_tables(), database.cursor()
    found = []
    for predicate in database.predicates().values():
        coded = predicate.as_texts(tables)
        shown = ", ".join(
            ["w.name AS world", *coded.cells, "f.value", "f.partition::VARCHAR AS partition"]
        )
        rows = cursor.sql(
            f"SELECT {shown} FROM {quoted(predicate.table_name)} f JOIN world w ON w.id = f.world "
            f"{coded.joins}"
        ).to_arrow_table()
        if rows.num_rows:
            found.append(FactTexts(predicate.name, rows))
    return found


def not_answered(database: Database, facts: FactTexts) -> FactTexts:
    """The facts without those that ask for what a database says already, fact or label."""
    predicate = database.predicate(facts.predicate)
    coded = predicate.as_texts(database.type_tables())
    cells = ", ".join(["w.name AS world", *coded.cells])
    said = (
        f"SELECT {cells} FROM {quoted(predicate.table_name)} f JOIN world w ON w.id = f.world "
        f"{coded.joins} WHERE f.partition <> 'target'"
    )
    same = all_equal("t", "n", ("world", *predicate.columns))
    cursor = database.cursor()
    with handed_in(cursor, "asked_texts", facts.rows):
        rows = cursor.sql(
            f"FROM asked_texts n WHERE n.partition <> 'target' OR NOT EXISTS (FROM ({said}) t "
            f"WHERE {same})"
        ).to_arrow_table()
    return replace(facts, rows=rows)


def standing_facts(database: Database, facts: FactTexts, *, whole: bool = False) -> FactTexts:
    """What stands there of the same keys, worlds and partitions, with its values; of just these
    atoms where `whole`.
    """
    predicate = database.predicate(facts.predicate)
    key = predicate.key if facts.subjects is None else predicate.columns[: facts.subjects]
    coded = predicate.as_texts(database.type_tables())
    cells = ", ".join(
        ["w.name AS world", *coded.cells, "f.value", "f.partition::VARCHAR AS partition"]
    )
    said = f"SELECT {cells} FROM {quoted(predicate.table_name)} f JOIN world w ON w.id = f.world"
    same = all_equal("t", "n", ("world", *(predicate.columns if whole else key), "partition"))
    cursor = database.cursor()
    with handed_in(cursor, "asked_texts", facts.rows):
        rows = cursor.sql(
            f"FROM ({said} {coded.joins}) t SEMI JOIN asked_texts n ON {same} ORDER BY ALL"
        ).to_arrow_table()
    return replace(facts, rows=rows)
