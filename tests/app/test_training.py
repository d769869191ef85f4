"""Rules trained and scored by one button; work not lost: runs in memory, rules of two at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.state import Server
from tests.app.conftest import Open, finished, sound

FANS = (
    "Likes(person, topic)\nFan(person)\n// who likes the first topic\nLikes(p, T0) => "
    "Fan(p)\n\n!Fan(p)\n"
)


def fans(state: Server, folder: Path) -> None:
    """Thirty people; who likes topic 0 is a fan."""
    ws = state.workspace
    ws.declare(FANS)
    (folder / "Likes.csv").write_text("p,t\n" + "".join(f"P{n},T{n % 3}\n" for n in range(30)))
    (folder / "Fan.csv").write_text("p\n" + "".join(f"P{n}\n" for n in range(30) if n % 3 == 0))
    ws.load(folder / "Likes.csv")
    ws.load(folder / "Fan.csv", partition="truth")
    ws.rules.keep(FANS, "mln")


def test_rules_are_trained_and_scored_by_one_button(
    state: Server, page: Open, tmp_path: Path
) -> None:
    fans(state, tmp_path)
    # Another run before, so that runs have other numbers here than in the copy of the job.
    other = state.workspace.infer("Owl(p)\n-3 Owl(p)\n2 Owl(Uhu)\n", query=["Owl"], engine="exact")
    test = page("start")
    assert "Fan" in test.button(key="train-rules").label
    sound(test.button(key="train-rules").click().run())
    job = finished(state.jobs.all()[0])
    assert job.status == "done", job.about.error
    test = sound(test.run())
    learned = next(item.value for item in test.markdown if item.value.startswith("| rule"))
    cells = [line.replace("\\", "").split(" | ") for line in learned.splitlines()[2:]]
    assert [row[0] for row in cells] == ["| who likes the first topic", "| !Fan(p)"]
    assert all(float(row[1]) for row in cells)
    # A fold without fans has none.
    f1, deviation = {item.label: item.value for item in test.metric}["F1"].split(" ± ")
    assert float(f1) >= 0.8
    assert float(deviation) >= 0
    assert "F1 is at threshold 0.5. The best over all these predictions, 1.000, is at" in " ".join(
        item.value for item in test.caption
    )
    assert other.run_id is not None
    state.workspace.runs.delete(other.run_id)
    kinds = {run.id: run.kind for run in state.workspace.runs.all()}
    assert sorted(kinds.values()) == ["crossval", "infer", "learn"]
    by_kind = {kind: state.workspace.runs.standing(number) for number, kind in kinds.items()}
    assert by_kind["crossval"].held_out is True
    assert by_kind["infer"].held_out is False
    assert "5 folds" in by_kind["crossval"].text
    test = sound(page("evaluation"))
    assert "The best F1 over all these predictions, 1.000" in " ".join(
        item.value for item in test.caption
    )
    report = state.workspace.runs.report(
        next(number for number, kind in kinds.items() if kind == "learn")
    )
    assert "Likes(p, T0) =&gt; Fan(p)" in report


def test_rules_without_labels_say_what_to_do(state: Server, page: Open) -> None:
    state.workspace.data.open_example("smokers")
    test = sound(page("start"))
    assert "no" in test.info[0].value.lower() or "labels" in test.info[0].value
    assert not [button for button in test.button if button.key == "train-rules"]


def test_runs_in_memory_are_asked_about_before_they_are_lost(
    state: Server, page: Open, tmp_path: Path
) -> None:
    state.workspace.data.open_example("smokers")
    state.workspace.infer(state.workspace.rules.at_hand()[0], query=["Smokes"], engine="exact")
    test = page("data")
    test.button_group(key="section").set_value("Workspace").run()
    sound(test.button(key="workspace-memory").click().run())
    assert "1 run that is saved nowhere" in test.warning[0].value
    assert state.workspace.runs.all()
    test.text_input(key="switch-save").set_value(str(tmp_path / "kept.duckdb")).run()
    sound(test.button(key="switch-saved").click().run())
    assert state.workspace.data.catalog() == ()
    state.switch(str(tmp_path / "kept.duckdb"))
    assert len(state.workspace.runs.all()) == 1


@pytest.mark.parametrize("folder", ["drawn", 'the "old"\\é'])
def test_uploads_go_along_with_a_workspace_that_is_saved(
    state: Server, tmp_path: Path, folder: str
) -> None:
    upload = state.uploads() / folder / "pets.csv"
    upload.parent.mkdir()
    rows = [f"P{n},{['yes', 'no', ''][n % 3]},{n % 9}" for n in range(30)]
    upload.write_text("\n".join(["pet,ill,age", *rows]) + "\n")
    (upload.parent / "other.csv").write_text("a\n1\n")
    state.workspace.load(upload, predict="pets.ill")
    state.save_as(tmp_path / "kept.duckdb")
    state.switch(str(tmp_path / "kept.duckdb"))
    mapping = state.workspace.data.tables_at_hand()
    assert mapping is not None
    kept = Path(mapping.tables[0].source.path)
    assert kept == state.uploads() / folder / "pets.csv"
    assert kept.read_text() == upload.read_text()
    assert [one.name for one in kept.parent.iterdir()] == ["pets.csv"]


def test_the_last_job_is_one_of_the_workspace_that_is_open(
    state: Server, page: Open, tmp_path: Path
) -> None:
    fans(state, tmp_path)
    sound(page("start").button(key="train-rules").click().run())
    finished(state.jobs.all()[0])
    assert "Last job" in [item.value for item in page("start").sidebar.caption]
    state.switch(None)
    assert "Last job" not in [item.value for item in page("start").sidebar.caption]


def test_what_two_write_at_once_is_never_overwritten(state: Server, page: Open) -> None:
    state.workspace.data.open_example("smokers")
    test = page("rules")
    before = test.text_area(key="rules-text").value
    test.text_input(key="author").set_value("Ada").run()
    state.workspace.rules.keep(before + "// Ben was here\n", "mln", author="Ben")
    sound(test.text_area(key="rules-text").set_value(before + "// Ada was here\n").run())
    assert "Ben changed the rules while you were writing" in test.warning[0].value
    assert [one.author for one in state.workspace.rules.versions()][:2] == ["Ada", "Ben"]
    assert state.workspace.rules.at_hand()[0].endswith("// Ben was here\n")
    sound(test.button(key="clash-mine").click().run())
    assert state.workspace.rules.at_hand()[0].endswith("// Ada was here\n")
    assert [one.author for one in state.workspace.rules.versions()][:2] == ["Ada", "Ben"]
    sound(test.button(key="version-back").click().run())
    assert state.workspace.rules.at_hand()[0].endswith("// Ben was here\n")


def test_the_version_that_was_seen_comes_back(state: Server, page: Open) -> None:
    state.workspace.data.open_example("smokers")
    first, _ = state.workspace.rules.at_hand()
    for name in ("Ada", "Ben", "Cem"):
        if name == "Cem":
            test = page("rules")
        state.workspace.rules.keep(f"{first}// {name}\n", "mln", author=name)
    sound(test.button(key="version-back").click().run())
    assert state.workspace.rules.at_hand()[0] == f"{first}// Ada\n"


def test_rules_and_ones_name_stand_where_one_comes_back_to_them(state: Server, page: Open) -> None:
    test = page("rules")
    test.radio(key="language").set_value("psl").run()
    test.text_input(key="author").set_value("Ada").run()
    rule = "1: Likes(A, B) -> Likes(B, A)"
    sound(test.text_area(key="rules-text").set_value(rule).run())
    sound(test.switch_page("views/data.py").run())
    test = sound(test.switch_page("views/rules.py").run())
    assert test.text_area(key="rules-text").value == rule
    assert test.radio(key="language").value == "psl"
    assert test.text_input(key="author").value == "Ada"
    state.workspace.rules.keep(f"{rule} # Ben's", "psl", author="Ben")
    sound(test.text_area(key="rules-text").set_value(f"{rule} # Ada's").run())
    sound(test.switch_page("views/data.py").run())
    test = sound(test.switch_page("views/rules.py").run())
    assert test.text_area(key="rules-text").value == f"{rule} # Ada's"
    assert "while you were writing" in test.warning[0].value


def test_nothing_is_offered_by_default_that_can_only_fail(
    state: Server, page: Open, tmp_path: Path
) -> None:
    fans(state, tmp_path)
    test = sound(page("learn"))
    assert test.button_group(key="kind").value == "learn"
    assert test.multiselect(key="query").value == ["Fan"]
    sound(test.button_group(key="kind").set_value("infer").run())
    assert "no weight yet" in test.info[0].value
    assert test.button(key="run").disabled
    sound(test.button_group(key="kind").set_value("crossval").run())
    assert test.radio(key="crossval-folds").value == "dealt"
    assert "--folds kept" in test.code[0].value
    sound(test.button(key="run").click().run())
    job = finished(state.jobs.all()[0])
    assert job.status == "done", job.about.error
    test = sound(test.run())
    assert "5 folds" in " ".join(item.value for item in test.caption)


def test_a_study_ended_before_its_first_rules_is_passed_over(
    state: Server, page: Open, tmp_path: Path
) -> None:
    """It is among the runs, and has nothing to show: Start was an error after a Cancel."""
    tables = tmp_path / "people.csv"
    tables.write_text("id,age,state,paid\n" + "".join(f"P{n},{n},,no\n" for n in range(30)))
    tables.write_text(tables.read_text().replace("P7,7,,no", "P7,7,gone,yes"))
    ws = state.workspace
    look = ws.data.look_at_tables([tables])
    assert look.targets[0] == "people.paid"  # not the state, which has one value
    ws.load(tables, mapping=look.predicting("people.paid").mapping)
    ws.runs.record_ended("study", 1.0, {"predict": "people.paid"})
    assert ws.runs.latest("study") is None
    sound(page("start"))
    sound(page("weights"))


def test_facts_for_yes_and_no_are_offered_to_be_trained_on(
    state: Server, page: Open, tmp_path: Path
) -> None:
    ws = state.workspace
    text = "Old(tree)\nIll(tree)\n\n1 Old(t) => Ill(t)\n"
    facts = [f"{'!' * (n % 3 > 0)}Ill(T{n})\n" + f"Old(T{n})\n" * (n % 2) for n in range(20)]
    (tmp_path / "trees.db").write_text("".join(facts))
    ws.load(tmp_path / "trees.db", rules=text)
    ws.rules.keep(text, "mln")
    test = sound(page("start"))
    chosen = test.selectbox(key="train-predicate")
    assert chosen.options[0] == "Ill"
    assert "Choose what the rules are to learn from" in test.info[0].value
    test = sound(chosen.set_value("Ill").run())
    assert not test.info
    assert any("counts as false" in item.value for item in test.caption)
    sound(test.button(key="train-rules").click().run())
    job = finished(state.jobs.all()[0])
    assert job.status == "done", job.about.error
    sound(test.switch_page("views/rules.py").run())
    test = sound(test.switch_page("views/start.py").run())
    assert test.selectbox(key="train-predicate").value == "Ill", "one comes back to what was chosen"
    learn = page("learn")
    assert learn.multiselect(key="query").value == ["Ill"]
    sound(learn.checkbox(key="labels").check().run())
    sound(learn.button(key="run").click().run())
    job = finished(state.jobs.all()[0])
    assert job.about.outcome is not None
    assert job.about.outcome.summary["atoms"] == 20
