"""The table of weights: one template per clause and combination of `+` constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Int32
from workbench.language.clauses import Clause, LinearRule
from workbench.language.formulas import change_item, map_terms, plus_variables, substitution
from workbench.language.printing import MLN, format_formula
from workbench.language.program import (
    Calculation,
    Cardinality,
    Factor,
    FormulaRule,
    LinearTerm,
    Program,
)
from workbench.language.rewriting import rule_text
from workbench.language.terms import Apply, Comparison, Constant, Literal, Term
from workbench.network.ground_network import Templates


def clause_text(clause: Clause, constants: Mapping[str, str] | None = None) -> str:
    """The clause in logic syntax, `+` variables replaced by `constants`."""
    values: dict[str, Term] = {
        variable: Constant(name) for variable, name in (constants or {}).items()
    }
    change = substitution(values)
    for computed in clause.function_values:
        values[computed.variable] = Apply(computed.function, tuple(map(change, computed.arguments)))
    outside: list[str] = []
    under: list[str] = []
    items: tuple[Literal | Comparison, ...] = (*clause.literals, *clause.guards)
    for item in items:
        parts = under if clause.existential and item not in clause.outside else outside
        parts.append(MLN.item(change_item(item, change)))
    if under:
        # The quantifier takes all that follows it.
        outside.append(f"EXIST {', '.join(clause.existential)} {' v '.join(under)}")
    factor = "" if clause.factor is None else f" [times {MLN.term(change(clause.factor))}]"
    return " v ".join(outside) + factor


def linear_text(rule: LinearRule) -> str:
    """An arithmetic rule's expression, all on the left side."""
    shown = " + ".join(_linear_term(term) for term in rule.terms)
    return f"{shown} {rule.relation} 0"


def _linear_term(term: LinearTerm) -> str:
    factors = [f"{term.coefficient:g}"] if term.coefficient != 1 or not term.atoms else []
    if term.factor is not None:
        factors.append(_factor(term.factor))
    for atom in term.atoms:
        factors.append(MLN.atom(atom))
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
                self._ids[
                    (int(given.rule[number]), int(given.clause[number]), given.label[number])
                ] = number
            self.power = [1] * given.n_templates

    @property
    def n_templates(self) -> int:
        return self.given.n_templates if self.given is not None else len(self.weight)

    def number(self, clause: Clause, combinations: Sequence[tuple[str, ...]]) -> Int32:
        """Ids of a clause's templates, one per `+` constants (in order of names); -1 if unseen."""
        base = 1.0 if clause.weight_variable is not None else clause.weight
        share = 1.0 if clause.tied or clause.weight_variable is not None else clause.share
        self._clauses.setdefault(clause.rule, set()).add(clause.index)
        ids = []
        for names in combinations:
            constants = dict(zip(clause.plus, names))
            formula = self._formula(clause, constants)
            label = (
                formula[0]
                if clause.tied and formula
                else clause_text(clause.general or clause, constants)
            )
            written = formula[1] if formula else ""
            ids.append(
                self._id(
                    clause.rule,
                    clause.index,
                    label,
                    base,
                    clause.fixed,
                    share,
                    clause.power,
                    written,
                )
            )
        return np.array(ids, np.int32)

    def _formula(self, clause: Clause, constants: Mapping[str, str]) -> tuple[str, str] | None:
        """A clause's whole formula, canonical and as written; None where others are `+` in it."""
        rule = self.program.rules[clause.rule]
        if not isinstance(rule, FormulaRule):
            return rule_text(rule), rule_text(rule)
        if plus_variables(rule.formula) != set(clause.plus):
            return None
        canonical = format_formula(
            map_terms(
                rule.formula, substitution({name: Constant(one) for name, one in constants.items()})
            )
        )
        return canonical, canonical if constants else " ".join(rule_text(rule).split())

    def number_linear(self, rule: LinearRule) -> int:
        """The id of an arithmetic rule's template."""
        text = self._first_linear.setdefault((rule.rule, rule.index), linear_text(rule))
        written = rule_text(self.program.rules[rule.rule])
        self._clauses.setdefault(rule.rule, set()).add(rule.index)
        return self._id(
            rule.rule, rule.index, text, rule.weight, rule.fixed, 1.0, rule.power, written
        )

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
            else:
                # A tautology's weight says nothing, but a formula of several clauses is learned by
                # its others.
                self.fixed[self._ids[key]] &= fixed
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
        """Each template's formula, where all its clauses have templates; else it says too much."""
        present = Counter(zip(self.rule, self.written))
        return tuple(
            written if present[rule, written] == len(self._clauses.get(rule, ())) else ""
            for rule, written in zip(self.rule, self.written)
        )
