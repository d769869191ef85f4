"""What changed facts add to rules and take from them, joined with the rest, and no more.

The groundings of a clause that reads one changed relation, once and as a condition, are a sum over
that relation's facts. So are its rows, unit groundings and counts: what came is ground over new
facts alone, what went over old ones. Of Markov logic counts are of all bindings of its domains, and
those that evidence satisfies are what is left of them; soft logic counts the bindings that its
conditions have, a sum as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Array, Float, Int32
from workbench.database import FactRows
from workbench.grounding.ground import Grounder
from workbench.grounding.result import RuleCount
from workbench.grounding.roles import open_literals
from workbench.grounding.tallied import rule_counts
from workbench.grounding.unification import merging_is_needless
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.language.terms import Literal, Variable
from workbench.network.ground_network import Blocks, Domain, GroundNetwork, Templates


@dataclass(frozen=True)
class Side:
    """Rows of some rules over the atoms as they are now, templates numbered as they were before.

    Attributes
    ----------
    rule : int32 array, shape (n_rows,)
    """

    network: GroundNetwork
    rule: Int32
    counts: tuple[RuleCount, ...]


@dataclass(frozen=True)
class Difference:
    """What changed facts added to some rules and took from them.

    Attributes
    ----------
    rules : frozenset of int
    """

    rules: frozenset[int]
    came: Side
    went: Side

    def sums(self, network: GroundNetwork) -> dict[str, Array]:
        """The sums by template that a network has now, by those that it had."""
        came, went = self.came.network, self.went.network
        summed = {
            name: getattr(network, name) + getattr(came, name) - getattr(went, name)
            for name in (
                "constant",
                "unit_scale",
                "evidence_violated",
                "groundings",
                "evidence_satisfied",
            )
        }
        if network.domain is Domain.UNIT:
            return summed
        mine = came.groundings.sum(axis=1) > 0
        # Of all groundings, which new constants make more, those that evidence satisfies are what
        # is left.
        groundings = summed["groundings"]
        every = came.groundings.sum(axis=1)
        groundings[:, 1] = np.where(
            mine, np.maximum(every - groundings[:, 0] - groundings[:, 2], 0), groundings[:, 1]
        )
        satisfied = (
            came.evidence_satisfied * _share(groundings[:, 1], came.groundings[:, 1])[:, None]
        )
        summed["evidence_satisfied"] = np.where(
            mine[:, None], satisfied, network.evidence_satisfied
        )
        return summed

    def counts(self, before: RuleCount, rows: int) -> RuleCount:
        """What a rule of so many rows became."""
        came, went = self.came.counts[before.rule], self.went.counts[before.rule]

        def now(name: str) -> int:
            return max(0, int(getattr(before, name) + getattr(came, name) - getattr(went, name)))

        violated, is_open = now("violated"), now("open")
        every = came.open + came.satisfied + came.violated
        soft = self.came.network.domain is Domain.UNIT
        return replace(
            before,
            ground_rows=rows,
            unit_groundings=now("unit_groundings"),
            open=is_open,
            satisfied=now("satisfied") if soft else max(0, every - is_open - violated),
            violated=violated,
        )


def _share(part: Array, whole: Array) -> Float:
    return np.asarray(part / np.maximum(whole, 1), np.float64)


def changed_literal(
    vocabulary: Vocabulary,
    clause: Clause | LinearRule,
    predicates: Collection[str],
    types: Collection[str],
    facts: Mapping[str, FactRows],
) -> Literal | None:
    """The literal whose changed facts alone decide what a clause gains and loses; None where more
    does. Where none has changed facts (domains grew), it is a condition that binds nothing new.

    Parameters
    ----------
    predicates, types : collections of str
        All that the clause may read and that is not as it was.
    facts : mapping of str to FactRows
        Of evidence predicates that are no other way changed; of some these are none.
    """
    if not isinstance(clause, Clause) or clause.existential or clause.plus or clause.values:
        return None
    if clause.function_values or clause.weight_variable is not None or clause.factor is not None:
        return None
    changed = [one for one in clause.literals if one.atom.predicate in predicates] or [
        one for one in clause.literals if not one.positive and one.atom.predicate in facts
    ][:1]
    if len(changed) != 1 or changed[0].positive or changed[0].atom.predicate not in facts:
        return None
    literals = open_literals(vocabulary.roles, clause)
    names = {one.atom.predicate for one in literals}
    listed = any(vocabulary.roles[name].listed for name in names) and not clause.multiset
    if listed or any(vocabulary.roles[name].scoped for name in names):
        return None
    # A hard row stands for all groundings that come to it, which are not counted.
    known = vocabulary.has_observed if clause.multiset else vocabulary.has_known
    folded = any(map(known, names))
    if clause.hard and names and (folded or not merging_is_needless(clause, literals)):
        return None
    ranging = {name for name, type_name in clause.variable_types if type_name in types}
    # Constants that went with their last fact have no place any more, so neither has the fact.
    if ranging and any(len(one.went) for one in facts.values()):
        return None
    if clause.multiset:
        name = changed[0].atom.predicate
        return changed[0] if _as_sharp_as_before(vocabulary, name, facts[name]) else None
    conditions = [one for one in clause.literals if one not in literals and not one.positive]
    bound = {
        term.name for one in conditions for term in one.atom.arguments if isinstance(term, Variable)
    }
    return changed[0] if ranging <= bound else None


def _as_sharp_as_before(vocabulary: Vocabulary, predicate: str, changed: FactRows) -> bool:
    """Whether facts are all 0 or 1 just where they were: constants are summed otherwise if not."""
    came, went = (int((one.values != 1).sum()) for one in (changed.came, changed.went))
    now = vocabulary.count_between(predicate)
    return (now > 0) == (now - came + went > 0)


def difference(
    grounder: Grounder,
    clauses: Mapping[Clause | LinearRule, str],
    facts: Mapping[str, FactRows],
    templates: Templates,
) -> Difference:
    """Ground clauses over what came and what went of the predicate that each reads."""
    sides = []
    for name in ("came", "went"):
        for predicate in set(clauses.values()):
            grounder.vocabulary.take_facts(predicate, getattr(facts[predicate], name))
        sides.append(_side(grounder, tuple(clauses), templates, checked=name == "came"))
    for predicate in set(clauses.values()):
        grounder.vocabulary.let_facts_go(predicate)
    return Difference(frozenset(one.rule for one in clauses), *sides)


def _side(
    grounder: Grounder,
    clauses: tuple[Clause | LinearRule, ...],
    templates: Templates,
    *,
    checked: bool,
) -> Side:
    tallies, table = grounder.count(clauses, grounder.request.limit, templates)
    if checked:
        grounder.check_hard(tallies)
    written = grounder.stream(tallies, templates.n_templates)
    n_atoms = grounder.numbering.n_open
    network = grounder.network(
        tallies,
        templates.n_templates,
        table.power,
        np.zeros(n_atoms, np.int32),
        Blocks.none(n_atoms),
    )
    numbers, counts = zip(*grounder.emitted) if grounder.emitted else ((), ())
    rule = np.repeat(np.array(numbers, np.int32), np.array(counts, np.int64))
    return Side(network, rule, rule_counts(grounder.program, tallies, written))
