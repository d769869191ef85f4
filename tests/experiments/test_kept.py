"""Tables kept in a workspace, and published figures without a run."""

from __future__ import annotations

import pytest

from experiments import (
    EXPERIMENTS,
    FoldScore,
    ReproductionTable,
    keep,
    kept,
    published,
    systems,
)
from experiments.table import rows_from_folds
from workbench.errors import UsageError
from workbench.workspace import open_workspace

PUBLISHED = {("A", "x", "F1"): 0.5, ("B", "x", "F1"): 0.6}


def table(system: str, value: float, note: str) -> ReproductionTable:
    scores = (FoldScore(system, "x", "F1", "1", value), FoldScore(system, "x", "CLL", "1", -value))
    return ReproductionTable(
        "some", "title", rows_from_folds(scores, PUBLISHED), scores, (note,), {system: 1.0}
    )


def test_what_is_run_later_joins_what_was_kept() -> None:
    with open_workspace() as workspace:
        assert kept(workspace, "some") is None
        first = table("A", 0.4, "one")
        keep(workspace, first)
        assert kept(workspace, "some") == first
        keep(workspace, table("B", 0.7, "two"))
        found = kept(workspace, "some")
        assert found is not None
        assert [(row.system, row.metric, row.published, row.ours) for row in found.rows] == [
            ("A", "F1", 0.5, 0.4),
            ("B", "F1", 0.6, 0.7),
            ("B", "CLL", None, -0.7),
            ("A", "CLL", None, -0.4),
        ]
        assert (found.notes, set(found.seconds)) == (("one", "two"), {"A", "B"})
        keep(workspace, table("A", 0.45, "one"))
        found = kept(workspace, "some")
        assert found is not None
        assert found.find("A", "x", "F1").ours == 0.45
        assert sorted(score.value for score in found.folds_detail) == [-0.7, -0.45, 0.45, 0.7]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_names_its_figures_and_systems(name: str) -> None:
    assert systems(name)
    rows = published(name)
    assert all(row.ours is None for row in rows)
    assert rows or name == "psl-scaling"


def test_unknown_experiments_have_no_figures() -> None:
    with pytest.raises(UsageError, match="did you mean uw-cse"):
        published("uwcse")
