"""The relations that a rule's query reads: each meets those before it in its own world;
and what bound variables and constants are there: ids, positions, names, numbers, values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from workbench.grounding.select import ColumnRef, Expression, Select, Source, Value, call, equal
from workbench.grounding.value_terms import Typed, constant_value
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.terms import Constant, Term, Variable
from workbench.language.values import ValueKind


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable in SQL: its constant's id and position, a number, a text or a value."""

    type_name: str | None
    constant: Expression | None = None
    position: Expression | None = None
    number: Expression | None = None
    text: Expression | None = None
    value: Typed | None = None

    @classmethod
    def of_value(cls, value: Typed) -> Binding:
        """The binding of a variable that is a number, date or text."""
        number = value.expression if value.kind is ValueKind.NUMBER else None
        text = value.expression if value.kind is ValueKind.TEXT else None
        return cls(None, number=number, text=text, value=value)

    @property
    def argument(self) -> Expression:
        """What an atom's column equals where the variable is its argument."""
        found = self.constant if self.value is None else self.value.expression
        assert found is not None
        return found


@dataclass
class FromClause:
    """FROM and WHERE under construction for one rule, and what its variables are in them.

    Sources are added in the order given. `worlds` are those that the rule is grounded in, None for
    all of the vocabulary's.
    """

    vocabulary: Vocabulary
    types: dict[str, str]
    prefix: str = ""
    worlds: tuple[int, ...] | None = None
    sources: list[Source] = field(default_factory=list)
    where: list[Expression] = field(default_factory=list)
    bound: dict[str, Binding] = field(default_factory=dict)
    world: Expression | None = None
    geometry_alias: str | None = None
    text_sources: dict[str, tuple[str, int]] = field(default_factory=dict)
    _named: dict[tuple[str, str], str] = field(default_factory=dict)
    serial: int = 0

    def alias(self, letter: str) -> str:
        self.serial += 1
        return f"{self.prefix}{letter}{self.serial}"

    def cross(self, relation: str, letter: str) -> str:
        """Add a relation that meets the others in its world only; its alias."""
        alias = self.alias(letter)
        self.attach(Source(relation, alias))
        return alias

    def attach(self, source: Source) -> None:
        """Add a source; it meets those before it in its world."""
        on = list(source.on)
        if not self.vocabulary.one_world:
            if self.world is None and source.kind != "inner":
                _ = self.geometry
            here = ColumnRef(source.alias, "world")
            if self.world is None:
                self.world = here
            else:
                on.append(equal(here, self.world))
        self.sources.append(Source(source.relation, source.alias, tuple(on), source.kind))

    @property
    def geometry(self) -> str:
        """Alias of the geometry relation, joined when first needed; empty with a single world."""
        if self.vocabulary.one_world:
            return ""
        if self.geometry_alias is None:
            self.geometry_alias = self.cross(self.vocabulary.geometry(), "g")
        return self.geometry_alias

    def by_world(self, values: Mapping[int, float]) -> Expression:
        """The number of the world at hand, of those that each world has."""
        if self.vocabulary.one_world:
            return Value(values[self.vocabulary.worlds[0]])
        here = self.world = self.world or ColumnRef(self.geometry, "world")
        each = [
            part for world, number in values.items() for part in (equal(here, world), Value(number))
        ]
        return call("case", *each, type(next(iter(values.values())))(0))

    def select(self, columns: Iterable[tuple[str, Expression]], **changes: object) -> Select:
        """The finished query; a rule without variables has one grounding a world."""
        shown = tuple(columns)
        if not self.vocabulary.one_world and (
            not self.sources or (self.worlds is not None and self.world is None)
        ):
            _ = self.geometry
        if self.worlds is not None:
            self.where.append(self._in_its_worlds(self.worlds))
        sources, where = self.parts()
        return Select(shown, sources, where, **changes)  # type: ignore[arg-type]

    def parts(self) -> tuple[tuple[Source, ...], tuple[Expression, ...]]:
        """Sources, those that give rows first, and conditions, the first source's `on` included."""
        inner = [source for source in self.sources if source.kind == "inner"]
        others = [source for source in self.sources if source.kind != "inner"]
        if others and not inner:
            inner = [Source(Select((("one", Value(1)),)), "nothing")]
        if not inner:
            return (), tuple(self.where)
        first, *later = inner
        return (replace(first, on=()), *later, *others), (*first.on, *self.where)

    def _in_its_worlds(self, worlds: tuple[int, ...]) -> Expression:
        if self.vocabulary.one_world:
            return Value(self.vocabulary.worlds[0] in worlds)
        assert self.world is not None
        return call("list_contains", call("list_value", *map(Value, worlds)), self.world)


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
