"""From several runs' records to tables: medians with their spread, the power a cost grows by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

Record = Mapping[str, Any]


def tables_of(printed: Any) -> dict[str, list[Record]]:
    """The tables of what a benchmark printed: a list is one untitled, a mapping one a key."""
    if isinstance(printed, list):
        return {"": [_flat(record) for record in printed]}
    titled = {
        title: [part] if isinstance(part, dict) else part or [] for title, part in printed.items()
    }
    return {
        title: [_flat(record) for record in records] for title, records in titled.items() if records
    }


def medians(runs: Sequence[Sequence[Record]]) -> list[dict[str, Any]]:
    """One record for the records that stand at one place of every run: numbers are `{median, least,
    most}`.

    Numbers that are the same in every run stay as they are, and so does what is no number.
    """
    return [
        {column: _middle([record.get(column) for record in same]) for column in same[0]}
        for same in zip(*runs, strict=True)
    ]


def growth(records: Sequence[Record], size: str, cost: str) -> dict[str, float]:
    """The exponent of `cost ~ size ** exponent` by least squares of logarithms, for each kind of
    record.

    Records are of one kind where their texts agree; kinds of fewer than three sizes have no
    exponent.
    """
    kinds: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        kind = ", ".join(value for value in record.values() if isinstance(value, str))
        point = (_number(record.get(size)), _number(record.get(cost)))
        if min(point) > 0.0:
            kinds.setdefault(kind, []).append(point)
    return {
        kind: float(np.polyfit(*np.log(np.array(points)).T, 1)[0])
        for kind, points in kinds.items()
        if len({point[0] for point in points}) >= 3
    }


def markdown(records: Sequence[Record]) -> str:
    """A table of records; columns in the order in which they first come."""
    columns = list(dict.fromkeys(column for record in records for column in record))
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join(
        head
        + [
            f"| {' | '.join(_cell(record.get(column)) for column in columns)} |"
            for record in records
        ]
    )


def _flat(record: Record, prefix: str = "") -> dict[str, Any]:
    """Records within a record as columns `outer inner`."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        found |= (
            _flat(value, f"{prefix}{name} ")
            if isinstance(value, dict)
            else {f"{prefix}{name}": value}
        )
    return found


def _middle(values: list[Any]) -> Any:
    numbers = [
        value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    if len(numbers) < len(values) or len(set(map(str, numbers))) == 1:
        return values[0]
    return {"median": median(numbers), "least": min(numbers), "most": max(numbers)}


def _number(value: Any) -> float:
    if isinstance(value, dict):
        return float(value["median"])
    return float(value) if isinstance(value, (int, float)) else 0.0


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return f"{_cell(value['median'])} ({_cell(value['least'])} to {_cell(value['most'])})"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
