"""Conditions in SQL over pairs of records,
in a locked database of their own that reaches nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import duckdb
import numpy as np
import pyarrow

from workbench.arrays import Float, Int8, Int32
from workbench.database import first_line, quoted
from workbench.database.rows import handed_in
from workbench.database.running import prepared
from workbench.tables.condition_checks import check_condition, unknown_column, unusable
from workbench.tables.staged import StagedTable, Staging

ROW, SOURCE = '" row"', '" source"'
"""Names that no column has, for those are trimmed."""
VIEWS = ("cells", "texts", "dates")
_PLAIN = "-?(0|[1-9][0-9]*)"
_NUMBERS = (("BIGINT", _PLAIN), ("DOUBLE", _PLAIN + "([.][0-9]+)?"))
_READ: Mapping[str, Callable[[str], object]] = {
    "BIGINT": int,
    "DOUBLE": float,
    "DATE": date.fromisoformat,
}
_DATES = (("DATE", "[0-9]{4}-[0-9]{2}-[0-9]{2}"),)
_LISTS = (("VARCHAR[]", r"\[.*\]"),)


class PairConditions:
    """The records of one or two staged tables, and conditions about pairs of them.

    Cells are numbers or lists where a column has nothing else, else texts; an empty cell is NULL.
    Conditions that do not fit are tried with all cells as texts, then as dates.

    `kinds`: columns whose cells are all numbers, all dates or all lists, and of which kind.
    """

    def __init__(
        self,
        columns: Sequence[str],
        texts: Iterable[pyarrow.Table],
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        """Take records as texts.

        Parameters
        ----------
        texts : iterable of pyarrow.Table
            Of each record its row, its source, and the cells of the columns in order.
        kinds : mapping of str to str, optional
            What columns hold beside texts, as `kinds` of another one tells it; without it they are
            looked at.
        """
        self.columns = tuple(columns)
        self.connection = prepared(duckdb.connect(config={"autoinstall_known_extensions": "false"}))
        typed = [
            f"{ROW} INTEGER",
            f"{SOURCE} INTEGER",
            *(f"{quoted(name)} VARCHAR" for name in self.columns),
        ]
        self.connection.execute(f"CREATE TABLE texts ({', '.join(typed)})")
        for rows in texts:
            with handed_in(self.connection, "incoming", rows):
                self.connection.execute("INSERT INTO texts FROM incoming")
        self.kinds = self._looked_at() if kinds is None else dict(kinds)
        # Of known kinds cells are read where they are asked for: of many records few are.
        self._make_views("TABLE" if kinds is None else "VIEW")
        self.connection.execute("SET enable_external_access = false")
        self.connection.execute("SET lock_configuration = true")

    @classmethod
    def of_tables(
        cls, staging: Staging, tables: Sequence[StagedTable], names: Sequence[Sequence[str]]
    ) -> PairConditions:
        """The columns `names` of tables: of each, its name in every table;
        it is called as in the first.
        """

        def texts() -> Iterator[pyarrow.Table]:
            first = 0
            for place, table in enumerate(tables):
                cells = [
                    f"{raw_cell(table.cell(of[place]))} AS c{at}" for at, of in enumerate(names)
                ]
                row = f"(rowid + {first})::INTEGER AS row, {place} AS source"
                yield staging.connection.sql(
                    f"SELECT {', '.join((row, *cells))} FROM {table.relation}"
                ).to_arrow_table()
                first += table.rows

        return cls([of[0] for of in names], texts())

    def texts(self) -> list[pyarrow.ChunkedArray]:
        """The cells of each column, in the order of the rows."""
        rows = self.connection.sql(f"FROM texts ORDER BY {ROW}").to_arrow_table()
        return [rows.column(name) for name in self.columns]

    def frequencies(self, column: str) -> Float:
        """Of each record, the share of the filled cells that hold its value;
        NaN where it has none.
        """
        name = quoted(self._known(column, "term frequencies"))
        found = self.connection.execute(
            f"SELECT CASE WHEN {name} IS NOT NULL THEN count(*) OVER (PARTITION BY {name}) / "
            f"count({name}) OVER () END ::DOUBLE AS f FROM cells ORDER BY {ROW}"
        ).fetchnumpy()["f"]
        return np.ma.filled(np.ma.asarray(found, float), np.nan)

    def pairs(
        self, rule: str, *, across: bool, most: int, of_rows: Sequence[int] | None = None
    ) -> tuple[Int32, Int32]:
        """Rows of the first `most` pairs for which a blocking rule over `l.x` and `r.x` holds, each
        once.

        With `of_rows` those that have one of these rows in them.
        """
        where = f"blocking rule {rule}"
        known = {f"{side}.{name}".lower() for side in "lr" for name in self.columns}
        check_condition(self.connection, rule, where, known, self._help())
        order = SOURCE if across else ROW
        some = None if of_rows is None else f"{ROW} IN ({', '.join(map(str, of_rows)) or 'NULL'})"

        def sql(view: str) -> str:
            sides = [(view, view)]
            if some is not None:
                chosen, others = (f"(FROM {view} WHERE {kept})" for kept in (some, f"NOT {some}"))
                sides = [(chosen, view), (others, chosen)]
            return " UNION ALL ".join(
                f"(SELECT l.{ROW} AS l, r.{ROW} AS r FROM {left} l JOIN {right} r "
                f"ON (\n{rule}\n) AND l.{order} < r.{order} LIMIT {most})"
                for left, right in sides
            )

        found = self._first_that_fits(sql, where)
        return found["l"].astype(np.int32), found["r"].astype(np.int32)

    def levels(
        self, conditions: Sequence[str | None], left: Int32, right: Int32, where: str
    ) -> Int8:
        """Of each pair, the number of the first condition over `x_l` and `x_r` that holds,
        None always; else -1.
        """
        known = {f"{name}_{side}".lower() for name in self.columns for side in "lr"}
        for one in conditions:
            if one is not None:
                check_condition(self.connection, one, where, known, self._help())
        cases = " ".join(
            f"WHEN (\n{one or 'true'}\n) THEN {place}" for place, one in enumerate(conditions)
        )
        sides = ", ".join(
            f"{side}.{quoted(name)} AS {quoted(f'{name}_{side}')}"
            for name in self.columns
            for side in "lr"
        )
        places = pyarrow.array(np.arange(len(left)))
        asked = pyarrow.table({" place": places, " left": left, " right": right})
        self.connection.register("asked", asked)
        found = self._first_that_fits(
            lambda view: (
                f'SELECT " place" AS place, CASE {cases} ELSE -1 END AS level FROM (SELECT " '
                f'place", {sides} '
                f'FROM asked JOIN {view} l ON l.{ROW} = " left" JOIN {view} r ON r.{ROW} = " '
                'right")'
            ),
            where,
        )
        self.connection.unregister("asked")
        levels = np.empty(len(left), np.int8)
        levels[found["place"]] = found["level"]
        return levels

    def _make_views(self, form: str) -> None:
        """Besides the texts, cells as numbers and lists, and as dates, in columns that have nothing
        else.
        """
        for view, of_dates in (("cells", False), ("dates", True)):
            cells = [
                f"try_cast({quoted(name)} AS {self.kinds[name]}) AS {quoted(name)}"
                if name in self.kinds and (self.kinds[name] in dict(_DATES)) == of_dates
                else quoted(name)
                for name in self.columns
            ]
            self.connection.execute(
                f"CREATE {form} {view} AS SELECT {', '.join([ROW, SOURCE, *cells])} FROM texts"
            )

    def _looked_at(self) -> dict[str, str]:
        """What each column holds beside texts."""
        found = {}
        for name in self.columns:
            for kind, form in (*_NUMBERS, *_DATES, *_LISTS):
                cell = quoted(name)
                fits = (
                    f"try_cast({cell} AS {kind}) IS NOT NULL AND regexp_full_match({cell}, "
                    f"'{form}')"
                )
                sql = (
                    f"SELECT coalesce(bool_and({fits}), false) FROM texts WHERE {cell} IS NOT NULL"
                )
                if self.connection.execute(sql).fetchall()[0][0]:
                    found[name] = self._list_of(name) if kind in dict(_LISTS) else kind
                    break
        return found

    def _list_of(self, name: str) -> str:
        """What lists hold: numbers, of one length or of any; or texts."""
        numbers = f"try_cast({quoted(name)} AS DOUBLE[])"
        sql = f"SELECT bool_and({numbers} IS NOT NULL AND len(list_filter({numbers}, lambda x: x "
        sql += f"IS NULL)) = 0), min(len({numbers})), max(len({numbers})) FROM texts "
        sql += f"WHERE {quoted(name)} IS NOT NULL"
        of_numbers, least, most = self.connection.execute(sql).fetchall()[0]
        if not of_numbers or not most:
            return "VARCHAR[]"
        return f"DOUBLE[{most}]" if least == most else "DOUBLE[]"

    def _first_that_fits(self, sql: Callable[[str], str], where: str) -> dict[str, Any]:
        """The answer over cells as they are, or as texts, or as dates;
        the first complaint where none fits.
        """
        complaint: duckdb.Error | None = None
        for view in VIEWS:
            try:
                return self.connection.execute(sql(view)).fetchnumpy()
            except duckdb.BinderException as error:
                complaint = complaint or error
            except duckdb.Error as error:
                raise unusable(where, first_line(error)) from None
        assert complaint is not None
        raise unusable(where, first_line(complaint))

    def _known(self, column: str, where: str) -> str:
        found = next((name for name in self.columns if name.lower() == column.lower()), None)
        if found is None:
            raise unknown_column(column, where, self._help())
        return found

    def _help(self) -> str:
        return (
            f"the records' columns are {', '.join(self.columns)}; two files need columns of "
            "the same names"
        )


def is_of_kind(text: str, kind: str) -> bool:
    """Whether a cell is of a kind that `PairConditions.kinds` tells."""
    if kind.endswith("]"):
        return text.startswith("[") and text.endswith("]") and _holds(text[1:-1], kind)
    try:
        _READ[kind](text)
    except ValueError:
        return False
    return True


def _holds(inside: str, kind: str) -> bool:
    """Whether a list's elements are such as the kind asks for: texts, or so many numbers."""
    of, number = kind[:-1].split("[")
    elements = inside.split(",") if inside.strip() else []
    plain = of == "VARCHAR" or all(is_of_kind(one.strip(), of) for one in elements)
    return plain and number in ("", str(len(elements)))


def raw_cell(cell: str) -> str:
    """A trimmed cell as conditions see it: NULL where it is empty, and else as it is written."""
    return f"nullif({cell}, '')"
