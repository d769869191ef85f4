"""The table of weights: one template per clause and combination of `+` constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from workbench.arrays import Array, Bool, Int32, Int64
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
    items: tuple[Literal | Comparison, ...] = (*clause.literals, *clause.guards)
    by_scope: dict[tuple[str, ...], list[str]] = {(): []}
    for item in items:
        scopes = {under for one, under in clause.scopes if one == item}
        if not clause.existential or () in scopes:
            scopes = {()}
        for under in sorted(scopes or {clause.existential}):
            by_scope.setdefault(under, []).append(MLN.item(change_item(item, change)))
    outside = by_scope.pop(())
    quantified = [
        f"EXIST {', '.join(under)} {' v '.join(parts)}" for under, parts in by_scope.items()
    ]
    # A quantifier takes all that follows it.
    outside += [*(f"({one})" for one in quantified[:-1]), *quantified[-1:]]
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


class _Template(NamedTuple):
    """A template by rule, clause and what it says; the rule's text `written` by its author."""

    rule: int
    clause: int
    label: str
    weight: float | None = None
    fixed: bool = True
    share: float = 1.0
    power: int = 1
    written: str = ""


@dataclass
class TemplateTable:
    """Templates while they are being numbered, by rule, clause and names of the `+` constants.

    With `given`, the templates of an earlier grounding keep their ids and no other is made.
    """

    program: Program
    given: Templates | None = None
    _made: list[_Template] = field(default_factory=list)
    _ids: dict[tuple[int, int, str], int] = field(default_factory=dict)
    _clauses: dict[int, set[int]] = field(default_factory=dict)
    _first_linear: dict[tuple[int, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.given is not None:
            given = self.given
            for row in zip(given.rule.tolist(), given.clause.tolist(), given.label):
                self._make(_Template(*row))

    @property
    def n_templates(self) -> int:
        return len(self._made)

    @property
    def power(self) -> list[int]:
        return [one.power for one in self._made]

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
                    _Template(
                        clause.rule, clause.index, label, base, clause.fixed, share, clause.power,
                        written,
                    )
                )
            )  # fmt: skip
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
            _Template(
                rule.rule, rule.index, text, rule.weight, rule.fixed, 1.0, rule.power, written
            )
        )

    def fixed_entry(self, rule: int, clause: int, label: str, weight: float) -> int:
        """A template of given weight that no rule has (soft evidence)."""
        return self._id(_Template(rule, clause, label, weight))

    def _id(self, template: _Template) -> int:
        number = self._ids.get(template[:3])
        if number is None:
            return self._make(template) if self.given is None else -1
        if self.given is None:
            # A tautology's weight says nothing, but a formula of several clauses is learned by its
            # others.
            earlier = self._made[number]
            template = earlier._replace(fixed=earlier.fixed and template.fixed)
        self._made[number] = template
        return number

    def _make(self, template: _Template) -> int:
        number = self._ids[template[:3]] = len(self._made)
        self._made.append(template)
        return number

    def finish(self) -> Templates:
        """The table as arrays."""
        if self.given is not None:
            return self.given
        made = self._made
        return Templates(
            np.array([np.nan if one.weight is None else one.weight for one in made], np.float64),
            np.array([one.fixed for one in made], bool),
            np.array([one.rule for one in made], np.int32),
            np.array([one.clause for one in made], np.int32),
            np.array([one.share for one in made], np.float64),
            tuple(one.label for one in made),
            self._whole_formulas(),
        )

    def _whole_formulas(self) -> tuple[str, ...]:
        """Each template's formula, where all its clauses have templates; else it says too much."""
        present = Counter((one.rule, one.written) for one in self._made)
        return tuple(
            one.written
            if present[one.rule, one.written] == len(self._clauses.get(one.rule, ()))
            else ""
            for one in self._made
        )


@dataclass(frozen=True)
class MergedTemplates:
    """Two tables of templates made one: the numbers of both in it.

    `goes` marks the templates of the old table that do. One with none of its name in the new table
    has a number past the end: `width` counts those too.
    """

    templates: Templates
    goes: Bool
    old: Int64
    new: Int64
    width: int


def merge_templates(templates: Templates, goes: Bool, piece: Templates) -> MergedTemplates:
    """The templates that stay and those of the piece, in order of their rules."""
    chosen = np.flatnonzero(~goes)
    rules = np.concatenate([templates.rule[chosen], piece.rule])
    order = np.argsort(np.where(rules < 0, np.iinfo(np.int32).max, rules), kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)

    def join(name: str) -> Array:
        return np.concatenate([getattr(templates, name)[chosen], getattr(piece, name)])[order]

    labels = [*(templates.label[i] for i in chosen), *piece.label]
    formulas = [*(_formulas(templates)[i] for i in chosen), *_formulas(piece)]
    merged = Templates(
        **{name: join(name) for name in ("weight", "fixed", "rule", "clause", "share")},
        label=tuple(labels[i] for i in order),
        formula=tuple(formulas[i] for i in order),
    )
    new = rank[chosen.size :]
    names = dict(zip(zip(piece.rule.tolist(), piece.clause.tolist(), piece.label), new.tolist()))
    old, width = np.empty(templates.n_templates, np.int64), order.size
    old[chosen] = rank[: chosen.size]
    for number in np.flatnonzero(goes).tolist():
        name = (int(templates.rule[number]), int(templates.clause[number]), templates.label[number])
        old[number] = names.get(name, width)
        width += name not in names
    return MergedTemplates(merged, goes, old, new, width)


def _formulas(templates: Templates) -> tuple[str, ...]:
    return templates.formula or ("",) * templates.n_templates


def sums_by_template(old: Array, new: Array, tables: MergedTemplates) -> Array:
    """Sums by template: of those that stay as they were, of the others as they are now."""
    sums = np.zeros((tables.templates.n_templates, *old.shape[1:]), old.dtype)
    stays = ~tables.goes
    sums[tables.old[stays]] = old[stays]
    sums[tables.new] = new
    return sums
