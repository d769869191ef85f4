"""What each reduction of the PSL grammar builds.

The grammar has one ladder for logic and arithmetic. What stands where is settled at the top of a
rule: `relate` with `=`, `<=` or `>=` makes it arithmetic, anything else logical; only then are
nodes read as literals or as linear terms.
"""

from __future__ import annotations

from dataclasses import replace

from lark import Token, v_args

from workbench.errors import Span
from workbench.language.bins import BIN, bin_of, lifted_items
from workbench.language.builtin import DEGREES, FITTED, VALUE_FUNCTIONS, negated_operator
from workbench.language.definitions import Collected
from workbench.language.linear import combine, constant_line
from workbench.language.program import (
    Aggregate,
    ArithmeticRule,
    Condition,
    Filter,
    LogicalRule,
    Weight,
)
from workbench.language.psl.node_builder import (
    Joined,
    Node,
    OperatorNode,
    PslNodeBuilder,
    line_of,
    span_of,
)
from workbench.language.refusal import Refused, finite_weight
from workbench.language.terms import (
    And,
    Apply,
    Atom,
    Comparison,
    Constant,
    Formula,
    Literal,
    Not,
    Or,
    SumVariable,
    Variable,
)

ARITHMETIC_SIGNS = {"=", "<=", ">="}
COMPARISONS = {"==": "=", "!=": "!=", "~=": "!=", "%": "%", "^": "%"}


@v_args(inline=True)
class PslBuilder(PslNodeBuilder):
    """Builds one rule; `source` is set by the reader before each."""

    def rule(
        self,
        weight: Token | None,
        expression: Node,
        exponent: Token | None,
        stop: Token | None,
        *filters: Filter,
    ) -> LogicalRule | ArithmeticRule:
        given = self._weight(weight, exponent, stop)
        squared = exponent is not None and exponent[-1] == "2"
        if isinstance(expression, OperatorNode) and expression.sign in ARITHMETIC_SIGNS:
            return self._arithmetic(expression, filters, given, squared)
        if filters:
            raise Refused(
                "E0122", "a filter belongs to an arithmetic rule, and this one is logical"
            )
        body, head = map(lifted_items, self._sides(expression))
        _check_bins((*body, *head) if given.kind == "hard" else head)
        return LogicalRule(body, head, given, squared)

    def head(self, node: Node) -> Atom:
        assert isinstance(node, Atom)
        return node

    def conditions(self, node: Node) -> tuple[Condition, ...]:
        """A conjunction of literals, comparisons and aggregates as a list."""
        if isinstance(node, Joined):
            if node.sign != "&":
                raise Refused(
                    "E0150",
                    f"`{node.sign}` stands in a definition, whose body is a conjunction",
                    None,
                    CASES,
                )
            return tuple([found for item in node.items for found in self.conditions(item)])
        if isinstance(node, OperatorNode) and node.sign == "=":
            for one, other in (node.items, node.items[::-1]):
                if isinstance(other, Collected) and isinstance(one, Variable):
                    return (
                        Aggregate(
                            one.name, other.function, other.of, other.body, other.among, other.span
                        ),
                    )
            return (Comparison("=", self.term(node.items[0]), self.term(node.items[1]), node.span),)
        found = self._literal(node)
        if isinstance(found, Comparison) and found.operator.removeprefix("!") in ("~", BIN):
            message = (
                "what a definition or a scope is made of is true or false, and this is a "
                "degree or a bin"
            )
            raise Refused(
                "E0160", message, found.span, "compare the number, as in `jaro(S, T) >= 0.8`"
            )
        return (found,)

    def _weight(self, weight: Token | None, exponent: Token | None, stop: Token | None) -> Weight:
        if weight is None and stop is None:
            raise Refused(
                "E0120",
                "this rule has neither a weight nor a full stop",
                None,
                "write `1.0: ...` for a weighted rule, or end a hard one with ` .`",
            )
        if weight is not None and stop is not None:
            raise Refused(
                "E0108",
                "this rule has a weight and a full stop",
                self.source.span(stop),
                "a full stop makes it hard: drop the weight, or drop the full stop",
            )
        if weight is None:
            if exponent is not None:
                raise Refused(
                    "E0123",
                    "a hard rule has no exponent",
                    self.source.span(exponent),
                    "drop it, or give a weight",
                )
            return Weight("hard")
        return Weight("given", finite_weight(weight, self.source.span(weight)))

    def filter(self, name: Token, condition: Node) -> Filter:
        return Filter(str(name), self._condition(condition))

    def _sides(
        self, node: Node
    ) -> tuple[tuple[Literal | Comparison, ...], tuple[Literal | Comparison, ...]]:
        if isinstance(node, Joined) and node.sign == "->":
            body, head = node.items
            return self._items(body, "&", BODY), self._items(head, "|", HEAD)
        return (), self._items(node, "|", HEAD)

    def _items(
        self, node: Node, sign: str, refusal: tuple[str, str]
    ) -> tuple[Literal | Comparison, ...]:
        if isinstance(node, Joined):
            if node.sign != sign:
                raise Refused("E0124", refusal[0], span_of(node), refusal[1])
            return tuple(
                [found for item in node.items for found in self._items(item, sign, refusal)]
            )
        return (self._literal(node),)

    def _literal(self, node: Node) -> Literal | Comparison:
        match node:
            case Atom(name, arguments, span) if _is_degree(name, len(arguments)):
                return Comparison("~", Apply(name, arguments, span), Constant("1"), span)
            case OperatorNode("+bin", (Atom(name, arguments, span),)):
                return bin_of(name, arguments, span)
            case Atom(_, arguments):
                for argument in arguments:
                    if isinstance(argument, SumVariable):
                        raise Refused(
                            "E0122",
                            f"a sum over {argument.name} belongs to an arithmetic rule",
                            argument.span,
                        )
                return Literal(node)
            case OperatorNode("!", (body,), span):
                return self._negated(body, span)
            case OperatorNode(sign, (left, right), span) if sign in COMPARISONS or sign == "-":
                return Comparison(
                    COMPARISONS.get(sign, "!="), self.term(left), self.term(right), span
                )
            case OperatorNode("<" | "<=" | ">" | ">=" as sign, (left, right), span) if all(
                map(_is_value, (left, right))
            ):
                return Comparison(sign, self.term(left), self.term(right), span)
            case OperatorNode(sign, _, span) if sign in ARITHMETIC_SIGNS | {"<", ">"}:
                raise Refused(
                    "E0124",
                    f"`{sign}` relates sums of atoms",
                    span,
                    "two terms are equal where `A == B`",
                )
            case Variable(name, _, span):
                raise Refused(
                    "E0103",
                    f"`{name}` is a variable, and an atom is expected here",
                    span,
                    f"{name}(X)?",
                )
        raise Refused("E0103", "an atom is expected here", span_of(node))

    def _negated(self, body: Node, span: Span) -> Literal | Comparison:
        if isinstance(body, Joined):
            raise Refused("E0124", "`!` stands before an atom only", span, "move it to the atoms")
        inner = self._literal(body)
        if isinstance(inner, Literal):
            return Literal(inner.atom, not inner.positive)
        if inner.operator == BIN:
            raise Refused("E0160", "a bin is not negated", span, "compare the number instead")
        return replace(inner, operator=negated_operator(inner.operator))

    def _condition(self, node: Node) -> Formula:
        if isinstance(node, Joined) and node.sign in "&|":
            items = tuple([self._condition(item) for item in node.items])
            return And(items) if node.sign == "&" else Or(items)
        if isinstance(node, OperatorNode) and node.sign == "!":
            return Not(self._condition(node.items[0]))
        found = self._literal(node)
        return found.atom if isinstance(found, Literal) else found

    def _arithmetic(
        self, relation: OperatorNode, filters: tuple[Filter, ...], weight: Weight, squared: bool
    ) -> ArithmeticRule:
        left, right = (line_of(item) for item in relation.items)
        terms = combine(left, right, -1.0)
        ordered = (
            *(term for term in terms if term.atoms and term.coefficient > 0),
            *(term for term in terms if term.atoms and term.coefficient <= 0),
            *constant_line(terms),
        )
        if not any(term.atoms for term in ordered):
            raise Refused("E0121", "this arithmetic rule has no atom", relation.span)
        return ArithmeticRule(ordered, relation.sign, filters, weight, squared)  # type: ignore[arg-type]


def _is_degree(name: str, arity: int) -> bool:
    """Whether a function stands like an atom; fitted to data, some have two numbers more."""
    return name in DEGREES and (arity == VALUE_FUNCTIONS[name] or (name in FITTED and arity == 3))


def _check_bins(items: tuple[Literal | Comparison, ...]) -> None:
    """Bins stand in the body of a rule with a weight, as they are."""
    for item in items:
        if isinstance(item, Comparison) and item.operator.removeprefix("!") == BIN:
            message = "bins stand in the body of a rule that has a weight, one for each bin"
            raise Refused("E0160", message, item.span, "compare the number instead")


def _is_value(node: Node) -> bool:
    """Whether a side of a comparison is a term: no atom, no sum of atoms."""
    if isinstance(node, Atom):
        return node.predicate in VALUE_FUNCTIONS
    if isinstance(node, OperatorNode):
        return node.sign == "number" or all(map(_is_value, node.items))
    return isinstance(node, Variable | Constant)


CASES = "write one definition for each case"
BODY = ("the body of a rule is a conjunction", "write one rule for each disjunct")
HEAD = (
    "the head of a rule, or a rule without arrow, is a disjunction",
    "write one rule for each conjunct",
)
