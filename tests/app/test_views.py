"""Every page: empty, loaded, at work, and given something wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.show import JOINER, plain
from app.state import Server, server
from app.work import Work
from tests.app.conftest import Open, finished, sound
from workbench.resources import shipped

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


def test_an_example_of_rules_is_offered_where_there_are_no_facts_alone(
    state: Server, page: Open
) -> None:
    assert sound(page("rules")).button(key="rules-starter").label == "Begin with a small example"
    state.workspace.declare("Likes(person, topic)")
    state.workspace.data.add("Likes(Ann, Tea)")
    test = sound(page("rules"))
    assert not [button for button in test.button if button.key == "rules-starter"]
    assert "find some in the data" in test.info[0].value


def test_rules_without_facts_are_led_to_the_data(state: Server, page: Open) -> None:
    state.workspace.rules.keep("Likes(person)\n1 Likes(x)\n", "mln")
    test = sound(page("rules"))
    assert not test.dataframe
    assert "there are no facts" in test.info[0].value
    state.workspace.rules.keep("person = {Ann}\nLikes(person)\n1 Likes(x)\n", "mln")
    assert sound(page("rules")).dataframe, "things may stand in the rules alone"


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


def test_a_broken_rule_is_shown_with_its_place_and_mended(smokers: Server, page: Open) -> None:
    test = page("rules")
    right = test.text_area(key="rules-text").value
    test.text_area(key="rules-text").set_value(
        right.replace("Smokes(x) => Cancer(x)", "Smokes(x) => Cancr(x)")
    ).run()
    sound(test)
    assert "1 error" in test.error[0].value
    (told,) = (item.value for item in test.code if "did you mean" in item.value)
    assert "in line 11, column 18" in told
    sound(test.text_area(key="rules-text").set_value(right).run())
    assert not test.error
    assert test.success[0].value == "The rules are in order."
    rules = [line for line in right.splitlines() if line[:1] in "-0123456789" and line]
    inside = next(box for box in test.selectbox if box.label == "Look inside a rule")
    assert len(test.dataframe[1].value) == len(inside.options) == len(rules)


def test_what_the_data_have_is_declared_by_one_press(state: Server, page: Open) -> None:
    state.workspace.declare("Age(member, number)\nFined(member)\n")
    state.workspace.data.add("Age(Ann, 44)", "Fined(Ann)")
    rule = "// the old\n1 Age(m, a) ^ a >= 30 => Fined(m)\n0.5 !Fined(m)\n1 Gone(m)\n"
    test = page("rules")
    sound(test.text_area(key="rules-text").set_value(rule).run())
    shown = [item.value for item in test.code]
    assert sum("there is no predicate Fined" in text for text in shown) == 1
    assert "write `Age(member, number)` above the rules" in " ".join(shown)
    assert "2 times; this is the first." in [item.value for item in test.caption]
    button = test.button(key="rules-declare")
    assert "Age, Fined as" in button.label
    sound(button.click().run())
    assert test.text_area(key="rules-text").value == f"Age(member, number)\nFined(member)\n\n{rule}"
    assert "1 error" in test.error[0].value
    assert not [one for one in test.button if one.key == "rules-declare"]


def test_a_name_that_was_half_written_leaves_nothing(smokers: Server, page: Open) -> None:
    names = set(smokers.workspace.database.predicates())
    test = page("rules")
    right = test.text_area(key="rules-text").value
    for more in ("Neigh(person)\n", "Neighbours(person, person)\n"):
        sound(test.text_area(key="rules-text").set_value(f"{right}\n{more}").run())
    sound(test.run())
    assert set(smokers.workspace.database.predicates()) == {*names, "Neighbours"}
    sound(test.text_area(key="rules-text").set_value(right).run())
    assert set(smokers.workspace.database.predicates()) == names


def test_text_of_users_is_no_markup() -> None:
    assert plain("<b>[x](y)*") == "\\<b\\>\\[x\\]\\(y\\)\\*"


def test_rules_are_read_and_copied_as_they_are_written(state: Server, page: Open) -> None:
    rule = "1: Likes(A, B) -> Likes(B, A)"
    shown = plain(rule).replace("\\", "")
    assert shown == rule.replace("->", f"->{JOINER}"), "Streamlit draws an arrow between blanks"
    assert plain("a->b") == "a\\-\\>b"
    test = page("rules")
    test.radio(key="language").set_value("psl").run()
    sound(test.text_area(key="rules-text").set_value(shown).run())
    assert not test.error
    assert "there are no facts of them" in test.info[0].value
    assert state.workspace.rules.at_hand() == (rule, "psl")


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
    """SciPy, Numba, pandas and charts come with the page that needs them, not the first."""
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


def test_soft_predictions_are_scored_against_labels_between_0_and_1(
    state: Server, page: Open, tmp_path: Path
) -> None:
    rules = "1: Near(A, B) & Likes(A) -> Likes(B) ^2\n0.2: !Likes(A) ^2\n"
    (tmp_path / "near.tsv").write_text("P0\tP1\nP1\tP2\nP2\tP3\n")
    (tmp_path / "seen.tsv").write_text("P0\t0.9\n")
    (tmp_path / "asked.tsv").write_text("P1\nP2\nP3\n")
    (tmp_path / "truth.tsv").write_text("P1\t0.8\nP2\t0.4\nP3\t0.7\n")
    (tmp_path / "likes.data").write_text(
        "predicates:\n  Near/2: closed\n  Likes/1: open\nobservations:\n  Near: near.tsv\n"
        "  Likes: seen.tsv\ntargets:\n  Likes: asked.tsv\ntruth:\n  Likes: truth.tsv\n"
    )
    state.workspace.load(tmp_path / "likes.data", rules=rules)
    result = state.workspace.infer(rules)
    shown = sound(page("evaluation"))
    expected = state.workspace.evaluate(result)
    assert {item.label: item.value for item in shown.metric} == {
        name: f"{expected[name]:.3f}" for name in ("MAE", "RMSE")
    }
    assert "between 0 and 1" in shown.info[0].value
    errors = next(item.value for item in shown.dataframe if "truth" in item.value)
    assert sorted(errors["truth"]) == [0.4, 0.7, 0.8]


def test_who_may_not_infer_is_told_who_does(page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for role, said in (("label", "Somebody whose token"), ("model", "Learn and infer")):
        monkeypatch.setattr("app.state.role", lambda role=role: role)
        (told,) = [one.value for one in sound(page("review").run()).info]
        assert said in told
