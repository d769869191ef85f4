"""What DuckDB says when the disk, the memory or the file fails, told in the user's words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from workbench.errors import InputError, WorkbenchError

_DISK_FULL = ("no space left on device", "disk quota exceeded", "file too large")
_NO_MEMORY = ("could not allocate", "failed to offload", "max_temp_directory_size")
_DAMAGED = (
    "corrupt",
    "could not read enough bytes",
    "failed to deserialize",
    "serialization error",
    "failed to load metadata",
    "not a valid duckdb database",
)
_UNWRITABLE = ("could not write", "read-only file system", "could not fsync")

# The log's header: field 100 holds the kind of its first entry (98, the version); the owner's 16
# bytes follow, one or two bytes each, and an end mark that no such pair equals.
_LOG_HEADER = bytes((100, 0, 98))
_LOG_HEADER_END = b"\xff\xff"
_LONGEST_LOG_HEADER = 80


def storage_fault(
    error: BaseException, path: str | os.PathLike[str] | None = None
) -> WorkbenchError | None:
    """The diagnostic of what DuckDB or Python raised; None for what is no failure of storage.

    E0221 for a disk that is full or refuses to write, E0222 for a damaged file, E0223 for a damaged
    log, E0224 where the memory limit was reached.
    """
    if not isinstance(error, (duckdb.Error, OSError, MemoryError)):
        return None
    text = str(error).strip()
    lowered = text.casefold()
    reason = text.splitlines()[0] if text else type(error).__name__
    place = str(path) if path is not None else "the workspace"
    if any(mark in lowered for mark in _DISK_FULL):
        return InputError.of(
            "E0221",
            f"the disk is full ({reason}): what this command was writing is not kept",
            help="make room, then run it again; what the workspace held before is still there",
        )
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException) or (
        isinstance(error, duckdb.IOException) and any(mark in lowered for mark in _NO_MEMORY)
    ):
        return InputError.of(
            "E0224",
            f"there is not enough memory for this ({reason})",
            help="ask for less at a time: fewer rules, worlds or rows; or give the machine more "
            "memory",
        )
    if "replaying wal" in lowered:
        return _damaged_log(place, reason)
    if not isinstance(error, duckdb.Error):
        return None
    if any(mark in lowered for mark in _DAMAGED) or isinstance(error, duckdb.FatalException):
        return InputError.of(
            "E0222",
            f"{place} is damaged: {reason}",
            help="`workbench repair OLD NEW` copies the tables that can still be read into a new "
            "workspace",
        )
    if isinstance(error, duckdb.IOException) and any(mark in lowered for mark in _UNWRITABLE):
        return InputError.of(
            "E0221",
            f"{place} cannot be written: {reason}",
            help="check the disk and your rights on it",
        )
    return None


@contextmanager
def faults_told(path: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Failures of disk, memory or file inside are raised as what they mean for the workspace."""
    try:
        yield
    except BaseException as error:
        if (fault := storage_fault(error, path)) is not None:
            raise fault from None
        raise


def why_not_opened(path: Path | None, error: duckdb.Error) -> WorkbenchError:
    """Why DuckDB does not open a workspace: held elsewhere, no database, or damaged."""
    text = str(error)
    if "could not set lock" in text.casefold() or "conflicting lock" in text.casefold():
        return _held(path, text)
    # A file of another database, as SQLite's, would be DuckDB's to open by an extension.
    if "not a valid DuckDB database" in text or "external extensions is disabled" in text:
        return InputError.of("E0201", f"{path} is no DuckDB database")
    return storage_fault(error, path) or InputError.of(
        "E0201", f"{path} cannot be opened: {text.splitlines()[0]}"
    )


def _held(path: Path | None, text: str) -> WorkbenchError:
    """By which process a workspace is held, and the way through its server where it is one."""
    holder = re.search(r"\(PID (\d+)\)", text)
    by = f" (process {holder[1]})" if holder else ""
    note = None if path is None else path.with_name(path.name + ".server")
    told = note.read_text(encoding="utf-8").split() if note is not None and note.is_file() else []
    # A server that was killed leaves its note: it counts only for the process that wrote it.
    if len(told) == 2 and (holder is None or holder[1] == told[1]):
        help_text = (
            f"a server holds it: name --server {told[0]} instead; in Python, "
            f"workbench.connect({told[0]!r})"
        )
    else:
        help_text = "stop that program first, or let `workbench serve` hold the workspace for all"
    return InputError.of("E0201", f"{path} is open in another process{by}", help=help_text)


def check_log(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a workspace whose write-ahead log DuckDB passed over on opening, as it does without a
    word.

    A log that ends within its header or its first entry was cut off by a kill before anything was
    committed: nothing is lost there. One that begins with other bytes, or whose entries are whole
    and yet not replayed, held changes.

    Raises E0223.
    """
    log = path.with_name(path.name + ".wal")
    if not log.is_file() or log.stat().st_size == 0:
        return
    size = connection.execute("SELECT wal_size FROM pragma_database_size()").fetchall()
    if size and size[0][0] != "0 bytes":
        return
    with log.open("rb") as stream:
        head = stream.read(_LONGEST_LOG_HEADER)
    foreign = not head.startswith(_LOG_HEADER[: len(head)])
    if foreign or _has_whole_entry(head, log.stat().st_size):
        raise _damaged_log(
            str(path), "it was not made beside this file, or its beginning is damaged"
        )


def _has_whole_entry(head: bytes, size: int) -> bool:
    """Whether a log of `size` bytes holds an entry: length and checksum (8 bytes each), content."""
    end = head.find(_LOG_HEADER_END)
    start = end + len(_LOG_HEADER_END)
    if end < 0 or size < start + 16:
        return False
    return size >= start + 16 + int.from_bytes(head[start : start + 8], "little")


def _damaged_log(place: str, reason: str) -> WorkbenchError:
    return InputError.of(
        "E0223",
        f"the log of {place} cannot be read: {reason}",
        help=f"it holds what was written last; move {Path(place).name}.wal away to open the "
        "workspace without that",
    )
