"""The joins that bind a rule's variables, and the tests that evidence and constants decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.grounding.bound_terms import BoundTerms
from workbench.grounding.from_clause import Binding, known
from workbench.grounding.select import (
    ColumnRef,
    Expression,
    Select,
    Source,
    Value,
    all_of,
    call,
    equal,
    negate,
)
from workbench.grounding.unification import Equality
from workbench.grounding.value_terms import Typed
from workbench.language.clauses import FunctionValue
from workbench.language.formulas import variable_names
from workbench.language.terms import Atom, Constant, Variable
from workbench.language.values import ValueKind


@dataclass
class Body(BoundTerms):
    """FROM and WHERE of one rule, whose sources each bind the variables that none before did."""

    def join(
        self, atom: Atom, relation: str | Select, *, kind: str = "inner", letter: str = "e"
    ) -> str:
        """Join `(world, a0, p0, ...)` on the atom's arguments; inner joins bind new variables."""
        alias = self.alias(letter)
        on: list[Expression] = []
        fresh: dict[str, Binding] = {}
        declared = self.vocabulary.program.predicates[atom.predicate]
        for number, (term, type_name, value) in enumerate(
            zip(atom.arguments, declared.argument_types, declared.kinds)
        ):
            here = ColumnRef(alias, f"a{number}")
            if isinstance(term, Variable) and term.name not in self.bound:
                if term.name in fresh:
                    on.append(equal(here, fresh[term.name].argument))
                    continue
                if kind != "inner":
                    raise AssertionError(f"{term.name} is unbound in a {kind} join")
                fresh[term.name] = (
                    Binding(type_name, here, ColumnRef(alias, f"p{number}"))
                    if value is None
                    else Binding.of_value(Typed(value, here))
                )
            else:
                on.append(equal(here, self.argument(term, type_name, value)))
        self.attach(Source(relation, alias, tuple(on), kind))  # type: ignore[arg-type]
        self.bound.update(fresh)
        for number, term in enumerate(atom.arguments):
            if (
                isinstance(term, Variable)
                and term.name in fresh
                and declared.kinds[number] is ValueKind.TEXT
            ):
                self.text_sources[term.name] = (atom.predicate, number)
        return alias

    def in_turn(self, atoms: Iterable[Atom]) -> Iterator[Atom]:
        """Atoms to be joined, each after one that it shares a variable with, in such an order.

        Comparisons of values that two relations bind would else become the condition of a nested
        loop over both.
        """
        left = list(atoms)
        while left:
            chosen = next(
                (atom for atom in left if variable_names(atom.arguments) & self.bound.keys()),
                left[0],
            )
            left.remove(chosen)
            yield chosen

    def bind_domain(self, name: str) -> None:
        """Bind a variable to its type's domain."""
        type_name = self.types[name]
        alias = self.cross(self.vocabulary.domain(type_name), "d")
        self.bound[name] = Binding(type_name, ColumnRef(alias, "a"), ColumnRef(alias, "p"))

    def bind_domains(self, names: Iterable[str]) -> None:
        """Bind the variables that nothing has bound to their types' domains."""
        for name in names:
            if name not in self.bound:
                self.bind_domain(name)

    def plus_columns(self, names: Iterable[str]) -> list[tuple[str, Expression]]:
        """The columns `t0, t1, ...` of a clause's `+` variables."""
        return [(f"t{number}", self.column_of(name)) for number, name in enumerate(names)]

    def join_known(self, predicate: str, place: Expression) -> ColumnRef:
        """The value that data give the atom at a place of its grid; NULL where it is open."""
        alias = self.alias("k")
        on = (equal(ColumnRef(alias, "atom"), place),)
        self.sources.append(Source(self.vocabulary.known(predicate), alias, on, "left"))
        return ColumnRef(alias, "value")

    def adopt(self, equalities: Sequence[Equality]) -> None:
        """Let variables that must equal a bound term or a constant be that term."""
        pending = [*equalities, *((right, left) for left, right in equalities)]
        changed = True
        while changed:
            changed = False
            for left, right in pending:
                if (
                    not isinstance(left, Variable)
                    or left.name in self.bound
                    or left.name not in self.types
                ):
                    continue
                if isinstance(right, Constant):
                    type_name = self.types[left.name]
                    self.bound[left.name] = Binding(
                        type_name,
                        self.vocabulary.constant(type_name, right.name),
                        self._constant_position(type_name, right),
                    )
                    changed = True
                elif isinstance(right, Variable) and right.name in self.bound:
                    self.bound[left.name] = self.bound[right.name]
                    changed = True

    def define(self, computed: FunctionValue) -> None:
        """Bind a function's value; one that an atom has bound must be equal."""
        self.bind_domains(term.name for term in computed.arguments if isinstance(term, Variable))
        if computed.function in self.vocabulary.program.functions:
            self._join_function(computed)
            return
        value_of = self._value_computed(computed.function, computed.arguments)
        if value_of is not None:
            self.bound[computed.variable] = Binding.of_value(value_of)
            self.where.append(value_of.expression.is_not(None))
            return
        number, text = self._computed(computed)
        if computed.type_name is not None:
            self._join_constant(computed, computed.type_name, number, text)
            return
        self.bound[computed.variable] = Binding(None, number=number, text=text)
        if number is not None:
            self.where.append(number.is_not(None))

    def _join_function(self, computed: FunctionValue) -> None:
        """Bind what the data give as the value of a declared function."""
        declared, alias = self.vocabulary.program.functions[computed.function], self.alias("f")
        arguments = zip(computed.arguments, declared.argument_types)
        on = [
            equal(ColumnRef(alias, f"a{number}"), self.constant_of(term, type_name))
            for number, (term, type_name) in enumerate(arguments)
        ]
        last = len(declared.argument_types)
        value = Binding(
            declared.return_type, ColumnRef(alias, f"a{last}"), ColumnRef(alias, f"p{last}")
        )
        self._bind_joined(computed, value, self.vocabulary.function(computed.function), alias, on)

    def _join_constant(
        self,
        computed: FunctionValue,
        type_name: str,
        number: Expression | None,
        text: Expression | None,
    ) -> None:
        """Bind the constant of a type that has a computed number or text for its name."""
        alias = self.alias("v")
        a, p, as_number, name = (ColumnRef(alias, one) for one in ("a", "p", "number", "name"))
        given = equal(as_number, number) if number is not None else equal(name, known(text))
        value = Binding(type_name, a, p, as_number, name)
        relation = self.vocabulary.named_domain(type_name)
        self._bind_joined(computed, value, relation, alias, [given])

    def _bind_joined(
        self,
        computed: FunctionValue,
        value: Binding,
        relation: str,
        alias: str,
        on: Sequence[Expression],
    ) -> None:
        self.attach(Source(relation, alias, (*on, *self._agrees(computed, value))))
        self.bound[computed.variable] = value

    def _agrees(self, computed: FunctionValue, value: Binding) -> tuple[Expression, ...]:
        """The condition that a value is what an atom joined before bound its variable to."""
        before = self.bound.get(computed.variable)
        return () if before is None else (equal(known(value.constant), known(before.constant)),)

    def place(self, atom: Atom) -> Expression:
        """Place in its grid of an atom with bound variables: the id of a cross-product atom."""
        return self.vocabulary.place(atom.predicate, self._positions(atom), self.geometry)

    def _positions(self, atom: Atom) -> list[Expression]:
        types = self.vocabulary.arguments(atom.predicate)
        return [self.position_of(term, type_name) for term, type_name in zip(atom.arguments, types)]

    def known_place(self, atom: Atom) -> Expression:
        """`place`, but -1 where the atom has a constant that its world lacks."""
        place = self.place(atom)
        # A constant of the rule has its position by its world's geometry: NULL where that lacks it.
        if any(
            isinstance(one, Value) or (isinstance(one, ColumnRef) and one.table == self.geometry)
            for one in self._positions(atom)
        ):
            return call("coalesce", place, -1)
        return place

    def binds(self, atom: Atom) -> bool:
        """Whether all variables of an atom are bound."""
        return all(
            not isinstance(term, Variable) or term.name in self.bound for term in atom.arguments
        )

    def require(self, equalities: Iterable[Equality]) -> None:
        self.where.extend(self.equality(pair) for pair in equalities)

    def exclude(self, conjunctions: Iterable[Sequence[Equality]]) -> None:
        for conjunction in conjunctions:
            self.where.append(negate(all_of(tuple(self.equality(pair) for pair in conjunction))))
