"""Clause search on the Alzheimer sets: clauses evaluated a second, and CPU and memory of ten folds.

    python -m benchmarks.structure [--sets memory,amine] [--constants] [--aleph aleph.pl] [--json]

Aleph 5 on SWI-Prolog 9 was measured at 100 to 208 s of CPU a fold with the shipped modes. With `--aleph` and an
`aleph.pl` of your own it is run in the same run, on the first positives of the training examples of fold 1 as seeds,
with the shipped modes (recall `*`) and the settings of the search with variables only. The target is at least ten times
its clauses a second: ten folds with variables only under 30 s of CPU, with constants under 10 minutes and 4 GiB.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from workbench.experiments.alzheimer import SETTINGS
from workbench.experiments.alzheimer_data import DATA_SETS, load_drugs, our_modes
from workbench.resources import datasets_directory
from workbench.structure.induction import ClauseLearner

ALEPH_SECONDS_A_FOLD = (100.0, 208.0)
ALEPH_SEEDS = 20
ALEPH_SETTINGS = "set(i,2). set(clauselength,5). set(minpos,2). set(noise,300). set(evalfn,auto_m). set(minscore,0.6). "
ALEPH_GOAL = """
:- initialization(main).
main :- consult('aleph.pl'), read_all(set), forall(between(1, SEEDS, K), (statistics(cputime, A), sat(K), reduce,
    statistics(cputime, B), C is B - A, format("seed ~w seconds ~6f~n", [K, C]))), halt.
"""


def measure(name: str, constants: bool) -> dict[str, object]:
    """Ten folds of one set, every clause scored on all examples; CPU seconds, compiled code already loaded.

    With constants every clause that covers a positive is kept, so that `distinct_kept` counts distinct clauses.
    """
    data = load_drugs(datasets_directory(), name)
    if constants:
        everything = {"minpos": 1, "noise": 2**31 - 1, "minscore": -np.inf, "collect": -np.inf}
        modes, settings = our_modes(), replace(SETTINGS, nodes=100_000, **everything)
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
        "distinct_kept": learner.cache.n_bodies,
        "components": learner.cache.n_components,
        "cpu_seconds": round(seconds, 2),
        "clauses_a_second": round(nodes / seconds),
        "theory_accuracy": round(100 * float(np.mean(accuracy)), 2),
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "aleph_cpu_seconds": [10 * value for value in ALEPH_SECONDS_A_FOLD],
    }


def measure_aleph(name: str, source: Path) -> dict[str, object]:
    """Clauses a second of Aleph on SWI-Prolog, saturation included."""
    data = load_drugs(datasets_directory(), name)
    problem, names = data.problem, data.background.constants["a"]
    modes = [f":- modeb(*,{_atom(mode.predicate, [f'{a.mark}{a.type}' for a in mode.arguments])})." for mode in
             problem.body_modes]  # fmt: skip
    arity = {mode.predicate: len(mode.arguments) for mode in problem.body_modes}
    facts = [f"{_atom(p, row)}." for p, rows in problem.relations().items() for row in sorted(rows)]
    head = _atom(problem.target, ["+a", "+a"])
    background = [
        *(f":- {setting}." for setting in ALEPH_SETTINGS.strip(" .").split(". ")),
        f":- modeh(*,{head}).",
        *modes,
        *(f":- determination({problem.target}/2,{predicate}/{size})." for predicate, size in arity.items()),
        *facts,
    ]
    train = data.folds["fold_orig"] > 1
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        # A line of the release of 2007 that SWI-Prolog 9 refuses; nothing of the search depends on it.
        text = re.sub(r"arithmetic_function\([^)]*\)", "true", source.read_text(encoding="latin-1"))
        (root / "aleph.pl").write_text(text, encoding="latin-1")
        (root / "set.b").write_text("\n".join(background) + "\n", encoding="utf-8")
        for ending, label in (("f", 1), ("n", 0)):
            rows = data.examples.arguments[train & (data.examples.label == label)].tolist()
            lines = [f"{_atom(problem.target, [names[a], names[b]])}.\n" for a, b in rows]
            (root / f"set.{ending}").write_text("".join(lines), encoding="utf-8")
        (root / "go.pl").write_text(ALEPH_GOAL.replace("SEEDS", str(ALEPH_SEEDS)), encoding="utf-8")
        done = subprocess.run(
            ["swipl", "-q", "go.pl"],
            cwd=root,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=600,
            check=False,
        )
    clauses, seconds, latest = 0, 0.0, 0
    for line in (done.stdout + done.stderr).splitlines():
        if found := re.match(r"\[clauses constructed\] \[(\d+)\]", line):
            latest = int(found[1])
        elif found := re.match(r"seed \d+ seconds ([\d.]+)", line):
            clauses, seconds = clauses + latest, seconds + float(found[1])
    return {
        "set": name,
        "system": "Aleph",
        "seeds": ALEPH_SEEDS,
        "clauses_evaluated": clauses,
        "cpu_seconds": round(seconds, 2),
        "clauses_a_second": round(clauses / seconds) if seconds else None,
    }


def _atom(predicate: str, arguments: Sequence[str]) -> str:
    return f"{predicate}({','.join(arguments)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(DATA_SETS))
    parser.add_argument("--constants", action="store_true", help="our modes, with constants")
    parser.add_argument("--aleph", type=Path, help="an aleph.pl, to be run by swipl on the same data")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.sets.split(","):
        rows.append(measure(name, arguments.constants))
        if arguments.aleph is not None:
            rows.append(measure_aleph(name, arguments.aleph))
    if arguments.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
