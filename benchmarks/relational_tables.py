"""`workbench study` and its rivals on UW-CSE, WebKB, Alzheimer (amine) and the bundled university
as tables.

    python -m benchmarks.relational_tables [NAME...] [--json]  # without what is not installed
    python -m benchmarks.relational_tables --rivals PYTHON     # an interpreter that has them

All read the same CSV files and foretell the same held-out rows, those of the study's own folds,
from the labels of the other rows. The rivals are told the keys and references that the study found.
Scores are means over folds, CPU-seconds those of the whole command: of a study its final model, its
baselines and its report are among them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measuring import print_records
from benchmarks.relational_sets import SETS
from workbench.evaluation import auc_pr, auc_roc
from workbench.resources import datasets_directory
from workbench.study.folds import Labelled, study_folds

OURS = ("rules", "boosted_trees")
RIVALS = {"featuretools+LightGBM": "featuretools, lightgbm", "srlearn RDN-Boost": "srlearn"}
"""With the modules that they need."""
BOOSTING = "gradient boosting on our features"
SCRIPT = Path(__file__).with_name("relational_rivals.py")
FOLDS = 5


def main() -> None:
    """Print a row for each set and system."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(SETS)}; all where none is named"
    )
    parser.add_argument("--data-dir", help="of the real data sets")
    parser.add_argument(
        "--system", action="append", choices=[*OURS, *RIVALS], help="all where none is named"
    )
    parser.add_argument(
        "--rivals",
        default=sys.executable,
        metavar="PYTHON",
        help="an interpreter that has the rivals",
    )
    parser.add_argument(
        "--time-limit", type=float, default=1800, help="seconds that a rival has for a set"
    )
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(SETS):
        parser.error(f"no set is called {', '.join(sorted(unknown))}")
    systems = [
        name
        for name in chosen.system or [*OURS, *RIVALS]
        if name in OURS or _has(chosen.rivals, name)
    ]
    names = chosen.names or list(SETS)
    print_records((row for name in names for row in _rows(name, systems, chosen)), chosen.json)


def _has(python: str, system: str) -> bool:
    found = subprocess.run(
        [python, "-c", f"import {RIVALS[system]}"], capture_output=True, check=False
    )
    if found.returncode:
        print(f"{system} is skipped: {python} has not all of {RIVALS[system]}", file=sys.stderr)
    return not found.returncode


def _rows(
    name: str, systems: Sequence[str], chosen: argparse.Namespace
) -> Iterator[dict[str, object]]:
    tables, predict = SETS[name](datasets_directory(chosen.data_dir))
    table, _, column = predict.partition(".")
    labels = (tables[table][column] == "yes").to_numpy(np.float64)
    folds = np.zeros(len(labels), np.int64)
    for number, (_, held_out) in enumerate(study_folds(Labelled("yes/no", labels), FOLDS, 0)):
        folds[held_out] = number
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        files = [directory / f"{one}.csv" for one in tables]
        for frame, file in zip(tables.values(), files):
            frame.to_csv(file, index=False)
        study = ["-m", "workbench", "study", *map(str, files), "--predict", predict, "--json"]
        # The rivals need what a study says of the tables.
        ours = [system for system in OURS if system in systems] or [OURS[0]]
        for system in ours:
            out = directory / system
            took = _timed([sys.executable, *study, "--learner", system, "--out", str(out)], None)
            yield (
                {"set": name, "system": system}
                | _scores(out / "predictions.csv", labels, folds)
                | took
            )
        record = json.loads((directory / ours[0] / "study.json").read_text())
        yield {"set": name, "system": BOOSTING} | {
            metric: round(record["baselines"][BOOSTING][metric]["mean"], 4)
            for metric in ("AUC-ROC", "AUC-PR")
        }
        mapping = tomllib.loads((directory / ours[0] / "dataset.toml").read_text())
        task = {
            "table": table,
            "column": column,
            "folds": folds.tolist(),
            "tables": _described(mapping),
        }
        (directory / "task.json").write_text(json.dumps(task))
        for system in RIVALS:
            if system in systems:
                took = _timed(
                    [chosen.rivals, str(SCRIPT), str(directory), system], chosen.time_limit
                )
                yield (
                    {"set": name, "system": system}
                    | _scores(directory / f"{system}.csv", labels, folds)
                    | took
                )


def _described(mapping: dict[str, list[dict[str, Any]]]) -> dict[str, object]:
    """Of each table its key, where that is one column, and its columns with what they refer to."""
    described = {}
    for table in mapping["tables"]:
        told = [(name, what) for name, what in table["columns"].items() if "parts" not in what]
        columns = {name: what for name, what in told if what["kind"] != "empty"}
        key = table.get("key")
        described[table["name"]] = {"key": key if key in columns else None, "columns": columns}
    return described


def _timed(line: Sequence[str], seconds: float | None) -> dict[str, object]:
    """CPU-seconds of a command and of what it starts; what it refused."""
    with tempfile.TemporaryFile("w+") as said:
        before = os.times()
        try:
            subprocess.run(
                line, stdout=subprocess.DEVNULL, stderr=said, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return {"refused": f"not done after {seconds:g} s"}
        after = os.times()
        said.seek(0)
        last = said.read().strip().splitlines()[-1:]
    used = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    return {"cpu_seconds": round(used, 1)} | (
        {"refused": last[0]} if last and "Error" in last[0] else {}
    )


def _scores(path: Path, labels: np.ndarray, folds: np.ndarray) -> dict[str, object]:
    if not path.exists():
        return {}
    said = pd.read_csv(path)["held_out"].to_numpy()
    parts = [folds == fold for fold in range(FOLDS)]
    scores = {"AUC-ROC": auc_roc, "AUC-PR": auc_pr}
    return {
        name: round(float(np.mean([of(said[p], labels[p]) for p in parts])), 4)
        for name, of in scores.items()
    }


if __name__ == "__main__":
    main()
