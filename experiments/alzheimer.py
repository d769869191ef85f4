"""Alzheimer's drugs: clauses searched bottom up, weighted exactly (Huynh and Mooney 2008)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array, hstack
from scipy.special import expit

from experiments.alzheimer_data import DATA_SETS, DrugData, load_drugs, our_modes
from experiments.alzheimer_generative import GENERATIVE, learn_without_modes
from experiments.clause_features import ClauseFeatures, clause_features
from experiments.collective import intransitive_triples, relation_network
from experiments.experiment import Experiment, Reproduction
from experiments.measurements import Measurements
from experiments.table import FoldScore
from workbench.arrays import Bool, Float, Int64
from workbench.evaluation.metrics import auc_roc
from workbench.evaluation.significance import paired_t_test
from workbench.inference.registry import make_engine
from workbench.learning.exact_likelihood import choose_penalty
from workbench.learning.logistic import fit_logistic
from workbench.learning.logistic_objective import Penalty
from workbench.learning.registry import make_learner
from workbench.learning.training import Example
from workbench.network.ground_network import Templates
from workbench.structure.induction import ClauseLearner
from workbench.structure.settings import SearchSettings

SETTINGS = SearchSettings(
    i=3,
    clauselength=5,
    minpos=2,
    noise=300,
    minscore=0.6,
    evalfn="auto_m",
    nodes=30_000,
    explore=True,
    collect=0.6,
)
SHIPPED_SETTINGS = replace(SETTINGS, i=2, nodes=5000, explore=False)
"""For the shipped modes: Aleph's own i and nodes."""
L1_CANDIDATES = (8.0, 5.6, 4.0, 2.8, 2.0, 1.4, 1.0, 0.7, 0.5)
L2_CANDIDATES = (10.0, 3.0, 1.0, 0.3, 0.1)
Score = tuple[str, str, float]
"""System, metric, value."""
GENERATIVE_SECONDS = 120.0
"""At most so long for a fold of ALCHEMY or BUSL; they take a few seconds on an idle core."""
TRANSITIVE = "+transitivity"
ANTISYMMETRIC = "+transitivity+antisymmetry"
MOST_PROBABLE = " MAP"

SAMPLES = 500
"""Of MC-SAT, where the target is predicted transitive."""

FOLD_COLUMNS = {"fold_orig": "", "fold_pair": " fold_pair"}
"""The columns of folds that are run, and what they add to a system's name."""
SHIPPED = "ALEPH (shipped modes)"
SYSTEMS = (
    *GENERATIVE, "ALEPH", "ALEPH-PSCG", "ALEPH-ExactL2", "ALEPH++PSCG", "ALEPH++ExactL2",
    "ALEPH++ExactL1", SHIPPED
)  # fmt: skip


def measure(run: Reproduction) -> None:
    """Learn and score all systems on all folds of each data set."""
    with run.measured.until_cancelled():
        for column in run.columns:
            data = load_drugs(run.directory, column)
            learner = ClauseLearner(
                data.background, data.examples, data.problem.head_mode, our_modes(), SETTINGS
            )
            shipped = ClauseLearner(
                data.background,
                data.examples,
                data.problem.head_mode,
                data.shipped_modes(),
                SHIPPED_SETTINGS,
            )
            for fold_column, suffix in FOLD_COLUMNS.items():
                member = data.folds[fold_column]
                for number in range(1, (run.folds or 10) + 1):
                    run.progress.step(
                        "alzheimer",
                        number - 1,
                        run.folds or 10,
                        f"{column} {fold_column} fold {number}",
                    )
                    train, test = (member > 0) & (member != number), member == number
                    fold = _Fold(data, train, test, number, run.measured)
                    for system, metric, value in chain(
                        _score_generative(fold, run.systems),
                        _score_searched(fold, learner, run.systems),
                        _score_shipped(fold, shipped, run.systems),
                    ):
                        run.measured.add(system + suffix, column, str(number), {metric: value})
    run.measured.notes.extend(_significance(run.measured.scores))


@dataclass(frozen=True)
class _Fold:
    """One fold of a data set.

    Attributes
    ----------
    train, test : bool arrays, shape (n_examples,)
    number : int
        From 1 on; the seed of whatever is drawn.
    """

    data: DrugData
    train: Bool
    test: Bool
    number: int
    measured: Measurements

    @property
    def truth(self) -> Float:
        return np.nan_to_num(self.data.examples.label)

    def accuracy(self, guess: Bool) -> float:
        """Percent of the test examples guessed right; `guess` of shape (n_examples,)."""
        return 100 * float(np.mean(guess[self.test] == (self.truth[self.test] == 1)))


def _score_generative(fold: _Fold, systems: Sequence[str]) -> Iterator[Score]:
    """The structure learners that take no modes."""
    for system in [name for name in systems if name in GENERATIVE]:
        with fold.measured.timed(system):
            log_odds, learned = learn_without_modes(
                fold.data, system, fold.train, time_limit=GENERATIVE_SECONDS
            )
        yield from _ranked(fold, system, expit(log_odds))
        yield system, "clauses", float(len(learned.clauses))
        yield from _collective(fold, system, log_odds)


def _score_searched(fold: _Fold, learner: ClauseLearner, systems: Sequence[str]) -> Iterator[Score]:
    """ALEPH's theory, and weights for its clauses or (ALEPH++) for all good clauses it met."""
    if {*GENERATIVE, SHIPPED} >= set(systems):
        return
    with fold.measured.timed("search"):
        found = learner.learn(fold.train, loop="induce_cover")
    if "ALEPH" in systems:
        yield "ALEPH", "accuracy", fold.accuracy(learner.predict(found))
        yield "ALEPH", "clauses", float(len(found.parts))
    yield "ALEPH++", "clauses", float(len(found.collected))
    weighted = [name for name in systems if name not in (*GENERATIVE, "ALEPH", SHIPPED)]
    collected = [name for name in weighted if name.startswith("ALEPH++")]
    for names, parts in (
        ([name for name in weighted if name not in collected], found.parts),
        (collected, learner.cache.body_parts(found.collected)),
    ):
        if names:
            with fold.measured.timed("features"):
                features = clause_features(learner.cache, parts, fold.train)
            yield from _score_weighted(fold, names, features)


def _score_shipped(fold: _Fold, learner: ClauseLearner, systems: Sequence[str]) -> Iterator[Score]:
    """The theory that the shipped modes allow."""
    if SHIPPED in systems:
        with fold.measured.timed(SHIPPED):
            found = learner.learn(fold.train, loop="induce_cover")
        yield SHIPPED, "accuracy", fold.accuracy(learner.predict(found))
        yield SHIPPED, "clauses", float(len(found.parts))


def _score_weighted(
    fold: _Fold, systems: Sequence[str], features: ClauseFeatures
) -> Iterator[Score]:
    """Systems that weigh the same clauses, and the target's unit clause beside them."""
    matrix = csr_array(hstack([features.matrix, csr_array(np.ones((len(fold.train), 1)))]))
    X = csc_array(matrix[np.flatnonzero(fold.train)])
    for system in systems:
        with fold.measured.timed(system):
            weights, kept = _weigh(system, X, fold.truth[fold.train], np.append(features.copies, 1))
            log_odds = matrix @ weights
        yield from _ranked(fold, system, expit(log_odds))
        if system.startswith("ALEPH++Exact"):
            yield system, "clauses", float(kept)
        if system.endswith("ExactL1"):
            yield system, "features", float(np.count_nonzero(weights))
        yield from _collective(fold, system, log_odds)


def _weigh(system: str, X: csc_array, target: Float, copies: Int64) -> tuple[Float, int]:
    """Weights of the distinct features, and how many clauses have a weight other than zero.

    Under L2, k equal clauses of weight w / k each cost w^2 / (2 k): the feature is scaled by the
    root of k.
    """
    if system.endswith("ExactL1"):
        _, penalty = choose_penalty(
            X, target, [(value, Penalty(l1=value)) for value in L1_CANDIDATES]
        ).best
        weights = fit_logistic(X, target, penalty, tolerance=1e-4).weights
        return weights, int(copies[weights != 0].sum())
    root = np.sqrt(copies)
    scaled = csc_array(X @ diags_array(root))
    if system.endswith("ExactL2"):
        _, penalty = choose_penalty(
            scaled, target, [(value, Penalty(l2=value)) for value in L2_CANDIDATES]
        ).best
        weights = fit_logistic(scaled, target, penalty).weights * root
        return weights, int(copies[np.abs(weights / copies) > 1e-6].sum())
    n_templates = X.shape[1]
    none = np.zeros(n_templates)
    templates = Templates(
        none,
        np.zeros(n_templates, np.bool_),
        np.arange(n_templates, dtype=np.int32),
        np.zeros(n_templates, np.int32),
        np.ones(n_templates),
        tuple(f"feature {number}" for number in range(n_templates)),
    )
    network = relation_network(np.stack([np.arange(len(target))] * 2, axis=1), csr_array(X))
    learned = make_learner("pscg", iterations=20).fit([Example(network, target)], templates)
    return learned.weights, int(copies[learned.weights != 0].sum())


def _collective(fold: _Fold, system: str, log_odds: Float) -> Iterator[Score]:
    """Scores with the target hard transitive over all ordered pairs: the exact MAP state, and
    MC-SAT started at it.

    `log_odds` are of each pair by itself, shape (n_examples,).
    """
    for constraint, antisymmetric in ((TRANSITIVE, False), (ANTISYMMETRIC, True)):
        if antisymmetric and system != "ALEPH++ExactL1":
            continue
        with fold.measured.timed(TRANSITIVE):
            pairs, one = fold.data.examples.arguments, np.ones(1)
            units = csr_array(log_odds[:, None])
            network = relation_network(pairs, units, transitive=True, antisymmetric=antisymmetric)
            state = make_engine("cpi", "map").solve(network, one, seed=fold.number).values
            engine = make_engine("mcsat", "marginal", samples=SAMPLES)
            marginal = engine.solve(network, one, seed=fold.number, start=state).values
        yield system + constraint + MOST_PROBABLE, "accuracy", fold.accuracy(state > 0.5)
        yield from _ranked(fold, system + constraint, marginal)
        yield (
            system + constraint,
            "violated triples",
            float(intransitive_triples(pairs, marginal >= 0.5)),
        )


def _ranked(fold: _Fold, system: str, probability: Float) -> Iterator[Score]:
    yield system, "accuracy", fold.accuracy(probability >= 0.5)
    yield system, "AUC-ROC", auc_roc(probability[fold.test], fold.truth[fold.test])


def _significance(scores: Sequence[FoldScore]) -> list[str]:
    """Paired two-tailed t-tests of accuracy at 95 %: L1 against L2, collected against theory."""
    values: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        if score.metric == "accuracy":
            values.setdefault((score.system, score.column), []).append(score.value)
    notes: list[str] = []
    for better, worse in (
        ("ALEPH++ExactL1", "ALEPH++ExactL2"),
        ("ALEPH++ExactL2", "ALEPH-ExactL2"),
        ("ALEPH++ExactL1", "ALEPH"),
    ):
        for column in DATA_SETS:
            first, second = values.get((better, column)), values.get((worse, column))
            if first and second and len(first) == len(second) > 1:
                test = paired_t_test(np.array(first), np.array(second))
                verdict = "significant" if test.p_value < 0.05 else "not significant"
                notes.append(
                    f"{column}: {better} - {worse} = {np.mean(first) - np.mean(second):+.1f} "
                    f"points, p = {test.p_value:.3f}, {verdict} at 95 %"
                )
    return notes


EXPERIMENTS = (Experiment.described("alzheimer", measure, SYSTEMS, columns=tuple(DATA_SETS)),)
