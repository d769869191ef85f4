"""MAP with certificates: friends and smokers, random families, UW-CSE and Cora at learned weights.

    python -m benchmarks.mln_map [--json] [--people N] [--data-dir DIR] [--skip uw-cse]

Energies are reported energies: the weight of violated positive and satisfied negative clauses.
Seconds are of CPU, after compilation. "auto" is what `--engine auto` takes. Cora's hard
transitivity is grounded only where a state violates it; its rows are the ground rows solved, beside
those of grounding in full.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from time import monotonic

import numpy as np

from benchmarks.maxwalksat import SETTINGS
from benchmarks.measuring import print_records
from benchmarks.smokers import smokers
from workbench.arrays import Float
from workbench.errors import WorkbenchError
from workbench.inference import make_engine
from workbench.inference.aggregation import aggregate
from workbench.inference.elsewhere import cpu_seconds
from workbench.inference.linear_program import solve_highs
from workbench.inference.relaxation import solve_relaxation
from workbench.inference.solution import Solution
from workbench.network import GroundNetwork, network_from_clauses
from workbench.network.relax import relax
from workbench.progress import Conduct
from workbench.resources import datasets_directory

ENGINES = ("ilp", "lp", "cpi", "maxwalksat")
PARTS = ("smokers", "random", "relaxation", "counting", "uw-cse", "cora")


def measure(
    name: str, network: GroundNetwork, weights: Float, seconds: float
) -> Iterable[dict[str, object]]:
    """One row an engine."""
    for engine_name in ENGINES:
        engine = make_engine(engine_name, "map")
        began = cpu_seconds()
        solution = engine.solve(network, weights, deadline=monotonic() + seconds)
        yield _row(name, network, engine_name, solution, cpu_seconds() - began)


def _row(
    name: str, network: GroundNetwork, engine: str, solution: Solution, cpu_seconds: float
) -> dict[str, object]:
    return {
        "problem": name,
        "atoms": network.n_atoms,
        "rows": network.n_rows,
        "engine": engine,
        "status": str(solution.status),
        "energy": solution.energy,
        "bound": solution.bound,
        "gap": solution.gap if np.isfinite(solution.bound) else None,
        "hard_violation": solution.hard_violation,
        "rows_solved": solution.diagnostics.get("rows", network.n_rows),
        "cpu_seconds": cpu_seconds,
    }


def random_family(
    kind: str, n_atoms: int, n_rows: int, seed: int = 0
) -> tuple[GroundNetwork, Float]:
    """A random network: `mixed` 2-3 literals, `attractive` pairs, or `frustrated` pairs."""
    rng = np.random.default_rng(seed)
    width = rng.integers(2, 4, n_rows) if kind == "mixed" else np.full(n_rows, 2)
    clauses = []
    for k in width:
        atoms = rng.choice(n_atoms, int(k), replace=False) + 1
        signs = rng.choice([-1, 1], int(k)) if kind != "attractive" else np.array([-1, 1])
        clauses.append((atoms * signs).tolist())
    units = [[int(atom)] for atom in range(1, n_atoms + 1)]
    template = rng.integers(0, 20, n_rows)
    unit_template = 20 + rng.integers(0, 20, n_atoms)
    network = network_from_clauses(
        n_atoms, clauses + units, np.concatenate([template, unit_template]), n_templates=40
    )
    weights = np.concatenate([rng.normal(size=20), rng.normal(size=20) * 2.0])
    if kind != "mixed":
        weights[:20] = np.abs(weights[:20])
    return network, weights


def relaxations(seed: int = 0) -> Iterable[dict[str, object]]:
    """The relaxation of a mixed network of 100,000 clauses by the first-order engine."""
    network, weights = random_family("mixed", 20_000, 100_000, seed)
    problem = relax(network, weights)
    for tolerance in (1e-3, 1e-4):
        began = cpu_seconds()
        answer = solve_relaxation(problem, "pdhg", tolerance=tolerance)
        yield {
            "problem": f"relaxation of 100,000 clauses, tolerance {tolerance:g}",
            "atoms": network.n_atoms,
            "rows": network.n_rows,
            "engine": "pdhg",
            "status": answer.status,
            "energy": answer.objective,
            "bound": answer.bound,
            "gap": (answer.objective - answer.bound) / abs(answer.objective),
            "hard_violation": problem.violation(answer.x),
            "rows_solved": problem.n_hinges,
            "cpu_seconds": cpu_seconds() - began,
        }


def counting(seconds: float, seed: int = 0) -> Iterable[dict[str, object]]:
    """An integer program with and without rows merged: `!A(i) v !B(j) v C(i)` of most pairs."""
    rng = np.random.default_rng(seed)
    n = 400
    pairs = np.argwhere(rng.random((n, n)) < 0.6)
    clauses = [[-(i + 1), -(n + j + 1), 2 * n + i + 1] for i, j in pairs.tolist()] + [
        [k + 1] for k in range(3 * n)
    ]
    template = np.concatenate([np.zeros(len(pairs), np.int64), 1 + np.arange(3 * n)])
    network = network_from_clauses(3 * n, clauses, template, n_templates=1 + 3 * n)
    size = rng.uniform(0.1, 0.36 * n, 3 * n)
    weights = np.concatenate([[1.0], np.where(np.arange(3 * n) < 2 * n, size, -size)])
    problem = relax(network, weights)
    for name, program in (("plain", problem), ("counting", aggregate(problem))):
        began = cpu_seconds()
        answer = solve_highs(program, integer=True, conduct=Conduct(deadline=monotonic() + seconds))
        yield {
            "problem": f"integer program, {name} rows",
            "atoms": network.n_atoms,
            "rows": network.n_rows,
            "engine": "HiGHS",
            "status": answer.status,
            "energy": answer.objective,
            "bound": answer.bound,
            "gap": (answer.objective - answer.bound) / abs(answer.objective),
            "hard_violation": 0.0,
            "rows_solved": program.n_hinges,
            "cpu_seconds": cpu_seconds() - began,
        }


def uw_cse(data_dir: Path, seconds: float) -> Iterable[dict[str, object]]:
    """Each area at weights that the voted perceptron learned on the other four; student and
    professor open too.

    Its settings are those of `reproduce uw-cse`, its start the one that held-out areas prefer in
    most folds there.
    """
    from experiments.grounded import ground_worlds
    from experiments.uw_cse import AREAS, OPEN, load
    from workbench.database import Database
    from workbench.learning import make_learner

    with Database.open() as database:
        program = load(database, data_dir / "uw-cse")
        worlds, templates = ground_worlds(database, program, AREAS, query=OPEN)
    for test, world in enumerate(worlds):
        train = [other.example for number, other in enumerate(worlds) if number != test]
        learner = make_learner(
            "voted_perceptron",
            engine=make_engine("maxwalksat", flips_per_atom=1, tries=1),
            counts="gibbs",
            sweeps=5,
            search_every=10,
            iterations=100,
            per_weight=True,
            step=1.0,
            start="pseudo_likelihood",
        )
        weights = learner.fit(train, templates).weights
        yield from measure(f"UW-CSE {world.name}", world.network, weights, seconds)


TRANSITIVITY = "!SameBib(a, b) v !SameBib(b, c) v SameBib(a, c)."


def cora(data_dir: Path, seconds: float) -> Iterable[dict[str, object]]:
    """A fold of Cora at weights of another, citations transitive, by cutting planes over SQL."""
    from experiments.cora import COLUMNS, load
    from experiments.grounded import ground_worlds
    from workbench.database import Database
    from workbench.grounding import GroundRequest, ground_lazily, preview
    from workbench.inference.cutting_plane import CuttingPlane
    from workbench.language import parse_mln
    from workbench.learning import make_learner
    from workbench.verbs.written_rules import learned_text

    with Database.open() as database:
        program = load(database, data_dir / "cora-er", ("1", "2"))
        worlds, templates = ground_worlds(database, program, ("2",), query=tuple(COLUMNS))
        weights = make_learner("pseudo_likelihood").fit([worlds[0].example], templates).weights
        program = parse_mln(f"{learned_text(program, templates, weights)}\n{TRANSITIVITY}\n")
        closed = tuple(name for name in program.predicates if name not in COLUMNS)
        request = GroundRequest(query=tuple(COLUMNS), closed=closed, role="learn", worlds=("1",))
        full = preview(database, program, request, samples=0).rules[-1]
        for inner in ("ilp", "lp", "maxwalksat"):
            lazy = ground_lazily(database, program, request, rules=(len(program.rules) - 1,))
            network, given = lazy.grounding.network, lazy.grounding.templates.weight
            engine = CuttingPlane(make_engine(inner, "map"), lazy.source)
            began = cpu_seconds()
            solution = engine.solve(network, given, deadline=monotonic() + seconds)
            yield _row(
                "Cora fold 1, transitive citations",
                network,
                f"cpi/{inner}",
                solution,
                cpu_seconds() - began,
            ) | {
                "rows_in_full": network.n_rows + full.open,
                "lazy_rows": solution.diagnostics["rows_added"],
                "lazy_rows_in_full": full.open,
            }
            lazy.source.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--people", type=int, default=4000)
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="wall-clock limit of one engine on one problem"
    )
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--skip", action="append", default=[], choices=PARTS)
    options = parser.parse_args()
    small, w = smokers(50)
    list(measure("", small, w, 60.0))
    rows: list[dict[str, object]] = []
    if "smokers" not in options.skip:
        for setting, weights in SETTINGS.items():
            network, _ = smokers(options.people)
            rows += measure(
                f"smokers {options.people}, {setting}", network, weights, options.seconds
            )
    if "random" not in options.skip:
        for kind in ("attractive", "mixed", "frustrated"):
            rows += measure(
                f"random {kind}", *random_family(kind, 2000, 8000), min(options.seconds, 20.0)
            )
    if "relaxation" not in options.skip:
        rows += relaxations()
    if "counting" not in options.skip:
        rows += counting(options.seconds)
    for name, part in (("uw-cse", uw_cse), ("cora", cora)):
        if name not in options.skip:
            try:
                rows += part(datasets_directory(options.data_dir), options.seconds)
            except WorkbenchError as error:
                print(f"{name} is left out: {error}")
    print_records(rows, options.json)


if __name__ == "__main__":
    main()
