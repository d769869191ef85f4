"""What the reductions of the PSL grammar build below a rule: nodes, whose reading comes later."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lark import Token, v_args

from workbench.errors import Span
from workbench.language.bins import BIN, bin_of
from workbench.language.builtin import VALUE_FUNCTIONS
from workbench.language.definitions import Collected
from workbench.language.grammar import StatementBuilder
from workbench.language.linear import Line, LinearProblem, combine, divide, extremum, multiply
from workbench.language.program import Cardinality, LinearTerm
from workbench.language.refusal import Refused
from workbench.language.terms import Apply, Atom, Constant, SumVariable, Term, Variable


@dataclass(frozen=True)
class Joined:
    """`&`, `|` or an implication (`->`: items are body and head) over nodes."""

    sign: str
    items: tuple[Node, ...]


@dataclass(frozen=True)
class OperatorNode:
    """`+ - * /`, juxtaposition (`*`), a relation, `!` or unary `-` over nodes."""

    sign: str
    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True)
class Extremum:
    """`@Min[a, b]` or `@Max[a, b]`."""

    kind: str
    items: tuple[Node, Node]
    span: Span


Node = Collected | Atom | Variable | Constant | Cardinality | Joined | OperatorNode | Extremum


def line_of(node: Node) -> Line:
    """A node as a sum of linear terms; refused (E0121) where it is none."""
    try:
        match node:
            case Atom():
                return (LinearTerm(1.0, (node,)),)
            case Cardinality():
                return (LinearTerm(1.0, (), node),)
            case OperatorNode("number", (Constant(text),)):
                return (LinearTerm(float(text)),)
            case OperatorNode("minus", (body,)):
                return combine((), line_of(body), -1.0)
            case OperatorNode("+" | "-" as sign, (left, right)):
                return combine(line_of(left), line_of(right), 1.0 if sign == "+" else -1.0)
            case OperatorNode("*", (left, right)):
                return multiply(line_of(left), line_of(right))
            case OperatorNode("/", (left, right)):
                return divide(line_of(left), line_of(right))
            case Extremum(kind, (left, right)):
                return extremum(kind, line_of(left), line_of(right))
    except LinearProblem as problem:
        raise Refused("E0121", str(problem), span_of(node)) from None
    if isinstance(node, Variable):
        raise Refused(
            "E0121", f"`{node.name}` is a variable, and an atom or a number is expected", node.span
        )
    raise Refused(
        "E0121",
        "logic stands inside an arithmetic rule",
        span_of(node),
        "use atoms, + - * / and numbers",
    )


def span_of(node: Node) -> Span | None:
    """Where a node stands in the text."""
    if isinstance(node, Joined):
        return next((span for span in map(span_of, node.items) if span is not None), None)
    return getattr(node, "span", None)


ARITHMETIC = ("+", "-", "*", "/")


@v_args(inline=True)
class PslNodeBuilder(StatementBuilder[Node]):
    """Builds the nodes of one rule."""

    def implies(self, body: Node, _: Token, head: Node) -> Joined:
        return Joined("->", (body, head))

    def implied(self, head: Node, _: Token, body: Node) -> Joined:
        return Joined("->", (body, head))

    def disjoin(self, *items: Node) -> Joined:
        return Joined("|", items[::2])

    def conjoin(self, *items: Node) -> Joined:
        return Joined("&", items[::2])

    def combine(self, left: Node, sign: Token, right: Node) -> OperatorNode:
        return OperatorNode(str(sign), (left, right), self.source.span(sign))

    def times(self, left: Node, right: Atom) -> OperatorNode:
        assert right.span is not None
        return OperatorNode("*", (left, right), right.span)

    def negate(self, sign: Token, body: Node) -> OperatorNode:
        return OperatorNode("!", (body,), self.source.span(sign))

    def binned(self, sign: Token, body: Atom) -> OperatorNode:
        return OperatorNode("+bin", (body,), self.source.span(sign))

    def minus(self, sign: Token, body: Node) -> OperatorNode:
        return OperatorNode("minus", (body,), self.source.span(sign))

    def bare(self, name: Token) -> Variable:
        return Variable(str(name), False, self.source.span(name))

    def number(self, token: Token) -> Extremum | OperatorNode:
        return OperatorNode("number", (Constant(str(token)),), self.source.span(token))

    def cardinality(self, _: Token, name: Token, __: Token) -> Cardinality:
        return Cardinality(str(name))

    def extremum(self, kind: Token, left: Node, right: Node) -> Extremum:
        return Extremum(kind[1:].lower(), (left, right), self.source.span(kind))

    def atom(self, name: Token, *arguments: Node | SumVariable | None) -> Atom:
        terms = tuple(
            [a if isinstance(a, SumVariable) else self.term(a) for a in arguments if a is not None]
        )
        return Atom(str(name), terms, self.source.span(name))

    def sum_variable(self, sign: Token, name: Token) -> SumVariable:
        return SumVariable(str(name), self.source.span(sign, name))

    def term(self, node: Node) -> Term:
        if isinstance(node, Variable | Constant):
            return node
        if isinstance(node, OperatorNode) and node.sign == "number":
            assert isinstance(node.items[0], Constant)
            return replace(node.items[0], span=node.span)
        if isinstance(node, Atom) and node.predicate in VALUE_FUNCTIONS:
            return Apply(node.predicate, node.arguments, node.span)
        if isinstance(node, OperatorNode) and node.sign == BIN:
            (atom,) = node.items
            assert isinstance(atom, Atom)
            comparison = bin_of(atom.predicate, atom.arguments, atom.span)
            return Apply(BIN, (comparison.left, comparison.right), comparison.span)
        if isinstance(node, OperatorNode) and node.sign in ARITHMETIC and len(node.items) == 2:
            return Apply(node.sign, tuple([self.term(item) for item in node.items]), node.span)
        if isinstance(node, OperatorNode) and node.sign == "minus":
            (inner,) = node.items
            if isinstance(inner, OperatorNode) and inner.sign == "number":
                number = self.term(inner)
                assert isinstance(number, Constant)
                return Constant(f"-{number.name}", node.span)
        if isinstance(node, Atom):
            help = "join atoms by & and |; `^1` and `^2` are the only exponents"
            raise Refused(
                "E0103",
                f"{node.predicate} is an atom, and comparisons are between terms",
                node.span,
                help,
            )
        raise Refused("E0103", "a variable or a constant is expected here", span_of(node))
