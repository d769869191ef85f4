"""What the counts of a program's clauses come to: by rule, in warnings, and in sums by template."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Float
from workbench.errors import Diagnostic
from workbench.grounding.counting import Tally
from workbench.grounding.result import RuleCount
from workbench.language.clauses import Clause, LinearRule
from workbench.language.program import Program


def clauses_by_rule(tallies: Sequence[Tally]) -> dict[int, list[int]]:
    """The places of each rule's clauses."""
    found: dict[int, list[int]] = {}
    for place, tally in enumerate(tallies):
        found.setdefault(tally.plan.clause.rule, []).append(place)
    return found


def broken_rules(program: Program, tallies: Sequence[Tally]) -> list[Diagnostic]:
    """E0320 for each clause of a hard rule that evidence alone violates."""
    found = []
    for tally in tallies:
        clause, count = tally.plan.clause, int(tally.violated.sum())
        if clause.hard and count:
            text = getattr(program.rules[clause.rule], "text", "")
            message = (
                f"evidence alone violates the hard rule {clause.rule + 1} in {count:,} "
                f"groundings: {text}"
            )
            found.append(
                Diagnostic(
                    "E0320",
                    message,
                    clause.span,
                    help="correct the facts, or give the rule a weight",
                )
            )
    return found


def doubtful_rules(
    program: Program, tallies: Sequence[Tally], lazy: Collection[int]
) -> list[Diagnostic]:
    """Warnings of rules that have no grounding at all, and of groundings that divide by zero."""
    found = []
    of_rule = clauses_by_rule(tallies)
    for number, rule in enumerate(program.rules):
        places = of_rule.get(number, [])
        mine, text = [tallies[place] for place in places], getattr(rule, "text", "")
        undefined = max((tally.undefined for tally in mine), default=0)
        if undefined:
            message = (
                f"rule {number + 1} divides by zero in {undefined:,} groundings, which are "
                f"left out: {text}"
            )
            help_text = (
                "a sum that its filter leaves empty has |X| = 0 to divide by; filter such "
                "groundings away"
            )
            found.append(Diagnostic.warning("E0308", message, rule.span, help_text))
        # A formula without clauses always holds: it has groundings, and nothing to count.
        counted = mine and not set(places) & set(lazy)
        if counted and not any(int(tally.total.sum()) or int(tally.open.sum()) for tally in mine):
            message = f"rule {number + 1} has no groundings: {text}"
            help_text = "no binding of its variables exists in the data"
            found.append(Diagnostic.warning("E0307", message, rule.span, help_text))
    return found


def rule_counts(
    program: Program, tallies: Sequence[Tally], written: Mapping[int, tuple[int, int]]
) -> tuple[RuleCount, ...]:
    """What each rule became; `written` has the rows and unit groundings of each clause."""
    found = []
    of_rule = clauses_by_rule(tallies)
    for number, rule in enumerate(program.rules):
        mine = of_rule.get(number, [])
        parts = [tallies[i] for i in mine]
        counts = [
            sum(int(getattr(t, name).sum()) for t in parts)
            for name in ("total", "open", "violated")
        ]
        found.append(
            RuleCount(
                rule=number,
                text=getattr(rule, "text", ""),
                clauses=len(mine),
                templates=len({int(x) for t in parts for x in t.templates if x >= 0}),
                ground_rows=sum(written[i][0] for i in mine),
                unit_groundings=sum(written[i][1] for i in mine),
                open=counts[1],
                satisfied=max(0, counts[0] - counts[1] - counts[2]),
                violated=counts[2],
            )
        )
    return tuple(found)


def with_groundings(
    counts: Sequence[RuleCount], clauses: Sequence[Clause | LinearRule], more: Mapping[int, int]
) -> tuple[RuleCount, ...]:
    """The counts of rules with open groundings, by clause, of which no rows were made."""
    added: dict[int, int] = {}
    for number, groundings in more.items():
        rule = clauses[number].rule
        added[rule] = added.get(rule, 0) + groundings
    return tuple(replace(one, open=one.open + added.get(one.rule, 0)) for one in counts)


def evidence_sums(tallies: Sequence[Tally], n_templates: int) -> tuple[Float, Float, Float]:
    """By template: groundings open, satisfied, violated by evidence (n, 3); the latter's scales."""
    groundings, satisfied_scale, violated_scale = (
        np.zeros((n_templates, width)) for width in (3, 2, 2)
    )
    for tally in tallies:
        seen = tally.templates >= 0
        ids = tally.templates[seen]
        satisfied = np.maximum(tally.total - tally.open - tally.violated, 0)
        np.add.at(groundings[:, 0], ids, tally.open[seen])
        np.add.at(groundings[:, 1], ids, satisfied[seen])
        np.add.at(groundings[:, 2], ids, tally.violated[seen])
        np.add.at(violated_scale, ids, tally.violated_scale[seen])
        np.add.at(satisfied_scale, ids, _satisfied_scale(tally)[seen])
    return groundings, satisfied_scale, violated_scale


def _satisfied_scale(tally: Tally) -> Float:
    """Summed scale of the groundings that evidence satisfies, above 0 and below, shape (n, 2)."""
    if tally.unsatisfied_scale is not None:
        return np.maximum(tally.total_scale - tally.unsatisfied_scale, 0.0)
    satisfied = np.maximum(tally.total - tally.open - tally.violated, 0)
    return tally.total_scale * (satisfied / np.maximum(tally.total, 1))[:, None]
