"""The relations that a rule's query reads: each meets those before it in its own world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from workbench.grounding.select import ColumnRef, Expression, Select, Source, Value, call, equal
from workbench.grounding.value_terms import Typed
from workbench.grounding.vocabulary import Vocabulary
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
