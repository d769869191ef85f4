"""`link` from files: people that are made up, and all that can be wrong with files of records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage import people
from benchmarks.linkage_kinds import made_up
from benchmarks.linkage_sets import SETS, companies, households, papers
from experiments.cluster_scores import cluster_scores
from workbench.errors import WorkbenchError
from workbench.verbs.linking.link import link


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_made_up_people_are_found_without_labels(tmp_path: Path) -> None:
    frame, truth = people(3000, seed=4)
    frame.to_csv(tmp_path / "people.csv", index=False)
    result = link([tmp_path / "people.csv"])
    clusters = result.clusters
    assert clusters["id"].astype(int).tolist() == frame["record"].tolist()
    scores = cluster_scores(pd.factorize(clusters["cluster"])[0], truth.to_numpy())
    assert scores["F1"] > 0.93
    assert scores["B-cubed F1"] > 0.95
    assert result.estimates.precision == pytest.approx(scores["precision"], abs=0.06)
    assert result.clustering.bound <= result.clustering.energy
    row = 10
    left, right = (
        str(side[row]) for side in (result.candidates.pairs.left, result.candidates.pairs.right)
    )
    assert sum(part for _, part in result.why(left, right)) == pytest.approx(result.scores[row])
    with pytest.raises(WorkbenchError, match="E0671"):
        result.why(left, "nobody")
    again = link([tmp_path / "people.csv"])
    assert again.clusters.equals(clusters)


def test_the_order_of_few_records_counts_for_nothing(tmp_path: Path) -> None:
    frame, _ = people(200, seed=4)

    def linked(rows: pd.DataFrame) -> tuple[set[frozenset[str]], dict[frozenset[str], float]]:
        rows.to_csv(tmp_path / "people.csv", index=False)
        result = link([tmp_path / "people.csv"], id_column="record")
        pairs, groups = result.pairs, result.clusters.groupby("cluster")["id"]
        ids = map(frozenset, zip(pairs["left"], pairs["right"]))
        return {frozenset(one) for _, one in groups}, dict(zip(ids, pairs["probability"]))

    assert linked(frame) == linked(frame.sample(frac=1.0, random_state=3))


def test_families_are_not_taken_for_persons_where_few_records_are_of_one_person(
    tmp_path: Path,
) -> None:
    frame, truth = people(2000, seed=1, copies=1.3)
    frame.to_csv(tmp_path / "people.csv", index=False)
    result = link([tmp_path / "people.csv"])
    scores = cluster_scores(result.clustering.label, truth.to_numpy())
    assert scores["F1"] > 0.85
    assert result.estimates.precision == pytest.approx(scores["precision"], abs=0.06)
    assert result.estimates.recall == pytest.approx(scores["recall"], abs=0.1)


@pytest.mark.parametrize("seed", [4, 47])
def test_half_of_the_cells_blank_the_estimates_hold(tmp_path: Path, seed: int) -> None:
    """Pairs that few filled fields tell of are not taken for the
    same because they agree in these.
    """
    (frame,), (truth,) = households(3000, seed=seed, copies=2.5, blank=0.5)
    frame.to_csv(tmp_path / "half.csv", index=False)
    result = link([tmp_path / "half.csv"], id_column="id")
    true = cluster_scores(result.clustering.label, truth)
    assert true["F1"] > 0.85
    assert result.estimates.precision == pytest.approx(true["precision"], abs=0.1)
    assert result.estimates.recall == pytest.approx(true["recall"], abs=0.1)


@pytest.mark.parametrize(
    "kind",
    ["60 records", "households, few duplicates", "households, spoiled", "households, two files"],
)
def test_households_are_not_persons_and_who_moved_is_one(tmp_path: Path, kind: str) -> None:
    """EM alone takes households for persons where few have two records,
    and loses who moved where many did.
    """
    frames, truths = SETS[kind]()
    paths = [tmp_path / f"{letter}.csv" for letter, _ in zip("ab", frames)]
    for frame, path in zip(frames, paths):
        frame.to_csv(path, index=False)
    result = link(paths)
    scores = cluster_scores(result.clustering.label, np.concatenate(truths))
    assert scores["F1"] > 0.9
    assert result.estimates.precision == pytest.approx(scores["precision"], abs=0.03)
    assert result.estimates.recall == pytest.approx(scores["recall"], abs=0.07)


def test_measurements_that_are_nearly_equal_find_and_tell(tmp_path: Path) -> None:
    """Hotels whose coordinates differ by metres:
    few statements about equal values would find half of them.
    """
    (frame,), (truth,) = made_up("hotels", 1500, seed=2001)
    frame.to_csv(tmp_path / "hotels.csv", index=False)
    result = link([tmp_path / "hotels.csv"])
    pairs = result.candidates.pairs
    counts = np.bincount(truth)
    assert (truth[pairs.left] == truth[pairs.right]).sum() > 0.95 * (
        counts * (counts - 1) // 2
    ).sum()
    assert cluster_scores(result.clustering.label, truth)["F1"] > 0.9


@pytest.mark.parametrize(("kind", "n"), [("products", 300), ("products", 1500), ("persons", 600)])
def test_products_of_one_brand_are_not_one_product(tmp_path: Path, kind: str, n: int) -> None:
    """With few fields EM takes brands for things; the assumed model confirms little of that."""
    (frame,), (truth,) = made_up(kind, n, seed=1101)
    frame.to_csv(tmp_path / "things.csv", index=False)
    assert cluster_scores(link([tmp_path / "things.csv"]).clustering.label, truth)["F1"] > 0.6


def test_each_others_best_pairs_count_more_where_records_have_one_partner(tmp_path: Path) -> None:
    for made in (companies(800, seed=12, overlap=0.5), papers(800, seed=13, overlap=0.7)):
        for frame, name in zip(made[0], "ab"):
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
        truth = np.concatenate(made[1])
        f1 = []
        for one_to_one in (False, True):
            result = link([tmp_path / "a.csv", tmp_path / "b.csv"], one_to_one=one_to_one)
            f1.append(cluster_scores(result.clustering.label, truth)["F1"])
        assert f1[1] > f1[0]


ALONE = {
    "households": lambda: households(1200, seed=21, copies=1.0),
    "households in two files": lambda: households(2000, seed=31, copies=1.0, apart=True),
    "300 records": lambda: households(300, seed=23, copies=1.0),
    "families": lambda: tuple([one] for one in people(2000, seed=24, copies=1.0)),
    "papers": lambda: papers(900, seed=27, overlap=0.0),
    "products": lambda: made_up("products", 2000, seed=1101, again=0.0),
}


@pytest.mark.parametrize("kind", sorted(ALONE))
def test_where_no_two_records_are_of_the_same_thing_none_are_linked(
    tmp_path: Path, kind: str
) -> None:
    paths = [tmp_path / f"{letter}.csv" for letter in "ab"]
    tables, _ = ALONE[kind]()
    for frame, path in zip(tables, paths):
        frame.to_csv(path, index=False)
    result = link(paths[: len(tables)])
    record = result.as_record()
    assert record["clusters"] == record["records"]
    assert (record["estimated_precision"], record["estimated_recall"]) == (None, None)
    assert "E0681" in [one.code for one in result.warnings]


@pytest.mark.parametrize("copies", [1.01, 1.02, 1.05])
def test_few_duplicates_among_many_households_are_found(tmp_path: Path, copies: float) -> None:
    (frame,), (truth,) = households(2500, seed=41, copies=copies)
    frame.to_csv(tmp_path / "people.csv", index=False)
    result = link([tmp_path / "people.csv"])
    assert cluster_scores(result.clustering.label, truth)["F1"] > 0.9


def test_few_records_that_one_rare_value_tells_apart(tmp_path: Path) -> None:
    """Statements about the rare value find matches and little else;
    others must show what no match looks like.
    """
    random = np.random.default_rng(3)
    born = [
        f"{1940 + n % 60}-{1 + n % 12:02d}-{1 + n % 28:02d}"
        for n in random.permutation(20_000)[:400]
    ]
    rows = []
    for person in range(400):
        forename, surname, town = (
            f"{'abcdefghijklmnop'[n]}nn{'lmnr'[n % 4]}a" for n in random.integers(0, 14, 3)
        )
        for _ in range(random.choice([1, 1, 2, 3])):
            date = "" if random.random() < 0.1 else born[person]
            typed = surname if random.random() < 0.7 else surname[1] + surname[0] + surname[2:]
            rows.append((person, forename, typed, date, town[:2]))
    table = pd.DataFrame(rows, columns=["person", "forename", "surname", "born", "town"]).sample(
        frac=1, random_state=0
    )
    table.insert(0, "id", range(len(table)))
    path = tmp_path / "clinic.csv"
    table.drop(columns="person").to_csv(path, index=False)
    scores = cluster_scores(link([path], id_column="id").clusters["cluster"], table["person"])
    assert scores["precision"] > 0.9
    assert scores["recall"] > 0.75


def test_two_files_one_to_one(tmp_path: Path) -> None:
    frame, truth = people(1500, seed=2, copies=2.0)
    frame["person"] = truth
    first = frame.drop_duplicates("person")
    second = frame.drop(first.index).drop_duplicates("person")
    for name, part in (("a", first), ("b", second)):
        part.drop(columns="person").to_csv(tmp_path / f"{name}.csv", index=False)
    result = link([tmp_path / "a.csv", tmp_path / "b.csv"], one_to_one=True)
    person = dict(zip(frame["record"].astype(str), frame["person"]))
    groups = [group for _, group in result.clusters.groupby("cluster") if len(group) > 1]
    assert all(set(group["source"]) == {"a", "b"} and len(group) == 2 for group in groups)
    right = sum(person[group["id"].iloc[0]] == person[group["id"].iloc[1]] for group in groups)
    assert right > 0.95 * len(groups)
    assert right > 0.85 * len(second)
    assert result.status == "optimal"


def test_one_to_one_finds_what_files_that_repeat_persons_share(tmp_path: Path) -> None:
    """Pairs within each file are as alike as the few across: they match, too."""
    frame, truth = people(1200, seed=3, copies=2.0)
    frame["person"] = truth
    shared = frame["person"] % 6 == 0
    second = np.where(shared, np.arange(len(frame)) % 2, frame["person"] % 2).astype(bool)
    halves = frame[~second], frame[second]
    for name, part in zip("ab", halves):
        part.drop(columns="person").to_csv(tmp_path / f"{name}.csv", index=False)
    result = link([tmp_path / "a.csv", tmp_path / "b.csv"], one_to_one=True)
    person = dict(zip(frame["record"].astype(str), frame["person"]))
    pairs = [group["id"] for _, group in result.clusters.groupby("cluster") if len(group) == 2]
    right = sum(person[pair.iloc[0]] == person[pair.iloc[1]] for pair in pairs)
    first, other = (half["person"].value_counts() for half in halves)
    assert right > 0.9 * len(pairs)
    assert right > 0.8 * first.combine(other, min, fill_value=0).sum()


def test_labels_settle_their_pairs(tmp_path: Path) -> None:
    frame, _ = people(400, seed=1)
    frame.to_csv(tmp_path / "people.csv", index=False)
    before = link([tmp_path / "people.csv"]).clusters.set_index("id")["cluster"]
    together = next(group.index.tolist() for _, group in before.groupby(before) if len(group) == 2)
    labels = write(tmp_path / "labels.csv", f"left,right,match\n{together[0]},{together[1]},0\n")
    after = link([tmp_path / "people.csv"], labels=labels)
    assert after.labels == 1
    named = after.clusters.set_index("id")["cluster"]
    assert named[together[0]] != named[together[1]]


ROWS = "id,name,town\n1,ann lee,york\n2,ann lee,york\n3,bob hay,bath\n"


@pytest.mark.parametrize(
    ("files", "options", "code"),
    [
        ({"a.csv": ROWS}, {"twice": True}, "E0660"),
        ({"a.csv": ROWS, "b.csv": "nr,colour\n1,red\n"}, {}, "E0662"),
        ({"a.csv": "id,name\n1,\n2,\n"}, {}, "E0662"),
        ({"a.csv": ROWS}, {"id_column": "ident"}, "E0663"),
        ({"a.csv": "id,name\n1,ann\n1,bob\n"}, {"id_column": "id"}, "E0664"),
        ({"a.csv": "id,name\n1,ann\n,bob\n"}, {"id_column": "id"}, "E0664"),
        ({"a.csv": "id,name\n1,ann\n"}, {}, "E0666"),
        ({"a.csv": ROWS, "b.csv": ROWS + ROWS, "c.csv": ROWS * 3}, {}, "E0667"),
        ({"a.csv": ROWS}, {"one_to_one": True}, "E0668"),
        ({"a.csv": ROWS}, {"labels": "left,right\n1,2\n"}, "E0669"),
        ({"a.csv": ROWS}, {"labels": "left,right,match\n1,7,1\n"}, "E0669"),
        ({"a.csv": ROWS}, {"labels": "left,right,match\n1,2,perhaps\n"}, "E0669"),
        ({"a.csv": ROWS}, {"labels": "left,right,match\n1,2,1\n2,1,0\n"}, "E0669"),
        ({"a.csv": ROWS}, {"labels": "left,right,match\n1,,1\n"}, "E0669"),
        ({"a.csv": ROWS}, {"labels": "left,right,match\n"}, "E0669"),
        ({"a.csv": ROWS, "copy.csv": ROWS}, {}, "E0660"),
    ],
)
def test_bad_input_is_named(
    tmp_path: Path, files: dict[str, str], options: dict[str, object], code: str
) -> None:
    given = [write(tmp_path / name, text) for name, text in files.items()]
    options = dict(options)
    if options.pop("twice", False):
        given *= 2
    if "labels" in options:
        options["labels"] = write(tmp_path / "labels.csv", str(options["labels"]))
    with pytest.raises(WorkbenchError) as raised:
        link(given, **options)  # type: ignore[arg-type]
    assert raised.value.diagnostics[0].code == code


def test_records_are_called_by_the_ids_of_their_own_file(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", "Kunden Nr.,Name,Ort\nA1,ann lee,york\nA2,bob hay,bath\n")
    second = write(tmp_path / "b.csv", "id,name,rank\nB1,ann lee,major\nB2,cy poe,none yet\n")
    result = link([first, second])
    assert result.clusters["id"].tolist() == ["A1", "A2", "B1", "B2"]
    assert result.left_out == {"Ort": "b has no such column", "rank": "a has no such column"}


def test_columns_of_other_names_that_hold_the_like_are_compared(tmp_path: Path) -> None:
    frame, _ = people(600, seed=3)
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    frame[::2].to_csv(first, index=False)
    others = {name: f"column {place}" for place, name in enumerate(frame.columns)}
    names = [others[name] for name in reversed(frame.columns)]
    frame[1::2].rename(columns=others | {"record": "id"}).rename(columns={"id": "number"})[
        ["number", *(name for name in names if name != others["record"])]
    ].to_csv(second, index=False)
    named = link([first, second], id_column="record")
    (warning,) = [one for one in named.warnings if one.code == "E0693"]
    for name in frame.columns.drop("record"):
        assert f"{name} with {others[name]}" in warning.message
    frame[1::2].to_csv(second, index=False)
    assert named.clusters["cluster"].tolist() == link([first, second]).clusters["cluster"].tolist()


def test_files_whose_columns_hold_nothing_alike_are_said(tmp_path: Path) -> None:
    first = write(
        tmp_path / "a.csv",
        "id,forename,surname,town\n1,ann,lee,york\n2,bob,hay,bath\n",
    )
    rows = "1,red,steel,york\n2,blue,oak,hull\n"
    second = write(tmp_path / "b.csv", f"id,Colour,Material,town\n{rows}")
    (warning,) = [one for one in link([first, second]).warnings if one.code == "E0688"]
    assert "only town can be compared" in warning.message
    assert "forename" in warning.message
    assert "Colour" in warning.message
    renamed = write(tmp_path / "c.csv", f"id,Forename,SURNAME,town\n{rows}")
    assert "E0688" not in [one.code for one in link([first, renamed]).warnings]


def test_names_of_labels_columns_may_be_capitals(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ROWS)
    labels = write(tmp_path / "labels.csv", "Left,Right,MATCH\n1,2,0\n")
    assert link([path], labels=labels).clusters["cluster"].tolist() == ["1", "2", "3"]


def test_of_a_few_pairs_that_may_be_so_by_chance_nothing_is_estimated(tmp_path: Path) -> None:
    (frame,), _ = households(300, seed=22, copies=1.0)
    frame.to_csv(tmp_path / "single.csv", index=False)
    result = link([tmp_path / "single.csv"], id_column="id")
    assert len(frame) - len(result.clustering) < 5
    assert np.isnan(result.estimates.precision)
    assert np.isnan(result.estimates.recall)


@pytest.mark.parametrize(
    ("forms", "reason"),
    [
        (
            ["{0}-{1:02}-{2:02}", "{1}/{2}/{0}", "{2}/{1}/{0}"],
            "no value repeats: dates and codes that are written in",
        ),
        (["{0}-{1:02}-{2:02}", "{2:02}.{1:02}.{0}", "{1}/{2}/{0}"], "no value repeats"),
    ],
)
def test_dates_that_never_repeat_are_not_called_numbers_of_rows(
    tmp_path: Path, forms: list[str], reason: str
) -> None:
    born = [forms[row % 3].format(1950 + row // 3, row % 12 + 1, row % 28 + 1) for row in range(60)]
    rows = [f"{row},{'Anna Peter Paul'.split()[row % 3]},{day}" for row, day in enumerate(born)]
    (tmp_path / "dates.csv").write_text("id,name,born\n" + "\n".join(rows) + "\n")
    said = link([tmp_path / "dates.csv"]).left_out["born"]
    assert said.startswith(reason)
    assert "number of the row" not in said


def test_ids_that_repeat_are_said_and_rows_numbered(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,name\nA,ann lee\nA,ann lee\nB,bob hay\n")
    result = link([path])
    assert [one.code for one in result.warnings] == ["E0672"]
    assert result.clusters["id"].tolist() == ["1", "2", "3"]


def test_labels_that_contradict_by_a_chain_are_said(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        "id,name,town\n1,ann lee,york\n2,ann lee,york\n3,ann le,york\n4,bob hay,bath\n",
    )
    labels = write(tmp_path / "labels.csv", "left,right,match\n1,2,1\n2,3,1\n1,3,0\n")
    assert "E0673" in [one.code for one in link([path], labels=labels).warnings]


@pytest.mark.parametrize("right", [True, False])
def test_labels_the_wrong_way_round_are_said(tmp_path: Path, right: bool) -> None:
    names = [f"{first} {last}" for first in ("ann", "bob", "eve", "kim") for last in ("lee", "hay")]
    towns = ("york", "bath", "wells", "ely")
    rows = [
        f"{2 * n + copy},{name} {chr(97 + n)}{n * 37},{towns[n % 4]}{n},{1950 + n}"
        for n, name in enumerate(names * 5)
        for copy in (0, 1)
    ]
    path = write(tmp_path / "a.csv", "id,name,town,born\n" + "\n".join(rows) + "\n")
    same, other = (1, 0) if right else (0, 1)
    known = [f"{2 * n},{2 * n + 1},{same}" for n in range(6)]
    known += [f"{2 * n},{2 * n + 2},{other}" for n in range(6)]
    labels = write(tmp_path / "labels.csv", "left,right,match\n" + "\n".join(known) + "\n")
    codes = [one.code for one in link([path], labels=labels).warnings]
    assert ("E0699" in codes) == (not right)


def test_records_without_values_and_files_without_pairs_are_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,name,town\n1,ann lee,york\n2,,\n3,ann lee,york\n")
    result = link([path])
    assert [one.code for one in result.warnings] == ["E0665"]
    assert len(set(result.clusters["cluster"])) == 2
    rows = "\n".join(f"{n},{chr(97 + n % 26)}{n * 7919 % 1000:03d}{n}" for n in range(600))
    unique = write(tmp_path / "unique.csv", f"id,word\n{rows}\n")
    with pytest.raises(WorkbenchError, match="E0662"):
        link([unique])


def test_values_that_repeat_by_chance_alone_make_no_candidates_and_no_estimates(
    tmp_path: Path,
) -> None:
    rows = "\n".join(f"{row},p{row * 7919 % 500},w{row * 104729 % 37}" for row in range(3000))
    result = link([write(tmp_path / "wards.csv", f"id,patient,ward\n{rows}\n")])
    assert "E0661" in [one.code for one in result.warnings]
    record = result.as_record()
    assert (record["clusters"], record["estimated_precision"], record["estimated_recall"]) == (
        3000,
        None,
        None,
    )


def test_two_files_of_one_name_in_two_folders_are_two_sources(tmp_path: Path) -> None:
    for year in ("2023", "2024"):
        (tmp_path / year).mkdir()
    first = write(tmp_path / "2023" / "people.csv", ROWS)
    second = write(tmp_path / "2024" / "people.csv", "\n".join(ROWS.splitlines()[:-1]) + "\n")
    sources = link([first, second]).clusters["source"]
    assert sources.unique().tolist() == ["people", "people_2"]


def test_single_words_that_never_repeat_are_compared_where_there_is_nothing_else(
    tmp_path: Path,
) -> None:
    """Names with slips of the pen; beside a column that says more they are left out."""
    genera = (
        "Achillea Aconitum Alopecurus Amaranthus Anemone Angelica Aquilegia Artemisia Asplenium "
        "Astragalus Berberis Brassica Buddleja Campanula Cardamine Castanea Centaurea Chelidonium "
        "Chenopodium Cichorium Clematis Convallaria Corydalis Crataegus Delphinium Digitalis "
        "Epilobium Equisetum Euphorbia Filipendula Foeniculum Fraxinus Galanthus Glechoma"
    ).split()
    slips = [word[:4] + word[5:] for word in genera[::3]]
    text = "\n".join(["genus", *genera, *slips]) + "\n"
    clusters = link([write(tmp_path / "genera.csv", text)]).clusters["cluster"].astype(int)
    joined = clusters[clusters != np.arange(1, len(clusters) + 1)]
    assert len(joined) >= 6
    assert joined.tolist() == [3 * (row - len(genera)) + 1 for row in joined.index]
