"""What a Markov logic network has declared: types, predicates and functions, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from workbench.language.declarations import Function, Predicate, Type
from workbench.language.formulas import formula_atoms
from workbench.language.program import FormulaRule
from workbench.language.refusal import Refused
from workbench.language.terms import Variable
from workbench.language.values import VALUE_TYPES


@dataclass
class Declared:
    """The declarations read so far."""

    types: dict[str, Type] = field(default_factory=dict)
    predicates: dict[str, Predicate] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether a predicate or function is called so."""
        return name in self.predicates or name in self.functions

    def take(self, declared: object) -> Type | Predicate | Function:
        """Take a type, predicate or function in."""
        assert isinstance(declared, Type | Predicate | Function)
        name = declared.name
        if isinstance(declared, Type):
            if name in self.types:
                raise Refused("E0111", f"the type {name} is declared twice", declared.span)
            self.types[name] = declared
            return declared
        if self.has(name):
            if isinstance(declared, Function) and declared.return_type.casefold() in (
                "nan",
                "inf",
                "infinity",
            ):
                raise Refused(
                    "E0132",
                    f"{declared.return_type} is no weight",
                    declared.span,
                    "write a finite number",
                )
            raise Refused("E0111", f"{name} is declared twice", declared.span)
        if isinstance(declared, Function):
            self.functions[name] = declared
        else:
            self.predicates[name] = declared
        return declared

    def complete(self, rules: Iterable[FormulaRule]) -> set[str]:
        """Add what declarations and rules imply of types; returns the `ordinary_types`."""
        ordinary = self.ordinary_types()
        for predicate in self.predicates.values():
            entities = tuple(
                i for i, name in enumerate(predicate.argument_types) if name in ordinary
            )
            self.predicates[predicate.name] = replace(predicate, entities=entities)
        for name in dict.fromkeys(
            name for p in self.predicates.values() for name in p.argument_types
        ):
            if name not in VALUE_TYPES or name in ordinary:
                self.types.setdefault(name, Type(name))
        for function in self.functions.values():
            for name in (*function.argument_types, function.return_type):
                self.types.setdefault(name, Type(name))
        for rule in rules:
            if rule.weight.variable is not None:
                self._mark_numbered(rule, rule.weight.variable)
        return ordinary

    def ordinary_types(self) -> set[str]:
        """Types named like a type of values with a domain: by constants, `!`, `?`, a function."""
        found = {name for name in VALUE_TYPES if name in self.types}
        for predicate in self.predicates.values():
            found |= {
                predicate.argument_types[i]
                for i in (*predicate.exactly_one, *predicate.at_most_one)
            }
        for function in self.functions.values():
            found |= {*function.argument_types, function.return_type}
        return found & set(VALUE_TYPES)

    def _mark_numbered(self, rule: FormulaRule, weight_variable: str) -> None:
        """In `w: !Sim(x,y,w) v ...`, the last argument of Sim is a number."""
        for atom in formula_atoms(rule.formula):
            last = atom.arguments[-1] if atom.arguments else None
            if (
                isinstance(last, Variable)
                and last.name == weight_variable
                and atom.predicate in self.predicates
            ):
                self.predicates[atom.predicate] = replace(
                    self.predicates[atom.predicate], value_last=True
                )
