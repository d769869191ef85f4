"""Paths as conjunctions: from a row along references to other rows, what they say, and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.structure.candidate import Onward
from workbench.structure.relational import Reference
from workbench.structure.table_paths import Hop, Path
from workbench.study.meeting_definitions import meeting
from workbench.study.place_definitions import near
from workbench.study.sequence_definitions import in_sequence
from workbench.study.shared_definitions import either_role, of_both_ends, tied
from workbench.study.statements import Row, Statements, camel, quoted_constant, row_of
from workbench.study.worked_out_columns import compared, worked_out
from workbench.tables import MappedPredicate, TableMapping, mapped_predicates

if TYPE_CHECKING:
    from workbench.study.prepared import Prepared


class Walks:
    """Literals over the predicates that a mapping makes of its tables' columns."""

    def __init__(self, ready: Prepared, statements: Statements) -> None:
        self.ready = ready
        self.statements = statements
        self._subject = statements.subject
        self._predicates: dict[tuple[str, str | None], MappedPredicate] = {
            (found.table, found.column.name if found.column is not None else None): found
            for found in mapped_predicates(ready.mapping)
            if found.name != ready.mapping.known
        }

    def predicate(self, table: str, column: str) -> str:
        """The predicate of a column."""
        return self._predicates[self.ready.schema.stored(table), column].name

    def says(self, table: str, row: Sequence[str], column: str, value: str | None) -> str:
        """The atom of a column of a row; of yes and no without a value."""
        found = self._predicates[self.ready.schema.stored(table), column]
        arguments = [*row] if len(found.types) == found.subjects or value is None else [*row, value]
        return f"{found.name}({', '.join(arguments)})"

    def label(self, row: Row, value: str | None) -> tuple[str, str]:
        """The atom of a target row's known label, which may be a class; and what binds it."""
        target = self.ready.target
        name = self.ready.mapping.known if target.kind == "yes/no" else target.predicate
        said = "u" if value is None else quoted_constant(value)
        return f"{name}({', '.join((*row, said))})", said

    def row(self, table: str, variable: str) -> Row:
        """The variables of a row of a table."""
        return row_of(self.mapped(table), variable)

    def mapped(self, table: str) -> TableMapping:
        return self.ready.mapping.table(self.ready.schema.stored(table))

    def place(self, table: str, column: str) -> int | None:
        """Which argument of a relation's atoms a column is;
        None where it has an atom of its own.
        """
        of = self.mapped(table)
        named = [one.name for one in of.references] if of.relation is not None else []
        return named.index(column) if column in named else None

    def forward(
        self, table: str, row: Row, reference: Reference, variable: str
    ) -> tuple[list[str], Row]:
        """Literals that lead from a row to what it refers to, and the variables of that."""
        place = self.place(table, reference.column)
        if place is not None:
            return [], (row[place],)
        of = self.mapped(table)
        if of.key == reference.column:
            return [], row
        return [self.says(table, row, reference.column, variable)], (variable,)

    def hop(self, table: str, row: Row, hop: Hop, variable: str) -> tuple[list[str], Row]:
        """Literals of one step of a path, and the variables of where it leads."""
        if hop.kind == "to":
            return self.forward(table, row, Reference(hop.column, hop.table), variable)
        if hop.kind == "from":
            there = self.row(hop.table, variable)
            of = self.mapped(hop.table)
            if of.relation is not None:
                place = [one.name for one in of.references].index(hop.column)
                there = (*there[:place], row[0], *there[place + 1 :])
                return [f"{of.relation}({', '.join(there)})"], there
            if of.key == hop.column:
                return [], row
            return [self.says(hop.table, there, hop.column, row[0])], there
        if hop.kind == "either":
            there = self.row(hop.table, variable)
            return [f"{either_role(self, table, hop)}({', '.join((row[0], *there))})"], there
        if hop.kind == "tied":
            return [f"{tied(self, hop)}({row[0]}, {variable})"], (variable,)
        if hop.kind == "near":
            there = self.row(hop.table, variable)
            return [f"{near(self, table, hop)}({', '.join((*row, *there))})"], there
        if hop.kind in ("shared", "alike"):
            return self._shared(table, row, hop, variable)
        return self._latest_hop(table, hop, variable)

    def _shared(self, table: str, row: Row, hop: Hop, variable: str) -> tuple[list[str], Row]:
        """To rows with the same values: of one table to the others of it."""
        there, place = self.row(hop.table, variable), self.place(hop.table, hop.column)
        literals, apart = list[str](), 0
        if place is not None:  # of ties the thing itself is one end
            relation = self.mapped(hop.table).relation
            literals = [f"{relation}({', '.join(there)})", f"{there[place]} = {row[place]}"]
            apart = 1 - place
        for number, (way, column) in enumerate(hop.shared):
            if number or place is None:
                value = f"s{number or ''}{variable}"
                for of, start, letter in ((table, row, "h"), (hop.table, there, "g")):
                    step, owner, end = self.along(of, start, way, f"{letter}{variable}")
                    literals += [*step, self.says(owner, end, column, value)]
        if hop.kind == "shared":
            literals.append(f"{there[apart]} != {row[apart]}")
        return literals + meeting(self, hop, row, there), there

    def along(
        self, table: str, row: Row, references: Sequence[Reference], letter: str
    ) -> tuple[list[str], str, Row]:
        """Literals along references, the table that they lead to, and the variables of its row."""
        literals: list[str] = []
        for number, reference in enumerate(references, start=1):
            step, row = self.forward(table, row, reference, f"{letter}{number}")
            literals += step
            table = reference.table or ""
        return literals, table, row

    def walk(
        self, path: Path, anchor: Row | None = None, letter: str = "y"
    ) -> tuple[list[str], Row]:
        """Literals along a path, and the variables of its end;
        from the anchor on where that is given.
        """
        literals: list[str] = []
        hops = path.hops if anchor is None else path.suffix
        table = path.start
        row = self._subject
        if anchor is not None:
            row = anchor
            table = path.prefix[-1].table if path.prefix else path.start
        skipped = len(path.hops) - len(hops)
        for number, hop in enumerate(hops, start=skipped + 1):
            step, row = self.hop(table, row, hop, f"{letter}{number}")
            literals += step
            table = hop.table
        return literals, row

    def onward(
        self, table: str, row: Row, onward: Onward, value: str | None, variable: str = "o"
    ) -> tuple[list[str], str]:
        """Literals that lead from a row to a column's value, and its variable."""
        literals, here, variables = self.along(table, row, onward.references, variable)
        if onward.column.after is not None:
            more, days = in_sequence(self, here, variables, onward.column, variable)
            return [*literals, *more], days
        if onward.column.ends:
            assert value is not None
            return [*literals, of_both_ends(self, here, variables, onward.column, value)], ""
        if onward.column.against:
            tested = compared(self, here, variables, onward.column, variable)
            return [*literals, *tested], tested[-1]
        if onward.kind in ("number", "calendar"):
            more, computed = worked_out(self, here, variables, onward.column, variable)
            return [*literals, *more, *([f"{computed} {value}"] if value else [])], computed
        constant = None if value is None else quoted_constant(value)
        place = self.place(here, onward.column.name)
        test = (
            "hasWord" if onward.kind == "text" else "startsWith" if onward.column.beginning else ""
        )
        if test and constant is not None:
            said, held = self.column(here, variables, onward.column.name)
            return [*literals, *said, f"{test}({held}, {constant})"], held
        if place is None:
            literals.append(self.says(here, variables, onward.column.name, constant or "u"))
            return literals, "u"
        return [*literals, f"{variables[place]} = {constant or variables[place]}"], variables[place]

    def column(
        self, table: str, row: Row, column: str, variable: str = "u"
    ) -> tuple[list[str], str]:
        """Literals that bind a variable to what a column says of a row, and the variable."""
        place = self.place(table, column)
        if place is not None:
            return [], row[place]
        if column == self.mapped(table).key:
            return [], row[0]
        return [self.says(table, row, column, variable)], variable

    def held(self, path: Path, column: str, letter: str) -> tuple[list[str], list[str], Row, str]:
        """Literals up to the one row that a path leads to, then to a column's value; row, value."""
        outside, anchor = self.walk(Path(path.start, path.prefix), letter=letter)
        inside, row = self.walk(path, anchor, letter)
        place = self.place(path.end, column)
        if place is not None:
            return outside, inside, row, row[place]
        if column == self.mapped(path.end).key:
            return outside, inside, row, row[0]
        value = f"{letter}v"
        return outside, [*inside, self.says(path.end, row, column, value)], row, value

    def _latest_hop(self, table: str, hop: Hop, variable: str) -> tuple[list[str], Row]:
        """The latest of the rows that refer to this one, then what it refers to;
        as a definition of its own. Rows of one day that refer to different things name none.
        """
        key = ("hop", table, hop)
        if key not in self.statements.made:
            name = self.statements.new(f"Latest{camel(hop.column)}Of{camel(hop.through)}")
            before = self.statements.new(f"Latest{camel(hop.through)}Time")
            back = Path(table, (Hop("from", hop.via, hop.through),))
            inside, there = self.walk(back, ("z",))
            dated = self.dating(back, there)
            within = " ^ ".join([*inside, *dated, *self.window(back, None)])
            start = self.ready.target.table.name
            # A thing may refer to the table by several columns: each way is a statement of the same
            # definition.
            for outside in (
                self._links(start, table) if start != table else [[f"z = {self._subject[0]}"]]
            ):
                self.statements.state(
                    f"{before}({', '.join((*self._subject, 'z', 'm'))})",
                    " ^ ".join([*outside, self.now(), f"m = max(t: {within})"]),
                )
            step, end = self.forward(hop.through, there, Reference(hop.column, hop.table), "e")
            rows, atom = " ^ ".join([*inside, *dated, *step]), ", ".join((*self._subject, "z"))
            things = self.statements.new(f"{name}Number")
            self.statements.lines += [
                f"{things}({atom}, n) := {before}({atom}, t) ^ n = count({end[0]}: {rows}).",
                f"{name}({', '.join((*self._subject, *end))}) := {things}({atom}, n) ^ n = 1 ^ "
                f"{before}({atom}, t) ^ {rows}.",
            ]
            self.statements.made[key] = name
        return [f"{self.statements.made[key]}({', '.join((*self._subject, variable))})"], (
            variable,
        )

    def _links(self, start: str, table: str) -> list[list[str]]:
        """The ways from the start to what it refers to in a table, one a reference."""
        references = self.ready.schema[start].references
        ways = [
            self.forward(start, self._subject, one, "z") for one in references if one.table == table
        ]
        return [literals or [f"z = {end}"] for literals, (end,) in ways]

    def now(self) -> str:
        """The atom that binds `now` to the time of a target row."""
        assert self.ready.time_column is not None
        return self.says(self.ready.target.table.name, self._subject, self.ready.time_column, "now")

    def latest(self, path: Path) -> str:
        """The atom that binds `now` to the latest date of all that dates a path's end."""
        table = self.ready.schema.dating_table(path.end)
        assert table is not None
        key = ("latest", table.name)
        if key not in self.statements.made:
            name = self.statements.new(f"Latest{camel(table.name)}")
            dated = self.says(table.name, self.row(table.name, "z"), table.date or "", "t")
            self.statements.lines.append(f"{name}(m) := m = max(t: {dated}).")
            self.statements.made[key] = name
        return f"{self.statements.made[key]}(now)"

    def dating(self, path: Path, row: Row) -> list[str]:
        """Literals that bind `t` to the time of a row at a path's end;
        none where it has no time.
        """
        walked = self.ready.schema.dated_through(path.end)
        if walked is None:
            return []
        literals, table, variables = self.along(path.end, row, walked, "d")
        literals.append(self.says(table, variables, self.ready.schema[table].date or "", "t"))
        return literals

    def by_year(self, path: Path) -> bool:
        """Whether rows at a path's end are dated by years."""
        table = self.ready.schema.dating_table(path.end)
        return table is not None and table.dated_by_year

    def window(self, path: Path, window: int | None, *, before: bool = False) -> list[str]:
        """Comparisons under which `t` is no later than `now` (`before` it), nor earlier than the
        window.
        """
        if self.by_year(path):
            return ["t < year(now)"] + ([f"t > year(now) - {window + 1}"] if window else [])
        return ["t < now" if before else "t <= now"] + ([f"t > now - {window}"] if window else [])

    def not_later(self, path: Path, row: Row, wanted: bool) -> list[str]:
        """Literals under which a row of a table with dates is no later than `now`."""
        table = self.ready.schema[path.end]
        if not wanted or table.date is None:
            return []
        return [self.now(), self.says(table.name, row, table.date, "t"), *self.window(path, None)]
