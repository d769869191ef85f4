"""The rows that chains of references reach, as Selects over typed tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.database import text_literal
from workbench.structure.candidate import Onward
from workbench.structure.relational import Apart, Column, Gathered, Reference, Schema
from workbench.structure.table_paths import Hop, reaches_again
from workbench.study.place_queries import distance
from workbench.study.relations import Relations
from workbench.study.tied_columns import pair_of

LABEL_ROW = "end_"
"""The column of the rowid of a row that is reached."""


PARTS = {"weekday": "isodow", "month": "month", "hour": "hour"}
"""Of a date, as functions."""


@dataclass(frozen=True)
class RowQueries:
    """Writes the Selects.

    `timed`: whether only rows with a date are read.
    """

    schema: Schema
    relations: Relations
    timed: bool

    def reached(self, start: str, suffix: tuple[Hop, ...]) -> str:
        """The rows that a suffix reaches from every row of its start, by anchor `a_` and time `t_`,
        and their own rowid.
        """
        joins = [f"{self.relations.here(start, suffix)} x"]
        here, table = "x", start
        for place, hop in enumerate(suffix):
            alias = f"t{place}"
            on = self.relations.on(table, hop, alias, here)
            joins.append(f"JOIN {self.relations.there(hop)} {alias} ON {on}")
            here, table = alias, hop.table
        aliases: dict[tuple[Reference, ...], str] = {(): here}
        when, where = "NULL", ""
        dated = self.schema.dated_through(table)
        if dated is not None:
            when = self.date(
                self._alias(table, dated, aliases, joins), dated[-1].table if dated else table
            )
            where = f" WHERE {when} IS NOT NULL" if self.timed else ""
        once = "DISTINCT " * reaches_again(suffix)
        return (
            f"SELECT {once}x.rowid AS a_, {when} AS t_, {here}.rowid AS {LABEL_ROW} "
            f"FROM {' '.join(joins)}{where} ORDER BY a_, t_ NULLS FIRST, {LABEL_ROW}"
        )

    def cells(self, table: str, onwards: Sequence[Onward]) -> str:
        """Of every row `r_` of a table the numbers `c0, c1, ...` of what lies onward."""
        joins = [f"{self.relations[table]} x"]
        aliases: dict[tuple[Reference, ...], str] = {(): "x"}
        cells = ["x.rowid AS r_"]
        for number, onward in enumerate(onwards):
            alias = self._alias(table, onward.references, aliases, joins)
            owner = onward.references[-1].table if onward.references else table
            cells.append(f"{self.number(alias, owner or table, onward)} AS c{number}")
        return f"SELECT {', '.join(cells)} FROM {' '.join(joins)}"

    def sizes(self, start: str, hops: tuple[Hop, ...]) -> str:
        """How many rows hops reach from each row of their start, `(r, n)`.
        One aggregation a hop.
        """
        relation = self.relations.here(start, hops)
        if not hops:
            return f"SELECT rowid AS r, 1 AS n FROM {relation}"
        hop, rest = hops[0], hops[1:]
        inner = self.sizes(hop.table, rest)
        there = self.relations.there(hop)
        if hop.meets or hop.near:
            on = self.relations.on(start, hop, "t", "x")
            return (
                f"SELECT x.rowid AS r, sum(m.n) AS n FROM {relation} x JOIN {there} t ON {on} "
                f"JOIN ({inner}) m ON m.r = t.rowid GROUP BY 1"
            )
        far, near = self.relations.joined(start, hop)
        also = self.relations.also(start, hop)
        return (
            f"SELECT x.rowid AS r, d.n FROM {relation} x JOIN (SELECT t.{far} AS k, "
            f"{f't.{also[0]}' if also else '0'} AS k2, sum(m.n) AS n FROM {there} t JOIN ({inner}) "
            f"m ON m.r = t.rowid GROUP BY 1, 2) d ON d.k = x.{near}"
            f"{f' AND d.k2 = x.{also[1]}' if also else ''}"
        )

    def _alias(
        self,
        table: str,
        references: tuple[Reference, ...],
        aliases: dict[tuple[Reference, ...], str],
        joins: list[str],
        letter: str = "o",
    ) -> str:
        """The alias of the row that references lead to, joined where it is not yet."""
        if references not in aliases:
            before = self._alias(table, references[:-1], aliases, joins, letter)
            owner = references[-2].table or "" if len(references) > 1 else table
            last = references[-1]
            alias = f"{letter}{len(aliases)}"
            far, near = self.relations.joined(owner, Hop("to", last.column, last.table or ""))
            joins.append(
                f"LEFT JOIN {self.relations[last.table or '']} {alias} ON {alias}.{far} = "
                f"{before}.{near}"
            )
            aliases[references] = alias
        return aliases[references]

    def date(self, alias: str, table: str | None) -> str:
        """When a row is known, in days since 1970 or in years."""
        dated = self.schema[table or ""]
        column = f"{alias}.{self.relations.column(dated.name, dated.date or '')}"
        # A row dated by its year is known from the year's end on.
        return column if dated.dated_by_year else f"epoch({column}) / 86400.0"

    def _gathered(self, alias: str, table: str, of: Gathered) -> str:
        """The number of the rows that refer to a row, or of those of a kind, or what one of their
        columns adds up to, or its mean; of rows that share two things with it the mean of one.
        """
        if of.nearest is not None:
            return self.relations.nearest(table, of, alias)
        if of.shared:
            number = of.column and self.number("g", of.table, Onward((), of.column))
            names = [self.relations.column(of.table, one) for one in of.shared]
            same = " AND ".join(f"g.{name} = {alias}.{name}" for name in names)
            return (
                f"CAST((SELECT {f'avg({number})' if number else 'nullif(count(*), 0)'} FROM "
                f"{self.relations[of.table]} g WHERE {same}) AS DOUBLE)"
            )
        joins = [f"{self.relations[of.table]} g"]
        said = "count(*)"
        if of.column is not None:
            there = self._alias(of.table, of.references, {(): "g"}, joins, "g")
            owner = (of.references[-1].table or "") if of.references else of.table
            number = self.number(there, owner, Onward((), of.column))
            if of.value is not None:
                said = f"coalesce(count_if({number} {_test(of.column, of.value)}), 0)"
            else:
                said = f"avg({number})" if of.mean else f"coalesce(sum({number}), 0)"
        back = self.relations.column(of.table, of.by)
        return (
            f"CAST((SELECT {said} FROM {' '.join(joins)} WHERE g.{back} = "
            f"{alias}.{self.relations.key(table)}) AS DOUBLE)"
        )

    def _product(self, alias: str, table: str, column: Column) -> str:
        """A number of a row times another."""
        one = f"CAST({alias}.{self.relations.column(table, column.name)} AS DOUBLE)"
        return f"{one} * {self._other(alias, table, column.way, column.times)}"

    def _compared(self, alias: str, table: str, column: Column) -> str:
        """Whether two columns are as a flag says, unknown where one of them is."""
        one = f"{alias}.{self.relations.column(table, column.name)}"
        other = self._other(alias, table, column.way, column.against)
        return f"CAST({one} {column.operator} {other} AS DOUBLE)"

    def _apart(self, alias: str, table: str, of: Apart) -> str:
        """How far two places of a row are from each other, or of what it refers to."""
        one, other = (
            (self._other(alias, table, way, at.first), self._other(alias, table, way, at.second))
            for way, at in ((of.way, of.here), (of.way_there, of.there))
        )
        return distance(one, other, on_globe=of.here.on_globe)

    def _other(self, alias: str, table: str, way: tuple[Reference, ...], column: str) -> str:
        """Another column of a row, its own or one of what it refers to."""
        if not way:
            return f"{alias}.{self.relations.column(table, column)}"
        (reference,) = way
        owner = reference.table or ""
        far, near = self.relations.joined(table, Hop("to", reference.column, owner))
        return (
            f"(SELECT p.{self.relations.column(owner, column)} FROM {self.relations[owner]} p "
            f"WHERE p.{far} = {alias}.{near})"
        )

    def number(self, alias: str, table: str, onward: Onward) -> str:
        """A cell as a number: the place of a category, a hash of a name, 0 and 1, days,
        or as it is.
        """
        if onward.column.gathered is not None:
            return self._gathered(alias, table, onward.column.gathered)
        if onward.column.against:
            return self._compared(alias, table, onward.column)
        if onward.column.apart is not None:
            return self._apart(alias, table, onward.column.apart)
        if onward.column.ends:
            ends = (
                self._other(alias, table, (one,), onward.column.name) for one in onward.column.ends
            )
            column = pair_of(*ends)
        else:
            column = f"{alias}.{self.relations.column(table, onward.column.name)}"
        if onward.kind == "category":
            if onward.column.beginning:
                column = f"left({column}::VARCHAR, {onward.column.beginning})"
            cases = " ".join(
                f"WHEN {text_literal(value)} THEN {number}"
                for number, value in enumerate(onward.column.values)
            )
            return f"CASE WHEN {column} IS NOT NULL THEN CASE {column} {cases} ELSE -1 END END"
        if onward.kind == "name":
            return f"CASE WHEN {column} IS NOT NULL THEN CAST(hash({column}) >> 12 AS DOUBLE) END"
        if onward.kind == "flag":  # facts know true from all else
            return f"coalesce({column}, 0)"
        if onward.kind == "calendar":
            return f"CAST({PARTS[onward.column.part]}({column}) AS DOUBLE)"
        if onward.column.times:
            return self._product(alias, table, onward.column)
        if onward.column.since:
            earlier = f"{alias}.{self.relations.column(table, onward.column.since)}"
            return f"(epoch({column}) - epoch({earlier})) / 86400.0"
        return (
            f"epoch({column}) / 86400.0" if onward.kind == "date" else f"CAST({column} AS DOUBLE)"
        )


def _test(column: Column, value: str) -> str:
    """That a cell, as a number, is a category's value, or passes a threshold."""
    return f"= {column.values.index(value)}" if column.kind == "category" else value
