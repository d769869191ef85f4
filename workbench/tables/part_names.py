"""What the names of files and sheets say of the tables that they are parts of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workbench.tables.months import ENGLISH_OF

_MONTH = "|".join(sorted((*ENGLISH_OF, *map(str.lower, ENGLISH_OF.values())), key=len)[::-1])
_YEAR = r"(?:19|20)\d\d"
_BETWEEN = r"[\s_.-]"
_DATE = rf"{_YEAR}{_BETWEEN}?(?:0[1-9]|1[0-2]){_BETWEEN}?(?:0[1-9]|[12]\d|3[01])"
_YEAR_MONTH = rf"{_YEAR}{_BETWEEN}?(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2]){_BETWEEN}{_YEAR}"
_NAMED_MONTH = rf"(?:{_YEAR}{_BETWEEN}?)?(?:{_MONTH})(?:{_BETWEEN}?{_YEAR})?"
_QUARTER = rf"(?:{_YEAR}{_BETWEEN}?)?[qkt][1-4](?:{_BETWEEN}?{_YEAR})?"
_SAYS = {
    "date": _DATE,
    "month": f"{_YEAR_MONTH}|{_NAMED_MONTH}",
    "year": _YEAR,
    "quarter": _QUARTER,
}
"""What a column of parts is called, by how these are written."""
_NUMBER = r"(?:part|teil|pt|no|nr)?-?\d{1,6}"
_PART = "|".join((_DATE, _YEAR_MONTH, _NAMED_MONTH, _QUARTER, _YEAR, _NUMBER))
_BEHIND = rf"(?P<name>.*?\w){_BETWEEN}*\(?(?P<part>{_PART})\)?"
_BEFORE = rf"(?P<part>{_PART}){_BETWEEN}+(?P<name>.*\w)"
_FOLDER = "folder"
_SHEET = "sheet"


def table_and_part(source: str) -> tuple[str, str]:
    """What a table is called by one of its parts' names, and the part: `sales_2024-01` is `sales`
    and `2024-01`, `january/sales` is `sales` and `january`; no part where the name has none.
    """
    folder, slash, name = source.rpartition("/")
    if slash:
        return name, folder.rpartition("/")[2]
    for form in (_BEHIND, _BEFORE):
        found = _matched(form, source)
        if found is not None and not found["name"].isdigit():
            bare = found["name"].rstrip(" _.-")
            separated = len(bare) < found.start("part") or form is _BEFORE
            if separated or found["part"][0].isdigit():
                return bare, found["part"]
    return source, ""


def column_of_parts(names: Sequence[str]) -> str | None:
    """What a column of parts is called, by the names of these; None where they are but numbers."""
    parts = [part for _, part in map(table_and_part, names) if part]
    said = _said_by(parts)
    return said or (_FOLDER if any("/" in name for name in names) else None)


def _said_by(parts: Sequence[str]) -> str | None:
    return next(
        (said for said, form in _SAYS.items() if all(_matched(form, part) for part in parts)), None
    )


def _matched(form: str, text: str) -> re.Match[str] | None:
    # Compiled when the first name is read: the months of all languages take long.
    return re.fullmatch(form, text, re.IGNORECASE)


def sheets_of_one_table(columns: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Which sheets of a workbook are parts of one table, by a pattern that their names follow.

    Sheets of the same columns are, where they are called alike but for a month, year or number
    (`Sales *`), or by nothing but such, or where they are three or all there are (`*`: regions).
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for sheet, names in columns.items():
        alike.setdefault(tuple(sorted(names)), []).append(sheet)
    found: dict[str, tuple[str, ...]] = {}
    for sheets in sorted(alike.values(), key=len, reverse=True):
        pattern = _pattern(sheets)
        timed = _said_by(sheets) is not None or all(map(str.isdigit, sheets))
        enough = timed or len(sheets) > 2 or len(sheets) == len(columns)
        if len(sheets) > 1 and pattern not in found and (pattern != "*" or enough):
            found[pattern] = tuple(sheets)
    return found


def _pattern(sheets: Sequence[str]) -> str:
    """The pattern of sheets that are called alike but for a part; `*` of any others."""
    names = {table_and_part(sheet) for sheet in sheets}
    table = next(iter(names))[0]
    if len({name for name, _ in names}) == 1 and all(part for _, part in names):
        if all(sheet.startswith(table) for sheet in sheets):
            return f"{table}*"
        if all(sheet.endswith(table) for sheet in sheets):
            return f"*{table}"
    return "*"


def part_of_sheet(sheet: str, pattern: str) -> str:
    """Which part of its table a sheet is."""
    return sheet if pattern == "*" else table_and_part(sheet)[1]


def column_of_sheets(sheets: Sequence[str], pattern: str) -> str | None:
    """What the column that tells the sheets of a table apart is called, None where they are
    called by numbers.
    """
    parts = [part_of_sheet(sheet, pattern) for sheet in sheets]
    return _said_by(parts) or (None if all(map(str.isdigit, parts)) else _SHEET)


def with_year(parts: Sequence[str], book: str) -> list[str]:
    """Months or quarters that say no year, with that of the workbook that they stand in."""
    year = table_and_part(book)[1]
    if _said_by(parts) not in ("month", "quarter") or not re.fullmatch(_YEAR, year):
        return list(parts)
    return [part if re.search(_YEAR, part) else f"{part} {year}" for part in parts]
