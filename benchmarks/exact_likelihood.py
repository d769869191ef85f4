"""L1-penalised weights of learned clauses: our solver against liblinear, at equal objective.

    python -m benchmarks.exact_likelihood [--set acetyl] [--clauses 10000] [--json]

The features are counts of satisfying substitutions of an even share of the clauses collected in
training on nine folds of one Alzheimer set, and a column of ones; many clauses are equal on the
examples, as they come from the search. Liblinear (through scikit-learn) gets tighter tolerances
until its objective is within 1e-5 of ours; only that last run is counted. The target is three times
its CPU time at most.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy.sparse import csc_array, csr_array, csr_matrix, hstack

from benchmarks.measuring import print_records
from experiments.alzheimer import SETTINGS
from experiments.alzheimer_data import DATA_SETS, load_drugs, our_modes
from workbench.learning.logistic import fit_logistic
from workbench.learning.logistic_objective import Penalty, objective
from workbench.resources import datasets_directory
from workbench.structure.induction import ClauseLearner

PENALTIES = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)
TOLERANCE = 1e-4
LIBLINEAR_TOLERANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)


def features(name: str, clauses: int) -> tuple[csc_array, np.ndarray]:
    """Counts of an even share of one set's collected clauses on nine folds, and the labels."""
    data = load_drugs(datasets_directory(), name)
    learner = ClauseLearner(
        data.background, data.examples, data.problem.head_mode, our_modes(), SETTINGS
    )
    train = data.folds["fold_orig"] > 1
    theory = learner.learn(train, loop="induce_cover")
    chosen = np.unique(np.linspace(0, len(theory.collected) - 1, clauses).astype(np.int64))
    counts = learner.cache.counts(learner.cache.body_parts(theory.collected[chosen]))
    matrix = csr_array(counts.T[train].astype(np.float64))
    return csc_array(hstack([matrix, np.ones((matrix.shape[0], 1))])), data.examples.label[train]


def liblinear(
    X: csr_matrix, target: np.ndarray, l1: float, goal: float
) -> tuple[float, float, float]:
    """CPU seconds, objective and tolerance of the loosest tolerance that reaches the goal."""
    from sklearn.linear_model import LogisticRegression

    seconds, value, tolerance = float("nan"), float("inf"), float("nan")
    for tolerance in LIBLINEAR_TOLERANCES:
        model = LogisticRegression(
            l1_ratio=1.0, C=1 / l1, solver="liblinear", fit_intercept=False, tol=tolerance,
            max_iter=100_000, random_state=0,
        )  # fmt: skip
        began = time.process_time()
        model.fit(X, target)
        seconds = time.process_time() - began
        value = objective(csr_array(X), target, model.coef_[0], Penalty(l1=l1))
        if value <= goal:
            break
    return seconds, value, tolerance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="acetyl", choices=DATA_SETS)
    parser.add_argument("--clauses", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    X, target = features(arguments.set, arguments.clauses)
    fit_logistic(X, target, Penalty(l1=50.0))
    rows = []
    for l1 in PENALTIES:
        began = time.process_time()
        fit = fit_logistic(X, target, Penalty(l1=l1), tolerance=TOLERANCE)
        seconds = time.process_time() - began
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, value, tolerance = liblinear(
                csr_matrix(X), target, l1, fit.objective * (1 + 1e-5)
            )
        rows.append(
            {
                "l1": l1,
                "examples": X.shape[0],
                "columns": X.shape[1],
                "density": round(X.nnz / (X.shape[0] * X.shape[1]), 3),
                "nonzero": int(np.count_nonzero(fit.weights)),
                "objective": round(fit.objective, 4),
                "gap": float(f"{fit.gap:.1e}"),
                "cpu_seconds": round(seconds, 3),
                "liblinear_seconds": round(theirs, 3),
                "liblinear_objective": round(value, 4),
                "liblinear_tolerance": tolerance,
                "ratio": round(seconds / theirs, 2),
            }
        )
    print_records(rows, arguments.json)


if __name__ == "__main__":
    main()
