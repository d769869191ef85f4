"""Codes: texts without a space whose first characters say of which kind they are, such as `I21.4`,
`DE-1029` or a tariff's eight digits.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from workbench.structure.relational import Column
from workbench.tables import Staging, TypedTable

CODE = re.compile(r"(?=.*\d)\S{2,24}|[^\sa-zß-ÿ]{2,24}")
"""No space, and a digit or no small letter."""
FEW, MANY = 8, 100_000
"""Different codes of a column: of fewer each is looked at by itself, of more the commonest."""
MOST_CHARACTERS = 6
"""Of a beginning."""
NEARLY_ALL = 0.95
LEAST_ROWS = 5
"""Rows with a beginning, at least."""
MOST_VALUES = 1000
"""Beginnings of one length, the commonest."""


def beginnings(
    staging: Staging,
    typed: TypedTable,
    column: str,
    *,
    numbered: tuple[TypedTable, str] | None = None,
) -> list[Column]:
    """For each number of characters that parts the codes of a column into kinds of several codes, a
    category of their beginnings; none where its cells are no codes.

    None either where the codes of the column `numbered`, that which this one refers to or itself,
    are numbered one after the other: then a beginning says when.
    """
    name = typed.columns[column]
    cells = f"SELECT {name}::VARCHAR AS v FROM {typed.relation} WHERE {name} IS NOT NULL"
    if not _are_codes([str(v) for (v,) in staging.rows(f"{cells} LIMIT 200")]):
        return []
    codes = _codes(staging, typed, column)
    if len(codes) < FEW or not _are_codes(list(codes)):
        return []
    if numbered is not None and _serial(list(_codes(staging, *numbered))):
        return []
    return [
        Column(column, "category", _commonest(codes, n), beginning=n) for n in _lengths(list(codes))
    ]


def _codes(staging: Staging, typed: TypedTable, column: str) -> dict[str, int]:
    """The commonest values of a column, and how many rows have each."""
    name = typed.columns[column]
    rows = staging.rows(
        f"SELECT {name}::VARCHAR AS v, count(*) AS n FROM {typed.relation} "
        f"WHERE {name} IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT {MANY}"
    )
    return {str(value): int(str(n)) for value, n in rows}


def _are_codes(values: list[str]) -> bool:
    return sum(CODE.fullmatch(v) is not None for v in values) >= NEARLY_ALL * len(values)


def _serial(codes: list[str]) -> bool:
    """Whether the numbers at the ends of codes are different ones, and most of those between."""
    ends = (re.search(r"\d{1,15}$", code) for code in codes)
    numbers = {int(end[0]) for end in ends if end}
    return len(numbers) > 0.9 * len(codes) and max(numbers) - min(numbers) < 2 * len(codes)


def _lengths(codes: list[str]) -> list[int]:
    """The numbers of characters that part codes into several kinds, each of several codes on
    average.

    Of those that part them alike the greatest, but for marks at the end.
    """
    kinds = {n: {code[:n] for code in codes} for n in range(1, MOST_CHARACTERS + 2)}
    found: list[int] = []
    for n, further in pairwise(kinds):
        if len(kinds[n]) < 2 or len(kinds[n]) > len(codes) / 2:
            continue
        marked = sum(not one[-1].isalnum() for one in kinds[further]) > len(kinds[further]) / 2
        if len(kinds[further]) > len(kinds[n]) or marked:
            if found and len(kinds[found[-1]]) == len(kinds[n]):
                continue
            found.append(n)
    return found


def _commonest(codes: dict[str, int], n: int) -> tuple[str, ...]:
    """The beginnings that several codes have, the commonest first."""
    kinds = Counter(code[:n] for code in codes)
    rows: Counter[str] = Counter()
    for code, number in codes.items():
        rows[code[:n]] += number
    often = [one for one in rows if kinds[one] > 1 and rows[one] >= LEAST_ROWS]
    return tuple(sorted(often, key=lambda one: (-rows[one], one))[:MOST_VALUES])
