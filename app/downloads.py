"""Files to take home; tables as ones that a spreadsheet opens without running anything in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import pandas as pd

# What a spreadsheet takes for the beginning of a formula, or skips before one.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def download(
    label: str,
    data: str | bytes | Callable[[], str | bytes],
    name: str,
    mime: str | None = None,
    **options: Any,
) -> None:
    """A button for a file, made when it is asked for where `data` is called for it.

    The page is not drawn anew: a second button that is pressed meanwhile would wait for ever for a
    file of the page as it was.
    """
    st.download_button(label, data, name, mime, on_click="ignore", **options)


def csv_text(frame: pd.DataFrame) -> str:
    """The frame as CSV; texts that a spreadsheet would run as a formula begin with a quote mark."""
    from pandas import Series
    from pandas.api.types import is_numeric_dtype

    def neutral(column: Series) -> Series:
        if is_numeric_dtype(column):
            return column
        # As objects, since whole numbers beside a blank would else be written as fractions.
        return Series([_safe(cell) for cell in column], column.index, object)

    safe = frame.apply(neutral)
    return str(safe.rename(columns=_safe).to_csv(index=False))


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell
