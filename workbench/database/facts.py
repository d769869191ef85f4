"""Single facts, changed one at a time."""

from __future__ import annotations

from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_row
from workbench.database.value_columns import value_of_text
from workbench.errors import UsageError
from workbench.language.ground_atoms import parse_atom
from workbench.language.values import parse_value

__all__ = ["set_fact"]


def set_fact(database: Database, atom: str, value: bool | None) -> None:
    """Put one fact into every world that knows its constants, in place of what evidence said of it
    before.

    Parameters
    ----------
    atom : str
        `Predicate(Constant, ...)`.
    value : bool or None
        None for unknown, Alchemy's `?`.

    Raises
    ------
    UsageError
        E0817 where the text is no ground atom, has another number of arguments than its predicate,
        or a constant that the workspace does not have.
    """
    parsed = parse_atom(atom)
    if parsed is None:
        raise UsageError.of(
            "E0817", f"{atom} is no ground atom", help="write it as Predicate(Constant, Constant)"
        )
    name, arguments = parsed
    predicate = database.predicate(name)
    if len(arguments) != predicate.arity:
        raise UsageError.of(
            "E0817", f"{name} takes {predicate.arity} arguments, not {len(arguments)}"
        )
    tables = database.type_tables()
    with database.transaction() as connection:
        ids, cells = [], []
        for constant, column, type_name, kind in zip(
            arguments, predicate.columns, predicate.argument_types, predicate.kinds
        ):
            if kind is not None:
                if parse_value(kind, constant) is None:
                    raise UsageError.of("E0817", f"{constant} is no {kind}")
                cells.append((column, value_of_text(text_literal(constant), kind)))
                continue
            row = first_row(
                connection.execute(
                    f"SELECT id FROM {quoted(tables[type_name])} WHERE name = ?", [constant]
                )
            )
            if row is None:
                raise UsageError.of("E0817", f"{constant} is no {type_name} of this workspace")
            ids.append((column, row[0]))
            cells.append((column, str(row[0])))
        known = " AND ".join(f"{column} = {cell}" for column, cell in cells) or "true"
        members = " AND ".join(
            f"EXISTS (FROM domain d WHERE d.world = w.id AND d.constant = {number} AND d.type = "
            f"$type_{column})"
            for column, number in ids
        )
        types = {f"type_{column}": type_name for column, type_name in predicate.constant_columns}
        worlds = connection.execute(
            f"SELECT id FROM world w WHERE {members or 'true'}", types
        ).fetchall()
        table = quoted(predicate.table_name)
        connection.execute(f"DELETE FROM {table} WHERE {known} AND partition = 'evidence'")
        written = "".join(f"{cell}, " for _, cell in cells)
        for (world,) in worlds:
            shown = "NULL" if value is None else str(int(value))
            connection.execute(
                f"INSERT INTO {table} VALUES ({world}, {written}{shown}, 'evidence')"
            )
