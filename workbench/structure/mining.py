"""Frequent Horn rules from facts alone: AMIE's measures (Galarraga and others 2013, 2015)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.progress import PLAIN, Conduct
from workbench.structure.background import Background, Examples
from workbench.structure.bodies import clause_of, extensions, is_closed, new_bodies
from workbench.structure.clauses import Interning
from workbench.structure.coverage import IndexedCoverage, unpack
from workbench.structure.disjunctions import Disjunction
from workbench.structure.ground_atoms import domain_atoms, in_parts, true_atoms
from workbench.structure.rules import LearnedRule, body_text
from workbench.structure.settings import check_range

_CHUNK = 500_000
"""Covers computed at once."""
_MOST_GROWN = 200_000
"""Bodies of one length looked at; of more, those that extend bodies of greatest support."""


@dataclass(frozen=True)
class MinedRule(LearnedRule):
    """A mined rule: `positives` are facts it predicts, `negatives` predictions that are no facts.

    Attributes
    ----------
    head_coverage : float
        Share of the head's facts that the rule predicts.
    pca_confidence : float
        Facts predicted, over predictions whose first argument has some fact of the head (partial
        completeness: what is not known of other subjects does not count against a rule).
    clause : Disjunction
        The rule as literals of predicates and variables.
    """

    head_coverage: float = 0.0
    pca_confidence: float = 0.0
    clause: Disjunction = ()


@dataclass(frozen=True)
class RuleMiner:
    """Breadth-first mining of connected, closed Horn rules.

    Parameters
    ----------
    max_length : int or None
        Literals of a rule, the head counted. None: three for a relation, four for a property, whose
        shortest way to a neighbour's label takes three.
    min_support : int
        Fewest facts a rule predicts.
    max_candidates : int
        Bodies of each length that are refined, those of greatest support first.
    max_constants : int
        As in `BeamSearch`.
    max_domain : int
        Tuples of the head's constants that predictions are counted over. Where there are more,
        confidences are estimated on an even share of the subjects (the first arguments), each with
        all its objects.
    """

    max_length: int | None = None
    min_support: int = 5
    min_head_coverage: float = 0.01
    min_confidence: float = 0.1
    min_pca_confidence: float = 0.1
    max_candidates: int = 5000
    max_constants: int = 20
    max_domain: int = 4_000_000
    implications: ClassVar[bool] = True
    name: str = field(default="mine", init=False)

    def __post_init__(self) -> None:
        check_range(self, max_length=2, min_support=1, max_candidates=1, max_domain=1)

    def learn(
        self,
        worlds: Background | Sequence[Background],
        heads: Sequence[str] | None = None,
        *,
        false: Sequence[Mapping[str, Int32]] = (),
        conduct: Conduct = PLAIN,
    ) -> tuple[MinedRule, ...]:
        """Rules for each head predicate, by descending PCA confidence, then support.

        A rule is closed when every variable occurs twice; its predictions are the distinct head
        bindings of its body. Confidence is support over predictions. `gain` is the share of facts
        predicted beyond chance, PCA confidence minus the head's density among its arguments'
        constants.

        Parameters
        ----------
        worlds : Background, or several with the same predicates
            No rule joins worlds; counts are summed over them.
        heads : sequence of str or None
            None for every predicate of one or two arguments.
        false : sequence, a world each, of predicate to int32 array, shape (n_false, arity)
            The atoms that the data call false; of a head that has such, no other prediction counts
            against a rule.
        """
        rules: list[MinedRule] = []
        conduct.offer(worlds, lambda: _in_order(rules))
        worlds = (worlds,) if isinstance(worlds, Background) else tuple(worlds)
        none = np.zeros((0, 0), np.int32)
        chosen = [
            name
            for number, (name, types) in enumerate(
                zip(worlds[0].predicates, worlds[0].argument_types)
            )
            if (name not in worlds[0].inline if heads is None else name in heads)
            and len(types) in (1, 2)
            and any(len(world.facts[number]) for world in worlds)
        ]
        for done, head in enumerate(chosen):
            if conduct.over:
                break
            conduct.progress.report("mining", done, len(chosen), head)
            named = [of.get(head, none) for of in false] or [none] * len(worlds)
            for found in self._mine(worlds, head, named, conduct):
                rules += found
        return _in_order(rules)

    def _mine(
        self,
        worlds: Sequence[Background],
        head: str,
        false: Sequence[Int32],
        conduct: Conduct,
    ) -> Iterator[list[MinedRule]]:
        """Rules of each length."""
        background = worlds[0]
        number = background.number[head]
        coverages = [
            IndexedCoverage(world, true_atoms(world, head))
            for world in worlds
            if world.facts[number].size
        ]
        most = self.max_domain // len(worlds)
        domains = [
            (world, part, len(named) > 0)
            for world, named in zip(worlds, false)
            for part in in_parts(domain_atoms(world, head, named, most), _CHUNK)
            if len(part)
        ]
        n_facts = sum(coverage.n_examples for coverage in coverages)
        for bodies, support in self._supported(background, number, coverages, conduct):
            yield self._rules(background, n_facts, domains, bodies, support, conduct)

    def _supported(
        self,
        background: Background,
        head: int,
        coverages: Sequence[IndexedCoverage],
        conduct: Conduct,
    ) -> Iterator[tuple[Int32, Int64]]:
        """Closed bodies, length by length, with the facts of the head that support each."""
        types = background.argument_types[head]
        longest = self.max_length or (4 if len(types) == 1 else 3)
        n_facts = sum(coverage.n_examples for coverage in coverages)
        least = max(self.min_support, int(np.ceil(self.min_head_coverage * n_facts)))
        width = 1 + background.max_arity
        seen = Interning((longest - 1) * width)
        bodies = np.full((1, 0, width), -1, np.int32)
        variable_types: list[list[str]] = [list(types)]
        for size in range(1, longest):
            bodies, variable_types = _extended(
                background, head, bodies, variable_types, size == longest - 1, conduct
            )
            fresh = new_bodies(bodies, len(types), seen, longest - 1)
            if not len(fresh):
                return
            support = _support(coverages, bodies[fresh], conduct)
            kept = np.flatnonzero(support >= least)
            kept = kept[np.argsort(-support[kept], kind="stable")][: self.max_candidates]
            support, kept = support[kept], fresh[kept]
            bodies, variable_types = bodies[kept], [variable_types[k] for k in kept.tolist()]
            closed = [k for k, body in enumerate(bodies) if is_closed(body, len(types))]
            yield bodies[closed], support[closed]
            if not len(bodies) or conduct.over:
                return

    def _rules(
        self,
        background: Background,
        n_facts: int,
        domains: Sequence[tuple[Background, Examples, bool]],
        bodies: Int32,
        support: Int64,
        conduct: Conduct,
    ) -> list[MinedRule]:
        rules: list[MinedRule] = []
        if not len(bodies):
            return rules
        tallies = _tallies(domains, bodies, conduct)
        density = sum(float(domain.label.sum()) for _, domain, _ in domains) / sum(
            len(domain) for _, domain, _ in domains
        )
        for body, facts, (total, partial, correct) in zip(
            bodies, support.tolist(), tallies.tolist()
        ):
            confidence, pca = correct / max(total, 1), correct / max(partial, 1)
            if confidence < self.min_confidence or pca < self.min_pca_confidence:
                continue
            wrong = round(facts * (total - correct) / max(correct, 1))
            rules.append(
                MinedRule(
                    body_text(background, domains[0][1], body), facts, wrong, confidence,
                    pca - density, head_coverage=facts / n_facts, pca_confidence=pca,
                    clause=clause_of(background, domains[0][1], body),
                )
            )  # fmt: skip
        return rules


def _in_order(rules: Sequence[MinedRule]) -> tuple[MinedRule, ...]:
    return tuple(sorted(rules, key=lambda rule: (-rule.pca_confidence, -rule.positives, rule.text)))


def _tallies(
    domains: Sequence[tuple[Background, Examples, bool]], bodies: Int32, conduct: Conduct
) -> Int64:
    """Each body's predictions, those of known subjects, those that hold; the first bodies' alone
    where time ends.
    """
    prepared = []
    for world, domain, labelled in domains:
        known = domain if labelled else true_atoms(world, domain.predicate)
        subjects = np.isin(domain.arguments[:, 0], known.arguments[:, 0])
        prepared.append((IndexedCoverage(world, domain), domain.label == 1, subjects))
    tallies = np.zeros((len(bodies), 3), np.int64)
    for row, body in enumerate(bodies):
        for everything, true, subjects in prepared:
            if conduct.over:
                return tallies[:row]
            predicted = unpack(everything.covers(body[None]), len(true))[0]
            tallies[row] += [
                sum_of.sum() for sum_of in (predicted, predicted & subjects, predicted & true)
            ]
    return tallies


def _extended(
    background: Background,
    head: int,
    bodies: Int32,
    variable_types: Sequence[list[str]],
    last: bool,
    conduct: Conduct,
) -> tuple[Int32, list[list[str]]]:
    """The bodies with a literal more, and the types of their variables."""
    grown: list[Int32] = []
    types: list[list[str]] = []
    for body, known in zip(bodies, variable_types):
        if len(grown) >= _MOST_GROWN or conduct.over:
            break
        for literal, following in extensions(background, body, known, head, last):
            grown.append(np.concatenate([body, literal[None]]))
            types.append(following)
    return np.stack(grown) if grown else bodies[:0], types


def _support(coverages: Sequence[IndexedCoverage], candidates: Int32, conduct: Conduct) -> Int64:
    """Facts that each candidate predicts, of as many candidates as there is time for."""
    found: list[Int64] = [np.zeros(0, np.int64)]
    examples = sum(coverage.n_examples for coverage in coverages)
    for chunk in np.array_split(candidates, len(candidates) * examples // _CHUNK + 1):
        if conduct.over:
            break
        found.append(
            sum(
                (
                    np.bitwise_count(coverage.covers(chunk)).sum(axis=1).astype(np.int64)
                    for coverage in coverages
                ),
                np.zeros(len(chunk), np.int64),
            )
        )
    return np.concatenate(found)
