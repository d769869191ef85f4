"""What databases declare of their tables' keys, by the tables' names here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.database import DeclaredKeys, ForeignKey, declared_keys
from workbench.tables.staged import StagedTable, Staging

DATABASES = ("sqlite", "duckdb", "postgres")
PRIMARY, FOREIGN = "declared as the primary key", "declared as a foreign key"


@dataclass(frozen=True)
class Declared:
    """By table, the columns of its primary key, and its foreign keys to tables that are there."""

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    references: Mapping[str, tuple[ForeignKey, ...]] = field(default_factory=dict)

    def to(self, table: str, key: tuple[str, ...]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """What refers to a key: the table and its columns, in the key's order."""
        for name, references in self.references.items():
            for one in references:
                if one.table == table and sorted(one.others) == sorted(key):
                    of = dict(zip(one.others, one.columns, strict=True))
                    yield name, tuple(of[column] for column in key)


def declared_in(staging: Staging) -> Declared:
    """What the databases that tables were staged from declare.

    Raises E0213 where one cannot be read any more.
    """
    found: dict[str, DeclaredKeys] = {}
    staged = [table for table in staging.tables.values() if table.source.form in DATABASES]
    for table in staged:
        if table.source.path not in found:
            found[table.source.path] = declared_keys(table.source.path, table.source.form)
    tables = {(table.source.path, table.source.part): table for table in staged}
    keys, references = {}, {}
    for (path, part), table in tables.items():
        keys[table.name] = _columns(table, found[path].primary.get(part or "", ()))
        references[table.name] = tuple(
            ForeignKey(_columns(table, one.columns), other.name, _columns(other, one.others))
            for one in found[path].foreign.get(part or "", ())
            if (other := tables.get((path, one.table))) is not None
        )
    return Declared(keys, references)


def _columns(table: StagedTable, names: Iterable[str]) -> tuple[str, ...]:
    """Columns as a table calls them: databases may tell no capitals from small letters."""
    called = {name.casefold(): name for name in table.columns}
    return tuple(called.get(name.casefold(), name) for name in names)
