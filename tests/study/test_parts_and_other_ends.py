"""Numbers that count by how much of a thing they are; what rows tie to, by the far end's kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.study import gathered
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage


def test_an_owners_rating_counts_by_how_much_it_owns(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    holdings = [
        [f"c{n}", f"o{at}", "" if n % 17 == 0 else round(float(rng.uniform(0, 60)), 1)]
        for n in range(150)
        for at in rng.choice(40, int(rng.integers(1, 4)), replace=False)
    ]
    owners = [[f"o{n}", round(float(rng.normal()), 2) if n % 9 else ""] for n in range(40)]
    companies = [[f"c{n}", int(rng.integers(90)) if n % 7 else ""] for n in range(150)]
    files = [
        write(tmp_path / "companies.csv", ["company", "risk"], companies),
        write(tmp_path / "holdings.csv", ["company", "owner", "percent"], holdings),
        write(tmp_path / "owners.csv", ["owner", "rating"], owners),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "companies.risk")
        every = candidates_for(staging, ready, np.arange(150), collective=False).candidates
        words = list(map(candidate_words, every))
        assert "total percent times owner's rating of its holdings" in words
        assert len({*words}) == len(words)
        weighed = [one for one in every if one.onward and one.onward.column.times]
        assert_definitions_say_columns(staging, ready, weighed, rng)


@pytest.mark.parametrize("keyed", [True, False])
def test_amounts_are_told_by_the_kind_of_the_far_end(
    tmp_path: Path, keyed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathered, "SPARE", 1)
    rng = np.random.default_rng(7)
    accounts = [
        [f"a{n}", rng.choice(["DE", "FR", ""]), int(rng.integers(90)) if n % 7 else ""]
        for n in range(400)
    ]
    pairs = dict.fromkeys(tuple(rng.choice(400, 2, replace=False)) for _ in range(900))
    transfers: list[list[object]] = [
        [*([f"t{n}"] if keyed else []), f"a{one}", f"a{other}", int(rng.integers(1, 500))]
        for n, (one, other) in enumerate(pairs)
    ]
    header = [*(["transfer"] if keyed else []), "from_account", "to_account", "amount"]
    files = [
        write(tmp_path / "accounts.csv", ["account", "country", "risk"], accounts),
        write(tmp_path / "transfers.csv", header, transfers),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "accounts.risk")
        every = candidates_for(staging, ready, np.arange(400), collective=False).candidates
        words = list(map(candidate_words, every))
        assert (
            "total amount of its transfers as from account with to account's country = DE" in words
        )
        assert len({*words}) == len(words)
        far = [one for one in every if one.among and one.among[0].references and not one.compared]
        assert len(far) > 8
        assert_definitions_say_columns(staging, ready, far, rng)
