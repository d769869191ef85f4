"""Files of predictions, by their endings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.commands.console import is_directory, replacing
from workbench.errors import UsageError, nearest

if TYPE_CHECKING:
    from workbench.verbs.infer import InferenceResult

FORMS = (".csv", ".parquet", ".result", "")
"""Endings of files of predictions; a file without one, such as /dev/stdout, is CSV."""


def write_predictions(result: InferenceResult, out: str, *, include_hidden: bool) -> None:
    """Write predictions to a file by its ending, or to a directory: a file a predicate."""
    from workbench.verbs.tab_separated import predicate_files

    if not is_directory(out):
        write_frame(result.predictions(include_hidden=include_hidden), Path(out))
        return
    for name, lines in predicate_files(result, include_hidden=include_hidden):
        with replacing(Path(out) / name) as part:
            part.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(lines, encoding="utf-8")


def check_form(path: str | Path | None, *, several_worlds: bool) -> None:
    if path is None or is_directory(str(path)):
        return
    ending = Path(str(path).removesuffix(".gz") if str(path).endswith(".csv.gz") else path).suffix
    if ending not in FORMS:
        close = nearest(ending, FORMS)
        raise UsageError.of(
            "E0248",
            f"{path}: predictions are not written as {ending}",
            help=(f"did you mean {close}? " if close else "")
            + "the endings are .csv, .parquet and .result",
        )
    if ending == ".result" and several_worlds:
        raise UsageError.of(
            "E0135",
            f"{path} would have atoms of several worlds, and Alchemy's form has no place for the "
            "world",
            help="write a .csv file, or predict one world at a time with --only",
        )


def write_frame(frame: object, path: Path) -> None:
    """Write a data frame by the ending of `path`.

    Raises E0248 for another ending than .csv, .parquet and .result, E0135 for predictions of
    several worlds in Alchemy's form, which knows one.
    """
    import pandas as pd

    from workbench.database import write_table

    assert isinstance(frame, pd.DataFrame)
    check_form(path, several_worlds="world" in frame)
    with replacing(path) as part:
        if path.suffix == ".result":
            lines = [f"{atom} {value:.10g}\n" for atom, value in zip(frame["atom"], frame["value"])]
            part.write_text("".join(lines), encoding="utf-8")
            return
        write_table(frame, part)
