"""Top-down beam search for clauses of any predicates by weighted pseudo-log-likelihood (Kok and Domingos 2005)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from workbench.arrays import Float
from workbench.progress import SILENT, Progress, expired
from workbench.structure.background import Background
from workbench.structure.pseudo_likelihood import (
    Disjunction,
    PseudoLikelihoodScore,
    canonical_disjunction,
    disjunction_text,
)
from workbench.structure.rules import LearnedRule

__all__ = ["BeamSearch", "WeightedClauses", "grow_theory"]


@dataclass(frozen=True)
class WeightedClauses:
    """A learned set of weighted clauses.

    Attributes
    ----------
    clauses : tuple of Disjunction
    weights : float64 array, shape (n_clauses,)
    rules : tuple of LearnedRule
        The same as text; `gain` is what the clause added to the pseudo-log-likelihood. Positives and negatives are the
        scored atoms that its groundings speak for as they are, and otherwise: more of them hold with the atom as it is
        than with the atom turned over, or fewer.
    trace : float64 array
        Weighted pseudo-log-likelihood after each clause.
    status : {'converged', 'clauses', 'limit', 'cancelled'}
    candidates : tuple of LearnedRule
        Clauses that were proposed and not taken, without weight, by descending gain: what each alone would have added
        to the theory of the moment it was last proposed.
    """

    clauses: tuple[Disjunction, ...]
    weights: Float
    rules: tuple[LearnedRule, ...]
    trace: Float
    status: str
    candidates: tuple[LearnedRule, ...] = ()


@dataclass(frozen=True)
class BeamSearch:
    """Parameters of the search.

    Parameters
    ----------
    max_length : int
        Literals of a clause.
    max_variables : int
    beam : int
        Clauses refined at each length.
    max_clauses : int
        Clauses added to the theory.
    min_gain : float
        Least gain in weighted pseudo-log-likelihood, after `length_penalty` for each literal.
    length_penalty : float
    max_candidates : int
        Refinements scored at once; beyond it a clause's refinements are cut off in order.
    recursive : bool
        Whether a clause may mention scored predicates more than once. If not, the scored atoms are independent given
        the evidence, and the pseudo-likelihood is the conditional likelihood.
    """

    max_length: int = 4
    max_variables: int = 5
    beam: int = 5
    max_clauses: int = 20
    min_gain: float = 5e-4
    length_penalty: float = 1e-4
    max_candidates: int = 4000
    recursive: bool = True
    name: str = field(default="beam", init=False)

    def learn(
        self,
        score: PseudoLikelihoodScore,
        *,
        start: Sequence[Disjunction] = (),
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> WeightedClauses:
        """Add the best clause found by a beam search, refit all weights, and go on until nothing helps.

        Parameters
        ----------
        score : PseudoLikelihoodScore
            The data and the scored predicates; clauses mention at least one of them.
        start : sequence of Disjunction
            A theory to be revised: its clauses are kept, reweighted and added to.
        deadline : float or None
            A `time.monotonic()` reading; the theory so far is returned when it passes.
        """
        background = score.background
        barred = frozenset[int]() if self.recursive else frozenset(background.number[name] for name in score.atoms)
        units = [((background.number[name], _fresh(background, name), True),) for name in score.atoms]

        def best_clauses(log_odds: Float, used: set[Disjunction]) -> list[tuple[float, Disjunction, Float]]:
            seen: set[Disjunction] = set()
            frontier: list[Disjunction] = [canonical_disjunction(unit) for unit in units]
            found: list[tuple[float, Disjunction, Float]] = []
            for length in range(2, self.max_length + 1):
                if expired(deadline) or progress.cancelled:
                    break
                refined = dict.fromkeys(
                    clause
                    for parent in frontier
                    for clause in refinements(background, parent, self.max_variables, barred)
                    if clause not in seen
                )
                seen.update(refined)
                candidates = list(refined)[: self.max_candidates]
                if not candidates:
                    break
                scored: list[tuple[float, Disjunction, Float]] = []
                for at in range(0, len(candidates), 256):
                    chunk = candidates[at : at + 256]
                    counts = score.flip_counts(chunk)
                    gains = score.gains(counts, log_odds) - self.length_penalty * length
                    scored += [(float(g), clause, row) for g, clause, row in zip(gains, chunk, counts)]
                scored.sort(key=lambda entry: (-entry[0], entry[1]))
                scored = [entry for entry in scored if entry[1] not in used]
                found += scored[: self.beam]
                frontier = [clause for _, clause, _ in scored[: self.beam]]
            found.sort(key=lambda entry: (-entry[0], entry[1]))
            return found

        theory = [canonical_disjunction(clause) for clause in (*units, *start)]
        return grow_theory(
            score, theory, best_clauses, max_clauses=self.max_clauses, min_gain=self.min_gain,
            tried=self.beam, deadline=deadline, progress=progress,
        )  # fmt: skip


def grow_theory(
    score: PseudoLikelihoodScore,
    theory: Sequence[Disjunction],
    propose: Callable[[Float, set[Disjunction]], list[tuple[float, Disjunction, Float]]],
    *,
    max_clauses: int,
    min_gain: float,
    tried: int,
    deadline: float | None,
    progress: Progress,
) -> WeightedClauses:
    """Greedy growth: of the proposed clauses the one of greatest value after refitting all weights joins the theory.

    `propose(log_odds, used)` gives `(estimated gain, clause, flip counts)` entries, best first; all weights are
    refitted with each of the first `tried`.
    """
    clauses = list(dict.fromkeys(theory))
    proposed: dict[Disjunction, tuple[float, Float]] = {}
    features = score.flip_counts(clauses)
    weights, value = score.fit(features)
    gains = [0.0] * len(clauses)
    trace = [value]
    status = "clauses"
    for added in range(max_clauses):
        progress.report("structure", added, max_clauses, f"pseudo-log-likelihood {value:.4f}")
        if progress.cancelled or expired(deadline):
            status = "cancelled" if progress.cancelled else "limit"
            break
        best: tuple[float, Disjunction, Float, Float] | None = None
        entries = propose(weights @ features, set(clauses))
        proposed |= {clause: (gain, counts) for gain, clause, counts in entries}
        for gain, clause, counts in entries[:tried]:
            if gain < min_gain:
                break
            trial = np.concatenate([features, counts[None]])
            fitted, reached = score.fit(trial, np.append(weights, 0.0))
            if best is None or reached > best[0]:
                best = (reached, clause, trial, fitted)
        if best is None or best[0] - value < min_gain:
            status = "converged"
            break
        gains.append(best[0] - value)
        value, clause, features, weights = best
        clauses.append(clause)
        trace.append(value)
    rules = tuple(
        _rule(score, clause, row, gain, float(weight))
        for clause, row, gain, weight in zip(clauses, features, gains, weights)
    )
    left = [(gain, clause, counts) for clause, (gain, counts) in proposed.items() if clause not in set(clauses)]
    left.sort(key=lambda entry: (-entry[0], entry[1]))
    candidates = tuple(_rule(score, clause, counts, gain, None) for gain, clause, counts in left)
    return WeightedClauses(tuple(clauses), weights, rules, np.array(trace), status, candidates)


def _rule(
    score: PseudoLikelihoodScore, clause: Disjunction, counts: Float, gain: float, weight: float | None
) -> LearnedRule:
    agreement = counts * (2 * score.target - 1) * (score.weight > 0)
    positives, negatives = int((agreement > 0).sum()), int((agreement < 0).sum())
    precision = positives / max(positives + negatives, 1)
    return LearnedRule(disjunction_text(score.background, clause), positives, negatives, precision, gain, weight)


def _fresh(background: Background, predicate: str) -> tuple[int, ...]:
    return tuple(range(len(background.argument_types[background.number[predicate]])))


def refinements(
    background: Background, clause: Disjunction, max_variables: int, barred: frozenset[int] = frozenset()
) -> list[Disjunction]:
    """The clause with one more literal of either sign, sharing a variable, in canonical form and without repetition.

    Variables of equal type may be shared; no literal repeats a variable, and no literal meets its own complement.
    """
    type_of = {
        variable: name
        for predicate, args, _ in clause
        for variable, name in zip(args, background.argument_types[predicate])
    }
    present = {(predicate, args) for predicate, args, _ in clause}
    result: dict[Disjunction, None] = {}
    for predicate, types in enumerate(background.argument_types):
        if not types or predicate in barred:
            continue
        first_new = len(type_of)
        pools = [[v for v, name in type_of.items() if name == wanted] for wanted in types]
        for shared in product(*([*pool, -1] for pool in pools)):
            if all(v < 0 for v in shared) or len({v for v in shared if v >= 0}) < sum(v >= 0 for v in shared):
                continue
            args, following = [], first_new
            for variable in shared:
                args.append(variable if variable >= 0 else following)
                following += variable < 0
            if following > max_variables or (predicate, tuple(args)) in present:
                continue
            for positive in (False, True):
                result[canonical_disjunction((*clause, (predicate, tuple(args), positive)))] = None
    return list(result)
