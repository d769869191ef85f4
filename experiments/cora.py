"""Entity resolution on Cora: citations, authors, titles, venues (Singla and Domingos 2005)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.baselines import NaiveBayes, TreeAugmentedBayes
from experiments.experiment import Experiment, Reproduction
from experiments.facts import domain_names, domain_sizes, relations_of
from experiments.grounded import (
    Prediction,
    gibbs,
    ground_worlds,
    map_search,
    without_weights,
)
from experiments.leave_one_out import (
    KB_WEIGHT,
    Study,
    System,
    learned_by,
    propositional,
    score_systems,
)
from experiments.relational_attributes import AttributeTable
from experiments.similarity import BINS, bin_facts, similarity_bins
from workbench.arrays import Float, Int64
from workbench.database import Database, load_alchemy, load_frame
from workbench.evaluation import Fold
from workbench.inference import make_engine
from workbench.inference.cutting_plane import CuttingPlane
from workbench.language import parse_mln, read_program
from workbench.language.program import Program
from workbench.learning import make_learner, validate
from workbench.linkage.exact import Transitivity
from workbench.network import GroundNetwork
from workbench.progress import Conduct

FOLDS = ("1", "2", "3", "4", "5")
FIELDS = ("Author", "Title", "Venue")
COLUMNS = {
    "SameBib": "citation",
    "SameAuthor": "author",
    "SameVenue": "venue",
    "SameTitle": "title",
}


def load(database: Database, directory: Path, folds: Sequence[str] = FOLDS) -> Program:
    """Load the folds, a world each, and similarity facts of their words; the rules to learn."""
    rules = without_weights(read_program(directory / "singla-domingos-mln" / "bibserv.withneg.mln"))
    words = parse_mln(
        "HasWordAuthor(author, word)\nHasWordTitle(title, word)\nHasWordVenue(venue, word)\n"
    )
    database.declare(replace(rules, predicates={**rules.predicates, **words.predicates}))
    for fold in folds:
        load_alchemy(database, directory / f"coraSepFixedhwng.{fold}.db", world=fold)
        for name in FIELDS:
            bins = _bins(database, fold, name)
            for predicate, frame in bin_facts(
                name, domain_names(database, fold, name.lower()), bins
            ).items():
                load_frame(database, frame, predicate=predicate, world=fold)
    return rules


def _bins(database: Database, fold: str, name: str) -> Int64:
    """Similarity bins of a field's values in a fold, from its words alone."""
    predicate, sizes = f"HasWord{name}", domain_sizes(database, fold)
    words = relations_of(database, fold, [predicate])[predicate]
    return similarity_bins(words, sizes[name.lower()], sizes["word"])


def measure(run: Reproduction) -> None:
    """Leave a fold out: predict every pair of citations, authors, titles and venues of it."""
    with Database.open() as database:
        program = load(database, run.directory / "cora-er")
        worlds, templates = ground_worlds(
            database, program, FOLDS, query=tuple(COLUMNS), progress=run.progress
        )
        study = Study(
            database, program, worlds, templates, samples=200, burn_in=50, progress=run.progress
        )
        score_systems(run, study, SYSTEMS, COLUMNS)


def voted_perceptron(study: Study, fold: Fold) -> Prediction:
    """MLN(VP): counts over Gibbs samples from the MAP state; start chosen on a held-out fold."""
    return study.predict(fold, _perceptron_weights(study, fold))


def with_transitivity(study: Study, fold: Fold) -> Prediction:
    """The same weights, with hard transitivity of SameBib where the MAP state violates it."""
    world, weights = study.test(fold), _perceptron_weights(study, fold)
    pairs = world.atoms["SameBib"]
    n = round(pairs.size**0.5)
    growing = CuttingPlane(
        map_search(), Transitivity(pairs.reshape(n, n), world.network.n_atoms), max_rounds=30
    )
    found = growing.solve(world.network, weights)
    network = found.diagnostics["network"]
    if not isinstance(network, GroundNetwork):
        return Prediction(found.values)
    return gibbs(network, weights, found.values, samples=study.samples, burn_in=study.burn_in)


def _perceptron_weights(study: Study, fold: Fold) -> Float:
    """The perceptron's weights of a fold, learned once for both rows."""
    if ("weights", fold.name) in study.cache:
        learned: Float = study.cache["weights", fold.name]
        return learned
    learner = make_learner(
        "voted_perceptron",
        engine=make_engine("maxwalksat", flips_per_atom=1, tries=1),
        counts="gibbs",
        sweeps=2,
        search_every=10,
        iterations=100,
        per_weight=True,
        step=1.0,
    )
    examples, grid = study.training(fold), {"start": ("log_odds", "given", "pseudo_likelihood")}
    conduct = Conduct(progress=study.progress)
    found = validate(
        learner, grid, examples, study.templates, sweeps=50, burn_in=20, conduct=conduct
    )
    weights = study.cache["weights", fold.name] = study.fit(found.learner, fold)
    return weights


def _attributes(study: Study, world: str, predicate: str) -> AttributeTable:
    """The similarity bins that pairs are predicted from: the field's own, of citations all."""
    if ("attributes", world) not in study.cache:
        found, citation = {}, []
        for name in FIELDS:
            bins = _bins(study.database, world, name)
            found[f"Same{name}"] = bins.reshape(-1, 1)
            facts = relations_of(study.database, world, [name])[name].facts
            value = np.zeros(domain_sizes(study.database, world)["bib"], np.int64)
            value[facts[:, 0]] = facts[:, 1]
            citation.append(bins[value[:, None], value[None, :]].ravel())
        found["SameBib"] = np.stack(citation, axis=1)
        study.cache["attributes", world] = found
    values: Int64 = study.cache["attributes", world][predicate]
    names = FIELDS if predicate == "SameBib" else (predicate.removeprefix("Same"),)
    return AttributeTable(names, values, np.full(values.shape[1], len(BINS)))


SYSTEMS: Mapping[str, System] = {
    "MLN(VP)": voted_perceptron,
    "MLN(VP), transitivity": with_transitivity,
    "MLN(ML)": learned_by(make_learner("mc_mle", rounds=20, sweeps=50, burn_in=10)),
    # The paper's is generative; open author and venue facts would make over 100 million ground
    # clauses a fold.
    "MLN(PL)": learned_by(make_learner("pseudo_likelihood")),
    "KB": learned_by(make_learner("fixed", value=KB_WEIGHT)),
    "NB": propositional(NaiveBayes, COLUMNS, _attributes),
    "BN": propositional(TreeAugmentedBayes, COLUMNS, _attributes),
}

EXPERIMENTS = (Experiment.described("cora", measure, tuple(SYSTEMS)),)
