"""The plan of a clause or arithmetic rule, by its kind."""

from __future__ import annotations

from dataclasses import replace

from workbench.grounding.clauses import plan_clause
from workbench.grounding.existential import plan_existential
from workbench.grounding.linear import plan_linear_rule
from workbench.grounding.plans import Plan
from workbench.grounding.psl_clauses import plan_logical_rule
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule


def make_plan(
    vocabulary: Vocabulary,
    clause: Clause | LinearRule,
    *,
    violated: bool = False,
) -> Plan:
    """The plan of one clause or arithmetic rule; with `violated`, of what the state violates."""
    if isinstance(clause, LinearRule):
        return plan_linear_rule(vocabulary, clause)
    return plan_cases(
        vocabulary, replace(clause, plus=()) if clause.hard else clause, violated=violated
    )


def plan_cases(vocabulary: Vocabulary, clause: Clause, *, violated: bool = False) -> Plan:
    """The plan of a clause by its kind; its `plus` variables are shown, also of a hard one."""
    if clause.existential:
        return plan_existential(vocabulary, clause)
    if clause.multiset:
        return plan_logical_rule(vocabulary, clause, violated=violated)
    return plan_clause(vocabulary, clause, violated=violated)
