"""Cross-validation over kept folds, reopened runs, what-if on a fold, intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.errors import Cancelled, ExitCode, InfeasibleError, UsageError, WorkbenchError
from workbench.inference import Status
from workbench.progress import Progress
from workbench.verbs import crossval
from workbench.verbs.infer import solve_given

RULES = """
Likes(person, topic)
Knows(person, person)
Fan(person)
Likes(p, +t) => Fan(p)
Knows(p, q) ^ Fan(p) => Fan(q)
!Fan(p)
"""
PEOPLE = [f"P{number:02}" for number in range(24)]


@pytest.fixture
def workspace() -> Iterator[wb.Workspace]:
    """Fans of one topic among three, with a few exceptions and acquaintances."""
    with wb.open() as opened:
        opened.declare(RULES)
        likes = pd.DataFrame({"p": PEOPLE, "t": [f"T{number % 3}" for number in range(24)]})
        fans = [
            name for number, name in enumerate(PEOPLE) if (number % 3 == 0) != (number in (3, 4))
        ]
        opened.load(likes, predicate="Likes")
        opened.load(pd.DataFrame({"p": PEOPLE[:-1], "q": PEOPLE[1:]}), predicate="Knows")
        opened.load(pd.DataFrame({"p": fans}), predicate="Fan", partition="truth")
        yield opened


def cross_validated(workspace: wb.Workspace) -> int:
    result = workspace.crossval(
        RULES,
        folds="kept",
        query="Fan",
        learner="pseudo_likelihood",
        engine="gibbs",
        engine_options={"samples": 400},
    )
    assert result.run_id is not None
    return result.run_id


def test_a_cancel_while_a_fold_is_predicted_is_a_cancel(
    workspace: wb.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.data.make_folds("random", predicate="Fan", count=3, seed=1)
    progress = Progress()

    def cancelled(*given: Any, **how: Any) -> Any:
        progress.cancel_event.set()
        found = solve_given(*given, **(how | {"progress": Progress()}))
        return replace(found, values=np.full_like(found.values, np.nan), status="cancelled")

    monkeypatch.setattr(crossval, "solve_given", cancelled)
    with pytest.raises(Cancelled):
        workspace.crossval(
            RULES, folds="kept", query="Fan", learner="pseudo_likelihood", progress=progress
        )


@pytest.mark.parametrize("unanswered", [1, 3])
def test_a_fold_whose_engine_ends_without_an_answer_is_left_out(
    workspace: wb.Workspace, monkeypatch: pytest.MonkeyPatch, unanswered: int
) -> None:
    workspace.data.make_folds("random", predicate="Fan", count=3, seed=1)
    asked = []

    def in_time(*given: Any, **how: Any) -> Any:
        asked.append(given)
        found = solve_given(*given, **how)
        nothing = np.full_like(found.values, np.nan)
        late = len(asked) <= unanswered
        return replace(found, values=nothing, status=Status.LIMIT) if late else found

    monkeypatch.setattr(crossval, "solve_given", in_time)
    call = partial(
        workspace.crossval, RULES, folds="kept", query="Fan", learner="pseudo_likelihood"
    )
    if unanswered == 3:
        with pytest.raises(WorkbenchError, match="before any fold was predicted") as refused:
            call()
        assert refused.value.exit_code == ExitCode.LIMIT
        return
    summary = call().summary()
    assert (summary["status"], summary["planned"], len(summary["folds"])) == ("limit", 3, 2)


def test_a_fold_without_a_possible_state_is_infeasible() -> None:
    rules = "P(t)\nQ(t)\nP(x) => Q(x).\nP(x) => !Q(x).\n0.5 Q(x)\n"
    with wb.open() as opened:
        opened.declare(rules)
        for world, facts in (("one", "Q(A)\n!Q(B)"), ("two", "Q(C)\nP(C)\n!Q(D)")):
            load_alchemy_text(opened.database, facts, world=world)
        with pytest.raises(InfeasibleError, match="admit no world"):
            opened.crossval(rules, query="Q", closed="P", learner="pseudo_likelihood")


def test_what_a_learner_taught_is_opened_again_with_its_weights(workspace: wb.Workspace) -> None:
    rules = RULES.replace("!Fan(p)", "0.25 !Fan(p)")
    learned = workspace.learn(rules, query="Fan", learner="pseudo_likelihood")
    made = workspace.infer(learned, query="Fan", engine="exact", labels="withheld")
    assert made.run_id is not None
    again = workspace.reopen(made.run_id)
    assert sorted(again.weights) == pytest.approx(sorted(made.weights))
    told, before = (result.explain("Fan(P03)") for result in (again, made))
    assert told.log_odds == pytest.approx(before.log_odds)
    assert told.value == before.value
    assert [rule for rule, _, _ in told.by_rule()] == [rule for rule, _, _ in before.by_rule()]
    assert "run" in workspace.runs.standing(made.run_id).text
    renewed = workspace.infer_again(made.run_id)
    assert renewed.value("Fan(P03)") == pytest.approx(before.value)


def test_folds_of_atoms_score_every_atom_once(workspace: wb.Workspace) -> None:
    workspace.data.make_folds("random", predicate="Fan", count=3, seed=1)
    run = cross_validated(workspace)
    assert workspace.runs.fold_names(run) == ("fold 1", "fold 2", "fold 3")
    predicted = workspace.runs.predictions(run)
    assert sorted(predicted["atom"]) == [f"Fan({name})" for name in PEOPLE]
    assert predicted["truth"].sum() == 8
    assert workspace.runs.scores_by_fold(run)["AUC-ROC"].min() > 0.6


def test_labels_held_out_reach_neither_learner_nor_predictor(workspace: wb.Workspace) -> None:
    """Turning every label of a fold over changes none of that fold's predictions."""
    folds = workspace.data.make_folds("random", predicate="Fan", count=3, seed=1)
    before = workspace.runs.predictions(cross_validated(workspace))
    tested = before.loc[before["fold"] == 0, "atom"].tolist()
    assert len(tested) == folds[0].test_atoms
    table = workspace.database.predicate("Fan").table_name
    with workspace.database.transaction() as connection:
        for atom in tested:
            name = atom[4:-1]
            (number,) = connection.execute(
                "SELECT id FROM c_person WHERE name = ?", [name]
            ).fetchone() or (None,)
            deleted = connection.execute(
                f"DELETE FROM {table} WHERE a0 = ? RETURNING 1", [number]
            ).fetchall()
            if not deleted:
                connection.execute(f"INSERT INTO {table} VALUES (0, ?, 1.0, 'truth')", [number])
    after = workspace.runs.predictions(cross_validated(workspace))
    assert np.array_equal(
        before.loc[before["fold"] == 0, "value"], after.loc[after["fold"] == 0, "value"]
    )
    assert (
        before.loc[before["fold"] == 0, "truth"]
        != after.loc[after["fold"] == 0, "truth"].to_numpy()
    ).all()


def test_a_fold_is_opened_again_explained_and_tried_otherwise(workspace: wb.Workspace) -> None:
    workspace.data.make_folds("grouped", predicate="Fan", count=2, group_by=0)
    run = cross_validated(workspace)
    recorded = workspace.runs.predictions(run)
    first = recorded[recorded["fold"] == 0]
    result = workspace.reopen(run, fold=0)
    values = dict(zip(result.predictions()["atom"], result.predictions()["value"]))
    assert [values[atom] for atom in first["atom"]] == first["value"].tolist()
    atom = str(first["atom"].iloc[0])
    person = atom[4:-1]
    explanation = result.explain(atom)
    assert explanation.log_odds == pytest.approx(
        sum(item.contribution for item in explanation.contributions)
    )
    liked = f"Likes({person}, T{PEOPLE.index(person) % 3})"
    changed = workspace.what_if(result, {liked: False})
    assert set(changed["atom"]) == set(first["atom"])
    assert abs(changed.set_index("atom")["change"][atom]) > 0.05
    known = workspace.what_if(result, {atom: True}).set_index("atom")
    assert np.isnan(known["after"][atom])
    with pytest.raises(UsageError, match="choose one of its folds"):
        workspace.reopen(run)


def test_the_report_of_a_run_is_one_escaped_page(workspace: wb.Workspace) -> None:
    workspace.data.make_folds("random", predicate="Fan", count=2)
    run = cross_validated(workspace)
    workspace.runs.label(run, name="<script>alert(1)</script>", note="a & b")
    report = workspace.runs.report(run)
    assert "<td>fold 1</td>" in report
    assert "&lt;script&gt;" in report
    assert "<script" not in report
    assert "a &amp; b" in report
    assert "samples 400" in report
    assert "{'" not in report
    assert "http" not in report


def test_paired_tests_need_the_same_folds(workspace: wb.Workspace) -> None:
    workspace.data.make_folds("random", predicate="Fan", count=3, seed=1)
    first, second = cross_validated(workspace), cross_validated(workspace)
    found = workspace.runs.paired_comparison(first, second).set_index("metric")
    assert (found.loc["CLL", ["p (paired t)", "p (corrected t)", "p (Wilcoxon)"]] == 1).all()
    assert workspace.runs.compare(first, second)["tests"]
    workspace.data.make_folds("random", predicate="Fan", count=3, seed=2)
    other = cross_validated(workspace)
    assert "p (paired t)" not in workspace.runs.paired_comparison(first, other)
    assert workspace.runs.compare(first, other)["tests"] == []


def test_curves_thin_out_and_confusion_counts(workspace: wb.Workspace) -> None:
    workspace.data.make_folds("random", predicate="Fan", count=3, seed=1)
    run = cross_validated(workspace)
    frame = workspace.runs.scored(run)
    whole, thinned = workspace.runs.curves(run), workspace.runs.curves(run, most=6)
    assert 2 <= len(thinned) <= 7 < len(whole)
    assert thinned.merge(whole).shape == thinned.shape
    for row in workspace.runs.confusion(run, [0.0, 0.25, 0.5, 1.0]).itertuples():
        said, true = frame["value"] >= row.threshold, frame["truth"] == 1
        expected = [
            (said & true).sum(),
            (said & ~true).sum(),
            (~said & true).sum(),
            (~said & ~true).sum(),
        ]
        assert [row.tp, row.fp, row.fn, row.tn] == expected


def test_folds_that_test_nothing_are_refused(workspace: wb.Workspace) -> None:
    with pytest.raises(UsageError, match="no folds"):
        cross_validated(workspace)
    workspace.data.make_folds("random", predicate="Likes", count=2)
    with pytest.raises(UsageError, match="holds out no atom"):
        cross_validated(workspace)
    with pytest.raises(UsageError, match="there is 1"):
        workspace.crossval(RULES, query="Fan")


def test_psl_folds_of_listed_atoms() -> None:
    rules = (
        "2: Likes(P, T) & Fan(P) -> Popular(T)\n1: !Popular(T)\n1: Fan(P) & Likes(P, T) -> "
        "Likes(P, T)\n"
    )
    with wb.open() as opened:
        likes = pd.DataFrame({"p": PEOPLE, "t": [f"T{number % 6}" for number in range(24)]})
        topics = pd.DataFrame(
            {"t": [f"T{number}" for number in range(6)], "value": [0.9, 0.1, 0.8, 0.2, 0.7, 0.3]}
        )
        opened.declare(rules)
        opened.load(likes, predicate="Likes")
        opened.load(pd.DataFrame({"p": PEOPLE[::2]}), predicate="Fan")
        opened.load(topics[["t"]], predicate="Popular", partition="target")
        opened.load(topics, predicate="Popular", partition="truth")
        folds = opened.data.make_folds("random", predicate="Popular", count=3)
        assert [fold.test_atoms for fold in folds] == [2, 2, 2]
        result = opened.crossval(
            rules, folds="kept", learner="hinge_pseudolikelihood", engine="admm"
        )
        assert [fold.truth.size for fold in result.folds] == [2, 2, 2]


@pytest.mark.parametrize("method", ["laplace", "bootstrap"])
def test_intervals_are_recorded_beside_the_weights(workspace: wb.Workspace, method: str) -> None:
    learned = workspace.learn(RULES, query="Fan", learner="pseudo_likelihood", intervals=method)  # type: ignore[arg-type]
    assert learned.run_id is not None
    frame = workspace.models.weights(learned.run_id)
    assert ((frame["low"] < frame["weight"]) & (frame["weight"] < frame["high"])).all()
    assert frame["open"].tolist() == [row["open"] for row in learned.table()]
    bare = workspace.learn(RULES, query="Fan", learner="pseudo_likelihood")
    assert bare.run_id is not None
    assert workspace.models.weights(bare.run_id)["low"].isna().all()
    drawn = learned.summary()["intervals"]["resampled"]
    assert drawn == ("atoms" if method == "bootstrap" else None)
    later = workspace.models.intervals(bare.run_id, method=method)  # type: ignore[arg-type]
    assert np.allclose(later[["low", "high"]], frame[["low", "high"]], atol=1e-3)


def test_bins_are_cut_by_the_worlds_that_a_fold_learns_from() -> None:
    rules = "Age(person, number)\nLate(person)\nAge(x, +bin(a, 2)) => Late(x)\n"
    with wb.open() as opened:
        opened.declare(rules)
        for world, first in (("one", 0), ("two", 100), ("three", 1000)):
            ages = pd.DataFrame({"p": PEOPLE, "a": [float(first + place) for place in range(24)]})
            opened.load(ages, predicate="Age", world=world)
            opened.load(
                pd.DataFrame({"p": PEOPLE[::3]}), predicate="Late", partition="truth", world=world
            )
        found = opened.crossval(rules, query="Late", learner="pseudo_likelihood", engine="gibbs")
        assert found.run_id is not None
        edges = {"one": "1000", "two": "1000", "three": "100"}
        for number, fold in enumerate(found.folds):
            texts = [rule.text for rule in fold.learning.program.rules]
            assert f"a < {edges[fold.plan.name]} " in texts[0]
            assert texts[0] in opened.reopen(found.run_id, fold=number).program.rules[0].text


def test_more_folds_than_worlds_are_refused_in_words_of_worlds() -> None:
    with wb.open() as ws, pytest.raises(UsageError, match="2 folds of worlds need 2 worlds"):
        ws.crossval("P(t)\n1 P(x)", query="P", folds=2)


def test_a_world_that_rules_were_counted_over_before_there_were_facts_holds_nothing_out() -> None:
    rules = "Meets(person, person)\nIll(person)\n1 Meets(x, y) ^ Ill(x) => Ill(y)\n"
    ws = wb.open()
    ws.preview(rules)
    for number, world in enumerate(("Kiel", "Ulm"), 1):
        ws.data.add("Meets(Ann, Bo)\nIll(Bo)", world=world)
        assert ws.rules.prospects(ws.declare(rules)).worlds == number
    assert len(ws.database.worlds()) == 3
    assert list(ws.data.worlds()) == ["Kiel", "Ulm"]
    found = ws.crossval(rules, query=["Ill"], folds="worlds", engine="exact")
    assert [fold.plan.name for fold in found.folds] == ["Kiel", "Ulm"]
    with pytest.raises(UsageError, match="E0806"):
        ws.crossval(rules, query=["Ill"], folds=3, engine="exact")
    found = ws.crossval(rules, query=["Ill"], worlds=["Kiel"], folds=2, engine="exact", seed=4)
    kept = ws.data.make_folds("random", predicate="Ill", count=2, seed=4)
    assert sum(fold.test_atoms for fold in kept) == 4
    assert len(found.folds) == 2
    assert sum(fold.scores["atoms"] for fold in found.folds) == 2
