"""What an answer over a ground network takes, estimated from its counts before a row is made."""

from __future__ import annotations

from workbench.errors import Diagnostic, InputError
from workbench.mapped import free_bytes, network_bytes

BASE = 400 * 10**6
"""Bytes of the process itself: interpreter, libraries, compiled kernels."""

A_ROW_ON_DISK, AN_ENTRY_ON_DISK = 32, 13
"""Bytes on disk of the network and of what a pass keeps of a row: indices, values, multipliers."""

RUNS = 250 * 10**6
"""Bytes of two runs of rows under way, and of what is computed of them."""

SHARE_OF_DATABASE = 0.4
"""Of the memory allowed, what the database may take while it joins."""


def estimated_bytes(rows: int, entries: int, atoms: int) -> int:
    """Peak bytes of grounding and solving, by the rows, their literals and the open atoms."""
    return BASE + int(network_bytes(rows, entries, atoms))


def too_large(allowed: int | None, rows: int, entries: int, atoms: int) -> Diagnostic | None:
    """E0340 for a network that would take more than allowed; None for one that would not."""
    needed = estimated_bytes(rows, entries, atoms)
    if allowed is None or needed <= allowed:
        return None
    takes = f"{rows:,} ground rows over {atoms:,} atoms take about {size_in_words(needed)}"
    return Diagnostic(
        "E0340",
        f"{takes}, and --memory allows {size_in_words(allowed)}",
        help="allow more, ask for fewer atoms or worlds, or see by `ground --preview` which rule "
        "has most rows",
    )


def kept_on_disk(allowed: int | None, rows: int, entries: int, atoms: int) -> Diagnostic:
    """What to say of a network whose rows are kept in files: E0334 as a warning.

    Raises E0340 where neither memory would hold the atoms nor the disk the rows.
    """
    allowed = allowed or 0
    needed, (free, folder) = A_ROW_ON_DISK * rows + AN_ENTRY_ON_DISK * entries, free_bytes()
    if BASE + network_bytes(0, 0, atoms) > allowed or needed > free:
        short = (
            f"--memory allows {size_in_words(allowed)}"
            if needed <= free
            else f"{folder} has room for {size_in_words(free)}"
        )
        raise InputError.of(
            "E0340",
            f"{rows:,} ground rows over {atoms:,} atoms take about "
            f"{size_in_words(BASE + network_bytes(0, 0, atoms))} of memory "
            f"and {size_in_words(needed)} of disk, and {short}",
            help="allow more, set TMPDIR to a folder of a larger disk, or ask for fewer atoms or "
            "worlds",
        )
    return Diagnostic.warning(
        "E0334",
        f"{rows:,} ground rows take about {size_in_words(estimated_bytes(rows, entries, atoms))} "
        f"in memory, and --memory allows {size_in_words(allowed)}: they are kept in {folder} "
        f"(about {size_in_words(needed)}) and read a part at a time",
        help="the answer is as certain, and slower; allow more memory where there is some",
    )


def left_for_rows(allowed: int | None, atoms: int) -> int:
    """Of the bytes allowed, what the files of rows may take beside the database and the atoms."""
    held = BASE + RUNS + int(network_bytes(0, 0, atoms))
    return max(0, int((1.0 - SHARE_OF_DATABASE) * (allowed or 0)) - held)


def size_in_words(size: int) -> str:
    """Bytes as people say them."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
