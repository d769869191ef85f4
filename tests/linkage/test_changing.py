"""Codes that change are told from those that name things."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_kinds import often_first, spoiled, surname
from benchmarks.linkage_sets import FORENAMES, TRADES
from experiments.cluster_scores import cluster_scores
from workbench.verbs.linking.link import link


def contacts(seed: int) -> pd.DataFrame:
    """People of whom each has two telephones, and perhaps two addresses of mail."""
    random = np.random.default_rng(seed)
    firms = [f"{surname(random)} {random.choice(TRADES)}" for _ in range(150)]
    rows = []
    for thing in range(1500):
        first, last = str(often_first(random, FORENAMES)).split()[0], surname(random)
        firm, phones = often_first(random, firms), random.integers(2 * 10**9, 10**10, 2)
        mails = [
            f"{first}.{last}@{firm.split()[0]}.com".lower(),
            f"{first}{random.integers(9, 99)}@mail.org".lower(),
        ]
        for _ in range(1 + int(random.random() < 0.5) + int(random.random() < 0.2)):
            row = {
                "name": spoiled(random, f"{first} {last}", 0.2),
                "email": spoiled(random, mails[int(random.random() < 0.2)], 0.05),
                "phone": str(phones[int(random.random() < 0.3)]),
                "company": spoiled(random, firm, 0.1),
            }
            blank = {name for name in row if random.random() < 0.25}
            rows.append({"id": len(rows), "thing": thing}
                        | {name: None if name in blank else row[name] for name in row})  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize("seed", [3, 6])
def test_people_with_two_telephones_are_one(seed: int, tmp_path: Path) -> None:
    made = contacts(seed)
    made.drop(columns="thing").to_csv(tmp_path / "contacts.csv", index=False)
    result = link([tmp_path / "contacts.csv"], id_column="id")
    thing = made.set_index(made["id"].astype(str))["thing"]
    true = cluster_scores(
        result.clustering.label, thing.loc[[str(one) for one in result.records.ids]].to_numpy()
    )
    assert true["F1"] > 0.8
