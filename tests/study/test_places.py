"""Where rows are: what is near to each, how far the nearest is, how far places are apart."""

from __future__ import annotations

from math import asin, cos, hypot, radians, sin, sqrt
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.arrays import Real
from workbench.structure.candidate import Candidate
from workbench.study import places
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for, filled
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study

Coordinates = tuple[float, float]
HOMES = 240


def km(one: Coordinates, other: Coordinates) -> float:
    """By the haversine formula, written again."""
    (a, b), (c, d) = ((radians(x), radians(y)) for x, y in (one, other))
    root = sin((c - a) / 2) ** 2 + cos(a) * cos(c) * sin((d - b) / 2) ** 2
    return 2 * 6371.0088 * asin(sqrt(min(1.0, root)))


def _towns(directory: Path, *, on_globe: bool) -> tuple[list[Path], dict[str, Coordinates | None]]:
    """Homes and shops, some nobody knows where, and what was brought from one to the other."""
    rng = np.random.default_rng(2)
    named = ("latitude", "longitude") if on_globe else ("easting", "northing")
    at: dict[str, Coordinates | None] = {}
    rows: dict[str, list[list[object]]] = {"home": [], "shop": []}
    for kind, number in (("home", HOMES), ("shop", 60)):
        for n in range(number):
            where = (48 + rng.random() * 0.5, 9 + rng.random() * 0.8)
            known = (round(where[0], 5), round(where[1], 5)) if rng.random() < 0.95 else None
            at[f"{kind[0]}{n}"] = known
            rows[kind].append([f"{kind[0]}{n}", *(known or ("", "")), int(rng.integers(50))])
    brought = [
        [n, f"h{rng.integers(HOMES)}", f"s{rng.integers(60)}", int(rng.integers(9))]
        for n in range(500)
    ]
    homes = [
        [*row, "" if n % 4 == 0 else int(rng.integers(90))] for n, row in enumerate(rows["home"])
    ]
    return [
        write(directory / "homes.csv", ["home", *named, "rooms", "rent"], homes),
        write(directory / "shops.csv", ["shop", *named, "staff"], rows["shop"]),
        write(directory / "brought.csv", ["delivery", "home", "shop", "boxes"], brought),
    ], at


def _is_of_places(one: Candidate) -> bool:
    parts = one.compared or (one,)
    column = [part.onward.column for part in parts if part.onward]
    of_column = any(c.apart or (c.gathered and c.gathered.nearest) for c in column)
    return of_column or any(hop.kind == "near" for part in parts for hop in part.path.hops)


@pytest.mark.parametrize("on_globe", [True, False])
def test_definitions_say_what_columns_say_of_places(tmp_path: Path, on_globe: bool) -> None:
    """And both what is worked out by hand."""
    files, at = _towns(tmp_path, on_globe=on_globe)
    rng = np.random.default_rng(5)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "homes.rent")
        matrix = candidates_for(staging, ready, np.arange(HOMES), collective=False)
        every = [one for one in matrix.candidates if _is_of_places(one)]
        X = filled(
            CandidateColumns(staging, ready.schema, ready.typed, ready.rows),
            every,
            range(len(every)),
            [],
        )
        some = [n for n, one in enumerate(every) if one.compared is None or n % 9 == 0]
        told = [every[n] for n in some]
        assert {hop.kind for one in told for hop in one.path.hops} >= {"near", "from"}
        assert_definitions_say_columns(staging, ready, told, rng, X[:, some])
        by_words = dict(zip(map(candidate_words, every), X.T))
        radius = ready.schema["homes"].near[0][1].within
    unit, far = (
        (" km", km) if on_globe else ("", lambda one, other: hypot(*np.subtract(one, other)))
    )
    homes = [f"h{n}" for n in range(HOMES)]

    def distances(home: str, kind: str) -> list[float]:
        here = at[home]
        theirs = ((name, there) for name, there in at.items() if name[0] == kind and name != home)
        return [] if here is None else [far(here, there) for _, there in theirs if there]

    to_shop = by_words[f"{'km' if on_globe else 'distance'} to the nearest shop"]
    np.testing.assert_allclose(
        to_shop, [min(distances(one, "s"), default=np.nan) for one in homes], rtol=1e-6
    )
    near = by_words[f"number of homes within {radius:g}{unit} of it"]
    counted = [sum(one <= radius for one in distances(home, "h")) for home in homes]
    assert near.tolist() == counted
    assert 4 < np.mean(counted) < 16


def test_too_many_rows_are_not_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "MOST_NEAR", 100)
    monkeypatch.setattr(places, "MOST_NEAREST", 100)
    files, _ = _towns(tmp_path, on_globe=True)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "homes.rent")
        assert not ready.schema["homes"].near
        assert not any(one.gathered for one in ready.schema["homes"].columns)
        assert any(one.apart for one in ready.schema["brought"].columns)


def test_rents_fall_with_the_way_to_the_nearest_station(tmp_path: Path) -> None:
    """As far as noise allows, and `infer` says the same; new homes, too, have their stations."""
    rng = np.random.default_rng(4)
    stations = [(50 + rng.random() * 0.4, 8 + rng.random() * 0.6) for _ in range(25)]
    homes: list[list[object]] = []
    noise = []
    for n in range(400):
        here = (50 + rng.random() * 0.4, 8 + rng.random() * 0.6)
        noise.append(float(rng.normal(0, 12)))
        rent = 300 - 15 * min(km(here, there) for there in stations) + noise[-1]
        asked = n % 8 == 0
        homes.append([f"h{n}", *(round(x, 5) for x in here), "" if asked else round(rent, 1)])
    files = [
        write(tmp_path / "homes.csv", ["home", "lat", "lng", "rent"], homes),
        write(
            tmp_path / "stations.csv",
            ["station", "lat", "lng"],
            [[f"s{n}", *(round(x, 5) for x in there)] for n, there in enumerate(stations)],
        ),
    ]
    found = study(files, "homes.rent", folds=3)
    assert "km to the nearest station" in found.rules[0].words
    error = found.metrics["MAE"]["mean"]
    assert error is not None
    assert error < 1.35 * float(np.mean(np.abs(noise)))
    (tmp_path / "out").mkdir()
    assert_infer_says_the_same(tmp_path / "out", files, found, "home", n_asked=50)


def test_with_times_the_nearest_of_rows_that_come_later_is_not_told(tmp_path: Path) -> None:
    """Of stations without a date it is; of homes, and of shops that open on a day, it would tell
    what is not known yet. What is near counts as far as it is dated before.
    """
    rng = np.random.default_rng(8)

    def rows(kind: str, number: int, *, dated: bool) -> list[list[object]]:
        return [
            [
                f"{kind}{n}",
                round(48 + rng.random() * 0.5, 5),
                round(9 + rng.random() * 0.8, 5),
                *([f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}"] if dated else []),
                "" if n % 4 == 0 else int(rng.integers(90)),
            ]
            for n in range(number)
        ]

    place = ["latitude", "longitude"]
    homes = rows("h", 300, dated=True)
    shops = rows("s", 60, dated=True)
    header = ["home", *place, "asked", "rent"]
    stations = write(
        tmp_path / "stations.csv", ["station", *place, "lines"], rows("t", 40, dated=False)
    )

    def near_and_nearest(directory: Path) -> tuple[set[str], Real]:
        files = [
            stations,
            write(directory / "homes.csv", header, homes),
            write(directory / "shops.csv", ["shop", *place, "opened", "staff"], shops),
        ]
        with stage(find_sources(files)) as staging:
            ready = prepared(staging, "homes.rent", time="homes.asked")
            matrix = candidates_for(staging, ready, np.arange(300), collective=False)
            every = [one for one in matrix.candidates if _is_of_places(one)]
            columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
            early = np.array([row[3] < "2024-06-01" for row in homes])
            X = filled(columns, every, range(len(every)), [])
            assert_definitions_say_columns(
                staging, ready, every[::7], np.random.default_rng(1), X[:, ::7]
            )
            return {one.name for one in ready.schema["homes"].columns}, X[early]

    names, before = near_and_nearest(tmp_path / "before")
    assert "km to the nearest station" in names
    assert not names & {"km to the nearest shop", "km to the nearest other home"}
    for late in (row for row in shops if row[3] >= "2024-06-01"):
        late[4] = 1_000
    _, after = near_and_nearest(tmp_path / "after")
    np.testing.assert_allclose(before, after, rtol=1e-8)  # variances are differences of sums
