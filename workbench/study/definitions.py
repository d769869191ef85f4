"""Candidates as definitions of the language: paths as conjunctions of the predicates that a mapping makes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.structure.candidates import Candidate, Onward
from workbench.structure.relational import Hop, Path, Reference
from workbench.structure.terms import Condition
from workbench.study.words import candidate_words
from workbench.tables import MappedPredicate, mapped_predicates

if TYPE_CHECKING:
    from workbench.study.prepared import Prepared

__all__ = ["Definitions", "quoted_constant", "real"]

DAYS = 'days({}, "1970-01-01")'
"""A date as the number that candidates make of it."""

Row = tuple[str, ...]
"""The variables that name a row: its thing's, or those of the things that it relates."""


def real(value: float) -> str:
    """A number that reads back as the same."""
    return repr(float(value)) if value != int(value) or abs(value) >= 1e15 else str(int(value))


def quoted_constant(text: str) -> str:
    """A constant between double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class Definitions:
    """Definitions made as they are asked for, each once.

    Attributes
    ----------
    lines : list of str
        Their text, a comment in words before each.
    """

    def __init__(self, ready: Prepared) -> None:
        self._ready = ready
        self._mapping = ready.mapping
        self._made: dict[object, str] = {}
        self._taken = {found.name for found in mapped_predicates(ready.mapping)}
        self._taken |= {one.name for one in ready.mapping.definitions}
        self._predicates: dict[tuple[str, str | None], MappedPredicate] = {
            (found.table, found.column.name if found.column is not None else None): found
            for found in mapped_predicates(ready.mapping)
        }
        self.lines: list[str] = []
        self.predicted = self._ready.target.predicate
        if self._ready.kind != "yes/no":
            self.predicted = self._new(f"Predicted{self.predicted}")

    @property
    def declaration(self) -> str | None:
        """The declaration of what is predicted, where that is a predicate of its own."""
        target = self._ready.target
        if target.kind == "yes/no":
            return None
        *subjects, value = target.types
        if target.kind == "number":
            return f"{self.predicted}({', '.join(subjects)}) = number"
        return f"{self.predicted}({', '.join(subjects)}, {value}!)"

    def asked(self) -> list[str]:
        """Which atoms are open: those of things (of related things) without a value."""
        target = self._ready.target
        if target.kind == "yes/no":
            return []
        known = f"{target.predicate}({', '.join((*self.subject, 'u'))})"
        labels = self._new(f"{target.predicate}Labels")
        if target.table.relation is None:
            made = f"{labels}(x, n) := n = count(u: {known})."
            where = f"{labels}(x, n) ^ n = 0"
        else:
            subject = ", ".join(self.subject)
            made = f"{labels}({subject}) := {known}."
            where = f"{target.table.relation}({subject}) ^ !{labels}({subject})"
        heads = [self.head(place) for place in range(max(len(self._ready.classes), 1))]
        return ["// the rows without a value", made, *(f"{head} open where {where}." for head in heads)]

    @property
    def subject(self) -> Row:
        """The variables of a target row."""
        return self._row(self._ready.target.table.name, "x")

    def head(self, place: int = 0) -> str:
        """The atom that is predicted, of a category that of its class number `place`."""
        said = (*self.subject,)
        if self._ready.kind == "category":
            said = (*said, quoted_constant(self._ready.classes[place]))
        return f"{self.predicted}({', '.join(said)})"

    def value(self, candidate: Candidate) -> tuple[str, str]:
        """An atom that binds the candidate's number to a variable; and the variable."""
        variable = self._variable(candidate)
        return f"{self._named(candidate)}({', '.join((*self.subject, variable))})", variable

    def _variable(self, candidate: Candidate) -> str:
        """A variable of its own for each candidate, so that two may stand in one rule."""
        name = self._named(candidate)
        places = self._made.setdefault(
            ("variable", name), f"v{sum(isinstance(k, tuple) and k[0] == 'variable' for k in self._made) + 1}"
        )
        return places

    def label_rules(self, candidate: Candidate, weight: float, head: str) -> list[str]:
        """Rules under which each neighbour of the candidate's label adds `weight` to the log odds of a row.

        A tie goes both ways. `Tied(x, y) ^ Y(y) => Y(x)` of weight a adds `a n1 - a n0` to row x, where n1 and n0
        count its neighbours by label: it speaks of x as its head and as its body. `Tied(x, y) => Y(x) v Y(y)` of
        weight b stands there twice and adds `2 b n0`.
        """
        other = self._row(self._ready.target.table.name, "y")
        there = head.replace(f"({', '.join(self.subject)})", f"({', '.join(other)})")
        tied = f"{self._tied(candidate.path)}({', '.join((*self.subject, *other))})"
        either = f"{real(weight / 2)} {tied} => {head} v {there}"
        return [f"{real(weight)} {tied} ^ {there} => {head}", either] if candidate.label else [either]

    def _tied(self, path: Path) -> str:
        key = ("tied", path)
        if key not in self._made:
            name = self._new("Tied" + self._path_name(path))
            literals, end = self._walk(path)
            other = self._row(path.start, "y")
            renamed = dict(zip(end, other))
            apart = " ^ ".join(f"{one} != {two}" for one, two in zip(self.subject, end)) if len(end) == 1 else ""
            body = " ^ ".join(filter(None, [*literals, apart]))
            body = re.sub(r"\b[a-z]\w*\b(?!\()", lambda found: renamed.get(found[0], found[0]), body)
            self.lines.append(f"// ties of {path.start} along {', '.join(hop.table for hop in path.hops)}")
            self._state(f"{name}({', '.join((*self.subject, *other))})", body)
            if (
                any(hop.kind == "to" and hop.table == path.start for hop in path.hops[:1])
                or path.hops[0].table == path.start
            ):
                self.lines.append(f"{name}({', '.join((*other, *self.subject))}) := {body}.")
            self._made[key] = name
        return self._made[key]

    def condition(self, one: Condition, candidate: Candidate) -> str:
        """A test as a conjunction of literals."""
        is_yes = candidate.aggregate == "is" or _is_flag(candidate)
        if _is_flag(candidate) and not self._walk(candidate.path)[0]:  # facts know true from all else
            return ("" if one.test == "at_least" else "!") + self._is(candidate)
        if one.test in ("missing", "known"):
            return ("!" if one.test == "missing" else "") + self._known(candidate)
        if one.or_missing:
            return self._either(one, candidate)
        if is_yes and one.test == "at_least":
            return self._is(candidate)
        if is_yes:
            return f"{self._known(candidate)} ^ !{self._is(candidate)}"
        atom, variable = self.value(candidate)
        sign = ">=" if one.test == "at_least" else "<"
        return f"{atom} ^ {variable} {sign} {real(one.threshold)}"

    def _either(self, one: Condition, candidate: Candidate) -> str:
        """A test that an unknown value passes: that the value is not known to fail."""
        key = (replace(one, column=-1), candidate)
        if key not in self._made:
            name = self._new(f"{self._name_of(candidate)}{'Below' if one.test == 'at_least' else 'From'}")
            head = f"{name}({', '.join(self.subject)})"
            opposite = "below" if one.test == "at_least" else "at_least"
            fails = Condition(one.column, opposite, one.threshold)  # type: ignore[arg-type]
            self._state(head, self.condition(fails, candidate))
            self._made[key] = head
        return f"!{self._made[key]}"

    def _known(self, candidate: Candidate) -> str:
        key = ("known", candidate)
        if key not in self._made:
            name = self._new(f"{self._name_of(candidate)}Known")
            head = f"{name}({', '.join(self.subject)})"
            self._state(head, self._known_body(candidate))
            self._made[key] = head
        return self._made[key]

    def _known_body(self, candidate: Candidate) -> str:
        if _is_flag(candidate):
            return " ^ ".join(self._walk(candidate.path)[0])
        if candidate.aggregate == "is":
            literals, row = self._walk(candidate.path)
            assert candidate.onward is not None
            return " ^ ".join([*literals, *self._onward(candidate.path.end, row, candidate.onward, None)[0]])
        return f"{self._named(candidate)}({', '.join((*self.subject, 'u'))})"

    def _is(self, candidate: Candidate) -> str:
        """An atom that holds where a category has a value, or where a flag is set."""
        onward = candidate.onward
        assert onward is not None
        value = None if candidate.value is None else quoted_constant(candidate.value)
        if not candidate.path.hops and self._place(candidate.path.end, onward.column.name) is None:
            return self._says(candidate.path.end, self.subject, onward.column.name, value)
        key = ("is", candidate)
        if key not in self._made:
            name = self._new(self._name_of(candidate))
            head = f"{name}({', '.join(self.subject)})"
            literals, row = self._walk(candidate.path)
            literals += self._onward(candidate.path.end, row, onward, candidate.value)[0]
            self._write(candidate, head, " ^ ".join(literals))
            self._made[key] = head
        return self._made[key]

    def _named(self, candidate: Candidate) -> str:
        """The predicate of the candidate's number, defined where it is not a table's own."""
        if candidate not in self._made:
            self._made[candidate] = self._define(candidate)
        return self._made[candidate]

    def _define(self, candidate: Candidate) -> str:
        onward = candidate.onward
        own = candidate.aggregate == "value" and not candidate.path.hops and onward is not None
        if own and onward is not None and onward.kind == "number":
            return self._predicates[candidate.path.start, onward.column.name].name
        name = self._new(self._name_of(candidate))
        head = f"{name}({', '.join((*self.subject, 'n'))})"
        self._write(candidate, head, self._body(candidate))
        return name

    def _write(self, candidate: Candidate, head: str, body: str) -> None:
        self.lines.append(f"// {candidate_words(candidate, timed=self._ready.times is not None)}")
        self._state(head, body)

    def _state(self, head: str, body: str) -> None:
        """A definition over target rows; those that are ties of things are named, for a path may leave from one end."""
        relation = self._ready.target.table.relation
        row = f"{relation}({', '.join(self.subject)})"
        self.lines.append(f"{head} := {body if relation is None or row in body else f'{row} ^ {body}'}.")

    def _body(self, candidate: Candidate) -> str:
        path, onward = candidate.path, candidate.onward
        timed = self._ready.times is not None
        if not path.many:
            literals, row = self._walk(path)
            assert onward is not None
            literals += self._not_later(path, row, timed and bool(path.hops))
            literals.append(self._says(path.end, row, onward.column.name, "u"))
            value = "u"
            if onward.kind == "date":
                value = DAYS.format("u")
                if timed:
                    literals += [self._now(), "u <= now"]
                    value = "days(now, u)"
            return " ^ ".join(dict.fromkeys([*literals, f"n = {value}"]))
        outside, anchor = self._walk(Path(path.start, path.prefix))
        inside, row = self._walk(path, anchor)
        if candidate.among is not None:
            inside += self._onward(path.end, row, *candidate.among, variable="k")[0]
        return self._aggregate(candidate, outside, inside, row)

    def _aggregate(self, candidate: Candidate, outside: list[str], inside: list[str], row: Row) -> str:
        path, onward = candidate.path, candidate.onward
        by_time = candidate.aggregate in ("since", "first", "latest", "latest_is")
        timed = self._ready.times is not None
        time = self._dating(path, row) if timed or by_time else []
        dated = within = [*inside, *time]
        if timed and time:
            outside = [*outside, self._now()]
            within = [*dated, *self._window(path, candidate.window)]
        if by_time:
            return self._by_time(candidate, outside, dated, within, row)
        of, said = ", ".join(row), list[str]()
        if onward is not None:
            said, value = self._onward(path.end, row, onward, candidate.value)
        match candidate.aggregate:
            case "count":
                call = f"count({of}: {' ^ '.join(within)})"
            case "sum" if onward is not None and (candidate.value is not None or onward.kind == "flag"):
                call = f"count({of}: {' ^ '.join([*within, *said])})"
            case "share":
                assert onward is not None
                filled, _ = self._onward(path.end, row, onward, None)
                call = f"share({of}: {' ^ '.join([*within, *filled])}, {' ^ '.join(said[-1:])})"
            case "mean" if onward is not None and onward.kind == "flag":
                call = f"share({of}: {' ^ '.join([*within, *said[:-1]])}, {said[-1]})"
            case _:
                call = f"{candidate.aggregate}({value}: {' ^ '.join([*within, *said])})"
        if onward is not None and onward.kind == "date":
            return " ^ ".join([*dict.fromkeys(outside), f"m = {call}", f"n = {DAYS.format('m')}"])
        return " ^ ".join([*dict.fromkeys(outside), f"n = {call}"])

    def _by_time(self, candidate: Candidate, outside: list[str], dated: list[str], within: list[str], row: Row) -> str:
        """What the first or the latest row says: its time first, then the mean over the rows of that time."""
        moment = "min" if candidate.aggregate == "first" else "max"
        by_year = self._by_year(candidate.path)
        call = f"{moment}(t: {' ^ '.join(within)})"
        if candidate.aggregate in ("since", "first"):
            value = "year(now) - 1 - m" if by_year else "days(now, m)"
            return " ^ ".join([*dict.fromkeys(outside), f"m = {call}", f"n = {value}"])
        onward = candidate.onward
        assert onward is not None
        key = ("latest", candidate.path, candidate.among)
        if key not in self._made:
            name = self._new("Latest" + self._path_name(candidate.path) + "Time")
            head = f"{name}({', '.join((*self.subject, 'm'))})"
            self._state(head, " ^ ".join([*dict.fromkeys(outside), f"m = {call}"]))
            self._made[key] = name
        said, value = self._onward(candidate.path.end, row, onward, candidate.value)
        prefix, _ = self._walk(Path(candidate.path.start, candidate.path.prefix))
        at = f"{self._made[key]}({', '.join((*self.subject, 't'))})"
        if onward.kind == "flag" or candidate.value is not None:
            way = said[:-1] if candidate.value is None else self._onward(candidate.path.end, row, onward, None)[0]
            inner = f"share({', '.join(row)}: {' ^ '.join([*dated, *way])}, {said[-1]})"
        else:
            inner = f"mean({value}: {' ^ '.join([*dated, *said])})"
        return " ^ ".join([*dict.fromkeys([*prefix, at]), f"n = {inner}"])

    def _onward(
        self, table: str, row: Row, onward: Onward, value: str | None, variable: str = "o"
    ) -> tuple[list[str], str]:
        """Literals that lead from a row to a column's value, and its variable."""
        literals: list[str] = []
        here, variables = table, row
        for number, reference in enumerate(onward.references):
            step, variables = self._forward(here, variables, reference, f"{variable}{number + 1}")
            literals += step
            here = reference.table or ""
        constant = None if value is None else quoted_constant(value)
        place = self._place(here, onward.column.name)
        if place is None:
            literals.append(self._says(here, variables, onward.column.name, constant or "u"))
            return literals, "u"
        return [*literals, f"{variables[place]} = {constant or variables[place]}"], variables[place]

    def _walk(self, path: Path, anchor: Row | None = None) -> tuple[list[str], Row]:
        """Literals along a path, and the variables of its end; from the anchor on where that is given."""
        literals: list[str] = []
        hops = path.hops if anchor is None else path.suffix
        table = path.start
        row = self.subject
        if anchor is not None:
            row = anchor
            table = path.prefix[-1].table if path.prefix else path.start
        skipped = len(path.hops) - len(hops)
        for number, hop in enumerate(hops, start=skipped + 1):
            step, row = self._hop(table, row, hop, f"y{number}")
            literals += step
            table = hop.table
        return literals, row

    def _hop(self, table: str, row: Row, hop: Hop, variable: str) -> tuple[list[str], Row]:
        if hop.kind == "to":
            return self._forward(table, row, Reference(hop.column, hop.table), variable)
        if hop.kind == "from":
            there = self._row(hop.table, variable)
            of = self._mapping.table(hop.table)
            if of.relation is not None:
                place = [one.name for one in of.references].index(hop.column)
                there = (*there[:place], row[0], *there[place + 1 :])
                return [f"{of.relation}({', '.join(there)})"], there
            if of.key == hop.column:
                return [], row
            return [self._says(hop.table, there, hop.column, row[0])], there
        if hop.kind == "shared":
            there = self._row(hop.table, variable)
            apart = [f"{one} != {other}" for one, other in zip(there, row)][:1]
            value = f"s{variable}"
            return [
                self._says(table, row, hop.column, value),
                self._says(hop.table, there, hop.column, value),
                *apart,
            ], there
        return self._latest_hop(table, row, hop, variable)

    def _latest_hop(self, table: str, row: Row, hop: Hop, variable: str) -> tuple[list[str], Row]:
        """The latest of the rows that refer to this one, then what it refers to; as a definition of its own."""
        key = ("hop", table, hop)
        if key not in self._made:
            name = self._new(f"Latest{_camel(hop.column)}Of{_camel(hop.through)}")
            before = self._new(f"Latest{_camel(hop.through)}Time")
            back = Path(table, (Hop("from", hop.via, hop.through),))
            inside, there = self._walk_from(table, back, ("z",))
            dated = self._dating(back, there)
            within = " ^ ".join([*inside, *dated, *self._window(back, None)])
            start = self._ready.target.table.name
            # A thing may refer to the table by several columns: each way is a statement of the same definition.
            for outside in self._links(start, table) if start != table else [[]]:
                self._state(
                    f"{before}({', '.join((*self.subject, 'z', 'm'))})",
                    " ^ ".join([*outside, self._now(), f"m = max(t: {within})"]),
                )
            step, end = self._forward(hop.through, there, Reference(hop.column, hop.table), "e")
            self.lines.append(
                f"{name}({', '.join((*self.subject, *end))}) := {before}({', '.join((*self.subject, 'z', 't'))}) ^ "
                f"{' ^ '.join([*inside, *dated, *step])}."
            )
            self._made[key] = name
        return [f"{self._made[key]}({', '.join((*self.subject, variable))})"], (variable,)

    def _links(self, start: str, table: str) -> list[list[str]]:
        """The ways from the start to what it refers to in a table, one a reference."""
        references = self._ready.schema[start].references
        ways = [self._forward(start, self.subject, one, "z") for one in references if one.table == table]
        return [literals or [f"z = {end}"] for literals, (end,) in ways]

    def _walk_from(self, table: str, path: Path, row: Row) -> tuple[list[str], Row]:
        del table
        return self._walk(path, row)

    def _forward(self, table: str, row: Row, reference: Reference, variable: str) -> tuple[list[str], Row]:
        place = self._place(table, reference.column)
        if place is not None:
            return [], (row[place],)
        of = self._mapping.table(table)
        if of.key == reference.column:
            return [], row
        return [self._says(table, row, reference.column, variable)], (variable,)

    def _place(self, table: str, column: str) -> int | None:
        """Which argument of a relation's atoms a column is; None where it has an atom of its own."""
        of = self._mapping.table(table)
        named = [one.name for one in of.references] if of.relation is not None else []
        return named.index(column) if column in named else None

    def _says(self, table: str, row: Sequence[str], column: str, value: str | None) -> str:
        """The atom of a column of a row; of yes and no without a value."""
        found = self._predicates[table, column]
        arguments = [*row] if len(found.types) == found.subjects or value is None else [*row, value]
        return f"{found.name}({', '.join(arguments)})"

    def _row(self, table: str, variable: str) -> Row:
        of = self._mapping.table(table)
        if of.relation is None:
            return (variable,)
        return tuple(f"{variable}{chr(ord('a') + place)}" for place in range(len(of.references)))

    def _now(self) -> str:
        """The atom that binds `now` to the time of a target row."""
        assert self._ready.time_column is not None
        return self._says(self._ready.target.table.name, self.subject, self._ready.time_column, "now")

    def _dating(self, path: Path, row: Row) -> list[str]:
        """Literals that bind `t` to the time of a row at a path's end; none where it has no time."""
        walked = self._ready.schema.dated_through(path.end)
        if walked is None:
            return []
        literals: list[str] = []
        table, variables = path.end, row
        for number, reference in enumerate(walked):
            step, variables = self._forward(table, variables, reference, f"d{number + 1}")
            literals += step
            table = reference.table or ""
        literals.append(self._says(table, variables, self._ready.schema[table].date or "", "t"))
        return literals

    def _by_year(self, path: Path) -> bool:
        table = self._ready.schema.dating_table(path.end)
        return table is not None and table.dated_by_year

    def _window(self, path: Path, window: int | None) -> list[str]:
        if self._by_year(path):
            return ["t < year(now)"] + ([f"t > year(now) - {window + 1}"] if window else [])
        return ["t <= now"] + ([f"t > now - {window}"] if window else [])

    def _not_later(self, path: Path, row: Row, wanted: bool) -> list[str]:
        table = self._ready.schema[path.end]
        if not wanted or table.date is None:
            return []
        dated = self._says(table.name, row, table.date, "t")
        return [self._now(), dated, *self._window(path, None)]

    def _new(self, name: str) -> str:
        number, chosen = 2, name
        while chosen in self._taken:
            chosen, number = f"{name}{number}", number + 1
        self._taken.add(chosen)
        return chosen

    def _path_name(self, path: Path) -> str:
        return "".join(_camel(hop.table) for hop in path.hops) or _camel(path.start)

    def _name_of(self, candidate: Candidate) -> str:
        what = "" if candidate.onward is None else _camel(candidate.onward.column.name)
        value = "" if candidate.value is None else _camel(candidate.value)
        aggregate = {
            "value": "",
            "is": "",
            "latest_is": "Latest",
            "sum": "Total",
            "since": "Since",
            "first": "First",
        }.get(candidate.aggregate, candidate.aggregate.capitalize())
        window = f"In{candidate.window}" if candidate.window else ""
        if candidate.among is not None:
            kind, value = candidate.among[0].column.name, candidate.among[1] or ""
            value = f"Of{_camel(kind)}{_camel(value)}"
        return f"{aggregate}{what}{value}{self._path_name(candidate.path)}{window}" or "Candidate"


def _is_flag(candidate: Candidate) -> bool:
    return candidate.aggregate == "value" and candidate.onward is not None and candidate.onward.kind == "flag"


def _camel(name: str) -> str:
    parts = re.findall(r"[A-Za-z0-9]+", name)
    joined = "".join(part[:1].upper() + part[1:] for part in parts)[:24]
    return f"V{joined}" if joined[:1].isdigit() else joined
