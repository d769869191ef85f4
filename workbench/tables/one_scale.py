"""Numbers of two tables in one unit, where one of them does not say in which it is: 3:45 and 225
seconds, 1.5 kg and 1.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

from workbench.tables.measures import size_of
from workbench.tables.profile import ColumnCounts
from workbench.tables.readings import Reading
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import is_blank, number_value

OF_COLONS = (None, "min", "h")
"""What 3:45 may be, where it is so many seconds elsewhere; None is the other column's own unit."""


def in_one_scale(
    staging: Staging, tables: Sequence[StagedTable], columns: Sequence[ColumnCounts]
) -> tuple[Reading, ...]:
    """How two columns of numbers are read so that they are in one unit: that with which their
    middle values are nearest each other. As they are where both, or none, say theirs.
    """
    readings = [column.reading for column in columns]
    said = [_says_a_unit(one) for one in readings]
    if len(readings) != 2 or said[0] == said[1]:
        return tuple(readings)
    middles = [_middle(staging, *one) for one in zip(tables, columns)]
    if not all(middle > 0 for middle in middles):
        return tuple(readings)
    sized = said.index(True)
    beyond = log(middles[sized] / middles[1 - sized])
    if readings[sized].decimal == ":":
        unit = min(OF_COLONS, key=lambda one: abs(beyond + log(size_of(one or ""))))
        readings[sized] = replace(readings[sized], unit=unit)
    else:
        unit = min(
            (None, readings[sized].unit), key=lambda one: abs(beyond - log(size_of(one or "")))
        )
        readings[1 - sized] = replace(readings[1 - sized], unit=unit)
    return tuple(readings)


def _says_a_unit(reading: Reading) -> bool:
    return reading.decimal == ":" or reading.unit is not None


def _middle(staging: Staging, table: StagedTable, column: ColumnCounts) -> float:
    """The median in the first unit of its scale; 0 where there is none."""
    reading, cell = column.reading, table.cell(column.name)
    number = number_value(cell, reading.decimal or ".", reading.unit)
    ((middle,),) = staging.rows(
        f"SELECT median({number}) FROM {table.relation} WHERE NOT {is_blank(cell, reading.blanks)}"
    )
    return 0.0 if middle is None else float(str(middle)) * size_of(reading.unit or "")
