"""Records of measured tables: what gave a figure (command, commit, versions, CPU), and whether it
comes out again.

A record is a JSON file of measurements, oldest first. A later one stands over an earlier one where
both have a figure; one of which nothing is left to show is dropped.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import reduce
from importlib.metadata import version
from pathlib import Path
from typing import Any

from experiments.table import FoldScore, ReproductionTable
from workbench.errors import UsageError
from workbench.resources import installed

PACKAGES = ("duckdb", "numpy", "scipy", "numba", "highspy", "cvxpy", "ecos", "scikit-learn")
"""Whose version can move a figure's last digit."""

DIGITS = 3
"""That tables print."""


@dataclass(frozen=True)
class Measurement:
    """One run of an experiment, with what it takes to run it again.

    Attributes
    ----------
    command : str
        As typed, from the root of a checkout.
    commit : str
        The checkout's commit, `+` behind it where files differed from it; else the package's
        version.
    day : str
        ISO date, UTC.
    cpu_seconds : float
        Of the whole command.
    """

    command: str
    commit: str
    day: str
    cpu_seconds: float
    versions: Mapping[str, str]
    table: ReproductionTable

    @classmethod
    def of(cls, table: ReproductionTable, command: str, cpu_seconds: float) -> Measurement:
        """A measurement made just now by this code."""
        return cls(
            command,
            source_commit(),
            f"{datetime.now(UTC):%Y-%m-%d}",
            round(cpu_seconds, 1),
            dict(installed(*PACKAGES)),
            table,
        )


@dataclass(frozen=True)
class FigureDifference:
    """A figure of one fold that came out otherwise than recorded."""

    system: str
    column: str
    metric: str
    fold: str
    recorded: float
    again: float


def source_commit() -> str:
    """The commit of the checkout that this code runs from, or the installed package's version."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return version("relational-workbench")
    said = [
        _git(root, "rev-parse", "--short=10", "HEAD"),
        _git(root, "status", "--porcelain", "--", "workbench", "experiments"),
    ]
    return said[0] + ("+" if said[1] else "")


def _git(root: Path, *arguments: str) -> str:
    found = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
    )
    return found.stdout.strip()


def read_record(path: Path) -> tuple[Measurement, ...]:
    """The measurements of a record, oldest first; none where there is no file.

    Raises E0906 for a file that is no record, or no file.
    """
    if not path.exists():
        return ()
    try:
        measurements = json.loads(path.read_text(encoding="utf-8"))["measurements"]
        return tuple(_measurement(fields) for fields in measurements)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError.of(
            "E0906",
            f"{path} is no record of figures ({error})",
            help="records are what `reproduce --record` writes",
        ) from None


def _measurement(fields: Mapping[str, Any]) -> Measurement:
    return Measurement(**{**fields, "table": ReproductionTable.from_record(fields["table"])})


def add_measurement(path: Path, new: Measurement) -> None:
    """Write a measurement into a record, and drop those of which it leaves nothing to show."""
    kept: list[Measurement] = [new]
    shown = set(new.table.measured())
    for older in reversed(read_record(path)):
        if older.table.measured() - shown:
            kept.append(older)
            shown |= older.table.measured()
    measurements = [asdict(one) | {"table": one.table.as_record()} for one in reversed(kept)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_laid_out({"measurements": measurements}) + "\n", encoding="utf-8")


def _laid_out(value: Any, margin: str = "") -> str:
    """JSON with a table's row, or a list of numbers, a line: differences read as figures."""
    inner = (
        list(value.values())
        if isinstance(value, dict)
        else value
        if isinstance(value, list | tuple)
        else []
    )
    if not any(isinstance(one, dict | list | tuple) for one in inner):
        return json.dumps(value, ensure_ascii=False)
    names = (
        [f"{json.dumps(name)}: " for name in value]
        if isinstance(value, dict)
        else [""] * len(inner)
    )
    deeper = margin + " "
    lines = ",\n".join(deeper + name + _laid_out(one, deeper) for name, one in zip(names, inner))
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n{lines}\n{margin}{last}"


def recorded_table(measurements: Sequence[Measurement]) -> ReproductionTable:
    """All figures of a record as one table; at least one measurement."""
    return reduce(
        lambda before, one: one.over(before), (measurement.table for measurement in measurements)
    )


def differences(
    recorded: ReproductionTable, again: ReproductionTable
) -> tuple[list[FigureDifference], int]:
    """The folds' figures that came out otherwise, and how many were compared.

    Two figures differ where they lie half a unit of the last printed digit apart, or further. What
    only one of the tables has is not compared, except that a figure that was recorded and is now
    undefined differs.
    """
    known = {_key(one): one.value for one in recorded.folds_detail}
    compared = [one for one in again.folds_detail if _key(one) in known]
    return [
        FigureDifference(*_key(one), recorded=known[_key(one)], again=one.value)
        for one in compared
        if not _same(known[_key(one)], one.value)
    ], len(compared)


def _key(score: FoldScore) -> tuple[str, str, str, str]:
    return score.system, score.column, score.metric, score.fold


def _same(recorded: float, again: float) -> bool:
    return abs(recorded - again) < 0.5 * 10.0**-DIGITS or (recorded != recorded and again != again)
