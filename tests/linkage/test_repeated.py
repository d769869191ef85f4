"""Things that either of two files has twice: they stay apart, and it is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

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
