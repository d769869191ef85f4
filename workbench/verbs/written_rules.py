"""Rules as their author wrote them, one weight each in the author's sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from workbench.arrays import Float, Int32
from workbench.language.formulas import (
    formula_comparisons,
    formula_terms,
    rule_atoms,
    variable_names,
)
from workbench.language.mln.parsing import mln_statements
from workbench.language.printing import comment, format_formula
from workbench.language.program import FormulaRule, Program
from workbench.language.rewriting import rule_line, rule_text, with_rules
from workbench.language.terms import Formula
from workbench.language.variable_types import infer_types

if TYPE_CHECKING:
    import pandas as pd

# Clauses of a formula weigh the same up to rounding, or were learned apart.
TOLERANCE = 1e-9


class LabelledTemplates(Protocol):
    """What is read of the templates, of a grounding or of a recorded run."""

    @property
    def rule(self) -> Int32: ...
    @property
    def share(self) -> Float: ...
    @property
    def label(self) -> tuple[str, ...]: ...
    @property
    def formula(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class RecordedTemplates:
    """The templates of a recorded run."""

    rule: Int32
    share: Float
    label: tuple[str, ...]
    formula: tuple[str, ...]


def recorded_templates(weights: pd.DataFrame) -> RecordedTemplates:
    """What a run's table of weights tells of the templates, in its order."""
    return RecordedTemplates(
        weights["rule"].to_numpy(np.int32, na_value=-1),
        weights["share"].to_numpy(np.float64),
        tuple(weights["formula"]),
        tuple(weights["written"]),
    )


@dataclass(frozen=True)
class WrittenRule:
    """A formula with its one weight, or one clause of a formula whose clauses weigh differently.

    Attributes
    ----------
    rule : int
        Its number in the program; -1 for evidence with a probability.
    text : str
        The formula as its author wrote it, or the clause.
    weight : float
        In the sense of `text`: positive where it speaks for the formula.
    templates : tuple of int
        The templates that carry the weight, at least one.
    whole : bool
        Whether `text` is the formula.
    """

    rule: int
    text: str
    weight: float
    templates: tuple[int, ...]
    whole: bool


def written_rules(templates: LabelledTemplates, weights: Float) -> tuple[WrittenRule, ...]:
    """The rules behind weights of shape (n_templates,), by their first template. O(n)."""
    formulas = templates.formula or ("",) * len(templates.label)
    groups: dict[tuple[int, str], list[int]] = {}
    for number, (rule, formula) in enumerate(zip(templates.rule.tolist(), formulas)):
        groups.setdefault((rule, formula) if formula else (number, ""), []).append(number)
    found = []
    for (_, formula), members in groups.items():
        senses = (
            np.asarray(weights, np.float64)[members]
            / np.asarray(templates.share, np.float64)[members]
        )
        rule = int(templates.rule[members[0]])
        if formula and _one_weight(senses):
            found.append(WrittenRule(rule, formula, float(senses[0]), tuple(members), True))
        else:
            found += [
                WrittenRule(rule, templates.label[one], float(weights[one]), (one,), False)
                for one in members
            ]
    return tuple(sorted(found, key=lambda one: one.templates[0]))


def _one_weight(senses: Float) -> bool:
    if np.isnan(senses).all():
        return True
    return bool(np.ptp(senses) <= TOLERANCE * np.abs(senses).max())


def template_texts(program: Program, templates: LabelledTemplates) -> tuple[str, ...]:
    """What each template says by itself: a PSL rule without its weight, a Markov logic clause."""
    if program.language == "mln" or not templates.formula:
        return templates.label
    return tuple(formula or label for formula, label in zip(templates.formula, templates.label))


def written_labels(templates: LabelledTemplates, weights: Float) -> tuple[str, ...]:
    """Each template's rule as written, or its clause where a rule's clauses weigh differently."""
    labels = list(templates.label)
    for one in written_rules(templates, weights):
        for template in one.templates:
            labels[template] = one.text
    return tuple(labels)


def learned_text(program: Program, templates: LabelledTemplates, weights: Float) -> str:
    """The program with learned weights: comments, order and form as its author wrote them.

    A formula whose clauses were learned apart is written clause by clause, each beside a comment
    that names it: what describes it describes them. One with `+` variables is written once for each
    combination of their constants. Hard rules, and those with weights from the data, stay.
    """
    by_rule: dict[int, list[WrittenRule]] = {}
    for one in written_rules(templates, weights):
        by_rule.setdefault(one.rule, []).append(one)
    lines: dict[int, str] = {}
    for number, rule in enumerate(program.rules):
        own = by_rule.get(number, [])
        if rule.weight.kind in ("hard", "variable") or any(np.isnan(one.weight) for one in own):
            continue
        if isinstance(rule, FormulaRule):
            lines[number] = "\n".join(_lines(rule, own, program))
        elif own:
            lines[number] = rule_line(rule, own[0].weight)
    return with_rules(program, lines)


def _lines(rule: FormulaRule, own: Sequence[WrittenRule], program: Program) -> list[str]:
    if not own:
        return [
            comment(f"{_one_line(rule_text(rule))}: left out, it has no grounding to learn from"),
            "",
        ]
    if len(own) == 1 and own[0].text == _one_line(rule_text(rule)):
        return [rule_line(rule, own[0].weight)]
    written = _one_line(rule_text(rule))
    return [
        rule_line(rule, one.weight, one.text)
        if one.whole
        else f"{_clause_line(rule, one, program)}  // of {written}"
        for one in own
    ]


def _clause_line(rule: FormulaRule, clause: WrittenRule, program: Program) -> str:
    """A clause with its weight. Of a variable that only tests name an atom of the formula tells the
    type: in a tautology, which takes a share of the weight.
    """
    said, factor, told = clause.text, "", list[str]()
    if rule.weight.factor is not None:
        said, _, factor = said.removesuffix("]").rpartition(" [times ")
    if any(formula_comparisons(rule.formula)):
        ((_, read),) = mln_statements(f"1 {said}")
        assert isinstance(read, FormulaRule)
        told = _typing_atoms(rule, read.formula, program)
    tautologies = [f"({atom} v !{atom})" for atom in told]
    text = " ^ ".join([f"({said})", *tautologies]) if told else said
    weight = f"{clause.weight * (1 + len(told)):.10g}"
    return f"{weight} * ({factor}): {text}" if factor else f"{weight} {text}"


def _typing_atoms(rule: FormulaRule, clause: Formula, program: Program) -> list[str]:
    """Atoms of the rule that name what nothing in its clause gives a type."""
    untyped = variable_names(formula_terms(clause)) - infer_types(clause, program).variables.keys()
    atoms = list(rule_atoms(rule))
    naming = ([one for one in atoms if name in variable_names(one.arguments)] for name in untyped)
    return sorted({format_formula(found[0]) for found in naming if found})


def _one_line(text: str) -> str:
    return " ".join(text.split())
