"""Facts as the page takes, shows and changes them: imports, console, a thing, answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.state import Server
from tests.app.conftest import Open, finished, pressed, sound

LABELLED = "Smokes(Ann)\nSmokes(Bob)\nFriends(Ann,Bob)\nFriends(Bob,Cem)\nFriends(Dov,Eva)\n"


def test_an_example_opens_with_one_click(state: Server, page: Open) -> None:
    test = page("data")
    sound(test.button(key="open-smokers").click().run())
    assert test.metric[0].value == "25"
    assert "Smokes" in state.workspace.rules.at_hand()[0]


def test_a_table_is_previewed_mapped_and_imported(
    state: Server, page: Open, tmp_path: Path
) -> None:
    (tmp_path / "works_with.csv").write_text("left,right\nAnn,Bob\nBob,<b>Cem</b>\n")
    test = page("data")
    test.button_group(key="section").set_value("Import a table").run()
    test.text_input(key="table-path").set_value(str(tmp_path / "works_with.csv")).run()
    assert state.workspace.data.catalog() == ()
    sound(test.button(key="table-import").click().run())
    assert "2 new facts" in test.success[0].value
    assert state.workspace.data.facts_page("WorksWith", search="<b>").total == 1
    # Bob stands in both columns, so that both are of one type.
    assert state.workspace.data.catalog()[0].predicate.argument_types == ("left", "left")


def test_a_first_line_that_is_a_row_names_no_columns(
    state: Server, page: Open, tmp_path: Path
) -> None:
    (tmp_path / "shares.tsv").write_text("P0\tP1\nP0\tP2\nP1\tP2\n")
    (tmp_path / "likes.csv").write_text("P0,0.5\nP1,0.25\n")
    test = page("data")
    test.button_group(key="section").set_value("Import a table").run()
    for name in ("shares.tsv", "likes.csv"):
        test.text_input(key="table-path").set_value(str(tmp_path / name)).run()
        assert not sound(test).checkbox(key=f"table-header-{name}").value
    test.button_group(key="section").set_value("Import facts").run()
    state.workspace.declare("Shares(person, person)\n")
    state.workspace.data.add("Shares(P0, P1)")
    test.text_input(key="facts-path").set_value(str(tmp_path / "shares.tsv")).run()
    sound(test.button(key="facts-import").click().run())
    assert "put a line of names above it" in test.warning[0].value


def test_facts_of_one_world_do_not_name_it(smokers: Server, page: Open) -> None:
    test = sound(page("explore"))
    assert "world" not in test.dataframe[0].value
    smokers.workspace.data.add("Smokes(Zoe)", world="elsewhere")
    assert "world" in sound(page("explore")).dataframe[0].value


def test_dates_are_shown_as_they_are_written_and_facts_by_what_they_are_for(
    state: Server, page: Open
) -> None:
    ws = state.workspace
    ws.declare("Born(person, date)\nBusy(person, date)\n")
    ws.data.add('Born(Ann, "1970-04-02")', 'Busy(Ann, "1990-12-13 08:30")')
    test = sound(page("explore"))
    shown = test.dataframe[0].value
    assert list(shown["date"]) == ["1970-04-02"]
    assert list(shown["partition"]) == ["known (evidence)"]
    test.selectbox(key="predicate").set_value("Busy").run()
    assert list(sound(test).dataframe[0].value["date"]) == ["1990-12-13 08:30:00"]


def test_a_ragged_table_is_refused_at_its_line(state: Server, page: Open, tmp_path: Path) -> None:
    (tmp_path / "ragged.csv").write_text("a,b\nAnn,Bob\nBob\n")
    test = page("data")
    test.button_group(key="section").set_value("Import a table").run()
    test.text_input(key="table-path").set_value(str(tmp_path / "ragged.csv")).run()
    sound(test)
    assert "cells in this line: 1" in test.error[0].value.replace("\\", "")
    assert "ragged.csv:3" in test.code[0].value


def test_a_table_without_rows_says_so(state: Server, page: Open, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    test = page("data")
    test.button_group(key="section").set_value("Import a table").run()
    sound(test.text_input(key="table-path").set_value(str(tmp_path / "empty.csv")).run())
    assert "no rows" in test.info[-1].value


def test_facts_need_declared_predicates(state: Server, page: Open, tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text(LABELLED)
    test = page("data")
    test.button_group(key="section").set_value("Import facts").run()
    test.text_input(key="facts-path").set_value(str(tmp_path / "facts.db")).run()
    sound(test.button(key="facts-import").click().run())
    assert "no predicate is called Smokes" in test.error[0].value
    state.workspace.rules.keep("Smokes(person)\nFriends(person, person)\n1 Smokes(x)\n", "mln")
    sound(test.button(key="facts-import").click().run())
    assert "5 new facts" in test.success[0].value


def test_the_console_runs_and_refuses(smokers: Server, page: Open) -> None:
    test = page("explore")
    test.button_group(key="view").set_value("SQL").run()
    test.text_area(key="sql").set_value(
        "SELECT count(*) AS n FROM facts.Friends WHERE person_1 = $who"
    ).run()
    test.text_input(key="sql-parameter-who").set_value("Aino").run()
    sound(test.button(key="sql-run").click().run())
    assert test.dataframe[0].value["n"].tolist() == [2]
    assert any(item.value.startswith("1 row in") for item in test.caption)
    test.text_area(key="sql").set_value("DROP TABLE world").run()
    sound(test.button(key="sql-run").click().run())
    assert "only reads" in test.error[0].value


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM facts.Smokes s JOIN facts.Cancer c USING (world)", None),
        ("SELECT 1 AS a, 2 AS a, 'x' AS b", ["a", "a (2)", "b"]),
        ('SELECT 1 AS a, 2 AS a, 3 AS "a (2)"', ["a", "a (2)", "a (2) (2)"]),
        ("SELECT 170141183460469231731687303715884105727 AS large", ["large"]),
    ],
)
def test_the_console_shows_what_it_is_answered(
    smokers: Server, page: Open, sql: str, columns: list[str] | None
) -> None:
    test = page("explore")
    test.segmented_control(key="view").set_value("SQL").run()
    test.text_area(key="sql").set_value(sql).run()
    shown = sound(test.button(key="sql-run").click().run()).dataframe[0].value
    assert columns is None or list(shown) == columns


def test_no_value_beside_a_large_number_is_none(smokers: Server, page: Open) -> None:
    test = page("explore")
    test.segmented_control(key="view").set_value("SQL").run()
    large = f"SELECT {2**70}::HUGEINT AS n UNION ALL SELECT NULL ORDER BY 1"
    test.text_area(key="sql").set_value(large).run()
    shown = sound(test.button(key="sql-run").click().run()).dataframe[0].value
    assert [None if cell != cell else cell for cell in shown["n"]] == [str(2**70), None]


def test_combinations_stay_within_worlds(smokers: Server) -> None:
    assert smokers.workspace.data.combinations("Friends") == 100
    assert smokers.workspace.data.types() == ("person",)


def test_answers_of_reviewers_are_labels_and_are_learned_from(state: Server, page: Open) -> None:
    rules = "Likes(person, topic)\nFan(person)\n1 Likes(p, +t) => Fan(p)\n-0.2 Fan(p)\n"
    ws = state.workspace
    ws.declare(rules)
    ws.data.add("\n".join(f"Likes(P{n}, T{n % 2})" for n in range(6)))
    ws.infer(rules, query=["Fan"], engine="exact")
    test = sound(page("review"))
    first = test.subheader[0].value
    assert re.fullmatch(r"P\d\\: fan?\?", first), first
    assert "Likes" in test.markdown[-1].value or any(
        "Likes" in item.value for item in test.markdown
    )
    test.text_input(key="review-author").set_value("Ada").run()
    pressed(test, "Yes")
    assert ws.data.facts_page("Fan", partition="truth").total == 1
    assert test.subheader[0].value != first
    sound(test.button(key="review-u").click().run())
    assert test.subheader[0].value == first
    for label in ("Yes", "No", "Skip", "Yes"):
        pressed(test, label)
    assert [(one.reviewer, one.says) for one in ws.answers()] == [
        ("Ada", says) for says in (True, False, None, True)
    ]
    sound(test.button(key="review-l").click().run())
    job = finished(state.jobs.all()[0])
    assert job.status == "done", job.about.error
    assert [run.kind for run in ws.runs.all()] == ["infer", "learn", "infer"]
    assert sound(test.run()).selectbox(key="review-run").value == 3
    sound(test.selectbox(key="review-run").select(1).run())
    assert sound(test.run()).selectbox(key="review-run").value == 1


def test_an_answer_is_of_the_question_that_was_seen(state: Server, page: Open) -> None:
    rules = "Likes(person, topic)\nFan(person)\n1 Likes(p, +t) => Fan(p)\n-0.2 Fan(p)\n"
    ws = state.workspace
    ws.declare(rules)
    ws.data.add("\n".join(f"Likes(P{n}, T{n % 2})" for n in range(6)))
    run = ws.infer(rules, query=["Fan"], engine="exact").run_id
    test = sound(page("review"))
    seen = ws.review(run).questions[0]
    ws.answer(seen, True, reviewer="Bo")
    pressed(test, "No")
    assert [(one.atom, one.says) for one in ws.answers()] == [
        (seen.atom, True),
        (seen.atom, False),
    ]


def test_what_is_undone_is_the_edit_that_was_seen(smokers: Server, page: Open) -> None:
    data = smokers.workspace.data
    data.edit("Smokes(Gita)", "add", author="Ada")
    test = sound(page("explore"))
    data.edit("Smokes(Femi)", "add", author="Bo")
    sound(test.button(key="edit-undo").click().run())
    assert [one.author for one in data.edits() if one.undone] == ["Ada"]


def test_a_thing_leads_to_its_neighbours_and_facts_are_corrected(
    smokers: Server, page: Open
) -> None:
    test = page("explore")
    test.button_group(key="view").set_value("A thing").run()
    test.selectbox(key="near-constant").set_value("Chloe").run()
    sound(test)
    shown = " ".join(item.value for item in test.markdown)
    assert "Friends" in shown
    assert "Cancer\\(Chloe\\)" in shown
    sound(test.button(key="thing-person-Bram").click().run())
    assert test.selectbox(key="near-constant").value == "Bram"
    test.button_group(key="view").set_value("Facts").run()
    test.selectbox(key="predicate").set_value("Smokes").run()
    sound(test.toggle(key="facts-facets").set_value(True).run())
    facet = next(button for button in test.button if button.key.startswith("facet-Smokes-0-"))
    sound(facet.click().run())
    kept = facet.key.rsplit("-", 1)[1]
    assert set(test.dataframe[0].value["person"]) == {kept}
    sound(test.button(key="kept-Smokes-0").click().run())
    assert len(set(test.dataframe[0].value["person"])) > 1
    test.text_input(key="edit-fact-Smokes(").set_value("Smokes(Bram)").run()
    sound(test.button(key="edit-false").click().run())
    assert [one.fact for one in smokers.workspace.data.edits()] == ["Smokes(Bram)"]
    sound(test.button(key="edit-undo").click().run())
    assert [one.undone for one in smokers.workspace.data.edits()] == ["browser 1"]
    assert not [button for button in test.button if button.key == "edit-undo"]
    sound(test.text_input(key="edit-fact-Smokes(").set_value("Smoks(Bram)").run())
    sound(test.button(key="edit-true").click().run())
    assert "Smoks" in test.error[0].value


def test_a_predicate_is_renamed_merged_and_deleted_by_hand(smokers: Server, page: Open) -> None:
    test = page("data")
    test.segmented_control(key="section").set_value("Rename or delete").run()
    test.selectbox(key="reshape-predicate").set_value("Cancer").run()
    test.text_input(key="reshape-name-Cancer").set_value("Ill").run()
    pressed(test, "Rename")
    assert "Ill now, in the rules too" in test.success[0].value
    test.selectbox(key="reshape-predicate").set_value("Ill").run()
    test.selectbox(key="reshape-into-Ill").set_value("Smokes").run()
    pressed(test, "Merge")
    assert "Ill is gone" in test.success[0].value
    test.selectbox(key="reshape-predicate").set_value("Friends").run()
    assert test.button(key="reshape-delete-Friends").disabled
    test.checkbox(key="reshape-sure-Friends").check().run()
    pressed(test, "Delete")
    assert {item.predicate.name for item in smokers.workspace.data.catalog()} == {"Smokes"}


def test_nothing_else_is_deleted_than_what_was_seen(smokers: Server, page: Open) -> None:
    data = smokers.workspace.data
    test = page("data")
    test.segmented_control(key="section").set_value("Rename or delete").run()
    test.selectbox(key="reshape-predicate").set_value("Friends").run()
    test.checkbox(key="reshape-sure-Friends").check().run()
    data.rename_predicate("Friends", "Knows", author="Bo")
    before = {item.predicate.name: item.facts for item in data.catalog()}
    pressed(test, "Delete")
    assert {item.predicate.name: item.facts for item in data.catalog()} == before


def test_a_table_is_renamed_before_it_is_loaded_and_after(
    state: Server, page: Open, tmp_path: Path
) -> None:
    rows = "".join(f"p{n},{20 + n},{n % 2}\n" for n in range(30))
    (tmp_path / "pat.csv").write_text(f"id,age,smoker\n{rows}")
    test = page("tables")
    test.text_area(key="tables-paths").set_value(str(tmp_path / "pat.csv")).run()
    test.text_input(key="rename-to-pat").set_value("patients").run()
    sound(test.button(key="rename-pat").click().run())
    assert any("each row is one patient" in item.value for item in test.caption)
    sound(test.button(key="tables-load").click().run())
    test = page("data")
    test.segmented_control(key="section").set_value("Rename or delete").run()
    test.text_input(key="reshape-table-patients").set_value("people").run()
    pressed(test, "Rename table")
    assert "The table patients is called people now" in test.success[0].value
    mapping = state.workspace.data.tables_at_hand()
    assert mapping is not None
    assert [table.name for table in mapping.tables] == ["people"]
