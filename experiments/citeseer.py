"""Citation segmentation (Huynh & Mooney 2009, Tables 3 and 4)."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.experiment import PROGRAMS, Experiment, Reproduction
from experiments.margin_study import MarginStudy, ground_study, score_systems
from workbench.arrays import Float
from workbench.database import Database, load_alchemy_text
from workbench.language import read_program
from workbench.language.program import Program

COLUMNS = ("Constraint", "Face", "Reasoning", "Reinforcement")
PENALTIES = (0.1, 0.3, 1.0, 3.0)
SENSITIVITY = (1.0, 10.0, 100.0, 1000.0, 10000.0)
PSCG_ITERATIONS = (5, 10, 15, 20, 100)

SYSTEMS: Mapping[str, tuple[str, float, str]] = (
    {"MM-Hamming-LPRelax": ("held out", 0.0, "lp")}
    | {f"MM-Hamming-LPRelax-{penalty:g}": ("penalty", penalty, "lp") for penalty in SENSITIVITY}
    | {"PSCG-MCSAT": ("pscg", 10.0, "mcsat")}
    | {f"PSCG-MCSAT-{number}": ("pscg", float(number), "mcsat") for number in PSCG_ITERATIONS}
)
"""System: how it is trained, with which C or how many iterations, and the engine that predicts."""


def load(database: Database, directory: Path, topics: Sequence[str] = COLUMNS) -> Program:
    """Load the topics, one world each, with the positions that hold a token as `HasToken`."""
    program = read_program(PROGRAMS / "citeseer.mln")
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
            database,
            program,
            COLUMNS,
            "InField",
            penalties=PENALTIES,
            cuts=("fractional",),
            progress=run.progress,
        )
    score_systems(
        run, study, {system: engine for system, (_, _, engine) in SYSTEMS.items()}, _weights
    )


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


EXPERIMENTS = (Experiment.described("citeseer", measure, tuple(SYSTEMS), average=True),)
