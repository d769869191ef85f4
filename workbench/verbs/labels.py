"""Ground atoms, labels and predictions read back from files of facts and of results."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from workbench.errors import InputError, Span
from workbench.language.ground_atoms import AtomKey, atom_text, parse_atom

__all__ = ["plainly", "read_predictions", "read_truth"]

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_LINE = re.compile(rf"\s*([!?])?\s*({_NUMBER}(?=\s))?\s*(.*?)(?:(?<=\))\s*({_NUMBER}))?\s*", re.DOTALL)
_SOFT_DATA = (".data", ".json", ".yaml", ".yml")


def read_truth(paths: Sequence[Path], arities: Mapping[str, int] | None = None) -> dict[AtomKey, float]:
    """Labels by atom from fact files: NaN for `?`, 0 for `!`, else 1 or the number given.

    Alchemy `.db` lines, a table whose file name is the predicate (with an optional truth value as last column), or the
    truth of a `dataset.toml` or of a PSL `.data` file or document.

    Parameters
    ----------
    paths : sequence of Path
    arities : mapping, optional
        Numbers of arguments by predicate, case-folded and without underscores: they tell a truth value from a last
        argument that is a number.

    Raises
    ------
    InputError
        E0821 for a file that cannot be read, E0822 for a line that is no fact, E0825 for an atom given two labels.
    """
    truth: dict[AtomKey, float] = {}
    for path in paths:
        described = path.is_dir() or path.suffix in (".toml", *_SOFT_DATA)
        for atom, value, span in _described_facts(path) if described else _facts(path, arities or {}):
            before = truth.setdefault(atom, value)
            if before != value and not (np.isnan(before) and np.isnan(value)):
                raise InputError.of(
                    "E0825", f"{atom_text(*atom)} is given different labels", span=span, help="keep one of them"
                )
    return truth


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8-sig") as stream:
            yield from enumerate(stream, 1)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError.of("E0821", f"cannot read {path}: {error}", help="facts are UTF-8 text") from None


def _facts(path: Path, arities: Mapping[str, int]) -> Iterator[tuple[AtomKey, float, Span]]:
    ending = path.name.removesuffix(".gz").rsplit(".", 1)[-1].lower()
    table = ending in ("csv", "tsv", "txt")
    predicate = re.sub(r"_(truth|targets?|obs)$", "", path.name.split(".")[0])
    for number, line in _lines(path):
        text = re.sub(r"\s+//.*$", "", line).strip() if not table else line.rstrip("\r\n")
        if not text or text.startswith("//"):
            continue
        span = Span(str(path), number, 1, number, len(text) + 1)
        if table:
            cells = next(_cells([text], path, "," if ending == "csv" else "\t"))
            yield *_row(predicate, cells, arities.get(plainly(predicate))), span
            continue
        match = _LINE.fullmatch(text)
        atom = parse_atom(match[3]) if match else None
        value = float(match[2] or match[4] or 1.0) if match else np.nan
        if match is None or atom is None or not value <= 1.0:
            raise InputError.of(
                "E0822", "this line is no fact", span=span, line_text=text, help="write P(A,B) or !P(A,B)"
            )
        yield atom, np.nan if match[1] == "?" else 0.0 if match[1] == "!" else value, span


def _described_facts(path: Path) -> Iterator[tuple[AtomKey, float, Span]]:
    """The truth of a dataset or of PSL's data, read as `load` reads it."""
    from workbench.database import Database, facts_page
    from workbench.verbs.loading import load

    span = Span(str(path), 1, 1, 1, 1)
    with Database.open() as database:
        load(database, path)
        for name in database.predicates():
            page = facts_page(database, name, partition="truth", limit=2**62)
            for _, *arguments, value, _ in page.rows:
                yield (name, tuple(map(str, arguments))), np.nan if value is None else float(value), span


def plainly(name: str) -> str:
    """A predicate's name without what writers differ in: case and underscores."""
    return name.casefold().replace("_", "")


def _row(predicate: str, cells: Sequence[str], arity: int | None) -> tuple[AtomKey, float]:
    try:
        value = float(cells[-1])
    except ValueError:
        value = np.nan
    valued = len(cells) > 1 and 0.0 <= value <= 1.0 if arity is None else len(cells) > arity
    if valued and 0.0 <= value <= 1.0:
        return (predicate, tuple(cells[:-1])), value
    return (predicate, tuple(cells)), 1.0


def _cells(stream: Iterable[str], path: Path, delimiter: str = ",") -> Iterator[list[str]]:
    try:
        yield from csv.reader(stream, delimiter=delimiter)
    except csv.Error as error:
        raise InputError.of("E0821", f"cannot read {path}: {error}", help="a table of text cells is wanted") from None


def read_predictions(path: Path) -> tuple[list[AtomKey], list[float]]:
    """Atoms and values of a predictions file: CSV (also gzipped) or Parquet, as `infer --out` writes."""
    numbered: Iterable[tuple[int, tuple[str, str]]]
    if path.suffix == ".parquet":
        import pandas as pd
        from pyarrow import ArrowException

        try:
            frame = pd.read_parquet(path, columns=["atom", "value"])
        except (OSError, ValueError, ArrowException) as error:
            raise InputError.of("E0821", f"cannot read {path}: {error}") from None
        numbered = enumerate(zip(frame["atom"].astype(str), frame["value"].astype(str)), 1)
    else:
        rows = _cells((line for _, line in _lines(path)), path)
        header = [name.strip() for name in next(rows, [])]
        if header and not {"atom", "value"} <= set(header):
            raise _no_prediction(path, 1)
        places = [header.index(name) for name in ("atom", "value")] if header else []
        numbered = (
            (number, (row[places[0]], row[places[1]]) if len(row) > max(places) else ("", ""))
            for number, row in enumerate(rows, 2)
            if row
        )
    atoms: list[AtomKey] = []
    values: list[float] = []
    for number, (text, shown) in numbered:
        atom = parse_atom(text)
        try:
            value = float(shown)
        except ValueError:
            value = np.nan
        if atom is None or not 0.0 <= value <= 1.0:
            raise _no_prediction(path, number)
        atoms.append(atom)
        values.append(value)
    if not atoms:
        raise InputError.of("E0824", f"{path} holds no prediction")
    return atoms, values


def _no_prediction(path: Path, number: int) -> InputError:
    error = InputError.of(
        "E0823",
        "this row is no prediction",
        span=Span(str(path), number, 1, number, 2),
        help="columns are atom,predicate,value; value in [0, 1]",
    )
    assert isinstance(error, InputError)
    return error
