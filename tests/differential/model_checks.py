"""Models and weighted clauses of files: solved, converted, solved again, enumerated."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np

from tests.differential.outcome import Difference, Tally
from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.solution import Status
from workbench.verbs.solve import convert_model, solve_model
from workbench.verbs.solved_model import SolvedModel

ENGINES = ("auto", "exact", "ilp", "messages", "rc2", "toulbar2", "lp", "maxwalksat")
NEAR = 1e-6


@dataclass(frozen=True)
class ModelCase:
    """Factors over variables of some states; or, where `clauses`, literals with a weight, None
    where hard.

    `scopes` and `tables` are the factors; a clause is the factor of its variables, and `signs` say
    what makes it true.
    """

    seed: int
    states: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[tuple[float, ...], ...]
    evidence: tuple[tuple[int, int], ...] = ()
    clauses: tuple[tuple[float | None, tuple[int, ...]], ...] | None = None

    @property
    def name(self) -> str:
        return "m.uai" if self.clauses is None else "m.wcnf"

    def shown(self) -> str:
        evidence = " ".join(f"{variable} {state}" for variable, state in self.evidence)
        return (
            f"// seed {self.seed}, {self.name}, evidence {len(self.evidence)} "
            f"{evidence}\n{self.text}"
        )

    @property
    def top(self) -> int | None:
        """The weight from which clauses are hard, in files of before 2022."""
        soft = sum(weight or 0.0 for weight, _ in self.clauses or ())
        return None if self.seed % 3 else math.ceil(soft) + 1

    @property
    def text(self) -> str:
        if self.clauses is not None:
            top = self.top
            lines = [] if top is None else [f"p wcnf {len(self.states)} {len(self.clauses)} {top}"]
            hard = "h" if top is None else str(top)
            lines += [
                " ".join([hard if weight is None else repr(weight), *map(str, body), "0"])
                for weight, body in self.clauses
            ]
            return "\n".join(["c clauses", *lines]) + "\n"
        lines = [
            f"MARKOV\n{len(self.states)}\n{' '.join(map(str, self.states))}\n{len(self.scopes)}"
        ]
        lines += [" ".join(map(str, (len(scope), *scope))) for scope in self.scopes]
        lines += [f"{len(table)} {' '.join(map(repr, table))}" for table in self.tables]
        return "\n".join(lines) + "\n"

    def smaller(self) -> list[ModelCase]:
        found = []
        for i in range(len(self.scopes)):
            keep = [j for j in range(len(self.scopes)) if j != i]
            clauses = None if self.clauses is None else tuple(self.clauses[j] for j in keep)
            if keep:
                scopes, tables = (
                    tuple(self.scopes[j] for j in keep),
                    tuple(self.tables[j] for j in keep),
                )
                found.append(replace(self, scopes=scopes, tables=tables, clauses=clauses))
        return found

    @cached_property
    def logs(self) -> tuple[list[tuple[int, ...]], Float]:
        """Every state that agrees with the evidence, and the logarithm of its product."""
        known = dict(self.evidence)
        ranges = [[known[v]] if v in known else range(size) for v, size in enumerate(self.states)]
        states = list(product(*ranges))
        logs = np.zeros(len(states))
        for scope, table in zip(self.scopes, self.tables):
            values = np.array(table).reshape([self.states[v] for v in scope])
            with np.errstate(divide="ignore"):
                logs += np.log([values[tuple(state[v] for v in scope)] for state in states])
        return states, logs


def random_model_case(seed: int) -> ModelCase:
    """The case of a seed: factors, every other time weighted clauses."""
    draw = random.Random(f"model {seed}")
    n = draw.choice([2, 3, 4, 5, 6])
    if seed % 2:
        return _clauses(seed, draw, n)
    states = tuple(draw.choice([1, 2, 2, 2, 3, 4]) for _ in range(n))
    scopes = tuple(
        tuple(draw.sample(range(n), draw.choice([0, 1, 1, 2, 2, min(3, n)]))) for _ in range(n + 2)
    )
    values = draw.choice([[0.0, 1.0, 2.0, 3.3], [0.5, 1.0, 1.0, 4.0], [1e-9, 1.0, 1e6]])
    tables = tuple(
        tuple(
            draw.choice(values) if draw.random() < 0.7 else draw.random()
            for _ in range(_size(states, scope))
        )
        for scope in scopes
    )
    seen = draw.sample(range(n), draw.choice([0, 0, 1, 2]))
    return ModelCase(
        seed, states, scopes, tables, tuple((v, draw.randrange(states[v])) for v in seen)
    )


def _clauses(seed: int, draw: random.Random, n: int) -> ModelCase:
    clauses = []
    for _ in range(draw.choice([n, 2 * n])):
        body = tuple(
            draw.choice([1, -1]) * (v + 1)
            for v in draw.sample(range(n), draw.choice([1, 2, 2, min(3, n)]))
        )
        if draw.random() < 0.15:
            body = draw.choice([(), (*body, body[0]), (*body, -body[0])])
        clauses.append(
            (None if draw.random() < 0.2 else draw.choice([1.0, 2.0, 0.5, 3.25, 7.0, 0.0]), body)
        )
    if seed % 3:  # No header: a variable that no clause names is none of the file's.
        n = max((abs(literal) for _, body in clauses for literal in body), default=0)
    scopes = tuple(
        tuple(dict.fromkeys(abs(literal) - 1 for literal in body)) for _, body in clauses
    )
    return ModelCase(
        seed, (2,) * n, scopes, tuple(_table(*one) for one in clauses), (), tuple(clauses)
    )


def _table(weight: float | None, body: Sequence[int]) -> tuple[float, ...]:
    """`exp(-weight)` where every literal is false, else 1."""
    scope = list(dict.fromkeys(map(abs, body)))
    cost = 0.0 if weight is None else math.exp(-weight)
    return tuple(
        1.0 if any((state[scope.index(abs(one))] == 1) == (one > 0) for one in body) else cost
        for state in product((0, 1), repeat=len(scope))
    )


def _size(states: Sequence[int], scope: Sequence[int]) -> int:
    return math.prod(states[v] for v in scope)


def check_model(case: ModelCase, tally: Tally) -> None:
    """Raise `Difference` where state, marginals, sums or a converted file say otherwise."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        source = place / case.name
        source.write_text(case.text, encoding="utf-8")
        evidence = None
        if case.evidence:
            evidence = place / "m.evid"
            pairs = (f"{variable} {state}" for variable, state in case.evidence)
            evidence.write_text(f"{len(case.evidence)} {' '.join(pairs)}\n", encoding="utf-8")
        _check_best(case, source, evidence, tally)
        _check_sums(case, source, evidence)
        _check_converted(replace(case, evidence=()), source, place)


def _check_best(case: ModelCase, source: Path, evidence: Path | None, tally: Tally) -> None:
    engine = ENGINES[case.seed // 2 % len(ENGINES)]
    try:
        best = solve_model(source, evidence=evidence, engine=engine)
        tally.add(f"engine {engine}")
    except UsageError:
        tally.add(f"engine {engine} declined")
        best = solve_model(source, evidence=evidence)
    states, logs = case.logs
    if not np.isfinite(logs).any():
        if (
            best.status is not Status.INFEASIBLE
            and best.chosen is not None
            and _value(case, best) is not None
        ):
            raise Difference(
                "model", f"every state has the product 0, and {best.engine} answers {best.status}"
            )
        return
    if best.status is Status.INFEASIBLE:
        raise Difference("model", f"{best.engine} says infeasible")
    value, most = _value(case, best), float(logs.max())
    slack = NEAR * max(1.0, abs(most))
    if best.chosen is None or (value is None and best.status is not Status.OPTIMAL):
        return
    if value is None:
        raise Difference("model", f"{best.engine} says optimal, and has no value")
    at = float(logs[states.index(tuple(best.chosen.tolist()))])
    if abs(at - value) > slack:
        raise Difference(
            "model", f"{best.engine}: a state of log {at:.9f} is said to have {value:.9f}"
        )
    if best.status is Status.OPTIMAL and value < most - slack:
        raise Difference(
            "model", f"{best.engine} says optimal at {value:.9f}, the most is {most:.9f}"
        )
    bound = best.bound if case.clauses is None else None if best.bound is None else -best.bound
    if bound is not None and bound * _unit(case) < most - slack:
        raise Difference(
            "model", f"{best.engine}: bound {bound * _unit(case):.9f} below the most, {most:.9f}"
        )


def _unit(case: ModelCase) -> float:
    return math.log(10.0) if case.clauses is None else 1.0


def _value(case: ModelCase, best: SolvedModel) -> float | None:
    """The logarithm of the product that the answer claims."""
    if case.clauses is not None:
        return None if best.cost is None else -best.cost
    return None if best.map_log10 is None else best.map_log10 * math.log(10.0)


def _check_sums(case: ModelCase, source: Path, evidence: Path | None) -> None:
    states, logs = case.logs
    sums = solve_model(source, evidence=evidence, task="pr")
    if not np.isfinite(logs).any():
        if sums.status is not Status.INFEASIBLE:
            raise Difference(
                "sum of a model", f"every state has the product 0, and the answer is {sums.status}"
            )
        return
    wanted = float(np.logaddexp.reduce(logs)) / math.log(10.0)
    if sums.log10_z is None or abs(sums.log10_z - wanted) > NEAR * max(1.0, abs(wanted)):
        raise Difference("sum of a model", f"{sums.log10_z}, by enumeration {wanted:.9f}")
    found = solve_model(source, evidence=evidence, task="marginal", engine="exact").probabilities
    assert found is not None
    share = np.exp(logs - np.logaddexp.reduce(logs))
    for variable, size in enumerate(case.states):
        at = np.array([state[variable] for state in states])
        by_hand = np.array([share[at == state].sum() for state in range(size)])
        if found[variable].shape != by_hand.shape or np.abs(found[variable] - by_hand).max() > NEAR:
            raise Difference(
                "marginals of a model", f"variable {variable}: {found[variable]}, not {by_hand}"
            )


def _check_converted(case: ModelCase, source: Path, place: Path) -> None:
    """The other form has the same best value, up to the constant that the largest entries make."""
    other = place / ("m.wcnf" if case.clauses is None else "m.uai")
    convert_model(source, other)
    _, logs = case.logs
    feasible = bool(np.isfinite(logs).any())
    best = solve_model(other)
    if (best.status is Status.INFEASIBLE) == feasible:
        raise Difference(
            "converted model", f"{best.status}, and the file it was made of feasible: {feasible}"
        )
    if not feasible:
        return
    if case.clauses is None:
        constant = sum(math.log(max(table)) for table in case.tables)
        wanted, got = constant - float(logs.max()), best.cost
    else:
        wanted, got = float(logs.max()) / math.log(10.0), best.map_log10
    if got is None or abs(got - wanted) > NEAR * max(1.0, abs(wanted)):
        raise Difference("converted model", f"{other.suffix}: {got}, by enumeration {wanted:.9f}")
