"""Things that rows tie to others of their table, whichever stands first: friends, calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study


def _people(directory: Path, people: int, *, keyed: bool = False, odd: bool = False) -> list[Path]:
    """People who buy by the mean age of their friends, each pair of whom stands once; `odd`: with
    pairs both ways, of one person, of unknown ones.
    """
    rng = np.random.default_rng(4)
    pairs = [sorted(rng.choice(people, 2, replace=False)) for _ in range(2 * people)]
    if odd:
        pairs += [pair[::-1] for pair in pairs[:20]] + [[n, n] for n in range(5)]
    pairs = list(dict.fromkeys(map(tuple, pairs)))
    age = rng.integers(15, 70, people)
    friends: list[set[int]] = [set() for _ in range(people)]
    for one, other in pairs:
        friends[one].add(other)
        friends[other].add(one)
    rows = []
    for n in range(people):
        mean = np.mean([age[at] for at in friends[n]]) if friends[n] else 42
        buys = rng.random() < 1 / (1 + np.exp((mean - 42) / 4))
        town = f"t{rng.integers(5)}"
        rows.append(
            [f"p{n}", age[n] if n % 11 else "", town, ("yes" if buys else "no", "")[n % 8 == 0]]
        )
    ties = [
        [f"p{one}", "" if odd and keyed and at % 25 == 0 else f"p{other}"]
        for at, (one, other) in enumerate(pairs)
    ]
    header = ["person_a", "person_b"]
    if keyed:
        header, ties = (
            ["tie", *header, "since"],
            [[f"k{at}", *tie, 2000 + at % 20] for at, tie in enumerate(ties)],
        )
    visits = [[at, f"p{rng.integers(people)}", int(rng.integers(99))] for at in range(people)]
    return [
        write(directory / "people.csv", ["person", "age", "town", "buys"], rows),
        write(directory / "friends.csv", header, ties),
        write(directory / "visits.csv", ["visit", "person", "cost"], visits),
    ]


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("target", ["people.age", "visits.cost"])
def test_definitions_say_what_columns_say_of_those_tied(
    tmp_path: Path, target: str, keyed: bool
) -> None:
    rng = np.random.default_rng(5)
    files = _people(tmp_path, 130, keyed=keyed, odd=True)
    if target == "visits.cost":
        text = files[2].read_text(encoding="utf-8").splitlines()
        text[1::9] = [line.rpartition(",")[0] + "," for line in text[1::9]]
        files[2].write_text("\n".join(text), encoding="utf-8")
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, target)
        rows = np.arange(ready.target.table.rows)
        every = candidates_for(staging, ready, rows, collective=False).candidates
        words = list(map(candidate_words, every))
        assert len({*words}) == len(words)
        of = "it" if target == "people.age" else "its person"
        assert any(f"people tied to {of} by friends" in said for said in words)
        tied = [one for one in every if any(hop.kind == "tied" for hop in one.path.hops)]
        assert len(tied) > 12
        assert_definitions_say_columns(staging, ready, tied[::4], rng)


def test_friends_tell_and_infer_says_the_same(tmp_path: Path) -> None:
    files = _people(tmp_path, 900)
    found = study(files, "people.buys", folds=2, out=tmp_path / "out")
    assert "mean age of people tied to it by friends" in found.rules[0].words
    assert_infer_says_the_same(tmp_path / "out", files, found, "person", n_asked=113)
