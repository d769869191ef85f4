"""The table of weights: one template per clause and combination of `+` constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Int32
from workbench.language.clauses import Clause, LinearRule
from workbench.language.formulas import map_terms, plus_variables, substitution
from workbench.language.printing import format_formula, quote_constant
from workbench.language.program import (
    Calculation,
    Cardinality,
    Comparison,
    Constant,
    Factor,
    FormulaRule,
    LinearTerm,
    Program,
    SumVariable,
    Term,
    Variable,
)
from workbench.language.rewriting import rule_text
from workbench.network.ground_network import Templates

__all__ = ["TemplateTable", "clause_text", "linear_text"]


def _term(term: Term, constants: Mapping[str, str]) -> str:
    if isinstance(term, Variable):
        known = constants.get(term.name)
        return known if isinstance(known, _Verbatim) else term.name if known is None else quote_constant(known)
    if isinstance(term, SumVariable):
        return f"+{term.name}"
    return quote_constant(getattr(term, "name", str(term)))


def _comparison(guard: Comparison, constants: Mapping[str, str]) -> str:
    left, right = _term(guard.left, constants), _term(guard.right, constants)
    if guard.operator.endswith("~"):
        return f"{guard.operator.removesuffix('~')}{left}"
    if guard.operator[-1].isalpha():
        return f"{guard.operator}({left}, {right})"
    return f"{left} {guard.operator} {right}"


def clause_text(clause: Clause, constants: Mapping[str, str] | None = None) -> str:
    """The clause in logic syntax, `+` variables replaced by `constants`."""
    chosen = dict(constants or {})
    for computed in clause.function_values:
        inside = ", ".join(_term(argument, chosen) for argument in computed.arguments)
        if computed.function in ("+", "-", "*", "/", "%"):
            inside = f" {computed.function} ".join(_term(argument, chosen) for argument in computed.arguments)
            chosen[computed.variable] = _Verbatim(inside)
        else:
            chosen[computed.variable] = _Verbatim(f"{computed.function}({inside})")
    outside: list[str] = []
    under: list[str] = []
    for literal in clause.literals:
        arguments = [
            str(chosen[term.name])
            if isinstance(term, Variable) and isinstance(chosen.get(term.name), _Verbatim)
            else _term(term, chosen)
            for term in literal.atom.arguments
        ]
        shown = ", ".join(arguments)
        text = f"{literal.atom.predicate}({shown})" if arguments else literal.atom.predicate
        parts = under if clause.existential and literal not in clause.outside else outside
        parts.append(text if literal.positive else f"!{text}")
    for guard in clause.guards:
        parts = under if clause.existential and guard not in clause.outside else outside
        parts.append(_comparison(guard, chosen))
    if under:
        # The quantifier takes all that follows it.
        outside.append(f"EXIST {', '.join(clause.existential)} {' v '.join(under)}")
    factor = "" if clause.factor is None else f" [times {_term(clause.factor, chosen)}]"
    return " v ".join(outside) + factor


class _Verbatim(str):
    """Text that needs no quoting."""


def linear_text(rule: LinearRule) -> str:
    """An arithmetic rule's expression, all on the left side."""
    shown = " + ".join(_linear_term(term) for term in rule.terms)
    return f"{shown} {rule.relation} 0"


def _linear_term(term: LinearTerm) -> str:
    factors = [f"{term.coefficient:g}"] if term.coefficient != 1 or not term.atoms else []
    if term.factor is not None:
        factors.append(_factor(term.factor))
    for atom in term.atoms:
        inside = ", ".join(_term(argument, {}) for argument in atom.arguments)
        factors.append(f"{atom.predicate}({inside})" if inside else atom.predicate)
    return " * ".join(factors)


def _factor(factor: Factor) -> str:
    match factor:
        case Cardinality(variable):
            return f"|{variable}|"
        case Calculation("min" | "max" as kind, left, right):
            return f"@{kind.capitalize()}[{_factor(left)}, {_factor(right)}]"
        case Calculation(operator, left, right):
            return f"({_factor(left)} {operator} {_factor(right)})"
    return f"{factor:g}"


def _constants(names: Mapping[str, str]) -> dict[str, Term]:
    return {variable: Constant(name) for variable, name in names.items()}


@dataclass
class TemplateTable:
    """Templates while they are being numbered, by rule, clause and names of the `+` constants.

    With `given`, the templates of an earlier grounding keep their ids and no other is made.
    """

    program: Program
    given: Templates | None = None
    weight: list[float] = field(default_factory=list)
    fixed: list[bool] = field(default_factory=list)
    rule: list[int] = field(default_factory=list)
    clause: list[int] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    power: list[int] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    _clauses: dict[int, set[int]] = field(default_factory=dict)
    _ids: dict[tuple[int, int, str], int] = field(default_factory=dict)
    _first_linear: dict[tuple[int, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.given is not None:
            given = self.given
            for number in range(given.n_templates):
                self._ids[(int(given.rule[number]), int(given.clause[number]), given.label[number])] = number
            self.power = [1] * given.n_templates

    @property
    def n_templates(self) -> int:
        return self.given.n_templates if self.given is not None else len(self.weight)

    def number(self, clause: Clause, combinations: Sequence[tuple[str, ...]]) -> Int32:
        """Ids of a clause's templates, one per combination of `+` constants (in order of names); -1 for unseen ones."""
        base = 1.0 if clause.weight_variable is not None else clause.weight
        share = 1.0 if clause.tied or clause.weight_variable is not None else clause.share
        self._clauses.setdefault(clause.rule, set()).add(clause.index)
        ids = []
        for names in combinations:
            constants = dict(zip(clause.plus, names))
            formula = self._formula(clause, constants)
            label = formula[0] if clause.tied and formula else clause_text(clause.general or clause, constants)
            written = formula[1] if formula else ""
            ids.append(self._id(clause.rule, clause.index, label, base, clause.fixed, share, clause.power, written))
        return np.array(ids, np.int32)

    def _formula(self, clause: Clause, constants: Mapping[str, str]) -> tuple[str, str] | None:
        """The whole formula of a clause in canonical form and as it was written; None where others are `+` in it."""
        rule = self.program.rules[clause.rule]
        if not isinstance(rule, FormulaRule):
            return rule_text(rule), rule_text(rule)
        if plus_variables(rule.formula) != set(clause.plus):
            return None
        canonical = format_formula(map_terms(rule.formula, substitution(_constants(constants))))
        return canonical, canonical if constants else " ".join(rule_text(rule).split())

    def number_linear(self, rule: LinearRule) -> int:
        """The id of an arithmetic rule's template."""
        text = self._first_linear.setdefault((rule.rule, rule.index), linear_text(rule))
        written = rule_text(self.program.rules[rule.rule])
        self._clauses.setdefault(rule.rule, set()).add(rule.index)
        return self._id(rule.rule, rule.index, text, rule.weight, rule.fixed, 1.0, rule.power, written)

    def fixed_entry(self, rule: int, clause: int, label: str, weight: float) -> int:
        """A template of given weight that no rule has (soft evidence)."""
        return self._id(rule, clause, label, weight, True, 1.0, 1, "")

    def _id(
        self,
        rule: int,
        index: int,
        label: str,
        weight: float | None,
        fixed: bool,
        share: float,
        power: int,
        written: str,
    ) -> int:
        key = (rule, index, label)
        if key in self._ids:
            if self.given is not None:
                self.power[self._ids[key]] = power
            return self._ids[key]
        if self.given is not None:
            return -1
        self._ids[key] = len(self.weight)
        self.weight.append(float("nan") if weight is None else weight)
        self.fixed.append(fixed)
        self.rule.append(rule)
        self.clause.append(index)
        self.share.append(share)
        self.power.append(power)
        self.label.append(label)
        self.written.append(written)
        return self._ids[key]

    def finish(self) -> Templates:
        """The table as arrays."""
        if self.given is not None:
            return self.given
        return Templates(
            np.array(self.weight, np.float64),
            np.array(self.fixed, bool),
            np.array(self.rule, np.int32),
            np.array(self.clause, np.int32),
            np.array(self.share, np.float64),
            tuple(self.label),
            self._whole_formulas(),
        )

    def _whole_formulas(self) -> tuple[str, ...]:
        """Each template's formula, where all its clauses have a template: else it would say more than they do."""
        present = Counter(zip(self.rule, self.written))
        return tuple(
            written if present[rule, written] == len(self._clauses.get(rule, ())) else ""
            for rule, written in zip(self.rule, self.written)
        )
