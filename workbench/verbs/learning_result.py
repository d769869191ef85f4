"""What learning found: weights by template and by rule, and what labels say beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench.arrays import Float
from workbench.errors import Diagnostic
from workbench.grounding import Grounding
from workbench.language.formulas import formula_atoms
from workbench.language.program import FormulaRule, Program
from workbench.language.terms import Formula, Implies, Not, Or
from workbench.learning import LearnedWeights, WeightIntervals
from workbench.network import Rates, Templates, observed_rates
from workbench.verbs.common import as_json
from workbench.verbs.written_rules import WrittenRule, learned_text, template_texts, written_rules


@dataclass(frozen=True)
class LearningResult:
    """What learning found.

    Attributes
    ----------
    intervals : WeightIntervals or None
        Where they were asked for.
    truth : float64 array, shape (n_atoms,), or None
        The labels that were learned from; NaN where the learner saw none.
    """

    learned: LearnedWeights
    templates: Templates
    program: Program
    grounding: Grounding
    seconds: float
    run_id: int | None = None
    warnings: tuple[Diagnostic, ...] = ()
    intervals: WeightIntervals | None = None
    truth: Float | None = None

    def __repr__(self) -> str:
        run = "" if self.run_id is None else f", run {self.run_id}"
        return f"LearningResult({self.learned.status}, {len(self.weights):,} weights{run})"

    @property
    def weights(self) -> Float:
        """float64 array, shape (n_templates,)."""
        return self.learned.weights

    def text(self) -> str:
        """The program with its learned weights, in its own language."""
        return learned_text(self.program, self.templates, self.learned.weights)

    def save(self, path: str | Path) -> None:
        """Write the learned program."""
        Path(path).write_text(self.text(), encoding="utf-8")

    def table(self) -> list[dict[str, Any]]:
        """One record a template: the clause, its weight before and after, its groundings."""
        groundings = self.grounding.network.groundings
        texts = template_texts(self.program, self.templates)
        return [
            {
                "template": index,
                "rule": int(self.templates.rule[index]),
                "clause": texts[index],
                "initial": as_json(float(self.templates.weight[index])),
                "weight": float(self.learned.weights[index]),
                "fixed": bool(self.templates.fixed[index]),
                "open": int(groundings[index, 0]),
                "satisfied": int(groundings[index, 1]),
                "violated": int(groundings[index, 2]),
                **self._interval(index),
            }
            for index in range(self.templates.n_templates)
        ]

    def rules(self) -> list[dict[str, Any]]:
        """One record a rule as its author wrote it, weight and interval in the author's sense."""
        return [self._rule(one) for one in written_rules(self.templates, self.learned.weights)]

    def rates(self, one: WrittenRule) -> Rates | None:
        """What labels say beside a rule's weight; None of several clauses and of soft logic."""
        rule = self.program.rules[one.rule] if one.rule >= 0 else None
        if (
            self.truth is None
            or not isinstance(rule, FormulaRule)
            or len(one.templates) != 1
            or np.isnan(one.weight)
        ):
            return None
        implication = rule.formula if isinstance(rule.formula, Implies) and one.whole else None
        head = rule.formula if implication is None else implication.right
        heads = {atom.predicate for atom in formula_atoms(head)}
        atoms = self.grounding.atoms
        names = np.array([name in heads for name in atoms.predicates], bool)
        return observed_rates(
            self.grounding.network,
            self.truth,
            one.templates,
            names[atoms.predicate],
            head=0 if implication is None else -1 if _is_denied(head) else 1,
        )

    def rate_columns(self) -> dict[str, list[Any]]:
        """The rates of each template's rule as columns of a run's record; None without any."""
        nothing: list[Any] = [None] * self.templates.n_templates
        columns = {name: nothing.copy() for name in RATES}
        for one in written_rules(self.templates, self.learned.weights):
            for name, value in _rates_record(self.rates(one)).items():
                columns[name][one.templates[0]] = value
        return columns

    def _rule(self, one: WrittenRule) -> dict[str, Any]:
        first = one.templates[0]
        share = float(self.templates.share[first]) if one.whole else 1.0
        ends = sorted(value / share for value in self._interval(first).values())
        return {
            "rule": one.rule,
            "text": one.text,
            "description": self.program.rules[one.rule].description if one.rule >= 0 else "",
            "initial": as_json(float(self.templates.weight[first]) / share),
            "weight": one.weight,
            "fixed": bool(self.templates.fixed[first]),
            "open": int(self.grounding.network.groundings[list(one.templates), 0].sum()),
            "templates": list(one.templates),
            **_rates_record(self.rates(one)),
            **(dict(zip(("low", "high"), ends)) if self.intervals is not None else {}),
        }

    def _interval(self, index: int) -> dict[str, Any]:
        if self.intervals is None:
            return {}
        return {
            "low": as_json(self.intervals.low[index]),
            "high": as_json(self.intervals.high[index]),
        }

    def summary(self) -> dict[str, Any]:
        """The learning run's figures as a JSON-ready mapping."""
        return {
            "status": self.learned.status,
            "learner": self.learned.learner,
            "templates": self.templates.n_templates,
            "atoms": self.grounding.network.n_atoms,
            "ground_rows": self.grounding.network.n_rows,
            "seconds": round(self.seconds, 6),
            "run": self.run_id,
            "weights": self.table(),
            "rules": self.rules(),
            **({} if self.intervals is None else {"intervals": self.intervals.said}),
            "diagnostics": as_json(self.learned.diagnostics),
            "warnings": [warning.as_record() for warning in self.warnings],
        }


RATES = ("support", "rate", "rate_of_others")
"""How many atoms have the rule's body, how often they are true, and how often the others are."""


def _is_denied(head: Formula) -> bool:
    """Whether what an implication ends in is that atoms are false."""
    if isinstance(head, Or):
        return all(map(_is_denied, head.items))
    return isinstance(head, Not)


def _rates_record(rates: Rates | None) -> dict[str, Any]:
    return {} if rates is None else {name: as_json(getattr(rates, name)) for name in RATES}
