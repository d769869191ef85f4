"""Printing: tables and JSON on standard output, progress and diagnostics on standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import (
    Diagnostic,
    ExitCode,
    InputError,
    UsageError,
    WorkbenchError,
    shortened,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST_CELL = 400
MOST_ALIKE = 12
"""Warnings of one kind that are told one by one."""
MOST_ROWS = 60
"""Of a table whose other rows are to be had elsewhere."""


def print_json(record: object) -> None:
    """One JSON document on standard output."""
    from workbench.verbs.common import as_json

    sys.stdout.write(json.dumps(as_json(record), indent=2, ensure_ascii=False) + "\n")


def print_line(text: str = "") -> None:
    """One line of plain text on standard output; to a terminal without signs that steer it."""
    sys.stdout.write((visible(text) if sys.stdout.isatty() else text) + "\n")


def print_error(error: WorkbenchError | str) -> None:
    """A failure on standard error."""
    sys.stderr.write(f"{visible(str(error))}\n")


def print_warnings(diagnostics: Iterable[Diagnostic]) -> None:
    """Warnings and notes on standard error; of each kind the first few, and how many more."""
    of_kind: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        heading = f"{diagnostic.severity}[{diagnostic.code}]"
        of_kind.setdefault(heading, []).append(diagnostic)
    for heading, alike in of_kind.items():
        for diagnostic in alike[:MOST_ALIKE]:
            sys.stderr.write(diagnostic.render() + "\n")
        if len(alike) > MOST_ALIKE:
            sys.stderr.write(f"{heading}: and {len(alike) - MOST_ALIKE:,} more of this kind\n")


def number(value: object, digits: int = 4) -> str:
    """A number for a table: thousands apart, floats to `digits` decimals, None and NaN blank."""
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{round(value, digits) + 0.0:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    digits: int = 4,
    rest: str | None = None,
) -> None:
    """A table on standard output, numbers to the right; its first rows where `rest` says how to
    have them all.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    every = [list(row) for row in rows]
    held = every if rest is None else every[:MOST_ROWS]
    table = Table(header_style="bold")
    for position, column in enumerate(columns):
        numeric = any(isinstance(row[position], int | float) for row in held)
        table.add_column(
            Text(shortened(column)), justify="right" if numeric else "left", overflow="fold"
        )
    for row in held:
        table.add_row(*(Text(shortened(number(value, digits), LONGEST_CELL)) for value in row))
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console.width = max(console.width, 160)
    console.print(Text(title, style="italic"), soft_wrap=True)
    console.print(table)
    if len(held) < len(every):
        print_line(f"... {len(every) - len(held):,} more; {rest}")


def end_as(status: str) -> None:
    """End the command with the exit code that an answer's status calls for; go on where it is 0."""
    import typer

    codes = {
        "infeasible": ExitCode.INFEASIBLE,
        "limit": ExitCode.LIMIT,
        "cancelled": ExitCode.LIMIT,
    }
    if status in codes:
        raise typer.Exit(int(codes[status]))


def as_records(frame: Any) -> list[dict[str, Any]]:
    """A data frame's rows as plain records."""
    return [dict(zip(frame.columns, row)) for row in frame.itertuples(index=False, name=None)]


def check_output(path: Path | None, beside: Iterable[Path | str | None] = ()) -> None:
    """Refuse, before any work is done, a file to write that cannot be one.

    Raises E0802 when it is a directory, in a directory that does not exist, or another file of the
    command.

    Parameters
    ----------
    beside : iterable of path
        The other files that the command reads or writes.
    """
    if path is None:
        return
    reason = (
        "is a directory"
        if path.is_dir()
        else f"{path.parent} is no directory"
        if not path.parent.is_dir()
        else "the command uses it for something else"
        if any(_one_file(path, other) for other in beside if other is not None)
        else None
    )
    if reason is not None:
        raise InputError.of(
            "E0802",
            f"{path} cannot be written: {reason}",
            help="name another file in a folder that exists",
        )


def check_table(path: Path | None) -> None:
    """Refuse an output whose ending names a form that no table is written in; without an ending it
    is CSV.

    Raises E0248.
    """
    from workbench.database.formats import format_of

    if path is None or not path.suffix:
        return
    form = format_of(path)
    if form is None or form.write is None:
        raise UsageError.of(
            "E0248",
            f"{path}: a table is not written as {path.suffix}",
            help="end it in .csv, .tsv or .parquet",
        )


def _one_file(path: Path, other: Path | str) -> bool:
    if os.path.abspath(path) == os.path.abspath(other):
        return True
    return path.exists() and os.path.exists(other) and path.samefile(other)


def is_directory(out: str) -> bool:
    """Whether an output is a directory: a name that ends with a slash."""
    return out.endswith(("/", os.sep))


def check_predictions_output(out: str | None, beside: Iterable[Path | str | None]) -> None:
    """`check_output` for predictions, which may be written to a directory, too."""
    if out is not None:
        path = Path(out)
        check_output(path / "predictions" if is_directory(out) and path.is_dir() else path, beside)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write `path` into a diagnostic."""
    try:
        yield
    except OSError as error:
        raise InputError.of(
            "E0802", f"{path} cannot be written: {(error.strerror or str(error)).lower()}"
        ) from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write that takes `path`'s place when it is whole: a failure leaves what was there.

    Pipes and devices are written as they are.
    """
    final = path.resolve()
    with writing(path):
        if final.exists() and not final.is_file():
            yield path
            return
        part = final.with_name(f".{os.getpid()}-{final.name}")
        try:
            yield part
            if final.exists():
                shutil.copymode(final, part)
            part.replace(final)
        finally:
            part.unlink(missing_ok=True)


def written(path: Path | None, write: Callable[[Path], object]) -> None:
    """Let `write` make a file that takes `path`'s place when it is whole; nothing without one."""
    if path is not None:
        with replacing(path) as part:
            write(part)
