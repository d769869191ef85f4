"""A Markov logic program grounded over the worlds of an experiment, with scores by predicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import Database
from workbench.evaluation import conditional_log_likelihood, scores
from workbench.grounding import GroundRequest, ground
from workbench.inference import Engine, make_engine
from workbench.language.program import FormulaRule, Program, Weight
from workbench.learning import Example
from workbench.network import GroundNetwork, Templates
from workbench.progress import SILENT, Progress


@dataclass(frozen=True)
class GroundedWorld:
    """One world's network and labels; labels never reach the network.

    Attributes
    ----------
    atoms : mapping of predicate to int64 array
        The atoms of each query predicate, in order of the names of their arguments.
    """

    name: str
    example: Example
    atoms: Mapping[str, Int64]

    @property
    def network(self) -> GroundNetwork:
        return self.example.network


@dataclass(frozen=True)
class Prediction:
    """Probabilities of a network's atoms.

    Attributes
    ----------
    probability : float64 array, shape (n_atoms,)
        Of a sampler, the mean conditional probabilities.
    raw : float64 array, shape (n_atoms,), or None
        Of a sampler, `(count + 1/2) / (samples + 1)`: smoothed, as the paper's are, by how few
        samples there were.
    """

    probability: Float
    raw: Float | None = None


def ground_worlds(
    database: Database,
    program: Program,
    names: Sequence[str],
    *,
    query: Sequence[str],
    scored: Sequence[str] | None = None,
    progress: Progress = SILENT,
) -> tuple[tuple[GroundedWorld, ...], Templates]:
    """Ground each world apart, all with the same templates, atoms without a fact labelled false.

    Parameters
    ----------
    query : sequence of str
        Open predicates. All others are evidence.
    scored : sequence of str or None
        The query predicates that losses count; None for all.
    """
    closed = tuple(name for name in program.predicates if name not in query)
    templates: Templates | None = None
    worlds = []
    for number, name in enumerate(names):
        progress.step("grounding", number, len(names), name)
        request = GroundRequest(
            query=tuple(query), closed=closed, role="learn", worlds=(name,), templates=templates
        )
        grounding = ground(database, program, request)
        templates = templates or grounding.templates
        table = grounding.atoms
        atoms = {
            name: np.flatnonzero(table.predicate == index)
            for index, name in enumerate(table.predicates)
        }
        truth = np.nan_to_num(grounding.truth, nan=0.0)
        chosen = np.zeros(table.n_atoms, np.bool_)
        for wanted in scored or query:
            chosen[atoms[wanted]] = True
        worlds.append(GroundedWorld(name, Example(grounding.network, truth, chosen), atoms))
    if templates is None:
        raise ValueError("no world to ground")
    return tuple(worlds), templates


def marginals(
    network: GroundNetwork, weights: Float, *, seed: int = 0, samples: int = 500, burn_in: int = 100
) -> Prediction:
    """Each atom's probability as in the paper: Gibbs samples from one MaxWalkSAT state."""
    start = map_search().solve(network, weights, seed=seed).values
    return gibbs(network, weights, start, seed=seed, samples=samples, burn_in=burn_in)


def map_search() -> Engine:
    """The search for a chain's first state: one MaxWalkSAT run."""
    return make_engine("maxwalksat", "map", flips_per_atom=20, tries=1)


def gibbs(
    network: GroundNetwork,
    weights: Float,
    start: Float,
    *,
    seed: int = 0,
    samples: int,
    burn_in: int,
) -> Prediction:
    """Each atom's probability over one chain of Gibbs samples from a state."""
    engine = make_engine("gibbs", samples=samples, burn_in=burn_in, chains=1)
    found = engine.solve(network, weights, seed=seed, start=start)
    return Prediction(found.values, np.asarray(found.diagnostics["raw_probability"], np.float64))


def score_world(
    world: GroundedWorld, predicate: str, predicted: Prediction, metrics: Sequence[str]
) -> dict[str, float]:
    """The metrics of one predicate's atoms on one world, and of raw counts the CLL."""
    atoms = world.atoms[predicate]
    truth = world.example.truth[atoms]
    found = scores(predicted.probability[atoms], truth)
    figures = {metric: found[metric] for metric in metrics}
    if predicted.raw is not None:
        figures["CLL, raw counts"] = conditional_log_likelihood(predicted.raw[atoms], truth)
    return figures


def without_weights(program: Program) -> Program:
    """The program with every weight to be learned, hard rules left out."""
    rules = [
        replace(rule, weight=Weight("learn"))
        for rule in program.rules
        if isinstance(rule, FormulaRule) and rule.weight.kind != "hard"
    ]
    return replace(program, rules=tuple(rules))
