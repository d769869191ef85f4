"""Collective classification of web pages (Huynh & Mooney 2009, Tables 1 and 2)."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

from experiments.experiment import PROGRAMS, Experiment, Reproduction
from experiments.margin_study import Loss, MarginStudy, ground_study, score_systems
from workbench.arrays import Float
from workbench.database import Database, load_alchemy_text
from workbench.language import read_program
from workbench.language.program import Program

COLUMNS = ("Cornell", "Texas", "Washington", "Wisconsin")
PENALTIES = (0.003, 0.01, 0.03, 0.1)
PSCG_ITERATIONS = (10, 20, 40, 80)

SYSTEMS: Mapping[str, tuple[str, Loss, str]] = {
    "MM-Hamming-LPRelax": ("lp", "hamming", "lp"),
    "MM-Hamming-MCSAT": ("lp", "hamming", "mcsat"),
    "MM-Hamming-MaxWalkSAT": ("lp", "hamming", "maxwalksat"),
    "MM-F1-LPRelax": ("lp", "f1", "lp"),
    "MM-0/1-LPRelax": ("lp", "0/1", "lp"),
    "MM-0/1-MaxWalkSAT": ("maxwalksat", "0/1", "maxwalksat"),
    "PSCG-MCSAT": ("pscg", "hamming", "mcsat"),
    "PSCG-LPRelax": ("pscg", "hamming", "lp"),
    "PSCG-MaxWalkSAT": ("pscg", "hamming", "maxwalksat"),
}
"""System: the separation oracle (or PSCG), the loss, and the engine that predicts."""


def load(database: Database, directory: Path) -> Program:
    """Load the four universities, one world each: words, links and classes of pages."""
    program = read_program(PROGRAMS / "webkb.mln")
    database.declare(program)
    kept = tuple(f"{predicate}(" for predicate in program.predicates)
    for number, name in enumerate(COLUMNS, start=1):
        with gzip.open(
            directory / "todtler" / f"webkb-fold{number}.db.gz", "rt", encoding="utf-8"
        ) as lines:
            facts = "\n".join(line.strip() for line in lines if line.startswith(kept))
        load_alchemy_text(database, facts, name=f"webkb-fold{number}.db.gz", world=name)
    return program


def measure(run: Reproduction) -> None:
    """Leave one university out: train on the other three, predict every page's classes."""
    with Database.open() as database:
        program = load(database, run.directory / "webkb")
        study = ground_study(
            database,
            program,
            COLUMNS,
            "Pageclass",
            penalties=PENALTIES,
            cuts=("rounded",),
            progress=run.progress,
        )
    score_systems(
        run, study, {system: engine for system, (_, _, engine) in SYSTEMS.items()}, _weights
    )


def _weights(study: MarginStudy, test: int, system: str) -> tuple[Float, str]:
    trainer, loss, _ = SYSTEMS[system]
    if trainer == "pscg":
        weights, iterations = study.likelihood_held_out(test, PSCG_ITERATIONS)
        return weights, f"{iterations} iterations"
    weights, candidate = study.max_margin(test, loss, trainer, None if loss == "hamming" else 1)
    return weights, f"C = {candidate.penalty:g}"


EXPERIMENTS = (Experiment.described("webkb", measure, tuple(SYSTEMS), average=True),)
