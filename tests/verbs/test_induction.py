"""ILP problems through the verbs: learned programs predict the same; folds do not leak."""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest

from tests.kits.interruptions import AtQuestion, interruptions
from workbench.arrays import Float
from workbench.errors import Cancelled, UsageError
from workbench.grounding.ilp_background import derive_facts
from workbench.language.ilp.problem import IlpProblem
from workbench.language.ilp.reader import read_ilp
from workbench.network import compiled
from workbench.progress import Progress
from workbench.structure.cover_kernels import tally
from workbench.structure.induction import ClauseLearner
from workbench.verbs.induction import Induction, arrays
from workbench.verbs.induction_crossval import crossval_induction, induction_of
from workbench.workspace import open_workspace

N = 60
SETTINGS = {"noise": "20", "minpos": "2", "clauselength": "3"}
MODES = """
:- modeh(1, good(+car)).
:- modeb(*, near_red(+car)).
:- modeb(*, near(+car, -car)).
:- modeb(*, speed(+car, -number)).
:- modeb(*, gteq(+number, #number)).
near_red(X) :- near(X, Y), red(Y).
gteq(X, Y) :- number(X), number(Y), X >= Y.
"""


@pytest.fixture
def cars(tmp_path: Path) -> Path:
    """Cars near red ones are good, and fast ones; red is told by the background alone."""
    rng = np.random.default_rng(4)
    pairs = {(int(a), int(b)) for a, b in rng.integers(0, N, (70, 2))}
    speed = rng.integers(1, 6, N)
    lines = [f"near(c{a}, c{b})." for a, b in sorted(pairs)] + [
        f"red(c{k})." for k in range(0, N, 3)
    ]
    lines += [f"speed(c{k}, {value})." for k, value in enumerate(speed.tolist())]
    near_red = {a for a, b in pairs if b % 3 == 0}
    log_odds = [3.0 * (k in near_red) + 1.0 * (speed[k] > 3) - 2 for k in range(N)]
    good = rng.random(N) < 1 / (1 + np.exp(-np.array(log_odds)))
    lines += [f"example(good(c{k}), {1 if good[k] else -1}, {k % 4})." for k in range(N)]
    path = tmp_path / "cars.pl"
    path.write_text(MODES + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("features", ["count", "exists", "log"])
@pytest.mark.parametrize("weights", ["l1", "l2"])
def test_the_written_program_predicts_what_the_weights_do(
    cars: Path, features: str, weights: str
) -> None:
    problem = read_ilp(cars)
    with open_workspace() as space:
        options: dict[str, Any] = {
            "weights": weights,
            "features": features,
            "collect": 0.5,
            "settings": SETTINGS,
        }
        text = space.structure(problem, **options).text
        background, examples = arrays(space.database, derive_facts(problem))
    assert "near_red(x0) := near(x0, x1) ^ red(x1)." in text
    expected = _learned(problem, weights, features)
    with open_workspace() as fresh:
        fresh.load(cars, rules=text)
        frame = fresh.infer(text, query=["good"]).predictions()
    found = dict(zip(frame["atom"], frame["value"]))
    names = [background.constants["car"][row] for row in examples.arguments[:, 0].tolist()]
    assert np.allclose([found[f'good("{name}")'] for name in names], expected, atol=1e-5)


def _learned(problem: IlpProblem, weights: str, features: str) -> Float:
    from workbench.structure.induction import ClauseLearner

    how = Induction("induce", weights, features, 0.5, SETTINGS)
    derived = derive_facts(problem)
    with open_workspace() as space:
        space.structure(problem, settings=SETTINGS, candidates=0)
        background, examples = arrays(space.database, derived)
    search = how.search(derived)
    learner = ClauseLearner(background, examples, derived.head_mode, derived.body_modes, search)
    return how.learn(learner, None).probabilities(learner)


def test_new_facts_get_the_background_computed(cars: Path, tmp_path: Path) -> None:
    with open_workspace() as space:
        text = space.structure(read_ilp(cars), weights="l2", settings=SETTINGS).text
    new = tmp_path / "new.pl"
    new.write_text("near(g, h). near(h, i). red(h). speed(g, 1). speed(h, 1). speed(i, 1).\n")
    with open_workspace() as fresh:
        fresh.load(new, rules=text)
        frame = fresh.infer(text, query=["good"]).predictions()
    found = dict(zip(frame["atom"], frame["value"]))
    assert found['good("g")'] > found['good("h")'] + 0.2


def test_no_label_of_a_held_out_example_is_seen(cars: Path) -> None:
    """Turning a fold's labels over changes its scores and no prediction for it."""
    problem = read_ilp(cars)
    how = induction_of("l2", {"collect": "0", **SETTINGS})
    with open_workspace() as space:
        before = crossval_induction(space.database, problem, how, folds="kept")
    text = cars.read_text().splitlines()
    for row, line in enumerate(text):
        if line.startswith("example") and line.endswith(", 2)."):
            text[row] = (
                line.replace("), 1,", "), x,").replace("), -1,", "), 1,").replace("), x,", "), -1,")
            )
    cars.write_text("\n".join(text) + "\n")
    with open_workspace() as space:
        after = crossval_induction(space.database, read_ilp(cars), how, folds="kept")
        fold = np.sort(before.predicted[before.fold == 2])
        assert np.array_equal(fold, np.sort(after.predicted[after.fold == 2]))
        assert before.scores[2]["accuracy"] == pytest.approx(1 - after.scores[2]["accuracy"])
    assert before.summary()["status"] == "done"


def test_folds_are_given_or_dealt(cars: Path) -> None:
    cars.write_text(re.sub(r"(example\(.*), \d\)\.", r"\1).", cars.read_text()))
    how = induction_of("none", dict(SETTINGS))
    with open_workspace() as space:
        with pytest.raises(UsageError, match="E0806"):
            crossval_induction(space.database, read_ilp(cars), how, folds="kept")
        dealt = crossval_induction(space.database, read_ilp(cars), how, folds=3, seed=1)
        hurried = crossval_induction(
            space.database, read_ilp(cars), how, folds=3, seed=1, time_limit=0.0
        )
    assert set(dealt.fold.tolist()) == {0, 1, 2}
    assert np.isfinite(dealt.predicted).all()
    assert (dealt.status, hurried.status) == ("done", "limit")


def test_a_recall_keeps_the_answers_that_come_first_in_the_problem(tmp_path: Path) -> None:
    """So a threshold asked for once is the example's own number, and a rule of it is found."""
    weights = {f"i{number}": 97 * number % 60 / 4 + 1 for number in range(60)}
    text = MODES.replace("gteq(*", "gteq(1") + "\n:- modeb(1, gteq(+number, #number)).\n"
    text = text.replace(":- modeb(*, gteq(+number, #number)).", "")
    text += "".join(f"speed({name}, {weight}).\n" for name, weight in weights.items())
    (tmp_path / "good.b").write_text(text)
    for ending, fast in (("f", True), ("n", False)):
        chosen = [f"good({name}).\n" for name, w in weights.items() if (w >= 8.5) == fast]
        (tmp_path / f"good.{ending}").write_text("".join(chosen))
    with open_workspace(":memory:") as workspace:
        found = workspace.structure(read_ilp(tmp_path), settings={})
    assert "v1 >= 8.5 => good(a)" in found.text


def test_a_target_with_a_body_mode_keeps_its_types(tmp_path: Path) -> None:
    """A recursive mode names the target beside defining clauses: it was declared twice."""
    path = tmp_path / "kin.pl"
    people = range(12)
    lines = [":- modeh(1, elder(+person, +person)).", ":- modeb(*, above(+person, +person))."]
    lines += [":- modeb(*, elder(+person, +person)).", "above(X, Y) :- parent(X, Y)."]
    lines += [f"parent(p{a}, p{a + 1})." for a in people]
    lines += [
        f"example(elder(p{a}, p{b}), {1 if b == a + 1 else -1})."
        for a in people
        for b in (a + 1, a + 2)
    ]
    path.write_text("\n".join(lines) + "\n")
    with open_workspace() as space:
        text = space.structure(read_ilp(path), weights="l2").text
    assert text.startswith("elder(person, person)\n")
    path.write_text("".join(f"parent(q{a}, q{a + 1}).\n" for a in range(3)))
    with open_workspace() as fresh:
        fresh.load(path, rules=text)
        frame = fresh.infer(text, query=["elder"]).predictions()
    assert np.count_nonzero(frame["value"] > 0.5) == 3


@pytest.mark.parametrize("weights", ["none", "l1"])
def test_wherever_a_search_is_cancelled_its_clauses_so_far_are_a_program(
    cars: Path, weights: str
) -> None:
    problem, clauses = read_ilp(cars), set()
    for progress in interruptions():
        with open_workspace() as space:
            found = space.structure(problem, weights=weights, settings=SETTINGS, progress=progress)
        assert found.status in ("cancelled", "complete")
        assert "good(car)" in found.text
        clauses.add(len(found.rules))
    assert len(clauses) > 1


def test_the_folds_before_a_cancel_are_kept(cars: Path) -> None:
    problem, how, done = read_ilp(cars), induction_of("none", SETTINGS), set()
    for question in (2, 30, 60, 90, 120, 150, 180, 10_000):
        progress = Progress(cancel_event=AtQuestion(question))
        with open_workspace() as space:
            try:
                found = crossval_induction(space.database, problem, how, folds=3, progress=progress)
            except Cancelled:
                done.add(0)
                continue
        done.add(len(found.scores))
        assert found.summary()["status"] == ("done" if len(found.scores) == 3 else "cancelled")
        assert (
            np.isfinite(found.predicted).sum()
            == np.isin(found.fold, range(len(found.scores))).sum()
        )
    assert {0, 3} < done


def test_a_search_of_a_few_seconds_waits_for_no_machine_code(
    cars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a new installation; its plain kernels find the same rules."""
    monkeypatch.setattr(compiled._Kernel, "_is_kept", lambda kernel: False)
    monkeypatch.setattr(compiled, "COMPILING", 2000.0)
    learn, plain = ClauseLearner.learn, list[bool]()

    def watched(*given: Any, **how: Any) -> Any:
        found = learn(*given, **how)
        plain.append(not tally._is_ready_within(compiled._deadline.get() - monotonic()))  # type: ignore[attr-defined]
        return found

    monkeypatch.setattr(ClauseLearner, "learn", watched)
    with open_workspace() as space:
        found, limited = (
            space.structure(read_ilp(cars), settings=SETTINGS, time_limit=seconds)
            for seconds in (None, 1000.0)
        )
    assert plain == [False, True]
    assert [rule.text for rule in limited.rules] == [rule.text for rule in found.rules] != []
