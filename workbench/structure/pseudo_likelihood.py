"""Weighted pseudo-log-likelihood of clauses, many candidates' flip counts at a time.

A clause's log-odds contribution to a ground atom is its weight times its flip count there, the
number of groundings that are satisfied because of that atom alone
(`workbench.structure.disjunctions`). Flip counts are sums of counts of conjunctions, which
`IndexedCoverage.counts` answers a set at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from workbench.arrays import Bool, Float, Int32
from workbench.progress import PLAIN, Conduct
from workbench.structure.background import ABSENT, Background, Examples
from workbench.structure.coverage import IndexedCoverage
from workbench.structure.disjunctions import Conjunction, Disjunction, falsifying_conjunctions
from workbench.threads import one_blas_thread

_MOST_STEPS = 20_000_000
"""Facts that a conjunction's count may look at: beyond are more groundings than a rule's."""
_PATIENCE = 0.2
"""Seconds that one batch of clauses should take, so that a deadline or a cancel is heard."""


@dataclass
class PseudoLikelihoodScore:
    """The weighted pseudo-log-likelihood of clauses over ground atoms (Kok and Domingos 2005).

    A grounding that holds an atom and its negation is a tautology and speaks for neither.

    Parameters
    ----------
    background : Background
        All facts, those of the scored predicates included where they are known.
    atoms : mapping of predicate to (Examples, weights)
        The ground atoms of each scored predicate (`all_atoms`); predicates left out are evidence.
        Atoms of weight 0 are not scored, but have flip counts.
    l2 : float
        Gaussian prior's precision on every weight.
    others : sequence of (Background, atoms)
        Further worlds with the same predicates; no rule joins worlds.

    Attributes
    ----------
    target : float64 array, shape (n_atoms,)
        Truth of all atoms.
    weight : float64 array, shape (n_atoms,)
        What each one's log likelihood counts: every predicate's sum to 1.
    stands_for : float64 array, shape (n_atoms,)
        How many atoms each stands for where false ones are a sample.
    world : int64 array, shape (n_atoms,)
        Number of each one's world.
    """

    background: Background
    atoms: Mapping[str, tuple[Examples, Float]]
    l2: float = 1e-4
    others: Sequence[tuple[Background, Mapping[str, tuple[Examples, Float]]]] = ()

    def __post_init__(self) -> None:
        parts: list[tuple[str, IndexedCoverage, Examples, Float]] = []
        total = dict.fromkeys(self.atoms, 0.0)
        for background, atoms in ((self.background, self.atoms), *self.others):
            widened = background.with_domains()
            for name, (examples, weight) in atoms.items():
                coverage = IndexedCoverage(widened, examples, most_steps=_MOST_STEPS)
                parts.append((name, coverage, examples, weight))
                total[name] += float(weight.sum())
        self._number = widened.number
        self._width = 1 + widened.max_arity
        self._parts = [(name, coverage) for name, coverage, _, _ in parts]
        self.target = np.concatenate([examples.label for _, _, examples, _ in parts])
        self.weight = np.concatenate([weight / total[name] for name, _, _, weight in parts])
        self.stands_for = np.concatenate([weight for _, _, _, weight in parts])
        self._start = np.cumsum([0, *(len(examples) for _, _, examples, _ in parts)])
        world = [position // len(self.atoms) for position in range(len(parts))]
        self.world = np.repeat(np.array(world, np.int64), np.diff(self._start))

    @property
    def worlds(self) -> tuple[Background, ...]:
        """The facts, world by world."""
        return (self.background, *(background for background, _ in self.others))

    def restricted(self, target: str) -> PseudoLikelihoodScore:
        """The score of one of the predicates alone."""
        others = tuple((background, {target: atoms[target]}) for background, atoms in self.others)
        return PseudoLikelihoodScore(self.background, {target: self.atoms[target]}, self.l2, others)

    def part_of(self, predicate: str) -> Bool:
        """Which atoms are the predicate's, shape (n_atoms,)."""
        its = np.array([name == predicate for name, _ in self._parts], np.bool_)
        return np.repeat(its, np.diff(self._start))

    def flip_counts(self, clauses: Sequence[Disjunction], *, concluded: bool = False) -> Float:
        """Changes of satisfied counts when an atom becomes true, shape (n_clauses, n_atoms).

        All of a clause's counts are NaN where it has more groundings than a rule should.

        `concluded`: of the literals that the clause concludes only: its positive ones, where it has
        any.
        """
        result = np.zeros((len(clauses), len(self.target)))
        for position, (name, coverage) in enumerate(self._parts):
            number = self.background.number[name]
            bodies: list[Int32] = []
            owner: list[int] = []
            sign: list[int] = []
            for row, clause in enumerate(clauses):
                types = self._types(clause)
                concludes = any(positive for _, _, positive in clause)
                for at, (predicate, args, positive) in enumerate(clause):
                    if predicate != number or (concluded and positive != concludes):
                        continue
                    for found in falsifying_conjunctions(clause, at):
                        bodies.append(self._body(found, args, types))
                        owner.append(row)
                        sign.append(found.parity if positive else -found.parity)
            if bodies:
                size = max(len(body) for body in bodies)
                padded = np.full((len(bodies), size, self._width), -1, np.int32)
                for row, body in enumerate(bodies):
                    padded[row, : len(body)] = body
                counts = coverage.counts(padded).astype(np.float64)
                counts[(counts < 0).any(axis=1)] = np.nan
                columns = slice(self._start[position], self._start[position + 1])
                np.add.at(result[:, columns], np.array(owner), counts * np.array(sign)[:, None])
        result[np.isnan(result).any(axis=1)] = np.nan
        return result

    def flip_counts_until(
        self, clauses: Sequence[Disjunction], conduct: Conduct = PLAIN
    ) -> tuple[list[Disjunction], Float]:
        """Clauses counted before the deadline or a cancel, without those of too many groundings."""
        counted: list[Disjunction] = []
        rows: list[Float] = [np.zeros((0, len(self.target)))]
        at, size = 0, 16
        while at < len(clauses) and not conduct.over:
            batch = clauses[at : at + size]
            begun = monotonic()
            counts = self.flip_counts(batch)
            usable = np.flatnonzero(~np.isnan(counts).any(axis=1))
            counted += [batch[place] for place in usable.tolist()]
            rows.append(counts[usable])
            at += size
            size = int(np.clip(size * _PATIENCE / max(monotonic() - begun, 1e-3), 1, 256))
        return counted, np.concatenate(rows)

    def _types(self, clause: Disjunction) -> dict[int, str]:
        return {
            variable: type_name
            for predicate, args, _ in clause
            for variable, type_name in zip(args, self.background.argument_types[predicate])
        }

    def _body(self, found: Conjunction, head: tuple[int, ...], types: Mapping[int, str]) -> Int32:
        """The conjunction as a coded body: the atom's arguments first,
        variables without an atom ranging over types.
        """
        names = {variable: place for place, variable in enumerate(head)}
        for variable in sorted(found.variables):
            names.setdefault(variable, len(names))

        def literal(predicate: int, variables: Sequence[int]) -> list[int]:
            row = [predicate, *(-names[variable] - 1 for variable in variables)]
            return row + [int(ABSENT)] * (self._width - len(row))

        number = self._number
        held = [literal(p, variables) for p, variables in found.held]
        bound = set(head) | {variable for _, variables in found.held for variable in variables}
        held += [literal(number[f"${types[v]}"], [v]) for v in sorted(found.variables - bound)]
        held += [literal(number[f"$={types[v]}"], [v, other]) for v, other in found.equal]
        return np.array(held, np.int32).reshape(-1, self._width)

    def fit(
        self,
        features: Float,
        start: Float | None = None,
        *,
        nonnegative: Bool | None = None,
        among: Bool | None = None,
    ) -> tuple[Float, float]:
        """Weights of greatest penalised pseudo-likelihood for such flip counts, and its value.

        Parameters
        ----------
        nonnegative : bool array, shape (n_clauses,), or None
            Clauses whose weights are at least 0.
        among : bool array, shape (n_atoms,), or None
            The atoms that are learned from; all when None.
        """
        from scipy.optimize import minimize

        counted = self.weight if among is None else np.where(among, self.weight, 0.0)

        def loss(w: Float) -> tuple[float, Float]:
            z = w @ features
            value = float(
                counted @ (np.logaddexp(0.0, z) - self.target * z)
            ) + 0.5 * self.l2 * float(w @ w)
            residual = counted * (0.5 * (1 + np.tanh(0.5 * z)) - self.target)
            return value, features @ residual + self.l2 * w

        begin = np.zeros(len(features)) if start is None else start
        bounds = (
            None
            if nonnegative is None
            else [(0.0 if low else None, None) for low in nonnegative.tolist()]
        )
        with one_blas_thread():
            answer = minimize(
                loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200}
            )
        return np.asarray(answer.x), -float(answer.fun)

    def log_likelihood(self, log_odds: Float, among: Bool) -> float:
        """Weighted mean log probability of the given atoms' truth."""
        counted = np.where(among, self.weight, 0.0)
        value = float(counted @ (self.target * log_odds - np.logaddexp(0.0, log_odds)))
        return value / max(float(counted.sum()), 1e-300)

    def gains(
        self, candidates: Float, log_odds: Float, *, steps: int = 8, nonnegative: bool = False
    ) -> Float:
        """What each candidate alone would add, present weights held: Newton in one weight.

        Parameters
        ----------
        candidates : float64 array, shape (n_candidates, n_atoms)
            Their flip counts.
        log_odds : float64 array, shape (n_atoms,)
            Of the present theory.
        nonnegative : bool
            Of weights of at least 0.
        """
        weight = np.zeros(len(candidates))
        base = float(self.weight @ (np.logaddexp(0.0, log_odds) - self.target * log_odds))
        for _ in range(steps):
            probability = 0.5 * (1 + np.tanh(0.5 * (log_odds + weight[:, None] * candidates)))
            slope = ((probability - self.target) * self.weight * candidates).sum(
                axis=1
            ) + self.l2 * weight
            curve = (probability * (1 - probability) * self.weight * candidates**2).sum(
                axis=1
            ) + self.l2
            weight -= np.clip(slope / curve, -2.0, 2.0)
            if nonnegative:
                weight = np.maximum(weight, 0.0)
        z = log_odds + weight[:, None] * candidates
        value = (self.weight * (np.logaddexp(0.0, z) - self.target * z)).sum(
            axis=1
        ) + 0.5 * self.l2 * weight**2
        return np.asarray(base - value)
