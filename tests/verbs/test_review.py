"""Review: the order of questions, answers as labels, undone, disputed, learned from."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.verbs.answers import agreements, disputed
from workbench.verbs.review import Question
from workbench.workspace import Workspace, open_workspace

RULES = "Likes(person, topic)\nFan(person)\n1 Likes(p, +t) => Fan(p)\n-0.2 Fan(p)\n"


@pytest.fixture
def people() -> Workspace:
    ws = open_workspace()
    ws.declare(RULES)
    ws.data.add("\n".join(f'Likes(P{n}, "a topic, {n % 3}")' for n in range(9)), world="East")
    ws.data.add('Likes("Müller, Jr.", "a topic, 1")', world="West")
    ws.data.add("Fan(P0)", world="East", partition="truth")
    ws.infer(RULES, query=["Fan"], engine="exact")
    return ws


def truth(ws: Workspace) -> dict[tuple[str, ...], float]:
    page = ws.data.facts_page("Fan", partition="truth")
    return {row[:2]: row[2] for row in page.rows}


def asked(ws: Workspace) -> list[Question]:
    return list(ws.review().waiting(ws.answers(), "Ada"))


def test_what_has_no_label_is_asked_in_order(people: Workspace) -> None:
    queue = people.review()
    assert queue.total == len(queue.questions) == 9
    assert "Fan(P0)" not in {one.atom for one in queue.questions}
    assert {one.world for one in queue.questions} == {"East", "West"}
    change = [one.change for one in queue.questions]
    assert change == sorted(change, reverse=True)
    doubt = [one.doubt for one in people.review(order="doubt", most=3).questions]
    assert len(doubt) == 3
    assert doubt == sorted(doubt, reverse=True)


def test_a_prediction_is_explained_as_it_was_before_it_was_answered(people: Workspace) -> None:
    (run,) = people.runs.all()
    question = next(one for one in asked(people) if one.world == "East")
    sentence = people.reopen(run.id).explain(question.atom).sentence()
    for reviewer, says in (("Ada", True), ("Bea", True), ("Ada", False)):
        people.answer(question, says, reviewer=reviewer)
        assert people.reopen(run.id).explain(question.atom).sentence() == sentence
    people.data.add('Likes(P1, "a topic, 0")', world="East")
    with pytest.raises(UsageError, match="E0816"):
        people.reopen(run.id)


def test_an_answer_is_a_label_at_once_and_can_be_undone(people: Workspace) -> None:
    before = truth(people)
    question = next(one for one in asked(people) if one.world == "West")
    people.answer(question, True, reviewer="Ada")
    assert truth(people) == before | {("West", "Müller, Jr."): 1.0}
    assert question.atom not in {one.atom for one in asked(people)}
    assert (taken := people.undo_answer(reviewer="Ada")) is not None
    assert taken.atom == question.atom
    assert truth(people) == before
    assert people.undo_answer(reviewer="Ada") is None
    people.answer(question, None, reviewer="Ada")
    assert truth(people) == before
    assert question.atom not in {one.atom for one in asked(people)}


def test_a_target_that_has_a_label_is_known_to_what_is_inferred_next(tmp_path: Path) -> None:
    (tmp_path / "cats.csv").write_text(
        "cat,old,ill\nC1,yes,yes\nC2,no,\nC3,no,no\nC4,yes,\nC5,no,yes\n"
    )
    with open_workspace() as ws:
        ws.load(tmp_path / "cats.csv", predict="cats.ill")
        run = ws.infer("Old(cat)\nIll(cat)\n1 Old(x) => Ill(x)\n", query="Ill").run_id
        question = next(one for one in ws.review(run).questions if one.atom == "Ill(C2)")
        ws.answer(question, True, reviewer="Ada")
        assert list(ws.infer_again(run).predictions()["atom"]) == ["Ill(C4)"]
        ws.answer(question, False, reviewer="Ben")
        assert list(ws.infer_again(run).predictions()["atom"]) == ["Ill(C2)", "Ill(C4)"]
        ws.undo_answer(reviewer="Ada")
        assert list(ws.infer_again(run).predictions()["atom"]) == ["Ill(C4)"]
        ws.undo_answer(reviewer="Ben")
        assert list(ws.infer_again(run).predictions()["atom"]) == ["Ill(C2)", "Ill(C4)"]


def test_the_majority_of_reviewers_decides(people: Workspace) -> None:
    question = Question("Fan(P0)", "East", "Fan(P0)", 0.5, 1.0, 0.5)
    people.answer(question, False, reviewer="Ada")
    assert truth(people)["East", "P0"] == 0.0
    people.answer(question, True, reviewer="Ben")
    assert disputed(people.answers()) == (("East", "Fan(P0)"),)
    assert truth(people)["East", "P0"] == 1.0  # as it was before anybody was asked
    people.answer(question, False, reviewer="Cem")
    assert truth(people)["East", "P0"] == 0.0
    people.undo_answer(reviewer="Cem")
    assert truth(people)["East", "P0"] == 1.0


def test_a_second_reviewer_is_asked_the_same_where_that_is_wanted(people: Workspace) -> None:
    queue = people.review()
    for one, says in zip(queue.questions[:4], (True, True, False, False)):
        people.answer(one, says, reviewer="Ada")
    assert len(queue.waiting(people.answers(), "Ben")) == 5
    again = queue.waiting(people.answers(), "Ben", second=True)
    assert again[:4] == queue.questions[:4]
    for one, says in zip(again[:4], (True, False, False, False)):
        people.answer(one, says, reviewer="Ben")
    (found,) = agreements(people.answers())
    assert (found.one, found.other, found.both, found.share) == ("Ada", "Ben", 4, 0.75)
    assert found.kappa == pytest.approx(0.5)


def test_answers_are_learned_from_and_outlive_a_copy(people: Workspace, tmp_path: Path) -> None:
    for one in people.review().questions:
        people.answer(one, "P3" in one.atom or "P6" in one.atom, reviewer="Ada")
    learned = people.learn_again(1)
    values = dict(zip(learned.predictions()["atom"], learned.predictions()["value"]))
    assert min(values["Fan(P3)"], values["Fan(P6)"]) > max(values["Fan(P4)"], values["Fan(P5)"])
    assert [run.kind for run in people.runs.all()] == ["infer", "learn", "infer"]
    people.save_as(tmp_path / "copy.duckdb")
    with open_workspace(tmp_path / "copy.duckdb") as copy:
        assert copy.answers() == people.answers()


def test_without_a_prediction_there_is_nothing_to_review() -> None:
    with open_workspace() as ws, pytest.raises(UsageError, match="E0877"):
        ws.review()


def test_what_is_known_of_the_things_asked_about_is_of_their_world() -> None:
    """A thing's row, and those of what it is linked to: values are columns, things are links."""
    ws = open_workspace()
    ws.declare("Breed(pet, breed)\nOwner(pet, owner)\nStreet(owner, street)\nIll(pet)")
    ws.data.add("Breed(P, Beagle)\nOwner(P, O)\nStreet(O, Elm)\nOwner(Q, O)", world="East")
    ws.data.add("Breed(P, Poodle)", world="West")
    east, west = (ws.data.known_things("Ill(P)", world)[0] for world in ("East", "West"))
    assert (east.kind, east.name, east.columns) == ("pet", "P", (("Breed", "Beagle"),))
    assert east.links == (("Owner", "O (Street Elm)"),)
    assert (west.columns, west.links, west.more) == ((("Breed", "Poodle"),), (), 0)
    owner = ws.data.known_things("Street(O, Elm)", "East", links=1)[0]
    assert (owner.columns, owner.links) == ((), (("pet (Owner)", "P (Breed Beagle)"),))
    assert owner.more == 1


def test_what_is_known_of_a_row_is_said_by_its_columns_and_not_that_it_is_one(
    tmp_path: Path,
) -> None:
    pets, visits = tmp_path / "pets.csv", tmp_path / "visits.csv"
    rows = [f"P{n},{['yes', 'no', ''][n % 3]},{n % 9}" for n in range(30)]
    pets.write_text("\n".join(["pet,ill,age in years", *rows]) + "\n")
    visits.write_text("visit,of pet\n" + "".join(f"V{n},P{n}\n" for n in range(30)))
    with open_workspace() as ws:
        ws.load([pets, visits], predict="pets.ill")
        assert "PetsRow" in {one.predicate.name for one in ws.data.catalog()}
        (pet,) = ws.data.known_things("Ill(P2)", "world")
        assert pet.columns == (("age in years", "2"),)
        assert pet.links == (("visit (of pet)", "V2"),)
        ws.declare("Seen(visit)")
        (visit,) = ws.data.known_things("Seen(V2)", "world")
        assert (visit.columns, visit.links) == ((), (("of pet", "P2 (age in years 2)"),))
