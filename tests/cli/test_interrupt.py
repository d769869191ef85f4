"""Ctrl-C amid a command: exit 4 with what there is, or a plain word; the workspace is whole."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import getpid, kill
from pathlib import Path
from threading import Event, Timer, main_thread

import pytest

from experiments import EXPERIMENTS, ReproductionTable
from experiments.measurements import Measurements
from tests.cli.conftest import Run
from workbench.arrays import Float
from workbench.commands.working import interrupts_raise
from workbench.database import Database
from workbench.errors import Cancelled
from workbench.inference.exact import Exact
from workbench.inference.solution import Solution
from workbench.network import GroundNetwork
from workbench.progress import Conduct, Progress

RULES = """
Friends(person, person)
Smokes(person)
1.5 Friends(x, y) => (Smokes(x) <=> Smokes(y))
0.4 !Smokes(x)
"""
FRIENDS = "Friends(Ada, Bo)\nFriends(Bo, Cy)\nFriends(Cy, Dee)\n"
LABELS = "Smokes(Ada)\nSmokes(Bo)\n"


@contextmanager
def ctrl_c(stage: str, at: int, number: int = signal.SIGINT) -> Iterator[None]:
    """A signal arrives at the so-manieth step reported at stages whose name begins so."""
    plain, seen = Progress.step, 0

    def step(
        self: Progress, name: str, done: float, total: float | None = None, message: str = ""
    ) -> None:
        nonlocal seen
        seen += name.startswith(stage) and (stage != "" or name != "ground")
        if seen == at:
            signal.pthread_kill(main_thread().ident or 0, number)
            self.cancel_event.wait(60.0)
        plain(self, name, done, total, message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Progress, "step", step)
        yield


def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    rules, data, workspace = tmp_path / "s.mln", tmp_path / "s.db", tmp_path / "w.duckdb"
    rules.write_text(RULES)
    data.write_text(FRIENDS + LABELS)
    return rules, data, workspace


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_sampling_answers_with_the_samples_so_far(
    run: Run, tmp_path: Path, number: signal.Signals
) -> None:
    rules, data, workspace = files(tmp_path)
    data.write_text(FRIENDS)
    call = (
        "infer",
        rules,
        "--data",
        data,
        "--query",
        "Smokes",
        "--engine",
        "mcsat",
        "--set",
        "burn_in=0",
    )
    with ctrl_c("mcsat", at=3, number=number):
        outcome = run(*call, "-w", workspace, "--samples", 100_000, "--json")
    assert outcome.code == 4
    assert outcome.json["status"] == "cancelled"
    assert outcome.json["diagnostics"]["samples"] > 0
    recorded = run("runs", workspace, "--json")
    assert recorded.code == 0
    assert [record["status"] for record in recorded.json] == ["cancelled"]


@pytest.mark.parametrize(
    "learner", ["voted_perceptron", "pseudo_likelihood", "mc_mle", "diagonal_newton", "max_margin"]
)
def test_learning_answers_with_the_weights_so_far(run: Run, tmp_path: Path, learner: str) -> None:
    rules, data, _ = files(tmp_path)
    with ctrl_c("", at=2):
        outcome = run(f"learn {rules} --data {data} --query Smokes --learner {learner} --json")
    assert outcome.code == 4, outcome.err
    assert outcome.json["status"] == "cancelled"


def test_an_interrupt_while_grounding_says_so(run: Run, tmp_path: Path) -> None:
    rules, data, workspace = files(tmp_path)
    with ctrl_c("ground", at=1):
        outcome = run(f"infer {rules} --data {data} --query Smokes -w {workspace} --json")
    assert outcome.code == 4
    assert outcome.json["status"] == "cancelled"
    assert "cancelled" in outcome.err
    assert run("infer", rules, "--query", "Smokes", "-w", workspace, "--json").code == 0


ENDED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
from workbench.__main__ import main

at, number, sys.argv = sys.argv[1], int(sys.argv[2]), ["workbench", *sys.argv[3:]]

class Ending:
    def find_spec(self, name, *more):
        if name == at:
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Ending())
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["workbench.cli", "workbench.commands.infer", "duckdb"])
def test_what_is_ended_before_it_begins_ends_with_the_code(
    tmp_path: Path, module: str, number: signal.Signals
) -> None:
    rules, data, _ = files(tmp_path)
    command = ["infer", rules, "--data", data, "--query", "Smokes"]
    ended = subprocess.run(
        [sys.executable, "-c", ENDED, module, str(int(number)), *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (4, False), ended.stderr


def test_work_that_hears_nothing_is_ended(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a compiler, a statement of SQL or another library's loop would be."""
    rules, data, workspace = files(tmp_path)
    data.write_text(FRIENDS)

    def deaf(
        self: Exact, network: GroundNetwork, weights: Float, conduct: Conduct, start: object = None
    ) -> Solution:
        kill(getpid(), signal.SIGINT)
        ended.wait()
        raise AssertionError

    ended = Event()
    monkeypatch.setattr(Exact, "infer", deaf)
    monkeypatch.setattr("workbench.leaving.GRACE", 0.1)
    monkeypatch.setattr("workbench.cli.left_behind", lambda: False)
    outcome = run(f"infer {rules} --data {data} --query Smokes -w {workspace} -e exact --json")
    ended.set()
    assert outcome.code == 4
    assert outcome.json["status"] == "cancelled"
    assert outcome.json["reason"] == "stopped before a first answer"
    assert [one["status"] for one in run("runs", workspace, "--json").json] == ["cancelled"]
    monkeypatch.undo()
    assert run("infer", rules, "--query", "Smokes", "-w", workspace, "--json").code == 0


def test_a_statement_that_is_interrupted_is_a_cancel(tmp_path: Path) -> None:
    endless = (
        "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range % 7 = b.range % 11"
    )
    again = Timer(0.3, lambda: kill(getpid(), signal.SIGINT))
    with Database.open() as database:
        again.start()
        with pytest.raises(Cancelled), interrupts_raise():
            database.connection.execute(endless)


def test_a_cross_validation_answers_with_the_folds_that_were_finished(
    run: Run, tmp_path: Path
) -> None:
    rules, _, workspace = files(tmp_path)
    worlds = [tmp_path / f"{name}.db" for name in "abc"]
    for world in worlds:
        world.write_text(FRIENDS + LABELS)
    given = [part for world in worlds for part in ("--world", world)]
    call = ("crossval", rules, *given, "--query", "Smokes")
    for stage, at, done in (("fold", 1, 0), ("fold", 3, 2), ("scores", 2, 1), ("ground", 2, 0)):
        workspace.unlink(missing_ok=True)
        with ctrl_c(stage, at):
            outcome = run(*call, "-w", workspace, "--json")
        assert outcome.code == 4, outcome.err
        assert outcome.json["status"] == "cancelled"
        recorded = run("runs", workspace, "--json").json
        assert [one["status"] for one in recorded] == ["cancelled"] * bool(done)
        if done:
            assert outcome.json["planned"] == 3
            assert [fold["fold"] for fold in outcome.json["folds"]] == ["a", "b"][:done]
    with ctrl_c("fold", 3):
        outcome = run(*call)
    assert outcome.code == 4
    assert "cancelled after 2 of 3 folds" in outcome.out


@pytest.mark.parametrize("arguments", [(), ("--time-limit", 0.2)])
def test_a_reproduction_prints_the_folds_that_were_measured(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...]
) -> None:
    def experiment(*, progress: Progress, **options: object) -> ReproductionTable:
        measured = Measurements(progress)
        with measured.until_cancelled():
            for fold in range(1, 4):
                progress.step("experiment", fold, 3)
                if fold == 3 and arguments:
                    progress.cancel_event.wait()
                measured.add("NB", "advisedBy", str(fold), {"CLL": -float(fold)})
        return measured.table("uw-cse", "A table", {}, ("A note.",))

    monkeypatch.setitem(EXPERIMENTS, "uw-cse", experiment)
    call = ("reproduce", "uw-cse", "--data-dir", tmp_path, "--json", *arguments)
    if arguments:
        outcome = run(*call)
    else:
        with ctrl_c("experiment", at=3):
            outcome = run(*call)
    assert outcome.code == 4, outcome.err
    assert [score["value"] for score in outcome.json["folds_detail"]] == [-1.0, -2.0]
    assert not outcome.json["complete"]
    assert outcome.json["notes"][0].startswith("Stopped before its end")


def test_a_library_that_catches_every_exception_does_not_swallow_a_ctrl_c() -> None:
    with pytest.raises(Cancelled), interrupts_raise(), suppress(Exception):
        signal.raise_signal(signal.SIGINT)
