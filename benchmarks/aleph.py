"""Aleph itself, by SWI-Prolog on an Alzheimer set with the shipped modes: a rival's figures."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.alzheimer_data import DrugData
from workbench.arrays import Bool

_SETTINGS = (
    "i,2",
    "clauselength,5",
    "minpos,2",
    "noise,300",
    "evalfn,auto_m",
    "minscore,0.6",
    "nodes,5000",
)
_SEARCH_SEEDS = """
:- initialization(main).
main :- consult('aleph.pl'), read_all(set), forall(between(1, SEEDS, K),
    (statistics(cputime, A), sat(K), reduce,
    statistics(cputime, B), C is B - A, format("seed ~w seconds ~6f~n", [K, C]))), halt.
"""
_INDUCE = """
:- initialization(main).
main :- consult('aleph.pl'), read_all(set), statistics(cputime, A), induce_cover,
    statistics(cputime, B), C is B - A,
    test('test.f', noshow, P, _), test('test.n', noshow, N, _),
    format("~ntheory covers ~w positives ~w negatives seconds ~6f~n", [P, N, C]), halt.
"""


@dataclass(frozen=True)
class AlephTheory:
    """What Aleph's `induce_cover` came to on one fold.

    Attributes
    ----------
    accuracy : float
        Percent of the test examples.
    cpu_seconds : float
        Of the induction alone.
    """

    accuracy: float
    cpu_seconds: float


def clauses_a_second(data: DrugData, train: Bool, source: Path, seeds: int) -> tuple[int, float]:
    """Clauses made from the first training positives as seeds, and CPU seconds with saturation."""
    clauses, seconds, latest = 0, 0.0, 0
    for line in _run(
        data, train, source, _SEARCH_SEEDS.replace("SEEDS", str(seeds)), timeout=600
    ).splitlines():
        if found := re.match(r"\[clauses constructed\] \[(\d+)\]", line):
            latest = int(found[1])
        elif found := re.match(r"seed \d+ seconds ([\d.]+)", line):
            clauses, seconds = clauses + latest, seconds + float(found[1])
    return clauses, seconds


def induce(data: DrugData, train: Bool, source: Path) -> AlephTheory:
    """Aleph's theory of the training examples, scored on the other labelled ones. Takes minutes."""
    output = _run(data, train, source, _INDUCE, timeout=3600)
    found = re.search(r"theory covers (\d+) positives (\d+) negatives seconds ([\d.]+)", output)
    if found is None:
        raise RuntimeError(f"Aleph ended without a theory:\n{output[-2000:]}")
    label = data.examples.label[~train & ~np.isnan(data.examples.label)]
    right = int(found[1]) + int((label == 0).sum()) - int(found[2])
    return AlephTheory(100 * right / label.size, float(found[3]))


def _run(data: DrugData, train: Bool, source: Path, goal: str, timeout: float) -> str:
    """What Aleph prints; labelled examples outside `train` are written for its tests."""
    problem, names = data.problem, data.background.constants["a"]
    head = _atom(problem.target, ["+a", "+a"])
    background = [
        *(f":- set({setting})." for setting in _SETTINGS),
        f":- modeh(*,{head}).",
        *(
            f":- modeb(*,{_atom(mode.predicate, [f'{a.mark}{a.type}' for a in mode.arguments])})."
            for mode in problem.body_modes
        ),
        *(
            f":- determination({problem.target}/2,{mode.predicate}/{len(mode.arguments)})."
            for mode in problem.body_modes
        ),
        *(
            f"{_atom(predicate, row)}."
            for predicate, rows in problem.relations().items()
            for row in sorted(rows)
        ),
    ]
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        # A line of the release of 2007 that SWI-Prolog 9 refuses; nothing of the search depends on
        # it.
        text = re.sub(r"arithmetic_function\([^)]*\)", "true", source.read_text(encoding="latin-1"))
        (root / "aleph.pl").write_text(text, encoding="latin-1")
        (root / "set.b").write_text("\n".join(dict.fromkeys(background)) + "\n", encoding="utf-8")
        for stem, part in (("set", train), ("test", ~train)):
            for ending, label in (("f", 1), ("n", 0)):
                rows = data.examples.arguments[part & (data.examples.label == label)].tolist()
                lines = [f"{_atom(problem.target, [names[a], names[b]])}.\n" for a, b in rows]
                (root / f"{stem}.{ending}").write_text("".join(lines), encoding="utf-8")
        (root / "go.pl").write_text(goal, encoding="utf-8")
        done = subprocess.run(
            ["swipl", "-q", "go.pl"],
            cwd=root,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
        )
    return done.stdout + done.stderr


def _atom(predicate: str, arguments: Sequence[str]) -> str:
    return f"{predicate}({','.join(arguments)})"
