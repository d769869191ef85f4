"""Intervals of estimated precision and recall: how many hold, on kinds of records that nothing was
chosen on, and where columns cannot tell things apart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_kinds import Kind, made_up, spoiled, surname
from benchmarks.linkage_readings import READINGS
from benchmarks.linkage_sets import FORENAMES, PLACES, STREETS
from experiments.cluster_scores import cluster_scores
from workbench.linkage.estimates import SURE, interval
from workbench.verbs.linking.link import link

Random = np.random.Generator


def pilot(random: Random, _: None) -> dict[str, Any]:
    return {
        "name": f"{random.choice(FORENAMES)} {surname(random)}", "base": random.choice(PLACES),
        "licence": f"{random.choice(list('ABCD'))}{random.integers(10**5, 10**6)}",
        "born": str(np.datetime64("1950-01-01") + random.integers(0, 18_000)),
    }  # fmt: skip


def pilot_seen(random: Random, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": spoiled(random, one["name"], 0.1), "base": one["base"],
        "licence": spoiled(random, one["licence"], 0.05) if random.random() < 0.5 else None,
        "born": spoiled(random, one["born"], 0.05) if random.random() < 0.8 else None,
    }  # fmt: skip


def kiosk(random: Random, _: None) -> dict[str, Any]:
    return {
        "street": f"{random.integers(1, 90)} {random.choice(STREETS)} Street",
        "town": random.choice(PLACES), "owner": surname(random),
        "area": float(random.gamma(4.0, 5.0)),
    }  # fmt: skip


def kiosk_seen(random: Random, one: dict[str, Any]) -> dict[str, Any]:
    owner = one["owner"] if random.random() < 0.85 else surname(random)
    return {
        "street": spoiled(random, one["street"], 0.1), "town": one["town"],
        "owner": spoiled(random, owner, 0.08),
        "area": round(one["area"] * random.uniform(0.98, 1.02), 1),
    }  # fmt: skip


KINDS = {
    "pilots": Kind(lambda _: None, pilot, pilot_seen),
    "kiosks": Kind(lambda _: None, kiosk, kiosk_seen),
}


def measured(folder: Path, kind: str, kinds: dict[str, Kind], **how: Any) -> tuple[Any, Any]:
    tables, truths = made_up(kind, kinds=kinds, **how)
    files = [folder / f"{letter}.csv" for letter, _ in zip("ab", tables)]
    for table, file in zip(tables, files):
        table.to_csv(file, index=False)
    result = link(files, id_column="id")
    of = dict(zip(map(str, pd.concat(tables)["id"]), np.concatenate(truths)))
    truth = np.array([of[str(one)] for one in result.records.ids])
    return result, cluster_scores(result.clustering.label, truth)


def test_most_intervals_hold(tmp_path: Path) -> None:
    held, width = [], []
    for seed, (kind, again, apart) in enumerate(
        [(kind, again, apart) for kind in KINDS for again in (0.05, 0.5) for apart in (False, True)]
    ):
        result, true = measured(tmp_path, kind, KINDS, n=450, seed=seed, again=again, apart=apart)
        for name in ("precision", "recall"):
            least, most = getattr(result.estimates, f"{name}_interval")
            held.append(least - 0.005 <= true[name] <= most + 0.005)
            width.append(most - least)
    assert np.mean(held) >= SURE - 0.05
    assert np.mean(width) < 0.35


def test_where_fathers_are_called_as_their_sons_precision_may_be_low(tmp_path: Path) -> None:
    result, true = measured(tmp_path, "namesakes", READINGS, n=2000, seed=9032, again=0.05)
    assert true["precision"] < 0.3
    least, most = result.estimates.precision_interval
    assert least < 0.35
    assert most - least > 0.5
    assert f"({least:.2f} to {most:.2f})" in result.estimates.words()
    assert result.as_record()["estimated_precision_interval"] == [least, most]


@pytest.mark.parametrize("share", [0.3, 0.9, 0.98])
def test_intervals_hold_as_often_as_they_say(share: float) -> None:
    right = np.random.default_rng(0).binomial(15, share, 2000)
    found = [interval(one / 15, 15) for one in range(16)]
    assert np.mean([found[one][0] <= share <= found[one][1] for one in right]) > SURE - 0.06
