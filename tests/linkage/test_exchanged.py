"""Forenames and surnames that stand in each other's column are put in their own, in new records as
well; names that may stand in either stay.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from experiments.cluster_scores import cluster_scores
from tests.linkage.test_lost import FORENAMES
from workbench.linkage.exchanged import put_in_place
from workbench.linkage.fields import Field
from workbench.verbs.linking.link import link
from workbench.workspace import open_workspace

SURNAMES = "Ashby Baker Carr Dalton Ellis Foster Grant Harper Irwin Jarvis Kemp Lowe Paul".split()


def persons(n: int, seed: int, share: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Two records of each; of the second ones such a share has its names exchanged."""
    random = np.random.default_rng(seed)
    rows, truth = [], []
    for person in range(n):
        surname = f"{random.choice(SURNAMES)}{random.choice(['', 'son', 'ley', 'ton'])}"
        born = str(np.datetime64("1940-01-01") + random.integers(0, 24_000))
        names = (str(random.choice(FORENAMES)), surname)
        rows += [(*names, born), (*(names[::-1] if random.random() < share else names), born)]
        truth += [person, person]
    frame = pd.DataFrame(rows, columns=["forename", "surname", "born"])
    frame.insert(0, "id", [f"{row:04d}" for row in range(len(frame))])
    return frame, np.array(truth)


def test_exchanged_names_are_put_in_their_columns(tmp_path: Path) -> None:
    frame, truth = persons(800, 3, 0.3)
    frame.to_csv(tmp_path / "a.csv", index=False)
    with open_workspace(tmp_path / "w.duckdb") as ws:
        result = ws.link(tmp_path / "a.csv", id_column="id")
        assert cluster_scores(result.clustering.label, truth)["F1"] > 0.97
        (said,) = [one for one in result.warnings if one.code == "E0697"]
        assert said.message.startswith("forename and surname stand in each other's column in 2")
        first = frame.iloc[0]
        new = pd.DataFrame([("new", first.surname, first.forename, first.born)])
        new.set_axis(frame.columns, axis="columns").to_csv(tmp_path / "new.csv", index=False)
        more = ws.link_more(tmp_path / "new.csv")
        cluster = more.clusters.set_index("id")["cluster"]
        assert cluster["new"] == cluster["0000"]


def test_names_that_nobody_exchanged_stay(tmp_path: Path) -> None:
    frame, _ = persons(800, 3, 0.0)
    frame.to_csv(tmp_path / "a.csv", index=False)
    result = link([tmp_path / "a.csv"], id_column="id")
    assert "E0697" not in {one.code for one in result.warnings}


def test_names_of_either_column_stay_where_they_are() -> None:
    random = np.random.default_rng(0)
    texts = np.array(["paul", "martin", "thomas", "james"], object)
    codes = [random.integers(0, 4, 500).astype(np.int32) for _ in range(2)]
    fields = [Field(name, "name", texts, of) for name, of in zip(("one", "two"), codes)]
    assert put_in_place(fields) == (fields, {})
