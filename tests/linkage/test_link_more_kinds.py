"""`link_more` of linkages with labels, by settings and one to one:
as a scoring of all at once, too.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage import people
from tests.linkage.test_link_more import arrived, at_once, in_parts, made, pairs_by_name
from tests.linkage.test_splink_settings import level
from workbench.verbs.linking.result import LinkResult
from workbench.workspace import Workspace, open_workspace

BIRTHDAYS = "abs(date_diff('day', born_l, born_r)) <= 40"
SETTINGS = {
    "link_type": "dedupe_only",
    "probability_two_random_records_match": 0.002,
    "unique_id_column_name": "record",
    "comparisons": [
        {
            "output_column_name": "surname",
            "comparison_levels": [
                level("surname_l IS NULL OR surname_r IS NULL", is_null_level=True),
                level("surname_l = surname_r", 0.8, 0.01, tf_adjustment_column="surname"),
                level("levenshtein(surname_l, surname_r) <= 1", 0.15, 0.02),
                # Not symmetrical: the order of the records matters.
                level("length(surname_l) < length(surname_r)", 0.03, 0.4),
                level("ELSE", 0.02, 0.57),
            ],
        },
        {
            "output_column_name": "born",
            "comparison_levels": [
                level("born_l IS NULL OR born_r IS NULL", is_null_level=True),
                level(BIRTHDAYS, 0.85, 0.02),
                level("ELSE", 0.15, 0.98),
            ],
        },
        {
            "output_column_name": "place",
            "comparison_levels": [level("place_l = place_r", 0.7, 0.1), level("ELSE", 0.3, 0.9)],
        },
    ],
    "blocking_rules_to_generate_predictions": [
        "l.surname = r.surname",
        "l.place = r.place AND l.born < r.born",
    ],
}


def first_linked(ws: Workspace, folder: Path, kind: str) -> tuple[LinkResult, pd.DataFrame]:
    """A linkage of a kind, and records that come later."""
    frame, truth = people(700, seed=4, copies=3.0, spoiled=1.3)
    frame["born"] = frame["born"].where(frame["born"].str.fullmatch(r"\d{4}-\d\d-\d\d"))
    frame["born"] = pd.to_datetime(frame["born"], errors="coerce").dt.strftime("%Y-%m-%d")
    first, later = in_parts(frame, [640, 60])
    options: dict[str, object] = {}
    halves = in_parts(first, [320, 320])
    several = "two files" in kind or "one to one" in kind
    if "labels" in kind:
        random = np.random.default_rng(1)
        sides = random.integers(0, 320, 4000), random.integers(320, 640, 4000)
        same = truth.to_numpy()[sides[0]] == truth.to_numpy()[sides[1]]
        chosen = np.concatenate(
            (np.flatnonzero(same)[:40], np.flatnonzero(~same)[: 3 if "few" in kind else 60])
        )
        rows = pd.DataFrame(
            {"left": sides[0][chosen], "right": sides[1][chosen], "match": same[chosen].astype(int)}
        )
        options["labels"] = made(folder, rows.drop_duplicates(), "labels")
    if "settings" in kind:
        link_type = (
            "dedupe_only" if not several else "link_and_dedupe" if "within" in kind else "link_only"
        )
        options["settings"] = folder / "model.json"
        (folder / "model.json").write_text(
            json.dumps(SETTINGS | {"link_type": link_type}), encoding="utf-8"
        )
    if "one to one" in kind:
        options["one_to_one"] = True
    files = (
        [made(folder, halves[0], "a"), made(folder, halves[1], "b")]
        if several
        else [made(folder, first, "a")]
    )
    return ws.link(*files, **options), later  # type: ignore[arg-type]


KINDS = [
    "labels",
    "labels, few",
    "one to one",
    "one to one, labels",
    "settings",
    "settings, two files",
    "settings, two files, within",
    "settings, one to one",
    "settings, labels",
]


@pytest.mark.parametrize("kind", KINDS)
def test_records_that_come_later_go_or_change_leave_what_all_at_once_gives(
    tmp_path: Path, kind: str
) -> None:
    random = np.random.default_rng(3)
    with open_workspace() as ws:
        result, later = first_linked(ws, tmp_path, kind)
        pairs, clusters, energy = at_once(ws)
        fitted = pairs_by_name(result.pairs)
        assert {pair for pair, value in pairs.items() if value >= 0.01} == set(fitted)
        assert {pair: pairs[pair] for pair in fitted} == pytest.approx(fitted, abs=2e-6)
        assert arrived(ws) == clusters
        assert energy == pytest.approx(result.clustering.energy)
        some = in_parts(later, [1, 19, 40])
        for name, part in zip(("a", "a", "b" if len(result.records.sources) == 2 else "a"), some):
            more = ws.link_more(made(tmp_path, part, name))
            assert more.added.count == len(part)
            check(ws, more)
        known = later.iloc[1:20]
        mended, values = (
            known.sample(10, random_state=1),
            known.sample(10, random_state=2).iloc[:, 1:],
        )
        mended = pd.concat([mended.iloc[:, :1], values.set_axis(mended.index)], axis=1)
        check(ws, ws.link_more(made(tmp_path, mended, "a"), correct=True))
        ids = [name for source, name in arrived(ws) if source == "a"]
        gone = pd.DataFrame({"record": random.choice(ids, 25, replace=False)})
        check(ws, ws.link_more(made(tmp_path, gone, "a"), remove=True))


def check(ws: Workspace, more: object) -> None:
    """What is kept is what a scoring of all kept records gives, and so are its figures."""
    pairs, clusters, energy = at_once(ws)
    assert arrived(ws) == clusters
    assert more.figures["energy"] == pytest.approx(energy)  # type: ignore[attr-defined]
    assert more.figures["clusters"] == len(set(clusters.values()))  # type: ignore[attr-defined]
    assert more.figures["records"] == len(clusters)  # type: ignore[attr-defined]
    compared = pairs_by_name(more.pairs)  # type: ignore[attr-defined]
    assert compared == pytest.approx({pair: pairs[pair] for pair in compared}, abs=2e-6)


@pytest.mark.parametrize("kind", ["settings", "labels"])
def test_pairs_of_new_records_have_the_columns_that_the_first_ones_have(
    tmp_path: Path, kind: str
) -> None:
    with open_workspace() as ws:
        result, later = first_linked(ws, tmp_path, kind)
        more = ws.link_more(made(tmp_path, later, "a"))
        assert list(more.pairs.columns) == list(result.pairs.columns)
        more.write_pairs(tmp_path / "pairs.csv")
        written = pd.read_csv(tmp_path / "pairs.csv")
        assert list(written.columns) == list(result.pairs.columns)
        if kind == "settings":
            odds = 2.0 ** written["match_weight"]
            assert written["probability"].to_numpy() == pytest.approx(
                (odds / (1 + odds)).to_numpy(), abs=1e-6
            )
