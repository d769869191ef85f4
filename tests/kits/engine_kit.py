"""What every inference engine must do, whatever it computes: one set of checks, run on each engine
of the registry.

An engine that declines a network must refuse it and is not asked for more; each check says how many
networks it saw.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import fields, is_dataclass, replace
from io import StringIO
from threading import Event, Thread, Timer
from time import monotonic
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.kits.hard_networks import hard_networks
from tests.kits.interruptions import QUESTIONS, interruptions
from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_block_grid, random_hinge_network, random_mln
from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.accepts import Trait, traits_of
from workbench.inference.solution import Engine, Solution, Status
from workbench.network import (
    BlockKind,
    Domain,
    GroundNetwork,
    blocks_from_members,
    hard_violation,
    network_from_clauses,
    network_from_rows,
    reported_energy,
)
from workbench.progress import Progress

Case = tuple[GroundNetwork, Float]

COMPLETE = {Status.OPTIMAL, Status.FEASIBLE, Status.CONVERGED, Status.EXACT}
TOLERANCE = 2e-3
"""Room for first-order solvers' tolerance, relative to the energy."""


def mln_cases() -> list[Case]:
    """Discrete networks of every shape."""
    blocks = blocks_from_members(6, [[0, 1, 2], [3, 4]], BlockKind.EXACTLY_ONE)
    only_blocks = network_from_clauses(6, [[1], [-5], [6]], [0, 0, 1], blocks=blocks)
    return [
        random_mln(1, n_atoms=7, hard=0.0, blocks=False),
        random_mln(2, n_atoms=7, negative=False, blocks=False),
        random_mln(3, n_atoms=8, n_rows=6, weight_size=0.8),
        random_mln(6, n_atoms=8, hard=0.4, negative=False, scales=False),
        random_mln(7, n_atoms=8, tree=True, hard=0.0),
        (only_blocks, np.array([0.9, -0.4])),
    ]


def hinge_cases() -> list[Case]:
    """Rows with real coefficients on [0, 1]; and for 0/1 atoms the same without hard ones."""
    cases = []
    for seed in range(4):
        squared = seed % 2 == 0
        cases.append(random_hinge_network(seed, squared=squared, hard=0.1 * (seed % 3)))
        cases.append(random_hinge_network(seed, squared=squared, hard=0.0, domain=Domain.BOOLEAN))
    return cases


TRAITS = {
    Trait.LINEAR: ([[-1, -1, 0]], [1], 1.0),
    Trait.SUMS: ([[0.5, 0.5, -1]], [0], 1.0),
    Trait.NEGATIVE: ([[-1, 1, 0]], [0], -1.0),
    Trait.CONCAVE: ([[0.5, 0.5, -1]], [0], -1.0),
    Trait.HARD_SUMS: ([[-1, -1, 0], [1, 1, 1]], [1, -1], 1.0),
    Trait.BLOCKS: ([[-1, -1, 0]], [1], 1.0),
}
"""Rows, offsets, and the weight of the first row; a second row is hard."""


def trait_cases(domain: Domain) -> list[Case]:
    """A small network for each trait, of linear and of squared potentials."""
    cases = []
    for trait, (rows, offsets, weight) in TRAITS.items():
        blocks = (
            blocks_from_members(3, [[0, 1]], BlockKind.AT_MOST_ONE)
            if trait is Trait.BLOCKS
            else None
        )
        for power in (1, 2):
            A, b = csr_array(np.array(rows, np.float64)), np.array(offsets, np.float64)
            network = network_from_rows(
                A, b, [0, -1][: len(b)], power=[power], blocks=blocks, domain=domain
            )
            cases.append((network, np.array([weight])))
    return cases


def empty_cases() -> list[Case]:
    """No atoms; atoms without rows; rows of weight 0."""
    return [
        (network_from_clauses(0, [], [], n_templates=1), np.ones(1)),
        (network_from_clauses(3, [], [], n_templates=0), np.zeros(0)),
        (network_from_clauses(3, [[1, 2], [-2, 3]], [0, 0]), np.zeros(1)),
    ]


def domains(engine: Engine) -> list[Domain]:
    """Those it declares; nobody computes marginals of soft logic."""
    return [one for one in engine.accepts.takes if engine.task == "map" or one is Domain.BOOLEAN]


def accepted(engine: Engine, cases: list[Case]) -> list[Case]:
    """The cases that the engine takes; clauses are tried on each domain that it declares."""
    tried = [
        (replace(network, domain=domain), weights)
        for network, weights in cases
        for domain in domains(engine)
        if domain is network.domain or network.clausal.all()
    ]
    return [
        (network, weights)
        for network, weights in tried
        if engine.declines(network, weights) is None
    ]


def well_formed(engine: Engine, network: GroundNetwork, solution: Solution) -> None:
    assert isinstance(solution, Solution)
    assert solution.values.shape == (network.n_atoms,)
    assert solution.values.dtype == np.float64
    assert solution.engine
    assert solution.reason
    assert len({np.size(column) for column in solution.trace.values()}) <= 1
    if solution.status in COMPLETE:
        assert np.all((solution.values >= -1e-9) & (solution.values <= 1 + 1e-9))


def is_a_frozen_dataclass(engine: Engine) -> int:
    assert is_dataclass(engine)
    assert vars(type(engine))["__dataclass_params__"].frozen
    assert engine.task in ("map", "marginal")
    assert engine.name
    assert all(field.default is not None or field.name for field in fields(engine))
    return 1


def answers_are_well_formed(engine: Engine) -> int:
    cases = accepted(engine, mln_cases() + hinge_cases())
    for network, weights in cases:
        solution = engine.solve(network, weights, seed=1)
        well_formed(engine, network, solution)
        assert solution.status in COMPLETE | {Status.LIMIT}, solution.reason
        assert not np.isnan(solution.values).any()
    return len(cases)


def energies_bounds_and_violations_are_true(engine: Engine) -> int:
    """The energy is that of the values, no bound exceeds the least energy, `optimal` is optimal."""
    if engine.task != "map":
        return 0
    cases = accepted(engine, mln_cases() + hinge_cases())
    for network, weights in cases:
        solution = engine.solve(network, weights, seed=1)
        discrete = network.domain is Domain.BOOLEAN
        whole = bool(np.isin(solution.values, (0.0, 1.0)).all())
        energy = reported_energy(network, weights, solution.values)
        slack = TOLERANCE * max(1.0, abs(energy))
        if whole or not discrete:
            assert abs(solution.energy - energy) <= slack
            broken = hard_violation(network, solution.values)
            assert abs(solution.hard_violation - broken) <= (0 if discrete else 1e-3)
        assert solution.bound <= solution.energy + slack
        if discrete:
            listing = enumerate_states(network, weights)
            least = reported_energy(network, weights, listing.best_state)
            assert solution.bound <= least + slack
            if whole and solution.hard_violation == 0:
                assert energy >= least - slack
                if solution.status == Status.OPTIMAL:
                    assert energy <= least + slack
    return len(cases)


def marginals_are_near_the_truth(engine: Engine) -> int:
    if engine.task != "marginal":
        return 0
    cases = accepted(
        engine,
        [*mln_cases()[:5:4], random_mln(3, n_atoms=8, n_rows=6, weight_size=0.5, scales=False)],
    )
    for network, weights in cases:
        solution = engine.solve(network, weights, seed=1)
        expected = enumerate_states(network, weights).marginals
        if solution.status == Status.EXACT:
            np.testing.assert_allclose(solution.values, expected, atol=1e-5)
        elif solution.engine != "bp":
            np.testing.assert_allclose(solution.values, expected, atol=0.08)
    return len(cases)


def blocks_that_hard_clauses_hold_are_mixed(engine: Engine) -> int:
    """Marginals are right, not only uncertain, where single moves cannot leave a state."""
    if engine.task != "marginal" or engine.name == "bp":
        return 0
    cases = accepted(engine, [random_block_grid(seed) for seed in range(8)])
    for network, weights in cases:
        expected = enumerate_states(network, weights).marginals
        for seed in range(2):
            solution = engine.solve(network, weights, seed=seed)
            np.testing.assert_allclose(solution.values, expected, atol=0.06)
    return len(cases)


def same_seed_same_answer(engine: Engine) -> int:
    cases = accepted(engine, mln_cases()[2:3] + hinge_cases()[1:2])
    for network, weights in cases:
        first = engine.solve(network, weights, seed=11)
        again = engine.solve(network, weights, seed=11)
        np.testing.assert_array_equal(first.values, again.values)
        assert first.status == again.status
    return len(cases)


def inputs_stay_as_they_are(engine: Engine) -> int:
    cases = accepted(engine, mln_cases()[2:3] + hinge_cases()[1:2])
    for network, weights in cases:
        before = [
            weights.copy(),
            network.A.data.copy(),
            np.array(network.b),
            network.unit.data.copy(),
        ]
        start = np.zeros(network.n_atoms)
        engine.solve(network, weights, seed=1)
        after = [weights, network.A.data, network.b, network.unit.data]
        for old, new in zip(before, after):
            np.testing.assert_array_equal(old, new)
        assert not start.any()
    return len(cases)


def empty_networks_are_solved(engine: Engine) -> int:
    cases = accepted(engine, empty_cases())
    for network, weights in cases:
        printed = StringIO()
        with warnings.catch_warnings(), redirect_stdout(printed):
            warnings.simplefilter("error", RuntimeWarning)
            solution = engine.solve(network, weights)
        assert not printed.getvalue()
        well_formed(engine, network, solution)
        assert solution.status in COMPLETE
    return len(cases)


def a_passed_deadline_is_honest(engine: Engine) -> int:
    cases = accepted(engine, mln_cases()[2:3] + hinge_cases()[1:2])
    for network, weights in cases:
        solution = engine.solve(network, weights, deadline=monotonic() - 1.0)
        well_formed(engine, network, solution)
        assert solution.status in COMPLETE | {Status.LIMIT}
    return len(cases)


def a_cancel_is_a_status(engine: Engine) -> int:
    cases = accepted(engine, mln_cases()[2:3] + hinge_cases()[1:2])
    for network, weights in cases:
        event = Event()
        event.set()
        solution = engine.solve(network, weights, progress=Progress(cancel_event=event))
        well_formed(engine, network, solution)
        assert solution.status in COMPLETE | {Status.CANCELLED, Status.LIMIT}
    return len(cases)


def a_deadline_and_a_cancel_are_heard_at_work(engine: Engine) -> int:
    """A tenth of a second into a far longer problem, the engine stops and says so."""
    network, weights = accepted(engine, list(hard_networks()))[0]
    for stopped in (Status.LIMIT, Status.CANCELLED):
        event = Event()
        timer = Timer(0.1, event.set)
        if stopped is Status.CANCELLED:
            timer.start()
        deadline = monotonic() + 0.1 if stopped is Status.LIMIT else None
        solution = engine.solve(
            network, weights, deadline=deadline, progress=Progress(cancel_event=event)
        )
        timer.cancel()
        well_formed(engine, network, solution)
        assert solution.status is stopped, f"{solution.status}: {solution.reason}"
        if engine.task == "map" and not solution.hard_violation:
            assert solution.bound <= solution.energy
    return 1


def an_interruption_leaves_the_best_so_far(engine: Engine) -> int:
    """Wherever it is told to stop, a MAP engine has a state, its energy, a true bound.

    Each network is interrupted at a third of the questions: it is the next one's turn.
    """
    cases = accepted(engine, mln_cases() + hinge_cases())
    for at, (network, weights) in enumerate(cases):
        for progress in interruptions(QUESTIONS[at % 3 :: 3]):
            solution = engine.solve(network, weights, progress=progress)
            well_formed(engine, network, solution)
            assert solution.status in COMPLETE | {Status.CANCELLED, Status.LIMIT}, solution.reason
            is_the_best_so_far(engine, network, weights, solution)
    return len(cases)


def is_the_best_so_far(
    engine: Engine, network: GroundNetwork, weights: Float, solution: Solution
) -> None:
    known = solution.values[~np.isnan(solution.values)]
    assert ((known >= -1e-9) & (known <= 1 + 1e-9)).all()
    if engine.task == "marginal":
        return
    assert known.size == network.n_atoms
    if network.domain is Domain.UNIT or np.isin(known, (0.0, 1.0)).all():
        energy = reported_energy(network, weights, solution.values)
        slack = TOLERANCE * max(1.0, abs(energy))
        assert abs(solution.energy - energy) <= slack
        assert solution.hard_violation > 0 or solution.bound <= energy + slack


def what_hears_nothing_is_left(engine: Engine) -> int:
    """Work that never looks is left to itself, and the answer is legal all the same."""
    network, weights = accepted(engine, mln_cases() + hinge_cases())[0]
    event, begun, ended = Event(), Event(), Event()

    class Deaf(type(engine)):  # type: ignore[misc]
        def infer(self, *work: object) -> Solution:
            begun.set()
            ended.wait()
            raise AssertionError

    deaf = Deaf(**{one.name: getattr(engine, one.name) for one in fields(engine) if one.init})
    Thread(target=lambda: begun.wait() and event.set(), daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.leaving.GRACE", 0.01)
        solution = deaf.solve(network, weights, progress=Progress(cancel_event=event))
    ended.set()
    well_formed(engine, network, solution)
    assert solution.status is Status.CANCELLED
    is_the_best_so_far(engine, network, weights, solution)
    return 1


def a_contradiction_is_infeasible(engine: Engine) -> int:
    network = network_from_clauses(3, [[1], [-1, 2], [-2], [2, 3]], [-1, -1, -1, 0])
    cases = accepted(engine, [(network, np.ones(1))])
    for network, weights in cases:
        solution = engine.solve(network, weights)
        assert solution.status == Status.INFEASIBLE, solution.status
        assert solution.reason
    return len(cases)


def a_contradiction_around_a_loop_is_not_answered(engine: Engine) -> int:
    """Three pigeons and two holes: no clause alone forces anything. Only [0, 1] keeps all."""
    holes = [[2 * bird + 1, 2 * bird + 2] for bird in range(3)]
    shared = [
        [-(2 * one + hole), -(2 * two + hole)]
        for hole in (1, 2)
        for one in range(3)
        for two in range(one)
    ]
    network = network_from_clauses(6, [*holes, *shared, [1]], [-1] * 9 + [0])
    cases = accepted(engine, [(network, np.ones(1))])
    for network, weights in cases:
        solution = engine.solve(network, weights)
        if engine.task == "marginal" or not np.any(
            (solution.values > 0.1) & (solution.values < 0.9)
        ):
            assert solution.status in (Status.INFEASIBLE, Status.LIMIT), solution.status
    return len(cases)


def the_declaration_is_kept(engine: Engine) -> int:
    """What is declared is taken and solved, trait by trait; what is not, is declined."""
    covered = set()
    for domain in Domain:
        for network, weights in trait_cases(domain):
            traits = traits_of(network, weights)
            takes = domain in domains(engine) and traits <= engine.accepts.takes[domain]
            assert (engine.declines(network, weights) is None) is takes, (domain, traits)
            if takes:
                well_formed(engine, network, engine.solve(network, weights))
                covered |= {(domain, trait) for trait in traits}
    declared = {
        (domain, trait) for domain in domains(engine) for trait in engine.accepts.takes[domain]
    }
    assert covered == declared, declared - covered
    return len(covered)


def what_is_declined_is_said_why(engine: Engine) -> int:
    """`declines` says why in words; solving all the same raises or answers."""
    declined = 0
    for network, weights in mln_cases() + hinge_cases():
        reason = engine.declines(network, weights)
        if reason is None:
            continue
        declined += 1
        assert len(reason.split()) > 1
        code = ""
        try:
            answer = engine.solve(network, weights)
        except UsageError as error:
            code = error.diagnostics[0].code
        assert code.startswith("E04") if code else isinstance(answer, Solution)
    return declined


CHECKS: tuple[Callable[[Any], int], ...] = (
    is_a_frozen_dataclass,
    answers_are_well_formed,
    energies_bounds_and_violations_are_true,
    marginals_are_near_the_truth,
    blocks_that_hard_clauses_hold_are_mixed,
    same_seed_same_answer,
    inputs_stay_as_they_are,
    empty_networks_are_solved,
    a_passed_deadline_is_honest,
    a_cancel_is_a_status,
    a_deadline_and_a_cancel_are_heard_at_work,
    an_interruption_leaves_the_best_so_far,
    what_hears_nothing_is_left,
    a_contradiction_is_infeasible,
    a_contradiction_around_a_loop_is_not_answered,
    the_declaration_is_kept,
    what_is_declined_is_said_why,
)
