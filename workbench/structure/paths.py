"""Bottom-up structure learning from relational paths (after Mihalkova and Mooney 2007, BUSL).

Paths of facts that lead away from the arguments of true atoms are turned into variables; those seen often become the
nodes of a template. The nodes that the target depends on (its Markov blanket) are found by L1-penalised logistic
regression, and clauses are made only of nodes in the blanket.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Float
from workbench.errors import InputError
from workbench.learning.logistic import Penalty, fit_logistic
from workbench.progress import SILENT, Progress, expired
from workbench.structure.background import Background
from workbench.structure.beam import WeightedClauses, grow_theory
from workbench.structure.pseudo_likelihood import Disjunct, Disjunction, PseudoLikelihoodScore, canonical_disjunction

__all__ = ["PathLearner", "relational_paths"]

Path = tuple[tuple[int, tuple[int, ...]], ...]


def relational_paths(
    background: Background,
    target: str,
    *,
    max_length: int = 2,
    max_atoms: int = 200,
    seed: int = 0,
    deadline: float | None = None,
) -> Counter[Path]:
    """Variabilised paths around true atoms of the target, with the number of true atoms that have each.

    A path is a sequence of facts, each sharing a constant with one before it, starting at an argument of the atom;
    equal constants of one type become one variable, the atom's arguments the first ones. The atom itself is no part.

    Parameters
    ----------
    max_length : int
        Facts of a path.
    max_atoms : int
        True atoms looked at, drawn with `seed`.
    deadline : float or None
        A `time.monotonic()` reading; the atoms looked at until then are counted.
    """
    number = background.number[target]
    types = background.argument_types[number]
    atoms = background.facts[number]
    rng = np.random.default_rng(seed)
    if len(atoms) > max_atoms:
        atoms = atoms[np.sort(rng.choice(len(atoms), max_atoms, replace=False))]
    touching: dict[tuple[str, int], list[tuple[int, tuple[int, ...]]]] = {}
    for predicate, (rows, names) in enumerate(zip(background.facts, background.argument_types)):
        for row in map(tuple, rows.tolist()):
            for name, constant in dict.fromkeys(zip(names, row)):
                touching.setdefault((name, constant), []).append((predicate, row))
    walker = _Walker(background, touching, max_length)
    counted: Counter[Path] = Counter()
    for atom in map(tuple, atoms.tolist()):
        if expired(deadline):
            break
        counted.update(walker.paths(types, number, atom))
    return counted


Fact = tuple[int, tuple[int, ...]]
Key = tuple[str, int]


@dataclass(frozen=True)
class _Walker:
    """Depth-first walks over facts that share constants."""

    background: Background
    touching: Mapping[Key, list[Fact]]
    max_length: int

    def paths(self, types: tuple[str, ...], number: int, atom: tuple[int, ...]) -> set[Path]:
        """The variabilised paths of at most `max_length` facts that start at the atom's arguments."""
        variables: dict[Key, int] = {}
        for place, key in enumerate(zip(types, atom)):
            variables.setdefault(key, place)
        found: set[Path] = set()
        stack: list[tuple[Fact, ...]] = [()]
        while stack:
            facts = stack.pop()
            if facts:
                names = dict(variables)
                path = tuple(
                    (
                        predicate,
                        tuple(names.setdefault(key, len(types) + len(names)) for key in self._keys(predicate, row)),
                    )
                    for predicate, row in facts
                )
                found.add(_compact(path, len(types)))
            if len(facts) == self.max_length:
                continue
            reachable = self._keys(*facts[-1]) if facts else list(variables)
            for key in dict.fromkeys(reachable):
                for fact in self.touching.get(key, ()):
                    if fact not in facts and fact != (number, atom):
                        stack.append((*facts, fact))
        return found

    def _keys(self, predicate: int, row: tuple[int, ...]) -> list[Key]:
        return list(zip(self.background.argument_types[predicate], row))


def _compact(path: Path, n_head: int) -> Path:
    names = {variable: variable for variable in range(n_head)}
    return tuple(
        (predicate, tuple(names.setdefault(variable, len(names)) for variable in args)) for predicate, args in path
    )


@dataclass(frozen=True)
class PathLearner:
    """Parameters of bottom-up learning.

    Parameters
    ----------
    max_path : int
        Facts of a path.
    max_nodes : int
        Paths kept as template nodes, the most frequent.
    max_blanket : int
        Nodes of the blanket that clauses are made of, those of largest weight.
    min_share : float
        Least share of the true atoms that have a path.
    blanket_l1 : float
        L1 penalty of the blanket's regression (around the base rate), as a share of the least that leaves nothing.
    max_literals : int
        Literals of a clause, the target's counted.
    max_clauses : int
    min_gain : float
    recursive : bool
        Whether paths may run through scored predicates.
    """

    max_path: int = 2
    max_nodes: int = 300
    max_blanket: int = 20
    min_share: float = 0.05
    blanket_l1: float = 0.1
    max_literals: int = 5
    max_clauses: int = 20
    min_gain: float = 5e-4
    recursive: bool = True
    name: str = field(default="paths", init=False)

    def learn(
        self,
        score: PseudoLikelihoodScore,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
    ) -> WeightedClauses:
        """Templates, blanket, candidate clauses of both signs from sets of blanket nodes, greedy growth.

        Raises
        ------
        InputError
            `E0608` when no scored predicate has a path.
        """
        background = score.background
        candidates: dict[Disjunction, None] = {}
        for name in score.atoms:
            for clause in self._candidates(score, name, seed, deadline):
                candidates[clause] = None
        if not candidates:
            raise InputError.of("E0608", "no background fact joins with a true atom of the scored predicates")
        clauses = list(candidates)
        counts = score.flip_counts(clauses)

        def propose(log_odds: Float, used: set[Disjunction]) -> list[tuple[float, Disjunction, Float]]:
            gains = score.gains(counts, log_odds)
            order = np.argsort(-gains, kind="stable")
            return [(float(gains[k]), clauses[k], counts[k]) for k in order.tolist() if clauses[k] not in used][:50]

        units = [
            canonical_disjunction(
                (
                    (
                        background.number[name],
                        tuple(range(len(background.argument_types[background.number[name]]))),
                        True,
                    ),
                )
            )
            for name in score.atoms
        ]
        return grow_theory(
            score, units, propose, max_clauses=self.max_clauses, min_gain=self.min_gain,
            tried=5, deadline=deadline, progress=progress,
        )  # fmt: skip

    def blanket(
        self, score: PseudoLikelihoodScore, target: str, seed: int = 0, deadline: float | None = None
    ) -> Mapping[Path, float]:
        """Template nodes that the target depends on, with the weight of each in the regression."""
        background = score.background
        found: Counter[Path] = Counter()
        least = 0.0
        for world in score.worlds:
            found.update(relational_paths(world, target, max_length=self.max_path, seed=seed, deadline=deadline))
            least += self.min_share * min(len(world.facts[world.number[target]]), 200)
        if not self.recursive:
            barred = {background.number[name] for name in score.atoms}
            found = Counter({p: n for p, n in found.items() if barred.isdisjoint(fact for fact, _ in p)})
        nodes = [path for path, times in sorted(found.items(), key=lambda e: (-e[1], e[0])) if times >= least]
        nodes = nodes[: self.max_nodes]
        if not nodes:
            return {}
        head: Disjunct = (background.number[target], tuple(range(len(score.atoms[target][0].types))), True)
        clauses = [(head, *((p, args, False) for p, args in path)) for path in nodes]
        alone = score.restricted(target)
        holds = (alone.flip_counts(clauses) != 0).astype(np.float64)
        X = csc_array(holds.T)
        scored = alone.weight > 0
        X, label = csc_array(X[np.flatnonzero(scored)]), alone.target[scored]
        rate = (label.sum() + 0.5) / (len(label) + 1)
        penalty = Penalty(l1=self.blanket_l1 * max(float(np.abs(X.T @ (rate - label)).max()), 1e-9))
        base = np.full(len(label), np.log(rate / (1 - rate)))
        weights = fit_logistic(X, label, penalty, offset=base, tolerance=1e-3).weights
        order = np.argsort(-np.abs(weights), kind="stable")[: self.max_blanket]
        return {nodes[k]: float(weights[k]) for k in np.sort(order).tolist() if weights[k] != 0}

    def _candidates(
        self, score: PseudoLikelihoodScore, target: str, seed: int, deadline: float | None
    ) -> list[Disjunction]:
        background = score.background
        blanket = self.blanket(score, target, seed, deadline)
        n_head = len(score.atoms[target][0].types)
        head_args = tuple(range(n_head))
        number = background.number[target]
        result: dict[Disjunction, None] = {}
        for size in (1, 2):
            for chosen in combinations(blanket, size):
                literals: dict[tuple[int, tuple[int, ...]], None] = {}
                offset = 0
                for path in chosen:  # further variables of different nodes stay apart
                    for predicate, args in path:
                        renamed = tuple(v if v < n_head else v + offset for v in args)
                        literals[predicate, renamed] = None
                    offset += max((v - n_head + 1 for _, args in path for v in args), default=0)
                if len(literals) + 1 > self.max_literals or any(len(set(args)) < len(args) for _, args in literals):
                    continue
                for head_sign, last_sign in product((True, False), (False, True)):
                    rest = list(literals)
                    body = [(p, args, False) for p, args in rest[:-1]] + [(*rest[-1], last_sign)]
                    result[canonical_disjunction(((number, head_args, head_sign), *body))] = None
        return list(result)
