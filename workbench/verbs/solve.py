"""`solve`: graphical models and weighted clauses of other tools' files, by every engine."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from workbench.database.text_files import ending_of
from workbench.errors import InputError, UsageError
from workbench.inference import Engine, Solution, Status, make_engine
from workbench.inference.exact import Exact
from workbench.inference.rounded import fitted
from workbench.interchange import (
    FactorModel,
    GroundModel,
    WeightedClauses,
    as_clauses,
    as_factors,
    as_integer_program,
    format_uai,
    format_wcnf,
    ground_clauses,
    ground_factors,
    parse_evidence,
    parse_uai,
    parse_wcnf,
    write_integer_program,
)
from workbench.language.source import read_text
from workbench.network.energy import energy_offset
from workbench.progress import SILENT, Progress
from workbench.verbs.common import deadline_after
from workbench.verbs.solved_model import ModelTask, SolvedModel

LOG_10 = math.log(10.0)
PRECISION = 1e-3
"""What rounding may take from the logarithm of a probability."""

PARSERS: Mapping[str, Callable[[str, str], FactorModel | WeightedClauses]] = {
    ".uai": parse_uai,
    ".wcnf": parse_wcnf,
}
"""How models are read, by the endings of their files."""


def is_model(path: Path) -> bool:
    """Whether a file is a model of another tool, by its ending, plain or with .gz."""
    return ending_of(path)[0] in PARSERS


def read_model(path: str | os.PathLike[str]) -> FactorModel | WeightedClauses:
    """The model of a file by its ending: .uai or .wcnf, plain or with .gz.

    Raises E0710 or E0712 for what is no such model, E0714 for what cannot be read; E0713 for
    another ending.
    """
    source = Path(path)
    if not is_model(source):
        raise UsageError.of(
            "E0713",
            f"{source} is of no known form",
            help="models are .uai or .wcnf files, plain or with .gz",
        )
    return PARSERS[ending_of(source)[0]](read_text(source, "E0714"), str(source))


def solve_model(
    path: str | os.PathLike[str],
    *,
    evidence: str | os.PathLike[str] | None = None,
    task: ModelTask = "map",
    engine: str = "auto",
    seed: int = 0,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> SolvedModel:
    """The likeliest state, every variable's marginal, or the partition function of a model.

    Raises InputError, UsageError as `read_model`; E0711 for evidence that does not fit; E0402 to
    E0421 and E0804 for an engine that cannot do it.

    Parameters
    ----------
    path : path
        A .uai or .wcnf file; the energy of weighted clauses is the weight of those violated.
    evidence : path, optional
        UAI's evidence file, for .uai models.
    task : {'map', 'marginal', 'pr'}
    engine : str
        Of the task. `pr` is answered by variable elimination, `exact`, alone: `limit` where the
        model is too wide.
    time_limit : float, optional
        Seconds on the wall, reading included.
    """
    begun, deadline = perf_counter(), deadline_after(time_limit)
    model = read_model(path)
    ground = _ground(model, evidence)
    if not math.isfinite(ground.offset):
        reason = "a factor is 0 everywhere, or a hard clause is empty"
        return SolvedModel(task, Status.INFEASIBLE, "none", reason, perf_counter() - begun)
    if task != "map":
        _require_exact_logs(ground, path)
    solver = _engine(engine, task, ground)
    refused = solver.declines(ground.network, ground.weights)
    if refused is not None and task == "pr":
        return SolvedModel(task, Status.LIMIT, solver.name, refused, perf_counter() - begun)
    if refused is not None:
        raise UsageError.of(
            "E0804",
            f"engine {solver.name} declines this model: {refused}",
            help="try --engine auto",
        )
    solution = solver.solve(
        ground.network, ground.weights, seed=seed, deadline=deadline, progress=progress
    )
    answer = SolvedModel(task, solution.status, solution.engine, solution.reason, 0.0)
    if solution.status is not Status.INFEASIBLE:
        fill = _with_state if task == "map" else _with_distribution
        answer = fill(answer, model, ground, solution)
    return replace(answer, seconds=perf_counter() - begun)


def convert_model(source: str | os.PathLike[str], out: str | os.PathLike[str]) -> str:
    """Write a model in the form of the ending of `out`: .uai, .wcnf, .lp or .mps; what its values
    mean, in words.

    Raises InputError, UsageError as `read_model`; E0713 for another ending.
    """
    target = Path(out)
    if target.suffix not in (".uai", ".wcnf", ".lp", ".mps"):
        raise UsageError.of(
            "E0713", f"{target} is of no known form", help="write .uai, .wcnf, .lp or .mps"
        )
    model = read_model(source)
    if target.suffix == ".uai":
        factors = model if isinstance(model, FactorModel) else as_factors(model)
        target.write_text(format_uai(factors), encoding="utf-8")
        return (
            "the product of factors" if factors is model else "a state's product is exp(-its cost)"
        )
    clauses, constant = as_clauses(model) if isinstance(model, FactorModel) else (model, 0.0)
    note = (
        f"cost = {constant / LOG_10:.9g} x ln 10 - ln p"
        if isinstance(model, FactorModel)
        else "the same cost"
    )
    if target.suffix == ".wcnf":
        target.write_text(format_wcnf(clauses, note), encoding="utf-8")
    else:
        write_integer_program(as_integer_program(clauses), target)
    return note


def _ground(
    model: FactorModel | WeightedClauses, evidence: str | os.PathLike[str] | None
) -> GroundModel:
    if isinstance(model, FactorModel):
        known = None
        if evidence is not None:
            known = parse_evidence(read_text(Path(evidence), "E0714"), model.states, str(evidence))
        return ground_factors(model, known)
    if evidence is not None:
        raise UsageError.of(
            "E0711", "weighted clauses have no evidence file", help="write h lines of one literal"
        )
    return ground_clauses(model)


def _require_exact_logs(ground: GroundModel, path: str | os.PathLike[str]) -> None:
    """Refuse costs whose sums are rounded by more than a thousandth: probabilities are exponentials
    of their differences.
    """
    costs = ground.network.scale
    total = abs(ground.offset) + (0.0 if costs is None else float(costs.sum()))
    if total * np.finfo(np.float64).eps > PRECISION:
        raise InputError.of(
            "E0712",
            f"the weights of {path} add up to {total:g}: what tells states apart is lost in such "
            "sums, and probabilities with it",
            help="write clauses that must hold with h in place of a weight (before 2022: with TOP)",
        )


def _engine(name: str, task: ModelTask, ground: GroundModel) -> Engine:
    """The engine of a name for a task; one over [0, 1] solves the relaxation, which is rounded."""
    if task != "pr":
        return fitted(make_engine(name, task), ground.network)
    if name not in ("auto", "exact"):
        raise UsageError.of(
            "E0413",
            f"engine {name} does not compute the partition function",
            help="leave --engine out, or take exact",
        )
    return Exact(sums_only=True)


def _with_state(
    answer: SolvedModel,
    model: FactorModel | WeightedClauses,
    ground: GroundModel,
    solution: Solution,
) -> SolvedModel:
    """The state and its value, measured on the model itself, and the bound in the same terms."""
    chosen = ground.chosen(solution.values)
    unit = LOG_10 if isinstance(model, FactorModel) else 1.0
    least = (solution.bound - energy_offset(ground.network, ground.weights) - ground.offset) / unit
    energy = (
        -model.log_value(chosen) if isinstance(model, FactorModel) else model.cost(chosen)
    ) / unit
    # Added in another order, a proven energy may lie a rounding error below its own bound.
    least = min(least, energy)
    gap = (energy - least) / max(abs(energy), 1e-9) if math.isfinite(energy) else math.inf
    answer = replace(answer, chosen=chosen, gap=_finite(gap))
    if isinstance(model, FactorModel):
        return replace(answer, map_log10=_finite(-energy), bound=_finite(-least))
    return replace(answer, cost=_finite(energy), bound=_finite(least))


def _with_distribution(
    answer: SolvedModel,
    model: FactorModel | WeightedClauses,
    ground: GroundModel,
    solution: Solution,
) -> SolvedModel:
    """Marginals where asked for and found in time; the partition function where there is one."""
    log_z = solution.diagnostics.get("log_z", math.nan)
    assert isinstance(log_z, float)
    answer = replace(answer, log10_z=_finite((log_z + ground.offset) / LOG_10))
    if answer.task == "pr" or np.isnan(solution.values).any():
        return answer
    return replace(answer, probabilities=ground.probabilities(solution.values))


def _finite(value: float) -> float | None:
    """None for what JSON has no number for; 0 without a sign."""
    return value + 0.0 if math.isfinite(value) else None
