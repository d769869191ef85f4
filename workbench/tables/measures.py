"""Numbers with measures behind them, in several of one scale: 500 g and 0.5 kg."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

SCALES = (
    {"g": 1.0, "mg": 1e-3, "kg": 1e3, "t": 1e6, "oz": 28.349523125, "lb": 453.59237},
    {"l": 1.0, "ml": 1e-3, "cl": 1e-2, "dl": 0.1, "gal": 3.785411784},
    {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "in": 0.0254, "ft": 0.3048, "mi": 1609.344},
    {"m²": 1.0, "ha": 1e4, "km²": 1e6},
    {"s": 1.0, "sec": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0, "hrs": 3600.0},
    {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    {"w": 1.0, "mw": 1e6, "kw": 1e3},
    {"kwh": 1.0, "mwh": 1e3, "wh": 1e-3},
    {"g/l": 1.0, "mg/ml": 1.0, "mg/l": 1e-3, "µg/ml": 1e-3, "ug/ml": 1e-3},
)
"""What one of each unit is in the first of its scale. Units are small letters: capitals say nothing
more here.
"""
SEVERAL = "|"
"""Between the units of a column, the commonest first: its numbers are of that."""
DIGITS = 9
"""Behind the mark of a number that is turned into another unit: 0.07 kg are 70 g."""
_MEASURED = re.compile(r"[+-]?\d[\d.,]*(\s?)([^\W\d_][\w/²]*)")


def measures_of(cells: Sequence[str], nearly_all: float) -> str | None:
    """The units of one scale that stand behind the numbers of nearly all cells, in small letters;
    None where there are not several.
    """
    matches = [match for cell in cells if (match := _MEASURED.fullmatch(cell))]
    units = Counter(match[2].lower() for match in matches)
    for scale in SCALES:
        found = [unit for unit, _ in units.most_common() if unit in scale]
        number = sum(units[unit] for unit in found)
        if len(found) > 1 and number >= nearly_all * len(cells):
            # A letter that follows a number at once is more often part of a code.
            apart = any(len(unit) > 1 for unit in found) or any(match[1] for match in matches)
            return SEVERAL.join(found) if apart else None
    return None


def without_measure(cell: str) -> str:
    """The number of a cell, as it is written."""
    match = _MEASURED.fullmatch(cell)
    return cell[: match.start(1)] if match else cell


def size_of(unit: str) -> float:
    """What one of a unit, or of the first of several, is in the first unit of its scale; 1 of what
    has no scale.
    """
    name = unit.split(SEVERAL)[0].lower()
    return next((scale[name] for scale in SCALES if name in scale), 1.0)


def sizes_within(units: str) -> dict[str, float]:
    """What one of each of several units is in the first of them."""
    return {unit: size_of(unit) / size_of(units) for unit in units.split(SEVERAL)}
