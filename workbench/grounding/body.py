"""FROM and WHERE of a rule: joins that bind its variables, and the tests that evidence and constants decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.errors import InputError
from workbench.grounding.select import (
    OPERATORS,
    Call,
    Column,
    Expression,
    Function,
    Operation,
    Registered,
    Select,
    Source,
    Value,
    all_of,
    equal,
    negate,
)
from workbench.grounding.unification import Equality
from workbench.grounding.value_terms import TEXT_FUNCTIONS, Typed, constant_value, unfitted, value_function
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.bins import BIN
from workbench.language.builtin import DATE_OF, FITTED, STRING_FUNCTIONS, VALUE_FUNCTIONS
from workbench.language.clauses import FunctionValue
from workbench.language.program import Apply, Atom, Comparison, Constant, Term, Variable
from workbench.language.user_functions import user_function
from workbench.language.values import ValueKind

__all__ = ["Binding", "Body"]

TEXTS_OF_TEXTS: dict[str, Function] = {"concat": "concat", "lower": "lower", "upper": "upper"}
BARE_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Binding:
    """What a variable is in SQL: its constant's id and position, for computed values a number or a text, or a value."""

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


@dataclass
class Body:
    """A FROM clause under construction for one rule.

    Sources are added in the order given; each binds the variables that nothing before it bound. `worlds` are those that
    the rule is grounded in, None for all of the vocabulary's.
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
            here = Column(source.alias, "world")
            if self.world is None:
                self.world = here
            else:
                on.append(equal(here, self.world))
        if not self.sources and source.kind == "inner":
            self.where.extend(on)
            on = []
        self.sources.append(Source(source.relation, source.alias, tuple(on), source.kind))

    def join(self, atom: Atom, relation: str | Select, *, kind: str = "inner", letter: str = "e") -> str:
        """Join a relation `(world, a0, p0, ...)` on the atom's arguments, binding new variables where inner."""
        alias = self.alias(letter)
        on: list[Expression] = []
        fresh: dict[str, Binding] = {}
        declared = self.vocabulary.program.predicates[atom.predicate]
        for number, (term, type_name, value) in enumerate(zip(atom.arguments, declared.argument_types, declared.kinds)):
            here = Column(alias, f"a{number}")
            if isinstance(term, Variable) and term.name not in self.bound:
                if term.name in fresh:
                    same = fresh[term.name]
                    on.append(equal(here, same.value.expression if same.value is not None else _known(same.constant)))
                    continue
                if kind != "inner":
                    raise AssertionError(f"{term.name} is unbound in a {kind} join")
                fresh[term.name] = (
                    Binding(type_name, here, Column(alias, f"p{number}"))
                    if value is None
                    else Binding.of_value(Typed(value, here))
                )
            else:
                on.append(equal(here, self.argument(term, type_name, value)))
        self.attach(Source(relation, alias, tuple(on), kind))  # type: ignore[arg-type]
        self.bound.update(fresh)
        for number, term in enumerate(atom.arguments):
            if isinstance(term, Variable) and term.name in fresh and declared.kinds[number] is ValueKind.TEXT:
                self.text_sources[term.name] = (atom.predicate, number)
        return alias

    def in_turn(self, atoms: Iterable[Atom]) -> Iterator[Atom]:
        """Atoms to be joined, each after one that it shares a variable with where there is such an order.

        Comparisons of values that two relations bind would else become the condition of a nested loop over both.
        """
        left = list(atoms)
        while left:
            chosen = next((atom for atom in left if _variables(atom) & self.bound.keys()), left[0])
            left.remove(chosen)
            yield chosen

    def argument(self, term: Term, type_name: str, value: ValueKind | None) -> Expression:
        """What a relation's column equals where an atom has this bound term: a constant's id, or a value."""
        return self.constant_of(term, type_name) if value is None else self.value_of(term, value)

    def column_of(self, name: str) -> Expression:
        """A bound variable as a column that tells its constants, or its values, apart."""
        value = self.bound[name].value
        return self.constant_of(Variable(name), self.types[name]) if value is None else value.expression

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

    def bind_domain(self, name: str) -> None:
        """Bind a variable to its type's domain."""
        type_name = self.types[name]
        alias = self.cross(self.vocabulary.domain(type_name), "d")
        self.bound[name] = Binding(type_name, Column(alias, "a"), Column(alias, "p"))

    def adopt(self, equalities: Sequence[Equality]) -> None:
        """Let variables that must equal a bound term or a constant be that term."""
        pending = [*equalities, *((right, left) for left, right in equalities)]
        changed = True
        while changed:
            changed = False
            for left, right in pending:
                if not isinstance(left, Variable) or left.name in self.bound or left.name not in self.types:
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
        """Bind a function's value; where a joined atom has bound its variable already, the two must be equal."""
        for term in computed.arguments:
            if isinstance(term, Variable) and term.name not in self.bound:
                self.bind_domain(term.name)
        vocabulary = self.vocabulary
        declared = vocabulary.program.functions.get(computed.function)
        if declared is not None:
            alias = self.alias("f")
            on = tuple(
                equal(Column(alias, f"a{number}"), self.constant_of(term, type_name))
                for number, (term, type_name) in enumerate(zip(computed.arguments, declared.argument_types))
            )
            last = len(declared.argument_types)
            value = Binding(declared.return_type, Column(alias, f"a{last}"), Column(alias, f"p{last}"))
            self.attach(Source(vocabulary.function(computed.function), alias, (*on, *self._agrees(computed, value))))
            self.bound[computed.variable] = value
            return
        value_of = self._value_computed(computed.function, computed.arguments)
        if value_of is not None:
            self.bound[computed.variable] = Binding.of_value(value_of)
            self.where.append(Operation("IS NOT", (value_of.expression, Value(None))))
            return
        number, text = self._computed(computed)
        if computed.type_name is None:
            self.bound[computed.variable] = Binding(None, number=number, text=text)
            if number is not None:
                self.where.append(Operation("IS NOT", (number, Value(None))))
            return
        alias = self.alias("v")
        given = (
            equal(Column(alias, "number"), number) if number is not None else equal(Column(alias, "name"), _known(text))
        )
        value = Binding(
            computed.type_name,
            Column(alias, "a"),
            Column(alias, "p"),
            Column(alias, "number"),
            Column(alias, "name"),
        )
        self.attach(Source(vocabulary.named_domain(computed.type_name), alias, (given, *self._agrees(computed, value))))
        self.bound[computed.variable] = value

    def _value_computed(self, function: str, arguments: Sequence[Term]) -> Typed | None:
        """A function of numbers, dates and texts; None where it is Alchemy's, of constants."""
        user = user_function(function)
        if not _takes(function, len(arguments)):
            wanted = VALUE_FUNCTIONS[function]
            raise InputError.of("E0105", f"{function} takes {wanted} arguments and is given {len(arguments)}")
        if user is not None:
            columns = tuple(self.value_of(term, kind) for term, kind in zip(arguments, user.arguments))
            return Typed(ValueKind.NUMBER, Registered(self.vocabulary.user_function(user), columns))
        if function == "tfidf":
            return Typed(ValueKind.NUMBER, Registered(self._likeness(arguments), tuple(map(self.text_of, arguments))))
        if function in TEXT_FUNCTIONS or function == DATE_OF:
            return value_function(function, [Typed(ValueKind.TEXT, self.text_of(term)) for term in arguments])
        kinds = [self.kind_of(term) for term in arguments]
        if function not in VALUE_FUNCTIONS and (not any(kinds) or function in STRING_FUNCTIONS):
            return None
        first = next((kind for kind in kinds if kind is not None), None)
        # A constant beside a date is a number of days, but in `days` and `min` and `max` a date too.
        as_first = function in ("min", "max", "days", "year", "month") and first is not None
        default = first if as_first and first is not None else ValueKind.NUMBER
        return value_function(
            function,
            [Typed(kind or default, self.value_of(term, kind or default)) for kind, term in zip(kinds, arguments)],
        )

    def _likeness(self, arguments: Sequence[Term]) -> str:
        """The TF-IDF cosine among all texts that stand where the compared ones come from."""
        names = [term.name for term in arguments if isinstance(term, Variable)]
        sources = [self.text_sources[name] for name in names if name in self.text_sources]
        if not sources:
            raise InputError.of(
                "E0332",
                "tfidf weighs words by how many texts of the facts have them, and neither text is one of a fact",
                help="compare texts that atoms bind, as in `Named(x, s) ^ Named(y, t) ^ tfidf(s, t) >= 0.5`",
            )
        return self.vocabulary.likeness(sources)

    def term(self, term: Term) -> Typed:
        """A term of bound variables as a value, functions inside functions included."""
        if isinstance(term, Apply):
            name = f"{self.prefix}inner{self.serial}"
            flat: list[Term] = []
            for argument in term.arguments:
                if isinstance(argument, Apply):
                    self.serial += 1
                    self.bound[f"{name}_{self.serial}"] = Binding.of_value(self.term(argument))
                    flat.append(Variable(f"{name}_{self.serial}"))
                else:
                    flat.append(argument)
            value = self._value_computed(term.function, flat)
            if value is not None:
                return value
            number, text = self._computed(FunctionValue("", term.function, tuple(flat)))  # type: ignore[arg-type]
            return Typed(ValueKind.NUMBER, number) if number is not None else Typed(ValueKind.TEXT, _known(text))
        kind = self.kind_of(term) or (
            ValueKind.NUMBER if isinstance(term, Constant) and BARE_NUMBER.fullmatch(term.name) else ValueKind.TEXT
        )
        return Typed(kind, self.value_of(term, kind))

    def _agrees(self, computed: FunctionValue, value: Binding) -> tuple[Expression, ...]:
        """The condition that a value is what an atom joined before bound its variable to."""
        before = self.bound.get(computed.variable)
        return () if before is None else (equal(_known(value.constant), _known(before.constant)),)

    def _computed(self, computed: FunctionValue) -> tuple[Expression | None, Expression | None]:
        """Value of a built-in function as a number or a text (Alchemy's arithmetic is on integers)."""
        name, arguments = computed.function, computed.arguments
        if name == "succ":
            return Operation("+", (self.number_of(arguments[0]), Value(1))), None
        if name in ("+", "-", "*"):
            return Operation(OPERATORS[name], tuple(map(self.number_of, arguments))), None
        if name in ("/", "%"):
            left, right = map(self.number_of, arguments)
            result = Operation(OPERATORS[name], (left, Call("nullif", (right, Value(0)))))
            return (_of_integers(result, (left, right)) if name == "/" else result), None
        if name == "length":
            return Call("length", (self.text_of(arguments[0]),)), None
        if name in TEXTS_OF_TEXTS:
            return None, Call(TEXTS_OF_TEXTS[name], tuple(map(self.text_of, arguments)))
        raise InputError.of("E0304", f"the function {name} is not known")

    def constant_of(self, term: Term, type_name: str) -> Expression:
        """The id of a bound term."""
        if isinstance(term, Constant):
            return self.vocabulary.constant(type_name, term.name)
        assert isinstance(term, Variable)
        return _known(self.bound[term.name].constant)

    def position_of(self, term: Term, type_name: str) -> Expression:
        """The position of a bound term in its world's domain."""
        if isinstance(term, Constant):
            return self._constant_position(type_name, term)
        assert isinstance(term, Variable)
        return _known(self.bound[term.name].position)

    def _constant_position(self, type_name: str, constant: Constant) -> Expression:
        return self.vocabulary.constant_position(type_name, constant.name, self.geometry, self.worlds)

    @property
    def geometry(self) -> str:
        """Alias of the geometry relation, joined when first needed; empty with a single world."""
        if self.vocabulary.one_world:
            return ""
        if self.geometry_alias is None:
            self.geometry_alias = self.cross(self.vocabulary.geometry(), "g")
        return self.geometry_alias

    def place(self, atom: Atom) -> Expression:
        """Place in its grid of an atom whose variables are bound: the id of a cross-product atom."""
        types = self.vocabulary.arguments(atom.predicate)
        positions = [self.position_of(term, type_name) for term, type_name in zip(atom.arguments, types)]
        return self.vocabulary.place(atom.predicate, positions, self.geometry)

    def known_place(self, atom: Atom) -> Expression:
        """`place`, but -1 where the atom has a constant that its world lacks."""
        place = self.place(atom)
        types = self.vocabulary.arguments(atom.predicate)
        positions = [self.position_of(term, type_name) for term, type_name in zip(atom.arguments, types)]
        if any(isinstance(one, Value) or (isinstance(one, Column) and one.table == self.geometry) for one in positions):
            return Call("coalesce", (place, Value(-1)))
        return place

    def binds(self, atom: Atom) -> bool:
        """Whether all variables of an atom are bound."""
        return all(not isinstance(term, Variable) or term.name in self.bound for term in atom.arguments)

    def number_of(self, term: Term) -> Expression:
        """The number that a term's name is; NULL where it is none."""
        if isinstance(term, Constant):
            try:
                return Value(float(term.name) if not term.name.lstrip("-").isdigit() else int(term.name))
            except ValueError:
                return Value(None)
        assert isinstance(term, Variable)
        binding = self.bound[term.name]
        if binding.number is not None or binding.text is not None:
            return binding.number or Call("try_cast DOUBLE", (_known(binding.text),))
        return Column(self._name_alias(term.name), "number")

    def text_of(self, term: Term) -> Expression:
        """The name of a term."""
        if isinstance(term, Constant):
            return Value(term.name)
        assert isinstance(term, Variable)
        binding = self.bound[term.name]
        if binding.text is not None:
            return binding.text
        if binding.number is not None:
            return Call("cast VARCHAR", (Call("cast BIGINT", (binding.number,)),))
        return Column(self._name_alias(term.name), "name")

    def _name_alias(self, name: str) -> str:
        """Join the names of a variable's constants, once."""
        binding = self.bound[name]
        assert binding.type_name is not None
        key = (name, "name")
        if key not in self._named:
            alias = self.alias("n")
            on = (equal(Column(alias, "a"), _known(binding.constant)),)
            self.attach(Source(self.vocabulary.named_domain(binding.type_name), alias, on))
            self._named[key] = alias
        return self._named[key]

    def equality(self, pair: Equality) -> Expression:
        """`left = right` between terms of one type."""
        left, right = pair
        type_name = self._type_of(left) or self._type_of(right)
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Value(left.name == right.name)
        if type_name is None or None in (self._constant_side(left), self._constant_side(right)):
            return self.same_value(left, right)
        return equal(self.constant_of(left, type_name), self.constant_of(right, type_name))

    def _constant_side(self, term: Term) -> bool | None:
        if isinstance(term, Variable) and self.bound[term.name].constant is None:
            return None
        return True

    def _type_of(self, term: Term) -> str | None:
        return self.bound[term.name].type_name if isinstance(term, Variable) else None

    def same_value(self, left: Term, right: Term) -> Expression:
        """Equality by number where both are numbers, else by name."""
        numbers = equal(self.number_of(left), self.number_of(right))
        return Call("coalesce", (numbers, equal(self.text_of(left), self.text_of(right))))

    def test(self, comparison: Comparison) -> Expression:
        """A comparison of bound terms as an SQL condition."""
        operator, left, right = comparison.operator, comparison.left, comparison.right
        kind = self.kind_of(left) or self.kind_of(right)
        if kind is not None and operator in ("=", "!=", "<", "<=", ">", ">="):
            return Operation(OPERATORS[operator], (self.value_of(left, kind), self.value_of(right, kind)))
        if operator == BIN:
            raise unfitted("+bin")
        if operator.startswith("!") and operator != "!=":
            positive = Comparison(operator[1:], left, right, comparison.span)
            return negate(self.test(positive))
        if operator in ("=", "!="):
            types = {self._type_of(left), self._type_of(right)} - {None}
            condition = self.same_value(left, right) if len(types) > 1 else self.equality((left, right))
            return condition if operator == "=" else negate(condition)
        if operator in ("<", "<=", ">", ">="):
            order = OPERATORS[operator]
            numbers = Operation(order, (self.number_of(left), self.number_of(right)))
            return Call("coalesce", (numbers, Operation(order, (self.text_of(left), self.text_of(right)))))
        texts = (self.text_of(left), self.text_of(right))
        match operator:
            case "substr":
                return Call("contains", (texts[1], texts[0]))
            case "contains":
                return Call("contains", texts)
            case "startsWith":
                return Call("starts_with", texts)
            case "endsWith":
                return Call("ends_with", texts)
            case "%":
                # Of strings, whatever they look like: "10" comes before "9", as in PSL.
                return Operation("<", texts)
        raise InputError.of("E0304", f"the comparison {operator} is not known", span=comparison.span)

    def require(self, equalities: Iterable[Equality]) -> None:
        self.where.extend(self.equality(pair) for pair in equalities)

    def exclude(self, conjunctions: Iterable[Sequence[Equality]]) -> None:
        for conjunction in conjunctions:
            self.where.append(negate(all_of(tuple(self.equality(pair) for pair in conjunction))))

    def select(self, columns: Iterable[tuple[str, Expression]], **changes: object) -> Select:
        """The finished query; a rule without variables has one grounding a world."""
        shown = tuple(columns)
        if not self.vocabulary.one_world and (not self.sources or (self.worlds is not None and self.world is None)):
            _ = self.geometry
        if self.worlds is not None:
            self.where.append(self._in_its_worlds(self.worlds))
        inner = [source for source in self.sources if source.kind == "inner"]
        others = [source for source in self.sources if source.kind != "inner"]
        if others and not inner:
            inner = [Source(Select((("one", Value(1)),)), "nothing")]
        return Select(shown, (*inner, *others), tuple(self.where), **changes)  # type: ignore[arg-type]

    def _in_its_worlds(self, worlds: tuple[int, ...]) -> Expression:
        if self.vocabulary.one_world:
            return Value(self.vocabulary.worlds[0] in worlds)
        assert self.world is not None
        return Call("list_contains", (Call("list_value", tuple(map(Value, worlds))), self.world))


def _takes(function: str, given: int) -> bool:
    """Whether a function of values takes so many arguments; one that is fitted to data has two numbers more."""
    wanted = VALUE_FUNCTIONS.get(function, given)
    return given == wanted or (function in FITTED and given == 3)


def _of_integers(quotient: Expression, operands: tuple[Expression, ...]) -> Expression:
    """Alchemy's division: of integers it is an integer, cut off towards 0; DuckDB's is of real numbers."""
    whole = all_of(tuple(equal(one, Call("trunc", (one,))) for one in operands))
    return Call("case", (whole, Call("trunc", (quotient,)), quotient))


def _variables(atom: Atom) -> set[str]:
    return {term.name for term in atom.arguments if isinstance(term, Variable)}


def _known(expression: Expression | None) -> Expression:
    assert expression is not None
    return expression
