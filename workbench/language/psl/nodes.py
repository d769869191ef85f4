"""What the PSL grammar reduces to before all is settled, and its reading as linear terms."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import Span
from workbench.language.definitions import Collected
from workbench.language.linear import Line, LinearProblem, combine, divide, extremum, multiply
from workbench.language.program import Cardinality, LinearTerm
from workbench.language.refusal import Refused
from workbench.language.terms import Atom, Constant, Variable


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
