"""Atoms that are numbers: against a naive reading of the rules,
and against the density by quadrature.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import workbench
from workbench.errors import InputError, UsageError
from workbench.inference.linear_gaussian import LinearGaussian
from workbench.language import format_program, parse_mln
from workbench.language.number_scale import NumberScale
from workbench.network import energy

PROGRAM = """
Area(house, number)
Old(house)
Near(house, house)
Price(house) = number
2.5 * (a - 3): Area(x, a) => Price(x)
-4 Area(x, a) ^ a >= 15 => Price(x)
1.25 Near(x, y) ^ !Old(y) => Price(x)
0.5 !Price(x) v !Old(x)
7 Price(x)
"""


def facts(path: Path, seed: int) -> tuple[Path, dict[str, float], set[str], set[tuple[str, str]]]:
    rng = np.random.default_rng(seed)
    houses = [f"H{i}" for i in range(6)]
    area = {house: float(np.round(rng.normal(14, 5), 2)) for house in houses[:5]}
    old = {house for house in houses if rng.random() < 0.4} or {"H0"}
    near = {(a, b) for a in houses for b in houses if rng.random() < 0.3} | {("H5", "H0")}
    lines = [f"Area({house}, {value})" for house, value in area.items()]
    lines += [f"Old({house})" for house in sorted(old)] + [
        f"Near({a}, {b})" for a, b in sorted(near)
    ]
    file = path / "facts.db"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file, area, old, near


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("task", ["map", "marginal"])
def test_the_mean_is_the_sum_of_what_the_rules_add(tmp_path: Path, seed: int, task: str) -> None:
    file, area, old, near = facts(tmp_path, seed)
    with workbench.open() as ws:
        ws.declare(PROGRAM)
        ws.load(file)
        result = ws.infer(PROGRAM, query="Price", task=task)  # type: ignore[arg-type]
        found = result.predictions().set_index("atom")["value"]
        for house in [f"H{i}" for i in range(6)]:
            value = 7.0 - 0.5 * (house in old)
            if house in area:
                value += 2.5 * (area[house] - 3) - 4 * (area[house] >= 15)
            value += 1.25 * sum(1 for a, b in near if a == house and b not in old)
            assert found[f"Price({house})"] == pytest.approx(value, abs=1e-9)
        said = result.explain("Price(H0)")
        assert sum(one.contribution for one in said.contributions) == pytest.approx(
            found["Price(H0)"]
        )
        assert "log-odds" not in said.sentence()


def test_the_mean_is_that_of_the_density(tmp_path: Path) -> None:
    """exp(-energy(y) - y^2 / 2), integrated atom by atom."""
    file, *_ = facts(tmp_path, 7)
    with workbench.open() as ws:
        ws.declare(PROGRAM)
        ws.load(file)
        result = ws.infer(PROGRAM, query="Price")
    network, means = result.grounding.network, result.solution.values
    for atom in range(3):
        grid = np.linspace(means[atom] - 12, means[atom] + 12, 4001)
        states = np.tile(means, (grid.size, 1))
        states[:, atom] = grid
        log = np.array(
            [-energy(network, result.weights, state) - state[atom] ** 2 / 2 for state in states]
        )
        density = np.exp(log - log.max())
        assert float(grid @ density / density.sum()) == pytest.approx(means[atom], abs=1e-6)
        assert grid[np.argmax(density)] == pytest.approx(means[atom], abs=0.01)


def test_what_numbers_cannot_be_is_said(tmp_path: Path) -> None:
    file, *_ = facts(tmp_path, 0)
    joined = PROGRAM + "1 Near(x, y) ^ Price(x) => Price(y)\n"
    mixed = PROGRAM.replace("Old(house)", "Old(house)\nNew(house)") + "1 Old(x) => New(x)\n"
    with workbench.open() as ws:
        ws.declare(PROGRAM)
        ws.load(file)
        with pytest.raises(UsageError, match="E0639"):
            ws.infer(joined, query="Price")
        with pytest.raises(UsageError, match="E0639"):
            ws.infer(PROGRAM + "Old(x) => Price(x).\n", query="Price")
        with pytest.raises(UsageError, match="E0638"):
            ws.infer(mixed, query=["Price", "New"])
        with pytest.raises(UsageError, match="E0804"):
            ws.infer(PROGRAM, query="Price", engine="gibbs")
        with pytest.raises(UsageError, match="E0640"):
            ws.learn(PROGRAM, query="Price")
    with pytest.raises(InputError, match="E0641"):
        parse_mln("Price(house) = colour\n1 Price(x)\n")
    assert LinearGaussian().task == "marginal"


def test_a_declaration_of_a_number_prints_as_it_reads() -> None:
    program = parse_mln(PROGRAM)
    assert program.numeric == {"Price"}
    assert "Price(house) = number\n" in format_program(program)
    assert parse_mln(format_program(program)).predicates == program.predicates
    function = parse_mln(
        "person Mother(person)\nOld(person)\nMother(x) = y => Old(y)\nMother(x) = y.\n"
    )
    assert not function.numeric


def test_of_a_positive_number_rules_add_up_to_the_logarithm(tmp_path: Path) -> None:
    file, *_ = facts(tmp_path, 7)
    positive = PROGRAM.replace("= number", "= positive_number")
    program = parse_mln(positive)
    assert program.logarithms == {"Price": NumberScale.POSITIVE}
    assert program.numeric == {"Price"}
    assert parse_mln(format_program(program)).predicates == program.predicates
    with workbench.open() as ws:
        ws.declare(PROGRAM)
        ws.load(file)
        sums = ws.infer(PROGRAM, query="Price").solution.values
    with workbench.open() as ws:
        ws.declare(positive)
        ws.load(file)
        result = ws.infer(positive, query="Price")
        assert result.solution.values == pytest.approx(np.exp(sums), rel=1e-12)
        said = result.explain("Price(H0)")
        assert f"its logarithm, {np.log(said.value):.6g}, is the sum" in said.sentence()


@pytest.mark.parametrize("begins", [2.0, -2.0])
def test_of_a_nonnegative_number_rules_add_up_to_the_logarithm_of_it_and_one(begins: float) -> None:
    """And no number is below 0."""
    program = (
        f"*Open(shop)\nVisits(shop) = nonnegative_number\n{begins} Visits(x)\n"
        "0.5 Open(x) => Visits(x)\n"
    )
    assert parse_mln(program).logarithms == {"Visits": NumberScale.NONNEGATIVE}
    assert parse_mln(format_program(parse_mln(program))) == parse_mln(program)
    with workbench.open() as ws:
        ws.declare(program)
        ws.data.add("Open(A)", "!Open(B)")
        result = ws.infer(program, query="Visits")
        said = dict(zip(result.predictions()["atom"], result.predictions()["value"]))
        for atom, total in (("Visits(A)", begins + 0.5), ("Visits(B)", begins)):
            assert said[atom] == pytest.approx(max(np.expm1(total), 0.0), rel=1e-12)
            told = result.explain(atom).sentence()
            assert f"the logarithm of the number plus 1, {total:.6g}, is the sum" in told
