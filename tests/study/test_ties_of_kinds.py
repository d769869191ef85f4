"""Rows that tie two things of kinds: a double bond of nitrogen and oxygen."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for, filled
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study

MOLECULES = 300
Motifs = list[Counter[tuple[str, str, str]]]


def _molecules(
    directory: Path, *, with_key: bool, n_called: str = "n"
) -> tuple[list[Path], Motifs]:
    """And how many bonds of each kind each has, by the elements of both ends in order."""
    rng = np.random.default_rng(8)
    atoms, bonds, labels, motifs = [], [], [], Motifs()
    for one in range(MOLECULES):
        elements = rng.choice(["c", n_called, "o", ""], 12, p=[0.5, 0.25, 0.2, 0.05]).tolist()
        atoms += [[f"m{one}_{n}", one, element] for n, element in enumerate(elements)]
        found: Counter[tuple[str, str, str]] = Counter()
        for n in range(1, 12):
            other, kind = int(rng.integers(n)), str(rng.choice(["single", "double"], p=[0.7, 0.3]))
            bonds.append([len(bonds), f"m{one}_{other}", f"m{one}_{n}", kind])
            first, second = sorted((elements[other], elements[n]))
            found[kind, first, second] += bool(first)
        motifs.append(found)
        odds = 0.85 if found[("double", *sorted((n_called, "o")))] else 0.2
        labels.append([one, "" if one % 5 == 0 else "yes" if rng.random() < odds else "no"])
    columns = ["bond", "atom1", "atom2", "order"]
    return [
        write(directory / "molecules.csv", ["molecule", "active"], labels),
        write(directory / "atoms.csv", ["atom", "molecule", "element"], atoms),
        write(
            directory / "bonds.csv",
            columns if with_key else columns[1:],
            bonds if with_key else [row[1:] for row in bonds],
        ),
    ], motifs


@pytest.mark.parametrize(("with_key", "n_called"), [(True, "n"), (False, "salt and water")])
def test_definitions_say_what_columns_say_of_what_rows_tie(
    tmp_path: Path, with_key: bool, n_called: str
) -> None:
    """And both what is counted by hand; an end of which nothing is known is of no kind."""
    files, motifs = _molecules(tmp_path, with_key=with_key, n_called=n_called)
    first, second = sorted((n_called, "o"))
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "molecules.active")
        matrix = candidates_for(staging, ready, np.arange(MOLECULES), collective=False)
        every = [one for one in matrix.candidates if one.onward and one.onward.column.ends]
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
        X = filled(columns, every, range(len(every)), [])
        words = [candidate_words(one) for one in every]
        assert_definitions_say_columns(staging, ready, every, np.random.default_rng(1), X)
    bonds = "number of bonds of its atoms (as atom1) with"
    double = words.index(f"{bonds} order = double and element {first} and {second} at its ends")
    any_order = words.index(f"{bonds} element c and c at its ends")
    assert X[:, double].tolist() == [one["double", first, second] for one in motifs]
    assert X[:, any_order].tolist() == [
        one["double", "c", "c"] + one["single", "c", "c"] for one in motifs
    ]


def test_a_double_bond_of_two_elements_is_found(tmp_path: Path) -> None:
    files, _ = _molecules(tmp_path, with_key=True)
    found = study(files, "molecules.active", folds=3)
    assert any("order = double and element n and o" in rule.words for rule in found.rules)
    assert found.metrics["AUC-ROC"]["mean"] > 0.75
    assert_infer_says_the_same(tmp_path, files, found, "molecule", MOLECULES // 5)
