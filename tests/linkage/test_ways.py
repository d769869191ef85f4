"""Two sources that write things each in its own way: formats, units, codes of things."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.cluster_scores import cluster_scores
from workbench.linkage.comparison import MISSING, make_comparison
from workbench.linkage.fields import make_field
from workbench.linkage.mixture import Mixture
from workbench.linkage.ways import Ways, as_if_across, ways_of
from workbench.verbs.linking.link import link
from workbench.verbs.linking.result import LinkResult

Random = np.random.Generator
Row = dict[str, str]
FORENAMES = "Anna Bruno Carla David Elena Fritz Greta Hugo Ida Jonas Klara Leon".split()
TOPICS = (
    "art river city war garden letters poems travel music ethics logic medicine ancient modern "
    "social peace language science history theory"
).split()
SYLLABLES = "ba de ki lo mu na pe ri so tu va we".split()


def named(random: Random) -> str:
    return "".join(random.choice(SYLLABLES, 3)).capitalize()


def editions(random: Random, n: int) -> list[dict[str, str]]:
    """Books of which one in four is a later edition of another: of its title and author."""
    found: list[dict[str, str]] = []
    for _ in range(n):
        of = found[random.integers(len(found))] if found and random.random() < 0.25 else None
        book = of or {
            "title": " ".join(random.choice(TOPICS, 3)) + " of " + named(random),
            "first": str(random.choice(FORENAMES)),
            "last": named(random),
            "year": str(random.integers(1960, 2000)),
        }
        year = str(int(book["year"]) + (0 if of is None else int(random.integers(2, 9))))
        found.append({**book, "year": year, "isbn": str(random.integers(10**12, 10**13))})
    return found


def here(random: Random, book: dict[str, str]) -> Row:
    return {
        "title": book["title"],
        "author": f"{book['last']}, {book['first']}",
        "year": book["year"],
        "isbn": book["isbn"] if random.random() < 0.6 else "",
    }


def there(random: Random, book: dict[str, str]) -> Row:
    first = book["first"] if random.random() < 0.6 else book["first"][0] + "."
    return {**here(random, book), "author": f"{first} {book['last']}"}


Seen = Callable[[Random, dict[str, str]], Row]


def linked(
    folder: Path, things: list[dict[str, str]], both: int, seen: tuple[Seen, Seen], seed: int
) -> tuple[LinkResult, np.ndarray]:
    """Two files, in both of which the middle ones of the things are."""
    random, half = np.random.default_rng(seed), (len(things) + both) // 2
    truths = [np.arange(half), np.arange(len(things) - half, len(things))]
    paths = [folder / "a.csv", folder / "b.csv"]
    for path, truth, see in zip(paths, truths, seen):
        pd.DataFrame([see(random, things[place]) for place in truth]).to_csv(path, index_label="id")
    return link(paths, id_column="id"), np.concatenate(truths)


@pytest.mark.parametrize("seed", [5, 6])
def test_editions_are_told_apart_though_each_library_writes_authors_in_its_own_way(
    tmp_path: Path, seed: int
) -> None:
    """Few are in both. Editions within a library look more alike than its books in the other."""
    random = np.random.default_rng(seed)
    result, truth = linked(tmp_path, editions(random, 2800), 150, (here, there), seed)
    precision = cluster_scores(result.clustering.label, truth)["precision"]
    assert precision > 0.8
    assert result.estimates.precision == pytest.approx(precision, abs=0.15)


def song(random: Random) -> dict[str, str]:
    return {
        "artist": named(random) if random.random() < 0.3 else str(random.choice(FORENAMES)),
        "title": " ".join(random.choice(TOPICS, int(random.integers(1, 3)))),
        "seconds": str(random.integers(100, 400)),
    }


def in_seconds(random: Random, song: dict[str, str]) -> Row:
    return {"artist": song["artist"], "title": song["title"], "duration": song["seconds"]}


def in_minutes(random: Random, song: dict[str, str]) -> Row:
    minutes, seconds = divmod(int(song["seconds"]), 60)
    return {**in_seconds(random, song), "duration": f"{minutes}:{seconds:02d}"}


def test_durations_in_minutes_are_those_in_seconds(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    things = [song(random) for _ in range(900)]
    result, truth = linked(tmp_path, things, 300, (in_seconds, in_minutes), 8)
    assert cluster_scores(result.clustering.label, truth)["F1"] > 0.95


def test_weights_without_a_unit_are_in_that_of_the_other_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "name,weight\n" + "".join(f"thing {n},{n}.5 kg\n" for n in range(1, 40))
    )
    (tmp_path / "b.csv").write_text(
        "name,weight\n" + "".join(f"thing {n},{n}.5\n" for n in range(20, 60))
    )
    result = link([tmp_path / "a.csv", tmp_path / "b.csv"])
    weights = next(one for one in result.records.columns if one.name == "weight")
    assert weights.codes[25] == weights.codes[39 + 6]


SECOND = np.repeat([0, 1], 200).astype(np.int32)


@pytest.mark.parametrize(
    ("codes", "ways"),
    [
        (np.arange(400) % 100, Ways.ONE),
        (np.arange(400) // 5, Ways.OTHERS),
        (np.arange(400) % 4 + 4 * SECOND, Ways.TWO),
        (np.arange(400), Ways.ONE),
        (np.where(np.arange(400) < 60, np.arange(400) // 2, np.arange(400)), Ways.TWO),
    ],
    ids=["alike", "venues of many names", "kinds of other names", "never equal", "rare values"],
)
def test_ways_are_told_by_what_is_equal_within_and_not_across(
    codes: np.ndarray, ways: Ways
) -> None:
    texts = [f"value {n}" for n in range(int(codes.max()) + 1)]
    assert ways_of(make_field("field", "text", texts, codes.astype(np.int32)), SECOND) is ways


def test_what_is_equal_within_has_a_level_that_matches_across_have() -> None:
    texts = [f"name {n}" for n in range(50)]
    codes = np.repeat(np.arange(50), 2).astype(np.int32)
    comparison = make_comparison(make_field("name", "text", texts, codes))
    top, near = comparison.n_levels - 1, 4
    even = np.full(comparison.n_levels, 1.0 / comparison.n_levels)
    likely = np.where(np.arange(comparison.n_levels) == near, 0.9, 0.01)
    assumed = Mixture((likely / likely.sum(),), (even,), 0.01)
    within = np.array([[top]] * 50 + [[1]] * 50 + [[MISSING]] * 50, np.int8)
    across = np.array([[near]] * 40 + [[1]] * 60, np.int8)
    found = as_if_across(within, across, [comparison], [0], assumed, np.random.default_rng(2))
    assert np.mean(found[:50, 0] == near) > 0.9
    assert (found[50:] == within[50:]).all()
