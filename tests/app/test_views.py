"""Every page: empty, loaded, at work, and given something wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest
from streamlit.testing.v1 import AppTest

from app.show import plain
from app.state import Server, server
from app.work import Work
from tests.app.conftest import Open
from workbench.experiments import FoldScore, ReproductionTable, keep, rows_from_folds
from workbench.experiments.uw_cse import EXPERIMENTS
from workbench.resources import shipped
from workbench.service.jobs import Job

VIEWS = (
    "start",
    "tables",
    "data",
    "explore",
    "rules",
    "learn",
    "weights",
    "evaluation",
    "why",
    "review",
    "runs",
    "experiments",
)
LABELLED = "Smokes(Ann)\nSmokes(Bob)\nFriends(Ann,Bob)\nFriends(Bob,Cem)\nFriends(Dov,Eva)\n"


@pytest.fixture
def smokers(state: Server) -> Server:
    """The smokers, inferred once and learned from once."""
    ws = state.workspace
    ws.data.open_example("smokers")
    text, _ = ws.rules.at_hand()
    ws.infer(text, query=["Smokes", "Cancer"], engine="exact")
    ws.learn(text, query=["Smokes"], learner="pseudo_likelihood")
    return state


def sound(test: AppTest) -> AppTest:
    assert [item.value for item in test.exception] == []
    return test


def finished(job: Job | None) -> Job:
    assert job is not None
    for _ in range(2400):
        if job.ended:
            return job
        sleep(0.1)
    raise AssertionError(f"{job.title} is still {job.status}")


def test_an_empty_workspace_says_the_next_step(page: Open) -> None:
    test = page("start")
    assert [test.button(key=f"start-{way}").label for way in ("example", "tables", "workspace")]
    assert len(test.caption) >= 4
    for view in VIEWS[1:]:
        test = sound(test.switch_page(f"views/{view}.py").run())
        assert test.title, view
        assert [item.value for item in test.info], view


def test_a_workspace_with_runs(smokers: Server, page: Open) -> None:
    test = page("start")
    for view in VIEWS[1:-1]:
        test = sound(test.switch_page(f"views/{view}.py").run())
        assert not test.error, view


def test_what_labels_say_stands_beside_a_learned_weight(smokers: Server, page: Open) -> None:
    test = sound(page("weights"))
    learned = next(run.id for run in smokers.workspace.runs.all() if run.kind == "learn")
    test.selectbox(key="weights-run").set_value(learned).run()
    (frame,) = (item.value for item in sound(test).dataframe)
    assert list(frame.columns[:2]) == ["rule", "weight"]
    recorded = smokers.workspace.models.rules(learned)
    assert recorded["rate"].notna().any()
    for shown, kept in (("labels", "support"), ("with", "rate")):
        assert frame[shown].dropna().sum() == pytest.approx(recorded[kept].sum())


def test_an_example_of_rules_is_offered_where_there_are_no_facts_alone(
    state: Server, page: Open
) -> None:
    assert sound(page("rules")).button(key="rules-starter").label == "Begin with a small example"
    state.workspace.declare("Likes(person, topic)")
    state.workspace.data.add("Likes(Ann, Tea)")
    test = sound(page("rules"))
    assert not [button for button in test.button if button.key == "rules-starter"]
    assert "find some in the data" in test.info[0].value


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


def test_facts_of_one_world_do_not_name_it(smokers: Server, page: Open) -> None:
    test = sound(page("explore"))
    assert "world" not in test.dataframe[0].value
    smokers.workspace.data.add("Smokes(Zoe)", world="elsewhere")
    assert "world" in sound(page("explore")).dataframe[0].value


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


def test_a_rule_that_explodes_is_counted_and_named_before_it_is_ground(state: Server) -> None:
    state.workspace.data.open_example("university")
    text = (
        "AdvisedBy(student, professor)\nAdvisedBy(a, b) v AdvisedBy(c, d) v AdvisedBy(e, f) v "
        "AdvisedBy(g, h)\n"
    )
    preview = state.workspace.preview(text, query="AdvisedBy", learning=True, seconds=5)
    assert preview.rules[0].ground_rows > 10**9
    job = state.submit(Work("learn", "learn", {"rules": text, "query": "AdvisedBy"}))
    assert finished(job).status == "failed"
    assert "error[E0310]: rule 1 alone has" in job.about.error


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


def test_a_broken_rule_is_shown_with_its_caret_and_mended(smokers: Server, page: Open) -> None:
    test = page("rules")
    right = test.text_area(key="rules-text").value
    test.text_area(key="rules-text").set_value(
        right.replace("Smokes(x) => Cancer(x)", "Smokes(x) => Cancr(x)")
    ).run()
    sound(test)
    assert "1 error" in test.error[0].value
    assert any("did you mean" in item.value and "^" in item.value for item in test.code)
    sound(test.text_area(key="rules-text").set_value(right).run())
    assert not test.error
    assert test.success[0].value == "The rules are in order."
    rules = [line for line in right.splitlines() if line[:1] in "-0123456789" and line]
    inside = next(box for box in test.selectbox if box.label == "Look inside a rule")
    assert len(test.dataframe[1].value) == len(inside.options) == len(rules)


def test_the_console_runs_and_refuses(smokers: Server, page: Open) -> None:
    test = page("explore")
    test.button_group(key="view").set_value("SQL").run()
    test.text_area(key="sql").set_value(
        "SELECT count(*) AS n FROM facts.Friends WHERE person_1 = $who"
    ).run()
    test.text_input(key="sql-parameter-who").set_value("Aino").run()
    sound(test.button(key="sql-run").click().run())
    assert test.dataframe[0].value["n"].tolist() == [2]
    test.text_area(key="sql").set_value("DROP TABLE world").run()
    sound(test.button(key="sql-run").click().run())
    assert "only reads" in test.error[0].value


def test_inference_runs_in_the_background(smokers: Server, page: Open) -> None:
    test = page("learn")
    test.selectbox(key="engine").set_value("exact").run()
    sound(test.button(key="run").click().run())
    job = finished(smokers.jobs.all()[0])
    assert job.status == "done", job.about.error
    sound(test.run())
    assert {item.label: item.value for item in test.metric}["Status"] == "exact"
    assert len(smokers.workspace.runs.all()) == 3


def test_what_one_browser_began_is_not_hidden_by_what_another_began_later(
    smokers: Server, page: Open
) -> None:
    one, other = page("learn"), page("learn")
    ended = []
    for test in (one, other):
        test.selectbox(key="engine").set_value("exact").run()
        sound(test.button(key="run").click().run())
        ended.append(finished(smokers.jobs.all()[0]))
    ended[1].status = "running"
    assert [item.value for item in sound(one.run()).metric if item.label == "Status"] == ["exact"]
    assert not [item for item in sound(other.run()).metric if item.label == "Status"]
    ended[1].status = "done"
    assert [item.value for item in sound(other.run()).metric if item.label == "Status"] == ["exact"]


def test_published_figures_stand_alone_until_something_is_run(
    state: Server, page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_DATASETS", str(tmp_path / "absent"))
    test = sound(page("experiments"))
    assert test.dataframe[0].value["published"].iloc[0] == 0.295
    assert "ours" not in test.dataframe[0].value
    assert test.button(key="experiment-run").disabled
    assert "workbench reproduce uw-cse" in test.code[0].value
    scores = (
        FoldScore("NB", "advisedBy", "CLL", "ai", -0.6),
        FoldScore("NB", "advisedBy", "F1", "ai", 0.1),
    )
    keep(
        state.workspace,
        ReproductionTable(
            "uw-cse", "UW", rows_from_folds(scores, EXPERIMENTS[0].published), scores, ("<i>",)
        ),
    )
    test = sound(test.run())
    assert test.dataframe[0].value["difference"].round(3).tolist()[:1] == [0.637]
    assert test.subheader[0].value == "UW"


def test_figures_of_a_deleted_run_are_not_shown_for_its_successor(
    smokers: Server, page: Open
) -> None:
    ws = smokers.workspace
    ws.remember("query", "Smokes,Cancer")
    text, _ = ws.rules.at_hand()
    test = page("why")
    test.text_input(key="why-search").set_value("Cancer(Chloe)").run()
    before = test.metric[0].value
    for run in ws.runs.all():
        ws.runs.delete(run.id)
    ws.infer(text, query=["Smokes", "Cancer"], task="map")
    assert [run.id for run in ws.runs.all()] == [1]
    test = page("why")
    sound(test.text_input(key="why-search").set_value("Cancer(Chloe)").run())
    assert test.metric[0].value in ("0.000", "1.000")
    assert test.metric[0].value != before


def pick_fact(test: AppTest, fact: str) -> None:
    sound(next(box for box in test.selectbox if box.label == "Fact").set_value(fact).run())


def test_a_prediction_is_explained_and_tried_otherwise(smokers: Server, page: Open) -> None:
    test = page("why")
    test.text_input(key="why-search").set_value("Cancer(Chloe)").run()
    sound(test)
    assert any("Cancer(Chloe) is true with probability" in item.value for item in test.text)
    box = next(box for box in test.selectbox if box.label == "Ground rules of")
    sound(box.set_value(next(one for one in box.options if one.endswith("=> Cancer(x)"))).run())
    written, clauses = (item.value for item in test.dataframe)
    assert list(written["ground rule"]) == ["Smokes(Chloe) => Cancer(Chloe)"]
    assert list(clauses["clause"]) == ["!Smokes(Chloe) v Cancer(Chloe)"]
    before = len(smokers.workspace.runs.all())
    pick_fact(test, "Smokes(Chloe)")
    sound(test.button(key="what-if-run").click().run())
    assert test.metric[-1].delta.startswith("-")
    sound(test.segmented_control(key="what-if-kind").set_value("a weight").run())
    assert test.button(key="what-if-run").disabled
    sound(test.number_input[0].set_value(-5.0).run())
    sound(test.button(key="what-if-run").click().run())
    assert test.metric[-1].delta[0] in "+-"
    assert len(smokers.workspace.runs.all()) == before


def test_where_facts_have_changed_one_button_infers_again(smokers: Server, page: Open) -> None:
    ws = smokers.workspace
    number = ws.infer(ws.rules.at_hand()[0], query=["Cancer"], engine="exact").run_id
    ws.data.add("Smokes(Chloe)")
    test = page("why")
    assert "facts have changed" in test.error[0].value
    sound(test.button(key="why-again").click().run())
    assert finished(smokers.jobs.all()[0]).status == "done"
    assert sound(test.run()).selectbox(key="why-run").value == (number or 0) + 1
    assert test.metric


def test_curves_of_runs_lie_over_one_another(smokers: Server) -> None:
    ws = smokers.workspace
    ws.data.make_folds("random", predicate="Smokes", count=2)
    for _ in range(2):
        ws.crossval(ws.rules.at_hand()[0], query=["Smokes"], folds="kept", engine="exact")
    found = ws.runs.all()

    def view() -> None:
        import pandas as pd

        from app.overlaid import filtered, overlaid
        from app.state import workspace

        runs = workspace().runs.all()
        frame = pd.DataFrame(
            {"run": [run.id for run in runs] * 3, "kind": [run.kind for run in runs] * 3}
        )
        overlaid([int(number) for number in filtered(frame)["run"].unique()])

    test = sound(AppTest.from_function(view, default_timeout=60).run())
    assert len(test.get("vega_lite_chart")) == 2
    assert [text.split()[1] for text in test.dataframe[0].value["run"]] == [
        str(run.id) for run in found if run.kind == "crossval"
    ]
    sound(test.text_input(key="runs-filter").set_value("infer").run())
    assert not test.get("vega_lite_chart")


def test_text_of_users_is_no_markup() -> None:
    assert plain("<b>[x](y)*") == "\\<b\\>\\[x\\]\\(y\\)\\*"


def test_combinations_stay_within_worlds(smokers: Server) -> None:
    assert smokers.workspace.data.combinations("Friends") == 100
    assert smokers.workspace.data.types() == ("person",)


def test_a_workspace_that_does_not_open_is_told_and_tried_again(
    state: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "team.duckdb"
    path.write_text("no database")
    monkeypatch.setenv("WORKBENCH_WORKSPACE", str(path))
    server.clear()
    test = sound(AppTest.from_file(str(shipped("app", "main.py")), default_timeout=60).run())
    assert test.title[0].value == "The workspace does not open"
    assert "team.duckdb" in test.error[0].value.replace("\\", "")
    path.unlink()
    sound(test.button[0].click().run())
    assert test.title[0].value == "Relational workbench"


def test_the_first_page_needs_no_heavy_library(state: Server, tmp_path: Path) -> None:
    """SciPy, Numba, pandas and charts come with the page that needs them:
    the first one must be quick.
    """
    state.workspace.data.open_example("smokers")
    state.workspace.save_as(tmp_path / "smokers.duckdb")
    code = (
        "import sys\nimport app.main\nfrom app.state import server\nassert "
        "server().workspace.data.catalog()\n"
        "print([name for name in ('pandas', 'scipy', 'numba', 'altair', 'cvxpy', 'sklearn') if "
        "name in sys.modules])\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=shipped("app", "main.py").parent.parent,
        env={**os.environ, "WORKBENCH_WORKSPACE": str(tmp_path / "smokers.duckdb")},
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip().splitlines()[-1] == "[]"


def test_answers_of_reviewers_are_labels_and_are_learned_from(state: Server, page: Open) -> None:
    rules = "Likes(person, topic)\nFan(person)\n1 Likes(p, +t) => Fan(p)\n-0.2 Fan(p)\n"
    ws = state.workspace
    ws.declare(rules)
    ws.data.add("\n".join(f"Likes(P{n}, T{n % 2})" for n in range(6)))
    ws.infer(rules, query=["Fan"], engine="exact")
    test = sound(page("review"))
    first = test.subheader[0].value
    assert "Likes" in test.markdown[-1].value or any(
        "Likes" in item.value for item in test.markdown
    )
    test.text_input(key="review-author").set_value("Ada").run()
    sound(test.button(key="review-y").click().run())
    assert ws.data.facts_page("Fan", partition="truth").total == 1
    assert test.subheader[0].value != first
    sound(test.button(key="review-u").click().run())
    assert test.subheader[0].value == first
    for key in ("y", "n", "s", "y"):
        sound(test.button(key=f"review-{key}").click().run())
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
    sound(test.text_input(key="edit-fact-Smokes(").set_value("Smoks(Bram)").run())
    sound(test.button(key="edit-true").click().run())
    assert "Smoks" in test.error[0].value


def test_a_predicate_is_renamed_merged_and_deleted_by_hand(smokers: Server, page: Open) -> None:
    test = page("data")
    test.segmented_control(key="section").set_value("Rename or delete").run()
    test.selectbox(key="reshape-predicate").set_value("Cancer").run()
    test.text_input(key="reshape-name-Cancer").set_value("Ill").run()
    sound(test.button(key="reshape-rename").click().run())
    assert "Ill now, in the rules too" in test.success[0].value
    test.selectbox(key="reshape-predicate").set_value("Ill").run()
    test.selectbox(key="reshape-into-Ill").set_value("Smokes").run()
    sound(test.button(key="reshape-merge").click().run())
    assert "Ill is gone" in test.success[0].value
    test.selectbox(key="reshape-predicate").set_value("Friends").run()
    assert test.button(key="reshape-delete").disabled
    test.checkbox(key="reshape-sure-Friends").check().run()
    sound(test.button(key="reshape-delete").click().run())
    assert {item.predicate.name for item in smokers.workspace.data.catalog()} == {"Smokes"}
