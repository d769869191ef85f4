"""Rivals of `workbench study` on a folder of tables: run by an interpreter that has them.

    pip install featuretools lightgbm srlearn 'pandas<3' 'scikit-learn<1.6'  # and Java for srlearn
    python benchmarks/relational_rivals.py DIR SYSTEM  # task.json, *.csv -> SYSTEM.csv: held_out

`task.json` says what is foretold, the fold of every row, and of each table its key and what each
column is.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Tables = dict[str, pd.DataFrame]
Task = dict[str, Any]
NAMED_AT_MOST = 1000
"""Values of a column that rows are counted by, as many as a study names."""
CONSTANTS_AT_MOST = 1000
BINS = 4


def main() -> None:
    """Foretell each fold from the others."""
    directory, system = Path(sys.argv[1]), sys.argv[2]
    warnings.simplefilter("ignore")
    task = json.loads((directory / "task.json").read_text())
    tables = {}
    for name, table in task["tables"].items():
        tables[name] = pd.read_csv(directory / f"{name}.csv", dtype=_types(table))
    labels = (tables[task["table"]].pop(task["column"]) == "yes").to_numpy()
    said = SYSTEMS[system](task, tables, labels, np.array(task["folds"]))
    pd.DataFrame({"held_out": said}).to_csv(directory / f"{system}.csv", index=False)


def _types(table: Task) -> dict[str, type]:
    return {
        name: float if column["kind"] == "number" else str
        for name, column in table["columns"].items()
    }


def featuretools_lightgbm(
    task: Task, tables: Tables, labels: np.ndarray, folds: np.ndarray
) -> np.ndarray:
    """LightGBM on the aggregates of deep feature synthesis, counts of single values included."""
    import featuretools as ft

    entities = ft.EntitySet()
    keys = {name: table["key"] or f"{name} row" for name, table in task["tables"].items()}
    for name, frame in tables.items():
        kinds = {
            column: "Double" if frame[column].dtype == float else "Categorical" for column in frame
        }
        entities.add_dataframe(
            dataframe_name=name, dataframe=frame, index=keys[name], logical_types=kinds,
            make_index=task["tables"][name]["key"] is None,
        )  # fmt: skip
    for name, table in task["tables"].items():
        for column, what in table["columns"].items():
            if what.get("table") and column != table["key"]:
                entities.add_relationship(what["table"], keys[what["table"]], name, column)
    for name, table in task["tables"].items():
        kinds = {
            column: what["kind"]
            for column, what in table["columns"].items()
            if column in tables[name]
        }
        named = [column for column, kind in kinds.items() if kind in ("category", "yes/no")]
        values = {
            column: list(tables[name][column].value_counts().index[:NAMED_AT_MOST])
            for column in named
        }
        entities.add_interesting_values(dataframe_name=name, values=values)
    features, _ = ft.dfs(
        entityset=entities, target_dataframe_name=task["table"], max_depth=3,
        where_primitives=["count"],
        agg_primitives=["count", "num_unique", "sum", "mean", "min", "max", "std", "mode"],
        trans_primitives=[],
    )  # fmt: skip
    key = task["tables"][task["table"]]["key"]
    if key is not None:  # the rows in the table's order
        features = features.loc[tables[task["table"]][key]]
    features.columns = [f"f{place}" for place in range(features.shape[1])]
    return _boosted(features, labels, folds)


def _boosted(features: pd.DataFrame, labels: np.ndarray, folds: np.ndarray) -> np.ndarray:
    from lightgbm import LGBMClassifier

    said = np.full(len(labels), np.nan)
    for fold in np.unique(folds):
        asked = folds == fold
        model = LGBMClassifier(
            n_estimators=200, learning_rate=0.05, num_leaves=15, n_jobs=1, verbose=-1
        )
        model.fit(features[~asked], labels[~asked])
        said[asked] = model.predict_proba(features[asked])[:, 1]
    return said


def srlearn_rdn(task: Task, tables: Tables, labels: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Boosted relational dependency networks; modes from references, numbers cut at quantiles."""
    from srlearn import Background, Database
    from srlearn.rdn import BoostedRDNClassifier

    facts, modes = [], []
    for name in tables:
        if name != task["table"] or task["tables"][name]["key"]:
            for predicate, arguments in _predicates(name, task, tables):
                facts += _atoms(predicate, arguments)
                modes += _modes(predicate, arguments)
    table = task["tables"][task["table"]]
    asked_about = (
        [table["key"]]
        if table["key"]
        else [c for c, what in table["columns"].items() if what.get("table")]
    )
    target = {column: _named(task, task["table"], column, tables) for column in asked_about}
    atoms = np.array(_atoms("target", list(target.values())))
    modes.append(f"target({','.join('+' + kind for kind, _ in target.values())}).")
    said = np.full(len(labels), np.nan)
    for fold in np.unique(folds):
        asked = folds == fold
        train, test = Database(), Database()
        train.facts = test.facts = facts
        train.pos, train.neg = list(atoms[~asked & labels]), list(atoms[~asked & ~labels])
        test.pos, test.neg = list(atoms[asked & labels]), list(atoms[asked & ~labels])
        model = BoostedRDNClassifier(
            background=Background(modes=modes), target="target", solver="BoostSRL"
        )
        model.fit(train)
        # `predict_proba` cannot read its answer with a NumPy from 1.23 on.
        model._run_inference(test)
        values = dict(_results(model.file_system.files.TEST_DIR / "results_target.db"))
        said[asked] = [values[atom] for atom in atoms[asked]]
    return said


def _results(path: Path) -> Iterator[tuple[str, float]]:
    """Atoms with their probabilities; of a negative example the file says that of its negation."""
    for line in path.read_text().splitlines():
        atom, _, value = line.replace(", ", ",").rpartition(" ")
        yield f"{atom.lstrip('!')}.", 1 - float(value) if atom.startswith("!") else float(value)


Argument = tuple[str, pd.Series]


def _predicates(name: str, task: Task, tables: Tables) -> Iterator[tuple[str, list[Argument]]]:
    """Of a table with a key a relation for each other column; else its rows as one relation."""
    table = task["tables"][name]
    columns = {column: _named(task, name, column, tables) for column in table["columns"]}
    if table["key"] is None:
        yield name, list(columns.values())
    else:
        key = columns.pop(table["key"])
        yield from ((f"{name}_{column}", [key, argument]) for column, argument in columns.items())


def _named(task: Task, name: str, column: str, tables: Tables) -> Argument:
    """A column's type and its cells as constants."""
    table, cells = task["tables"][name], tables[name][column]
    refers = table["columns"][column].get("table") or (name if column == table["key"] else None)
    kind = refers or column
    if cells.dtype == float:
        cells = (
            pd.qcut(cells, BINS, labels=False, duplicates="drop").astype("Int64").astype("string")
        )
    constants = cells.str.replace(r"\W", "_", regex=True).str.lower()
    return _word(kind), (f"c{_word(kind)}_" + constants).where(cells.notna())


def _word(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _atoms(predicate: str, arguments: list[Argument]) -> list[str]:
    rows = zip(*(cells for _, cells in arguments))
    return [
        f"{_word(predicate)}({','.join(row)})."
        for row in rows
        if all(isinstance(cell, str) for cell in row)
    ]


def _modes(predicate: str, arguments: list[Argument]) -> Iterator[str]:
    """From each argument to new ones; to constants where an argument has few."""
    for given in range(len(arguments)):
        signs = ["+" if place == given else "-" for place in range(len(arguments))]
        yield _mode(predicate, signs, arguments)
        for place, (_, cells) in enumerate(arguments):
            if (
                place != given
                and cells.nunique() <= CONSTANTS_AT_MOST
                and cells.nunique() < 0.2 * len(cells)
            ):
                yield _mode(predicate, [*signs[:place], "#", *signs[place + 1 :]], arguments)


def _mode(predicate: str, signs: list[str], arguments: list[Argument]) -> str:
    return (
        f"{_word(predicate)}({','.join(sign + kind for sign, (kind, _) in zip(signs, arguments))})."
    )


SYSTEMS: dict[str, Callable[[Task, Tables, np.ndarray, np.ndarray], np.ndarray]] = {
    "featuretools+LightGBM": featuretools_lightgbm,
    "srlearn RDN-Boost": srlearn_rdn,
}


if __name__ == "__main__":
    main()
