"""Citation segmentation (Huynh & Mooney 2009, Tables 3 and 4)."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.arrays import Float
from workbench.database import Database, load_alchemy_text
from workbench.experiments.experiment import Experiment, Reproduction
from workbench.experiments.margin_study import MarginStudy, ground_study, score_systems
from workbench.experiments.table import published_figures
from workbench.language import read_program
from workbench.language.program import Program

__all__ = ["EXPERIMENTS", "load"]

COLUMNS = ("Constraint", "Face", "Reasoning", "Reinforcement")
PENALTIES = (0.1, 0.3, 1.0, 3.0)
SENSITIVITY = (1.0, 10.0, 100.0, 1000.0, 10000.0)
PSCG_ITERATIONS = (5, 10, 15, 20, 100)

_FIGURES: Mapping[str, tuple[float, ...]] = {
    "PSCG-MCSAT": (0.937, 0.914, 0.931, 0.975, 0.939),
    "MM-Hamming-LPRelax": (0.933, 0.922, 0.924, 0.958, 0.934),
    "PSCG-MCSAT-5": (0.852, 0.844, 0.836, 0.923, 0.864),
    "PSCG-MCSAT-10": (0.937, 0.914, 0.931, 0.973, 0.939),
    "PSCG-MCSAT-15": (0.878, 0.896, 0.780, 0.891, 0.861),
    "PSCG-MCSAT-20": (0.850, 0.859, 0.710, 0.784, 0.801),
    "PSCG-MCSAT-100": (0.658, 0.697, 0.600, 0.668, 0.656),
    "MM-Hamming-LPRelax-1": (0.933, 0.922, 0.924, 0.955, 0.934),
    "MM-Hamming-LPRelax-10": (0.926, 0.922, 0.925, 0.955, 0.932),
    "MM-Hamming-LPRelax-100": (0.926, 0.922, 0.925, 0.954, 0.932),
    "MM-Hamming-LPRelax-1000": (0.931, 0.918, 0.925, 0.958, 0.933),
    "MM-Hamming-LPRelax-10000": (0.932, 0.922, 0.919, 0.968, 0.935),
}
PUBLISHED = published_figures((*COLUMNS, "average"), ("F1",), _FIGURES) | {
    ("contrastive divergence, reported elsewhere", "average", "F1"): 0.944
}

SYSTEMS: Mapping[str, tuple[str, float, str]] = (
    {"MM-Hamming-LPRelax": ("held out", 0.0, "lp")}
    | {f"MM-Hamming-LPRelax-{penalty:g}": ("penalty", penalty, "lp") for penalty in SENSITIVITY}
    | {"PSCG-MCSAT": ("pscg", 10.0, "mcsat")}
    | {f"PSCG-MCSAT-{number}": ("pscg", float(number), "mcsat") for number in PSCG_ITERATIONS}
)
"""System: how it is trained, with which C or how many iterations, and the engine that predicts."""

NOTES = (
    "Three query atoms a token, as in the paper; positions without a token are closed by a hard rule. Unlabelled "
    "tokens (parentheses, years) have all three fields false.",
    "MM-Hamming-LPRelax: C is the one that predicts held-out training topics best, among 0.1, 0.3, 1 and 3. Cuts are "
    "the relaxation's optima, which generate more than the states do (Finley & Joachims 2008); the paper rounds them. "
    "Training stops at a duality gap of 5 % or after 60 cuts.",
    "PSCG-MCSAT without a number stops after 10 iterations, the paper's best.",
)


def load(database: Database, directory: Path, topics: Sequence[str] = COLUMNS) -> Program:
    """Load the topics, one world each, with the positions that hold a token as `HasToken`."""
    program = read_program(Path(__file__).parent / "programs" / "citeseer.mln")
    database.declare(program)
    for name in topics:
        path = directory / "alchemy-form" / f"{name.lower()}.db.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            facts = file.read()
        tokens = re.findall(r"^Token\([^,]*,([^,]*),([^)]*)\)", facts, re.MULTILINE)
        present = [f"HasToken({bib},{position})" for position, bib in sorted(set(tokens))]
        load_alchemy_text(database, "\n".join([facts, *present]), name=path.name, world=name)
    return program


def measure(run: Reproduction) -> None:
    """Leave one topic out: train on the other three, predict every token's field."""
    with Database.open() as database:
        program = load(database, run.directory / "citeseer")
        study = ground_study(
            database, program, COLUMNS, "InField", penalties=PENALTIES, cuts=("fractional",), progress=run.progress
        )
    score_systems(run, study, {system: engine for system, (_, _, engine) in SYSTEMS.items()}, _weights)


def _weights(study: MarginStudy, test: int, system: str) -> tuple[Float, str]:
    """The weights of a system for a test world, and what was chosen for it."""
    trainer, number, _ = SYSTEMS[system]
    if trainer == "held out":
        weights, candidate = study.max_margin(test, "hamming")
        return weights, f"C = {candidate.penalty:g}"
    if trainer == "penalty":
        return study.at_penalties(test, SENSITIVITY, "fractional")[number], ""
    others = [world for world in range(len(COLUMNS)) if world != test]
    return study.likelihood(others, PSCG_ITERATIONS)[int(number)], ""


EXPERIMENTS = (
    Experiment(
        name="citeseer",
        subject="Citation segmentation (Huynh & Mooney 2009, Tables 3 and 4).",
        title="Huynh & Mooney 2009, Tables 3 and 4: CiteSeer, F1",
        systems=tuple(SYSTEMS),
        published=PUBLISHED,
        notes=NOTES,
        measure=measure,
        average=True,
    ),
)
