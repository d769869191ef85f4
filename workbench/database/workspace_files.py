"""The file of a workspace and the log beside it: empty ones, and what failed openings leave."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import InputError

_SCHEMA_OF_FACTS = "facts"


def refuse_name(path: Path) -> None:
    """Refuse a file that DuckDB would name as the schema in which predicates stand as views.

    Raises E0201.
    """
    if path.name.split(".")[0].casefold() == _SCHEMA_OF_FACTS:
        raise InputError.of(
            "E0201",
            f"no workspace can be called {path.name}: `facts` is what queries call its facts by",
            help="choose another name for the file",
        )


@contextmanager
def left_as_found(path: Path | None, read_only: bool) -> Iterator[None]:
    """An empty file is a new workspace; one that could not be made whole is not left behind."""
    if path is None or read_only:
        yield
        return
    new = not path.exists()
    if is_empty(path):
        path.unlink()  # DuckDB refuses a file without its header, and makes one that is missing
        new = True
    try:
        yield
    except BaseException:
        if new:
            for made in (path, _log_of(path)):
                made.unlink(missing_ok=True)
        raise


def is_empty(path: Path) -> bool:
    """Whether nothing has been written yet, into its log neither."""
    return path.is_file() and path.stat().st_size == 0 and not _log_of(path).exists()


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + ".wal")
