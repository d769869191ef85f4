"""Scoring: predictions in a file or a result, against facts."""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from workbench.arrays import Array
from workbench.errors import Diagnostic, InputError, Span, UsageError, nearest
from workbench.evaluation import calibration, categorical_accuracy, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.verbs.infer import InferenceResult

__all__ = ["evaluate_file", "evaluate_result", "parse_atom", "read_truth"]

AtomKey = tuple[str, tuple[str, ...]]

_ATOM = re.compile(r"\s*([^\W\d]\w*)\s*(?:\((.*)\))?\s*\.?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,"'()]+?))\s*(?:,|$)""", re.DOTALL)
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_LINE = re.compile(rf"\s*([!?])?\s*({_NUMBER}(?=\s))?\s*(.*?)(?:(?<=\))\s*({_NUMBER}))?\s*", re.DOTALL)


def parse_atom(text: str) -> AtomKey | None:
    """Predicate and constants of a ground atom's text, quotes and escapes resolved; None when it is no atom."""
    match = _ATOM.fullmatch(text)
    if match is None:
        return None
    inner = match[2]
    if inner is None or not inner.strip():
        return match[1], ()
    constants = []
    position = 0
    while position < len(inner):
        argument = _ARGUMENT.match(inner, position)
        if argument is None:
            return None
        quoted = argument[1] if argument[1] is not None else argument[2]
        constants.append(argument[3] if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        position = argument.end()
    return match[1], tuple(constants)


def read_truth(paths: Sequence[Path], arities: Mapping[str, int] | None = None) -> dict[AtomKey, float]:
    """Labels by atom from fact files: NaN for `?`, 0 for `!`, else 1 or the number given.

    Alchemy `.db` lines, a table whose file name is the predicate (with an optional truth value as last column), or the
    truth of a `dataset.toml`.

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
        described = path.is_dir() or path.suffix == ".toml"
        for atom, value, span in _described_facts(path) if described else _facts(path, arities or {}):
            before = truth.setdefault(atom, value)
            if before != value and not (np.isnan(before) and np.isnan(value)):
                raise InputError.of(
                    "E0825", f"{_text(atom)} is given different labels", span=span, help="keep one of them"
                )
    return truth


def _text(atom: AtomKey) -> str:
    return f"{atom[0]}({', '.join(atom[1])})" if atom[1] else atom[0]


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
            yield *_row(predicate, cells, arities.get(_plainly(predicate))), span
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
    """The truth of a dataset, read as `load` reads it."""
    from workbench.database import Database, facts_page, load_dataset

    span = Span(str(path), 1, 1, 1, 1)
    with Database.open() as database:
        load_dataset(database, path)
        for name in database.predicates():
            page = facts_page(database, name, partition="truth", limit=2**62)
            for _, *arguments, value, _ in page.rows:
                yield (name, tuple(map(str, arguments))), np.nan if value is None else float(value), span


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


def _predictions(path: Path) -> tuple[list[AtomKey], list[float]]:
    """Atoms and values of a predictions file: CSV (also gzipped) or Parquet, as `infer --out` writes."""
    numbered: Iterable[tuple[int, tuple[str, str]]]
    if path.suffix == ".parquet":
        import pandas as pd

        try:
            frame = pd.read_parquet(path, columns=["atom", "value"])
        except Exception as error:
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


def evaluate_file(
    predictions: Path,
    truth: Sequence[Path],
    *,
    threshold: float = 0.5,
    kind: Literal["auto", "binary", "continuous"] = "auto",
    categorical: Sequence[str] = (),
) -> dict[str, Any]:
    """Score a predictions file against fact files; an unlisted atom is false, `?` is skipped.

    Parameters
    ----------
    threshold : float
    kind : {'auto', 'binary', 'continuous'}
        As in `workbench.evaluation.scores`: `continuous` gives the errors of 0/1 labels, too.
    categorical : sequence of str
        Predicates whose last argument is a category of what the others name: `by_predicate` gives their categorical
        accuracy, the first category by name winning ties.

    Returns
    -------
    dict
        Metrics over all predictions, the number `scored`, the number of true facts of predicted predicates that have no
        prediction (`unpredicted`), the same `by_predicate`, a `calibration` table, and `warnings`.
    """
    atoms, values = _predictions(predictions)
    result = _scored(atoms, np.asarray(values), truth, threshold, kind)
    for name in categorical:
        if name not in result["by_predicate"]:
            known = ", ".join(result["by_predicate"])
            raise UsageError.of("E0828", f"no labelled prediction is of {name}", help=f"predicates: {known}")
        accuracy = _categorical([(a, v) for a, v in zip(atoms, values) if a[0] == name and a[1]], _labels(atoms, truth))
        result["by_predicate"][name]["categorical accuracy"] = accuracy
        result[f"categorical accuracy, {name}"] = accuracy
    return result


def _categorical(predicted: Sequence[tuple[AtomKey, float]], labels: Mapping[AtomKey, float]) -> float:
    truth = np.array([labels.get(atom, 0.0) for atom, _ in predicted])
    _, item = np.unique([repr(atom[1][:-1]) for atom, _ in predicted], return_inverse=True)
    _, category = np.unique([atom[1][-1] for atom, _ in predicted], return_inverse=True)
    return categorical_accuracy([value for _, value in predicted], truth, item, category)


def _labels(atoms: Sequence[AtomKey], truth: Sequence[Path]) -> dict[AtomKey, float]:
    """The labels in the predictions' spelling: case and underscores tell predicates apart only where both occur."""
    predicted = dict.fromkeys(name for name, _ in atoms)
    labels = read_truth(truth, {_plainly(name): len(arguments) for name, arguments in atoms})
    named = {name for name, _ in labels}
    folded = {_plainly(name): name for name in predicted}
    return {
        (name if name in predicted else _respelt(name, folded, named), arguments): value
        for (name, arguments), value in labels.items()
    }


def _respelt(name: str, folded: Mapping[str, str], taken: set[str]) -> str:
    other = folded.get(_plainly(name), name)
    return name if other in taken else other


def _plainly(name: str) -> str:
    return name.casefold().replace("_", "")


def _scored(
    atoms: Sequence[AtomKey],
    values: Array,
    truth: Sequence[Path],
    threshold: float,
    kind: Literal["auto", "binary", "continuous"] = "auto",
) -> dict[str, Any]:
    labels = _labels(atoms, truth)
    target = np.array([labels.get(atom, 0.0) for atom in atoms])
    predicates = np.array([atom[0] for atom in atoms])
    known = set(atoms)
    result: dict[str, Any] = dict(scores(values, target, kind=kind, threshold=threshold))
    result["scored"] = int(np.isfinite(target).sum())
    result["unpredicted"] = sum(
        1 for atom, value in labels.items() if value > 0 and atom[0] in set(predicates) and atom not in known
    )
    by_predicate = {}
    for name in dict.fromkeys(predicates.tolist()):
        chosen = predicates == name
        if np.isfinite(target[chosen]).any():
            by_predicate[name] = dict(scores(values[chosen], target[chosen], kind=kind, threshold=threshold))
    result["by_predicate"] = by_predicate
    result["calibration"] = _calibration(values, target)
    result["warnings"] = [warning.as_record() for warning in _unmatched(predicates, labels)]
    return result


def _calibration(values: Array, target: Array) -> list[dict[str, Any]]:
    """How often atoms came true, by tenths of the probability they were given; none for fractional labels."""
    if not np.isin(target[np.isfinite(target)], (0.0, 1.0)).all():
        return []
    table = calibration(values, target)
    columns = (table.lower, table.upper, table.count, table.mean_predicted, table.fraction_true)
    names = ("from", "to", "atoms", "predicted", "true")
    return [dict(zip(names, row)) for row in zip(*(column.tolist() for column in columns))]


def _unmatched(predicates: Array, labels: Mapping[AtomKey, float]) -> list[Diagnostic]:
    """A warning when no label is of a predicted predicate: every prediction is then scored against false."""
    named = sorted({name for name, _ in labels})
    predicted = sorted(set(predicates.tolist()))
    if not named or set(named) & set(predicted):
        return []
    close = nearest(predicted[0], named)
    return [
        Diagnostic(
            "E0826",
            f"the truth holds no fact of {', '.join(predicted)}, so all predictions are scored against false",
            help=f"the truth is of {', '.join(named[:5])}" + (f"; did you mean {close}?" if close else ""),
            severity="warning",
        )
    ]


def evaluate_result(
    result: InferenceResult, truth: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None
) -> dict[str, Any]:
    """Score an inference result against fact files, or the labels that its grounding kept apart."""
    frame = result.predictions()
    if truth is None:
        labels = result.grounding.atoms.truth()[result.is_query]
        return dict(scores(frame["value"].to_numpy(), labels))
    paths = [Path(truth)] if isinstance(truth, str | os.PathLike) else [Path(path) for path in truth]
    atoms = [atom for text in frame["atom"] if (atom := parse_atom(text)) is not None]
    return _scored(atoms, frame["value"].to_numpy(dtype=np.float64), paths, 0.5)
