"""Random PSL programs from files to predictions: every engine against nested loops."""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Outcome, Run
from tests.grounding.random_psl import ARITY, CONSTANTS, random_rule
from tests.oracles.nested_loop_psl import Key, Listed, Row, UnlistedError, linear_rows, logical_rows
from workbench.errors import WorkbenchError
from workbench.language import clausal_form, parse_psl
from workbench.language.clauses import Clause, LinearRule
from workbench.language.program import Program

ENGINES = ("auto", "admm", "pdhg", "bcd", "lp", "ecos", "clarabel")
OPEN = ("Open", "Link")
Ground = tuple[Clause | LinearRule, Row]


def random_program(draw: random.Random) -> str:
    """Two to four rules and perhaps priors; rules that the language refuses are drawn anew."""
    rules: list[str] = []
    while len(rules) < draw.choice([2, 3, 4]):
        rule = random_rule(draw)
        try:
            parse_psl("\n".join([*rules, rule]))
        except WorkbenchError:
            continue
        rules.append(rule)
    priors = [
        "0.3: !Open(A) ^2",
        "0.2: !Link(A, B)",
        "0.4: Open(A) = 0.75",
        "0.1: Link(A, B) >= 0.6 ^2",
    ]
    return "\n".join([*rules, *draw.sample(priors, draw.choice([0, 1, 2]))]) + "\n"


def random_values(draw: random.Random) -> dict[Key, float | None]:
    """Listed atoms: a truth value where observed, None where to be predicted."""
    found: dict[Key, float | None] = {}
    for predicate, arity in ARITY.items():
        for arguments in product(CONSTANTS, repeat=arity):
            observed = draw.random() < (0.25 if predicate in OPEN else 0.6)
            if observed or predicate in OPEN:
                found[(predicate, *arguments)] = (
                    draw.choice([0.0, 0.25, 1.0, 1.0]) if observed else None
                )
    return found


def write(folder: Path, rules: str, values: Mapping[Key, float | None]) -> None:
    sections: dict[str, list[str]] = {"observations": [], "targets": []}
    for name in ARITY:
        for section in sections:
            lines = [
                "\t".join([*key[1:], *([] if value is None else [repr(value)])])
                for key, value in values.items()
                if key[0] == name and (value is None) == (section == "targets")
            ]
            if lines:
                (folder / f"{name}_{section}.tsv").write_text("\n".join(lines) + "\n")
                sections[section].append(f"  {name}: {name}_{section}.tsv")
    declared = [
        f"  {name}/{arity}: {'open' if name in OPEN else 'closed'}" for name, arity in ARITY.items()
    ]
    text = ["predicates:", *declared]
    for section, files in sections.items():
        text += [f"{section}:", *files] if files else []
    (folder / "model.data").write_text("\n".join(text) + "\n")
    (folder / "model.psl").write_text(rules)


def ground_rows(program: Program, values: Mapping[Key, float | None]) -> list[Ground]:
    listed = Listed(values, set(OPEN), CONSTANTS)
    found: list[Ground] = []
    for clause in clausal_form(program):
        rows = (
            logical_rows(clause, listed)
            if isinstance(clause, Clause)
            else linear_rows(clause, listed)
        )
        found += [(clause, row) for row in rows]
    return found


def is_open(ground: Ground) -> bool:
    return any(ground[1].coefficients.values())


def is_equality(clause: Clause | LinearRule) -> bool:
    return isinstance(clause, LinearRule) and clause.relation == "="


def violation(ground: Ground, state: Mapping[Key, float]) -> float:
    clause, row = ground
    ell = row.b + sum(c * state[key] for key, c in row.coefficients.items() if c)
    return abs(ell) if is_equality(clause) else max(0.0, ell)


def cost(grounds: Sequence[Ground], state: Mapping[Key, float]) -> float:
    return sum(
        (g[0].weight or 0.0) * violation(g, state) ** g[0].power for g in grounds if not g[0].hard
    )


def optimum(grounds: Sequence[Ground], atoms: Sequence[Key]) -> float:
    """The least cost over truth values, infinite where hard rows admit none."""
    import cvxpy as cp

    y = cp.Variable(max(1, len(atoms)))
    place = {key: number for number, key in enumerate(atoms)}
    constraints, total = [y >= 0, y <= 1], cp.Constant(0.0)
    for clause, row in grounds:
        ell = row.b + sum(c * y[place[key]] for key, c in row.coefficients.items() if c)
        if clause.hard:
            constraints.append(ell == 0 if is_equality(clause) else ell <= 0)
        else:
            hinge = cp.pos(ell)
            total += (clause.weight or 0.0) * (hinge if clause.power == 1 else cp.square(hinge))
    problem = cp.Problem(cp.Minimize(total), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float("inf") if "infeasible" in problem.status else float(problem.value)


def predicted(path: Path) -> dict[Key, float]:
    with path.open() as lines:
        return {
            tuple(row["atom"].replace(")", "").replace(", ", "(").split("(")): float(row["value"])
            for row in csv.DictReader(lines)
        }


def judge(outcome: Outcome, engine: str, grounds: Sequence[Ground], best: float, out: Path) -> None:
    """One engine's answer against the reference."""
    squared = any(clause.power == 2 and is_open((clause, row)) for clause, row in grounds)
    if outcome.code == 2:
        assert squared if engine == "lp" else engine == "bcd", outcome.err
        return
    if np.isinf(best):
        assert outcome.code == 5, outcome.err
        return
    assert outcome.code == 0, outcome.err
    record = outcome.json
    state = predicted(out)
    open_rows, decided = [g for g in grounds if is_open(g)], [g for g in grounds if not is_open(g)]
    assert record["energy"] == pytest.approx(cost(open_rows, state), rel=1e-6, abs=1e-7)
    assert record["evidence_energy"] == pytest.approx(cost(decided, {}), abs=1e-9)
    slip = max([violation(g, state) for g in open_rows if g[0].hard], default=0.0)
    assert slip <= 1e-6
    assert record["hard_violation"] == pytest.approx(slip, abs=1e-9)
    assert record["bound"] <= best + 1e-5 * max(1.0, best)
    assert record["energy"] >= best - 1e-5 * max(1.0, best)
    if record["status"] == "optimal":
        assert record["energy"] <= best + 2e-4 * max(best, 0.05)


def try_program(run: Run, folder: Path, seed: int, engines: Sequence[str] = ENGINES) -> str:
    """What became of the program of a seed."""
    draw = random.Random(seed)
    rules, values = random_program(draw), random_values(draw)
    write(folder, rules, values)
    arguments = (
        "infer",
        folder / "model.psl",
        "--data",
        folder / "model.data",
        "--json",
        "-o",
        folder / "out.csv",
    )
    try:
        grounds = ground_rows(parse_psl(rules), values)
    except UnlistedError:
        outcome = run(*arguments)
        assert (outcome.code, "E0330" in outcome.err) == (1, True), rules
        return "unlisted"
    broken = [g for g in grounds if g[0].hard and not is_open(g) and violation(g, {}) > 1e-9]
    if broken:
        outcome = run(*arguments)
        assert (outcome.code, "E0320" in outcome.err) == (5, True), rules
        return "violated by evidence"
    named = {name.casefold() for name in parse_psl(rules).predicates}
    atoms = [key for key, value in values.items() if value is None and key[0].casefold() in named]
    best = optimum([g for g in grounds if is_open(g)], atoms)
    for engine in engines:
        try:
            judge(run(*arguments, "--engine", engine), engine, grounds, best, folder / "out.csv")
        except AssertionError as error:
            raise AssertionError(
                f"seed {seed}, {engine}, optimum {best}:\n{rules}\n{error}"
            ) from error
    return "infeasible" if np.isinf(best) else "solved"


@pytest.mark.parametrize("seed", range(6))
def test_every_engine_agrees_with_the_reference(run: Run, tmp_path: Path, seed: int) -> None:
    try_program(run, tmp_path, seed)
