"""Clause search on the Alzheimer sets: clauses evaluated a second, and CPU and memory of ten folds.

    python -m benchmarks.structure [--sets memory,amine] [--constants] [--aleph aleph.pl
    [--aleph-folds 1]] [--json]

Aleph 5 on SWI-Prolog 9 was measured at 100 to 208 s of CPU a fold with the shipped modes. With
`--aleph` and an `aleph.pl` of your own it is run in the same run, with the shipped modes (recall
`*`) and the settings of the search with variables only: on the first positives of the training
examples of fold 1 as seeds, and with `--aleph-folds` to the end of so many folds, whose theories
are compared with ours. The target is at least ten times its clauses a second: ten folds with
variables only under 30 s of CPU, with constants under 10 minutes and 4 GiB.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import aleph
from benchmarks.measuring import print_records
from experiments.alzheimer import SETTINGS, SHIPPED_SETTINGS
from experiments.alzheimer_data import DATA_SETS, load_drugs, our_modes
from workbench.resources import datasets_directory
from workbench.structure.induction import ClauseLearner

ALEPH_SECONDS_A_FOLD = (100.0, 208.0)
ALEPH_SEEDS = 20


def measure(name: str, constants: bool) -> dict[str, object]:
    """Ten folds of one set, every clause scored on all examples; CPU seconds, compiled code already
    loaded.

    With constants every clause that covers a positive is kept, so that `distinct_kept` counts
    distinct clauses.
    """
    data = load_drugs(datasets_directory(), name)
    if constants:
        everything = {"minpos": 1, "noise": 2**31 - 1, "minscore": -np.inf, "collect": -np.inf}
        modes, settings = our_modes(), replace(SETTINGS, nodes=100_000, **everything)
    else:
        modes, settings = data.shipped_modes(), SHIPPED_SETTINGS
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
        accuracy.append(
            float(np.mean(learner.predict(theory)[test] == (data.examples.label[test] == 1)))
        )
        nodes += theory.nodes
    seconds = time.process_time() - began
    return {
        "set": name,
        "constants": constants,
        "clauses_evaluated": nodes,
        "distinct_kept": learner.cache.n_bodies,
        "components": learner.cache.n_components,
        "cpu_seconds": round(seconds, 2),
        "clauses_a_second": round(nodes / seconds),
        "theory_accuracy": round(100 * float(np.mean(accuracy)), 2),
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "aleph_cpu_seconds": [10 * value for value in ALEPH_SECONDS_A_FOLD],
    }


def measure_aleph(name: str, source: Path) -> dict[str, object]:
    """Clauses a second of Aleph on SWI-Prolog, on fold 1."""
    data = load_drugs(datasets_directory(), name)
    clauses, seconds = aleph.clauses_a_second(
        data, data.folds["fold_orig"] > 1, source, ALEPH_SEEDS
    )
    return {
        "set": name,
        "system": "Aleph",
        "seeds": ALEPH_SEEDS,
        "clauses_evaluated": clauses,
        "cpu_seconds": round(seconds, 2),
        "clauses_a_second": round(clauses / seconds) if seconds else None,
    }


def compare_theories(name: str, source: Path, folds: int) -> Iterator[dict[str, object]]:
    """Test accuracy and CPU seconds of `induce_cover`, Aleph's and ours, on the first folds."""
    data = load_drugs(datasets_directory(), name)
    member = data.folds["fold_orig"]
    head, modes = data.problem.head_mode, data.shipped_modes()
    for fold in range(1, folds + 1):
        train, test = (member > 0) & (member != fold), member == fold
        began = time.process_time()
        learner = ClauseLearner(data.background, data.examples, head, modes, SHIPPED_SETTINGS)
        guess = learner.predict(learner.learn(train, loop="induce_cover"))
        seconds = time.process_time() - began
        theirs = aleph.induce(data, train, source)
        yield {
            "set": name,
            "fold": fold,
            "accuracy": round(
                100 * float(np.mean(guess[test] == (data.examples.label[test] == 1))), 2
            ),
            "cpu_seconds": round(seconds, 2),
            "aleph_accuracy": round(theirs.accuracy, 2),
            "aleph_cpu_seconds": round(theirs.cpu_seconds, 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(DATA_SETS))
    parser.add_argument("--constants", action="store_true", help="our modes, with constants")
    parser.add_argument(
        "--aleph", type=Path, help="an aleph.pl, to be run by swipl on the same data"
    )
    parser.add_argument(
        "--aleph-folds",
        type=int,
        default=0,
        help="folds on which Aleph's theory is compared with ours",
    )
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.sets.split(","):
        rows.append(measure(name, arguments.constants))
        if arguments.aleph is not None:
            rows.append(measure_aleph(name, arguments.aleph))
            rows.extend(compare_theories(name, arguments.aleph, arguments.aleph_folds))
    print_records(rows, arguments.json)


if __name__ == "__main__":
    main()
