"""What both grammars' builders share: definitions, scopes, aggregates and quoted constants."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from lark import Token, Transformer, v_args

from workbench.errors import Span, did_you_mean
from workbench.language.builtin import AGGREGATES
from workbench.language.definitions import Collected
from workbench.language.program import Aggregate, Condition, Definition, Scope
from workbench.language.refusal import Refused, unquoted
from workbench.language.source import SourceText
from workbench.language.terms import Atom, Constant, Term

Node = TypeVar("Node")


@v_args(inline=True)
class StatementBuilder(Transformer[Token, object], Generic[Node]):
    """Builds one statement; `source` is set by the reader before each."""

    def __init__(self) -> None:
        super().__init__()
        self.source = SourceText(None, "")

    @abstractmethod
    def head(self, node: Node) -> Atom:
        """The atom that a definition or scope is of."""

    @abstractmethod
    def conditions(self, node: Node) -> tuple[Condition, ...]:
        """A conjunction of literals, comparisons and aggregates as a list."""

    @abstractmethod
    def term(self, node: Node) -> Term:
        """The node as a term."""

    def definition(self, head: Node, _: Token, body: Node, __: Token | None) -> Definition:
        return Definition(self.head(head), self.conditions(body))

    def scope(self, head: Node, _: Token, __: Token, body: Node, ___: Token | None) -> Scope:
        return Scope(self.head(head), self.conditions(body))

    def aggregate(self, name: Token, *parts: Node) -> Collected:
        colon = next(
            i for i, part in enumerate(parts) if isinstance(part, Token) and part.type == "COLON"
        )
        span = self.source.span(name)
        of = tuple([self.term(part) for part in parts[:colon]])
        bodies = [self.conditions(part) for part in parts[colon + 1 :] if part is not None]
        _check_aggregate(name, of, bodies, span)
        return Collected(str(name), of, bodies[0], bodies[1] if len(bodies) > 1 else (), span)  # type: ignore[arg-type]

    def string(self, token: Token) -> Constant:
        return Constant(unquoted(token), self.source.span(token))


def _check_aggregate(
    name: str, of: Sequence[Term], bodies: Sequence[Sequence[Condition]], span: Span | None
) -> None:
    """Refuse an aggregate of another form than `name(terms: conditions)` (E0151)."""
    if name not in AGGREGATES:
        help = did_you_mean(name, AGGREGATES, f"there are {', '.join(AGGREGATES)}")
        raise Refused("E0151", f"there is no aggregate {name}", span, help)
    if any(isinstance(one, Aggregate) for body in bodies for one in body):
        raise Refused(
            "E0151", "an aggregate stands inside another", span, "define the inner one first"
        )
    if (len(bodies) > 1) != (name == "share"):
        what = "takes two sets of conditions" if name == "share" else "takes one set of conditions"
        raise Refused("E0151", f"{name} {what}", span, "write share(c: Directs(x, c), Closed(c))")
    if len(of) > 1 and name not in ("count", "exists", "share"):
        raise Refused("E0151", f"{name} is taken of one term", span, f"write {name}(a: ...)")
