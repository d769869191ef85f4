"""What runs show: inference, weights, reasons, curves, published figures."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.state import Server
from experiments import FoldScore, ReproductionTable, keep, rows_from_folds
from experiments.uw_cse import EXPERIMENTS
from tests.app.conftest import Open, finished, sound


def test_inference_runs_in_the_background(smokers: Server, page: Open) -> None:
    test = page("learn")
    test.selectbox(key="engine").set_value("gibbs").run()
    assert any("each redrawn given the rest" in item.value for item in test.caption)
    assert not any("`" in item.value for item in test.caption)
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
    # Cancelled before its first figure.
    none = rows_from_folds((), EXPERIMENTS[0].published)
    keep(state.workspace, ReproductionTable("uw-cse", "UW", none, (), ()))
    test = sound(test.run())
    assert "ours" not in test.dataframe[0].value
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
    test.segmented_control(key="what-if-value").set_value("true")
    pick_fact(test, "Friends(Aino, Chloe)")
    sound(test.button(key="what-if-run").click().run())
    assert "No prediction moves" in test.info[-1].value
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


def test_the_list_of_runs_has_the_scores_of_inferences_beside_the_labels_of_now(
    smokers: Server, page: Open
) -> None:
    ws = smokers.workspace
    number = next(run.id for run in ws.runs.all() if run.kind == "infer")

    def listed() -> pd.DataFrame:
        return sound(page("runs")).dataframe[0].value.set_index("run")

    assert "AUC-ROC" not in listed()
    for fact in ("Cancer(Chloe)", "!Cancer(Bram)"):
        ws.data.add(fact, partition="truth")
    expected = ws.runs.scores_by_fold(number)
    assert listed().loc[number, "AUC-ROC"] == pytest.approx(expected["AUC-ROC"].iloc[0])


def test_what_labels_say_stands_beside_a_learned_weight(smokers: Server, page: Open) -> None:
    test = sound(page("weights"))
    learned = next(run.id for run in smokers.workspace.runs.all() if run.kind == "learn")
    test.selectbox(key="weights-run").set_value(learned).run()
    (frame,) = (item.value for item in sound(test).dataframe)
    assert list(frame.columns[:2]) == ["weight", "rule"]
    recorded = smokers.workspace.models.rules(learned)
    assert recorded["rate"].notna().any()
    for shown, kept in (("labels", "support"), ("with", "rate")):
        assert frame[shown].dropna().sum() == pytest.approx(recorded[kept].sum())


def test_a_weight_that_says_little_is_told_where_it_was_learned(state: Server, page: Open) -> None:
    ws = state.workspace
    rules = "Talks(person, person)\nHeard(person)\nTalks(x, y) ^ Heard(x) => Heard(y)\nHeard(x)\n"
    ws.rules.keep(rules, "mln")
    ws.declare(rules)
    ws.data.add("\n".join(f"Talks(P{n}, P{(n * 7 + 1) % 40})" for n in range(40)))
    ws.data.add("Heard(P1)")
    test = sound(page("learn"))
    test.multiselect(key="query").set_value(["Heard"]).run()
    sound(test.button(key="run").click().run())
    assert finished(state.jobs.all()[0]).status == "done"
    said = " ".join(item.value for item in sound(test.run()).warning)
    assert "the body of" in said.replace("\\", "")


def _many_warnings() -> None:
    from app.show import warnings

    warnings([*(f"kind {number}" for number in range(9)), "kind 0", "kind 0"])


def test_warnings_are_counted_and_few() -> None:
    (said,) = AppTest.from_function(_many_warnings).run().warning
    assert said.value.splitlines()[0] == "- kind 0 (3 times)"
    assert said.value.splitlines()[-1] == "- and 3 more kinds of notes"


def test_a_run_that_was_ended_is_looked_at_as_others_are(
    smokers: Server, page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has of folds is what was asked for; the page ended in an error."""
    smokers.workspace.runs.record_ended("crossval", 1.0, {"folds": "kept", "query": ["Cancer"]})
    ticked = SimpleNamespace(selection=SimpleNamespace(rows=[0]))
    monkeypatch.setattr("app.choices.table", lambda frame, **options: ticked)
    said = [item.value for item in sound(page("runs")).caption]
    assert any("ended before it had anything to show" in one for one in said)


def test_predictions_of_one_run_alone_are_told_from_none(smokers: Server, page: Open) -> None:
    ws = smokers.workspace
    ws.infer(ws.rules.at_hand()[0], query=["Smokes"], engine="exact")
    numbers = [run.id for run in ws.runs.all()]
    test = page("runs")
    places = [numbers.index(number) for number in (max(numbers), 1)]
    test.session_state[f"runs-{hash(tuple(numbers))}"] = {"selection": {"rows": places}}
    said = " ".join(item.value for item in sound(test.run()).caption)
    assert "10 predictions are of run 1 alone, and none that both have differs." in said
