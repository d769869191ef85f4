"""MC-SAT on friends and smokers: speed at 1,000 people, accuracy against exact marginals at 50.

python -m benchmarks.mcsat [--json]
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from benchmarks.measuring import print_records
from benchmarks.smokers import smokers
from workbench.inference.exact import Exact
from workbench.inference.mcsat import MCSAT


def speed(people: int = 1000, samples: int = 500) -> dict[str, object]:
    """CPU seconds of `samples` recorded samples, burn-in and start included, after compilation."""
    network, weights = smokers(people)
    MCSAT(samples=8, burn_in=1).solve(network, weights)
    began = process_time()
    solution = MCSAT(samples=samples, burn_in=10, chains=4).solve(network, weights, seed=1)
    seconds = process_time() - began
    return {
        "people": people,
        "atoms": network.n_atoms,
        "ground_clauses": int(network.groundings[:, 0].sum()),
        "samples": samples,
        "cpu_seconds": seconds,
        "samples_per_second": samples / seconds,
        "r_hat": solution.diagnostics["r_hat"],
        "effective_samples": solution.diagnostics["effective_samples"],
    }


def accuracy(people: int = 50, seeds: int = 10, samples: int = 500) -> dict[str, object]:
    """Mean absolute error of the probabilities over atoms and seeds, Rao-Blackwell and raw."""
    network, weights = smokers(people)
    exact = Exact("marginal").solve(network, weights).values
    engine = MCSAT(samples=samples)
    errors, raw = [], []
    for seed in range(seeds):
        solution = engine.solve(network, weights, seed=seed)
        errors.append(np.abs(solution.values - exact).mean())
        raw.append(np.abs(np.asarray(solution.diagnostics["raw_probability"]) - exact).mean())
    return {
        "people": people,
        "seeds": seeds,
        "samples": samples,
        "mean_error": float(np.mean(errors)),
        "worst_seed": float(np.max(errors)),
        "raw_mean_error": float(np.mean(raw)),
    }


def main() -> None:
    """Print both tables."""
    print_records({"speed": speed(), "accuracy": accuracy()}, "--json" in sys.argv)


if __name__ == "__main__":
    main()
