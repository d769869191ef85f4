"""Greedy growth of a theory: the best clause joins, all refitted, held-out atoms decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.progress import PLAIN, Conduct
from workbench.structure.disjunctions import Disjunction, canonical_disjunction, disjunction_text
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.rules import LearnedRule

Proposals = list[tuple[float, Disjunction, Float]]
Propose = Callable[[Float, set[Disjunction]], Proposals]
"""From log odds and what was used to (estimated gain, clause, flip counts), best first."""
ModeCheck = Callable[[Sequence[Disjunction], Mapping[int, Float]], float]
"""Clauses, and for each of some worlds their weights, to the share of labelled atoms that the
model's own most probable state, with no label of that world given, has wrong; infinite where that
state cannot be had."""

_FOLDS = 4
_CHECKED_WORLDS = 3


@dataclass(frozen=True)
class GrownTheory:
    """A learned set of weighted clauses.

    Attributes
    ----------
    weights : float64 array, shape (n_clauses,)
    rules : tuple of LearnedRule
        The same as text; `gain` is what the clause added to the pseudo-log-likelihood. Positives
        and negatives are the scored atoms that its groundings speak for as they are, and otherwise:
        more of them hold with the atom as it is than with the atom turned over, or fewer.
    trace : float64 array
        Weighted pseudo-log-likelihood of all scored atoms after each clause.
    status : {'converged', 'clauses', 'limit', 'cancelled'}
    candidates : tuple of LearnedRule
        Clauses that were proposed and not taken, without weight, by descending gain: what each
        alone would have added to the theory of the moment it was last proposed.
    left : tuple of Disjunction
        The clauses of `candidates`.
    """

    clauses: tuple[Disjunction, ...]
    weights: Float
    rules: tuple[LearnedRule, ...]
    trace: Float
    status: str
    candidates: tuple[LearnedRule, ...] = ()
    left: tuple[Disjunction, ...] = ()

    @classmethod
    def none_yet(cls, status: str) -> GrownTheory:
        """Of a search that was stopped before its first clause."""
        return cls((), np.zeros(0), (), np.full(1, np.nan), status)


def unit_clauses(score: PseudoLikelihoodScore) -> list[Disjunction]:
    """The unit clause of each scored predicate."""
    numbers = [score.background.number[name] for name in score.atoms]
    types = score.background.argument_types
    return [
        canonical_disjunction(((number, tuple(range(len(types[number]))), True),))
        for number in numbers
    ]


def held_out_folds(score: PseudoLikelihoodScore) -> Int64:
    """Each scored atom's fold, (n_atoms,): its world, of one world a fold drawn by label."""
    if score.worlds[1:]:
        return score.world
    rng = np.random.default_rng(0)
    fold = np.zeros(len(score.target), np.int64)
    for name in score.atoms:
        for label in (0.0, 1.0):
            chosen = np.flatnonzero(score.part_of(name) & (score.target == label))
            fold[rng.permutation(chosen)] = np.arange(len(chosen)) % _FOLDS
    return fold


def literal_cost(score: PseudoLikelihoodScore) -> float:
    """One nat of all atoms: what a parameter more has to gain by Akaike's criterion."""
    return 1.0 / len(score.target)


class Growth:
    """Greedy growth: the proposed clause of greatest value after refitting joins the theory.

    A clause joins when it adds `min_gain` to the pseudo-log-likelihood of all scored atoms, and
    also raises that of held-out ones: each world predicted by the weights of the others, or each of
    four parts of one world's atoms.

    Parameters
    ----------
    theory : sequence of Disjunction
        What the theory starts with.
    cost : float
        Of each literal, where clauses are compared; in nats an atom. It is the least that
        held-out atoms have to gain.
    nonnegative : bool
        Clauses that join have weights of at least 0.
    mode_errors : ModeCheck or None
        With it a recursive clause joins only if the model's own most probable states, on (up to
        three) worlds that its weights were not learned from, have no more errors than without the
        clause. Pseudo-likelihood looks at one atom with all others known, and may like a clause
        that makes every atom true once none is known.
    """

    def __init__(
        self,
        score: PseudoLikelihoodScore,
        theory: Sequence[Disjunction],
        *,
        min_gain: float,
        cost: float = 0.0,
        nonnegative: bool = False,
        mode_errors: ModeCheck | None = None,
    ) -> None:
        clauses = list(dict.fromkeys(theory))
        self.score, self.clauses, self.min_gain = score, clauses, min_gain
        self.mode_errors, self.cost = mode_errors, cost
        self.free = len(clauses) if nonnegative else None
        self.fold = held_out_folds(score)
        self.features = score.flip_counts(clauses)
        self.weights, self.value = score.fit(self.features)
        self.held_out = self._held_out(self.features)
        self.errors: float | None = None
        self.gains = [0.0] * len(clauses)
        self.trace = [self.value]
        self.refused: set[Disjunction] = set()

    def run(
        self, propose: Propose, *, max_clauses: int, tried: int, conduct: Conduct = PLAIN
    ) -> GrownTheory:
        """Refit with each of the first `tried` proposals, best first, until none joins."""
        proposed: dict[Disjunction, tuple[float, Float]] = {}
        status = "clauses"
        conduct.offer(self.score, lambda: self._answer(conduct.stopped, {}))
        for added in range(max_clauses):
            conduct.progress.report(
                "structure", added, max_clauses, f"pseudo-log-likelihood {self.value:.4f}"
            )
            conduct.progress.observe({"pseudo_log_likelihood": self.value})
            entries = _shortest(
                propose(self.weights @ self.features, {*self.clauses, *self.refused})
            )
            proposed |= {clause: (gain, counts) for gain, clause, counts in entries}
            joined = self._join(entries[:tried], conduct)
            if conduct.over:
                status = conduct.stopped
                break
            if not joined:
                status = "converged"
                break
        return self._answer(status, proposed)

    def _answer(
        self, status: str, proposed: Mapping[Disjunction, tuple[float, Float]]
    ) -> GrownTheory:
        """The theory so far, and what was proposed beside it."""
        rules = tuple(
            clause_rule(self.score, clause, row, gain, float(weight))
            for clause, row, gain, weight in zip(
                self.clauses, self.features, self.gains, self.weights
            )
        )
        left = [
            (gain, clause, row)
            for clause, (gain, row) in proposed.items()
            if clause not in set(self.clauses)
        ]
        left.sort(key=lambda entry: (-entry[0], entry[1]))
        candidates = tuple(
            clause_rule(self.score, clause, row, gain, None) for gain, clause, row in left
        )
        return GrownTheory(
            tuple(self.clauses), self.weights, rules, np.array(self.trace), status, candidates,
            tuple(clause for _, clause, _ in left),
        )  # fmt: skip

    def _join(self, entries: Proposals, conduct: Conduct) -> bool:
        """Let the best entry join that held-out atoms and the model's mode do not object to."""
        trials: list[tuple[float, Disjunction, Float, Float]] = []
        for gain, clause, counts in entries:
            if gain < self.min_gain or conduct.over:
                break
            features = np.concatenate([self.features, counts[None]])
            weights, value = self.score.fit(
                features, np.append(self.weights, 0.0), nonnegative=self._bounded(features)
            )
            trials.append((value, clause, features, weights))
        trials.sort(key=lambda trial: (self.cost * len(trial[1]) - trial[0], trial[1]))
        for value, clause, features, weights in trials:
            if value - self.value < self.min_gain:
                continue
            held_out = self._held_out(features)
            gained = held_out - self.held_out
            if gained <= self.cost or not self._mode_stands(clause, features, weights):
                self.refused.add(clause)
                continue
            self.gains.append(value - self.value)
            self.clauses.append(clause)
            self.features, self.weights, self.value = features, weights, value
            self.held_out = held_out
            self.trace.append(value)
            return True
        return False

    def _bounded(self, features: Float) -> Bool | None:
        return None if self.free is None else np.arange(len(features)) >= self.free

    def _without(self, features: Float, fold: int) -> Float:
        """Weights learned from the other folds."""
        start = self.weights if len(self.weights) == len(features) else np.append(self.weights, 0.0)
        return self.score.fit(
            features, start, nonnegative=self._bounded(features), among=self.fold != fold
        )[0]

    def _held_out(self, features: Float) -> float:
        """Mean log likelihood of atoms whose fold the weights were not learned from."""
        folds = np.unique(self.fold).tolist()
        found = [
            self.score.log_likelihood(self._without(features, fold) @ features, self.fold == fold)
            for fold in folds
        ]
        return float(np.mean(found))

    def _mode_stands(self, clause: Disjunction, features: Float, weights: Float) -> bool:
        scored = {self.score.background.number[name] for name in self.score.atoms}
        if self.mode_errors is None or sum(predicate in scored for predicate, _, _ in clause) < 2:
            self.errors = None
            return True
        if self.errors is None:
            self.errors = self.mode_errors(
                self.clauses, self._by_world(self.features, self.weights)
            )
        errors = self.mode_errors([*self.clauses, clause], self._by_world(features, weights))
        if errors > self.errors:
            return False
        self.errors = errors
        return True

    def _by_world(self, features: Float, weights: Float) -> dict[int, Float]:
        worlds = len(self.score.worlds)
        if worlds == 1:
            return {0: weights}
        return {
            world: self._without(features, world) for world in range(min(worlds, _CHECKED_WORLDS))
        }


def _shortest(entries: Proposals) -> Proposals:
    """The entries without those that say of every atom what a shorter one says."""
    kept: Proposals = []
    said: set[bytes] = set()
    for gain, clause, counts in sorted(
        entries, key=lambda entry: (-round(entry[0], 9), len(entry[1]), entry[1])
    ):
        key = counts.tobytes()
        if key not in said:
            said.add(key)
            kept.append((gain, clause, counts))
    return kept


def clause_rule(
    score: PseudoLikelihoodScore,
    clause: Disjunction,
    counts: Float,
    gain: float,
    weight: float | None,
) -> LearnedRule:
    """A clause as a rule people read, with the scored atoms that it speaks for, and against."""
    agreement = counts * (2 * score.target - 1) * (score.weight > 0)
    positives, negatives = int((agreement > 0).sum()), int((agreement < 0).sum())
    precision = positives / max(positives + negatives, 1)
    text = disjunction_text(score.background, clause, _head(score, clause))
    return LearnedRule(text, positives, negatives, precision, gain, weight)


def _head(score: PseudoLikelihoodScore, clause: Disjunction) -> int | None:
    """The scored predicate that a clause concludes: its one positive literal's, else the first."""
    scored = [score.background.number[name] for name in score.atoms]
    positive = [predicate for predicate, _, sign in clause if sign]
    if positive:
        return positive[0] if len(positive) == 1 and positive[0] in scored else None
    return next((predicate for predicate, _, _ in clause if predicate in scored), None)
