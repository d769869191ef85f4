"""A kept linkage looked at and corrected: clusters, reasons, thresholds, answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage import people
from tests.linkage.test_link_more import arrived, at_once, made
from workbench.database import kept_linkage
from workbench.errors import UsageError
from workbench.linkage.estimates import threshold_curve
from workbench.verbs.linking.linkage import Linkage
from workbench.workspace import Workspace, open_workspace

KINDS = ("one file", "two files", "one to one")


def link_people(folder: Path, kind: str) -> Workspace:
    frame = people(400, seed=4)[0]
    ws = open_workspace()
    if kind == "one file":
        ws.link(made(folder, frame))
    else:
        halves = made(folder, frame.iloc[:200], "a"), made(folder, frame.iloc[200:], "b")
        ws.link(*halves, one_to_one=kind == "one to one")
    return ws


@pytest.fixture(scope="module", params=KINDS)
def looked_at(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """The people, linked once for all that only look at them."""
    with link_people(tmp_path_factory.mktemp("people"), request.param) as ws:
        yield ws


@pytest.fixture
def linked(looked_at: Workspace, tmp_path: Path) -> Iterator[Workspace]:
    """A copy of theirs, to be changed; their files are to stay."""
    looked_at.save_as(tmp_path / "copy.duckdb")
    with open_workspace(tmp_path / "copy.duckdb") as ws:
        yield ws


def apart_and_together(linkage: Linkage) -> tuple[tuple[str, str], tuple[str, str]]:
    """A pair that is apart and likely enough to be asked about, and one that is together."""
    asked = linkage.questions(1000)
    return tuple(  # type: ignore[return-value]
        next((one.left, one.right) for one in asked if one.together is together)
        for together in (False, True)
    )


def cluster_of(linkage: Linkage, name: str) -> str:
    return str(linkage.records(name)["cluster"].iloc[0])


def test_answers_merge_and_split_and_are_taken_back(linked: Workspace) -> None:
    """Clusters are those that all kept records have with the answers, and again without."""
    linkage = linked.linkage()
    before, figures = arrived(linked), linkage.figures()
    apart, together = apart_and_together(linkage)
    merged = linkage.answer(*apart, True)
    assert cluster_of(linkage, apart[0]) == cluster_of(linkage, apart[1])
    split = linkage.answer(*together, False)
    assert cluster_of(linkage, together[0]) != cluster_of(linkage, together[1])
    assert min(merged.moved, split.moved) > 0
    _, clusters, energy = at_once(linked)
    assert arrived(linked) == clusters
    now = linkage.figures()
    assert (now["clusters"], now["energy"]) == (len(set(clusters.values())), pytest.approx(energy))
    assert list(linkage.answers()["same"]) == [True, False]
    assert not {apart, together} & {(one.left, one.right) for one in linkage.questions(1000)}
    for pair in (apart, together):
        linkage.answer(*pair, None)
    assert arrived(linked) == before
    assert linkage.figures() == pytest.approx(figures)
    assert linkage.answers().empty


def test_reasons_add_up_to_the_probability_of_a_pair(looked_at: Workspace) -> None:
    linkage = looked_at.linkage()
    seen = 0
    for cluster in linkage.clusters(most=5)["cluster"]:
        for row in linkage.pairs(cluster).itertuples():
            log_odds = sum(part for _, part in linkage.why(row.left, row.right))
            assert 1 / (1 + np.exp(-log_odds)) == pytest.approx(row.probability, abs=1e-9)
            seen += 1
    assert seen >= 5
    every = linkage.pairs()
    likely = dict(zip(map(frozenset, zip(every["left"], every["right"])), every["probability"]))
    assert likely[frozenset((row.left, row.right))] == pytest.approx(row.probability)


def test_clusters_are_found_by_what_their_records_hold(looked_at: Workspace) -> None:
    linkage = looked_at.linkage()
    found = linkage.clusters(most=1000)
    members = linkage.members()
    sizes = members.groupby("cluster").size()
    assert dict(zip(found["cluster"], found["records"])) == sizes[sizes > 1].to_dict()
    assert list(found["records"]) == sorted(found["records"], reverse=True)
    surname = str(found["surname"].dropna().iloc[-1])
    for name in linkage.clusters(surname.upper())["cluster"]:
        own = linkage.records(name).query("cluster == @name")
        assert own.to_string().count(surname)
    assert linkage.clusters("nobody is called so").empty
    alone = str(sizes.index[sizes == 1][0])
    assert alone in list(linkage.clusters(alone.rsplit(":")[-1])["cluster"])


def test_a_linkage_is_made_again_with_its_answers(linked: Workspace) -> None:
    linkage = linked.linkage()
    apart, together = apart_and_together(linkage)
    linkage.answer(*apart, True)
    linkage.answer(*together, False)
    within = linkage.members().groupby("source").head(2).groupby("source")["id"].apply(list)
    if len(linkage.sources) == 2:
        linkage.answer(*(f"{within.index[1]}:{name}" for name in within.iloc[1]), False)
    again = linked.linkage(linked.link_again().run_id)
    assert again.run_id != linkage.run_id
    assert sorted(map(set, again.answers()[["left", "right"]].to_numpy()), key=sorted) == sorted(
        map(set, linkage.answers()[["left", "right"]].to_numpy()), key=sorted
    )
    labels = ["left", "right", "match"]
    pd.testing.assert_frame_equal(
        again.labels().sort_values(labels, ignore_index=True),
        linkage.labels().sort_values(labels, ignore_index=True),
    )
    assert cluster_of(again, together[0]) != cluster_of(again, together[1])


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_refused(kind: str, tmp_path: Path) -> None:
    linked = link_people(tmp_path, kind)
    linkage = linked.linkage()
    name = str(linkage.clusters()["cluster"].iloc[0])
    with pytest.raises(UsageError, match="E0695"):
        linkage.answer(name, name, True)
    with pytest.raises(UsageError, match="E0671"):
        linkage.answer(name, "nobody", True)
    with pytest.raises(UsageError, match="E0682"):
        linked.linkage(99)
    for path in tmp_path.glob("*.csv"):
        path.unlink()
    with pytest.raises(UsageError, match="E0696"):
        linked.link_again()


def test_a_linkage_that_an_earlier_version_kept_has_no_doubts(linked: Workspace) -> None:
    store = kept_linkage(linked.database)
    assert store is not None
    for table in ("doubt", "curve"):
        store.rows(f"DROP TABLE {{0}}.{table}")
    linkage = linked.linkage()
    assert linkage.questions() == []
    assert linkage.curve().empty
    assert len(linkage.clusters())


def test_expected_precision_and_recall_by_the_threshold() -> None:
    """Counted pair by pair."""
    scores = np.random.default_rng(5).normal(0, 3, 400)
    probability = 1 / (1 + np.exp(-0.8 * scores))
    found = threshold_curve(scores, captured=0.9, scale=0.8)
    for at, threshold in enumerate(found["threshold"]):
        inside = 1 / (1 + np.exp(-scores)) >= threshold
        assert found["pairs"][at] == inside.sum()
        if inside.any():
            assert found["precision"][at] == pytest.approx(probability[inside].mean())
        expected = probability[inside].sum() / (probability.sum() / 0.9)
        assert found["recall"][at] == pytest.approx(expected)


@pytest.mark.parametrize("files", [1, 2])
def test_a_higher_threshold_joins_fewer_and_holds_for_new_records(
    tmp_path: Path, files: int
) -> None:
    frame = people(500, seed=4)[0]
    first, later = frame.iloc[:470], frame.iloc[470:]
    with open_workspace() as ws:
        parts = np.array_split(np.arange(len(first)), files)
        sources = [made(tmp_path, first.iloc[part], f"f{at}") for at, part in enumerate(parts)]
        sizes = []
        for threshold in (0.2, 0.5, 0.99, 0.9999):
            result = ws.link(*sources, threshold=threshold)
            sizes.append(len(result.clustering))
            assert result.as_record()["threshold"] == pytest.approx(threshold)
            assert ws.linkage().threshold == pytest.approx(threshold)
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[-1]
        more = ws.link_more(made(tmp_path, later, f"f{files - 1}"))
        _, clusters, energy = at_once(ws)
        assert arrived(ws) == clusters
        assert more.figures["energy"] == pytest.approx(energy)
        with pytest.raises(UsageError, match="E0694"):
            ws.link(*sources, threshold=1.0)


def again_of(ws: Workspace) -> tuple[Linkage, dict[str, str]]:
    result = ws.link_again(1)
    said = {one.code: one.message for one in result.warnings if one.code in ("E0658", "E0659")}
    return ws.linkage(result.run_id), said


def test_answers_to_records_that_the_files_lack_are_left_out_and_said(tmp_path: Path) -> None:
    """Records that came later, or whose row is gone; what was done beside the files is told."""
    frame = people(160, seed=4)[0]
    with open_workspace() as ws:
        ws.link(made(tmp_path, frame.iloc[:150]))
        ws.link_more(made(tmp_path, frame.iloc[150:], "new"))
        linkage = ws.linkage()
        linkage.answer("0", "155", same=True)
        linkage.answer("1", "2", same=True)
        again, said = again_of(ws)
        assert said["E0658"].startswith("1 of the answers")
        assert "10 kept records are in no file" in said["E0659"]
        assert len(again.answers()) == 1
        assert cluster_of(again, "1") == cluster_of(again, "2")
        mended = frame.iloc[[3]].assign(surname="Otherwise")
        ws.link_more(made(tmp_path, mended, "mended"), run=1, correct=True)
        ws.link_more(made(tmp_path, frame.iloc[[2]], "gone"), run=1, remove=True)
        again, said = again_of(ws)
        assert "1 were corrected" in said["E0659"]
        assert "1 were removed" in said["E0659"]
        assert again.answers().empty


def test_answers_about_rows_that_hold_something_else_now_are_left_out(tmp_path: Path) -> None:
    frame = people(100, seed=4)[0].drop(columns="record")
    with open_workspace() as ws:
        ws.link(made(tmp_path, frame))
        ws.linkage().answer("1", "2", same=True)
        ws.linkage().answer("99", "100", same=True)
        again, said = again_of(ws)
        assert (len(again.answers()), said) == (2, {})
        made(tmp_path, pd.concat([frame.iloc[[50]], frame.iloc[1:]]))
        again, said = again_of(ws)
        assert list(again.answers()["left"]) == ["99"]
        assert said["E0658"].startswith("1 of the answers")
