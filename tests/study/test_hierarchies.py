"""Rows that refer to rows of their own table: one's manager's manager, a dam's sire, the category
above a product's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.structure.path_search import paths
from workbench.structure.relational import Reference, Schema, Table
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study


def _horses(directory: Path, rows: int) -> list[Path]:
    """Horses, sound by the height of their dam's sire; starts of horses."""
    rng = np.random.default_rng(8)
    sire = [int(rng.integers(n)) if n >= rows // 10 else None for n in range(rows)]
    dam = [int(rng.integers(n)) if n >= rows // 10 else None for n in range(rows)]
    height = rng.normal(165, 5, rows).round(1)

    def sound(n: int) -> str:
        of = dam[n] and sire[dam[n]]
        odds = 0.0 if of is None else (height[of] - 165) * 0.6
        return "yes" if rng.random() < 1 / (1 + np.exp(-odds)) else "no"

    called = lambda n: "" if n is None else f"h{n}"  # noqa: E731
    horses = [
        [
            called(n),
            called(sire[n]),
            called(dam[n]),
            height[n] if n % 20 else "",
            sound(n) if n % 9 else "",
        ]
        for n in range(rows)
    ]
    starts = [
        [n, called(int(rng.integers(rows))), int(rng.integers(9)) if n % 9 else ""]
        for n in range(2 * rows)
    ]
    return [
        write(directory / "horses.csv", ["horse", "sire", "dam", "height", "sound"], horses),
        write(directory / "starts.csv", ["start", "horse", "place"], starts),
    ]


def test_paths_lead_up_more_than_one_step() -> None:
    schema = Schema(
        {
            "lines": Table("lines", 90, "line", references=(Reference("of", "categories"),)),
            "categories": Table(
                "categories", 9, "category", references=(Reference("above", "categories"),)
            ),
        }
    )
    for timed in (False, True):
        walked = {tuple(hop.column for hop in path.hops) for path in paths(schema, "lines")}
        assert {("of", "above"), ("of", "above", "above")} <= walked, timed
    walked = {tuple(hop.column for hop in path.hops) for path in paths(schema, "categories")}
    assert {("above", "above"), ("above", "above", "above")} <= walked


def test_definitions_say_what_columns_say_of_what_is_above(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    with stage(find_sources(_horses(tmp_path, 120))) as staging:
        for target, words_of in (
            ("horses.height", "its dam's sire horse's sound"),
            ("starts.place", "its horse's sire"),
        ):
            ready = prepared(staging, target)
            rows = np.arange(ready.target.table.rows)
            every = candidates_for(staging, ready, rows, collective=True).candidates
            words = list(map(candidate_words, every))
            assert any(words_of in said for said in words)
            assert len({*words}) == len(words)
            up = [
                one
                for one in every
                if sum(hop.kind == "to" for hop in one.path.hops) > 1 and one.label is None
            ]
            assert len(up) > 20
            assert_definitions_say_columns(staging, ready, up[::7], rng)


@pytest.mark.parametrize("collective", [True, False])
def test_a_dams_sire_tells_and_infer_says_the_same(tmp_path: Path, collective: bool) -> None:
    files = _horses(tmp_path, 900)
    found = study(files, "horses.sound", folds=2, inductive=not collective, out=tmp_path / "out")
    assert "its dam's sire horse's height" in found.rules[0].words
    assert found.metrics["AUC-ROC"]["mean"] > 0.8
    assert_infer_says_the_same(tmp_path / "out", files, found, "horse", n_asked=100)
