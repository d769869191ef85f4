"""What an answer over a ground network takes, estimated from its counts before a row is made."""

from __future__ import annotations

from workbench.errors import Diagnostic

__all__ = ["SHARE_OF_DATABASE", "estimated_bytes", "size_in_words", "too_large"]

BASE = 400 * 10**6
"""Bytes of the process itself: interpreter, libraries, compiled kernels."""

A_ROW, AN_ENTRY, AN_ATOM = 80, 80, 100
"""Bytes of the network and of the solvers' copies of it: measured on soft logic of a million rows, rounded up."""

SHARE_OF_DATABASE = 0.4
"""Of the memory allowed, what the database may take while it joins."""


def estimated_bytes(rows: int, entries: int, atoms: int) -> int:
    """Bytes that grounding and solving take at their peak, by the stored rows, their literals and the open atoms."""
    return BASE + A_ROW * rows + AN_ENTRY * entries + AN_ATOM * atoms


def too_large(allowed: int | None, rows: int, entries: int, atoms: int) -> Diagnostic | None:
    """E0340 for a network that would take more than what is allowed; None for one that would not."""
    needed = estimated_bytes(rows, entries, atoms)
    if allowed is None or needed <= allowed:
        return None
    takes = f"{rows:,} ground rows over {atoms:,} atoms take about {size_in_words(needed)}"
    return Diagnostic(
        "E0340",
        f"{takes}, and --memory allows {size_in_words(allowed)}",
        help="allow more, ask for fewer atoms or worlds, or see by `ground --preview` which rule has most rows",
    )


def size_in_words(size: int) -> str:
    """Bytes as people say them."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
