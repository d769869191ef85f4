"""Values that stand for each other are compared as one, in new records as well; values that merely
go together are not.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_kinds import made_up
from benchmarks.linkage_titles import TITLES, VENUES
from experiments.cluster_scores import cluster_scores
from workbench.linkage.exchanged import called_alike
from workbench.linkage.fields import Field
from workbench.workspace import open_workspace


def held(name: str, kind: str, values: np.ndarray) -> Field:
    texts, codes = np.unique(values, return_inverse=True)
    return Field(name, kind, texts.astype(object), codes.astype(np.int32))  # type: ignore[arg-type]


@pytest.mark.parametrize("spelled", [True, False])
def test_spellings_of_one_value_are_one_and_sizes_of_one_article_are_not(spelled: bool) -> None:
    random = np.random.default_rng(2)
    article = np.repeat(np.arange(300), 3)
    kind = random.integers(0, 4, 300)[article] if spelled else random.integers(0, 4, 900)
    written = random.integers(0, 2, 900)
    sizes = np.array([[f"size {one}", f"s {one}"] for one in range(4)])[kind, written]
    found = called_alike([held("size", "category", sizes), held("name", "name", article)])
    assert len(found[0].texts) == (4 if spelled else 8)
    assert all(one[-1] == other[-1] for one, other in found[0].called.items())
    if spelled:
        assert [found[0].texts[code][-1] for code in found[0].codes] == [one[-1] for one in sizes]


def test_towns_of_one_thing_that_moved_are_two() -> None:
    random = np.random.default_rng(4)
    person = np.append(np.repeat(np.arange(200), 2), [200] * 6)
    town = np.array([f"town {one}" for one in random.integers(0, 50, 200)])[person[:400] % 200]
    town = np.append(town, ["Cleveland"] * 3 + ["Manchester"] * 3)
    names = [held(called, "name", person) for called in ("name", "phone", "mail")]
    assert not called_alike([held("town", "category", town), *names])[0].called


def test_venues_that_are_abbreviated_tell_no_citations_apart(tmp_path: Path) -> None:
    (frame,), (truth,) = made_up("citations", 1500, seed=8, again=0.3, kinds=TITLES)
    frame.to_csv(tmp_path / "a.csv", index=False)
    with open_workspace(tmp_path / "w.duckdb") as ws:
        result = ws.link(tmp_path / "a.csv", id_column="id")
        assert cluster_scores(result.clustering.label, truth)["F1"] > 0.95
        assert "E0698" in {one.code for one in result.warnings}
        first = frame[frame.venue == VENUES[0][0]].iloc[0]
        new = pd.DataFrame([first]).assign(id="new", venue=VENUES[0][1])
        new.to_csv(tmp_path / "new.csv", index=False)
        cluster = ws.link_more(tmp_path / "new.csv").clusters.set_index("id")["cluster"]
        assert cluster["new"] == cluster[str(first.id)]
