"""Labels that definitions read as facts of a predicate of their own: told there, too, where people
say them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow

from workbench.database import Database, FactTexts
from workbench.tables import TablesMapping, mapped_predicates, target_of


def told_labels(
    database: Database, tables: TablesMapping | None, facts: Iterable[FactTexts]
) -> Iterator[FactTexts]:
    """What facts of the target say, as the facts that `known` in a mapping names."""
    target = None if tables is None else target_of(tables)
    if tables is None or target is None or tables.known not in database.predicates():
        return
    (known,) = (one for one in mapped_predicates(tables) if one.name == tables.known)
    for one in facts:
        if one.predicate == target.predicate:
            rows = _as_arguments(one.rows, known.subjects)
            if rows.num_rows:
                yield FactTexts(known.name, rows, known.subjects if known.functional else None)


def _as_arguments(rows: pyarrow.Table, arguments: int) -> pyarrow.Table:
    """Labels of yes and no with what they say as an argument."""
    value, partition = (rows.column(name).to_pylist() for name in ("value", "partition"))
    said = [at for at, one in enumerate(value) if one in (0, 1) and partition[at] != "target"]
    about = ("world", *(f"a{place}" for place in range(arguments)))
    return pyarrow.table(
        {
            **{name: rows.column(name).take(pyarrow.array(said, "int64")) for name in about},
            f"a{arguments}": [str(int(value[at])) for at in said],
            "value": pyarrow.array([1.0] * len(said), pyarrow.float64()),
            "partition": ["evidence"] * len(said),
        }
    )
