"""Tables as files that a spreadsheet opens without running anything in them."""

from __future__ import annotations

from typing import Any

import pandas as pd

# What a spreadsheet takes for the beginning of a formula, or skips before one.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_text(frame: pd.DataFrame) -> str:
    """The frame as CSV; texts that a spreadsheet would run as a formula begin with a quote mark."""
    safe = frame.apply(
        lambda column: column if pd.api.types.is_numeric_dtype(column) else column.map(_safe)
    )
    return str(safe.rename(columns=_safe).to_csv(index=False))


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell
