"""Weighted pseudo-log-likelihood of sets of clauses, with the flip counts of many candidates computed together.

A clause's log-odds contribution to a ground atom is its weight times the number of groundings that are satisfied
because of that atom alone: those whose other literals are all false. A negated literal is false where its atom is a
fact; positive literals are taken care of by inclusion and exclusion, over variables bound to their types' constants:

    #{all others false} = sum over subsets S of the other positive literals (-1)^|S| #{negated literals' atoms, S hold}

so flip counts are sums of counts of conjunctions, which `Coverage.counts` answers a set at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from workbench.arrays import Float, Int32
from workbench.structure.background import ABSENT, Background, Examples
from workbench.structure.coverage import IndexedCoverage

__all__ = ["Disjunct", "Disjunction", "PseudoLikelihoodScore", "all_atoms", "canonical_disjunction", "disjunction_text"]

Disjunct = tuple[int, tuple[int, ...], bool]
"""Predicate number, variable numbers, positive."""
Disjunction = tuple[Disjunct, ...]


def canonical_disjunction(clause: Disjunction) -> Disjunction:
    """The least renaming of the clause over all orders of its literals; equal for clauses equal up to renaming."""
    from itertools import permutations

    best: Disjunction | None = None
    for order in permutations(sorted(clause, key=lambda d: (d[0], d[2]))):
        if any((a[0], a[2]) > (b[0], b[2]) for a, b in zip(order, order[1:])):  # noqa: RUF007
            continue
        names: dict[int, int] = {}
        renamed = tuple((p, tuple(names.setdefault(v, len(names)) for v in args), sign) for p, args, sign in order)
        if best is None or renamed < best:
            best = renamed
    assert best is not None
    return best


def disjunction_text(background: Background, clause: Disjunction) -> str:
    """The clause in Alchemy's syntax: an implication where it has both signs."""

    def atom(disjunct: Disjunct) -> str:
        predicate, args, _ = disjunct
        return f"{background.predicates[predicate]}({', '.join(f'v{v + 1}' for v in args)})"

    positive = [atom(d) for d in clause if d[2]]
    negative = [atom(d) for d in clause if not d[2]]
    if positive and negative:
        return f"{' ^ '.join(negative)} => {' v '.join(positive)}"
    return " v ".join([*positive, *(f"!{text}" for text in negative)])


def all_atoms(background: Background, predicate: str, *, limit: int = 5000, seed: int = 0) -> tuple[Examples, Float]:
    """Ground atoms of a predicate with their truth, and a weight for each.

    Every true atom, and every false one where there are at most `limit` atoms; otherwise a sample of false ones, each
    weighted by how many it stands for.
    """
    number = background.number[predicate]
    types = background.argument_types[number]
    domains = [background.domain(name) for name in types]
    true = background.facts[number]
    total = int(np.prod([len(domain) for domain in domains], dtype=np.float64))
    known = {tuple(row) for row in true.tolist()}
    if total <= limit:
        false = np.array([row for row in product(*(d.tolist() for d in domains)) if row not in known], np.int32)
    else:
        rng = np.random.default_rng(seed)
        drawn = np.stack([rng.choice(domain, limit) for domain in domains], axis=1).astype(np.int32)
        false = np.array([row for row in np.unique(drawn, axis=0).tolist() if tuple(row) not in known], np.int32)
    false = false.reshape(-1, len(types))
    arguments = np.concatenate([true, false])
    label = np.concatenate([np.ones(len(true)), np.zeros(len(false))])
    weight = np.ones(len(arguments))
    if len(false):
        weight[len(true) :] = (total - len(true)) / len(false)
    return Examples(predicate, types, arguments, label), weight


@dataclass
class PseudoLikelihoodScore:
    """The weighted pseudo-log-likelihood (Kok and Domingos 2005) of clauses over given ground atoms.

    Parameters
    ----------
    background : Background
        All facts, those of the scored predicates included where they are known.
    atoms : mapping of predicate to (Examples, weights)
        The ground atoms of each scored predicate (`all_atoms`); predicates left out are evidence. Atoms of weight 0
        are not scored, but have flip counts.
    l2 : float
        Gaussian prior's precision on every weight.
    others : sequence of (Background, atoms)
        Further worlds with the same predicates; no rule joins worlds.

    Notes
    -----
    Every predicate counts the same: its atoms' log likelihoods are averaged (their weights sum to 1). A grounding in
    which an atom occurs twice is counted with the other occurrence at its true value.
    """

    background: Background
    atoms: Mapping[str, tuple[Examples, Float]]
    l2: float = 1e-4
    others: Sequence[tuple[Background, Mapping[str, tuple[Examples, Float]]]] = ()

    def __post_init__(self) -> None:
        parts: list[tuple[str, IndexedCoverage, Examples, Float]] = []
        total = dict.fromkeys(self.atoms, 0.0)
        for background, atoms in ((self.background, self.atoms), *self.others):
            widened = _with_domains(background)
            for name, (examples, weight) in atoms.items():
                parts.append((name, IndexedCoverage(widened, examples), examples, weight))
                total[name] += float(weight.sum())
        self._domain_of = {
            types[0]: number
            for number, (name, types) in enumerate(zip(widened.predicates, widened.argument_types))
            if name.startswith("$")
        }
        self._width = 1 + widened.max_arity
        self._parts = [(name, coverage) for name, coverage, _, _ in parts]
        self._target = np.concatenate([examples.label for _, _, examples, _ in parts])
        self._weight = np.concatenate([weight / total[name] for name, _, _, weight in parts])
        self._start = np.cumsum([0, *(len(examples) for _, _, examples, _ in parts)])

    @property
    def worlds(self) -> tuple[Background, ...]:
        """The facts, world by world."""
        return (self.background, *(background for background, _ in self.others))

    def restricted(self, target: str) -> PseudoLikelihoodScore:
        """The score of one of the predicates alone."""
        others = tuple((background, {target: atoms[target]}) for background, atoms in self.others)
        return PseudoLikelihoodScore(self.background, {target: self.atoms[target]}, self.l2, others)

    @property
    def target(self) -> Float:
        """Truth of all atoms, shape (n_atoms,)."""
        return self._target

    @property
    def weight(self) -> Float:
        """What each atom's log likelihood counts, shape (n_atoms,); every predicate's sum to 1."""
        return self._weight

    def flip_counts(self, clauses: Sequence[Disjunction]) -> Float:
        """Change of each clause's satisfied count when an atom becomes true, shape (n_clauses, n_atoms)."""
        result = np.zeros((len(clauses), len(self._target)))
        for position, (name, coverage) in enumerate(self._parts):
            number = self.background.number[name]
            bodies: list[Int32] = []
            owner: list[int] = []
            sign: list[int] = []
            for row, clause in enumerate(clauses):
                for at, (predicate, _, positive) in enumerate(clause):
                    if predicate != number:
                        continue
                    for body, parity in self._conjunctions(clause, at):
                        bodies.append(body)
                        owner.append(row)
                        sign.append(parity if positive else -parity)
            if bodies:
                size = max(len(body) for body in bodies)
                padded = np.full((len(bodies), size, self._width), -1, np.int32)
                for row, body in enumerate(bodies):
                    padded[row, : len(body)] = body
                counts = coverage.counts(padded) * np.array(sign)[:, None]
                columns = slice(self._start[position], self._start[position + 1])
                np.add.at(result[:, columns], np.array(owner), counts)
        return result

    def _conjunctions(self, clause: Disjunction, at: int) -> list[tuple[Int32, int]]:
        """Bodies and signs whose counts sum to the groundings with every literal but `at` false."""
        _, args, _ = clause[at]
        names = {variable: place for place, variable in enumerate(args)}
        for _, others, _ in clause:
            for variable in others:
                names.setdefault(variable, len(names))
        type_of: dict[int, str] = {}
        for predicate, others, _ in clause:
            for variable, type_name in zip(others, self.background.argument_types[predicate]):
                type_of[variable] = type_name

        def literal(predicate: int, variables: Sequence[int]) -> list[int]:
            row = [predicate, *(-names[variable] - 1 for variable in variables)]
            return row + [int(ABSENT)] * (self._width - len(row))

        rest = [disjunct for position, disjunct in enumerate(clause) if position != at]
        held = [literal(p, v) for p, v, positive in rest if not positive]
        bound = set(args) | {variable for _, v, positive in rest if not positive for variable in v}
        held += [literal(self._domain_of[type_of[v]], [v]) for v in type_of if v not in bound]
        positives = [literal(p, v) for p, v, positive in rest if positive]
        result: list[tuple[Int32, int]] = []
        for size in range(len(positives) + 1):
            for chosen in combinations(positives, size):
                rows = held + list(chosen)
                result.append((np.array(rows, np.int32).reshape(-1, self._width), (-1) ** size))
        return result

    def fit(self, features: Float, start: Float | None = None) -> tuple[Float, float]:
        """Weights of greatest penalised pseudo-likelihood for clauses with these flip counts, and its value."""
        from scipy.optimize import minimize

        def loss(w: Float) -> tuple[float, Float]:
            z = w @ features
            value = float(self._weight @ (np.logaddexp(0.0, z) - self._target * z)) + 0.5 * self.l2 * float(w @ w)
            residual = self._weight * (0.5 * (1 + np.tanh(0.5 * z)) - self._target)
            return value, features @ residual + self.l2 * w

        begin = np.zeros(len(features)) if start is None else start
        answer = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": 200})
        return np.asarray(answer.x), -float(answer.fun)

    def gains(self, candidates: Float, log_odds: Float, *, steps: int = 8) -> Float:
        """What each candidate alone would add to the pseudo-likelihood, the present weights held: Newton in one weight.

        Parameters
        ----------
        candidates : float64 array, shape (n_candidates, n_atoms)
            Their flip counts.
        log_odds : float64 array, shape (n_atoms,)
            Of the present theory.
        """
        weight = np.zeros(len(candidates))
        base = float(self._weight @ (np.logaddexp(0.0, log_odds) - self._target * log_odds))
        for _ in range(steps):
            probability = 0.5 * (1 + np.tanh(0.5 * (log_odds + weight[:, None] * candidates)))
            slope = ((probability - self._target) * self._weight * candidates).sum(axis=1) + self.l2 * weight
            curve = (probability * (1 - probability) * self._weight * candidates**2).sum(axis=1) + self.l2
            weight -= np.clip(slope / curve, -2.0, 2.0)
        z = log_odds + weight[:, None] * candidates
        value = (self._weight * (np.logaddexp(0.0, z) - self._target * z)).sum(axis=1) + 0.5 * self.l2 * weight**2
        return np.asarray(base - value)


def _with_domains(background: Background) -> Background:
    """The background with a unary predicate `$type` true of every constant of each type."""
    types = sorted({name for names in background.argument_types for name in names})
    return Background(
        (*background.predicates, *(f"${name}" for name in types)),
        (*background.argument_types, *((name,) for name in types)),
        (
            *background.facts,
            *(background.domain(name)[:, None] for name in types),
        ),
        background.constants,
    )
