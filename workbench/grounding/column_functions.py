"""Functions that Python computes for the database, by column: the user's, and texts' likeness."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature
from itertools import count
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Float
from workbench.database.stored import SQL_TYPES
from workbench.errors import InputError
from workbench.language.user_functions import UserFunction
from workbench.language.values import ValueKind

_SERIAL = count()
_FAILED = re.compile(r"\[the function (?P<name>\w+)\] (?P<why>.*)")
_TWO_TEXTS = (ValueKind.TEXT, ValueKind.TEXT)
_WORD = r"(?u)[^\W_]+"


@contextmanager
def user_errors() -> Iterator[None]:
    """Tell what a function of the user's raised in the user's words, not in the database's.

    Raises E0331.
    """
    try:
        yield
    except duckdb.Error as error:
        found = _FAILED.search(str(error))
        if found is None:
            raise
        message = f"the function {found['name']} failed: {found['why'].strip()}"
        help = "it is given one Arrow array an argument, and returns one number for each row"
        raise InputError.of("E0331", message, help=help) from None


def register_user_function(connection: duckdb.DuckDBPyConnection, user: UserFunction) -> str:
    """A user's function as an SQL function of a fresh name; blanks stay, without being shown."""
    from duckdb.func import FunctionNullHandling, PythonUDFType

    def call(*columns: Any) -> Any:
        import pyarrow

        table = pyarrow.table(dict(_named(columns))).combine_chunks()
        there = np.ones(table.num_rows, bool)
        for column in table.columns:
            there &= column.is_valid().to_numpy()
        shown = [column.combine_chunks() for column in table.filter(pyarrow.array(there)).columns]
        result = np.full(table.num_rows, np.nan)
        result[there] = _numbers(user, shown)
        return pyarrow.array(result, from_pandas=True)

    # The database asks a function how many arguments it takes.
    places = [
        Parameter(f"column{number}", Parameter.POSITIONAL_ONLY)
        for number in range(len(user.arguments))
    ]
    call.__signature__ = Signature(places)  # type: ignore[attr-defined]
    unique = f"call_{user.name}_{next(_SERIAL)}"
    types: list[Any] = [SQL_TYPES[kind] for kind in user.arguments]
    connection.create_function(
        unique,
        call,
        types,
        "DOUBLE",
        type=PythonUDFType.ARROW,
        null_handling=FunctionNullHandling.SPECIAL,
    )
    return unique


def _named(columns: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Columns by names of no meaning."""
    return ((f"column{number}", column) for number, column in enumerate(columns))


def _numbers(user: UserFunction, columns: Sequence[Any]) -> Float:
    """What the function says of each row."""
    try:
        result = np.asarray(user.function(*columns), np.float64)
    except Exception as error:
        raise ValueError(f"[the function {user.name}] {type(error).__name__}: {error}") from None
    rows = len(columns[0])
    if result.shape != (rows,):
        shape = "x".join(map(str, result.shape)) or "one"
        raise ValueError(f"[the function {user.name}] {shape} numbers for {rows} rows")
    return result


def register_likeness(connection: duckdb.DuckDBPyConnection, texts: Sequence[str]) -> str:
    """The TF-IDF cosine of two texts as an SQL function of a fresh name (Salton and Buckley 1988).

    Words weigh `1 + ln((1 + n) / (1 + d))`, d the number of the n different `texts` that have them;
    words of none of these weigh nothing. Two texts without words in common have 0.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    known = sorted(set(texts))
    vectorizer = TfidfVectorizer(token_pattern=_WORD)
    try:
        vectors = vectorizer.fit_transform(known)
    except ValueError:  # No text has a word.
        return register_user_function(
            connection, UserFunction("tfidf", _TWO_TEXTS, lambda left, _: np.zeros(len(left)))
        )
    place = {text: number for number, text in enumerate(known)}

    def rows(column: Any) -> Any:
        wanted = column.to_pylist()
        others = sorted({text for text in wanted if text not in place})
        if not others:
            return vectors[[place[text] for text in wanted]]
        from scipy.sparse import vstack

        here = {**place, **{text: len(known) + number for number, text in enumerate(others)}}
        return vstack([vectors, vectorizer.transform(others)], format="csr")[
            [here[text] for text in wanted]
        ]

    def likeness(left: Any, right: Any) -> Any:
        found = np.asarray(rows(left).multiply(rows(right)).sum(axis=1), np.float64)
        return np.clip(found.reshape(-1), 0.0, 1.0)

    return register_user_function(connection, UserFunction("tfidf", _TWO_TEXTS, likeness))
