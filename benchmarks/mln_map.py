"""MAP with certificates: friends and smokers, random families, UW-CSE at learned weights.

    python -m benchmarks.mln_map [--json] [--people N] [--data-dir DIR] [--skip uw-cse]

Energies are reported energies: the weight of violated positive and satisfied negative clauses. Seconds are of CPU,
after compilation. "auto" is what `--engine auto` takes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from time import monotonic, process_time

import numpy as np
import numpy.typing as npt

from benchmarks.maxwalksat import SETTINGS
from benchmarks.smokers import smokers
from workbench.errors import WorkbenchError
from workbench.inference import make_engine
from workbench.inference.relaxation import solve_relaxation
from workbench.network import GroundNetwork, network_from_clauses
from workbench.network.relax import relax
from workbench.resources import datasets_directory

Float = npt.NDArray[np.float64]
ENGINES = ("ilp", "lp", "cpi", "maxwalksat")


def measure(name: str, network: GroundNetwork, weights: Float, seconds: float) -> Iterable[dict[str, object]]:
    """One row an engine."""
    for engine_name in ENGINES:
        engine = make_engine(engine_name, "map")
        began = process_time()
        solution = engine.solve(network, weights, deadline=monotonic() + seconds)
        yield {
            "problem": name,
            "atoms": network.n_atoms,
            "rows": network.n_rows,
            "engine": engine_name,
            "status": str(solution.status),
            "energy": solution.energy,
            "bound": solution.bound,
            "gap": solution.gap if np.isfinite(solution.bound) else None,
            "hard_violation": solution.hard_violation,
            "rows_solved": solution.diagnostics.get("rows", network.n_rows),
            "cpu_seconds": process_time() - began,
        }


def random_family(kind: str, n_atoms: int, n_rows: int, seed: int = 0) -> tuple[GroundNetwork, Float]:
    """A random network: `mixed` 2-3 literals of either weight, `attractive` pairs, or `frustrated` pairs."""
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
    network = network_from_clauses(n_atoms, clauses + units, np.concatenate([template, unit_template]), n_templates=40)
    weights = np.concatenate([rng.normal(size=20), rng.normal(size=20) * 2.0])
    if kind != "mixed":
        weights[:20] = np.abs(weights[:20])
    return network, weights


def relaxations(seed: int = 0) -> Iterable[dict[str, object]]:
    """The relaxation of a mixed network of 100,000 clauses by the first-order engine."""
    network, weights = random_family("mixed", 20_000, 100_000, seed)
    problem = relax(network, weights)
    for tolerance in (1e-3, 1e-4):
        began = process_time()
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
            "cpu_seconds": process_time() - began,
        }


def uw_cse(data_dir: Path, seconds: float) -> Iterable[dict[str, object]]:
    """Each area at weights that the voted perceptron learned on the other four; student and professor open too."""
    from workbench.database import Database
    from workbench.experiments.grounded import ground_worlds
    from workbench.experiments.uw_cse import AREAS, OPEN, load
    from workbench.learning import make_learner

    with Database.open() as database:
        program = load(database, data_dir / "uw-cse")
        worlds, templates = ground_worlds(database, program, AREAS, query=OPEN)
    for test, world in enumerate(worlds):
        train = [other.example for number, other in enumerate(worlds) if number != test]
        learner = make_learner("voted_perceptron", iterations=50, step=1e-3)
        weights = learner.fit(train, templates).weights
        yield from measure(f"UW-CSE {world.name}", world.network, weights, seconds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--people", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=60.0, help="wall-clock limit of one engine on one problem")
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--skip", action="append", default=[], choices=["smokers", "random", "relaxation", "uw-cse"])
    options = parser.parse_args()
    small, w = smokers(50)
    list(measure("", small, w, 60.0))
    rows: list[dict[str, object]] = []
    if "smokers" not in options.skip:
        for setting, weights in SETTINGS.items():
            network, _ = smokers(options.people)
            rows += measure(f"smokers {options.people}, {setting}", network, weights, options.seconds)
    if "random" not in options.skip:
        for kind in ("attractive", "mixed", "frustrated"):
            rows += measure(f"random {kind}", *random_family(kind, 2000, 8000), min(options.seconds, 20.0))
    if "relaxation" not in options.skip:
        rows += relaxations()
    if "uw-cse" not in options.skip:
        try:
            rows += uw_cse(datasets_directory(options.data_dir), options.seconds)
        except WorkbenchError as error:
            print(f"UW-CSE is left out: {error}")
    if options.json:
        print(json.dumps(rows))
        return
    print(f"{'problem':44} {'engine':10} {'status':9} {'energy':>12} {'bound':>12} {'gap':>9} {'rows':>8} {'CPU s':>7}")
    for row in rows:
        gap = "" if row["gap"] is None else f"{row['gap']:9.2g}"
        energies = f"{row['energy']:12.2f} {row['bound']:12.2f} {gap:>9}"
        named = f"{row['problem']!s:44} {row['engine']!s:10} {row['status']!s:9}"
        print(f"{named} {energies} {row['rows_solved']!s:>8} {row['cpu_seconds']:7.2f}")


if __name__ == "__main__":
    main()
