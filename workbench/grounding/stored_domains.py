"""Domains of worlds as the language asks: sizes at once, names when a quantifier is expanded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from workbench.database.database import Database
from workbench.database.identifiers import quoted


@dataclass
class StoredDomains:
    """Domains of some worlds, read from the database when first asked for."""

    database: Database
    worlds: tuple[int, ...]
    _sizes: dict[tuple[int, str], int] | None = None
    _names: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def by_world(self) -> dict[int, Mapping[str, Sequence[str]]]:
        """Each world's constants by type, in order of names; every type is there."""
        types = self.database.type_tables()
        return {world: _OneWorld(self, world, types) for world in self.worlds}

    def size(self, world: int, type_name: str) -> int:
        if self._sizes is None:
            rows = self.database.cursor().execute(_SIZES, {"worlds": list(self.worlds)}).fetchall()
            self._sizes = {(number, name): count for number, name, count in rows}
        return self._sizes.get((world, type_name), 0)

    def names(self, world: int, type_name: str) -> Sequence[str]:
        if type_name not in self._names:
            table = quoted(self.database.type_tables()[type_name])
            query = (
                f"SELECT d.world, c.name FROM domain d JOIN {table} c ON c.id = d.constant "
                "WHERE d.type = $type AND d.world IN (SELECT unnest($worlds)) ORDER BY d.world, "
                "d.position"
            )
            found: dict[int, list[str]] = {number: [] for number in self.worlds}
            parameters = {"type": type_name, "worlds": list(self.worlds)}
            for number, name in self.database.cursor().execute(query, parameters).fetchall():
                found[number].append(name)
            self._names[type_name] = found
        return self._names[type_name][world]

    def uneven(self) -> frozenset[str]:
        """The types of which some world lacks a constant that another one has."""
        rows = self.database.cursor().execute(_UNEVEN, {"worlds": list(self.worlds)}).fetchall()
        return frozenset(name for (name,) in rows)


_UNEVEN = (
    "SELECT type FROM domain WHERE world IN (SELECT unnest($worlds)) "
    "GROUP BY type HAVING count(*) < count(DISTINCT constant) * len($worlds)"
)
_SIZES = (
    "SELECT world, type, count(*) FROM domain WHERE world IN (SELECT unnest($worlds)) GROUP BY ALL"
)


@dataclass(frozen=True)
class _OneWorld(Mapping[str, Sequence[str]]):
    stored: StoredDomains
    world: int
    types: Mapping[str, str]

    def __getitem__(self, type_name: str) -> Sequence[str]:
        if type_name not in self.types:
            raise KeyError(type_name)
        return _Domain(self.stored, self.world, type_name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)


@dataclass(frozen=True)
class _Domain(Sequence[str]):
    """The constants of a type in a world; their number needs no names."""

    stored: StoredDomains
    world: int
    type_name: str

    def __len__(self) -> int:
        return self.stored.size(self.world, self.type_name)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self.stored.names(self.world, self.type_name)[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self.stored.names(self.world, self.type_name))
