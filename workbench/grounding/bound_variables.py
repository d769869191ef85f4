"""What bound variables and constants are in SQL: ids, positions, names, numbers, values."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.grounding.from_clause import FromClause
from workbench.grounding.select import ColumnRef, Expression, Source, Value, call, equal
from workbench.grounding.value_terms import constant_value
from workbench.language.terms import Constant, Term, Variable
from workbench.language.values import ValueKind


@dataclass
class BoundVariables(FromClause):
    """A FROM clause that tells its bound variables; names are joined when first needed."""

    def argument(self, term: Term, type_name: str, value: ValueKind | None) -> Expression:
        """What a column equals where an atom has this bound term: a constant's id, or a value."""
        return self.constant_of(term, type_name) if value is None else self.value_of(term, value)

    def column_of(self, name: str) -> Expression:
        """A bound variable as a column that tells its constants, or its values, apart."""
        value = self.bound[name].value
        return (
            self.constant_of(Variable(name), self.types[name])
            if value is None
            else value.expression
        )

    def value_of(self, term: Term, kind: ValueKind) -> Expression:
        """A bound term as a value of a kind; NULL where it is none."""
        if isinstance(term, Constant):
            return constant_value(kind, term.name)
        assert isinstance(term, Variable)
        binding = self.bound[term.name]
        if binding.value is not None:
            return binding.value.expression if binding.value.kind is kind else Value(None)
        if kind is ValueKind.NUMBER:
            return self.number_of(term)
        return self.text_of(term) if kind is ValueKind.TEXT else Value(None)

    def kind_of(self, term: Term) -> ValueKind | None:
        """The kind of a bound variable that is a value."""
        value = self.bound[term.name].value if isinstance(term, Variable) else None
        return None if value is None else value.kind

    def constant_of(self, term: Term, type_name: str) -> Expression:
        """The id of a bound term."""
        if isinstance(term, Constant):
            return self.vocabulary.constant(type_name, term.name)
        assert isinstance(term, Variable)
        return known(self.bound[term.name].constant)

    def position_of(self, term: Term, type_name: str) -> Expression:
        """The position of a bound term in its world's domain."""
        if isinstance(term, Constant):
            return self._constant_position(type_name, term)
        assert isinstance(term, Variable)
        return known(self.bound[term.name].position)

    def _constant_position(self, type_name: str, constant: Constant) -> Expression:
        return self.vocabulary.constant_position(
            type_name, constant.name, self.geometry, self.worlds
        )

    def number_of(self, term: Term) -> Expression:
        """The number that a term's name is; NULL where it is none."""
        if isinstance(term, Constant):
            try:
                return Value(
                    float(term.name) if not term.name.lstrip("-").isdigit() else int(term.name)
                )
            except ValueError:
                return Value(None)
        assert isinstance(term, Variable)
        binding = self.bound[term.name]
        if binding.number is not None or binding.text is not None:
            return binding.number or call("try_cast DOUBLE", known(binding.text))
        return ColumnRef(self._name_alias(term.name), "number")

    def text_of(self, term: Term) -> Expression:
        """The name of a term."""
        if isinstance(term, Constant):
            return Value(term.name)
        assert isinstance(term, Variable)
        binding = self.bound[term.name]
        if binding.text is not None:
            return binding.text
        if binding.number is not None:
            return call("cast VARCHAR", call("cast BIGINT", binding.number))
        return ColumnRef(self._name_alias(term.name), "name")

    def _name_alias(self, name: str) -> str:
        """Join the names of a variable's constants, once."""
        binding = self.bound[name]
        assert binding.type_name is not None
        key = (name, "name")
        if key not in self._named:
            alias = self.alias("n")
            on = (equal(ColumnRef(alias, "a"), known(binding.constant)),)
            self.attach(Source(self.vocabulary.named_domain(binding.type_name), alias, on))
            self._named[key] = alias
        return self._named[key]


def known(expression: Expression | None) -> Expression:
    assert expression is not None
    return expression
