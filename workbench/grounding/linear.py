"""An arithmetic rule of PSL as `Select`s: summation variables summed by GROUP BY, filters, cardinalities, products.

A rule's free variables are bound by joining the listed atoms of its terms (targets and observations); each binding is a
grounding. Per grounding, a term with summation variables contributes every atom its list has for them, after filters.
The queries return one line per (grounding, open atom) with its coefficient, and one with the constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.grounding.body import Body
from workbench.grounding.plans import Shape
from workbench.grounding.select import (
    Call,
    Column,
    Expression,
    Operation,
    Select,
    Source,
    Star,
    Union,
    Value,
    add,
    equal,
    negate,
)
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.program import (
    And,
    Atom,
    Calculation,
    Cardinality,
    Comparison,
    Factor,
    Filter,
    Formula,
    LinearRule,
    LinearTerm,
    Not,
    Or,
    SumVariable,
    Term,
    Variable,
)

__all__ = ["LinearPlan", "plan_linear_rule"]

TOLERANCE = 1e-9


@dataclass(frozen=True)
class LinearPlan:
    """An arithmetic rule: one select of its groundings, columns `atoms`, `values` (lists) and `b`."""

    clause: LinearRule
    select: Select
    counting: Select
    total: Select | None
    width: int
    scale: float = 1.0
    n_plus: int = 0
    only_units: bool = False
    checked_late: bool = False
    integral: bool = False
    integral_constants: bool = False

    def counts(self) -> Select:
        return self.counting

    def shapes(self, templates: str | None) -> tuple[Shape, ...]:
        return (Shape(self.select, (), listing=True),)

    def unlisted_error(self, vocabulary: Vocabulary) -> None:
        return None


@dataclass(frozen=True)
class _Rule:
    """The parts of a rule that its queries share."""

    vocabulary: Vocabulary
    rule: LinearRule

    @property
    def summed(self) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for term in self.rule.terms:
            for atom in term.atoms:
                found.update(dict.fromkeys(t.name for t in atom.arguments if isinstance(t, SumVariable)))
        return tuple(found)

    @property
    def free(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.rule.variable_types if name not in self.summed)

    def relation(self, atom: Atom) -> str:
        """The list of a predicate: `(world, a0, p0, ..., atom, value)`, `atom` only where it is open."""
        if self.vocabulary.roles[atom.predicate].open:
            return self.vocabulary.listed(atom.predicate)
        return self.vocabulary.stated(atom.predicate)

    def body(self) -> Body:
        return Body(self.vocabulary, dict(self.rule.variable_types))


def plan_linear_rule(vocabulary: Vocabulary, rule: LinearRule) -> LinearPlan:
    """The queries of an arithmetic rule."""
    parts = _Rule(vocabulary, rule)
    lines = Union(tuple(_lines(parts)))
    keys = [f"g{i}" for i in range(len(parts.free) + (not vocabulary.one_world))]
    # Equal atoms of one grounding add up first; then one list a grounding.
    by_atom = Select(
        (
            *((key, Column("t", key)) for key in keys),
            ("atom", Column("t", "atom")),
            ("coefficient", Call("sum", (Column("t", "coefficient"),))),
            ("b", Call("sum", (Column("t", "b"),))),
        ),
        (Source(lines, "t"),),
        group_by=(*(Column("t", key) for key in keys), Column("t", "atom")),
    )
    is_open = Operation(
        "AND",
        (
            negate(Operation("IS", (Column("r", "atom"), Value(None)))),
            Operation("<>", (Column("r", "coefficient"), Value(0))),
        ),
    )
    grouped = Select(
        (
            *((key, Column("r", key)) for key in keys),
            ("atoms", Call("list", (Column("r", "atom"),), (Column("r", "atom"),), is_open)),
            ("coefficients", Call("list", (Column("r", "coefficient"),), (Column("r", "atom"),), is_open)),
            ("b", Call("sum", (Column("r", "b"),))),
            (
                "highest",
                add(
                    (
                        Call("sum", (Column("r", "b"),)),
                        Call(
                            "coalesce",
                            (
                                Call(
                                    "sum", (Call("greatest", (Column("r", "coefficient"), Value(0))),), filter=is_open
                                ),
                                Value(0),
                            ),
                        ),
                    )
                ),
            ),
        ),
        (Source(by_atom, "r"),),
        group_by=tuple(Column("r", key) for key in keys),
    )
    kept: tuple[Expression, ...] = ()
    defined = negate(Operation("IS", (Column("q", "b"), Value(None))))
    if rule.relation == "<=":
        kept = (Operation(">", (Column("q", "highest"), Value(TOLERANCE))),)
    atoms: Expression = Call("coalesce", (Column("q", "atoms"), Value(None)))
    # Equal rows merge into `s`, as everywhere; they come in order of their atoms.
    rounded = Column("q", "b")
    select = Select(
        (
            ("literals", atoms),
            ("coefficients", Column("q", "coefficients")),
            ("b", rounded),
            ("s", Call("cast DOUBLE", (Call("count", (Star(),)),))),
        ),
        (Source(grouped, "q"),),
        (defined, *kept, negate(Operation("IS", (Column("q", "atoms"), Value(None))))),
        group_by=(Column("q", "atoms"), Column("q", "coefficients"), rounded),
        order_by=(Column("", "literals"), Column("", "coefficients"), Column("", "b")),
    )
    none = Operation("IS", (Column("q", "atoms"), Value(None)))
    excess: Expression = Column("q", "b")
    excess = Call("abs", (excess,)) if rule.relation == "=" else Call("greatest", (excess, Value(0.0)))
    violated = Operation("AND", (none, Operation(">", (excess, Value(TOLERANCE)))))
    potential = excess if rule.power == 1 else Operation("*", (excess, excess))
    shown = negate(none)
    counting = Select(
        (
            ("part", Value(0)),
            (
                "n",
                add(
                    (
                        Call("count", (Star(),), filter=all_open(shown, kept)),
                        Call("count", (Star(),), filter=violated),
                    )
                ),
            ),
            ("decided", Call("count", (Star(),), filter=violated)),
            ("positive", Call("coalesce", (Call("sum", (potential,), filter=violated), Value(0.0)))),
            ("negative", Value(0.0)),
            ("unlisted", Value(0)),
            ("width", Call("coalesce", (Call("max", (Call("len", (Column("q", "atoms"),)),)), Value(0)))),
        ),
        (Source(grouped, "q"),),
        (defined,),
    )
    n = Call("count", (Star(),))
    total = Select(
        (("n", n), ("positive", Call("cast DOUBLE", (n,))), ("negative", Value(0.0))),
        (Source(grouped, "q"),),
        (defined,),
    )
    return LinearPlan(rule, select, counting, total, width=0)


def all_open(shown: Expression, kept: tuple[Expression, ...]) -> Expression:
    return shown if not kept else Operation("AND", (shown, *kept))


def _grounding_body(parts: _Rule) -> Body:
    """Join the terms' atoms on the free variables; summation variables are bound on the way and projected out."""
    body = parts.body()
    for atom in _binding_atoms(parts):
        body.join(_free_form(atom), parts.relation(atom), letter="o")
    for comparison in parts.rule.comparisons:
        if not _mentions(comparison, parts.summed):
            body.where.append(Operation("IS", (body.test(comparison), Value(True))))
    return body


def _binding_atoms(parts: _Rule) -> Iterator[Atom]:
    """Atoms that every grounding must have on its lists: those without summation variables, and one a sum."""
    for term in parts.rule.terms:
        yield from term.atoms


def _free_form(atom: Atom) -> Atom:
    """Summation variables as variables of their own, so that a join binds them."""
    return replace(
        atom,
        arguments=tuple(Variable(t.name) if isinstance(t, SumVariable) else t for t in atom.arguments),
    )


def _groundings(parts: _Rule) -> Select:
    """Distinct bindings of the free variables (and the world): columns `g0, ..., a and p of each`."""
    bodies = []
    body = parts.body()
    for term in parts.rule.terms:
        for atom in term.atoms:
            if any(isinstance(t, SumVariable) for t in atom.arguments):
                continue
            body.join(atom, parts.relation(atom), letter="o")
    # A sum binds free variables, too: its atoms' distinct free arguments.
    for term in parts.rule.terms:
        for atom in term.atoms:
            if any(isinstance(t, SumVariable) for t in atom.arguments):
                _join_projection(body, parts, atom)
    for comparison in parts.rule.comparisons:
        if not _mentions(comparison, parts.summed):
            body.where.append(Operation("IS", (body.test(comparison), Value(True))))
    bodies.append(body)
    columns: list[tuple[str, Expression]] = []
    for i, name in enumerate(parts.free):
        columns.append((f"g{i}", body.constant_of(Variable(name), body.types[name])))
    if not parts.vocabulary.one_world:
        assert body.world is not None
        columns.append((f"g{len(parts.free)}", body.world))
    return body.select(columns or [("one", Value(1))], distinct=True)


def _join_projection(body: Body, parts: _Rule, atom: Atom) -> None:
    """Join the distinct arguments of an atom's list that are not summed over."""
    alias = body.alias("s")
    keys: list[tuple[str, Expression]] = []
    on: list[Expression] = []
    inner_where: list[Expression] = []
    seen: dict[str, int] = {}
    for number, (term, type_name) in enumerate(zip(atom.arguments, parts.vocabulary.arguments(atom.predicate))):
        here = Column("i", f"a{number}")
        if isinstance(term, SumVariable):
            if term.name in seen:
                inner_where.append(equal(here, Column("i", f"a{seen[term.name]}")))
            seen[term.name] = number
            continue
        keys += [(f"a{number}", here), (f"p{number}", Column("i", f"p{number}"))]
        outer = Column(alias, f"a{number}")
        if isinstance(term, Variable) and term.name not in body.bound:
            from workbench.grounding.body import Binding

            body.bound[term.name] = Binding(type_name, outer, Column(alias, f"p{number}"))
        else:
            on.append(equal(outer, body.constant_of(term, type_name)))
    if not parts.vocabulary.one_world:
        keys.append(("world", Column("i", "world")))
    relation = Select(
        tuple(keys) or (("one", Value(1)),),
        (Source(parts.relation(atom), "i"),),
        tuple(inner_where),
        distinct=True,
    )
    body._attach(Source(relation, alias, tuple(on)))


def _mentions(comparison: Comparison, names: tuple[str, ...]) -> bool:
    return any(getattr(term, "name", None) in names for term in (comparison.left, comparison.right))


def _lines(parts: _Rule) -> Iterator[Select]:
    """One select a term: grounding keys, open atom or NULL, coefficient, and its part of the constant."""
    for term in parts.rule.terms:
        yield _line(parts, term)


def _start_line(parts: _Rule) -> Body:
    body = parts.body()
    body.sources.append(Source(_groundings(parts), "g"))
    from workbench.grounding.body import Binding

    types = dict(parts.rule.variable_types)
    for i, name in enumerate(parts.free):
        body.bound[name] = Binding(types[name], Column("g", f"g{i}"), None)
    if not parts.vocabulary.one_world:
        body.world = Column("g", f"g{len(parts.free)}")
    return body


def _line(parts: _Rule, term: LinearTerm) -> Select:
    """The contributions of one term to all groundings; a sum without atoms left gives a line of 0."""
    body = _start_line(parts)
    keys = [(f"g{i}", Column("g", f"g{i}")) for i in range(len(parts.free) + (not parts.vocabulary.one_world))]
    coefficient: Expression = Value(term.coefficient)
    if term.factor is not None:
        coefficient = Operation("*", (coefficient, _factor(parts, term.factor)))
    summed = {t.name for atom in term.atoms for t in atom.arguments if isinstance(t, SumVariable)}
    values: list[Expression] = []
    atom_column: Expression = Value(None)
    if summed:
        inner = _sum_select(parts, term, summed)
        on = tuple(equal(Column("m", name), value) for name, value in keys)
        body.sources.append(Source(inner, "m", on, "left"))
        atom_column = Column("m", "atom")
        value = Call("coalesce", (Column("m", "value"), Value(0.0)))
        product: Expression = Operation("*", (coefficient, value))
    else:
        for atom in term.atoms:
            alias = body.join(atom, parts.relation(atom), letter="o")
            if parts.vocabulary.roles[atom.predicate].open:
                atom_column = Column(alias, "atom")
                values.append(Call("coalesce", (Column(alias, "value"), Value(1.0))))
            else:
                values.append(Column(alias, "value"))
        product = coefficient if not values else Operation("*", (coefficient, *values))
    is_open = negate(Operation("IS", (atom_column, Value(None))))
    columns = [
        *keys,
        ("atom", atom_column),
        ("coefficient", Call("case", (is_open, product, Value(0.0)))),
        ("b", Call("case", (is_open, Value(0.0), product))),
    ]
    if isinstance(atom_column, Value):
        columns = [*keys, ("atom", Value(None)), ("coefficient", Value(0.0)), ("b", product)]
    return body.select(columns)


def _sum_select(parts: _Rule, term: LinearTerm, summed: set[str]) -> Select:
    """All atoms of a summation term that pass its filters: grounding keys, summed constants, open atom, value."""
    body = _start_line(parts)
    values: list[Expression] = []
    atom_column: Expression = Value(None)
    for atom in term.atoms:
        alias = body.join(_free_form(atom), parts.relation(atom), letter="o")
        if parts.vocabulary.roles[atom.predicate].open:
            atom_column = Column(alias, "atom")
            values.append(Call("coalesce", (Column(alias, "value"), Value(1.0))))
        else:
            values.append(Column(alias, "value"))
    _restrict(body, parts, summed)
    keys = [(f"g{i}", Column("g", f"g{i}")) for i in range(len(parts.free) + (not parts.vocabulary.one_world))]
    product = values[0] if len(values) == 1 else Operation("*", tuple(values))
    names = [(f"x{i}", body.constant_of(Variable(name), body.types[name])) for i, name in enumerate(sorted(summed))]
    return body.select([*keys, *names, ("atom", atom_column), ("value", product)])


def _restrict(body: Body, parts: _Rule, summed: set[str]) -> None:
    """Filters and comparisons that speak of these summation variables."""
    for condition in parts.rule.filters:
        if condition.variable in summed:
            body.where.append(_condition(body, parts, condition))
    for comparison in parts.rule.comparisons:
        if _mentions(comparison, tuple(summed)):
            plain = replace(comparison, left=_as_variable(comparison.left), right=_as_variable(comparison.right))
            body.where.append(Operation("IS", (body.test(plain), Value(True))))


def _as_variable(term: Term) -> Term:
    return Variable(term.name) if isinstance(term, SumVariable) else term


def _condition(body: Body, parts: _Rule, condition: Filter) -> Expression:
    return _formula(body, parts, condition.condition)


def _formula(body: Body, parts: _Rule, formula: Formula) -> Expression:
    """A filter's condition on bound terms; a closed atom holds where its truth value is above 0."""
    match formula:
        case And(items):
            return Operation("AND", tuple(_formula(body, parts, item) for item in items))
        case Or(items):
            return Operation("OR", tuple(_formula(body, parts, item) for item in items))
        case Not(inner):
            return negate(_formula(body, parts, inner))
        case Comparison():
            plain = replace(formula, left=_as_variable(formula.left), right=_as_variable(formula.right))
            return body.test(plain)
        case Atom():
            types = parts.vocabulary.arguments(formula.predicate)
            ids = tuple(
                body.constant_of(_as_variable(term), type_name) for term, type_name in zip(formula.arguments, types)
            )
            shown = tuple(Column("f", f"a{i}") for i in range(len(ids)))
            keys: tuple[Expression, ...] = ids
            if not parts.vocabulary.one_world:
                assert body.world is not None
                keys, shown = (*keys, body.world), (*shown, Column("f", "world"))
            return Membership(keys, shown, parts.vocabulary.observed(formula.predicate)).expression()
    raise AssertionError(f"no filter condition: {formula}")


@dataclass(frozen=True)
class Membership:
    """`(keys) IN (SELECT columns FROM relation)`."""

    keys: tuple[Expression, ...]
    columns: tuple[Column, ...]
    relation: str

    def expression(self) -> Expression:
        from workbench.grounding.select import Raw

        row = self.keys[0] if len(self.keys) == 1 else Call("row", self.keys)
        value: Expression = self.columns[0] if len(self.columns) == 1 else Call("row", self.columns)
        if not self.keys:
            return Operation(
                ">", (Raw(Select((("n", Call("count", (Star(),))),), (Source(self.relation, "f"),))), Value(0))
            )
        return Operation("IN", (row, Raw(Select((("k", value),), (Source(self.relation, "f"),)))))


def _factor(parts: _Rule, factor: Factor) -> Expression:
    match factor:
        case Cardinality(variable):
            return Call("cast DOUBLE", (_cardinality(parts, variable),))
        case Calculation("min", left, right):
            return Call("least", (_factor(parts, left), _factor(parts, right)))
        case Calculation("max", left, right):
            return Call("greatest", (_factor(parts, left), _factor(parts, right)))
        case Calculation("/", left, right):
            return Operation("/", (_factor(parts, left), Call("nullif", (_factor(parts, right), Value(0.0)))))
        case Calculation(operator, left, right):
            return Operation(operator, (_factor(parts, left), _factor(parts, right)))
    assert isinstance(factor, int | float)
    return Value(float(factor))


def _cardinality(parts: _Rule, variable: str) -> Expression:
    """How many distinct constants a grounding puts in a summation variable's place, over all terms that have it."""
    from workbench.grounding.select import Raw

    selects = []
    for term in parts.rule.terms:
        names = {t.name for atom in term.atoms for t in atom.arguments if isinstance(t, SumVariable)}
        if variable in names:
            inner = _sum_select(parts, term, names)
            place = sorted(names).index(variable)
            keys = [(name, value) for name, value in inner.columns if name.startswith("g")]
            selects.append(replace(inner, columns=(*keys, ("x", dict(inner.columns)[f"x{place}"]))))
    everything = selects[0] if len(selects) == 1 else Union(tuple(selects))
    n_keys = len(parts.free) + (not parts.vocabulary.one_world)
    where = tuple(equal(Column("c", f"g{i}"), Column("g", f"g{i}")) for i in range(n_keys))
    return Raw(
        Select((("n", Call("count", (Call("distinct", (Column("c", "x"),)),))),), (Source(everything, "c"),), where)
    )
