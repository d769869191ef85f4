"""What was learned of an ILP problem, and its bodies as rules in our language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.structure.coverage import pack
from workbench.structure.induction import ClauseLearner, InducedTheory
from workbench.structure.rules import (
    LearnedRule,
    body_text,
    conjunction,
    information_gain,
    literal_parts,
    variable_text,
)
from workbench.structure.weighting import Feature, WeightedTheory


@dataclass(frozen=True)
class Induced:
    """Clauses that were learned: the theory or all that were kept, and their weights."""

    theory: InducedTheory
    parts: Int32
    collected: Int32
    weighted: WeightedTheory | None

    def probabilities(self, learner: ClauseLearner) -> Float:
        """Of all examples: by the weights, or 1 where some clause covers an example, else 0."""
        if self.weighted is not None:
            return self.weighted.probabilities(learner.cache)
        return learner.predict(replace(self.theory, parts=self.parts)).astype(np.float64)


def _told(learner: ClauseLearner, parts: Int32) -> tuple[Int64, Float]:
    """Positives and negatives that each body covers, shape (n, 2), and what that tells, (n,)."""
    positive, negative = learner.examples.label == 1, learner.examples.label == 0
    tally = learner.cache.tally(parts, np.stack([pack(positive), pack(negative)]))
    return tally, information_gain(
        tally[:, 0], tally[:, 1], int(positive.sum()), int(negative.sum())
    )


def of_most_gain(learner: ClauseLearner, parts: Int32, most: int) -> Int32:
    """The bodies that tell most of the examples, best first."""
    return np.asarray(parts[np.argsort(-_told(learner, parts)[1], kind="stable")[:most]])


def rules_of_bodies(
    learner: ClauseLearner, parts: Int32, weights: Sequence[float | None]
) -> list[LearnedRule]:
    """The bodies as rules, with what they cover."""
    examples = learner.examples
    (tally, gain), bodies = _told(learner, parts), learner.cache.body_literals(parts)
    return [
        LearnedRule(
            body_text(learner.background, examples, body),
            p,
            n,
            p / max(p + n, 1),
            value,
            weight,
        )
        for body, (p, n), value, weight in zip(bodies, tally.tolist(), gain.tolist(), weights)
    ]


def weighted_rules(
    learner: ClauseLearner, found: Induced
) -> tuple[tuple[LearnedRule, ...], tuple[str, ...]]:
    """The bodies as rules, and the definitions of those that speak by existence or by the logarithm
    of their number.

    With exact weights they are sorted by them, the target's unit clause is among them, and none is
    zero.
    """
    weighted = found.weighted
    if weighted is None:
        return tuple(rules_of_bodies(learner, found.parts, [None] * len(found.parts))), ()
    rules = rules_of_bodies(learner, weighted.parts, weighted.weights.tolist())
    made: list[str] = []
    if weighted.feature != "count":
        bodies = learner.cache.body_literals(weighted.parts)
        shown = [
            _by_feature(learner, rule, body, weighted.feature) for rule, body in zip(rules, bodies)
        ]
        rules = [rule for rule, _ in shown]
        made = list(dict.fromkeys(line for _, lines in shown for line in lines))
    examples = learner.examples
    head = body_text(learner.background, examples, np.zeros((0, 1), np.int32))
    positives, negatives = int((examples.label == 1).sum()), int((examples.label == 0).sum())
    rules.append(
        LearnedRule(
            head, positives, negatives, positives / (positives + negatives), 0.0, weighted.unit
        )
    )
    return tuple(sorted(rules, key=lambda rule: (-(rule.weight or 0.0), rule.text))), tuple(made)


def _by_feature(
    learner: ClauseLearner, rule: LearnedRule, body: Int32, feature: Feature
) -> tuple[LearnedRule, list[str]]:
    """The rule over a predicate defined by its body, and the definitions; as is where it can be."""
    n_head = len(learner.examples.types)
    terms = body[:, 1:]
    variables = sorted({-term - 1 for term in terms[terms < 0].tolist()})
    shared = [variable_text(variable, n_head) for variable in variables if variable < n_head]
    inner = [variable_text(variable, n_head) for variable in variables if variable >= n_head]
    # Such a body holds once at most; log(1 + 1) is then part of the weight.
    if not inner or not shared:
        once = float(np.log(2)) if feature == "log" else 1.0
        return replace(rule, weight=None if rule.weight is None else rule.weight * once), []
    said = conjunction(literal_parts(learner.background, literal, n_head) for literal in body)
    conclusion = rule.text.rpartition(" => ")[2]
    name = "has_" + sha256(said.encode()).hexdigest()[:8]
    atom = f"{name}({', '.join(shared)})"
    lines = [f"{atom} := {said}."]
    if feature == "exists":
        return replace(rule, text=f"{atom} => {conclusion}"), lines
    counted = f"number_of_{name.removeprefix('has_')}({', '.join([*shared, 'n'])})"
    lines.append(f"{counted} := {atom} ^ n = count({', '.join(inner)}: {said}).")
    return replace(rule, text=f"{counted} => {conclusion}", factor="log(n + 1)"), lines
