"""`evaluate`: how good predictions are."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from workbench.commands.command import command, option
from workbench.commands.console import print_error, print_json, print_line, print_table
from workbench.commands.options import Json


class LabelKind(StrEnum):
    """How labels are scored."""

    auto = "auto"
    binary = "binary"
    continuous = "continuous"


class UnlistedAtoms(StrEnum):
    """What an atom without a label is."""

    auto = "auto"
    false = "false"
    skip = "skip"


@command("Predicting and learning", "evaluate --predictions predictions.csv --truth truth.db")
def evaluate(
    predictions: Annotated[
        Path, option("--predictions -p", "predictions.csv, as `infer --out` writes.")
    ],
    truth: Annotated[
        list[Path],
        option("--truth -t", "Facts: .db, a table, PSL's data, ...; WORLD=FILE for one world's."),
    ],
    threshold: Annotated[
        float, option("--threshold", "Counts as true at or above.", min=0, max=1)
    ] = 0.5,
    kind: Annotated[
        LabelKind, option("--kind", "continuous: MAE, MSE, RMSE, NMSE, NMAE; auto: by the labels.")
    ] = LabelKind.auto,
    categorical: Annotated[
        list[str] | None, option("--categorical", "A predicate whose last argument is a category.")
    ] = None,
    unlisted: Annotated[
        UnlistedAtoms,
        option(
            "--unlisted", "An atom that the truth does not list: false, skip, or told by the truth."
        ),
    ] = UnlistedAtoms.auto,
    json: Json = False,
) -> None:
    """Score predictions against facts: F1, accuracy, AUC-ROC, AUC-PR, CLL and more,
    with a calibration table.
    """
    from workbench.verbs.evaluate import evaluate_file

    result = evaluate_file(
        predictions,
        truth,
        threshold=threshold,
        kind=kind.value,
        categorical=categorical or (),
        unlisted=unlisted.value,
    )
    for warning in result["warnings"]:
        print_error(f"warning[{warning['code']}]: {warning['message']}\n  help: {warning['help']}")
    if json:
        print_json(result)
        return
    print_table(
        "Scores",
        ("metric", "value"),
        [(name, value) for name, value in result.items() if isinstance(value, int | float)],
    )
    print_line(str(result["reading"]))
    table = result["calibration"]
    if table:
        print_table(
            "Calibration: by probability, how often it came true",
            list(table[0]),
            [row.values() for row in table],
        )
