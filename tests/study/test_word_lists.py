"""Lists of words that labels teach: what is planted is found, and no row counts what it taught."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.differential.outcome import Tally
from tests.differential.study_checks import check_study, random_study_case
from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.structure.candidate import WordList
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.word_lists import GRADES, lists_of
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study

ANGRY = [f"angry{n}" for n in range(15)]
PLAIN = [f"w{n}" for n in range(150)]


def _tickets(tmp_path: Path, n: int = 700) -> Path:
    """Tickets whose texts have one of fifteen words mostly where they are escalated."""
    rng = np.random.default_rng(1)
    rows = []
    for number in range(n):
        escalated = rng.random() < 0.4
        words = list(rng.choice(PLAIN, 5))
        if rng.random() < (0.8 if escalated else 0.05):
            words.append(rng.choice(ANGRY))
        label = "" if number % 9 == 0 else ("yes" if escalated else "no")
        rows.append([f"t{number}", " ".join(words), label])
    return write(tmp_path / "tickets.csv", ["ticket", "text", "escalated"], rows)


def test_planted_words_are_one_rule_and_inference_counts_the_same(tmp_path: Path) -> None:
    result = study([_tickets(tmp_path)], "tickets.escalated")
    assert result.metrics["AUC-ROC"]["mean"] > 0.8, "a word alone says little"
    (first, *_) = result.rules
    assert "words angry" in first.words
    assert first.weight > 0
    assert set(ANGRY) <= set(result.program.split('countWords(u, "')[1].split('"')[0].split())
    assert result.status == "done", "inference by the program said what the rules say"


def test_no_row_counts_words_that_its_own_label_taught(tmp_path: Path) -> None:
    with stage(find_sources([_tickets(tmp_path)])) as staging:
        ready = prepared(staging, "tickets.escalated")
        matrix = candidates_for(staging, ready, np.arange(len(ready.rows)), collective=False)
    (texts,) = matrix.texts.values()
    lists, labels = lists_of([1]), ready.labels
    told = texts.told(lists, labels)
    for row in (1, 2, 300):
        turned = labels.copy()
        turned[row] = 1 - turned[row]
        assert np.array_equal(texts.told(lists, turned)[row], told[row])
    # Where blanks lie in whole groups, nor words that labels of its own group taught.
    group = np.arange(len(labels)) // 20
    apart = replace(texts, group=group)
    freely, told, differ = told, apart.told(lists, labels), 0
    for one in range(12):
        turned = np.where(group == one, 1 - labels, labels)
        within = (group == one) & ~np.isnan(labels)
        assert np.array_equal(apart.told(lists, turned)[within], told[within])
        differ += not np.array_equal(texts.told(lists, turned)[within], freely[within])
    assert differ
    asked = np.isnan(labels)
    by_all = texts.learned(lists, labels)
    for place, one in enumerate(by_all):
        rows = texts.counts[np.flatnonzero(asked)].toarray()
        expected = rows[:, [texts.words.index(word) for word in one.words]].sum(axis=1)
        assert np.array_equal(told[asked, place], expected)


@pytest.mark.parametrize("label", [1, None])
def test_words_are_listed_by_how_far_they_move_the_target(
    tmp_path: Path, label: int | None
) -> None:
    with stage(find_sources([_tickets(tmp_path)])) as staging:
        ready = prepared(staging, "tickets.escalated")
        matrix = candidates_for(staging, ready, np.arange(len(ready.rows)), collective=False)
    (texts,) = matrix.texts.values()
    labels = np.where(np.isnan(ready.labels), np.nan, ready.labels * 3.0 - 1)
    by_number = texts.learned(
        [WordList(label, True, GRADES.index(0.7))], labels if label is None else ready.labels
    )
    assert {*by_number[0].words[: len(ANGRY)]} == {*ANGRY}
    every = texts.learned(lists_of([1]), ready.labels)
    listed = [word for one in every for word in one.words]
    assert len(every) == 2 * len(GRADES)
    assert len(listed) == len(set(listed)), "a word is in one list"


def test_values_of_own_rows_are_listed_too(tmp_path: Path) -> None:
    """Thirty of three hundred codes, told one by one by few of the patients."""
    rng = np.random.default_rng(2)
    codes = np.array([f"{chr(65 + n % 20)}{n}.{n % 7}" for n in range(300)])
    patients, visits = [], []
    for number in range(600):
        held = rng.choice(300, 6)
        risk = 0.9 if (held < 30).any() else 0.1
        ill = "" if number % 9 == 0 else ("yes" if rng.random() < risk else "no")
        patients.append([f"p{number}", ill])
        visits += [[f"v{len(visits) + n}", f"p{number}", codes[at]] for n, at in enumerate(held)]
    files = [
        write(tmp_path / "patients.csv", ["patient", "ill"], patients),
        write(tmp_path / "visits.csv", ["visit", "patient", "code"], visits),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "patients.ill")
        matrix = candidates_for(staging, ready, np.arange(600), collective=False)
        listed = [one for one in matrix.candidates if one.listed is not None]
        first = listed[0].listed
        assert first is not None
        assert first.is_for
        assert np.mean([word in codes[:30] for word in first.words]) > 0.8
        assert candidate_words(listed[0]).startswith("number of its visits with code among the ")
        assert_definitions_say_columns(staging, ready, listed, rng)


def test_words_are_learned_also_where_no_label_of_other_rows_is_read(tmp_path: Path) -> None:
    with stage(find_sources([_tickets(tmp_path)])) as staging:
        ready = prepared(staging, "tickets.escalated")
        matrix = candidates_for(staging, ready, np.arange(len(ready.rows)), collective=False)
    lists, unseen = sorted(matrix.of_lists), np.full(len(ready.labels), np.nan)
    for X in (matrix.given(unseen, ready.labels), matrix.without_labels(ready.labels)):
        assert np.array_equal(X[:, lists], matrix.given(ready.labels)[:, lists])
    assert not matrix.given(unseen)[:, lists].any(), "labels alone teach"


def test_what_speaks_for_one_class_and_against_another_is_listed_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = []
    for number in range(300):
        own = (("warm", "sweet"), ("cold", "sour"), ())[number % 3]
        some = " ".join(word for word in own if rng.random() < 0.7)
        rows.append([f"d{number}", f"{some} w{number}", "rgb"[number % 3] if number > 9 else ""])
    drinks = write(tmp_path / "drinks.csv", ["drink", "note", "kind"], rows)
    with stage(find_sources([drinks])) as staging:
        ready = prepared(staging, "drinks.kind")
        matrix = candidates_for(staging, ready, np.arange(300), collective=False)
    listed = [frozenset(one.listed.words) for one in matrix.candidates if one.listed is not None]
    assert frozenset(("warm", "sweet")) in listed
    assert len(listed) == len(set(listed))
    assert matrix.X.shape[1] == len(matrix.candidates)


def test_words_of_rows_of_the_same_moment_count_in_the_program_too() -> None:
    """Somebody's boss is themselves: a folder on which study and program differed."""
    case = random_study_case(61342)
    assert case.timed
    check_study(case, Tally())
