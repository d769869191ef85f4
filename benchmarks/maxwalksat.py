"""MaxWalkSAT on friends and smokers against the exact optimum, and clause-occurrence visits a
CPU-second.

    python -m benchmarks.maxwalksat [--json] [--people N] [--seconds S]

The exact optimum is an integer program's, solved by HiGHS to a gap of zero.
"""

from __future__ import annotations

import argparse
from time import monotonic, process_time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack

from benchmarks.measuring import print_records
from benchmarks.smokers import WEIGHTS, smokers
from workbench.arrays import Float
from workbench.inference.maxwalksat import MaxWalkSAT
from workbench.network import GroundNetwork, energy_offset, network_from_clauses, reported_energy

SETTINGS = {
    "default weights": WEIGHTS,
    "weak prior": np.array([0.2, 0.3, 1.5, 1.1, 1.1]),
    "smokers and friends repel": np.array([0.4, 0.9, 1.5, -0.8, 1.1]),
}


def optimum(network: GroundNetwork, weights: Float) -> tuple[float, Float]:
    """Least reported energy and a state that has it: a continuous variable a ground clause."""
    effective = network.effective_weights(weights)
    A, b = network.A.astype(np.float64), network.b.astype(np.float64)
    n, m = network.n_atoms, network.n_rows
    # z >= ell for positive weights; for negative ones z <= 1 - literal of every literal, z <= 1 the
    # violated clause.
    rising = np.flatnonzero(effective > 0)
    sinking = np.flatnonzero(effective < 0)
    parts = [csr_array(hstack((A[rising], -eye_array(m).tocsr()[rising])))]
    limits = [-b[rising]]
    owner = np.repeat(np.arange(m), np.diff(A.indptr))
    entries = np.flatnonzero(np.isin(owner, sinking))
    count = entries.size
    literal = csr_array(
        (-A.data[entries], (np.arange(count), A.indices[entries])), shape=(count, n)
    )
    z = csr_array((np.ones(count), (np.arange(count), owner[entries])), shape=(count, m))
    parts.append(csr_array(hstack((literal, z))))
    limits.append(np.where(A.data[entries] < 0, 1.0, 0.0))
    cost = np.concatenate((-(network.unit @ weights), effective))
    answer = milp(
        cost,
        constraints=[
            LinearConstraint(part, -np.inf, limit)
            for part, limit in zip(parts, limits)
            if part.shape[0]
        ],
        bounds=Bounds(0, 1),
        integrality=np.concatenate((np.ones(n), np.zeros(m))),
        options={"mip_rel_gap": 0.0, "time_limit": 300},
    )
    state = np.round(answer.x[:n])
    lower = float(
        answer.mip_dual_bound + weights @ network.constant + energy_offset(network, weights)
    )
    return lower, state


def measure(people: int, seconds: float) -> list[dict[str, object]]:
    """A row a setting of the weights: the least energy proved, and what MaxWalkSAT finds."""
    results: list[dict[str, object]] = []
    network, _ = smokers(people)
    MaxWalkSAT(flips=10).solve(network, WEIGHTS)
    for setting, weights in SETTINGS.items():
        bound, state = optimum(network, weights)
        row: dict[str, object] = {
            "weights": setting,
            "people": people,
            "atoms": network.n_atoms,
            "ground_clauses": int(network.groundings[:, 0].sum()),
            "optimum_bound": bound,
            "integer_program": reported_energy(network, weights, state),
            "true_atoms": int(state.sum()),
        }
        for name, engine in (("default", MaxWalkSAT()), ("long", MaxWalkSAT(flips_per_atom=2000))):
            began = process_time()
            solution = engine.solve(network, weights, seed=1, deadline=monotonic() + seconds)
            spent = process_time() - began
            row[f"{name}_energy"] = solution.energy
            row[f"{name}_above"] = solution.energy / bound - 1
            row[f"{name}_cpu_seconds"] = spent
            row[f"{name}_steps"] = solution.diagnostics["steps"]
        results.append(row)
    return results


def throughput(atoms: int, clauses: int = 10_000, steps: int = 500_000) -> dict[str, object]:
    """Speed of the plain and of the default algorithm on random clauses of three literals."""
    rng = np.random.default_rng(atoms)
    signs = rng.choice([-1, 1], (clauses, 3))
    chosen = np.array([rng.choice(atoms, 3, replace=False) + 1 for _ in range(clauses)]) * signs
    network = network_from_clauses(atoms, chosen.tolist(), np.arange(clauses) % 20)
    weights = rng.normal(0.5, 1.0, 20)
    row: dict[str, object] = {"weights": f"{clauses} random clauses over {atoms} atoms"}
    plain = MaxWalkSAT(flips=steps, tries=1, noise=0.5, temperature=np.inf)
    for name, engine in (("plain", plain), ("cooling", MaxWalkSAT(flips=steps, tries=1))):
        began = process_time()
        solution = engine.solve(network, weights, seed=1)
        spent = process_time() - began
        row[f"{name}_energy"] = solution.energy
        row[f"{name}_million_visits_per_second"] = (
            int(str(solution.diagnostics["visits"])) / spent / 1e6
        )
        row[f"{name}_million_steps_per_second"] = (
            int(str(solution.diagnostics["steps"])) / spent / 1e6
        )
    return row


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--people", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    results = measure(options.people, options.seconds) + [
        throughput(atoms) for atoms in (300, 1000, 3000)
    ]
    print_records(results, options.json)


if __name__ == "__main__":
    main()
