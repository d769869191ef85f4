"""What goes wrong at the door: exit codes, messages, and a standard output that stays JSON."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from workbench.workspace import open_workspace

RULES = "P(t)\nQ(t)\n1 P(x) => Q(x)\n"
FACTS = "P(A)\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.mln").write_text(RULES)
    (tmp_path / "facts.db").write_text(FACTS)
    return tmp_path


@pytest.mark.parametrize("out", ["nowhere/p.csv", "."])
@pytest.mark.usefixtures("files")
def test_a_place_that_cannot_be_written_is_refused_before_the_work(run: Run, out: str) -> None:
    outcome = run("infer", "rules.mln", "--data", "facts.db", "--out", out)
    assert outcome.code == 1
    assert "E0802" in outcome.err


@pytest.mark.parametrize(
    "line",
    [
        "infer rules.mln --data ''",
        "infer '' --data facts.db",
        "load w.duckdb facts.db ''",
        "study '' --predict t.c --out o",
        "study t.csv --predict t.c --out=",
        "link t.csv --out c.csv --labels ''",
        "solve m.uai -o ''",
        "runs ''",
    ],
)
@pytest.mark.usefixtures("files")
def test_an_empty_name_is_not_the_folder_one_is_in(run: Run, line: str) -> None:
    outcome = run(line)
    assert (outcome.code, "E0814" in outcome.err) == (2, True), outcome.err
    assert sorted(path.name for path in Path().iterdir()) == ["facts.db", "rules.mln"]


@pytest.mark.usefixtures("files")
def test_failures_are_json_on_standard_output_too(run: Run, files: Path) -> None:
    (files / "clash.mln").write_text("P(t)\nP(A).\n!P(x).\n")
    outcome = run("infer", "clash.mln", "--query", "P", "--json")
    assert outcome.code == 5
    assert outcome.json["status"] == "infeasible"
    assert "P(A)" in outcome.json["diagnostics"][0]["message"]
    missing = run("infer", "none.mln", "--json")
    assert (missing.code, missing.json["status"]) == (1, "error")


@pytest.mark.usefixtures("files")
def test_samples_are_handed_to_whatever_engine_samples(run: Run) -> None:
    given = ("infer", "rules.mln", "--data", "facts.db", "--samples", "40", "--json")
    assert run(*given).json["engine"] == "exact"
    assert run(*given, "--engine", "exact").code == 0
    assert run(*given, "--engine", "gibbs").json["diagnostics"]["samples"] == 40
    refused = run("infer", "rules.mln", "--data", "facts.db", "--set", "wings=2")
    assert (refused.code, "E0412" in refused.err) == (2, True)


@pytest.mark.usefixtures("files")
def test_a_rule_without_weight_is_the_inputs_fault(run: Run, files: Path) -> None:
    (files / "unlearned.mln").write_text("P(t)\nP(x)\n")
    outcome = run("infer", "unlearned.mln", "--data", "facts.db", "--query", "P")
    assert (outcome.code, "E0805" in outcome.err) == (1, True)


@pytest.mark.parametrize("weight", ["1e300", "1e999", "nan", "Infinity"])
def test_weights_are_finite(run: Run, files: Path, weight: str) -> None:
    (files / "rules.mln").write_text(f"P(t)\n{weight} P(A)\n")
    outcome = run("check", "rules.mln", "--json")
    assert [one["code"] for one in outcome.json["diagnostics"]] == ["E0132"]


def test_formatting_a_gzipped_file_keeps_it_gzipped(run: Run, files: Path) -> None:
    path = files / "rules.mln.gz"
    path.write_bytes(gzip.compress(b"P(t)\n1   P(x)v   P(A)\n".replace(b")v", b") v")))
    assert run("fmt", path, "--write").code == 0
    assert gzip.decompress(path.read_bytes()) == b"P(t)\n1 P(x) v P(A)\n"


def test_a_long_line_is_named_and_nothing_is_loaded(run: Run, files: Path) -> None:
    (files / "facts.db").write_bytes(b"P(A)\nP(" + b"B" * 2**22 + b")\nP(C)\n")
    outcome = run("infer", "rules.mln", "--data", "facts.db", "--query", "Q")
    assert (outcome.code, "facts.db:2:1" in outcome.err) == (1, True)
    assert len(outcome.err) < 1000


SOFT = "1: P(X) -> Q(X) ^2\n1: !Q(X) ^2\n"
SOFT_DATA = "predicates:\n  P/1: closed\n  Q/1: open\nobservations:\n  P: p.txt\n"


def test_engines_of_true_and_false_refuse_soft_logic(run: Run, files: Path) -> None:
    (files / "soft.psl").write_text(SOFT)
    (files / "soft.db").write_text("P(A) 0.7\n?Q(A)\n")
    given = ("infer", "soft.psl", "--data", "soft.db", "--json")
    answer = run(*given).json
    assert (answer["status"], answer["atoms"]) == ("optimal", 1)
    assert answer["energy"] == pytest.approx(0.245, abs=1e-4)
    for engine in ("exact", "maxwalksat", "ilp"):
        assert run(*given, "--engine", engine).code == 2


def test_soft_logic_without_targets_is_not_answered_quietly(run: Run, files: Path) -> None:
    (files / "soft.psl").write_text(SOFT)
    (files / "p.txt").write_text("A\n")
    (files / "soft.data").write_text(SOFT_DATA)
    missing = run("infer", "soft.psl", "--data", "soft.data")
    assert (missing.code, "E0330" in missing.err) == (1, True)
    (files / "soft.psl").write_text("1: P(X) -> Other(X)\n")
    misspelt = run("infer", "soft.psl", "--data", "soft.data")
    assert (misspelt.code, "error[E0309]: Other has no data" in misspelt.err) == (1, True)
    assert run("infer", "soft.psl", "--data", "soft.data", "--closed", "Other").code == 0


def test_a_chain_of_equivalences_is_refused_at_once(run: Run, files: Path) -> None:
    (files / "rules.mln").write_text(f"P(t)\n1 {' <=> '.join(['P(A)'] * 60)}\n")
    outcome = run("infer", "rules.mln", "--query", "P")
    assert (outcome.code, "E0115" in outcome.err) == (1, True)


def test_a_load_that_fails_leaves_no_new_workspace(run: Run, files: Path) -> None:
    (files / "torn.csv").write_text('a,b\n1,2\n"x,\n')
    for source in ("missing.csv", "torn.csv"):
        assert run("load", "new.duckdb", source).code == 1
        assert not (files / "new.duckdb").exists()
    assert run("load", "kept.duckdb", "facts.db", "--rules", "rules.mln").code == 0
    assert run("load", "kept.duckdb", "missing.csv").code == 1
    assert (files / "kept.duckdb").exists()


def test_a_refused_file_leaves_the_workspace_as_it_was(run: Run, tmp_path: Path) -> None:
    """The rules' names of types, too, which declare the facts that were to be loaded."""
    workspace, data, rules = (tmp_path / name for name in ("w.duckdb", "facts.db", "rules.mln"))
    with open_workspace(workspace) as held:
        held.declare("Friends(human, human)\n1 Friends(x, y) => Friends(y, x)\n")
    rules.write_text("Friends(person, person)\nSmokes(person)\n1 Smokes(x)\n")
    data.write_text("Friends(Ada, Bo)\n!Friends(Ada, Bo)\n")
    assert run(f"infer {rules} --data {data} --query Smokes -w {workspace}").code == 1
    with open_workspace(workspace) as held:
        found = held.database.predicates()
    assert {name: one.argument_types for name, one in found.items()} == {
        "Friends": ("human", "human")
    }
