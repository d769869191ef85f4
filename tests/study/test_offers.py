"""Which candidates find room: the nearest, and of one distance each path its share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_study import write
from workbench.structure.candidate import Candidate
from workbench.structure.candidates import candidates_of_rare_values
from workbench.structure.path_search import paths
from workbench.structure.relational import Column, Reference, Schema, Table
from workbench.structure.table_paths import Hop
from workbench.structure.table_paths import Path as Way
from workbench.study.aggregates import beside
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for
from workbench.study.offers import nearest_offers
from workbench.study.prepared import prepared
from workbench.tables import find_sources, stage


def _offers(directory: Path, most: int) -> tuple[list[tuple[str, Candidate]], bool]:
    """Visits have many columns and a clinic of many; orders, after them, have few."""
    people = [[f"p{i}", i % 7, "yes" if i % 3 else "no"] for i in range(60)]
    wide = [f"n{place}" for place in range(12)]
    clinics = [[f"k{i}", *(i * place % 11 for place in range(12))] for i in range(20)]
    visits = [
        [f"v{i}", f"p{i % 60}", f"k{i % 20}", *(i * place % 13 for place in range(12))]
        for i in range(300)
    ]
    orders = [[f"o{i}", f"p{i * 7 % 60}", i * 3 % 17] for i in range(200)]
    files = [
        write(directory / "people.csv", ["person", "age", "good"], people),
        write(directory / "clinics.csv", ["clinic", *wide], clinics),
        write(directory / "visits.csv", ["visit", "person", "clinic", *wide], visits),
        write(directory / "orders.csv", ["order", "person", "price"], orders),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "people.good")
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
        walked = list(paths(ready.schema, "people"))
        offered, cut = nearest_offers(columns, walked, most, None)
    return [(path.end, one) for path, found in offered.items() for one in found], cut


def test_what_a_near_table_says_comes_before_what_is_behind_another(tmp_path: Path) -> None:
    whole, cut = _offers(tmp_path, 6000)
    assert not cut
    assert any(one.onward and one.onward.references for _, one in whole)
    near = sum(not (one.onward and one.onward.references) for _, one in whole)
    some, cut = _offers(tmp_path, near)
    assert cut
    assert {end for end, _ in some} >= {"people", "visits", "orders"}


def test_paths_of_one_distance_share_the_room(tmp_path: Path) -> None:
    some, cut = _offers(tmp_path, 20)
    assert cut
    ends = [end for end, _ in some]
    assert len(some) <= 20
    assert ends.count("orders") >= 5
    assert ends.count("visits") >= 5


def test_nothing_farther_is_looked_at_once_columns_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.study.offers.ENOUGH", 30)
    some, cut = _offers(tmp_path, 6000)
    assert not cut
    assert {end for end, _ in some} == {"people", "visits", "orders"}
    assert not any(one.onward and one.onward.references for _, one in some)


def test_rows_that_nearly_all_reach_are_no_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each person has 20 dishes, each of them is had by 40 persons."""
    people = [[f"p{i}", i % 7, "yes" if i % 3 else "no"] for i in range(100)]
    eaten = [[f"p{i % 100}", f"d{(i + i // 100) % 50}", i % 9] for i in range(2000)]
    files = [
        write(tmp_path / "people.csv", ["person", "age", "good"], people),
        write(tmp_path / "dishes.csv", ["dish", "heat"], [[f"d{i}", i % 5] for i in range(50)]),
        write(tmp_path / "eaten.csv", ["person", "dish", "amount"], eaten),
    ]

    def reached() -> set[int]:
        with stage(find_sources(files)) as staging:
            ready = prepared(staging, "people.good")
            columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
            walked = list(paths(ready.schema, "people"))
            offered, _ = nearest_offers(columns, walked, 6000, None)
            return {len(path.hops) for path in offered}

    assert max(reached()) > 2
    monkeypatch.setattr("workbench.study.offers.FEW_PAIRS", 1000)
    monkeypatch.setattr("workbench.study.offers.MANY_TIMES", 10)
    assert max(reached()) == 1


@pytest.mark.parametrize(("groups", "walked"), [(40, True), (2, False)])
def test_what_refers_to_other_rows_of_a_small_group_is_read(
    tmp_path: Path, groups: int, walked: bool
) -> None:
    """The inspections of the hives of the same apiary; of an apiary of hundreds nobody asks."""
    hives = [[f"h{i}", f"a{i % groups}", "yes" if i % 3 else "no"] for i in range(400)]
    seen = [[f"s{i}", f"h{i * 7 % 400}", i % 17] for i in range(900)]
    files = [
        write(tmp_path / "apiaries.csv", ["apiary", "m"], [[f"a{i}", i] for i in range(groups)]),
        write(tmp_path / "hives.csv", ["hive", "apiary", "lost"], hives),
        write(tmp_path / "inspections.csv", ["inspection", "hive", "mites"], seen),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "hives.lost")
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
        offered, _ = nearest_offers(columns, list(paths(ready.schema, "hives")), 6000, None)
    found = {tuple(hop.table for hop in path.hops) for path, some in offered.items() if some}
    assert (("apiaries", "hives", "inspections") in found) is walked


def test_rows_share_a_telephone_and_not_a_display_name(tmp_path: Path) -> None:
    first, last = ("Ana", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gus"), ("Roth", "Sand", "Thal")
    people = [
        [f"p{i}", f"{first[i % 7]} {last[i % 3]}", f"+43 {i % 25:05}", "yes" if i % 3 else "no"]
        for i in range(60)
    ]
    file = write(tmp_path / "people.csv", ["person", "name", "phone", "good"], people)
    with stage(find_sources([file])) as staging:
        ready = prepared(staging, "people.good")
    assert ready.mapping.table("people").display == ("name",)
    assert [one.column for one in ready.schema["people"].references] == ["phone"]


def test_pairs_of_kinds_and_numbers_are_no_more_than_a_third_of_the_rows(tmp_path: Path) -> None:
    """Eight kinds of visits times six numbers in four ways."""
    people = [[f"p{i}", i % 7, "yes" if i % 3 else "no"] for i in range(1200)]
    visits = [
        [f"v{i}", f"p{i % 1200}", "abcdefgh"[i * 5 % 8], *(i * n % 13 + 1 for n in range(1, 7))]
        for i in range(4000)
    ]
    files = [
        write(tmp_path / "people.csv", ["person", "age", "good"], people),
        write(tmp_path / "visits.csv", ["visit", "person", "kind", *"abcdef"], visits),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "people.good")
        among = [
            sum(
                one.among is not None
                for one in candidates_for(
                    staging, ready, np.arange(n_rows), collective=False
                ).candidates
            )
            for n_rows in (600, 1200)
        ]
    assert among[0] == 0
    assert among[1] >= 8 * 6 * 4


def test_rare_values_are_not_those_of_the_way_that_led_there() -> None:
    codes = tuple(f"M{place}" for place in range(12))
    serials = Column("serial", "category", codes, beginning=3)
    kinds = Column("code", "category", codes)
    events = Table("events", 90, None, (serials, kinds), (Reference("serial", "machines"),))
    schema = Schema({"machines": Table("machines", 20, "serial"), "events": events})
    path = Way("machines", (Hop("from", "serial", "events"),))
    read = {one.onward.column.name for one in candidates_of_rare_values(schema, path) if one.onward}
    assert read == {"code"}


def test_own_rows_of_each_of_a_few_things_are_summed_before_what_is_far(tmp_path: Path) -> None:
    """Litres by product, three of which there are, though neighbours' columns are many."""
    wide = [f"n{place}" for place in range(12)]
    fields = [
        [f"f{i}", *(i * (place + 3) % 13 for place in range(12)), "yes" if i % 3 else "no"]
        for i in range(150)
    ]
    ties = [[f"f{i % 150}", f"f{i * 7 % 150}", i % 11] for i in range(400)]
    sprayed = [[f"s{i}", f"f{i * 7 % 150}", "abc"[i % 3], i * 5 % 17] for i in range(500)]
    files = [
        write(tmp_path / "fields.csv", ["field", *wide, "sick"], fields),
        write(tmp_path / "ties.csv", ["field_a", "field_b", "metres"], ties),
        write(tmp_path / "products.csv", ["product", "price"], [["a", 3], ["b", 5], ["c", 8]]),
        write(tmp_path / "sprayings.csv", ["spraying", "field", "product", "litres"], sprayed),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "fields.sick")
        found = candidates_for(staging, ready, ready.rows, collective=False)
    assert len(found.candidates) > 200
    sums = {
        one.among[1]
        for one in found.candidates
        if one.among is not None and one.aggregate == "sum" and one.onward is not None
    }
    assert sums == {"a", "b", "c"}


def test_what_rounding_leaves_is_no_difference() -> None:
    found = beside("difference", np.array([0.1 + 0.2, 2.0]), np.array([0.3, 1.0]))
    assert found.tolist() == [0.0, 1.0]


def test_a_row_compared_with_itself_and_its_own_words_find_room_among_few_rows(
    tmp_path: Path,
) -> None:
    """What is behind has more columns than there are claims."""
    claims = [
        [f"c{i}", f"h{i % 20}", 100 + 37 * i % 900, 10 + 13 * i % 90, "yes" if i % 3 else "no",
         f"seen near bridge {'without witness' if i % 4 else 'with friend'} number {i}"]
        for i in range(60)
    ]  # fmt: skip
    wide = [f"n{place}" for place in range(20)]
    holders = [[f"h{i}", *(i * place % 11 for place in range(20))] for i in range(20)]
    files = [
        write(
            tmp_path / "claims.csv", ["claim", "holder", "value", "amount", "fraud", "said"], claims
        ),
        write(tmp_path / "holders.csv", ["holder", *wide], holders),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "claims.fraud")
        matrix = candidates_for(staging, ready, np.arange(60), collective=False)
    assert len(matrix.candidates) > 60
    own = [one for one in matrix.candidates if one.steps == 0]
    assert any(one.aggregate == "ratio" for one in own)
    assert any(one.of_text and one.value == "witness" for one in own)


def test_of_few_rows_less_is_seen_of_what_says_more(tmp_path: Path) -> None:
    visits = [[f"v{i}", f"c{i % 40}", i % 7, ["a", "b"][i % 2]] for i in range(200)]
    files = [
        write(tmp_path / "clients.csv", ["client", "good"], [[f"c{i}", i % 2] for i in range(40)]),
        write(tmp_path / "visits.csv", ["visit", "client", "cost", "kind"], visits),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "clients.good")
        matrix = candidates_for(staging, ready, ready.rows, collective=False)
    few, many = matrix.plainness(100), matrix.plainness(6000)
    plain = np.array([one.turns == 0 for one in matrix.candidates])
    assert plain.any()
    assert not plain.all()
    assert np.all((few[plain] == 1) & (many[plain] == 1))
    assert np.all(few[~plain] < many[~plain])
    assert np.all(many[~plain] < 1)
