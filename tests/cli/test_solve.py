"""Models of other tools' files, against enumeration of the file's own factors and clauses."""

from __future__ import annotations

import csv
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.kits.datasets import dataset
from tests.oracles.bucket_elimination import log10_partition
from workbench.arrays import Int64
from workbench.errors import WorkbenchError
from workbench.inference.registry import ENGINES, tasks_of
from workbench.interchange import FactorModel, parse_evidence, parse_uai, parse_wcnf
from workbench.verbs.solve import convert_model, read_model, solve_model


def random_model(seed: int) -> tuple[str, str]:
    """A small model, of 1 to 4 states a variable and with zeros, and evidence on one."""
    rng = np.random.default_rng(seed)
    states = rng.choice([1, 2, 2, 3, 4], 5)
    scopes = [rng.permutation(5)[: rng.integers(0, 4)] for _ in range(6)]
    lines = ["MARKOV", "5", " ".join(map(str, states)), "6"]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope in scopes]
    for scope in scopes:
        size = int(np.prod(states[scope]))
        values = rng.choice([0.0, 1.0, 2.0, 3.3], size) if seed % 2 else rng.random(size)
        lines.append(f"{size} {' '.join(map(repr, map(float, values)))}")
    seen = int(rng.integers(5))
    return "\n".join(lines), f"1 {seen} {rng.integers(states[seen])}"


def enumerated(model: FactorModel, known: Int64) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Every state that agrees with the evidence, and its product."""
    ranges = [
        range(size) if at < 0 else [at]
        for size, at in zip(model.states.tolist(), known.tolist(), strict=True)
    ]
    chosen = list(itertools.product(*ranges))
    with np.errstate(invalid="ignore"):
        return chosen, np.exp([model.log_value(np.array(one)) for one in chosen])


@pytest.mark.parametrize("seed", range(12))
def test_models_are_answered_as_by_enumeration(run: Run, tmp_path: Path, seed: int) -> None:
    text, evidence = random_model(seed)
    (tmp_path / "m.uai").write_text(text)
    (tmp_path / "m.evid").write_text(evidence)
    model = parse_uai(text)
    chosen, product = enumerated(model, parse_evidence(evidence, model.states))
    asked = ("solve", tmp_path / "m.uai", "--evid", tmp_path / "m.evid", "--json", "--task")
    best = run(*asked, "map", "--out", tmp_path / "map.csv")
    if product.max() == 0:
        assert best.code == 5
        assert json.loads(best.out)["status"] == "infeasible"
        return
    found = json.loads(best.out)
    assert found["status"] == "optimal"
    assert found["map_log10"] == pytest.approx(math.log10(product.max()))
    assert found["bound"] == pytest.approx(found["map_log10"])
    rows = list(csv.DictReader((tmp_path / "map.csv").open()))
    state = tuple(int(row["state"]) for row in rows)
    assert product[chosen.index(state)] == pytest.approx(product.max())

    sums = json.loads(run(*asked, "pr").out)
    assert sums["log10_z"] == pytest.approx(math.log10(product.sum()))
    run(*asked, "marginal", "--out", tmp_path / "marginal.csv")
    for row in csv.DictReader((tmp_path / "marginal.csv").open()):
        agree = [one[int(row["variable"])] == int(row["state"]) for one in chosen]
        assert float(row["value"]) == pytest.approx(product[agree].sum() / product.sum(), abs=1e-9)


def frustrated_model(seed: int) -> str:
    """Five variables, every pair of which agrees or differs: relaxations are loose here."""
    rng = np.random.default_rng(seed)
    lines = ["MARKOV", "5", "2 2 2 2 2", "10"]
    lines += [f"2 {one} {other}" for one, other in itertools.combinations(range(5), 2)]
    return "\n".join(
        [*lines, *(f"4 1 {value} {value} 1" for value in np.exp(rng.normal(0, 1, 10)))]
    )


@pytest.mark.parametrize("engine", sorted(name for name in ENGINES if "map" in tasks_of(name)))
def test_no_engine_calls_a_worse_state_the_likeliest(tmp_path: Path, engine: str) -> None:
    answered = 0
    for seed in range(4):
        (tmp_path / "m.uai").write_text(frustrated_model(seed))
        model = read_model(tmp_path / "m.uai")
        assert isinstance(model, FactorModel)
        best = math.log10(enumerated(model, np.full(5, -1))[1].max())
        found = solve_model(tmp_path / "m.uai", engine=engine, time_limit=20)
        assert found.map_log10 is not None
        assert found.chosen is not None
        assert found.map_log10 == pytest.approx(model.log_value(found.chosen) / math.log(10.0))
        assert found.map_log10 <= best + 1e-9
        assert found.bound is None or found.bound >= best - 1e-6
        if found.status == "optimal":
            answered += 1
            assert found.map_log10 == pytest.approx(best)
    assert answered == 4 or engine not in ("auto", "exact", "ilp", "cpi")


def test_an_engine_without_the_partition_function_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.uai").write_text(frustrated_model(0))
    for engine in ("bp", "gibbs", "ilp"):
        answer = run("solve", tmp_path / "m.uai", "--task", "pr", "--engine", engine)
        assert answer.code == 2
        assert "E0413" in answer.err


def test_no_sample_in_time_is_no_probability(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.uai").write_text(frustrated_model(0))
    asked = f"solve {tmp_path / 'm.uai'} --task marginal --engine gibbs --time-limit 1e-9"
    answer = run(f"{asked} --out {tmp_path / 'out.csv'} --json")
    assert answer.code == 4
    assert (tmp_path / "out.csv").read_text().split() == ["variable,state,value"]


@pytest.mark.parametrize("ending", [".uai", ".wcnf"])
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_a_converted_model_has_the_same_likeliest_state(
    tmp_path: Path, seed: int, ending: str
) -> None:
    text, _ = random_model(seed)
    (tmp_path / "m.uai").write_text(text)
    note = convert_model(tmp_path / "m.uai", tmp_path / f"other{ending}")
    there, here = solve_model(tmp_path / f"other{ending}"), solve_model(tmp_path / "m.uai")
    assert here.map_log10 is not None
    if ending == ".uai":
        assert there.map_log10 == pytest.approx(here.map_log10)
        return
    assert there.cost is not None
    constant = float(note.split()[2])
    assert constant - there.cost / math.log(10.0) == pytest.approx(here.map_log10)


CLAUSES = "c a comment\nh 1 2 0\n4 -1 0\n3.5 -2 3 0\n2 -3 0\n1 3 -3 0\n1.5 2 2 0\n0.25 0\n"


def test_weighted_clauses_cost_what_they_violate(run: Run, tmp_path: Path) -> None:
    (tmp_path / "c.wcnf").write_text(CLAUSES)
    clauses = parse_wcnf(CLAUSES)
    least = min(clauses.cost(np.array(one)) for one in itertools.product((0, 1), repeat=3))
    found = json.loads(run("solve", tmp_path / "c.wcnf", "--json").out)
    assert found["status"] == "optimal"
    assert found["cost"] == pytest.approx(least) == pytest.approx(found["bound"])

    old = "p wcnf 3 2 10\n10 1 2 0\n4 -1 0\n"
    (tmp_path / "old.wcnf").write_text(old)
    assert solve_model(tmp_path / "old.wcnf").cost == 0.0
    (tmp_path / "none.wcnf").write_text("h 1 0\nh -1 0\n")
    assert run("solve", tmp_path / "none.wcnf").code == 5


def test_a_weight_just_below_the_top_is_soft() -> None:
    clauses = parse_wcnf(f"p wcnf 1 2 {2**64}\n{2**64} 1 0\n{2**64 - 1} -1 0\n")
    np.testing.assert_array_equal(clauses.weight, [np.inf, 2.0**64])


@pytest.mark.parametrize("text", ["3 0\n2 1 0\n", "h 0\n2 1 0\n"])
def test_a_clause_without_literals_is_a_factor_of_no_variable(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.wcnf").write_text(text)
    convert_model(tmp_path / "m.wcnf", tmp_path / "m.uai")
    said, cost = solve_model(tmp_path / "m.uai"), solve_model(tmp_path / "m.wcnf").cost
    assert (said.map_log10 is None) == (cost is None)
    if cost is not None and said.map_log10 is not None:
        assert said.map_log10 * math.log(10.0) == pytest.approx(-cost)


def test_an_integer_program_of_a_model_has_its_optimum(tmp_path: Path) -> None:
    import highspy

    (tmp_path / "c.wcnf").write_text(CLAUSES)
    for ending in (".lp", ".mps"):
        convert_model(tmp_path / "c.wcnf", tmp_path / f"c{ending}")
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.readModel(str(tmp_path / f"c{ending}"))
        solver.run()
        assert solver.getInfo().objective_function_value == pytest.approx(
            solve_model(tmp_path / "c.wcnf").cost
        )


def test_a_model_too_wide_has_no_partition_function(run: Run, tmp_path: Path) -> None:
    n = 26
    pairs = list(itertools.combinations(range(n), 2))
    lines = ["MARKOV", str(n), " ".join(["2"] * n), str(len(pairs))]
    lines += [f"2 {one} {other}" for one, other in pairs] + ["4 1 2 2 1.5"] * len(pairs)
    (tmp_path / "wide.uai").write_text("\n".join(lines))
    answer = run("solve", tmp_path / "wide.uai", "--task", "pr", "--json")
    assert answer.code == 4
    assert json.loads(answer.out)["log10_z"] is None
    assert "width" in json.loads(answer.out)["reason"]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("m.uai", "", "E0710"),
        ("m.uai", "MARKOV 2 2 2 1 2 0 1 4 1 1 1", "E0710"),
        ("m.uai", "MARKOV 2 2 2 1 2 0 0 4 1 1 1 1", "E0710"),
        ("m.uai", "MARKOV 2 2 2 1 2 0 7 4 1 1 1 1", "E0710"),
        ("m.uai", "MARKOV 1 2 1 1 0 2 1 -1", "E0710"),
        ("m.uai", "MARKOV 1 2 1 1 0 2 1 x", "E0710"),
        ("m.uai", "MARKOV 1 2 1 1 0 2 1 1 9", "E0710"),
        ("m.uai", "MARKOV 99999999999999 2", "E0710"),
        ("m.uai", "MARKOV 1 2000000000 0", "E0710"),
        ("m.uai", f"MARKOV 64 {'2 ' * 64} 1 64 {' '.join(map(str, range(64)))} 0", "E0710"),
        ("m.wcnf", "h 1 -999999999 0\n", "E0712"),
        ("m.wcnf", "p wcnf 2 9 5\n1 1 0\n", "E0712"),
        ("m.wcnf", "3 1 2\n", "E0712"),
        ("m.wcnf", "", "E0712"),
        ("m.wcnf", "p cnf 2 1\n1 2 0\n", "E0712"),
        ("m.wcnf", "-3 1 0\n", "E0712"),
        ("m.wcnf", "1e400 1 0\n", "E0712"),
        ("m.wcnf", "1e17 1 0\n1 -1 0\n", "E0712"),
        ("m.txt", "MARKOV", "E0713"),
    ],
)
def test_what_is_no_model_is_said(tmp_path: Path, name: str, text: str, code: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(WorkbenchError) as caught:
        read_model(tmp_path / name)
    assert caught.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("m.uai", "MARKOV\n1\n2\n1\n1 0\n2 1 -1\n", 6),
        ("m.uai", "MARKOV\r\n1\r\n2\r\n1\r\n1 0\r\n2\r\n0 nan\r\n", 7),
        ("m.uai", "MARKOV\n1\n2\n1\n1 0\n2 1_0 1", 6),
        ("m.uai", "MARKOV # a comment\n1\n2\n0", 1),
        ("m.uai", "MARKOV\n1\n2\n1\n1 0\n2 1 1\n\n9\n", 8),
        ("m.uai", "MARKOV\n2\n2 2\n2\n1 0\n1 5\n2 1 1\n2 1 1\n", 6),
        ("m.wcnf", "c\np wcnf 2 2 10\n3 1 0\n3 3 0\n", 4),
        ("m.wcnf", "c\np wcnf 2 3 10\n3 1 0\n3 2 0\n", 2),
        ("m.wcnf", "20 1 0\np wcnf 2 2 10\n3 2 0\n", 2),
        ("m.wcnf", "3 1 0\n1_0 2 0\n", 2),
    ],
)
def test_the_line_of_a_fault_is_named(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_bytes(text.encode())
    with pytest.raises(WorkbenchError, match=rf"\(line {line}\)"):
        read_model(tmp_path / name)


def test_probabilities_of_weights_that_sums_cannot_hold_are_refused(tmp_path: Path) -> None:
    heavy = "9007199254740992 1 -2 0\n1e9 -2 -3 -4 0\n1e12 5 -1 4 0\nh 1 -4 0\n"
    (tmp_path / "m.wcnf").write_text(heavy)
    assert solve_model(tmp_path / "m.wcnf").cost == 0.0
    for task in ("marginal", "pr"):
        with pytest.raises(WorkbenchError, match="E0712"):
            solve_model(tmp_path / "m.wcnf", task=task)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["2 0 1", "1 9 0", "1 0 5", "1 0 0.7", "1 0 nan", "2 0 1 0 0", "1 0 x", "3 1 0 1"]
)
def test_evidence_that_does_not_fit_is_said(text: str) -> None:
    with pytest.raises(WorkbenchError) as caught:
        parse_evidence(text, np.array([2, 2]))
    assert caught.value.diagnostics[0].code == "E0711"


def test_both_forms_of_evidence_are_read() -> None:
    states = np.array([2, 2, 2])
    assert parse_evidence("2 0 1 2 0", states).tolist() == [1, -1, 0]
    assert parse_evidence("1\n2 0 1 2 0\n", states).tolist() == [1, -1, 0]
    assert (
        parse_evidence("0", states).tolist() == parse_evidence("", states).tolist() == [-1, -1, -1]
    )


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [("m.uai", "MARKOV 1 2 1 1 0 2 1 1", "map_log10"), ("m.wcnf", "2 1 0\n", "cost")],
)
def test_a_byte_order_mark_is_no_word_and_nothing_is_minus_nothing(
    run: Run, tmp_path: Path, name: str, text: str, key: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8-sig")
    answer = json.loads(run("solve", tmp_path / name, "--json").out)
    figures = [answer[one] for one in (key, "bound", "gap")]
    assert figures == [0.0, 0.0, 0.0]
    assert all(math.copysign(1.0, figure) == 1.0 for figure in figures)


@pytest.mark.parametrize(
    ("task", "name", "text", "keys"),
    [
        ("map", "m.uai", "MARKOV 1 2 1 1 0 2 0 0", {"map_log10", "bound", "gap"}),
        ("map", "m.wcnf", "h 1 0\nh -1 0\n", {"cost", "bound", "gap"}),
        ("marginal", "m.uai", "MARKOV 1 2 1 1 0 2 0 0", {"log10_z"}),
    ],
)
def test_figures_without_a_value_are_null(
    run: Run, tmp_path: Path, task: str, name: str, text: str, keys: set[str]
) -> None:
    (tmp_path / name).write_text(text)
    answer = run("solve", tmp_path / name, "--task", task, "--json")
    assert answer.code == 5
    said = json.loads(answer.out)
    assert all(key in said and said[key] is None for key in keys)


@pytest.mark.parametrize("name", ["Alchemy_11", "relational_3"])
def test_a_competition_s_partition_function_is_that_of_plain_elimination(name: str) -> None:
    """And its reference is none of the model's: with nothing known the sum is largest, and less."""
    path = dataset("uai") / f"{name}.uai.gz"
    model, evidence = read_model(path), path.with_name(f"{name}.uai.evid")
    assert isinstance(model, FactorModel)
    seen = parse_evidence(evidence.read_text(), model.states)
    known = {variable: int(seen[variable]) for variable in np.flatnonzero(seen >= 0).tolist()}
    found = solve_model(path, evidence=evidence, task="pr").log10_z
    assert found == pytest.approx(log10_partition(model, known), abs=1e-6)
    reference = float(path.with_name(f"{name}.uai.PR").read_text().split()[1])
    assert log10_partition(model, {}) < reference - 100
