"""What functions and comparisons of terms are in SQL once their variables are bound."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.errors import InputError
from workbench.grounding.from_clause import Binding, BoundVariables, known
from workbench.grounding.select import (
    OPERATORS,
    Call,
    Expression,
    Function,
    Operation,
    Registered,
    Value,
    all_of,
    call,
    equal,
    negate,
)
from workbench.grounding.unification import Equality
from workbench.grounding.value_terms import (
    TEXT_FUNCTIONS,
    Typed,
    unfitted,
    value_function,
    words_of,
)
from workbench.language.bins import BIN
from workbench.language.builtin import (
    DATE_FUNCTIONS,
    DATE_OF,
    FITTED,
    STRING_FUNCTIONS,
    VALUE_FUNCTIONS,
)
from workbench.language.clauses import FunctionValue
from workbench.language.terms import Apply, Comparison, Constant, Term, Variable
from workbench.language.user_functions import user_function
from workbench.language.values import ValueKind, date_as_written

TEXTS_OF_TEXTS: dict[str, Function] = {"concat": "concat", "lower": "lower", "upper": "upper"}
BARE_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass
class BoundTerms(BoundVariables):
    """A FROM clause that tells the terms of its bound variables."""

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
            return (
                Typed(ValueKind.NUMBER, number)
                if number is not None
                else Typed(ValueKind.TEXT, known(text))
            )
        kind = self.kind_of(term) or (
            ValueKind.NUMBER
            if isinstance(term, Constant) and BARE_NUMBER.fullmatch(term.name)
            else ValueKind.TEXT
        )
        return Typed(kind, self.value_of(term, kind))

    def _value_computed(self, function: str, arguments: Sequence[Term]) -> Typed | None:
        """A function of numbers, dates and texts; None where it is Alchemy's, of constants."""
        user = user_function(function)
        if not _takes(function, len(arguments)):
            wanted = VALUE_FUNCTIONS[function]
            raise InputError.of(
                "E0105", f"{function} takes {wanted} arguments and is given {len(arguments)}"
            )
        if user is not None:
            columns = tuple(
                self.value_of(term, kind) for term, kind in zip(arguments, user.arguments)
            )
            return Typed(ValueKind.NUMBER, Registered(self.vocabulary.user_function(user), columns))
        if function == "tfidf":
            return Typed(
                ValueKind.NUMBER,
                Registered(self._likeness(arguments), tuple(map(self.text_of, arguments))),
            )
        if function in TEXT_FUNCTIONS or function == DATE_OF:
            return value_function(
                function, [Typed(ValueKind.TEXT, self.text_of(term)) for term in arguments]
            )
        kinds = [self.kind_of(term) or date_as_written(function, term) for term in arguments]
        if function not in VALUE_FUNCTIONS and (not any(kinds) or function in STRING_FUNCTIONS):
            return None
        first = next((kind for kind in kinds if kind is not None), None)
        # A constant beside a date is a number of days where it is not written as a date.
        as_first = function in ("min", "max", *DATE_FUNCTIONS)
        default = first if as_first and first is not None else ValueKind.NUMBER
        return value_function(
            function,
            [
                Typed(kind or default, self.value_of(term, kind or default))
                for kind, term in zip(kinds, arguments)
            ],
        )

    def _likeness(self, arguments: Sequence[Term]) -> str:
        """The TF-IDF cosine among all texts that stand where the compared ones come from."""
        names = [term.name for term in arguments if isinstance(term, Variable)]
        sources = [self.text_sources[name] for name in names if name in self.text_sources]
        if not sources:
            raise InputError.of(
                "E0332",
                "tfidf weighs words by how many texts of the facts have them, and neither text is "
                "one of a fact",
                help="compare texts that atoms bind, as in `Named(x, s) ^ Named(y, t) ^ tfidf(s, "
                "t) >= 0.5`",
            )
        return self.vocabulary.likeness(sources)

    def _computed(self, computed: FunctionValue) -> tuple[Expression | None, Expression | None]:
        """Value of a built-in function as number or text (Alchemy's arithmetic is on integers)."""
        name, arguments = computed.function, computed.arguments
        if name == "succ":
            return self.number_of(arguments[0]) + 1, None
        if name in ("+", "-", "*"):
            return Operation(OPERATORS[name], tuple(map(self.number_of, arguments))), None
        if name in ("/", "%"):
            left, right = map(self.number_of, arguments)
            result = Operation(OPERATORS[name], (left, call("nullif", right, 0)))
            return (_of_integers(result, (left, right)) if name == "/" else result), None
        if name == "length":
            return call("length", self.text_of(arguments[0])), None
        if name in TEXTS_OF_TEXTS:
            return None, Call(TEXTS_OF_TEXTS[name], tuple(map(self.text_of, arguments)))
        raise InputError.of("E0304", f"the function {name} is not known")

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
        return call("coalesce", numbers, equal(self.text_of(left), self.text_of(right)))

    def test(self, comparison: Comparison) -> Expression:
        """A comparison of bound terms as an SQL condition."""
        operator, left, right = comparison.operator, comparison.left, comparison.right
        kind = self.kind_of(left) or self.kind_of(right)
        if kind is not None and operator in ("=", "!=", "<", "<=", ">", ">="):
            return Operation(
                OPERATORS[operator], (self.value_of(left, kind), self.value_of(right, kind))
            )
        if operator == BIN:
            raise unfitted("+bin")
        if operator.startswith("!") and operator != "!=":
            positive = Comparison(operator[1:], left, right, comparison.span)
            return negate(self.test(positive))
        if operator in ("=", "!="):
            types = {self._type_of(left), self._type_of(right)} - {None}
            condition = (
                self.same_value(left, right) if len(types) > 1 else self.equality((left, right))
            )
            return condition if operator == "=" else negate(condition)
        if operator in ("<", "<=", ">", ">="):
            order = OPERATORS[operator]
            numbers = Operation(order, (self.number_of(left), self.number_of(right)))
            return call(
                "coalesce", numbers, Operation(order, (self.text_of(left), self.text_of(right)))
            )
        tested = _of_texts(operator, self.text_of(left), self.text_of(right))
        if tested is None:
            raise InputError.of(
                "E0304", f"the comparison {operator} is not known", span=comparison.span
            )
        return tested


def _of_texts(operator: str, left: Expression, right: Expression) -> Expression | None:
    match operator:
        case "substr":
            return call("contains", right, left)
        case "contains":
            return call("contains", left, right)
        case "hasWord":
            return call("list_contains", words_of(left), call("lower", right))
        case "oneOf":
            between = (call("concat", "|", one, "|") for one in (right, left))
            return all_of((call("contains", *between), negate(call("contains", left, "|"))))
        case "startsWith":
            return call("starts_with", left, right)
        case "endsWith":
            return call("ends_with", left, right)
        case "%":
            # Of strings, whatever they look like: "10" comes before "9", as in PSL.
            return Operation("<", (left, right))
    return None


def _takes(function: str, given: int) -> bool:
    """Whether a function of values takes so many arguments; a fitted one has two numbers more."""
    wanted = VALUE_FUNCTIONS.get(function, given)
    return given == wanted or (function in FITTED and given == 3)


def _of_integers(quotient: Expression, operands: tuple[Expression, ...]) -> Expression:
    """Alchemy's division: of integers an integer, cut off towards 0; DuckDB's is of reals."""
    whole = all_of(tuple(equal(one, call("trunc", one)) for one in operands))
    return call("case", whole, call("trunc", quotient), quotient)
