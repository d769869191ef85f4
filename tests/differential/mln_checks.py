"""A Markov logic case against its meaning: atoms, marginals, energies, engines, reasons."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tests.differential.mln_meaning import Key, Meaning, meaning_of
from tests.differential.mln_programs import MlnCase
from tests.differential.mln_syntax import Declarations, read_program
from tests.differential.mln_worlds import Roles, read_world, roles_of
from tests.differential.outcome import Difference, Tally
from tests.differential.product_answers import workspace_of
from workbench.errors import InfeasibleError, UsageError
from workbench.inference import make_engine
from workbench.inference.solution import Status
from workbench.language.ground_atoms import atom_text
from workbench.network import evidence_energy, hard_violation, reported_energy
from workbench.verbs.infer import InferenceResult
from workbench.workspace import Workspace

MAP_ENGINES = ("exact", "ilp", "messages", "rc2", "toulbar2", "lp", "maxwalksat", "cpi")
SAMPLERS = ("mcsat", "gibbs")
SAMPLING_ERROR = 0.09
"""How far a sampled marginal of 2,000 samples may be from the truth where its chains agree."""


@dataclass(frozen=True)
class Expected:
    """The meaning of a case, world by world."""

    program: Declarations
    roles: Roles
    worlds: list[Meaning]
    names: list[str]

    @property
    def feasible(self) -> bool:
        return all(world.feasible for world in self.worlds)

    def atoms(self) -> list[tuple[str, Key]]:
        return [
            (name, atom) for name, world in zip(self.names, self.worlds) for atom in world.atoms
        ]


def expected_of(case: MlnCase) -> Expected:
    """The oracle's reading of a case."""
    program = read_program(case.text)
    worlds = [read_world(program, case.data(number)) for number in range(len(case.worlds))]
    roles = roles_of(program, worlds, case.query, case.closed)
    names = [name for name, _ in case.worlds] if len(worlds) > 1 else [""]
    return Expected(program, roles, [meaning_of(program, world, roles) for world in worlds], names)


def infer_exactly(workspace: Workspace, case: MlnCase, **options: object) -> InferenceResult:
    """Marginals by elimination."""
    return workspace.infer(
        case.text, task="marginal", engine="exact", query=case.query, closed=case.closed, **options
    )  # type: ignore[arg-type]


def check_mln(case: MlnCase, tally: Tally) -> None:
    """Raise `Difference` where the workbench and the oracle disagree.

    Raises
    ------
    WorkbenchError
        Where the workbench refuses the case.
    """
    expected = expected_of(case)
    with workspace_of(case) as workspace:
        try:
            result = infer_exactly(workspace, case, record=False)
        except InfeasibleError:
            if expected.feasible:
                raise Difference(
                    "feasible", "called infeasible, and some state keeps the hard rules"
                ) from None
            tally.add("agreed: infeasible")
            return
        if not expected.feasible:
            raise Difference("feasible", "no state keeps the hard rules, and it was answered")
        tally.add("agreed: answered")
        check_marginals(result, expected)
        check_counts(result, expected)
        check_energies(result, expected, case.seed)
        check_engine(result, expected, case.seed, tally)
        check_explanation(result, expected, case.seed, tally)


def place_of(result: InferenceResult, expected: Expected) -> dict[tuple[str, Key], int]:
    """The id of every open atom, world by world."""
    atoms = result.grounding.atoms
    ids = np.arange(atoms.n_atoms)
    worlds = atoms.world_names(ids) if len(expected.names) > 1 else [""] * atoms.n_atoms
    texts = dict(zip(zip(worlds, atoms.names(ids)), ids.tolist()))
    found: dict[tuple[str, Key], int] = {}
    for world, atom in expected.atoms():
        place = texts.pop((world, atom_text(*atom)), None)
        if place is not None:
            found[world, atom] = place
        elif atom[0] in expected.roles.query:
            raise Difference(
                "atoms", f"{atom} of world {world or 'one'} is not among the open atoms"
            )
    if texts:
        raise Difference("atoms", f"open in the workbench alone: {sorted(texts)[:3]}")
    return found


def check_marginals(result: InferenceResult, expected: Expected) -> None:
    places = place_of(result, expected)
    for name, world in zip(expected.names, expected.worlds):
        for atom, wanted in zip(world.atoms, world.marginals):
            place = places.get((name, atom))
            if place is not None and abs(result.solution.values[place] - wanted) > 1e-6:
                got = result.solution.values[place]
                raise Difference(
                    "marginals",
                    f"P({atom_text(*atom)}) in {name or 'w'}: {got:.6f}, oracle {wanted:.6f}",
                )


def check_counts(result: InferenceResult, expected: Expected) -> None:
    """Open and violated groundings of every rule; the workbench counts repeats once."""
    wanted: Counter[tuple[int, str]] = Counter()
    for world in expected.worlds:
        for one in world.clauses:
            kind = "open" if not one.decided else "violated" if not one.holds.all() else "satisfied"
            wanted[one.rule, kind] += 1
    for count in result.grounding.rules:
        for kind in ("open", "violated"):
            got = getattr(count, kind)
            if got != wanted[count.rule, kind] and not _has_repeats(expected, count.rule):
                raise Difference(
                    "counts",
                    f"rule {count.rule + 1}: {got} {kind}, oracle {wanted[count.rule, kind]}",
                )


def _has_repeats(expected: Expected, rule: int) -> bool:
    return any(
        one.rule == rule and one.repeated for world in expected.worlds for one in world.clauses
    )


def state_of(world: Meaning, number: int) -> Mapping[Key, float]:
    return dict(zip(world.atoms, world.states[number]))


def check_energies(result: InferenceResult, expected: Expected, seed: int) -> None:
    """The energy of random states, and what evidence alone costs."""
    places = place_of(result, expected)
    network, weights = result.grounding.network, result.weights
    draw = random.Random(seed)
    for _ in range(3):
        values = np.zeros(network.n_atoms)
        total = 0.0
        allowed = True
        for name, world in zip(expected.names, expected.worlds):
            number = draw.randrange(len(world.states))
            for atom, value in state_of(world, number).items():
                if (name, atom) in places:
                    values[places[name, atom]] = value
            total += float(world.energy[number])
            allowed &= bool(world.allowed[number])
        if (hard_violation(network, values) == 0) != allowed:
            raise Difference(
                "hard rules", f"a state that is allowed: {allowed}, by the network: {not allowed}"
            )
        got = reported_energy(network, weights, values)
        if allowed and abs(got - total) > 1e-6 * max(1.0, abs(total)):
            raise Difference("energy", f"{got:.6f}, oracle {total:.6f}")
    wanted = sum(world.evidence_energy for world in expected.worlds)
    got = evidence_energy(network, weights)
    if abs(got - wanted) > 1e-6 * max(1.0, abs(wanted)):
        raise Difference("evidence energy", f"{got:.6f}, oracle {wanted:.6f}")


def check_engine(result: InferenceResult, expected: Expected, seed: int, tally: Tally) -> None:
    """An engine of the most probable state, or a sampler: energy, bound, status, marginals."""
    network, weights = result.grounding.network, result.weights
    name = MAP_ENGINES[seed % len(MAP_ENGINES)]
    try:
        engine = make_engine(name, "map")
        if engine.declines(network, weights) is None:
            solution = engine.solve(network, weights, seed=seed)
            tally.add(f"engine {name}")
            _check_state(name, solution, network, weights, expected)
    except UsageError:
        tally.add(f"engine {name} declined")
    if seed % 20 == 0:
        name = SAMPLERS[seed // 20 % 2]
        solution = make_engine(name, samples=2000).solve(network, weights, seed=seed)
        tally.add(f"engine {name}")
        worst = np.max(np.abs(solution.values - result.solution.values), initial=0.0)
        if solution.status is Status.CONVERGED and worst > SAMPLING_ERROR:
            raise Difference(
                f"engine {name}", f"a marginal is {worst:.3f} from the truth, and it says converged"
            )


def _check_state(name, solution, network, weights, expected: Expected) -> None:  # type: ignore[no-untyped-def]
    least = sum(world.least_energy for world in expected.worlds)
    slack = 1e-6 * max(1.0, abs(least))
    energy = reported_energy(network, weights, solution.values)
    whole = np.isin(solution.values, (0.0, 1.0)).all()
    if solution.status is Status.INFEASIBLE:
        raise Difference(f"engine {name}", "says infeasible")
    if not np.isnan(solution.bound) and solution.bound > least + slack:
        raise Difference(
            f"engine {name}", f"bound {solution.bound:.6f} above the least energy {least:.6f}"
        )
    if whole and hard_violation(network, solution.values) == 0:
        if abs(energy - solution.energy) > slack:
            raise Difference(
                f"engine {name}", f"says energy {solution.energy:.6f} for a state of {energy:.6f}"
            )
        if energy < least - slack:
            raise Difference(f"engine {name}", f"energy {energy:.6f} below the least {least:.6f}")
        if solution.status is Status.OPTIMAL and energy > least + slack:
            raise Difference(f"engine {name}", f"says optimal at {energy:.6f}, least {least:.6f}")
    elif solution.status in (Status.OPTIMAL, Status.FEASIBLE):
        raise Difference(
            f"engine {name}", f"says {solution.status} for a state that breaks hard rules"
        )


def check_explanation(result: InferenceResult, expected: Expected, seed: int, tally: Tally) -> None:
    """Contributions sum to the log-odds, the difference of the energies of two states."""
    places = place_of(result, expected)
    draw = random.Random(seed)
    numbers = [draw.choice(np.flatnonzero(world.allowed).tolist()) for world in expected.worlds]
    candidates = [
        (number, atom)
        for number, world in enumerate(expected.worlds)
        for atom in world.atoms
        if (expected.names[number], atom) in places
        and _flipped(world, numbers[number], atom) is not None
    ]
    if not candidates or len(expected.worlds) > 1:
        return
    values = result.solution.values.copy()
    for name, world, number in zip(expected.names, expected.worlds, numbers):
        for atom, value in state_of(world, number).items():
            if (name, atom) in places:
                values[places[name, atom]] = value
    chosen, atom = draw.choice(candidates)
    world = expected.worlds[chosen]
    other = _flipped(world, numbers[chosen], atom)
    assert other is not None
    sign = 1.0 if world.states[numbers[chosen]][world.atoms.index(atom)] == 1 else -1.0
    wanted = sign * float(world.energy[other] - world.energy[numbers[chosen]])
    shown = replace(result, solution=replace(result.solution, values=values)).explain(
        atom_text(*atom)
    )
    tally.add("explanations")
    total = sum(one.contribution for one in shown.contributions)
    if abs(shown.log_odds - wanted) > 1e-6 * max(1.0, abs(wanted)):
        raise Difference(
            "explanation",
            f"log-odds of {atom_text(*atom)} {shown.log_odds:.6f}, oracle {wanted:.6f}",
        )
    if abs(total - wanted) > 1e-6 * max(1.0, abs(wanted)):
        raise Difference(
            "explanation",
            f"contributions of {atom_text(*atom)} sum to {total:.6f}, not {wanted:.6f}",
        )


def _flipped(world: Meaning, number: int, atom: Key) -> int | None:
    """The state with one atom turned, where it is allowed."""
    state = world.states[number].copy()
    place = world.atoms.index(atom)
    state[place] = 1 - state[place]
    other = int(np.flatnonzero((world.states == state).all(axis=1))[0])
    return other if world.allowed[other] else None
