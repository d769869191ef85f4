"""A PSL case against its meaning: energies, hard rules, every engine's least energy."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tests.differential.outcome import Difference, Tally
from tests.differential.product_answers import kept
from tests.differential.psl_meaning import (
    Key,
    Listed,
    Row,
    Unlisted,
    energy_of,
    least_energy,
    rows_of,
)
from tests.differential.psl_programs import PslCase
from tests.differential.psl_syntax import read_rule
from tests.differential.psl_validity import OPEN
from workbench.database import Database
from workbench.errors import InfeasibleError, InputError, UsageError
from workbench.inference.solution import Solution, Status
from workbench.language.ground_atoms import parse_atom
from workbench.language.program import Program
from workbench.language.psl.document_reading import parse_psl_document
from workbench.network import evidence_energy, hard_violation, reported_energy
from workbench.verbs.infer import InferenceResult
from workbench.workspace import Workspace

ENGINES = (
    "auto",
    "admm",
    "pdhg",
    "streamed",
    "lp",
    "bcd",
    "clarabel",
    "ecos",
    "highs",
    "osqp",
    "scs",
)
QUICK = ("", "auto", "admm", "bcd", "lp")
"""Engines of our own, four programs in five; every fifth has one of them all in turn."""
TOLERANCE = 3e-3
"""Room for first-order solvers, relative to the energy."""

World = tuple[str, list[Row], list[Key]]


@contextmanager
def psl_workspace(case: PslCase) -> Iterator[tuple[Workspace, Program]]:
    """The case's documents loaded from files, a world each, and the program that they hold."""
    program = parse_psl_document(json.dumps(case.document(0))).program()
    workspace = kept(case.worlds, lambda: loaded(case, program))
    yield workspace, workspace.declare(program)


def loaded(case: PslCase, program: Program) -> Workspace:
    """A workspace of its own with the case's atoms."""
    workspace = Workspace(Database.open(threads=1))
    workspace.declare(program)
    with tempfile.TemporaryDirectory() as directory:
        for number, (name, _) in enumerate(case.worlds):
            path = Path(directory) / f"{name}.json"
            path.write_text(json.dumps(case.document(number)), encoding="utf-8")
            workspace.load(path, world=name)
    return workspace


def check_psl(case: PslCase, tally: Tally) -> None:
    """Raise `Difference` where the workbench and the oracle disagree."""
    try:
        worlds = [_meaning(case, number) for number in range(len(case.worlds))]
        refused = None
    except Unlisted as unlisted:
        worlds, refused = [], unlisted
    others = (case.seed // len(QUICK)) % len(ENGINES)
    engine = ENGINES[others] if case.seed % len(QUICK) == 0 else QUICK[case.seed % len(QUICK)]
    with psl_workspace(case) as (workspace, program):
        result = answered_as_meant(workspace, program, engine, worlds, refused, tally)
        if result is None:
            return
        tally.add(f"engine {result.solution.engine}")
        check_energies(case.seed, result, worlds)
        check_answer(result, worlds)


def answered_as_meant(
    workspace: Workspace,
    program: Program,
    engine: str,
    worlds: Sequence[World],
    refused: Unlisted | None,
    tally: Tally,
) -> InferenceResult | None:
    """The answer, or None where there is to be none; `Difference` where sides disagree."""
    try:
        result = answered(workspace, program, engine, tally)
    except InfeasibleError:
        if refused is None and all(least_of(world) is not None for world in worlds):
            raise Difference("feasible", "called infeasible, and it is not") from None
        tally.add("agreed: infeasible")
        return None
    except InputError as error:
        if error.diagnostics[0].code == "E0330" and refused is not None:
            tally.add("agreed: an atom is not listed")
            return None
        raise
    if refused is not None:
        raise Difference("unlisted", f"{refused} is open and not listed, and it was answered")
    return result


def answered(workspace: Workspace, program: Program, engine: str, tally: Tally) -> InferenceResult:
    """The answer of one engine, or of the one that `auto` takes where it declines."""
    try:
        return workspace.infer(program, engine=engine, record=False)
    except UsageError:
        tally.add(f"engine {engine} declined")
        return workspace.infer(program, record=False)


def _meaning(case: PslCase, number: int) -> World:
    name, facts = case.worlds[number]
    listed = Listed(
        {(predicate, *arguments): value for predicate, _, arguments, value in facts},
        frozenset(OPEN),
    )
    rows = [row for line in case.rules for row in rows_of(read_rule(line), listed)]
    atoms = [key for key, value in listed.values.items() if value is None]
    return name, rows, atoms


def least_of(world: World) -> float | None:
    return least_energy(world[1], world[2])


def _places(result: InferenceResult, n_worlds: int) -> dict[tuple[str, Key], int]:
    atoms = result.grounding.atoms
    ids = np.arange(atoms.n_atoms)
    worlds = atoms.world_names(ids) if n_worlds > 1 else ["w0"] * atoms.n_atoms
    found = {}
    for place, (world, text) in enumerate(zip(worlds, atoms.names(ids))):
        name, arguments = parse_atom(text)
        found[world, (name, *arguments)] = place
    return found


def _states(
    result: InferenceResult, worlds: list[World], values: np.ndarray
) -> list[dict[Key, float]]:
    places = _places(result, len(worlds))
    return [
        {atom: float(values[places[name if len(worlds) > 1 else "w0", atom]]) for atom in atoms
         if (name if len(worlds) > 1 else "w0", atom) in places}
        for name, _, atoms in worlds
    ]  # fmt: skip


def check_energies(
    seed: int, result: InferenceResult, worlds: list[World], evidence: bool = True
) -> None:
    """Energy and hard violation of random states, and what evidence alone costs."""
    network, weights = result.grounding.network, result.weights
    draw = random.Random(seed)
    for _ in range(3):
        values = np.array([draw.choice([0.0, 1.0, draw.random()]) for _ in range(network.n_atoms)])
        states = _states(result, worlds, values)
        wanted = sum(energy_of(rows, state) for (_, rows, _), state in zip(worlds, states))
        got = reported_energy(network, weights, values)
        if abs(got - wanted) > 1e-6 * max(1.0, abs(wanted)):
            raise Difference("energy", f"{got:.6f}, oracle {wanted:.6f}")
        broken = 0.0
        for (_, rows, _), state in zip(worlds, states):
            for row in rows:
                if row.weight is None and row.open:
                    ell = row.ell(state)
                    broken = max(broken, abs(ell) if row.equal else ell)
        got = hard_violation(network, values)
        if abs(got - broken) > 1e-6:
            raise Difference("hard violation", f"{got:.6f}, oracle {broken:.6f}")
    wanted = sum(
        row.cost({})
        for _, rows, _ in worlds
        for row in rows
        if row.weight is not None and not row.open
    )
    got = evidence_energy(network, weights)
    if evidence and abs(got - wanted) > 1e-6 * max(1.0, abs(wanted)):
        raise Difference("evidence energy", f"{got:.6f}, oracle {wanted:.6f}")


def check_answer(result: InferenceResult, worlds: list[World]) -> None:
    solution: Solution = result.solution
    least = [least_of(world) for world in worlds]
    if None in least:
        raise Difference(
            "feasible",
            f"{solution.engine} answers {solution.status}, and no state keeps the hard rules",
        )
    best = sum(one for one in least if one is not None)
    slack = TOLERANCE * max(1.0, abs(best))
    if solution.bound > best + slack:
        raise Difference(
            "bound", f"{solution.engine}: bound {solution.bound:.6f} above the least {best:.6f}"
        )
    if solution.status not in (Status.OPTIMAL, Status.FEASIBLE):
        return
    wanted = reported_energy(result.grounding.network, result.weights, solution.values)
    if abs(solution.energy - wanted) > slack:
        raise Difference(
            "energy", f"{solution.engine} says {solution.energy:.6f}, its values cost {wanted:.6f}"
        )
    if solution.hard_violation <= 1e-6 and solution.energy < best - slack:
        raise Difference(
            "energy", f"{solution.engine}: {solution.energy:.6f} below the least {best:.6f}"
        )
    if solution.status is Status.OPTIMAL and solution.energy > best + slack:
        raise Difference(
            "optimal",
            f"{solution.engine} calls {solution.energy:.6f} optimal, the least is {best:.6f}",
        )
