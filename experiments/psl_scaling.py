"""Scaling of MAP inference on growing social networks: ADMM against interior points."""

from __future__ import annotations

import gzip
from pathlib import Path
from time import monotonic

import numpy as np
import pandas as pd

from experiments.experiment import Experiment, Reproduction
from workbench.arrays import Float
from workbench.database import Database, load_frame
from workbench.errors import UsageError
from workbench.grounding import GroundRequest, ground
from workbench.inference import make_engine
from workbench.inference.elsewhere import cpu_seconds
from workbench.language import parse_psl
from workbench.network import GroundNetwork

SIZES = (22050, 33075, 38588, 44100, 49613, 55125)
RELATIONS = {
    "knowswell": 0.3,
    "knows": 0.1,
    "boss": 0.05,
    "mentor": 0.1,
    "olderRelative": 0.7,
    "idol": 0.8,
}
BIAS_WEIGHT = 0.5
METRICS = ("CPU seconds", "energy", "relative error")
LARGEST_INTERIOR = 22050
LONGEST_INTERIOR = 900.0
"""Seconds on the wall, without building, after which interior points give what they have."""
_ENGINES = {"ADMM": "admm", "PDHG": "pdhg", "interior point": "clarabel"}


def program_text(power: int) -> str:
    """The voting model with linear (1) or squared (2) hinges."""
    mark = " ^2" if power == 2 else ""
    lines = [f"{BIAS_WEIGHT}: Bias(A, P) -> Votes(A, P){mark}"]
    lines += [
        f"{weight}: Votes(A, P) & {name}(B, A) -> Votes(B, P){mark}"
        for name, weight in RELATIONS.items()
    ]
    return "\n".join([*lines, "Votes(A, +P) <= 1 .", ""])


def measure(run: Reproduction) -> None:
    """Solve the six networks, linear and squared; `folds` takes the first so many sizes.

    The interior-point method (Clarabel) runs on the smallest network only: it is the paper's point
    that it stops scaling.
    """
    rows: dict[str, list[tuple[int, float]]] = {"linear": [], "squared": []}
    with run.measured.until_cancelled():
        for number, size in enumerate(SIZES[: run.folds]):
            for power, kind in enumerate(rows, start=1):
                run.progress.step(
                    "scaling", number, len(SIZES[: run.folds]), f"{size} persons, {kind}"
                )
                network, weights = _ground(
                    run.directory / "hlmrf" / "social" / f"socialNet{size}.txt.gz", power
                )
                found: dict[str, tuple[float, float]] = {}
                for system in run.systems:
                    if system == "interior point" and size > LARGEST_INTERIOR:
                        continue
                    with run.measured.timed(system):
                        answer = _solve(system, network, weights)
                    if answer is not None:
                        found[system] = answer
                if "ADMM" in found:
                    rows[kind].append((network.n_rows, found["ADMM"][0]))
                best = min((energy for _, energy in found.values()), default=np.nan)
                for system, (seconds, energy) in found.items():
                    figures = (seconds, energy, energy / best - 1.0)
                    run.measured.add(
                        system, f"{kind}, {size} persons", "1", dict(zip(METRICS, figures))
                    )
    run.measured.notes.extend(
        f"ADMM, {kind}: linear fit of CPU time on ground rows has R^2 = {_fit(points):.3f}."
        for kind, points in rows.items()
        if len(points) > 2
    )


def _solve(system: str, network: GroundNetwork, weights: Float) -> tuple[float, float] | None:
    """CPU seconds and energy of the system's answer; None where the time gave no point."""
    engine = make_engine(_ENGINES[system], "map", tolerance=1e-3)
    began = cpu_seconds()
    deadline = monotonic() + LONGEST_INTERIOR if system == "interior point" else None
    try:
        answer = engine.solve(network, weights, deadline=deadline)
    except UsageError:
        if deadline is None:
            raise
        return None
    return cpu_seconds() - began, answer.energy


def _fit(points: list[tuple[int, float]]) -> float:
    """R^2 of the least-squares line."""
    x, y = np.array(points, np.float64).T
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def _ground(path: Path, power: int) -> tuple[GroundNetwork, Float]:
    """Load one network's file and ground the model."""
    with gzip.open(path, "rt") as lines:
        table = pd.read_csv(
            lines, sep="\t", header=None, names=["subject", "relation", "object"], dtype=str
        )
    program = parse_psl(program_text(power))
    with Database.open() as database:
        database.declare(program)
        bias = table[table["relation"] == "anon1"]
        signed = bias["object"].astype(float)
        leaning = pd.DataFrame(
            {
                "a": bias["subject"],
                "p": np.where(signed > 0.0, "1", "0"),
                "value": signed.abs().clip(upper=1.0),
            }
        )
        load_frame(database, leaning, predicate="Bias", value="value")
        for name in RELATIONS:
            pairs = table.loc[table["relation"] == name, ["subject", "object"]].drop_duplicates()
            load_frame(database, pairs, predicate=name)
        persons = bias["subject"].to_numpy()
        targets = pd.DataFrame({"a": np.repeat(persons, 2), "p": np.tile(["0", "1"], persons.size)})
        load_frame(database, targets, predicate="Votes", partition="target")
        grounding = ground(database, program, GroundRequest(query=("Votes",)))
    return grounding.network, grounding.templates.weight


EXPERIMENTS = (Experiment.described("psl-scaling", measure, tuple(_ENGINES), clock=cpu_seconds),)
