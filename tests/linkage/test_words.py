"""Words and letters of many texts at once, and the pairs of texts that are near by these."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.linkage import neighbours, words
from workbench.linkage.blocking import Pairs, every_pair
from workbench.linkage.fields import Field
from workbench.linkage.neighbours import add_near, are_near, near_pairs
from workbench.linkage.numbers import words_in
from workbench.linkage.words import WHOLE, Words, threes_in

TEXTS = ["oil filter ab 1234", "", "ölfilter 北京 😀 x", "a", "oil oil oil", "filter, oil"]


def _of_each(found: Words) -> list[set[str]]:
    return [
        {found.texts[one] for one in found.ids[start:end]}
        for start, end in zip(found.starts, found.starts[1:])
    ]


@pytest.mark.parametrize(("chunk", "table"), [(10_000, 1 << 24), (2, 1 << 24), (4, 1)])
def test_letters_in_threes_of_many_texts_are_those_of_each(
    chunk: int, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "CHUNK", chunk)
    monkeypatch.setattr(words, "TABLE", table)
    found = Words.with_threes(TEXTS)
    assert _of_each(found) == [
        {f"{word}{WHOLE}" for word in words_in(text)} | set(threes_in(text)) for text in TEXTS
    ]
    assert len(found.ids) == sum(map(len, _of_each(found)))


def test_words_go_on_from_those_that_are_known() -> None:
    codes = np.arange(len(TEXTS), dtype=np.int32)
    whole = Field("title", "text", np.array(TEXTS, object), codes)
    first = Field("title", "text", np.array(TEXTS[:3], object), codes[:3])
    again = Field("title", "text", np.array(TEXTS, object), codes, begun=first.words)
    assert _of_each(again.words) == _of_each(whole.words)
    assert again.words.texts[: len(first.words.texts)] == first.words.texts


def test_near_texts_are_sought_once_and_are_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    texts = sorted({" ".join(random.choice(list("abcdefgh"), 5)) for _ in range(60)})
    codes = np.arange(len(texts), dtype=np.int32)
    field = Field("title", "words", np.array(texts, object), codes)
    monkeypatch.setattr(neighbours, "ROWS", 7)
    near, pairs = add_near(field, Pairs(codes[:0], codes[:0]), None, most=10**6)
    every = every_pair(len(codes), None)
    left, right = (field.weighted[side].toarray() for side in (every.left, every.right))
    alike = (left * right).sum(axis=1) >= neighbours.ALIKE
    assert 0 < len(pairs) < len(every)
    assert np.array_equal(pairs.keys(len(codes)), every.keys(len(codes))[alike])
    monkeypatch.setattr(neighbours, "_near_values", None)
    assert np.array_equal(are_near(field, near, every), alike)
    assert len(near_pairs(field, near, (codes % 2).astype(np.int32))) < len(pairs)
