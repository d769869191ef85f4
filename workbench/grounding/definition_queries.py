"""The body of a definition or scope as one `Select`: joins, comparisons, aggregates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from workbench.grounding.aggregate_values import ZERO, aggregate_value, condition_names
from workbench.grounding.body import Body
from workbench.grounding.from_clause import Binding
from workbench.grounding.now import latest_date
from workbench.grounding.select import (
    OPERATORS,
    ColumnRef,
    Expression,
    Operation,
    Select,
    Source,
    Value,
    call,
    equal,
)
from workbench.grounding.value_terms import Typed
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.formulas import variable_names
from workbench.language.program import Aggregate, Condition
from workbench.language.terms import Apply, Atom, Comparison, Literal, Term, Variable
from workbench.language.values import ValueKind

RelationOf = Callable[[str], str]


def conditions_select(
    vocabulary: Vocabulary,
    head: Atom,
    conditions: Sequence[Condition],
    types: dict[str, str],
    relation_of: RelationOf,
) -> Select:
    """The bindings of a head under its conditions: `world, a0, ...`, each once.

    Parameters
    ----------
    types : dict of variable to type
    relation_of : callable
        The relation `(world, a0, ...)` of a predicate's true facts.
    """
    maker = _Maker(Body(vocabulary, types), relation_of)
    plain, aggregates = _split(conditions)
    if reads_now(conditions):
        maker.body.bound["$now"] = Binding.of_value(Typed(ValueKind.DATE, latest_date(vocabulary)))
    maker.join(plain)
    maker.bind_free(head, aggregates)
    for aggregate in aggregates:
        maker.attach(aggregate)
    maker.settle()
    body = maker.body
    declared = vocabulary.program.predicates[head.predicate]
    columns: list[tuple[str, Expression]] = [("world", maker.world())]
    for place, (term, type_name, kind) in enumerate(
        zip(head.arguments, declared.argument_types, declared.kinds)
    ):
        here = (
            body.term(term).expression
            if isinstance(term, Apply)
            else body.argument(term, type_name, kind)
        )
        columns.append((f"a{place}", here))
        if kind is not None:
            body.where.append(here.is_not(None))
    return body.select(columns, distinct=True)


def reads_now(conditions: Sequence[Condition]) -> bool:
    """Whether conditions compare with `$now`, the latest date of all facts."""
    plain, aggregates = _split(conditions)
    inner = (one for aggregate in aggregates for one in (*aggregate.body, *aggregate.among))
    return "$now" in condition_names((*plain, *inner))


def _split(conditions: Sequence[Condition]) -> tuple[list[Literal | Comparison], list[Aggregate]]:
    plain = [one for one in conditions if not isinstance(one, Aggregate)]
    return plain, [one for one in conditions if isinstance(one, Aggregate)]


@dataclass
class _Maker:
    """A body under construction; comparisons and negated literals wait for their variables."""

    body: Body
    relation_of: RelationOf
    free: frozenset[str] = frozenset()
    waiting: list[Comparison] = field(default_factory=list)
    negated: list[Atom] = field(default_factory=list)

    def join(self, conditions: Sequence[Literal | Comparison]) -> None:
        """Join positive literals, each after one that shares a variable; keep the others."""
        self.waiting += [one for one in conditions if isinstance(one, Comparison)]
        literals = [
            replace(one, atom=self._flat(one.atom))
            for one in conditions
            if isinstance(one, Literal)
        ]
        self.negated += [one.atom for one in literals if not one.positive]
        for atom in self.body.in_turn(one.atom for one in literals if one.positive):
            self.body.join(atom, self.relation_of(atom.predicate))
        self._compare()

    def _flat(self, atom: Atom) -> Atom:
        """The atom with a variable of its own in the place of each computed argument."""
        arguments: list[Term] = []
        for term in atom.arguments:
            if isinstance(term, Apply):
                fresh = Variable(f"computed {len(self.waiting)}")
                self.waiting.append(Comparison("=", fresh, term))
                arguments.append(fresh)
            else:
                arguments.append(term)
        return replace(atom, arguments=tuple(arguments))

    def _compare(self) -> None:
        """Test comparisons whose variables are bound; an equation binds what nothing else does."""
        changed = True
        while changed:
            changed = False
            for comparison in tuple(self.waiting):
                unbound = (
                    variable_names((comparison.left, comparison.right)) - self.body.bound.keys()
                )
                if not unbound:
                    self.body.where.append(self._test(comparison))
                elif not self._binds(comparison, unbound):
                    continue
                self.waiting.remove(comparison)
                changed = True

    def _binds(self, comparison: Comparison, unbound: set[str]) -> bool:
        for one, other in (
            (comparison.left, comparison.right),
            (comparison.right, comparison.left),
        ):
            if comparison.operator == "=" and isinstance(one, Variable) and unbound == {one.name}:
                if isinstance(other, Variable):
                    self.body.bound[one.name] = self.body.bound[other.name]
                else:
                    self.body.bound[one.name] = Binding.of_value(self.body.term(other))
                return True
        return False

    def _test(self, comparison: Comparison) -> Expression:
        sides = (comparison.left, comparison.right)
        computed = [self.body.term(side) for side in sides if isinstance(side, Apply)]
        if not computed:
            return self.body.test(comparison)
        kind = computed[0].kind
        left, right = (
            self.body.term(side).expression
            if isinstance(side, Apply)
            else self.body.value_of(side, kind)
            for side in sides
        )
        return Operation(OPERATORS[comparison.operator], (left, right))

    def bind_free(self, head: Atom, aggregates: Sequence[Aggregate]) -> None:
        """What only aggregates bind ranges over its domain, where nothing matching is 0."""
        made = {one.variable for one in aggregates}
        free = [
            term.name
            for term in head.arguments
            if isinstance(term, Variable)
            and term.name not in self.body.bound
            and term.name not in made
        ]
        self.free = frozenset(free)
        entity = [
            name
            for name in free
            if self.body.vocabulary.program.kind_of(self.body.types[name]) is None
        ]
        counted = len(free) == 1 and any(one.function in ZERO for one in aggregates)
        if len(entity) == 1 and (counted or not aggregates):
            self.body.bind_domain(free[0])

    def attach(self, aggregate: Aggregate) -> None:
        """Join the aggregate's subquery and bind its variable."""
        kept = bool(self.body.sources) and aggregate.function in ZERO
        alias, kind = self._subquery(aggregate, aggregate.body, "left" if kept else "inner")
        value: Expression = ColumnRef(alias, "result")
        if aggregate.function == "share":
            among, _ = self._subquery(aggregate, (*aggregate.body, *aggregate.among), "left")
            value = call("coalesce", ColumnRef(among, "result"), 0.0) / value
        elif kept:
            value = call("coalesce", value, 0.0)
        if aggregate.variable in self.body.bound:
            self.body.where.append(
                equal(value, self.body.value_of(Variable(aggregate.variable), kind))
            )
        else:
            self.body.bound[aggregate.variable] = Binding.of_value(Typed(kind, value))
        self._compare()

    def _subquery(
        self, aggregate: Aggregate, conditions: Sequence[Literal | Comparison], how: str
    ) -> tuple[str, ValueKind]:
        """Attach the subquery `g0, ..., result` of an aggregate; its alias, its result's kind."""
        outer = self.body
        alias = outer.alias("q")
        used = condition_names(conditions) | variable_names(aggregate.of)
        inner = _Maker(Body(outer.vocabulary, outer.types, prefix=f"{alias}_"), self.relation_of)
        if "$now" in outer.bound:
            inner.body.bound["$now"] = outer.bound["$now"]
        shared = sorted((used & outer.bound.keys()) - {"$now"})
        positive = {
            name
            for one in conditions
            if isinstance(one, Literal) and one.positive
            for name in variable_names(one.atom.arguments)
        }
        if not set(shared) <= positive:
            inner.start_from(outer, shared)
        inner.join(conditions)
        inner.settle()
        group = [*shared, *sorted((self.free & positive) - outer.bound.keys())]
        columns = [(f"g{place}", inner.body.column_of(name)) for place, name in enumerate(group)]
        keys = tuple(value for _, value in columns)
        if not outer.vocabulary.one_world:
            keys = (inner.world(), *keys)
            columns.append(("world", inner.world()))
        result, kind = aggregate_value(inner.body, aggregate, set(group), conditions)
        select = inner.body.select((*columns, ("result", result)), group_by=keys)
        on = []
        for place, name in enumerate(group):
            here = ColumnRef(alias, f"g{place}")
            if name in outer.bound:
                on.append(equal(here, outer.column_of(name)))
            else:
                type_name = outer.types[name]
                value = outer.vocabulary.program.kind_of(type_name)
                outer.bound[name] = (
                    Binding(type_name, here)
                    if value is None
                    else Binding.of_value(Typed(value, here))
                )
        outer.attach(Source(select, alias, tuple(on), how))  # type: ignore[arg-type]
        return alias, kind

    def start_from(self, outer: Body, names: Sequence[str]) -> None:
        """Begin with the different bindings that the outer body has of some variables."""
        shown = [(f"o{place}", outer.column_of(name)) for place, name in enumerate(names)]
        if not self.body.vocabulary.one_world:
            shown.append(
                (
                    "world",
                    outer.world if outer.world is not None else ColumnRef(outer.geometry, "world"),
                )
            )
        alias = self.body.alias("b")
        self.body.attach(Source(outer.select(shown, distinct=True), alias))
        for place, name in enumerate(names):
            here, known = ColumnRef(alias, f"o{place}"), outer.bound[name]
            kind = known.value.kind if known.value is not None else None
            self.body.bound[name] = (
                Binding(known.type_name, here)
                if kind is None
                else Binding.of_value(Typed(kind, here))
            )

    def settle(self) -> None:
        """Add what waited for its variables: comparisons, then negated literals."""
        self._compare()
        assert not self.waiting, self.waiting
        for atom in self.negated:
            self.body.join(atom, self.relation_of(atom.predicate), kind="anti", letter="x")
        self.negated = []

    def world(self) -> Expression:
        vocabulary = self.body.vocabulary
        if vocabulary.one_world:
            return Value(vocabulary.worlds[0])
        return (
            self.body.world
            if self.body.world is not None
            else ColumnRef(self.body.geometry, "world")
        )
