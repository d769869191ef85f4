"""Candidates against nested loops over the records."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from workbench.linkage.blocking import Pairs, all_pairs, count_pairs, every_pair
from workbench.linkage.candidates import find_candidates, propose_statements
from workbench.linkage.comparison import compare, make_comparison
from workbench.linkage.fields import Field, make_field
from workbench.linkage.keys import keys_of
from workbench.linkage.neighbours import Near, add_near


def fields(n: int = 60) -> list[Field]:
    random = np.random.default_rng(1)
    names = [f"{a}{b}" for a in ("ada", "bo", "cyr", "dora") for b in ("na", "lf", "il")]
    days = [f"19{year}-0{month}-11" for year in (50, 51, 62) for month in (1, 4)]
    return [
        make_field("name", "text", names, random.integers(-1, len(names), n).astype(np.int32)),
        make_field("born", "date", days, random.integers(-1, len(days), n).astype(np.int32)),
    ]


@pytest.mark.parametrize("linked", [False, True])
def test_pairs_are_those_that_share_all_keys(linked: bool) -> None:
    given = fields()
    second = (np.arange(60) % 3 == 0).astype(np.int32) if linked else None
    keys = [key for key in keys_of(given) if key.words in ("name", "year of born")]
    statement = count_pairs(keys, second)
    pairs, (said,) = all_pairs([statement], second, 60)
    one, two = (key.codes for key in keys)
    expected = [
        (a, b)
        for a, b in combinations(range(60), 2)
        if one[a] == one[b] >= 0
        and two[a] == two[b] >= 0
        and (second is None or second[a] != second[b])
    ]
    assert list(zip(pairs.left.tolist(), pairs.right.tolist())) == expected
    assert statement.pairs == said.gain == len(expected)


def test_blocks_too_large_are_left_out_and_said() -> None:
    keys = [key for key in keys_of(fields()) if key.words == "name"]
    sizes = np.bincount(keys[0].codes[keys[0].codes >= 0])
    statement = count_pairs(keys, None, largest=4)
    assert statement.cut == tuple(sorted((int(size) for size in sizes if size > 4), reverse=True))
    assert statement.pairs == sum(size * (size - 1) // 2 for size in sizes if size <= 4)


def test_a_value_that_very_many_hold_hides_no_key_and_is_said() -> None:
    """Telephones of which most say nothing: the others still find their pairs."""
    codes = np.append(np.zeros(400), 1 + np.repeat(np.arange(50), 2)).astype(np.int32)
    phone = Field("phone", "code", np.array([f"t{n}" for n in range(51)], object), codes)
    (said,) = propose_statements(keys_of([phone]), None, most=10**6, largest=100)
    assert (said.words, said.pairs, said.cut) == ("same phone", 50, (400,))
    kind = Field("kind", "category", np.array(["a", "b"], object), codes % 2)
    assert not propose_statements(keys_of([kind]), None, most=10**6, largest=100)
    lone = np.append(np.zeros(400), 1 + np.arange(100)).astype(np.int32)
    phone = Field("phone", "code", np.array([f"t{n}" for n in range(101)], object), lone)
    (said,) = propose_statements(keys_of([phone]), None, most=10**6, largest=100)
    assert (said.pairs, said.cut) == (0, (400,))


def test_proposed_statements_keep_to_their_budget() -> None:
    for most in (0, 50, 10_000):
        assert (
            sum(one.pairs for one in propose_statements(keys_of(fields()), None, most=most)) <= most
        )


def test_three_keys_are_tried_where_records_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    things = random.integers(0, 40, (300, 3))
    rows = np.repeat(things, 4, axis=0).astype(np.int32)
    given = [
        Field(name, "category", np.array([f"v{n}" for n in range(40)], object), rows[:, at])
        for at, name in enumerate("abc")
    ]
    monkeypatch.setattr("workbench.linkage.candidates.MOST_CHANCE", 1e-2)
    assert all(len(one.keys) < 3 for one in propose_statements(keys_of(given), None, most=10**6))
    monkeypatch.setattr("workbench.linkage.candidates.MANY_RECORDS", 1000)
    found = propose_statements(keys_of(given), None, most=10**6)
    assert any(len(one.keys) == 3 for one in found)


def test_things_without_their_numbers_are_found_by_what_else_they_share() -> None:
    """Cars, half of whose plates are not known, nor all models right: makes and models go together,
    so that a statement of both finds more than chance, and few cars.
    """
    random = np.random.default_rng(3)
    cars = {"model": 300, "year": 20, "colour": 7, "town": 60, "plate": 10**6}
    things = np.column_stack([random.integers(0, size, 2000) for size in cars.values()])
    thing = np.concatenate((np.arange(2000), np.arange(300)))
    rows = things[thing].astype(np.int32)
    rows[random.random(len(rows)) < 0.5, 4] = -1
    wrong = 2000 + np.flatnonzero(random.random(300) < 0.5)
    rows[wrong, 0] = random.integers(0, 300, len(wrong))
    given = [
        Field(name, "category", np.array([f"{name} {n:06}" for n in range(size)], object), codes)
        for (name, size), codes in zip(cars.items(), rows.T)
    ]
    makes = np.array([f"make {n}" for n in range(10)], object)
    given.append(Field("make", "category", makes, given[0].codes // 30))
    learned = find_candidates(given, None)
    found = [
        (thing[one.pairs.left] == thing[one.pairs.right]).sum() / 300
        for one in (learned, learned.widened(None, len(thing)))
    ]
    assert found[0] < 0.7
    assert found[1] > 0.95


def test_near_texts_are_candidates() -> None:
    texts = [
        "the art of query processing",
        "art of query processing, the",
        "deep seas and their fish",
        "a b c d e",
    ]
    field = Field("title", "words", np.array(texts, object), np.array([0, 1, 2, 3, 2], np.int32))
    empty = np.zeros(0, np.int32)
    near, pairs = add_near(field, Pairs(empty, empty), None, most=1000)
    assert near == Near("title", frozenset(), 2)
    assert list(zip(pairs.left.tolist(), pairs.right.tolist())) == [(0, 1), (2, 4)]


def test_levels_grow_with_agreement_and_rarity() -> None:
    texts = ["smith", "smyth", "jones", "quill"]
    codes = np.array([0] * 40 + [1, 2, 3, 3, -1], np.int32)
    comparison = make_comparison(Field("surname", "name", np.array(texts, object), codes))
    levels = compare(comparison, every_pair(len(codes), None))
    of = dict(zip(combinations(range(len(codes)), 2), levels.tolist()))
    assert of[0, 44] == 0
    assert of[0, 41] == 1
    assert 1 < of[0, 40] < of[0, 1] < of[42, 43] == comparison.n_levels - 1


def test_a_record_beside_very_many_takes_no_room_for_pairs_of_these() -> None:
    second = np.ones(40_000, np.int32)
    second[[0, 17]] = 0
    pairs = every_pair(len(second), second)  # of all 40,000 they were 6 GB
    keys = pairs.keys(len(second))
    assert len(pairs) == 2 * 39_998
    assert (pairs.left < pairs.right).all()
    assert (np.diff(keys) > 0).all()
    assert (second[pairs.left] != second[pairs.right]).all()
