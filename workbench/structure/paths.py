"""Bottom-up structure learning from relational paths (after Mihalkova and Mooney 2007, BUSL).

Paths of facts that lead away from the arguments of true atoms are turned into variables; those seen
often become the nodes of a template. The nodes that the target depends on (its Markov blanket) are
found by L1-penalised logistic regression, and clauses are made only of nodes in the blanket.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from scipy.sparse import csc_array

from workbench.arrays import Float
from workbench.errors import InputError
from workbench.learning.logistic import fit_logistic
from workbench.learning.logistic_objective import Penalty
from workbench.progress import PLAIN, Conduct
from workbench.structure.disjunctions import Disjunct, Disjunction, canonical_disjunction
from workbench.structure.growth import (
    GrownTheory,
    Growth,
    ModeCheck,
    literal_cost,
    unit_clauses,
)
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.relational_paths import Path, relational_paths
from workbench.structure.settings import check_range


@dataclass(frozen=True)
class PathLearner:
    """Parameters of bottom-up learning.

    Parameters
    ----------
    max_path : int or None
        Facts of a path. None: two from a relation, three from a property, whose shortest path to a
        neighbour's label has three.
    max_nodes : int
        Paths kept as template nodes, the most frequent; as many with conditions, the
        shortest.
    max_blanket : int
        Nodes of the blanket that clauses are made of, those of largest weight; half as many with
        conditions.
    min_share : float
        Least share of the true atoms that have a path.
    blanket_l1 : float
        L1 penalty of the blanket's regression (around the base rate), as a share of the least that
        leaves nothing.
    max_literals : int
        Literals of a clause, the target's counted.
    recursive : bool
        Whether paths may run through scored predicates.
    literal_cost : float or None
        As in `BeamSearch`.
    max_constants : int
        Constants of a category; of one that has more, rules name none. With 0 they compare no
        numbers either.
    implications : bool
        As in `BeamSearch`.
    """

    max_path: int | None = None
    max_nodes: int = 300
    max_blanket: int = 20
    min_share: float = 0.05
    blanket_l1: float = 0.1
    max_literals: int = 5
    max_clauses: int = 20
    min_gain: float = 5e-4
    literal_cost: float | None = None
    recursive: bool = True
    max_constants: int = 20
    implications: bool = True
    name: str = field(default="paths", init=False)

    def __post_init__(self) -> None:
        check_range(self, max_path=1, max_nodes=1, max_blanket=1, max_literals=2)

    def learn(
        self,
        score: PseudoLikelihoodScore,
        *,
        mode_errors: ModeCheck | None = None,
        conduct: Conduct = PLAIN,
    ) -> GrownTheory:
        """Templates, blanket, candidate clauses of both signs from blanket nodes, greedy growth.

        Raises E0608 when no scored predicate has a path.
        """
        candidates: dict[Disjunction, None] = {}
        for name in score.atoms:
            for clause in self._candidates(score, name, conduct):
                candidates[clause] = None
        if not candidates and not conduct.over:
            raise InputError.of(
                "E0608", "no background fact joins with a true atom of the scored predicates"
            )
        clauses, counts = score.flip_counts_until(list(candidates), conduct)
        cost = literal_cost(score) if self.literal_cost is None else self.literal_cost
        lengths = cost * np.array([len(clause) - 2 for clause in clauses], np.float64)

        def propose(
            log_odds: Float, used: set[Disjunction]
        ) -> list[tuple[float, Disjunction, Float]]:
            gains = score.gains(counts, log_odds, nonnegative=self.implications) - lengths
            order = np.argsort(-gains, kind="stable")
            return [
                (float(gains[k]), clauses[k], counts[k])
                for k in order.tolist()
                if clauses[k] not in used
            ][:50]

        growth = Growth(
            score, unit_clauses(score), min_gain=self.min_gain, cost=cost,
            nonnegative=self.implications, mode_errors=mode_errors,
        )  # fmt: skip
        return growth.run(propose, max_clauses=self.max_clauses, tried=5, conduct=conduct)

    def blanket(
        self, score: PseudoLikelihoodScore, target: str, conduct: Conduct = PLAIN
    ) -> Mapping[Path, float]:
        """Template nodes that the target depends on, with the weight of each in the regression."""
        background = score.background
        found: Counter[Path] = Counter()
        least = 0.0
        longest = self.max_path or (3 if len(score.atoms[target][0].types) == 1 else 2)
        for world in score.worlds:
            if conduct.progress.cancelled:
                break
            found.update(relational_paths(world, target, max_length=longest, conduct=conduct))
            least += self.min_share * min(len(world.facts[world.number[target]]), 200)
        numbers = background.number
        if not self.recursive:
            barred = {numbers[name] for name in score.atoms}
            found = Counter(
                {p: n for p, n in found.items() if barred.isdisjoint(fact for fact, _ in p)}
            )
        often = [path for path, times in found.items() if times >= least]
        often.sort(key=lambda path: (-found[path], path))
        # Conditions are many: they stand in no other path's way, the shortest first.
        conditions = {numbers[name] for name in background.inline}
        plain = [path for path in often if conditions.isdisjoint(number for number, _ in path)]
        further = sorted(
            set(often).difference(plain), key=lambda path: (len(path), -found[path], path)
        )
        return {
            **self._weighty(score, target, plain, self.max_blanket, conduct),
            **self._weighty(score, target, further, self.max_blanket // 2, conduct),
        }

    def _weighty(
        self,
        score: PseudoLikelihoodScore,
        target: str,
        nodes: Sequence[Path],
        most: int,
        conduct: Conduct,
    ) -> Mapping[Path, float]:
        """Nodes of largest weight in a regression on all of them."""
        nodes = nodes[: self.max_nodes]
        if not nodes:
            return {}
        background = score.background
        head: Disjunct = (
            background.number[target],
            tuple(range(len(score.atoms[target][0].types))),
            True,
        )
        clauses = [(head, *((p, args, False) for p, args in path)) for path in nodes]
        alone = score.restricted(target)
        counted, counts = alone.flip_counts_until(clauses, conduct)
        if not counted:
            return {}
        found_at = dict(zip(clauses, nodes))
        nodes = [found_at[clause] for clause in counted]
        X = csc_array((counts != 0).astype(np.float64).T)
        scored = alone.weight > 0
        X, label = csc_array(X[np.flatnonzero(scored)]), alone.target[scored]
        rate = (label.sum() + 0.5) / (len(label) + 1)
        penalty = Penalty(l1=self.blanket_l1 * max(float(np.abs(X.T @ (rate - label)).max()), 1e-9))
        base = np.full(len(label), np.log(rate / (1 - rate)))
        weights = fit_logistic(X, label, penalty, offset=base, tolerance=1e-3).weights
        order = np.argsort(-np.abs(weights), kind="stable")[:most]
        return {nodes[k]: float(weights[k]) for k in np.sort(order).tolist() if weights[k] != 0}

    def _candidates(
        self, score: PseudoLikelihoodScore, target: str, conduct: Conduct
    ) -> list[Disjunction]:
        background = score.background
        blanket = self.blanket(score, target, conduct)
        last_signs = (False,) if self.implications else (False, True)
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
                if len(literals) + 1 > self.max_literals or any(
                    len(set(args)) < len(args) for _, args in literals
                ):
                    continue
                for head_sign, last_sign in product((True, False), last_signs):
                    rest = list(literals)
                    body = [(p, args, False) for p, args in rest[:-1]] + [(*rest[-1], last_sign)]
                    result[canonical_disjunction(((number, head_args, head_sign), *body))] = None
        return list(result)
