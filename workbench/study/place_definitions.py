"""Definitions of what is near, and how far what is from each other."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.language.printing import comment
from workbench.structure.nearness import Place
from workbench.structure.relational import Column
from workbench.structure.table_paths import Hop, Path
from workbench.study.literals import Literals
from workbench.study.path_words import rows_words
from workbench.study.place_queries import margin_of
from workbench.study.statements import Row, camel


def at(walks: Literals, table: str, row: Row, place: Place, letters: Sequence[str]) -> list[str]:
    """Literals that bind two variables to where a row is."""
    columns = (place.first, place.second)
    return [walks.says(table, row, name, letter) for name, letter in zip(columns, letters)]


def near(walks: Literals, table: str, hop: Hop) -> str:
    """The predicate of a row of a table and those that are near to it."""
    key, made = ("hop", table, hop), walks.statements.made
    if key not in made:
        of = hop.near
        assert of is not None
        name = walks.statements.new(f"Near{camel(hop.table)}")
        one, other = walks.row(table, "z"), walks.row(hop.table, "y")
        margin = margin_of(of)
        literals = [
            *at(walks, table, one, of.here, "ab"),
            *at(walks, hop.table, other, of.there, "cd"),
            f"c <= a + {margin!r}",
            f"c >= a - {margin!r}",
            f"{of.here.distance}(a, b, c, d) <= {of.within!r}",
        ]
        if table == hop.table:
            literals.append(f"{other[0]} != {one[0]}")
        walks.statements.lines.append(comment(rows_words(Path(table, (hop,)))))
        head = f"{name}({', '.join((*one, *other))})"
        walks.statements.lines.append(f"{head} := {' ^ '.join(literals)}.")
        made[key] = name
    return made[key]


def nearest(walks: Literals, table: str, column: Column) -> str:
    """The predicate of how far the nearest row of a table is from a thing."""
    key, made = ("gathered", table, column), walks.statements.made
    of = column.gathered
    if key not in made:
        assert of is not None
        assert of.nearest is not None
        name = walks.statements.new(f"{camel(column.name)}Of{camel(table)}")
        other = walks.row(of.table, "y")
        outside = " ^ ".join(at(walks, table, ("z",), of.nearest.here, "ab"))
        inside = at(walks, of.table, other, of.nearest.there, "cd")
        if table == of.table:
            inside.append(f"{other[0]} != z")
        far = f"{of.nearest.here.distance}(a, b, c, d)"
        walks.statements.lines.append(comment(f"{column.name} of each row of {table}"))
        walks.statements.lines.append(
            f"{name}(z, n) := {outside} ^ n = min({far}: {' ^ '.join(inside)})."
        )
        made[key] = name
    return made[key]
