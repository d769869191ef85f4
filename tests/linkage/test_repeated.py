"""Things that either of two files has twice: they stay apart, and it is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.cluster_scores import cluster_scores
from workbench.verbs.linking.link import link

SYLLABLES = "ba de ki lo mu na pe ri so tu va we".split()


def person(random: np.random.Generator) -> dict[str, str]:
    first, last = ("".join(random.choice(SYLLABLES, 3)).capitalize() for _ in range(2))
    born = (
        f"{random.integers(1940, 2000)}-{random.integers(1, 13):02d}-{random.integers(1, 29):02d}"
    )
    return {"first name": first, "last name": last, "born": born}


@pytest.mark.parametrize("times", [1, 2])
def test_duplicates_within_two_files_are_told_of(tmp_path: Path, times: int) -> None:
    random = np.random.default_rng(4)
    people = pd.DataFrame([person(random) for _ in range(600)])
    for name, rows in (("a", slice(0, 400)), ("b", slice(200, 600))):
        again = pd.concat([people[rows]] * times)
        again.sample(frac=1.0, random_state=3).to_csv(tmp_path / f"{name}.csv", index=False)
    result = link([tmp_path / "a.csv", tmp_path / "b.csv"])
    said = [one.message for one in result.warnings if one.code == "E0708"]
    assert len(said) == times - 1
    assert all("pairs within a and b look like one thing" in one for one in said), said


@pytest.mark.parametrize("number", [100, 400])
def test_recall_counts_what_either_file_has_twice(tmp_path: Path, number: int) -> None:
    random = np.random.default_rng(7)
    people = pd.DataFrame([person(random) for _ in range(2 * number)])
    truth = []
    for name, first in (("a", 0), ("b", number // 2)):
        rows = np.arange(first, first + number)
        rows = random.permutation(np.concatenate((rows, rows[random.random(number) < 0.5])))
        people.iloc[rows].to_csv(tmp_path / f"{name}.csv", index=False)
        truth.append(rows)
    result = link([tmp_path / "a.csv", tmp_path / "b.csv"])
    true = cluster_scores(result.clustering.label, np.concatenate(truth))
    assert "E0708" in {one.code for one in result.warnings}
    assert true["recall"] < 0.95
    assert result.estimates.recall == pytest.approx(true["recall"], abs=0.04)


def test_what_each_file_writes_in_its_own_way_is_no_repetition(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    brands, kinds = (["".join(random.choice(SYLLABLES, 3)) for _ in range(50)] for _ in range(2))
    n = 3000
    goods = pd.DataFrame({"brand": random.choice(brands, n), "kind": random.choice(kinds, n)})
    goods["product"] = goods["brand"] + " " + goods["kind"] + " " + random.choice(kinds, n)
    grams = pd.Series(random.choice([100, 200, 250, 400, 500, 750, 1000, 1500], n))
    price = np.round(random.lognormal(1.2, 0.5, n), 2)
    number = pd.Series(random.integers(10**12, 10**13, n).astype(str))
    weights = {"a": grams.astype(str) + " g", "b": (grams / 1000).astype(str)}
    for name, rows in (("a", slice(0, 1800)), ("b", slice(1200, 3000))):
        file = goods.assign(
            weight=weights[name],
            price=np.round(price * random.normal(1, 0.06, n), 2),
            number=number.where(random.random(n) < 0.5),
        )
        file[rows].to_csv(tmp_path / f"{name}.csv", index=False)
    result = link([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert "E0708" not in {one.code for one in result.warnings}
