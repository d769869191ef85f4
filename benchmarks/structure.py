"""Clause search on the Alzheimer sets: clauses evaluated a second, and CPU and memory of ten folds.

    python -m benchmarks.structure [--sets memory,amine] [--constants] [--json]

Aleph 5 on SWI-Prolog 9 was measured at 100 to 208 s of CPU a fold with the shipped modes; it is not run from here.
The target is at least ten times its clauses a second: ten folds with variables only under 30 s of CPU, with constants
under 10 minutes and 4 GiB.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from dataclasses import replace

import numpy as np

from workbench.experiments.alzheimer import SETTINGS
from workbench.experiments.alzheimer_data import DATA_SETS, load_drugs, our_modes
from workbench.resources import datasets_directory
from workbench.structure.induction import ClauseLearner

ALEPH_SECONDS_A_FOLD = (100.0, 208.0)


def measure(name: str, constants: bool) -> dict[str, object]:
    """Ten folds of one set, every clause scored on all examples; CPU seconds, compiled code already loaded."""
    data = load_drugs(datasets_directory(), name)
    if constants:
        modes, settings = our_modes(), replace(SETTINGS, nodes=100_000)
    else:
        modes = tuple(replace(mode, recall=None) for mode in data.problem.body_modes)
        settings = replace(SETTINGS, i=2, nodes=5000, explore=False)
    member = data.folds["fold_orig"]
    head = data.problem.head_mode
    warm = ClauseLearner(data.background, data.examples, head, modes, replace(settings, nodes=200))
    warm.learn(member == 1, loop="induce_cover")
    learner = ClauseLearner(data.background, data.examples, head, modes, settings)
    began = time.process_time()
    accuracy: list[float] = []
    nodes = 0
    for fold in range(1, 11):
        theory = learner.learn((member > 0) & (member != fold), loop="induce_cover")
        test = member == fold
        accuracy.append(float(np.mean(learner.predict(theory)[test] == (data.examples.label[test] == 1))))
        nodes += theory.nodes
    seconds = time.process_time() - began
    return {
        "set": name,
        "constants": constants,
        "clauses_evaluated": nodes,
        "collected": learner.cache.n_bodies,
        "components": learner.cache.n_components,
        "cpu_seconds": round(seconds, 2),
        "clauses_a_second": round(nodes / seconds),
        "theory_accuracy": round(100 * float(np.mean(accuracy)), 2),
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "aleph_cpu_seconds": [10 * value for value in ALEPH_SECONDS_A_FOLD],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(DATA_SETS))
    parser.add_argument("--constants", action="store_true", help="our modes, with constants")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = [measure(name, arguments.constants) for name in arguments.sets.split(",")]
    if arguments.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
