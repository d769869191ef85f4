"""Files of predictions, as `infer --out` writes them: atoms in words, values, perhaps worlds."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.arrays import Float
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.table_files import PARQUET_SUFFIXES
from workbench.database.tables import load_frame
from workbench.database.text_files import chunks_of_lines, display_name
from workbench.errors import InputError, Span, WorkbenchError
from workbench.language.declarations import Predicate
from workbench.language.ground_atoms import AtomKey, atom_text, parse_atom


@dataclass(frozen=True)
class Predictions:
    """Predicted atoms in words.

    Attributes
    ----------
    atoms : sequence of (predicate, constants)
    worlds : sequence of str, or None where the file does not say
    values : float64 array, shape (n,)
    """

    atoms: Sequence[AtomKey]
    worlds: Sequence[str] | None
    values: Float

    @property
    def arities(self) -> dict[str, int]:
        """The predicates, in order of appearance, with their numbers of arguments."""
        return {name: len(arguments) for name, arguments in self.atoms}


def read_predictions(path: Path) -> Predictions:
    """A predictions file: CSV (also gzipped) or Parquet with the columns `atom`, `value`, and
    perhaps `world`.

    Raises E0211 for a file that cannot be read, E0209 for bytes that are no text, E0823 for a row
    that is no prediction, E0824 for a file without any, E0706 for an atom predicted twice.
    """
    rows = _parquet_rows(path) if path.suffix.lower() in PARQUET_SUFFIXES else _csv_rows(path)
    atoms: list[AtomKey] = []
    worlds: list[str | None] = []
    values: list[float] = []
    lines: dict[tuple[str | None, AtomKey], int] = {}
    for line, text, shown, world in rows:
        atom = parse_atom(text)
        try:
            value = float(shown)
        except ValueError:
            value = np.nan
        if atom is None or not 0.0 <= value <= 1.0:
            raise _no_prediction(path, line)
        before = lines.setdefault((world, atom), line)
        if before != line:
            raise _twice(path, atom, before, line, world)
        atoms.append(atom)
        worlds.append(world)
        values.append(value)
    if not atoms:
        raise InputError.of("E0824", f"{display_name(path)} holds no prediction")
    named = None if worlds[0] is None else [name or DEFAULT_WORLD for name in worlds]
    return Predictions(atoms, named, np.array(values))


def load_predictions(
    database: Database,
    predictions: Predictions,
    names: dict[str, str],
    *,
    world: str,
) -> None:
    """Put predictions into the partition `target` of predicates, which are declared where they are
    not there yet.

    Parameters
    ----------
    names : dict of str to str
        The predicate in the database of each predicted one.
    world : str
        That of predictions that name none.
    """
    import pandas as pd

    of = np.array([name for name, _ in predictions.atoms], object)
    with database.transaction():
        present = database.predicates()
        for name, arity in predictions.arities.items():
            stored = names[name]
            if stored not in present:
                types = tuple(f"{stored}_{place}" for place in range(arity))
                database.declare_predicates([Predicate(stored, types)])
            rows = np.flatnonzero(of == name)
            cells = [predictions.atoms[row][1] for row in rows.tolist()]
            frame = pd.DataFrame(
                cells, columns=[f"a{place}" for place in range(arity)], index=rows, dtype=object
            )
            frame["value"] = predictions.values[rows]
            frame["world"] = (
                world if predictions.worlds is None else np.array(predictions.worlds, object)[rows]
            )
            load_frame(database, frame, predicate=stored, partition="target")


def _csv_rows(path: Path) -> Iterator[tuple[int, str, str, str | None]]:
    """Line, atom, value and world of each row below the header."""
    reader = csv.reader(line for _, text in chunks_of_lines(path) for line in text.split("\n"))
    try:
        header: list[str] = []
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if not header:
                header = [name.strip() for name in row]
                if not {"atom", "value"} <= set(header):
                    raise _no_prediction(path, reader.line_num)
                places = [header.index(name) for name in ("atom", "value")]
                world = header.index("world") if "world" in header else None
                continue
            if len(row) < len(header):
                raise _no_prediction(path, reader.line_num)
            yield (
                reader.line_num,
                row[places[0]],
                row[places[1]],
                None if world is None else row[world],
            )
    except csv.Error as error:
        raise InputError.of(
            "E0821", f"cannot read {path}: {error}", help="a table of text cells is wanted"
        ) from None


def _parquet_rows(path: Path) -> Iterator[tuple[int, str, str, str | None]]:
    import pandas as pd
    from pyarrow import ArrowException

    try:
        frame = pd.read_parquet(path)
        atoms, values = frame["atom"].astype(str), frame["value"].astype(str)
    except (OSError, ValueError, KeyError, ArrowException) as error:
        raise InputError.of("E0821", f"cannot read {path}: {error}") from None
    worlds = frame["world"].astype(str) if "world" in frame else [None] * len(frame)
    yield from ((line, *row) for line, row in enumerate(zip(atoms, values, worlds), 1))


def _no_prediction(path: Path, line: int) -> WorkbenchError:
    return InputError.of(
        "E0823",
        "this row is no prediction",
        span=Span(display_name(path), line, 1, line, 2),
        help="columns are atom,predicate,value; value in [0, 1]",
    )


def _twice(path: Path, atom: AtomKey, before: int, line: int, world: str | None) -> WorkbenchError:
    return InputError.of(
        "E0706",
        f"{atom_text(*atom)} is predicted twice, here and on line {before}",
        span=Span(display_name(path), line, 1, line, 2),
        help="keep one of them"
        if world is not None
        else "name the world of each prediction in a column `world`, or keep one of them",
    )
