"""Scoring: predictions in a file or a result, against facts."""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.errors import InputError, Span
from workbench.evaluation import scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.verbs.infer import InferenceResult

__all__ = ["evaluate_file", "evaluate_result", "parse_atom", "read_truth"]

AtomKey = tuple[str, tuple[str, ...]]

_ATOM = re.compile(r"\s*([^\W\d]\w*)\s*(?:\((.*)\))?\s*\.?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,"'()]+?))\s*(?:,|$)""", re.DOTALL)
_LINE = re.compile(r"\s*([!?])?\s*((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=\s))?\s*(.*)", re.DOTALL)


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


def read_truth(paths: Sequence[Path]) -> dict[AtomKey, float]:
    """Labels by atom from fact files: NaN for `?`, 0 for `!`, else 1 or the number given.

    Alchemy `.db` lines, or a table whose file name is the predicate (with an optional truth value as last column).

    Raises
    ------
    InputError
        For a line that is no fact, or a file that cannot be read.
    """
    truth: dict[AtomKey, float] = {}
    for path in paths:
        for atom, value in _facts(path):
            truth[atom] = value
    return truth


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as stream:
            yield from enumerate(stream, 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of("E0821", f"cannot read {path}: {error}", help="facts are UTF-8 text") from None


def _facts(path: Path) -> Iterator[tuple[AtomKey, float]]:
    ending = path.name.removesuffix(".gz").rsplit(".", 1)[-1].lower()
    table = ending in ("csv", "tsv", "txt")
    predicate = re.sub(r"_(truth|targets?|obs)$", "", path.name.split(".")[0])
    for number, line in _lines(path):
        text = re.sub(r"\s+//.*$", "", line).strip() if not table else line.rstrip("\r\n")
        if not text or text.startswith("//"):
            continue
        if table:
            cells = next(csv.reader([text], delimiter="," if ending == "csv" else "\t"))
            yield _row(predicate, cells)
            continue
        match = _LINE.fullmatch(text)
        atom = parse_atom(match[3]) if match else None
        if match is None or atom is None:
            span = Span(str(path), number, 1, number, len(text) + 1)
            raise InputError.of(
                "E0822", "this line is no fact", span=span, line_text=text, help="write P(A,B) or !P(A,B)"
            )
        sign = match[1]
        yield atom, np.nan if sign == "?" else 0.0 if sign == "!" else float(match[2] or 1.0)


def _row(predicate: str, cells: Sequence[str]) -> tuple[AtomKey, float]:
    try:
        value = float(cells[-1])
    except ValueError:
        return (predicate, tuple(cells)), 1.0
    if len(cells) > 1 and 0.0 <= value <= 1.0:
        return (predicate, tuple(cells[:-1])), value
    return (predicate, tuple(cells)), 1.0


def _folded(atom: AtomKey) -> AtomKey:
    return atom[0].casefold(), atom[1]


def evaluate_file(predictions: Path, truth: Sequence[Path], *, threshold: float = 0.5) -> dict[str, Any]:
    """Score a predictions file against fact files; an unlisted atom is false, `?` is skipped.

    Returns
    -------
    dict
        Metrics over all predictions, the number `scored`, the number of true facts of predicted predicates that have no
        prediction (`unpredicted`), and the same `by_predicate`.
    """
    try:
        with open(predictions, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of("E0821", f"cannot read {predictions}: {error}") from None
    atoms: list[AtomKey] = []
    values: list[float] = []
    for number, row in enumerate(rows, 2):
        atom = parse_atom(row.get("atom") or "")
        try:
            value = float(row.get("value") or "")
        except ValueError:
            atom = None
            value = np.nan
        if atom is None or not 0.0 <= value <= 1.0:
            span = Span(str(predictions), number, 1, number, 2)
            raise InputError.of(
                "E0823",
                "this row is no prediction",
                span=span,
                help="columns are atom,predicate,value; value in [0, 1]",
            )
        atoms.append(_folded(atom))
        values.append(value)
    if not atoms:
        raise InputError.of("E0824", f"{predictions} holds no prediction")
    labels = {_folded(atom): value for atom, value in read_truth(truth).items()}
    return _scored(atoms, np.asarray(values), labels, threshold)


def _scored(
    atoms: Sequence[AtomKey], values: np.ndarray[Any, Any], labels: Mapping[AtomKey, float], threshold: float
) -> dict[str, Any]:
    target = np.array([labels.get(atom, 0.0) for atom in atoms])
    predicates = np.array([atom[0] for atom in atoms])
    known = set(atoms)
    result: dict[str, Any] = dict(scores(values, target, threshold=threshold))
    result["scored"] = int(np.isfinite(target).sum())
    result["unpredicted"] = sum(
        1 for atom, value in labels.items() if value > 0 and atom[0] in set(predicates) and atom not in known
    )
    by_predicate = {}
    for name in dict.fromkeys(predicates.tolist()):
        chosen = predicates == name
        if np.isfinite(target[chosen]).any():
            by_predicate[name] = dict(scores(values[chosen], target[chosen], threshold=threshold))
    result["by_predicate"] = by_predicate
    return result


def evaluate_result(
    result: InferenceResult, truth: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None
) -> dict[str, Any]:
    """Score an inference result against fact files, or the labels that its grounding kept apart."""
    frame = result.predictions()
    if truth is None:
        labels = result.grounding.atoms.truth()[result.is_query]
        return dict(scores(frame["value"].to_numpy(), labels))
    paths = [Path(truth)] if isinstance(truth, str | os.PathLike) else [Path(path) for path in truth]
    atoms = [_folded(atom) for text in frame["atom"] if (atom := parse_atom(text)) is not None]
    known = {_folded(atom): value for atom, value in read_truth(paths).items()}
    return _scored(atoms, frame["value"].to_numpy(dtype=np.float64), known, 0.5)
