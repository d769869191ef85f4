"""Whole numbers that refer to keys though their names do not say to which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from workbench.tables import find_sources, propose, stage
from workbench.tables.mapping import TablesMapping

KEYS = 120


def _mapping(folder: Path, **tables: tuple[str, Sequence[Sequence[object]]]) -> TablesMapping:
    for name, (head, rows) in tables.items():
        text = "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    with stage(find_sources([folder])) as staging:
        return propose(staging)


def _references(mapping: TablesMapping, table: str) -> dict[str, str | None]:
    return {column.name: column.table for column in mapping.table(table).references}


def _people(step: int = 1) -> tuple[str, list[tuple[object, ...]]]:
    return "id,age", [(step * n, 20 + n * 7 % 50) for n in range(1, KEYS + 1)]


def _edges(seed: int, columns: int = 2, top: int = KEYS) -> list[list[int]]:
    return np.random.default_rng(seed).integers(1, top + 1, (400, columns)).tolist()


@pytest.mark.parametrize(
    "names",
    ["source,target", "a,b", "user1,user2", "src_id,dst_id", "node,neighbor", "friendA,friendB"],
)
def test_the_ends_of_edges_are_references(tmp_path: Path, names: str) -> None:
    mapping = _mapping(tmp_path, people=_people(), links=(names, _edges(1)))
    assert _references(mapping, "links") == dict.fromkeys(names.split(","), "people")
    assert mapping.table("links").relation == "Links"


def test_pairs_of_a_few_things_are_references_where_they_are_called_so(tmp_path: Path) -> None:
    teams = ("id,size", [(n, n * 3 % 5) for n in range(1, 9)])
    games = [(n, *row) for n, row in enumerate(_edges(2, 4, top=8))]
    mapping = _mapping(tmp_path, teams=teams, games=("game,team_1,team_2,q1,q2", games))
    assert _references(mapping, "games") == {"team_1": "teams", "team_2": "teams"}


@pytest.mark.parametrize("name", ["owner_id", "keptBy", "owner"])
def test_a_column_called_as_an_id_or_somebody_is_a_reference(tmp_path: Path, name: str) -> None:
    pets = [(n, row[0], row[0] % 30) for n, row in enumerate(_edges(3))]
    mapping = _mapping(tmp_path, people=_people(), pets=(f"pet,{name},legs", pets))
    assert _references(mapping, "pets") == {name: "people"}


def test_keys_with_gaps_are_told_by_numbers_alone(tmp_path: Path) -> None:
    visits = [(n, 7 * a, b) for n, (a, b) in enumerate(_edges(4))]
    mapping = _mapping(tmp_path, people=_people(7), visits=("visit,whom,what", visits))
    assert _references(mapping, "visits") == {"whom": "people"}


@pytest.mark.parametrize("last", [KEYS, 15])
def test_keys_that_begin_far_from_zero_are_told_by_numbers_alone(tmp_path: Path, last: int) -> None:
    people = ("id,age", [(1000 + n, 20 + n * 7 % 50) for n in range(1, KEYS + 1)])
    places = np.linspace(1, KEYS, last).astype(int)
    loans = [(n, 1000 + places[n % last], 900 + 3 * n) for n in range(240)]
    mapping = _mapping(tmp_path, people=people, loans=("loan,czytelnik,grams", loans))
    assert _references(mapping, "loans") == {"czytelnik": "people"}


@pytest.mark.parametrize(
    "names",
    ["rank_2020,rank_2021", "score1,score2", "percent,votes", "quarter,counter", "what,else"],
)
def test_what_is_measured_is_no_reference(tmp_path: Path, names: str) -> None:
    rows = [(n, *row) for n, row in enumerate(_edges(5))]
    mapping = _mapping(tmp_path, people=_people(), tests=(f"test,{names}", rows))
    assert _references(mapping, "tests") == {}


def test_numbers_that_span_but_a_part_of_the_keys_are_no_references(tmp_path: Path) -> None:
    pixels = ("x,y,shade", _edges(6, 3, top=KEYS // 2))
    mapping = _mapping(tmp_path, people=_people(), pixels=pixels)
    assert _references(mapping, "pixels") == {}


def test_years_are_no_references_to_years(tmp_path: Path) -> None:
    seasons = ("season,teams", [(1900 + n, 8 + n % 5) for n in range(KEYS)])
    people = ("person,geboren", [(f"P{n}", 1900 + n % KEYS) for n in range(300)])
    assert _references(_mapping(tmp_path, seasons=seasons, people=people), "people") == {}


def test_of_two_tables_alike_neither_is_chosen(tmp_path: Path) -> None:
    pets = [(n, row[0]) for n, row in enumerate(_edges(7))]
    tables = {"people": _people(), "towns": _people(), "pets": ("pet,owner_id", pets)}
    assert _references(_mapping(tmp_path, **tables), "pets") == {}


def test_counts_are_no_references_where_keys_leave_gaps_only_beyond_them(tmp_path: Path) -> None:
    """Standings are numbered 1, 2, 3, ... and then in leaps; places on the grid end long before."""
    numbers = [*range(1, 80), *range(100, 5000, 40)]
    standings = ("standing,points", [(n, n % 7) for n in numbers])
    rng = np.random.default_rng(5)
    starts = [(f"d{n}", int(rng.integers(1, 35)), int(rng.choice(numbers))) for n in range(900)]
    mapping = _mapping(tmp_path, standings=standings, starts=("driver,grid,of", starts))
    assert _references(mapping, "starts") == {"of": "standings"}
