"""Listed atoms found by arithmetic: arrays over their places, which SQL reads by functions.

A hash join looks an atom up in about 100 ns once its table has outgrown the cache; an array does it
in a few.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Array, Float, Int64
from workbench.database.arrow_columns import arrow_column
from workbench.grounding.select import Expression, Registered, call, equal

OBSERVED, ABSENT = -1, -2
MOST_PLACES = 2**26
"""Places of the largest index: 256 MiB of ids."""
_SPARSEST, _SMALL = 32, 2**20
_SERIAL = count()


def worth_an_index(places: int, listed: int) -> bool:
    """Whether a list of atoms fills enough of its cross product to be kept as an array over it."""
    return places <= min(MOST_PLACES, _SMALL + _SPARSEST * listed)


@dataclass(frozen=True)
class AtomIndex:
    """One predicate's list as arrays over its grid's places; place -1 is an unknown constant's.

    Attributes
    ----------
    finder : str
        SQL function: place -> id of the open atom, `OBSERVED` where data give its value, `ABSENT`
        where not listed.
    reader : str or None
        SQL function: place -> observed value; None where no value is observed.
    """

    finder: str
    reader: str | None

    @classmethod
    def build(
        cls,
        connection: duckdb.DuckDBPyConnection,
        name: str,
        n_places: int,
        places: Int64,
        ids: Array,
        values: Float | None,
    ) -> AtomIndex:
        """Fill the arrays (`OBSERVED` where `values` has the value) and name the functions."""
        index = np.full(n_places + 1, ABSENT, np.int32)
        index[places] = ids
        finder = register_array(connection, f"find_{name}", index)
        if values is None:
            return cls(finder, None)
        given = np.zeros(n_places + 1)
        given[places] = values
        return cls(finder, register_array(connection, f"value_{name}", given))

    def drop(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Forget the functions."""
        for name in (self.finder, self.reader):
            if name is not None:
                drop_function(connection, name)

    def identity(self, place: Expression) -> Expression:
        return Registered(self.finder, (place,))

    def is_absent(self, place: Expression) -> Expression:
        return equal(self.identity(place), ABSENT)

    def is_open(self, place: Expression) -> Expression:
        return self.identity(place) >= 0

    def value(self, place: Expression, otherwise: Expression) -> Expression:
        """The observed value; `otherwise` where the atom is open or absent."""
        if self.reader is None:
            return otherwise
        observed = equal(self.identity(place), OBSERVED)
        return call("case", observed, Registered(self.reader, (place,)), otherwise)


def register_array(connection: duckdb.DuckDBPyConnection, name: str, array: Array) -> str:
    """An SQL function of a fresh name that reads an array (int32 or float64) at integer places."""
    from duckdb.func import PythonUDFType

    def look_up(places: Any) -> Any:
        return arrow_column(array[np.from_dlpack(places.combine_chunks())])

    unique = f"{name}_{next(_SERIAL)}"
    kind = "DOUBLE" if array.dtype == np.float64 else "INTEGER"
    connection.create_function(unique, look_up, ["INTEGER"], kind, type=PythonUDFType.ARROW)
    return unique


def drop_function(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    connection.remove_function(name)
