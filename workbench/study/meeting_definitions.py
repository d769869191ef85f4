"""Definitions of rows that are at the same time: stays in one ward, jobs at one company."""

from __future__ import annotations

from itertools import product

from workbench.language.printing import comment
from workbench.structure.table_paths import Hop
from workbench.study.literals import Literals
from workbench.study.path_words import things
from workbench.study.statements import Row, camel


def meeting(walks: Literals, hop: Hop, here: Row, there: Row) -> list[str]:
    """The literal, where a hop asks for it, that two rows of a table are at the same time."""
    return [f"{_meets(walks, hop)}({', '.join((*here, *there))})"] if hop.meets else []


def _meets(walks: Literals, hop: Hop) -> str:
    """The predicate of two rows of which neither begins after the other ends. Where no end is known
    it is not over.
    """
    key, made = ("meeting", hop.table, hop.column, hop.meets), walks.statements.made
    if key not in made:
        begins, ends = hop.meets
        one, other = walks.row(hop.table, "y"), walks.row(hop.table, "z")
        shared: list[str] = []
        for row in (one, other):
            said, value = walks.column(hop.table, row, hop.column, "s")
            shared += said or [f"s = {value}"]
        name = walks.statements.new(f"Meets{camel(hop.table)}")
        lasting = walks.statements.new(f"Lasting{camel(hop.table)}")
        first = ", ".join(one)
        walks.statements.lines += [
            comment(f"{things(hop.table)} whose {ends} is not known"),
            f"{lasting}({first}) := {walks.says(hop.table, one, begins, 'b')} ^ "
            f"n = count(e: {walks.says(hop.table, one, ends, 'e')}) ^ n = 0.",
            comment(f"{things(hop.table)} with the same {hop.column} at the same time"),
        ]
        for over in product((True, False), repeat=2):
            literals = [*shared]
            for row, is_over, letter in zip((one, other), over, "ac"):
                literals.append(walks.says(hop.table, row, begins, letter))
                until = walks.says(hop.table, row, ends, f"{letter}2")
                literals.append(until if is_over else f"{lasting}({', '.join(row)})")
            literals += [
                f"{begun} <= {end}"
                for begun, end, is_over in (("c", "a2", over[0]), ("a", "c2", over[1]))
                if is_over
            ]
            head = f"{name}({', '.join((*one, *other))})"
            walks.statements.lines.append(f"{head} := {' ^ '.join(literals)}.")
        made[key] = name
    return made[key]
