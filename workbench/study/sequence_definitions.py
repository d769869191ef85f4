"""Definitions of what comes before the rows of a thing, in order of time."""

from __future__ import annotations

from workbench.language.printing import comment
from workbench.structure.relational import After, Column
from workbench.structure.table_paths import Hop
from workbench.study.literals import Literals
from workbench.study.path_words import spoken
from workbench.study.statements import Row, camel, quoted_constant


def in_sequence(
    walks: Literals, table: str, row: Row, column: Column, variable: str
) -> tuple[list[str], str]:
    """Literals of a row that comes after another in which a column has a value; or that bind when
    it and the one before were, and the days between.
    """
    after = column.after
    assert after is not None
    if after.value:
        return [_came_after(walks, table, row, column, after)], ""
    now, before = f"{variable}u", f"{variable}w"
    moment = f"{_moment_before(walks, table, after)}({', '.join((*row, before))})"
    return [moment, walks.says(table, row, after.date, now)], f"days({now}, {before})"


def _came_after(walks: Literals, table: str, row: Row, column: Column, after: After) -> str:
    said = _right_before if after.directly else _any_before
    return f"{said(walks, table, column, after)}({', '.join((*row, quoted_constant(after.value)))})"


def _right_before(walks: Literals, table: str, column: Column, after: After) -> str:
    """The predicate of what a column says at the moment before each row, of the same thing."""
    key, made = ("right before", table, column.name, after.by), walks.statements.made
    if key not in made:
        before = _moment_before(walks, table, after)
        name = walks.statements.new(f"{camel(column.name)}Before")
        row, other = _rows(walks, table, after, "y"), _rows(walks, table, after, "w")
        said, value = walks.column(table, other[1], column.name, "u")
        literals = [f"{before}({', '.join((*row[1], 'm'))})", *row[0], *other[0]]
        literals += [walks.says(table, other[1], after.date, "m"), *said]
        told = f"{spoken(column.name)} of the {spoken(table)} row before each"
        _state(walks, told, f"{name}({', '.join((*row[1], value))})", literals)
        made[key] = name
    return made[key]


def _moment_before(walks: Literals, table: str, after: After) -> str:
    """The predicate of when the row before each was, of the same thing."""
    key, made = ("moment before", table, after.by), walks.statements.made
    if key not in made:
        name = walks.statements.new(f"TimeBefore{camel(table)}")
        row, other = _rows(walks, table, after, "y"), _rows(walks, table, after, "w")
        earlier = " ^ ".join([*other[0], walks.says(table, other[1], after.date, "t"), "t < l"])
        literals = [*row[0], walks.says(table, row[1], after.date, "l"), f"m = max(t: {earlier})"]
        told = f"when the {spoken(table)} row before each was"
        _state(walks, told, f"{name}({', '.join((*row[1], 'm'))})", literals)
        made[key] = name
    return made[key]


def _any_before(walks: Literals, table: str, column: Column, after: After) -> str:
    """The predicate of what a column said at some time before each row, of the same thing."""
    key, made = ("any before", table, column.name, after.by), walks.statements.made
    if key not in made:
        first = walks.statements.new(f"First{camel(column.name)}")
        name = walks.statements.new(f"{camel(column.name)}Earlier")
        bound, row = _rows(walks, table, after, "y")
        said, value = walks.column(table, row, column.name, "u")
        since = [*bound, walks.says(table, row, after.date, "t"), *said]
        told = f"when {spoken(table)} rows first had each {spoken(column.name)}"
        _state(walks, told, f"{first}(z, {value}, m)", [f"m = min(t: {' ^ '.join(since)})"])
        literals = [*bound, walks.says(table, row, after.date, "l"), f"{first}(z, u, f)", "l > f"]
        told = f"{spoken(column.name)} of {spoken(table)} rows some time before each"
        _state(walks, told, f"{name}({', '.join((*row, 'u'))})", literals)
        made[key] = name
    return made[key]


def _rows(walks: Literals, table: str, after: After, variable: str) -> tuple[list[str], Row]:
    """Literals that bind a row of the thing `z`, and its variables."""
    of = walks.mapped(table).column(after.by).table or ""
    return walks.hop(of, ("z",), Hop("from", after.by, table), variable)


def _state(walks: Literals, told: str, head: str, literals: list[str]) -> None:
    walks.statements.lines.append(comment(told))
    walks.statements.lines.append(f"{head} := {' ^ '.join(dict.fromkeys(literals))}.")
