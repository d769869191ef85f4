"""Top-down beam search for clauses by weighted pseudo-log-likelihood (Kok and Domingos 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.arrays import Float
from workbench.progress import PLAIN, Conduct
from workbench.structure.background import Background
from workbench.structure.bodies import sharing
from workbench.structure.disjunctions import Disjunction, canonical_disjunction
from workbench.structure.growth import (
    GrownTheory,
    Growth,
    ModeCheck,
    Proposals,
    literal_cost,
    unit_clauses,
)
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.settings import check_range


@dataclass(frozen=True)
class BeamSearch:
    """Parameters of the search.

    Parameters
    ----------
    max_length : int
        Literals of a clause.
    beam : int
        Clauses refined at each length.
    max_clauses : int
        Clauses added to the theory.
    min_gain : float
        Least gain in weighted pseudo-log-likelihood.
    literal_cost : float or None
        What a literal more has to gain, in nats an atom, for a clause to be preferred to a shorter
        one; None for one nat of all atoms.
    max_candidates : int
        Refinements scored at once; beyond it a clause's refinements are cut off in order.
    recursive : bool
        Whether a clause may mention scored predicates more than once. If not, the scored atoms are
        independent given the evidence, and the pseudo-likelihood is the conditional likelihood.
    max_constants : int
        Constants of a category; of one that has more, rules name none. With 0 they compare no
        numbers either.
    implications : bool
        Only clauses that a person would write: known things imply the target or its negation, with
        a weight of at least 0. Otherwise literals of any sign, and weights of any sign.
    """

    max_length: int = 4
    max_variables: int = 5
    beam: int = 5
    max_clauses: int = 20
    min_gain: float = 5e-4
    literal_cost: float | None = None
    max_candidates: int = 4000
    recursive: bool = True
    max_constants: int = 20
    implications: bool = True
    name: str = field(default="beam", init=False)

    def __post_init__(self) -> None:
        check_range(self, max_length=2, max_variables=1, beam=1, max_candidates=1)

    def learn(
        self,
        score: PseudoLikelihoodScore,
        *,
        start: Sequence[Disjunction] = (),
        mode_errors: ModeCheck | None = None,
        conduct: Conduct = PLAIN,
    ) -> GrownTheory:
        """Add the best clause found by beam search, refit all weights, until nothing helps.

        Parameters
        ----------
        score : PseudoLikelihoodScore
            The data and the scored predicates; clauses mention at least one of them.
        start : sequence of Disjunction
            A theory to be revised: its clauses are kept, reweighted and added to.
        mode_errors : ModeCheck or None
            See `Growth`.
        conduct : Conduct
            At its deadline, or a cancel, the theory so far is returned.
        """
        theory = [canonical_disjunction(clause) for clause in (*unit_clauses(score), *start)]
        cost = literal_cost(score) if self.literal_cost is None else self.literal_cost
        growth = Growth(
            score, theory, min_gain=self.min_gain, cost=cost, nonnegative=self.implications,
            mode_errors=mode_errors,
        )  # fmt: skip

        def propose(log_odds: Float, used: set[Disjunction]) -> Proposals:
            return self._best_clauses(score, log_odds, used, cost, conduct)

        return growth.run(propose, max_clauses=self.max_clauses, tried=self.beam, conduct=conduct)

    def _best_clauses(
        self,
        score: PseudoLikelihoodScore,
        log_odds: Float,
        used: set[Disjunction],
        cost: float,
        conduct: Conduct,
    ) -> Proposals:
        """The best clauses of each length that one beam search from the heads comes by."""
        seen: set[Disjunction] = set()
        frontier = self._heads(score)
        found: Proposals = []
        for length in range(2, self.max_length + 1):
            if conduct.over:
                break
            refined = self._refined(score, frontier, seen)
            seen.update(refined)
            counted, counts = score.flip_counts_until(refined[: self.max_candidates], conduct)
            if not counted:
                break
            gains = score.gains(counts, log_odds, nonnegative=self.implications)
            scored = [
                (float(gain), clause, row)
                for gain, clause, row in zip(gains - cost * (length - 2), counted, counts)
            ]
            scored.sort(key=_best_first)
            best = self._best(score.background, scored, used)
            found += best
            frontier = [clause for _, clause, _ in best]
        return sorted(found, key=_best_first)

    def _best(self, background: Background, scored: Proposals, used: set[Disjunction]) -> Proposals:
        """The best, and the best without conditions: theirs are many, and tell at once, where a way
        to other things tells once it has arrived.
        """
        fresh = [entry for entry in scored if entry[1] not in used]
        conditions = {background.number[name] for name in background.inline}
        plain = [
            place
            for place, (_, clause, _) in enumerate(fresh)
            if conditions.isdisjoint(predicate for predicate, _, _ in clause)
        ]
        kept = {*range(min(self.beam, len(fresh))), *plain[: self.beam]}
        return [fresh[place] for place in sorted(kept)]

    def _heads(self, score: PseudoLikelihoodScore) -> list[Disjunction]:
        """What a search starts from: the target; for implications, its negation too."""
        units = unit_clauses(score)
        if not self.implications:
            return units
        return [*units, *(((predicate, args, False),) for ((predicate, args, _),) in units)]

    def _refined(
        self, score: PseudoLikelihoodScore, frontier: Sequence[Disjunction], seen: set[Disjunction]
    ) -> list[Disjunction]:
        """What refines a clause of the frontier and was not seen, each once."""
        background = score.background
        scored = frozenset(background.number[name] for name in score.atoms)
        barred = frozenset[int]() if self.recursive else scored
        signs = (False,) if self.implications else (False, True)
        return list(
            dict.fromkeys(
                clause
                for parent in frontier
                for clause in refinements(background, parent, self.max_variables, barred, signs)
                if clause not in seen
            )
        )


def _best_first(entry: tuple[float, Disjunction, Float]) -> tuple[float, Disjunction]:
    return -entry[0], entry[1]


def refinements(
    background: Background,
    clause: Disjunction,
    max_variables: int,
    barred: frozenset[int] = frozenset(),
    signs: Sequence[bool] = (False, True),
) -> list[Disjunction]:
    """The clause with a literal more of the given signs, sharing a variable; canonical, once.

    Variables of equal type may be shared; no literal repeats a variable, and no literal meets its
    own complement.
    """
    type_of = {
        variable: name
        for predicate, args, _ in clause
        for variable, name in zip(args, background.argument_types[predicate])
    }
    present = {(predicate, args) for predicate, args, _ in clause}
    result: dict[Disjunction, None] = {}
    for predicate, types in enumerate(background.argument_types):
        for shared in () if predicate in barred else sharing(type_of.items(), types):
            args, following = [], len(type_of)
            for variable in shared:
                args.append(variable if variable >= 0 else following)
                following += variable < 0
            if following > max_variables or (predicate, tuple(args)) in present:
                continue
            for positive in signs:
                result[canonical_disjunction((*clause, (predicate, tuple(args), positive)))] = None
    return list(result)
