"""Definitions that walks share: rows of either of two roles, and what rows amount to."""

from __future__ import annotations

from workbench.language.printing import comment
from workbench.structure.candidate import Onward
from workbench.structure.relational import ENDS, Column, Gathered, Reference
from workbench.structure.table_paths import Hop, Path
from workbench.study.literals import Literals
from workbench.study.path_words import rows_words, spoken
from workbench.study.place_definitions import nearest
from workbench.study.statements import Row, camel, path_name, quoted_constant


def either_role(walks: Literals, table: str, hop: Hop) -> str:
    """The predicate of a thing `z` of a table and the rows that have it in one of two roles."""
    key, made = ("hop", table, hop), walks.statements.made
    if key not in made:
        one, other = hop.roles
        name = walks.statements.new(f"{camel(one)}Or{camel(other)}")
        there = walks.row(hop.table, "y")
        for role in hop.roles:
            _state(walks, hop, name, there, [_in_role(walks, hop, role, there)])
        made[key] = name
    return made[key]


def tied(walks: Literals, hop: Hop) -> str:
    """The predicate of two things of a table that rows tie, whichever is at which end."""
    key, made = ("hop", hop.through, hop), walks.statements.made
    if key not in made:
        name = walks.statements.new(f"TiedBy{camel(hop.through)}")
        walks.statements.lines.append(
            comment(f"{spoken(hop.table)} tied by {spoken(hop.through)}, either way")
        )
        for one, other in ((hop.column, hop.other), (hop.other, hop.column)):
            rows, there = walks.hop(hop.table, ("z",), Hop("from", one, hop.through), "w")
            step, (end,) = walks.forward(hop.through, there, Reference(other, hop.table), "y")
            body = " ^ ".join([*rows, *step, f"{end} != z"])
            walks.statements.lines.append(f"{name}(z, {end}) := {body}.")
        made[key] = name
    return made[key]


def of_both_ends(walks: Literals, table: str, row: Row, column: Column, value: str) -> str:
    """The atom of a row that ties things of which one has one value and the other has the other."""
    key, made = ("ends", table, column, value), walks.statements.made
    if key not in made:
        name = walks.statements.new(f"{camel(table)}Of{camel(value)}")
        there = walks.row(table, "y")
        relation = walks.mapped(table).relation
        values = value.split(ENDS)
        told = f"{spoken(table)} of {' and '.join(values)} ({column.name})"
        walks.statements.lines.append(comment(told))
        for one, other in dict.fromkeys([tuple(values), tuple(reversed(values))]):
            body = [] if relation is None else [f"{relation}({', '.join(there)})"]
            for end, said, letter in zip(column.ends, (one, other), "ab"):
                step, end_row = walks.forward(table, there, end, letter)
                constant = quoted_constant(said)
                body += [*step, walks.says(end.table or "", end_row, column.name, constant)]
            walks.statements.lines.append(f"{name}({', '.join(there)}) := {' ^ '.join(body)}.")
        made[key] = name
    return f"{made[key]}({', '.join(row)})"


def own_label(walks: Literals, hop: Hop) -> str:
    """The predicate of a thing and the rows of two roles whose known label speaks for it: yes in
    the first role, no in the other.
    """
    key, made = ("own label", hop), walks.statements.made
    if key not in made:
        one, other = hop.roles
        there = walks.row(hop.table, "y")
        label = walks.label(there, None)[0]
        name = walks.statements.new(f"{label.partition('(')[0]}Own")
        first, second = (_in_role(walks, hop, role, there) for role in (one, other))
        not_first = first.replace(" = ", " != ") if " = " in first else f"!{first}"
        _state(walks, hop, name, there, [first, label, "u >= 1"])
        _state(walks, hop, name, there, [second, not_first, label, "u < 1"])
        made[key] = name
    return made[key]


def _in_role(walks: Literals, hop: Hop, role: str, there: Row) -> str:
    """That a row has the thing `z` in a role."""
    place = walks.place(hop.table, role)
    return walks.says(hop.table, there, role, "z") if place is None else f"{there[place]} = z"


def _state(walks: Literals, hop: Hop, name: str, there: Row, body: list[str]) -> None:
    """A statement over the things `z` and rows; of ties their own atom comes first."""
    relation = walks.mapped(hop.table).relation
    row = [] if relation is None else [f"{relation}({', '.join(there)})"]
    literals = " ^ ".join([*row, *body])
    walks.statements.lines.append(f"{name}({', '.join(('z', *there))}) := {literals}.")


def rows_reached(walks: Literals, path: Path, anchor: Row, inside: list[str], row: Row) -> str:
    """The atom of the rows that a path reaches from its anchor, each once: two ways may lead to
    one.
    """
    ends, made = ", ".join(dict.fromkeys((*anchor, *row))), walks.statements.made
    key = ("reached", path.prefix, path.suffix, ends)
    if key not in made:
        made[key] = walks.statements.new(f"Reached{path_name(Path(path.start, path.suffix))}")
        head, body = f"{made[key]}({ends})", " ^ ".join(inside)
        walks.statements.lines.append(comment(f"{rows_words(path)}, each once"))
        if {*anchor} & {*walks.statements.subject}:
            walks.statements.state(head, body)
        else:  # of what target rows refer to: not once for each of these
            walks.statements.lines.append(f"{head} := {body}.")
    return f"{made[key]}({ends})"


def gathered_number(walks: Literals, table: str, column: Column) -> str:
    """The predicate of what the rows that refer to a thing amount to, or that share two things with
    it.
    """
    key, made = ("gathered", table, column), walks.statements.made
    of = column.gathered
    assert of is not None
    if of.nearest is not None:
        return nearest(walks, table, column)
    if key not in made:
        name = walks.statements.new(f"{camel(column.name)}Of{camel(table)}")
        outside, test = "", ""
        if of.shared:
            outside = " ^ ".join(_sharing(walks, of, "z")) + " ^ "
            inside, there = _sharing(walks, of, "y"), walks.row(of.table, "y")
        else:
            inside, there = walks.hop(table, ("z",), Hop("from", of.by, of.table), "y")
        aggregate, counted = "count", ", ".join(there)
        if of.column is not None:
            said, value = walks.onward(of.table, there, Onward(of.references, of.column), of.value)
            if of.column.kind == "number" and of.value is None:
                aggregate, counted = "mean" if of.shared or of.mean else "sum", value
            elif of.shared:
                aggregate, test, said = "share", f", {said[-1]}", said[:-1]
            inside = [*inside, *said]
        walks.statements.lines.append(comment(f"{column.name} of each row of {table}"))
        call = f"{aggregate}({counted}: {' ^ '.join(inside)}{test})"
        walks.statements.lines.append(f"{name}(z, n) := {outside}n = {call}.")
        made[key] = name
    return made[key]


def _sharing(walks: Literals, of: Gathered, row: str) -> list[str]:
    """Literals that bind what rows share, by one of them."""
    return [walks.says(of.table, (row,), column, value) for column, value in zip(of.shared, "ab")]
