"""An arithmetic rule's terms in SQL: its groundings, and what each term contributes.

A rule's free variables are bound by joining the listed atoms of its terms (targets and
observations); each binding is a grounding. Per grounding, a term with summation variables
contributes every atom its list has for them, after filters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.grounding.body import Body
from workbench.grounding.from_clause import Binding
from workbench.grounding.rule_filters import holds, plain
from workbench.grounding.select import (
    OPERATORS,
    Call,
    ColumnRef,
    Expression,
    Operation,
    Raw,
    Select,
    Source,
    Union,
    Value,
    call,
    equal,
    negate,
)
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import LinearRule
from workbench.language.program import Calculation, Cardinality, Factor, LinearTerm
from workbench.language.terms import Atom, Formula, SumVariable, Variable


def summed_in(atoms: Iterable[Atom]) -> set[str]:
    """The summation variables of atoms."""
    return {term.name for atom in atoms for term in atom.arguments if isinstance(term, SumVariable)}


@dataclass(frozen=True)
class RuleTerms:
    """The selects of one arithmetic rule; `g0, ...` are a grounding's constants, then its world."""

    vocabulary: Vocabulary
    rule: LinearRule

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The variables whose bindings are the groundings."""
        summed = summed_in(atom for term in self.rule.terms for atom in term.atoms)
        return tuple(name for name, _ in self.rule.variable_types if name not in summed)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(f"g{i}" for i in range(len(self.free) + (not self.vocabulary.one_world)))

    @cached_property
    def constant(self) -> float:
        """What the terms without atoms and without cardinalities add to every grounding."""
        return sum(
            term.coefficient for term in self.rule.terms if not term.atoms and term.factor is None
        )

    @property
    def determined_by_atoms(self) -> bool:
        """Whether equal atoms mean one grounding: one atom is written, with all free variables."""
        roles = self.vocabulary.roles
        atoms = [
            atom for term in self.rule.terms for atom in term.atoms if roles[atom.predicate].open
        ]
        return len(atoms) == 1 and set(self.free) <= {
            getattr(term, "name", None) for term in atoms[0].arguments
        }

    def lines(self) -> tuple[Select, ...]:
        """A select a term: grounding, open atom or NULL, coefficient, constant, zero divisions."""
        terms = [term for term in self.rule.terms if term.atoms or term.factor is not None]
        return tuple(map(self._line, terms))

    def _relation(self, atom: Atom) -> str:
        """The list of a predicate: `(world, a0, p0, ..., atom, value)`, `atom` where it is open."""
        if self.vocabulary.roles[atom.predicate].open:
            return self.vocabulary.listed(atom.predicate)
        return self.vocabulary.stated(atom.predicate)

    @cached_property
    def _groundings(self) -> Select:
        """Distinct bindings of the free variables, and the world."""
        body = Body(self.vocabulary, dict(self.rule.variable_types))
        atoms = [atom for term in self.rule.terms for atom in term.atoms]
        for atom in atoms:
            if not summed_in([atom]):
                body.join(atom, self._relation(atom), letter="o")
        for atom in atoms:
            if summed_in([atom]):
                self._join_projection(body, atom)
        values = [body.constant_of(Variable(name), body.types[name]) for name in self.free]
        if not self.vocabulary.one_world:
            assert body.world is not None
            values.append(body.world)
        return body.select(list(zip(self.keys, values)) or [("one", Value(1))], distinct=True)

    @property
    def joined(self) -> Select:
        """The same for counting: rows of lists that join are distinct by themselves."""
        return replace(self._groundings, distinct=False)

    def _join_projection(self, body: Body, atom: Atom) -> None:
        """Join the distinct arguments of an atom's list that are not summed over."""
        alias = body.alias("s")
        shown: list[tuple[str, Expression]] = []
        on: list[Expression] = []
        where: list[Expression] = []
        seen: dict[str, ColumnRef] = {}
        for number, (term, type_name) in enumerate(
            zip(atom.arguments, self.vocabulary.arguments(atom.predicate))
        ):
            here = ColumnRef("i", f"a{number}")
            if isinstance(term, SumVariable):
                if term.name in seen:
                    where.append(equal(here, seen[term.name]))
                seen[term.name] = here
                continue
            shown += [(f"a{number}", here), (f"p{number}", ColumnRef("i", f"p{number}"))]
            outer = ColumnRef(alias, f"a{number}")
            if isinstance(term, Variable) and term.name not in body.bound:
                body.bound[term.name] = Binding(type_name, outer, ColumnRef(alias, f"p{number}"))
            else:
                on.append(equal(outer, body.constant_of(term, type_name)))
        if not self.vocabulary.one_world:
            shown.append(("world", ColumnRef("i", "world")))
        columns = tuple(shown) or (("one", Value(1)),)
        relation = Select(
            columns, (Source(self._relation(atom), "i"),), tuple(where), distinct=True
        )
        body.attach(Source(relation, alias, tuple(on)))

    def _from_groundings(self) -> Body:
        """A body over the groundings, with the free variables bound."""
        body = Body(self.vocabulary, dict(self.rule.variable_types))
        body.sources.append(Source(self._groundings, "g"))
        for key, name in zip(self.keys, self.free):
            body.bound[name] = Binding(body.types[name], ColumnRef("g", key), None)
        if not self.vocabulary.one_world:
            body.world = ColumnRef("g", self.keys[-1])
        return body

    def _line(self, term: LinearTerm) -> Select:
        """What a term adds to each grounding; a sum without atoms left adds a line of 0."""
        body = self._from_groundings()
        here = [(key, ColumnRef("g", key)) for key in self.keys]
        factors: list[Expression] = [Value(term.coefficient)]
        if term.factor is not None:
            factors.append(self._factor(term.factor))
        summed = summed_in(term.atoms)
        if summed and (len(term.atoms) > 1 or self._restrictions(summed)):
            on = tuple(equal(ColumnRef("m", key), value) for key, value in here)
            body.sources.append(Source(self._sum(term.atoms), "m", on, "left"))
            atom: Expression = ColumnRef("m", "atom")
            factors.append(call("coalesce", ColumnRef("m", "value"), 0.0))
        else:
            atom, value = self._join_atoms(body, term.atoms)
            factors.append(value)
        product = Operation("*", tuple(factors))
        defined: Expression = product
        undefined: Expression = Value(0)
        if term.factor is not None:
            defined = call("coalesce", product, 0.0)
            undefined = call("cast INTEGER", product.is_null)
        coefficient: Expression = Value(0.0)
        b = defined
        if not isinstance(atom, Value):
            is_open = negate(atom.is_null)
            coefficient = call("case", is_open, defined, 0.0)
            b = call("case", is_open, 0.0, defined)
        return body.select(
            [
                *here,
                ("atom", atom),
                ("coefficient", coefficient),
                ("b", b),
                ("undefined", undefined),
            ]
        )

    def _join_atoms(self, body: Body, atoms: Iterable[Atom]) -> tuple[Expression, Expression]:
        """Join the listed atoms of a product: the open one's id (or NULL), the others' product."""
        identity: Expression = call("cast INTEGER", None)
        values: list[Expression] = []
        for atom in atoms:
            alias = body.join(
                replace(atom, arguments=tuple(map(plain, atom.arguments))),
                self._relation(atom),
                letter="o",
            )
            if self.vocabulary.roles[atom.predicate].open:
                identity = ColumnRef(alias, "atom")
                values.append(call("coalesce", ColumnRef(alias, "value"), 1.0))
            else:
                values.append(ColumnRef(alias, "value"))
        return identity, Operation("*", tuple(values)) if values else Value(1.0)

    def _sum(self, atoms: tuple[Atom, ...]) -> Select:
        """The atoms of a summation that pass its filters: grounding, constants, atom, value."""
        body = self._from_groundings()
        identity, value = self._join_atoms(body, atoms)
        summed = summed_in(atoms)
        for condition in self._restrictions(summed):
            body.where.append(holds(body, condition).is_(True))
        names = [
            (f"x_{name}", body.constant_of(Variable(name), body.types[name]))
            for name in sorted(summed)
        ]
        here = [(key, ColumnRef("g", key)) for key in self.keys]
        return body.select([*here, *names, ("atom", identity), ("value", value)])

    def _restrictions(self, summed: set[str]) -> list[Formula]:
        """The conditions of the filters on these summation variables."""
        return [one.condition for one in self.rule.filters if one.variable in summed]

    def _factor(self, factor: Factor) -> Expression:
        """A number of a grounding; NULL where it divides by zero."""
        match factor:
            case Cardinality(variable):
                return call("cast DOUBLE", self._cardinality(variable))
            case Calculation("min" | "max" as kind, left, right):
                return Call(
                    "least" if kind == "min" else "greatest",
                    (self._factor(left), self._factor(right)),
                )
            case Calculation("/", left, right):
                return self._factor(left) / call("nullif", self._factor(right), 0.0)
            case Calculation(operator, left, right):
                return Operation(OPERATORS[operator], (self._factor(left), self._factor(right)))
        assert isinstance(factor, int | float)
        return Value(float(factor))

    def _cardinality(self, variable: str) -> Expression:
        """How many distinct constants a grounding sums over, in all terms with the variable."""
        selects = []
        for term in self.rule.terms:
            if variable in summed_in(term.atoms):
                inner = self._sum(term.atoms)
                columns = dict(inner.columns)
                chosen = (
                    *((key, columns[key]) for key in self.keys),
                    ("x", columns[f"x_{variable}"]),
                )
                selects.append(replace(inner, columns=chosen))
        where = tuple(equal(ColumnRef("c", key), ColumnRef("g", key)) for key in self.keys)
        number = call("count", call("distinct", ColumnRef("c", "x")))
        return Raw(Select((("n", number),), (Source(Union(tuple(selects)), "c"),), where))
