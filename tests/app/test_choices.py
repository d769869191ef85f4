"""What people choose stays while they look at other views."""

from __future__ import annotations

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.state import Server
from tests.app.conftest import Open, sound
from workbench.resources import shipped

CHOICES = {"checkbox", "multiselect", "number_input", "radio", "segmented_control"}
CHOICES |= {"select_slider", "selectbox", "slider", "text_area", "text_input", "toggle"}
OF_ONE_ACT = ("correct-", "edit-", "rename-to-", "reshape-", "switch-", "version-", "workspace-")
"""Forms that are filled for one act, and are empty before the next."""
KEPT_OTHERWISE = ("language", "name-", "note-", "rules-text", "rules-{key}", "tables-predict-")
FOLLOWING = ("key",)
"""The run that is looked at follows what is newest."""
NOT_KEPT = OF_ONE_ACT + KEPT_OTHERWISE + FOLLOWING


def left_and_back(test: AppTest, view: str) -> AppTest:
    for other in ("runs", view):
        test = sound(test.switch_page(f"views/{other}.py").run())
    return test


def test_every_box_stays_as_it_was_left() -> None:
    forgetting = []
    for file in Path(shipped("app", "main.py")).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in CHOICES:
                told = {one.arg: ast.unparse(one.value).strip("f'\"") for one in node.keywords}
                kept = told.get("persist_state") == "session" or None in told
                if not kept and not told.get("key", "").startswith(NOT_KEPT):
                    forgetting.append(f"{file.name}:{node.lineno} {told.get('key')}")
    assert not forgetting


def test_a_method_its_parameters_and_limits_stay(smokers: Server, page: Open) -> None:
    test = page("learn")
    test.button_group(key="kind").set_value("infer").run()
    test.radio(key="task").set_value("map").run()
    test.selectbox(key="engine").set_value("maxwalksat").run()
    flips = next(one for one in test.number_input if one.key.startswith("engine-maxwalksat"))
    changed = flips.value + 1
    flips.set_value(changed)
    test.number_input(key="limit").set_value(7.0)
    test.multiselect(key="query").set_value(["Cancer"])
    sound(test.run())
    test = left_and_back(test, "learn")
    assert test.button_group(key="kind").value == "infer"
    assert test.selectbox(key="engine").value == "maxwalksat"
    assert test.number_input(key=flips.key).value == changed
    assert any(one.value.startswith("Changed: ") for one in test.caption)
    assert test.number_input(key="limit").value == 7.0
    assert test.multiselect(key="query").value == ["Cancer"]


def test_a_choice_that_is_no_longer_there_falls_back(smokers: Server, page: Open) -> None:
    test = page("learn")
    test.button_group(key="kind").set_value("infer").run()
    sound(test.selectbox(key="engine").set_value("mcsat").run())
    smokers.workspace.rules.keep("1: Friends(A, B) & Smokes(A) -> Smokes(B)\n", "psl")
    test = left_and_back(test, "learn")
    assert test.selectbox(key="engine").value in test.selectbox(key="engine").options
    assert test.selectbox(key="engine").value != "mcsat"


def test_a_run_stays_chosen_until_there_is_a_newer_one(smokers: Server, page: Open) -> None:
    ws = smokers.workspace
    text, _ = ws.rules.at_hand()
    older = ws.runs.latest("infer")
    newer = ws.infer(text, query=["Smokes"], engine="exact").run_id
    assert older is not None
    test = page("why")
    assert test.selectbox(key="why-run").value == newer
    sound(test.selectbox(key="why-run").set_value(older.id).run())
    test = left_and_back(test, "why")
    assert test.selectbox(key="why-run").value == older.id
    newest = ws.infer(text, query=["Cancer"], engine="exact").run_id
    assert left_and_back(test, "why").selectbox(key="why-run").value == newest


def test_ticks_stay_with_their_runs(smokers: Server, page: Open) -> None:
    ws = smokers.workspace
    numbers = [run.id for run in ws.runs.all()]
    test = page("runs")
    test.session_state[f"runs-{hash(tuple(numbers))}"] = {"selection": {"rows": [0, 1]}}
    both = sound(test.run())
    assert f"Run {min(numbers)} against run {max(numbers)}" in [one.value for one in both.subheader]
    ws.learn(ws.rules.at_hand()[0], query=["Smokes"], learner="pseudo_likelihood")
    test = left_and_back(both, "runs")
    assert f"Run {min(numbers)} against run {max(numbers)}" in [one.value for one in test.subheader]


def test_the_row_of_a_study_stays(state: Server, page: Open, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [
        f"P{at},{at % 7},{'yes' if at % 7 > 3 else 'no' if at < 60 else ''}" for at in range(70)
    ]
    path.write_text("\n".join(("person,age,rich", *rows)))
    state.workspace.load(path, wide=True, predict="people.rich")
    state.workspace.study([path], "people.rich", time_limit=5.0)
    test = page("why")
    other = test.selectbox(key="study-case").options[-1]
    sound(test.selectbox(key="study-case").select(other).run())
    assert left_and_back(test, "why").selectbox(key="study-case").value in other


def test_what_is_predicted_stays_where_another_table_is_brought(
    state: Server, page: Open, tmp_path: Path
) -> None:
    people, towns = tmp_path / "people.csv", tmp_path / "towns.csv"
    people.write_text("person,town,rich\nP1,Bern,yes\nP2,Chur,no\nP3,Bern,yes\nP4,Chur,no\n")
    towns.write_text("town,large\nBern,yes\nChur,no\n")
    state.workspace.load(people, wide=True, predict="people.rich")
    test = page("tables")
    sound(test.text_area(key="tables-paths").set_value(str(towns)).run())
    asked = next(one for one in test.selectbox if one.label == "What should be predicted?")
    assert asked.value == "people.rich"
    sound(test.button(key="tables-load").click().run())
    mapping = state.workspace.data.tables_at_hand()
    assert mapping is not None
    assert list(mapping.by_name) == ["people", "towns"]
