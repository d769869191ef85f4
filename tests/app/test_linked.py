"""Link records: from a file to clusters, answers to doubtful pairs, other thresholds."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pytest

from app.state import Server
from tests.app.conftest import Open, finished, pressed, sound
from tests.app.visitor import Visitor, needs_browser


@pytest.fixture
def persons(tmp_path: Path) -> Path:
    """A hundred and twenty people, some twice or three times, with slips and blanks."""
    return _people(tmp_path / "persons.csv", 120)


def _people(path: Path, number: int) -> Path:
    chance = random.Random(3)
    forenames = "Anna Ben Cleo Dora Emil Finn Gina Hugo Ines Jan".split()
    surnames = "Albers Brandt Conrad Dietz Ehlers Fuchs Graf Hahn Imhof Jung Kraus Lorenz".split()
    rows: list[list[object]] = []
    for _ in range(number):
        surname, born = chance.choice(surnames), chance.randint(1940, 2005)
        forename, street = chance.choice(forenames), f"Elm St {chance.randint(1, 400)}"
        for _ in range(chance.choice([1, 1, 2, 3])):
            slipped = surname if chance.random() < 0.85 else surname[:-1]
            where = street if chance.random() < 0.85 else ""
            rows.append([len(rows) + 1, forename, slipped, born, where])
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["id", "forename", "surname", "born", "street"], *rows])
    return path


def test_records_are_linked_and_linked_again_from_another_threshold(
    state: Server, page: Open, persons: Path
) -> None:
    test = page("linked")
    test.text_area(key="linked-paths").set_value(str(persons))
    sound(test.run())
    assert "persons" in test.button(key="linked-go").label
    sound(test.button(key="linked-go").click().run())
    assert finished(state.jobs.all()[0]).status == "done"
    test = sound(test.run())
    figures = {item.label: item.value for item in test.metric}
    assert int(figures["Clusters"]) < int(figures["Records"])
    assert float(figures["Expected precision"]) > 0.5
    assert "cluster" in test.dataframe[0].value
    name = str(test.dataframe[0].value["cluster"].iloc[0])
    pair = [str(test.selectbox(key=f"linked-{end}-{name}").value) for end in ("left", "right")]
    pressed(test, "The same")
    said = [item.value for item in sound(test.run()).caption]
    assert "Somebody said that they are the same." in said
    test.segmented_control(key="linked-part").set_value("Threshold")
    test = sound(test.run())
    test.select_slider[0].set_value(0.99)
    test = sound(test.run())
    sound(test.button(key="linked-again-from").click().run())
    assert finished(state.jobs.all()[0]).status == "done"
    again = state.workspace.linkage()
    assert again.threshold == pytest.approx(0.99)
    assert again.labels().astype(str).to_numpy().tolist() == [[*sorted(pair), "1"]]
    lines = persons.read_text().splitlines()
    persons.write_text("\n".join(one for one in lines if not one.startswith(f"{pair[0]},")))
    test = sound(test.run())
    sound(test.button(key="linked-again").click().run())
    job = finished(state.jobs.all()[0])
    assert job.status == "done"
    assert any("answer" in one for one in job.about.outcome.summary["warnings"])


@pytest.fixture
def linked(state: Server, persons: Path) -> Any:
    """The people, linked, and where people who label are asked about them."""
    state.workspace.link([persons])
    return state.workspace.linkage()


def test_an_answer_and_a_skip_are_undone_in_turn(linked: Any, page: Open) -> None:
    test = page("linked")
    test.segmented_control(key="linked-part").set_value("Doubtful pairs")
    sound(test.run())
    first, second = ({one.left, one.right} for one in linked.questions(2))
    linked.answer(*first, False)  # somebody else meanwhile
    pressed(test, "The same")
    assert [set(row) & first for row in linked.answers().to_numpy().tolist()] == [first]
    assert any("not the same to somebody" in one.value for one in test.toast)
    pressed(test, "Skip")
    assert linked.questions(1)[0].left in second
    sound(test.button(key="linked-undo").click().run())
    assert linked.answers()["same"].tolist() == [True]
    sound(test.button(key="linked-undo").click().run())
    assert linked.answers()["same"].tolist() == [False]
    sound(test.button(key="linked-undo").click().run())
    assert test.toast[0].value == "You have answered nothing yet."


def test_answers_can_be_taken_back_where_no_pair_is_left(
    state: Server, page: Open, tmp_path: Path
) -> None:
    assert state.workspace is not None
    state.workspace.link([_people(tmp_path / "few.csv", 8)])
    linked = state.workspace.linkage()
    doubtful = linked.questions(1000)
    assert len(doubtful) > 5, len(doubtful)
    for one in doubtful:
        linked.answer(one.left, one.right, one.together)
    assert not linked.questions(1)
    test = page("linked")
    test.segmented_control(key="linked-part").set_value("Doubtful pairs")
    assert "No doubtful pair" in sound(test.run()).success[0].value
    assert test.button(key="linked-undo")
    assert any("answer" in one.label for one in test.expander)


def test_who_labels_answers_and_links_nothing(
    linked: Any, page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.state.role", lambda: "label")
    test = page("linked")
    assert not [one for one in test.button if one.key in ("linked-go", "linked-again")]
    test.segmented_control(key="linked-part").set_value("Threshold")
    assert not [one for one in sound(test.run()).button if one.key == "linked-again-from"]
    test.segmented_control(key="linked-part").set_value("Doubtful pairs")
    pressed(sound(test.run()), "Not the same")
    assert len(linked.answers()) == 1


def test_files_that_cannot_be_linked_are_told(page: Open, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.csv" for name in "abc"]
    for path in paths:
        path.write_text("name\nAnn\nBob\n")
    test = page("linked")
    test.text_area(key="linked-paths").set_value("\n".join(map(str, paths)))
    assert "across two" in sound(test.run()).warning[0].value


@needs_browser
def test_a_file_to_answered_doubts_in_few_clicks(visitor: Visitor, persons: Path) -> None:
    visitor.fresh()
    visitor.clicks = 0
    visitor.go("linked", "Link records")
    visitor.upload(persons)
    visitor.press("Link the records of persons.csv")
    visitor.sees("Expected recall")
    visitor.sees("before anything is compared")
    visitor.look("linked")
    visitor.choose("Doubtful pairs")
    visitor.sees("Are these the same?")
    visitor.page.keyboard.press("y")
    visitor.sees("1 answer")
    visitor.sees("learning from the answers")
    assert visitor.clicks <= 5
