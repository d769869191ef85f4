"""Where the rows of tables are: what is near to each, and how far places are from each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from workbench.arrays import Float
from workbench.database.arrow_columns import numpy_column
from workbench.structure.nearness import Near, Place
from workbench.structure.relational import Apart, Column, Gathered, Reference, Schema, Table
from workbench.structure.table_paths import Hop, Path
from workbench.study.path_words import spoken, whose
from workbench.study.place_queries import distance
from workbench.tables import Staging, TypedTable
from workbench.tables.names import singular_words, words

LATITUDE = frozenset("lat latitude breite breitengrad latitud latitudine".split())
LONGITUDE = frozenset(
    "lon lng long longitude laenge länge laengengrad längengrad longitud longitudine".split()
)
EAST, NORTH = (
    frozenset("easting east rechtswert".split()),
    frozenset("northing north hochwert".split()),
)
AROUND = (8, 40)
"""Rows near to a row, on average: what is next to it, and its neighbourhood."""
LEAST_MORE = 1.3
"""How many times the first distance the second is, at least."""
SAMPLE, MOST_ROWS = 300, 20_000
"""Rows from which it is seen how far others are, and others that are looked at."""
MOST_NEAR, MOST_NEAREST = 1_600_000_000, 50_000_000
"""Rows of two tables, multiplied, that are looked through for what is near, by one coordinate
first, and for what is nearest.
"""
MOST_PLACES = 2
MOST_APART = 4
"""Distances of two places of a row, or of what it refers to."""


def places(typed: TypedTable, table: Table) -> list[Place]:
    """The places of a table's rows: two columns of numbers that are called as such."""
    numbers = [one.name for one in table.columns if one.kind == "number" and not one.since]
    found = [
        *_pairs(numbers, LATITUDE, LONGITUDE, on_globe=True),
        *_pairs(numbers, EAST, NORTH, on_globe=False),
    ]
    return found[:MOST_PLACES] if typed.rows else []


def _pairs(
    columns: Sequence[str], first: Collection[str], second: Collection[str], *, on_globe: bool
) -> Iterator[Place]:
    for one in columns:
        for other in columns:
            of = [word for word in words(one) if word not in first]
            is_first = len(of) == len(words(one)) - 1
            is_second = len({*words(other)} & {*second}) == 1
            if is_first and is_second and of == [w for w in words(other) if w not in second]:
                yield Place(one, other, on_globe, " ".join(of))


def with_places(
    staging: Staging,
    typed: Mapping[str, TypedTable],
    tables: Mapping[str, Table],
    target: str,
    *,
    timed: bool,
) -> dict[str, Table]:
    """The tables with what is near to their rows, how far the nearest of another table is, and how
    far what a row refers to is.

    With times the nearest, and what is referred to, only of tables without a date: of others a row
    that comes later would tell.
    """
    schema = Schema(tables)
    always = {
        name
        for name in tables
        if not timed or (name != target and schema.dated_through(name) is None)
    }
    placed = {name: places(typed[name], table) for name, table in tables.items() if not table.of}
    found = dict(tables)
    for name, own in placed.items():
        table = tables[name]
        near, columns = list[tuple[str, Near]](), list(_apart_columns(placed, table, always))
        near_target = name == target or name in {one.table for one in tables[target].references}
        for other, theirs in placed.items() if near_target and table.key else ():
            for here, there in ((a, b) for a in own for b in theirs):
                alike = here.on_globe == there.on_globe and (name != other or here == there)
                if not alike or tables[other].key is None:
                    continue
                pairs = table.rows * tables[other].rows
                if pairs <= MOST_NEAR:
                    far = _distances(staging, typed, table, tables[other], here, there)
                    near += [(other, Near(here, there, one)) for one in _radii(far, tables[other])]
                if pairs <= MOST_NEAREST and other in always:
                    columns.append(_nearest(tables[other], here, there, name))
        found[name] = replace(table, near=tuple(near), columns=(*table.columns, *columns))
    return found


def _nearest(other: Table, here: Place, there: Place, name: str) -> Column:
    kind = (
        " ".join(singular_words(other.name))
        if other.name != name
        else (f"other {' '.join(singular_words(other.name))}")
    )
    unit = "km" if here.on_globe else "distance"
    by = f" ({spoken(there.of)})" if there.of else ""
    of = f" of {spoken(here.of)}" if here.of else ""
    said = f"{unit} to the nearest {kind}{by}{of}"
    gathered = Gathered(other.name, "", nearest=Near(here, there))
    return Column(said, "number", gathered=gathered)


def _apart_columns(
    placed: Mapping[str, Sequence[Place]], table: Table, always: Collection[str]
) -> Iterator[Column]:
    """How far a row's places, and those of what it refers to (of tables that are known `always`),
    are from each other.
    """
    ends: list[tuple[tuple[Reference, ...], Place]] = [((), one) for one in placed[table.name]]
    for reference in table.references:
        if reference.table != table.name and reference.table in always:
            ends += [((reference,), one) for one in placed.get(reference.table or "", ())]
    pairs = (
        (one, other) for one, other in combinations(ends, 2) if one[1].on_globe == other[1].on_globe
    )
    for (way, here), (way_there, there) in islice(pairs, MOST_APART):
        unit = "km" if here.on_globe else "distance"
        said = f"{unit} from {_said(way, here)} to {_said(way_there, there)}"
        yield Column(said, "number", apart=Apart(here, there, way, way_there))


def _said(way: tuple[Reference, ...], place: Place) -> str:
    owner = whose(Path("", tuple(Hop("to", one.column, one.table or "") for one in way)))
    own = spoken(place.of)
    if not way:
        return f"its {own}" if own else "it"
    return f"{owner}{own}" if own else owner.removesuffix("'s ").removesuffix("' ")


def _distances(
    staging: Staging,
    typed: Mapping[str, TypedTable],
    table: Table,
    other: Table,
    here: Place,
    there: Place,
) -> Float:
    """Of some rows how far others are, ascending; shape (n_rows, n_others)."""
    of, theirs = typed[table.name], typed[other.name]
    (a, b), (c, d) = (
        tuple(one.columns[name] for name in (place.first, place.second))
        for one, place in ((of, here), (theirs, there))
    )
    far = distance(("x.a", "x.b"), ("y.c", "y.d"), on_globe=here.on_globe)
    apart = " AND x.r <> y.r" if table.name == other.name else ""
    sql = (
        f"SELECT x.r AS r, {far} AS far FROM (SELECT rowid AS r, {a} AS a, {b} AS b FROM "
        f"{of.relation} WHERE {a} + {b} IS NOT NULL ORDER BY hash(rowid) LIMIT {SAMPLE}) x JOIN "
        f"(SELECT rowid AS r, {c} AS c, {d} AS d FROM {theirs.relation} WHERE {c} + {d} IS NOT "
        f"NULL ORDER BY hash(rowid + 1) LIMIT {MOST_ROWS}) y ON TRUE{apart} ORDER BY 1, 2"
    )
    found = staging.record_batches(sql).read_all()
    rows, far_of = (numpy_column(found.column(name)) for name in ("r", "far"))
    _, sizes = np.unique(rows, return_counts=True)
    least = int(sizes.min()) if len(sizes) else 0
    starts = np.cumsum(sizes) - sizes
    numbers: Float = np.asarray(far_of, np.float64)[starts[:, None] + np.arange(least)]
    return numbers


def _radii(far: Float, other: Table) -> Iterator[float]:
    """Within which so many others are, on average; two digits."""
    if not far.size:
        return
    before = 0.0
    for around in AROUND:
        at = round(around * min(1.0, MOST_ROWS / max(other.rows, 1)))
        if not 0 < at <= far.shape[1] / 3:
            return
        away = far[:, at - 1]
        if np.isnan(away).all():  # not on the globe
            return
        radius = float(f"{np.nanmedian(away):.2g}")
        if radius > LEAST_MORE * before:
            yield radius
            before = radius
