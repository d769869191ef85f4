"""Link prediction on UW-CSE: who advises whom (Singla and Domingos 2005, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from experiments.baselines import NaiveBayes, TreeAugmentedBayes
from experiments.experiment import Experiment, Reproduction
from experiments.facts import domain_names, domain_sizes, relations_of
from experiments.generative import GenerativeWeights
from experiments.grounded import Prediction, ground_worlds
from experiments.leave_one_out import (
    KB_WEIGHT,
    Study,
    System,
    learned_by,
    propositional,
    score_systems,
)
from experiments.relational_attributes import AttributeTable, pair_attributes
from workbench.database import Database, load_alchemy, load_frame
from workbench.evaluation import Fold
from workbench.inference import Engine, make_engine
from workbench.language import read_program
from workbench.language.program import Program
from workbench.learning import Learner, make_learner, validate
from workbench.progress import Conduct

AREAS = ("ai", "graphics", "language", "systems", "theory")
QUERY = "advisedBy"
OPEN = (QUERY, "student", "professor")
SMALL_TYPES = ("level", "position", "phase", "integer")
PRIOR_SDS = (0.1, 0.3, 1.0, 3.0)


def load(database: Database, directory: Path, areas: Sequence[str] = AREAS) -> Program:
    """Load the areas, a world each, and complete `same*` reflexively over their constants."""
    import pandas as pd

    program = read_program(directory / "uw.mln")
    database.declare(program)
    for area in areas:
        load_alchemy(database, directory / f"{area}.db", world=area)
        for name, predicate in program.predicates.items():
            if name.startswith("same"):
                constants = domain_names(database, area, predicate.argument_types[0])
                load_frame(
                    database,
                    pd.DataFrame({"x": constants, "y": constants}),
                    predicate=name,
                    world=area,
                )
    return program


def measure(run: Reproduction) -> None:
    """Leave one area out: train on the other four, predict every ordered pair of its persons."""
    with Database.open() as database:
        program = load(database, run.directory / "uw-cse")
        worlds, templates = ground_worlds(
            database, program, AREAS, query=OPEN, scored=(QUERY,), progress=run.progress
        )
        study = Study(database, program, worlds, templates, progress=run.progress)
        score_systems(run, study, SYSTEMS, {QUERY: QUERY})


def _perceptron(**settings: object) -> Learner:
    """Counts over Gibbs samples from MaxWalkSAT's state; steps by each clause's groundings."""
    return make_learner(
        "voted_perceptron",
        engine=_search(),
        counts="gibbs",
        sweeps=5,
        search_every=10,
        iterations=100,
        per_weight=True,
        step=1.0,
        **settings,
    )


def _search() -> Engine:
    return make_engine("maxwalksat", flips_per_atom=1, tries=1)


def voted_perceptron(study: Study, fold: Fold) -> Prediction:
    """MLN(VP): the start is chosen on a held-out area."""
    grid, conduct = (
        {"start": ("log_odds", "given", "pseudo_likelihood")},
        Conduct(progress=study.progress),
    )
    found = validate(_perceptron(), grid, study.training(fold), study.templates, conduct=conduct)
    return study.predict(fold, study.fit(found.learner, fold))


def pseudo_likelihood(study: Study, fold: Fold) -> Prediction:
    """MLN(PL): generative pseudo-likelihood, the prior's width chosen among training areas."""
    if ("generative",) not in study.cache:
        study.cache["generative",] = GenerativeWeights(
            study.database, study.program, study.worlds, study.templates, QUERY, study.progress
        )
    weights = study.cache["generative",].chosen([int(index) for index in fold.train], PRIOR_SDS)
    return study.predict(fold, weights)


def _attributes(
    study: Study, world: str, predicate: str, order: Literal["1", "1+2"] = "1+2"
) -> AttributeTable:
    key = ("attributes", world, order)
    if key not in study.cache:
        evidence = [predicate for predicate in study.program.predicates if predicate not in OPEN]
        relations = relations_of(study.database, world, evidence, shared=SMALL_TYPES)
        sizes = domain_sizes(study.database, world, shared=SMALL_TYPES)
        study.cache[key] = pair_attributes(
            relations, sizes, "person", small=SMALL_TYPES, order=order
        )
    found: AttributeTable = study.cache[key]
    return found


SYSTEMS: Mapping[str, System] = {
    "MLN(VP)": voted_perceptron,
    "MLN(VP), published settings": learned_by(make_learner("voted_perceptron", engine=_search())),
    "MLN(VP), zero start": learned_by(_perceptron(start="given")),
    "MLN(VP), log-odds start": learned_by(_perceptron(start="log_odds")),
    "MLN(ML)": learned_by(make_learner("mc_mle", rounds=20, sweeps=200)),
    "MLN(PL)": pseudo_likelihood,
    "MLN(PL), discriminative": learned_by(make_learner("pseudo_likelihood")),
    "KB": learned_by(make_learner("fixed", value=KB_WEIGHT)),
    "NB": propositional(NaiveBayes, (QUERY,), _attributes),
    "BN": propositional(TreeAugmentedBayes, (QUERY,), _attributes),
    "NB, order 1": propositional(NaiveBayes, (QUERY,), partial(_attributes, order="1")),
    "BN, order 1": propositional(TreeAugmentedBayes, (QUERY,), partial(_attributes, order="1")),
}
"""The table's rows and those beside; published settings: MAP counts, log odds, step .001."""

EXPERIMENTS = (Experiment.described("uw-cse", measure, tuple(SYSTEMS)),)
