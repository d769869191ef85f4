"""`link_more`: records that come later get the pairs,
weights and clusters of a scoring of all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage import people
from benchmarks.linkage_sets import companies
from workbench.database import kept_linkage
from workbench.errors import WorkbenchError
from workbench.linkage.matching import best_of_each
from workbench.linkage.mixture import sigmoid
from workbench.progress import Conduct
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.kept_records import stored_records
from workbench.workspace import Workspace, open_workspace


def made(folder: Path, frame: pd.DataFrame, name: str = "people") -> Path:
    path = folder / f"{name}.csv"
    frame.to_csv(path, index=False)
    return path


def pairs_by_name(found: pd.DataFrame) -> dict[frozenset[tuple[str, str]], float]:
    sides = zip(
        found["left_source"],
        found["left"],
        found["right_source"],
        found["right"],
        found["probability"],
    )
    return {
        frozenset(((one, left), (other, right))): value for one, left, other, right, value in sides
    }


def at_once(ws: Workspace) -> tuple[dict[frozenset[tuple[str, str]], float], dict[str, str], float]:
    """Pairs of all kept records with their probability, clusters and energy,
    by the kept model alone.
    """
    store = kept_linkage(ws.database)
    assert store is not None
    description = Description.read(store.model())
    assert description is not None
    every = stored_records(store, description, store.numbers(None))
    pairs = every.pairs(np.ones(len(every), np.bool_))
    scores = every.scores(pairs)
    scores = every.weighed(pairs, scores, best_of_each(len(every), pairs, scores))
    found = every.clustered(pairs, scores - description.cut_at, Conduct())
    names = [
        (description.sources[source], name)
        for source, name in zip(
            every.rows.column("source").to_pylist(), every.rows.column("id").to_pylist()
        )
    ]
    probability = sigmoid(scores).round(6)
    by_name = {
        frozenset((names[left], names[right])): value
        for left, right, value in zip(pairs.left, pairs.right, probability)
    }
    order = np.argsort(every.number)
    first: dict[int, tuple[str, str]] = {}
    for row in order:
        first.setdefault(found.label[row], names[row])
    return by_name, {names[row]: first[found.label[row]] for row in order}, found.energy


def arrived(ws: Workspace) -> dict[tuple[str, str], tuple[str, str]]:
    """The kept clusters."""
    store = kept_linkage(ws.database)
    assert store is not None
    description = Description.read(store.model())
    assert description is not None
    rows = store.records("number", store.numbers(None).tolist()).to_pylist()
    names = {row["number"]: (description.sources[row["source"]], row["id"]) for row in rows}
    return {names[row["number"]]: names[row["cluster"]] for row in rows}


def in_parts(frame: pd.DataFrame, sizes: Sequence[int]) -> list[pd.DataFrame]:
    edges = np.cumsum([0, *sizes])
    return [frame.iloc[begin:end] for begin, end in pairwise(edges)]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "kind", ["persons, keys", "companies, words", "a single column", "few, all pairs", "two files"]
)
def test_records_that_come_later_are_linked_as_all_at_once(
    tmp_path: Path, kind: str, seed: int
) -> None:
    random = np.random.default_rng(seed)
    if kind == "companies, words":
        frame = companies(700, seed=12, overlap=0.5)[0][0]
    elif kind == "a single column":
        frame = companies(700, seed=12, overlap=0.5)[0][0][["id", "name"]]
    else:
        frame = people(160 if kind == "few, all pairs" else 900, seed=4)[0]
    frame = frame.iloc[random.permutation(len(frame))].reset_index(drop=True)
    frame = frame.mask((random.random(frame.shape) < 0.05) & (np.arange(frame.shape[1]) > 0))
    first, *later = in_parts(frame, [len(frame) - 64, 1, 20, 43])
    with open_workspace() as ws:
        name = "people"
        if kind == "two files":
            halves = in_parts(first, [len(first) // 2, len(first) - len(first) // 2])
            result = ws.link(made(tmp_path, halves[0], "a"), made(tmp_path, halves[1], "b"))
            name = "b"
        else:
            result = ws.link(made(tmp_path, first))
        compared = pairs_by_name(result.pairs)
        for part in later:
            shuffled = part[random.permutation(part.columns)]
            more = ws.link_more(made(tmp_path, shuffled, name))
            assert more.added.count == len(part)
            compared |= pairs_by_name(more.pairs)
        pairs, clusters, energy = at_once(ws)
        assert {pair: value for pair, value in compared.items() if value >= 0.01} == {
            pair: value for pair, value in pairs.items() if value >= 0.01
        }
        assert arrived(ws) == clusters
        assert more.figures["energy"] == pytest.approx(energy)
        assert more.figures["clusters"] == len(set(clusters.values()))


@pytest.mark.parametrize(
    "kind", ["persons, keys", "companies, words", "few, all pairs", "two files"]
)
def test_corrected_and_removed_records_leave_what_scoring_the_rest_at_once_gives(
    tmp_path: Path, kind: str
) -> None:
    random = np.random.default_rng(5)
    if kind == "companies, words":
        frame = companies(500, seed=12, overlap=0.5)[0][0]
    else:
        frame = people(160 if kind == "few, all pairs" else 600, seed=4)[0]
    halves = in_parts(frame, [len(frame) // 2, len(frame) - len(frame) // 2])
    with open_workspace() as ws:
        if kind == "two files":
            ws.link(made(tmp_path, halves[0], "a"), made(tmp_path, halves[1], "b"))
        else:
            ws.link(made(tmp_path, frame, "a"))
        before = arrived(ws)
        rows = random.permutation(len(halves[0]))
        mended, gone = halves[0].iloc[rows[:20]], halves[0].iloc[rows[20:40]]
        # As many records say of themselves what others said.
        values = halves[0].iloc[rows[40:60], 1:].set_axis(mended.index)
        mended = pd.concat([mended.iloc[:, :1], values], axis=1)
        assert kept_linkage(ws.database) is not None
        corrected = ws.link_more(made(tmp_path, mended, "a"), correct=True)
        assert (corrected.added.count, len(corrected.added.corrected)) == (0, 20)
        assert arrived(ws) == at_once(ws)[1]
        removed = ws.link_more(made(tmp_path, gone.iloc[:, :1], "a"), remove=True)
        names = {("a", str(name)) for name in gone.iloc[:, 0]}
        assert set(arrived(ws)) == set(before) - names
        assert set(removed.changed["removed"]) == {
            name if kind != "two files" else f"{source}:{name}" for source, name in names
        }
        _, clusters, energy = at_once(ws)
        assert arrived(ws) == clusters
        assert removed.figures["energy"] == pytest.approx(energy)
        assert removed.figures["clusters"] == len(set(clusters.values()))
        again = ws.link_more(made(tmp_path, gone.iloc[:, :1], "a"), remove=True)
        assert (again.figures, again.changed["removed"]) == (removed.figures, [])
        back = ws.link_more(made(tmp_path, gone, "a"))
        assert set(arrived(ws)) == set(before)
        assert (back.added.count, arrived(ws)) == (len(gone), at_once(ws)[1])


@pytest.fixture
def kept(tmp_path: Path) -> Workspace:
    """500 persons linked, by keys."""
    frame = people(500, seed=4)[0]
    ws = open_workspace()
    ws.link(made(tmp_path, frame, "people"))
    return ws


def test_clusters_are_told_by_what_became_of_them(tmp_path: Path, kept: Workspace) -> None:
    before = arrived(kept)
    copied = people(500, seed=4)[0].iloc[[7, 7]].assign(record=[900, 901])
    stranger = copied.iloc[:1].assign(
        record=902,
        first_name="Qwx",
        surname="Zzyzx",
        born="1800-01-01",
        place="Nowhere",
        postcode="00000",
    )
    more = kept.link_more(made(tmp_path, pd.concat([copied, stranger]), "new"))
    home = before["people", "7"][1]
    assert more.changed["merged"] == [
        {"cluster": home, "clusters": [home], "records": ["900", "901"]}
    ]
    assert (more.changed["split"], more.changed["new"]) == ([], ["902"])
    shown = more.clusters
    assert set(shown.loc[shown["cluster"] == home, "id"]) >= {"7", "900", "901"}
    assert {name: cluster for name, cluster in arrived(kept).items() if name in before} == before
    assert more.as_record()["new"] == 3


def test_records_that_come_twice_are_passed_over(tmp_path: Path, kept: Workspace) -> None:
    new = made(tmp_path, people(500, seed=4)[0].iloc[[7]].assign(record=900), "new")
    once, again = kept.link_more(new), kept.link_more(new)
    assert (once.added.count, again.added.count, again.added.known) == (1, 0, 1)
    assert again.figures == once.figures
    assert again.clusters.equals(once.clusters)
    assert again.changed == {"merged": [], "split": [], "new": []}


def test_a_cluster_that_loses_its_first_record_is_renamed(tmp_path: Path, kept: Workspace) -> None:
    before = arrived(kept)
    copied = people(500, seed=4)[0].iloc[[7]]
    first = before["people", "7"][1]
    kept.link_more(made(tmp_path, copied.assign(record=900), "new"))
    gone = [name for (_, name), (_, home) in before.items() if home == first]
    more = kept.link_more(made(tmp_path, pd.DataFrame({"record": gone}), "gone"), remove=True)
    assert more.changed["renamed"] == [{"cluster": "900", "was": first}]
    assert more.clusters.to_dict("records") == [{"source": "people", "id": "900", "cluster": "900"}]
    with pytest.raises(WorkbenchError, match="E0686"):
        kept.link_more(made(tmp_path, copied, "new"), correct=True, remove=True)


def test_all_of_it_or_nothing(
    tmp_path: Path, kept: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = arrived(kept)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("workbench.verbs.linking.answering.component_rows", broken)
    with pytest.raises(RuntimeError, match="power cut"):
        kept.link_more(made(tmp_path, people(500, seed=4)[0].iloc[[7]].assign(record=900), "new"))
    assert arrived(kept) == before


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("record,surname\n,Berg\n", "E0664"),
        ("record,surname\n900,Berg\n900,Bo\n", "E0664"),
        ("surname\nBerg\n", "E0663"),
        ("record,colour\n900,red\n", "E0662"),
        ("record,surname\n7,Somebody else\n", "E0684"),
        ("", "E0"),
        ("\0\0\0", "E0"),
    ],
)
def test_records_that_cannot_be_taken_are_refused(
    tmp_path: Path, kept: Workspace, text: str, code: str
) -> None:
    before = arrived(kept)
    path = tmp_path / "new.csv"
    path.write_text(text)
    with pytest.raises(WorkbenchError, match=code):
        kept.link_more(path)
    assert arrived(kept) == before


def test_what_is_missing_is_said(tmp_path: Path, kept: Workspace) -> None:
    path = tmp_path / "new.csv"
    path.write_text("surname,record,colour\n'; DROP TABLE fact; --,900,red\n,901,blue\n")
    more = kept.link_more(path)
    assert [one.code for one in more.warnings] == ["E0685"]
    assert list(more.added.left_out) == ["colour"]
    assert more.changed["new"] == ["900", "901"]


def test_without_a_kept_linkage(tmp_path: Path, kept: Workspace) -> None:
    frame = people(500, seed=4)[0]
    new = made(tmp_path, frame.iloc[[7]].assign(record=900), "new")
    with pytest.raises(WorkbenchError, match="E0682"):
        kept.link_more(new, run=7)
    with pytest.raises(WorkbenchError, match="E0682"):
        open_workspace().link_more(new)
    kept.runs.delete(1)
    with pytest.raises(WorkbenchError, match="E0682"):
        kept.link_more(new)


def test_of_two_tables_the_name_tells(tmp_path: Path) -> None:
    frames = companies(300, seed=12, overlap=0.5)[0]
    paths = [made(tmp_path, frame, name) for frame, name in zip(frames, ("shop", "register"))]
    with open_workspace() as ws:
        result = ws.link(*paths)
        copied = frames[0].iloc[[3]]
        copied = copied.assign(**{copied.columns[0]: "9999"})
        with pytest.raises(WorkbenchError, match="E0683"):
            ws.link_more(made(tmp_path, copied, "new"))
        more = ws.link_more(made(tmp_path, copied, "register"))
        assert len(result.records) + 1 == more.figures["records"]
        assert set(more.pairs["left_source"]) == {"shop"}


def test_few_records_take_no_millions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.verbs.linking.kept_records.MOST_PAIRS", 1000)
    frame = people(100, seed=4)[0]
    with open_workspace() as ws:
        ws.link(made(tmp_path, frame.iloc[:80]))
        with pytest.raises(WorkbenchError, match="E0687"):
            ws.link_more(made(tmp_path, frame.iloc[80:], "new"))


def test_a_workspace_with_a_linkage_is_asked_and_copied(tmp_path: Path, kept: Workspace) -> None:
    assert kept.data.query("SELECT count(*) AS n FROM run").rows == ((1,),)
    kept.save_as(tmp_path / "copy.duckdb")
    with open_workspace(tmp_path / "copy.duckdb") as copy:
        assert [run.kind for run in copy.runs.all()] == ["link"]
        asked = copy.linkage().questions(1)
        assert asked == kept.linkage().questions(1)
        assert copy.linkage().answer(asked[0].left, asked[0].right, True).figures
    kept.save_as(tmp_path / "to work on.duckdb", linkages=False)
    with open_workspace(tmp_path / "to work on.duckdb") as copy:
        assert kept_linkage(copy.database) is None


@pytest.mark.parametrize(("kept", "later"), [("{}", "{}.0"), ("{}.0", "{}")])
def test_ids_that_one_side_wrote_as_fractions_are_those_of_kept_records(
    tmp_path: Path, kept: str, later: str
) -> None:
    """12.0, as data frames write 12 beside a blank, corrects and removes record 12."""

    def called(form: str, rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(record=[form.format(name) for name in rows["record"]])

    frame = people(120, seed=4)[0]
    with open_workspace() as ws:
        ws.link(made(tmp_path, called(kept, frame.iloc[:110])))
        known = ws.link_more(made(tmp_path, called(later, frame.iloc[100:]), "new"))
        assert (known.added.count, known.added.known) == (len(frame) - 110, 10)
        gone = called(later, frame.iloc[50:53])
        gone.loc[len(frame)] = ["9999" if later == "{}" else "9999.0"] + ["x"] * 7
        removed = ws.link_more(made(tmp_path, gone, "gone"), remove=True)
        assert len(removed.changed["removed"]) == 3
        assert [note.code for note in removed.warnings] == ["E0657"]
        assert len(ws.linkage().members()) == len(frame) - 3
