"""Tables on the page, each with a button below that takes it home."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from app.downloads import csv_text, download
from app.figures import decimals, decimals_of_weights
from app.show import plain

if TYPE_CHECKING:
    import pandas as pd


def table(
    frame: pd.DataFrame,
    file: str,
    *,
    digits: int | None = 3,
    weights: Collection[str] = (),
    help: Mapping[str, str] | None = None,
    selection: str | None = None,
    ticked: Sequence[int] = (),
    key: str | None = None,
    most: int = 450,
    whole: pd.DataFrame | None = None,
) -> Any:
    """A table with its numbers aligned: whole ones with separators, others with so many decimals
    (all for None), less in columns of large numbers; below it a button for it as `file`, or for
    the `whole` that it shows a part of.

    Columns of `weights` have more where one of them is small: a weight of each day or cent may say
    much. `selection` ('single-row' or 'multi-row') makes it a widget, at first with some rows
    `ticked`; it scrolls where it is higher than `most` pixels.
    """
    explained = help or {}
    kept = frame if whole is None else whole
    columns: dict[str, Any] = {}
    formats = {
        name: _number_format(frame[name], digits, name in weights)
        for name in frame.columns
        if frame[name].dtype.kind in "iuf"
    }
    # Separators are given to whole numbers alone.
    frame = frame.round({name: 0 for name, shown in formats.items() if shown == "localized"})
    for name in frame.columns:
        if name in formats:
            columns[name] = st.column_config.NumberColumn(
                format=formats[name],
                help=explained.get(name),
                # As wide as the longest weight; else the first rows say how wide a column is.
                width=96 if name in weights else None,
            )
        elif (width := _width(frame[name])) or name in explained:
            columns[name] = st.column_config.Column(help=explained.get(name), width=width)
    options: dict[str, Any] = {"height": min(most, 3 + 33 * (1 + max(1, len(frame))))}
    if selection is not None:
        options |= {"on_select": "rerun", "selection_mode": selection}
        options["selection_default"] = {"selection": {"rows": list(ticked)}}
    event = st.dataframe(
        frame,
        column_config=columns,
        hide_index=True,
        width="stretch",
        placeholder="",
        key=key,
        **options,
    )
    take_home(file, lambda: kept)
    return event


def take_home(file: str, frame: Callable[[], pd.DataFrame]) -> None:
    """A small button below a table: what it shows as a file, made when it is asked for."""
    download(
        f"Download {plain(file)}.csv",
        lambda: csv_text(frame()),
        f"{file}.csv",
        "text/csv",
        key=f"take-home-{file}",
        type="tertiary",
        icon=":material/download:",
    )


def _width(column: pd.Series) -> int | None:
    """Pixels of a column of texts whose first cell, which else says how wide it is, is blank."""
    letters = column.astype(object).fillna("").astype(str).str.len()
    return min(240, 24 + 7 * int(letters.max())) if letters.iloc[:1].eq(0).any() else None


def _number_format(column: pd.Series, digits: int | None, weight: bool) -> str:
    if column.dtype.kind != "f":
        return "localized"
    if digits is None:
        return "%g"
    sizes = column.abs()
    places = decimals_of_weights(sizes, digits) if weight else decimals(sizes.max(), digits)
    return f"%.{places}f" if places else "localized"


def read_in_full(frame: pd.DataFrame, file: str, *, weights: Collection[str]) -> None:
    """A short table whose texts are wrapped and never cut, such as rules in words; numbers and
    the button below as in `table`."""
    numeric = {name for name in frame.columns if frame[name].dtype.kind in "iuf"}
    written = {
        name: [_written(cell, _number_format(column, 3, name in weights)) for cell in column]
        if name in numeric
        else column.fillna("").tolist()
        for name, column in frame.items()
    }
    rows = list(zip(*written.values(), strict=True))
    text_table([str(name) for name in written], rows, numbers=numeric)
    take_home(file, lambda: frame)


def _written(cell: float, form: str) -> str:
    if cell != cell:
        return ""
    return f"{cell:,.0f}" if form == "localized" else form % cell


def small_table(
    columns: Sequence[str], rows: Sequence[Sequence[str | int | None]], file: str
) -> None:
    """A short table as text, with a button below for it as `file`; without a data frame the first
    page comes quickly."""

    def frame() -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(rows, columns=list(columns), dtype=object)

    text_table(columns, rows)
    take_home(file, frame)


def text_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str | int | None]],
    *,
    numbers: Collection[object] = (),
) -> None:
    """Cells as text, such as those of a question; columns of `numbers`, and of nothing else, to
    the right."""
    numeric = [
        name in numbers or not any(isinstance(row[place], str) for row in rows)
        for place, name in enumerate(columns)
    ]
    lines = [
        "| " + " | ".join(columns) + " |",
        "|" + "|".join("---:" if number else "---" for number in numeric) + "|",
    ]
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else plain(cell or "") for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    st.markdown("\n".join(lines))
