"""Distances between places in SQL, as rules work them out."""

from __future__ import annotations

from workbench.grounding.value_terms import EARTH
from workbench.structure.nearness import Near

DEGREE = 111.0
"""Kilometres between two degrees north of each other, or a little less."""


def distance(here: tuple[str, str], there: tuple[str, str], *, on_globe: bool) -> str:
    """The distance of two places; NULL where one is not known, or not on the globe."""
    (a, b), (c, d) = here, there
    if not on_globe:
        return f"sqrt(({a} - {c}) * ({a} - {c}) + ({b} - {d}) * ({b} - {d}))"
    up, across = f"sin(radians({c} - {a}) / 2.0)", f"sin(radians({d} - {b}) / 2.0)"
    root = f"{up} * {up} + cos(radians({a})) * cos(radians({c})) * {across} * {across}"
    are_on_it = f"abs({a}) <= 90 AND abs({b}) <= 360 AND abs({c}) <= 90 AND abs({d}) <= 360"
    return f"CASE WHEN {are_on_it} THEN {2 * EARTH!r} * asin(sqrt(least(1.0, {root}))) END"


def is_near(near: Near, here: tuple[str, str], there: tuple[str, str]) -> str:
    """That two places are within a distance.

    Neither is farther north than that: an inequality join on one of both coordinates first, the
    distance of what it finds then.
    """
    margin = margin_of(near)
    return (
        f"{there[0]} <= {here[0]} + {margin!r} AND {there[0]} >= {here[0]} - {margin!r} AND "
        f"{distance(here, there, on_globe=near.here.on_globe)} <= {near.within!r}"
    )


def margin_of(near: Near) -> float:
    """How far apart the first coordinates of two places that are near are at most."""
    return near.within / DEGREE if near.here.on_globe else near.within
