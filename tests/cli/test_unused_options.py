"""Options that mean nothing where they are given, numbers out of range, and files that a command
would read and write: refused or said, never dropped.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from workbench.errors import InputError, UsageError
from workbench.structure.paths import PathLearner
from workbench.verbs.options import conduct_of
from workbench.workspace import open_workspace

RULES = "P(t)\nQ(t)\n1 P(x) => Q(x)\n"
PROBLEM = """:- modeh(1,good(+t)).
:- modeb(1,red(+t)).
red(a). red(b).
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.mln").write_text(RULES)
    (tmp_path / "facts.db").write_text("P(A)\nQ(A)\nP(B)\n")
    (tmp_path / "p.b").write_text(PROBLEM)
    (tmp_path / "p.f").write_text("good(a). good(b).\n")
    (tmp_path / "p.n").write_text("good(c).\n")
    return tmp_path


BESIDE_MODES = (
    ["--target", "good"],
    ["--method", "mine"],
    ["--data", "facts.db"],
    ["--world", "facts.db"],
    ["--mapping", "facts.db"],
)
WITHOUT_MODES = (
    ["--loop", "induce_max"],
    ["--collect", "1"],
    ["--weights", "l1"],
    ["--features", "count"],
    ["--flatten"],
)
OF_FOLDS = (
    ["--validate", "noise=1,2"],
    ["--inductive"],
    ["--mapping", "facts.db"],
    ["--engine", "exact"],
    ["--fold", "a"],
)


@pytest.mark.parametrize("words", BESIDE_MODES, ids=lambda words: words[0])
@pytest.mark.usefixtures("files")
def test_options_of_programs_are_refused_for_ilp_problems(run: Run, words: list[str]) -> None:
    outcome = run("structure", "p.b", *words)
    assert (outcome.code, f"{words[0]} is not for an ILP problem" in outcome.err) == (2, True)


@pytest.mark.parametrize("words", WITHOUT_MODES, ids=lambda words: words[0])
@pytest.mark.usefixtures("files")
def test_options_of_ilp_problems_are_refused_for_programs(run: Run, words: list[str]) -> None:
    outcome = run("structure", "rules.mln", "--data", "facts.db", "--target", "Q", *words)
    assert (outcome.code, f"{words[0]} is not for a .mln file" in outcome.err) == (2, True)


@pytest.mark.parametrize("words", OF_FOLDS, ids=lambda words: words[0])
@pytest.mark.usefixtures("files")
def test_folds_of_ilp_problems_refuse_what_they_do_not_read(run: Run, words: list[str]) -> None:
    outcome = run("crossval", "p.b", *words)
    assert (outcome.code, f"{words[0]} is not for an ILP problem" in outcome.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["infer", "--engine", "exact", "--samples", "9"],
        ["infer", "--no-learn"],
        ["ground", "--sql"],
        ["ground", "--plan"],
        ["ground", "--samples", "2"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("files")
def test_options_that_only_say_how_are_told(run: Run, words: list[str]) -> None:
    verb, *options = words
    outcome = run(verb, "rules.mln", "--data", "facts.db", "--query", "Q", *options)
    assert outcome.code == 0
    assert f"warning[E0842]: {options[-1] if len(options) == 1 else options[-2]}" in outcome.err


@pytest.mark.usefixtures("files")
def test_options_that_have_an_effect_are_not_told(run: Run) -> None:
    given = ("rules.mln", "--data", "facts.db", "--query", "Q", "--samples", "2")
    assert "E0842" not in run("infer", *given).err
    assert "E0842" not in run("ground", *given, "--preview", "--sql").err


@pytest.mark.parametrize(
    "words",
    [
        ["infer", "--seed", "99999999999999999999"],
        ["infer", "--memory", "99999999999999999999"],
        ["learn", "--seed", "4294967296"],
        ["ground", "--preview", "--samples", "99999999999999999999"],
        ["infer", "--limit", "-5"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("files")
def test_numbers_out_of_range_are_the_users(run: Run, words: list[str]) -> None:
    verb, *options = words
    assert run(verb, "rules.mln", "--data", "facts.db", "--query", "Q", *options).code == 2


def test_a_port_out_of_range_is_the_users(run: Run) -> None:
    assert run("app", "work.duckdb", "--port", "-3").code == 2


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_seeds_are_of_one_range_in_python_too(seed: int) -> None:
    with pytest.raises(UsageError, match="E0841"):
        conduct_of({"seed": seed})


@pytest.mark.parametrize("threshold", ["nan", "1e400", "-1"])
@pytest.mark.usefixtures("files")
def test_a_threshold_is_a_probability(run: Run, threshold: str) -> None:
    run("infer", "rules.mln", "--data", "facts.db", "--query", "Q", "--out", "p.csv")
    given = ("evaluate", "--predictions", "p.csv", "--truth", "facts.db")
    assert run(*given, "--threshold", "0.4").code != 2
    assert run(*given, "--threshold", threshold).code == 2


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["infer", "rules.mln", "--data", "t.csv", "--query", "Q", "--out", "t.csv"], "t.csv"),
        (["learn", "rules.mln", "--data", "facts.db", "-q", "Q", "-o", "facts.db"], "facts.db"),
        (["learn", "rules.mln", "--data", "facts.db", "-q", "Q", "-o", "rules.mln"], "rules.mln"),
        (["structure", "p.b", "--out", "./p.b"], "p.b"),
        (["convert", "rules.mln", "--out", "rules.mln"], "rules.mln"),
        (["link", "t.csv", "--out", "t.csv"], "t.csv"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_no_command_writes_over_what_it_reads(
    run: Run, files: Path, words: list[str], kept: str
) -> None:
    (files / "t.csv").write_text("name,town\nAda,Rome\nAda,Roma\n")
    before = (files / kept).read_text()
    outcome = run(*words)
    assert (outcome.code, "E0802" in outcome.err) == (1, True)
    assert (files / kept).read_text() == before


@pytest.mark.usefixtures("files")
def test_a_run_that_is_not_there_is_not_written_as_an_empty_file(run: Run, files: Path) -> None:
    run("infer", "rules.mln", "--data", "facts.db", "--query", "Q", "--workspace", "w.duckdb")
    outcome = run("export", "w.duckdb", "9", "--out", "p.csv")
    assert (outcome.code, "E0217" in outcome.err) == (2, True)
    assert not (files / "p.csv").exists()


@pytest.mark.parametrize("data", [[], ["--data", "without.db"]], ids=["no data", "no label"])
def test_rules_are_not_learned_without_a_label(run: Run, files: Path, data: list[str]) -> None:
    (files / "without.db").write_text("P(A)\nP(B)\n")
    outcome = run("structure", "rules.mln", "--target", "Q", *data)
    assert (outcome.code, "E0501" in outcome.err) == (1, True)


def test_the_seed_reaches_the_search_for_paths(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, seeds = PathLearner.learn, []

    def learn(self: PathLearner, *given: Any, **named: Any) -> Any:
        seeds.append(named["conduct"].seed)
        return plain(self, *given, **named)

    monkeypatch.setattr(PathLearner, "learn", learn)
    with open_workspace() as space:
        space.load(files / "facts.db", rules=files / "rules.mln")
        with suppress(InputError):  # so few facts have no path
            space.structure(files / "rules.mln", targets=["Q"], method="paths", seed=5)
    assert seeds == [5]
