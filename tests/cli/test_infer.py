"""`workbench infer` from files: marginals as by enumeration, forms, exit codes."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SMOKING = """
Friends(person, person)
Smokes(person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) => (Smokes(x) <=> Smokes(y))
0.4 !Smokes(x)
"""
PEOPLE = """
Friends(Ada, Bo)
Friends(Bo, Ada)
Friends(Bo, Cy)
Friends(Cy, Bo)
Friends(Dee, Cy)
Friends(Cy, Dee)
Smokes(Ada)
!Smokes(Dee)
Friends(Eve, Flo)
Friends(Flo, Eve)
"""


def predictions(path: Path) -> dict[str, float]:
    with open(path, newline="") as stream:
        return {row["atom"]: float(row["value"]) for row in csv.DictReader(stream)}


@pytest.mark.parametrize(
    ("formula", "first", "second"),
    [("H(a) v S(b).", 2 / 3, 2 / 3), ("H(a) => S(b).", 1 / 3, 2 / 3), ("H(a) ^ S(b).", 1.0, 1.0)],
)
def test_hard_formulas_leave_the_worlds_that_satisfy_them(
    run: Run, tmp_path: Path, formula: str, first: float, second: float
) -> None:
    rules = tmp_path / "three.mln"
    rules.write_text(f"t = {{A}}\nu = {{B}}\nH(t)\nS(u)\n{formula}\n")
    out = tmp_path / "predictions.csv"
    outcome = run(f"infer {rules} -q H --query S --engine exact --out {out} --json")
    assert outcome.code == 0, outcome.err
    found = predictions(out)
    assert found["H(A)"] == pytest.approx(first)
    assert found["S(B)"] == pytest.approx(second)


def enumerate_smokers() -> dict[str, float]:
    """Marginals of SMOKING over PEOPLE by summing over all worlds of the people."""
    people = ["Ada", "Bo", "Cy", "Dee", "Eve", "Flo"]
    friends = [("Ada", "Bo"), ("Bo", "Cy"), ("Dee", "Cy"), ("Eve", "Flo")]
    friends += [(b, a) for a, b in friends]
    totals = {f"{name}({person})": 0.0 for name in ("Smokes", "Cancer") for person in people}
    z = 0.0
    for bits in range(1 << 12):
        smokes = {person: bits >> i & 1 for i, person in enumerate(people)}
        cancer = {person: bits >> (i + 6) & 1 for i, person in enumerate(people)}
        if not smokes["Ada"] or smokes["Dee"]:
            continue
        satisfied = 1.5 * sum(not smokes[p] or cancer[p] for p in people) + 0.4 * sum(
            not smokes[p] for p in people
        )
        for a, b in friends:
            satisfied += 0.55 * ((not smokes[a] or smokes[b]) + (not smokes[b] or smokes[a]))
        weight = math.exp(satisfied)
        z += weight
        for p in people:
            totals[f"Smokes({p})"] += weight * smokes[p]
            totals[f"Cancer({p})"] += weight * cancer[p]
    return {atom: total / z for atom, total in totals.items()}


def test_smokers_marginals_equal_enumeration(run: Run, tmp_path: Path) -> None:
    rules, data, out = tmp_path / "s.mln", tmp_path / "s.db", tmp_path / "p.csv"
    rules.write_text(SMOKING)
    data.write_text(PEOPLE)
    outcome = run(
        f"infer {rules} --data {data} --query Smokes,Cancer --engine exact --out {out} --json"
    )
    assert outcome.code == 0, outcome.err
    record = outcome.json
    keys = (
        "status task engine energy evidence_energy bound gap hard_violation atoms ground_rows "
        "seconds"
    )
    assert set(keys.split()) <= set(record)
    expected = enumerate_smokers()
    found = predictions(out)
    assert len(found) == 10 + 2 - 2 or len(found) == 12
    for atom, value in found.items():
        assert value == pytest.approx(expected[atom], abs=1e-9), atom


def test_map_values_are_zero_or_one_with_a_certificate(run: Run, tmp_path: Path) -> None:
    rules, data, out = tmp_path / "s.mln", tmp_path / "s.db", tmp_path / "p.csv"
    rules.write_text(SMOKING)
    data.write_text(PEOPLE)
    outcome = run(
        f"infer {rules} --data {data} --query Smokes,Cancer --task map --out {out} --json"
    )
    assert outcome.code == 0, outcome.err
    assert outcome.json["status"] == "optimal"
    assert outcome.json["gap"] == pytest.approx(0.0, abs=1e-9)
    assert set(predictions(out).values()) <= {0.0, 1.0}


def test_contradicting_hard_rules_exit_5_and_are_named(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "c.mln"
    rules.write_text("t = {A}\nH(t)\nH(x).\n!H(x).\n")
    outcome = run("infer", rules, "--query", "H")
    assert outcome.code == 5
    assert "H(A)" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--query", "Smoke"), 2),
        (("--query", "Smokes", "--closed", "Smokes"), 2),
        (("--query", "Smokes", "--engine", "alchemy"), 2),
        (("--query", "Smokes", "--task", "guess"), 2),
    ],
)
def test_wrong_calls_exit_2_and_say_so(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    rules = tmp_path / "s.mln"
    rules.write_text(SMOKING)
    data = tmp_path / "s.db"
    data.write_text(PEOPLE)
    outcome = run("infer", rules, "--data", data, *arguments)
    assert outcome.code == code
    assert "Traceback" not in outcome.err
    assert outcome.err.startswith("error[")


def test_a_missing_file_is_the_users_fault(run: Run, tmp_path: Path) -> None:
    outcome = run("infer", tmp_path / "nothing.mln")
    assert outcome.code == 1
    assert "nothing.mln" in outcome.err


def test_satisfied_evidence_of_a_negative_template_is_in_the_evidence_energy(
    run: Run, tmp_path: Path
) -> None:
    rules, data = tmp_path / "n.mln", tmp_path / "n.db"
    rules.write_text("t = {A, B, C}\nE(t)\nP(t)\n-2 !E(+x) v P(x)\n-1.5 E(+x) ^ P(x)\n")
    data.write_text("E(A)\n")
    outcome = run(f"infer {rules} --data {data} --query P --closed E --task map --json")
    assert outcome.code == 0, outcome.err
    # B and C lack E: their clauses of weight -2 hold, and no conjunction does.
    assert outcome.json["evidence_energy"] == pytest.approx(4.0)
    assert outcome.json["energy"] == pytest.approx(0.0)
    told = run("infer", rules, "--data", data, "--query", "P", "--closed", "E", "--task", "map")
    assert "evidence energy 4" in told.out


def test_predictions_of_several_worlds_name_the_world(run: Run, tmp_path: Path) -> None:
    rules, out, truth = tmp_path / "w.mln", tmp_path / "p.csv", tmp_path / "truth.db"
    rules.write_text("E(t)\nP(t)\n2 E(x) => P(x)\n-1 P(x)\n")
    for name, facts in (("one", "E(A)\n!E(B)\n"), ("two", "E(B)\n!E(A)\n")):
        (tmp_path / f"{name}.db").write_text(facts)
    worlds = ("--world", tmp_path / "one.db", "--world", tmp_path / "two.db")
    assert run("infer", rules, *worlds, "--query", "P", "--out", out).code == 0
    with open(out, newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["atom", "predicate", "value", "world"]
    value = {(row["atom"], row["world"]): float(row["value"]) for row in rows}
    likely, unlikely = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    assert value["P(A)", "one"] == pytest.approx(likely)
    assert value["P(B)", "two"] == pytest.approx(likely)
    assert value["P(A)", "two"] == pytest.approx(unlikely)
    truth.write_text("P(A)\n")
    scored = run("evaluate", "--predictions", out, "--truth", truth)
    assert (scored.code, "E0707" in scored.err) == (2, True)
    scored = run(
        "evaluate", "--predictions", out, "--truth", f"one={truth}", "--truth", f"two={truth}"
    )
    assert "4 of 4 predictions are scored" in scored.out


def test_databases_of_one_file_name_stay_apart(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rules.mln").write_text(
        "Friends(p, p)\nSmokes(p)\n1 Smokes(x) ^ Friends(x, y) => Smokes(y)\n"
    )
    for folder, facts in (("one", "Friends(A, B)\n"), ("two", "Friends(C, B)\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "train.db").write_text(facts)
    worlds = ("--world", tmp_path / "one" / "train.db", "--world", tmp_path / "two" / "train.db")
    assert (
        run("infer", tmp_path / "rules.mln", *worlds, "--query", "Smokes", "--json").json["atoms"]
        == 4
    )


PIGEONS = "p = {A, B, C, D}\nh = {X, Y, Z}\nIn(p, h!)\nIn(x, u) ^ x != y => !In(y, u).\n"


@pytest.mark.parametrize("engine", ["mcsat", "gibbs", "ilp"])
def test_a_conflict_that_propagation_does_not_see_is_named(
    run: Run, tmp_path: Path, engine: str
) -> None:
    rules = tmp_path / "pigeons.mln"
    rules.write_text(PIGEONS)
    task = "map" if engine == "ilp" else "marginal"
    outcome = run("infer", rules, "--query", "In", "--engine", engine, "--task", task, "--json")
    assert outcome.code == 5
    assert "In(A, X)" in outcome.err
    assert re.search(r"!In\([A-D], X\) v !In\([A-D], X\)", outcome.err)


@pytest.mark.parametrize("engine", ["lp", "maxwalksat", "admm"])
def test_a_state_that_breaks_hard_rules_is_never_called_feasible(
    run: Run, tmp_path: Path, engine: str
) -> None:
    rules = tmp_path / "pigeons.mln"
    rules.write_text(PIGEONS)
    outcome = run("infer", rules, "--query", "In", "--engine", engine, "--task", "map", "--json")
    assert outcome.json["status"] in ("limit", "infeasible")
    assert outcome.code in (4, 5)
