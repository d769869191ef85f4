"""A hash of the data that names, not ids or row order, decide."""

from __future__ import annotations

from hashlib import sha256

from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.database.rows import first_row

__all__ = ["data_hash"]


def data_hash(database: Database) -> str:
    """Hexadecimal SHA-256 over every fact's world, arguments, value and partition, in any row order.

    Each predicate contributes its signature and the exclusive or of its facts' MD5 sums. Cost: one scan of all facts
    with joins to their names; about a second for a million facts.
    """
    digest = sha256()
    cursor = database.cursor()
    for predicate in database.predicates().values():
        shown = ", ".join(f"{quoted(name)}::VARCHAR" for name in predicate.argument_names)
        cells = ", ".join(filter(None, ["world", shown, "coalesce(value::VARCHAR, '?')", "partition::VARCHAR"]))
        row = first_row(
            cursor.execute(
                f"SELECT count(*), bit_xor(md5_number([{cells}]::VARCHAR)) FROM facts.{quoted(predicate.view_name)}"
            )
        )
        if row and row[0]:
            digest.update(repr((predicate.name, predicate.argument_types, row)).encode())
    return digest.hexdigest()
