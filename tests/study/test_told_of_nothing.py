"""Where a row refers to nothing, what is known of other rows is unknown: in columns as in rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.errors import InputError
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.tables import find_sources, format_mapping, propose, stage


def _loans(directory: Path, rng: np.random.Generator, n: int) -> list[Path]:
    """Loans, half of which have no guarantor, of some branches, some blank."""
    borrower, guarantor = rng.integers(0, 30, (2, n))
    granted = np.datetime64("2024-01-01") + rng.integers(0, 300, n)
    rows = [
        [
            f"l{k}",
            str(granted[k]),
            f"p{borrower[k]}",
            f"p{guarantor[k]}" if rng.random() < 0.5 else "",
            f"branch {chr(97 + k % 14)}" if rng.random() < 0.9 else "",
            str(rng.choice(["yes", "no", ""], p=[0.4, 0.5, 0.1])),
        ]
        for k in range(n)
    ]
    header = ["loan", "granted", "borrower", "guarantor", "branch", "defaulted"]
    people = [[f"p{k}", 20 + k] for k in range(30)]
    return [
        write(directory / "people.csv", ["person", "age"], people),
        write(directory / "loans.csv", header, rows),
    ]


@pytest.mark.parametrize(("time", "aggregate"), [("loans.granted", "sum"), (None, "mean")])
def test_labels_behind_a_blank_reference_are_unknown_to_both(
    tmp_path: Path, time: str | None, aggregate: str
) -> None:
    rng = np.random.default_rng(4)
    files = _loans(tmp_path, rng, 240 if time else 1200)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "loans.defaulted", time=time)
        made = candidates_for(staging, ready, np.arange(len(ready.labels)), collective=True)
        told = [
            at
            for at, one in enumerate(made.candidates)
            if one.label is not None and one.aggregate == aggregate
        ]
        X = made.given(ready.labels)[:, told]
        assert np.isnan(X).any()
        every = [made.candidates[at] for at in told]
        assert_definitions_say_columns(staging, ready, every, rng, X)


def _bonds(directory: Path) -> list[Path]:
    """Molecules of atoms; a bond stands twice, single and double."""
    rng = np.random.default_rng(5)
    molecules = [[f"m{k}", "" if k % 7 == 0 else "yes" if k % 3 else "no"] for k in range(60)]
    atoms = [[f"a{k}", f"m{k // 4}", round(float(rng.normal()), 2)] for k in range(240)]
    bonds = [
        [f"a{k}", f"a{k + 1}", str(rng.choice(["single", "double"]))]
        for k in range(239)
        if k % 4 < 3
    ]
    bonds += [[one, other, "triple"] for one, other, _ in bonds[::20]]
    return [
        write(directory / "molecules.csv", ["molecule", "active"], molecules),
        write(directory / "atoms.csv", ["atom", "molecule", "charge"], atoms),
        write(directory / "bonds.csv", ["first_atom", "second_atom", "type"], bonds),
    ]


def test_ties_of_which_rows_say_different_things_are_things_of_their_own(tmp_path: Path) -> None:
    files = _bonds(tmp_path)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "molecules.active")
        assert ready.mapping.table("bonds").relation is None
        made = candidates_for(staging, ready, np.arange(len(ready.labels)), collective=False)
        assert any(hop.table == "bonds" for one in made.candidates for hop in one.path.hops)
        X = made.given(ready.labels)
        rng = np.random.default_rng(6)
        assert_definitions_say_columns(staging, ready, list(made.candidates), rng, X)


def test_rows_that_lack_one_of_two_things_are_things_of_their_own(tmp_path: Path) -> None:
    files = _bonds(tmp_path)
    (bonds,) = (file for file in files if file.name == "bonds.csv")
    one_blank = [*bonds.read_text(encoding="utf-8").splitlines()[:-9], "a7,,single"]
    bonds.write_text("\n".join(one_blank), encoding="utf-8")
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "molecules.active")
        assert ready.mapping.table("bonds").relation is None


def test_a_mapping_that_makes_one_tie_of_several_rows_is_refused_with_its_cure(
    tmp_path: Path,
) -> None:
    files = _bonds(tmp_path)
    with stage(find_sources(files)) as staging:
        text = format_mapping(propose(staging, predict="molecules.active"))
        name = next(line for line in text.splitlines() if line.startswith('type = "bond"'))
        mapping = tmp_path / "dataset.toml"
        mapping.write_text(text.replace(name, 'relation = "Bonds"'), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        _study_prepared(files, mapping)
    (found,) = raised.value.diagnostics
    assert found.code == "E0650"
    assert "(9 such)" in found.message
    assert 'relation = "Bonds"' in (found.help or "")


def _study_prepared(files: list[Path], mapping: Path) -> None:
    from workbench.tables import read_mapping

    with stage(find_sources(files)) as staging:
        prepared(staging, "molecules.active", mapping=read_mapping(mapping))
