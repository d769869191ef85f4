"""Families and works are no things: the persons and the editions that they are of repeat each for
itself.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_further import FURTHER
from benchmarks.linkage_kinds import made_up, surname
from benchmarks.linkage_sets import FORENAMES, PLACES, STREETS, misspelt
from experiments.cluster_scores import cluster_scores
from workbench.arrays import Array
from workbench.linkage.blocking import Pairs
from workbench.linkage.field_tree import FieldTree
from workbench.linkage.groups import EVIDENCE, evidence_of_joining, of_single_things
from workbench.linkage.merit import Judge, unlike_levels
from workbench.linkage.tree import TreeModel
from workbench.verbs.linking.link import link


def visits(n: int, seed: int) -> tuple[pd.DataFrame, Array]:
    """Visits to hospitals of people whose children often bear their names, and who came when."""
    random = np.random.default_rng(seed)
    rows: list[dict[str, str | None]] = []
    truth: list[int] = []
    persons = 0
    while len(rows) < n:
        last, year = surname(random), int(random.integers(1940, 1985))
        home = f"{random.integers(1, 200)} {random.choice(STREETS)} St", random.choice(PLACES)
        first_of_all = str(random.choice(FORENAMES)).split()[0]
        for number in range(random.integers(1, 5)):
            named_alike = number == 1 and random.random() < 0.4
            first = first_of_all
            if number and not named_alike:
                first = str(random.choice(FORENAMES)).split()[0]
            born = year if not number else year + 28 + 2 * number
            birthday = f"{born}-{random.integers(1, 13):02d}-{random.integers(1, 29):02d}"
            insurance, sex = str(random.integers(10**9, 10**10)), str(random.choice(["M", "F"]))
            for _ in range(random.choice([1, 2, 3, 4], p=[0.6, 0.22, 0.12, 0.06])):
                street, town = home
                if random.random() < 0.15:
                    street = f"{random.integers(1, 200)} {random.choice(STREETS)} St"
                    town = random.choice(PLACES)
                rows.append(
                    {
                        "hospital": str(random.choice(["St Mary", "General", "Childrens"])),
                        "first": misspelt(random, first) if random.random() < 0.08 else first,
                        "last": misspelt(random, last) if random.random() < 0.08 else last,
                        "born": birthday,
                        "sex": sex,
                        "street": street,
                        "town": town,
                        "insurance": insurance if random.random() < 0.4 else None,
                    }
                )
                truth.append(persons)
            persons += 1
    return pd.DataFrame(rows), np.array(truth)


@pytest.mark.parametrize("seed", [12, 13])
def test_families_that_share_names_are_no_persons(tmp_path: Path, seed: int) -> None:
    table, truth = visits(2000, seed)
    table.to_csv(tmp_path / "visits.csv", index_label="id")
    result = link([tmp_path / "visits.csv"], id_column="id")
    scores = cluster_scores(result.clustering.label, truth)
    assert scores["F1"] > 0.7
    assert result.estimates.precision == pytest.approx(scores["precision"], abs=0.06)
    (said,) = [one.message for one in result.warnings if one.code == "E0691"]
    assert "first" in said


def test_editions_of_one_work_are_several_books(tmp_path: Path) -> None:
    (table,), (truth,) = made_up("books", 2000, seed=1031, again=0.3, kinds=FURTHER)
    table.to_csv(tmp_path / "books.csv", index=False)
    scores = cluster_scores(link([tmp_path / "books.csv"], id_column="id").clustering.label, truth)
    assert scores["F1"] > 0.9


def test_labels_say_which_reading_it_is(tmp_path: Path) -> None:
    table, truth = visits(2000, 12)
    table.to_csv(tmp_path / "visits.csv", index_label="id")
    pairs = [(at, at + 1, int(truth[at] == truth[at + 1])) for at in range(40)]
    labels = pd.DataFrame(pairs, columns=["left", "right", "match"])
    labels.to_csv(tmp_path / "labels.csv", index=False)
    result = link([tmp_path / "visits.csv"], id_column="id", labels=tmp_path / "labels.csv")
    assert "E0691" not in [one.code for one in result.warnings]


def test_where_few_repeat_it_is_said_that_little_tells(tmp_path: Path) -> None:
    """Fathers and their sons of the same names: which reading was taken is not left unsaid."""
    table, _ = visits(2000, 11)
    table.to_csv(tmp_path / "visits.csv", index_label="id")
    said = [
        one.message
        for one in link([tmp_path / "visits.csv"], id_column="id").warnings
        if one.code == "E0691"
    ]
    assert any("taken for" in one and ("born" in one or "insurance" in one) for one in said)


def everything(finer: Array, wider: Array) -> tuple[Pairs, Array, Array]:
    """All pairs of records with whether they share their finer and their wider thing."""
    left, right = np.triu_indices(len(finer), 1)
    pairs = Pairs(left.astype(np.int32), right.astype(np.int32))
    return pairs, finer[left] == finer[right], wider[left] == wider[right]


def test_what_comes_together_as_chance_has_it_is_several_things() -> None:
    """Persons with one record or several, two of whom make a family at random."""
    random = np.random.default_rng(3)
    records = random.choice([1, 3], size=400)
    person = np.repeat(np.arange(400), records)
    pairs, same, family = everything(person, person // 2)
    assert evidence_of_joining(pairs, len(person), same, same | family) > EVIDENCE


def test_what_comes_together_across_two_sources_as_chance_has_it_is_several_things() -> None:
    """Two persons of a family are in either register, or in both, each for themselves; those in
    both meet twice.
    """
    seen = np.random.default_rng(3).choice(3, size=3000, p=[0.375, 0.375, 0.25])
    sides = [np.flatnonzero((seen == side) | (seen == 2)) for side in (0, 1)]
    person = np.concatenate(sides)
    left, right = (
        axis.ravel().astype(np.int32)
        for axis in np.meshgrid(np.arange(len(sides[0])), np.arange(len(sides[1])) + len(sides[0]))
    )
    family = person[left] // 2 == person[right] // 2
    pairs, same = Pairs(left[family], right[family]), person[left[family]] == person[right[family]]
    n, every = len(person), np.ones(family.sum(), np.bool_)
    assert evidence_of_joining(pairs, n, same, every, across_sources=True) > 5 * EVIDENCE


def test_single_records_beside_those_at_home_are_one_thing() -> None:
    """Each has two records at home and two elsewhere."""
    person = np.repeat(np.arange(200), 4)
    address = np.arange(800)
    address[1::4] = address[::4]
    pairs, same, whole = everything(address, person)
    assert evidence_of_joining(pairs, 800, same, same | whole) < -EVIDENCE


def test_pairs_lost_within_what_others_join_are_one_thing() -> None:
    """A third of the pairs of each thing's records are missing."""
    person = np.repeat(np.arange(150), 5)
    pairs, same, whole = everything(person, person)
    less = same & (np.random.default_rng(4).random(len(same)) < 0.67)
    assert evidence_of_joining(pairs, 750, less, whole) == -np.inf
    assert evidence_of_joining(pairs, 750, whole, whole, lost=True) == 0.0


def test_what_comes_together_is_asked_beside_pairs_lost_within() -> None:
    """Each has four records at home, whose pairs were lost in part, and two elsewhere."""
    person = np.repeat(np.arange(150), 6)
    address = np.where(np.arange(900) % 6 < 4, person, 900 + np.arange(900))
    pairs, same, whole = everything(address, person)
    less = same & (np.random.default_rng(4).random(len(same)) < 0.5)
    assert evidence_of_joining(pairs, 900, less, whole) == -np.inf
    assert evidence_of_joining(pairs, 900, less, whole, lost=True) < -EVIDENCE


def test_few_families_tell_nothing() -> None:
    person = np.repeat(np.arange(4), 2)
    pairs, same, family = everything(person, person // 2)
    assert abs(evidence_of_joining(pairs, 8, same, same | family)) < EVIDENCE


class Nested(NamedTuple):
    """A judge of classes, of which the first are the finer; none is refuted by chance."""

    refused: tuple[str, ...] = ()

    def best(self, found: list[tuple[float, str]]) -> tuple[float, str]:
        return max(found)

    def beyond(self, wider: str, finer: str) -> tuple[int, ...]:
        return (0,) if self.widens(wider, finer) else ()

    def widens(self, wider: str, finer: str) -> bool:
        return finer < wider

    def refutes(self, one: str) -> bool:
        return one in self.refused


@pytest.mark.parametrize(
    ("evidence", "refused", "taken"),
    [(-5.0, (), "b"), (-5.0, ("b",), "a"), (0.0, (), "a")],
    ids=["hangs singly", "refuted", "nothing tells"],
)
def test_a_wider_class_has_what_a_finer_one_lost(
    evidence: float, refused: tuple[str, ...], taken: str
) -> None:
    """Persons at home are clearer than persons who moved as well, and are half of them."""
    judge: Any = Nested(refused)
    found: Any = [(10.0, "a"), (6.0, "b"), (4.0, "c")]
    kept = of_single_things(found, judge, lambda *_: evidence).found
    assert judge.best(kept)[1] == taken


@pytest.mark.parametrize(("equal", "differ"), [(0.001, (1,)), (0.5, ())])
def test_one_field_that_hardly_any_random_pairs_agree_in_tells_things_apart(
    equal: float, differ: tuple[int, ...]
) -> None:
    """Families agree in all but a birthday; others in all but what half of all pairs share."""
    levels = np.full((2, 5), 2, np.int8)
    levels[1, 1] = 1
    nothing = np.zeros(2)
    judge = Judge(
        levels, np.array([100.0, 300.0]), 1.0, nothing, np.ones(5), np.full(5, 0.9), nothing,
        np.full(5, equal),
    )  # fmt: skip

    def taking(far: float) -> TreeModel:
        far_or_equal = [np.log([1.0, 0.1, 0.9])] * 5
        far_or_equal[1] = np.log([1.0, far, 1.0 - far])
        rest = FieldTree((-1,) * 5, (np.log([[1.0, 0.9, 0.1]]),) * 5, -0.1)
        return TreeModel(tuple(far_or_equal), -2.4, (rest,))

    assert judge.beyond(taking(0.9), taking(1e-6)) == differ


@pytest.mark.parametrize(("far", "at_chance"), [(0.02, ()), (0.4, (3,))])
def test_numbers_are_unlike_where_random_ones_mostly_are(
    far: float, at_chance: tuple[int, ...]
) -> None:
    """Of random pairs a thirtieth is far, and half near: as many near matches say nothing."""
    chances = [np.array([0.0, 0.9, 0.1])] * 3 + [np.array([0.0, 0.03, 0.5, 0.47])]
    levels = np.full((100, 4), 2, np.int8)
    levels[:, 3] = np.where(np.arange(100) < 100 * far, 2, 3)
    model = SimpleNamespace(scores_without=lambda levels, place: np.full(100, 9.0))
    unlike, chance = unlike_levels(chances)
    judge = Judge(
        levels, np.ones(100), 1.0, np.zeros(100), unlike, chance, np.zeros(100), np.zeros(4)
    )
    assert judge.at_chance(model) == at_chance  # type: ignore[arg-type]
