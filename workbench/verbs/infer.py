"""Inference: ground the rules over the data, choose an engine, solve, and keep what explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from workbench.arrays import Float
from workbench.database import Database
from workbench.errors import UsageError
from workbench.grounding import Grounding, GroundRequest, ground
from workbench.inference import Engine, Solution, Status, engine_for, make_engine
from workbench.inference.accepts import Task
from workbench.inference.registry import with_parameters
from workbench.inference.solution import BEST_SO_FAR, answered
from workbench.language.program import Program
from workbench.network import Domain, GroundNetwork, evidence_energy
from workbench.progress import SILENT, Conduct
from workbench.verbs.common import as_json
from workbench.verbs.inference_faults import (
    infeasible_error,
    require_addable,
    require_weights,
    says_nothing,
)
from workbench.verbs.number_inference import asks_for_numbers, solve_numbers
from workbench.verbs.options import How, conduct_of
from workbench.verbs.queries import Query
from workbench.verbs.results import Inferred

if TYPE_CHECKING:
    from workbench.verbs.explaining.explanation import Explanation
    from workbench.verbs.explaining.rule_distances import RuleDistance
    from workbench.verbs.last_grounding import LastGrounding

ON_DISK = "its rows lie on disk"
LEAST_BIN = 200 * 10**6
"""Bytes that a bin of components may take in any case."""

MANY_LEFT = "rules of very many groundings are asked for what a state violates"


@dataclass(frozen=True, repr=False)
class InferenceResult(Inferred):
    """What inference found, with the questions that can be put to it; its fields: `Inferred`."""

    def explain(
        self, atom: str, *, world: str | None = None, samples: int = 0, seed: int = 0
    ) -> Explanation:
        """Why `atom` has its value: its ground rules' contributions, at the state or averaged over
        so many samples.

        Raises
        ------
        UsageError
            E0305 where no open atom is written so, E0247 where several worlds have one and `world`
            is not given, E0827 where samples are asked for of soft logic.
        """
        from workbench.verbs.explaining.explain import explain_result

        return explain_result(self, atom, world=world, samples=samples, seed=seed)

    def rules(self) -> tuple[RuleDistance, ...]:
        """Each rule's groundings, their total and mean distance to satisfaction at the answer."""
        from workbench.verbs.explaining.rule_distances import rule_distances

        return rule_distances(self)

    def summary(self) -> dict[str, Any]:
        """The answer's figures, JSON-ready; of a state also each rule's distance."""
        return super().summary() | {
            "rules": as_json(list(self.rules())) if self.task == "map" else None
        }


def infer(
    database: Database,
    program: Program,
    request: GroundRequest,
    *,
    task: Task,
    engine: str = "auto",
    options: Mapping[str, object] | None = None,
    weights: Float | None = None,
    asked: Query | None = None,
    last: LastGrounding | None = None,
    **how: Unpack[How],
) -> InferenceResult:
    """Ground and solve.

    Raises E0401 where hard rules and evidence admit no state, E0805 where a rule has no weight,
    E0804 where the engine declines the network.

    Parameters
    ----------
    asked : Query, optional
        The atoms to answer of the request's query predicates; the others stay open.
    last : LastGrounding, optional
        Where the grounding is kept, and taken from while facts and rules are as they were.
    weights : float64 array, shape (n_templates,), or None for the program's own
        Weights of the request's `templates`.
    **how
        The seconds of `time_limit` are for the solver, from the end of grounding.
    """
    begun, progress = perf_counter(), how.get("progress", SILENT)
    progress.step("ground", 0.0)
    passes = program.language == "psl" and task == "map" and engine in ("auto", "streamed")
    rounds = program.language == "mln" and task == "map" and engine in ("auto", "cpi")
    on_disk = request.memory is not None and (passes or program.language == "mln")
    request = replace(request, on_disk=on_disk, lazy=rounds and weights is None)
    grounding = (last.ground if last else ground)(database, program, request, progress=progress)
    unanswered = () if asked is None else asked.unanswered(grounding.atoms)
    unlabelled = () if asked is None else asked.without_labels(grounding.atoms, grounding.network.A)
    ground_seconds = perf_counter() - begun
    chosen = grounding.templates.weight if weights is None else weights
    require_weights(grounding.templates, chosen)
    try:
        if asks_for_numbers(program, grounding.atoms.predicates):
            solution = solve_numbers(program, grounding, chosen, task, engine)
        else:
            solution = solve(grounding, chosen, task, engine, options or {}, **how)
    finally:
        if grounding.left is not None:
            grounding.left.close()
    if grounding.left is not None:
        grounding, solution = _with_rows_asked_for(grounding, solution)
    if solution.status is Status.INFEASIBLE:
        raise infeasible_error(grounding, solution)
    return InferenceResult(
        solution, grounding, program, chosen, task, perf_counter() - begun,
        evidence_energy=evidence_energy(grounding.network, chosen), ground_seconds=ground_seconds,
        asked=asked,
        warnings=(
            *grounding.warnings, *unanswered, *unlabelled, *says_nothing(program, chosen),
        ),
    )  # fmt: skip


def solve(
    grounding: Grounding,
    weights: Float,
    task: Task,
    engine: str,
    options: Mapping[str, object],
    *,
    start: Float | None = None,
    **how: Unpack[How],
) -> Solution:
    """Run one engine by name, or the one that `auto` chooses, on a ground network."""
    network = grounding.network
    require_addable(grounding, weights)
    given = {key: value for key, value in options.items() if value is not None}

    def infer(conduct: Conduct) -> Solution:
        return _infer(grounding, weights, task, engine, given, conduct, start)

    solution = answered(infer, engine, task, network, weights, conduct_of(how), start)
    if network.domain is Domain.UNIT:
        solution = replace(solution, values=_with_listed_values(grounding, solution.values))
    return replace(solution, bound=rounded_bound(solution.bound, solution.energy))


def _infer(
    grounding: Grounding,
    weights: Float,
    task: Task,
    engine: str,
    given: Mapping[str, object],
    conduct: Conduct,
    start: Float | None,
) -> Solution:
    """Choose the engine and ask it; E0804 where it declines."""
    network = grounding.network
    if grounding.memory is not None:
        solver = _from_disk(network, grounding.memory, task, engine, given)
        why = ON_DISK if engine == "auto" else ""
    elif grounding.left is not None:
        from workbench.inference.wide_choice import certified_growing

        solver, why = with_parameters(certified_growing(grounding.left), given), MANY_LEFT
    else:
        solver, why = engine_for(network, weights, task, engine, given)
    # What `auto` chose it has asked already; finding out may take as long as solving.
    reason = (
        None
        if engine == "auto" and not given and grounding.memory is None
        else solver.declines(network, weights)
    )
    if reason is not None:
        raise UsageError.of(
            "E0804",
            f"engine {solver.name} declines this network: {reason}",
            help="try --engine auto",
        )
    solution = solver.infer(network, weights, conduct, start)
    reasons = "; ".join(
        part for part in (why and f"auto took {solver.name}: {why}", solution.reason) if part
    )
    return replace(solution, reason=reasons)


def _from_disk(
    network: GroundNetwork, memory: int, task: Task, engine: str, given: Mapping[str, object]
) -> Engine:
    """The engine of a network whose rows memory would not hold."""
    if network.domain is Domain.UNIT:
        return make_engine("streamed", task, **{"memory": memory, **given})
    from workbench.inference.binned import Binned

    return Binned(engine, max(memory, LEAST_BIN), task, given)


def _with_rows_asked_for(grounding: Grounding, solution: Solution) -> tuple[Grounding, Solution]:
    """The grounding with the rows that a course of rounds asked for; where it was left before its
    end, nothing is known of the rules left out.
    """
    grown = solution.diagnostics.get("network")
    if isinstance(grown, GroundNetwork):
        return replace(grounding, network=grown, left=None), solution
    grounding = replace(grounding, left=None)
    if solution.reason == BEST_SO_FAR:  # what is offered keeps them all
        return grounding, solution
    reason = f"{solution.reason}; rules of very many groundings may be broken"
    return grounding, replace(solution, hard_violation=np.nan, reason=reason)


def rounded_bound(bound: float, energy: float) -> float:
    """The bound, or the energy where rounding alone puts the bound above it."""
    return energy if energy < bound <= energy + 1e-9 * max(1.0, abs(energy)) else bound


def _with_listed_values(grounding: Grounding, values: Float) -> Float:
    """Truth values of soft logic; atoms in no ground row take the value listed, else 1/2."""
    network = grounding.network
    touched = np.zeros(network.n_atoms, np.bool_)
    touched[network.A.indices] = True
    touched[network.blocks.members.indices] = True
    touched |= np.diff(network.unit.indptr) > 0
    if touched.all() or np.isnan(values).any():
        return values
    return np.where(touched, values, grounding.untouched)


def solve_given(
    grounding: Grounding,
    weights: Float,
    known: Float,
    task: Task,
    engine: str,
    options: Mapping[str, object],
    **how: Unpack[How],
) -> Solution:
    """Solve for the atoms that `known`, shape (n_atoms,), has as NaN; the others have its value,
    and take part.

    Hard ground rules that the known values violate on their own are left out.
    """
    if np.isnan(known).all():
        return solve(grounding, weights, task, engine, options, **how)
    from workbench.learning import Example
    from workbench.learning.training import condition, prepare

    example = Example(grounding.network, known)
    world = prepare([example], grounding.templates).worlds[0]
    conditioned = replace(grounding, network=condition(world.network, known))
    solution = solve(conditioned, weights, task, engine, options, **how)
    return replace(solution, values=np.where(np.isnan(known), solution.values, known))
