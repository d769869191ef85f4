"""Typed tables as SQL reads them: their columns, the steps from one to another,
what two ends have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.structure.candidate import Candidate
from workbench.structure.nearness import Near, Place
from workbench.structure.relational import Column, Gathered, Schema
from workbench.structure.table_paths import Hop, Path
from workbench.study.place_queries import distance, is_near
from workbench.tables import TypedTable

ROWID = Column("", "number")
"""A row's place in its table; every column of a file has a name."""


@dataclass(frozen=True)
class Relations:
    """The tables of a schema."""

    schema: Schema
    typed: Mapping[str, TypedTable]

    def __getitem__(self, table: str) -> str:
        """The relation with a table's rows."""
        return self.typed[self.schema.stored(table)].relation

    def column(self, table: str, column: str) -> str:
        typed = self.typed[self.schema.stored(table)]
        return "rowid" if column == ROWID.name else typed.columns[column]

    def key(self, table: str) -> str:
        key = self.schema[table].key
        assert key is not None
        return self.column(table, key)

    def also(self, table: str, hop: Hop) -> tuple[str, str] | None:
        """The second pair of SQL columns that a hop equates, there and here, where there is one."""
        if hop.kind not in ("shared", "alike") or not hop.other:
            return None
        if hop.way:
            return "also_", "also_"
        return self.column(hop.table, hop.other), self.column(table, hop.other)

    def on(self, table: str, hop: Hop, there: str, here: str) -> str:
        """What holds of two rows, by their aliases, of which a hop leads from one to the other."""
        if hop.near is not None:
            near = is_near(hop.near, *self._places(hop.near, table, hop.table, here, there))
            return near + (f" AND {there}.rowid <> {here}.rowid" if table == hop.table else "")
        far, close = self.joined(table, hop)
        pairs = [(far, close), *filter(None, (self.also(table, hop),))]
        equal = " AND ".join(f"{there}.{one} = {here}.{other}" for one, other in pairs)
        apart = f" AND {there}.rowid <> {here}.rowid" if hop.kind == "shared" else ""
        return f"{equal}{apart}{self.meeting(hop, there, here)}"

    def _places(
        self, near: Near, table: str, other: str, here: str, there: str
    ) -> tuple[tuple[str, str], tuple[str, str]]:
        """The SQL of where two rows are."""
        return self.place(table, near.here, here), self.place(other, near.there, there)

    def place(self, table: str, place: Place, alias: str) -> tuple[str, str]:
        """The SQL columns of where a row is."""
        first, second = (self.column(table, one) for one in (place.first, place.second))
        return f"{alias}.{first}", f"{alias}.{second}"

    def nearest(self, table: str, of: Gathered, alias: str) -> str:
        """How far a row's nearest of another table is, or of the others of its own."""
        near = of.nearest
        assert near is not None
        places = self._places(near, table, of.table, alias, "g")
        other = f" WHERE g.rowid <> {alias}.rowid" if table == of.table else ""
        far = distance(*places, on_globe=near.here.on_globe)
        return f"(SELECT min({far}) FROM {self[of.table]} g{other})"

    def meeting(self, hop: Hop, there: str, here: str) -> str:
        """That two rows, by their aliases, are at the same time, where a hop asks for that."""
        if not hop.meets:
            return ""
        begins, ends = (self.column(hop.table, one) for one in hop.meets)
        both = ((there, here), (here, there))
        known = " AND ".join(f"{one}.{begins} IS NOT NULL" for one, _ in both)
        return f" AND {known}" + "".join(
            f" AND ({other}.{ends} IS NULL OR {one}.{begins} <= {other}.{ends})"
            for one, other in both
        )

    def here(self, table: str, hops: tuple[Hop, ...]) -> str:
        """The relation that hops leave from, with what its rows share with others."""
        return self._with_way(table, hops[0]) if hops and hops[0].way else self[table]

    def _with_way(self, table: str, hop: Hop) -> str:
        """A table's rows with the column that a hop's way leads to."""
        joins, here, name = [f"{self[table]} t"], "t", table
        for place, one in enumerate(hop.way):
            alias = f"w{place}"
            far, near = self.joined(name, Hop("to", one.column, one.table or ""))
            joins.append(f"{self[one.table or '']} {alias} ON {alias}.{far} = {here}.{near}")
            here, name = alias, one.table or ""
        also = f"{here}.{self.column(name, hop.other)} AS also_"
        return f"(SELECT t.rowid, t.*, {also} FROM {' LEFT JOIN '.join(joins)})"

    def there(self, hop: Hop) -> str:
        """The relation that a hop leads to; of two roles with each row once for each."""
        if hop.kind == "tied":
            return self._tied(hop)
        relation = self._with_way(hop.table, hop) if hop.way else self[hop.table]
        if hop.kind != "either":
            return relation
        one, other = (self.column(hop.table, role) for role in hop.roles)
        return (
            f"(SELECT {one} AS role_, rowid, * FROM {relation} UNION ALL SELECT {other}, rowid, * "
            f"FROM {relation} WHERE {one} IS DISTINCT FROM {other})"
        )

    def _tied(self, hop: Hop) -> str:
        """Things with each to which rows tie them, once."""
        one, other = (self.column(hop.through, column) for column in (hop.column, hop.other))
        through, key = self[hop.through], self.key(hop.table)
        return (
            f"(SELECT e.role_, t.rowid, t.* FROM (SELECT {one} AS role_, {other} AS far_ FROM "
            f"{through} UNION SELECT {other}, {one} FROM {through}) e JOIN {self[hop.table]} t "
            f"ON t.{key} = e.far_ WHERE e.role_ <> e.far_)"
        )

    def joined(self, table: str, hop: Hop) -> tuple[str, str]:
        """The SQL columns that a hop equates: there and here."""
        if hop.kind == "to":
            return self.key(hop.table), self.column(table, hop.column)
        if hop.kind == "from":
            return self.column(hop.table, hop.column), self.key(table)
        if hop.kind in ("either", "tied"):
            return "role_", self.key(table)
        return self.column(hop.table, hop.column), self.column(table, hop.column)

    def in_common(self, candidate: Candidate) -> str:
        """A Select of the rows `k` of the target table where there is something in common, and how
        much: `n`.

        Each end's values are made distinct before they meet: there are no more of what meets than
        of what is reached.
        """
        assert candidate.onward is not None
        assert candidate.with_ is not None
        with_, equal = candidate.with_
        by_row = candidate.path.many and not with_.many
        one = self._values(candidate.path, candidate.onward.column.name, "t", by_row=by_row)
        other = self._values(with_, equal, "u")
        return (
            f"SELECT k, count(*) AS n FROM ({one}) one JOIN ({other}) other USING (k, value) "
            "GROUP BY k ORDER BY k"
        )

    def _values(self, path: Path, column: str, letter: str, *, by_row: bool = False) -> str:
        """The values of a column that each target row reaches, each once,
        or (`by_row`) once a row of the end.
        """
        joins, here = self._walked(path, letter)
        row = f", {here}.rowid AS r" if by_row else ""
        value = f"{here}.{self.column(path.end, column)}"
        return (
            f"SELECT DISTINCT x.rowid AS k, {value} AS value{row} FROM {self[path.start]} x "
            f"{joins} WHERE {value} IS NOT NULL"
        )

    def _walked(self, path: Path, letter: str) -> tuple[str, str]:
        """The joins along a path from `x`, and the alias of its end."""
        joins, here, table = [], "x", path.start
        for place, hop in enumerate(path.hops):
            far, near = self.joined(table, hop)
            joins.append(
                f"JOIN {self.there(hop)} {letter}{place} ON {letter}{place}.{far} = {here}.{near}"
            )
            here, table = f"{letter}{place}", hop.table
        return " ".join(joins), here
