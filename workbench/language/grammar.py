"""A grammar of this room, of which all threads share one, and the builder of its statements; and
what both builders share: definitions, scopes, aggregates and quoted constants.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import cache_from_source
from pathlib import Path
from threading import local
from typing import Any, Generic, Literal, TypeVar

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedToken

from workbench.errors import Span, did_you_mean
from workbench.language.builtin import AGGREGATES
from workbench.language.definitions import Collected
from workbench.language.program import Aggregate, Condition, Definition, Scope
from workbench.language.refusal import Refused, unquoted
from workbench.language.source import SourceText
from workbench.language.syntax_errors import explain_unexpected
from workbench.language.terms import Atom, Constant, Term

Node = TypeVar("Node")


@v_args(inline=True)
class StatementBuilder(Transformer[Token, object], local, Generic[Node]):
    """Builds one statement; `source` is set by the reader before each, and is each thread's own."""

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


Builder = TypeVar("Builder", bound=StatementBuilder[Any])


class Grammar(Generic[Builder]):
    """A language's grammar: threads read at once, for what a statement is made of is their own."""

    def __init__(
        self,
        language: Literal["mln", "psl"],
        builder: type[Builder],
        starts: Sequence[str],
        kept: Sequence[str],
    ) -> None:
        self.language = language
        self.builder = builder()
        self._starts, self._kept = starts, kept

    @cached_property
    def parser(self) -> Lark:
        """The LALR(1) parser, calling the builder at each reduction."""
        folder = Path(__file__).parent / self.language
        grammar = (folder / f"{self.language}.lark").read_text(encoding="utf-8")
        return Lark(
            # Tables are found again by the grammar's text, which does not say what is kept.
            f"{grammar}\n// {' '.join(self._kept)}\n",
            parser="lalr",
            cache=_tables_of(self.language),
            lexer="basic",
            start=[*self._starts],
            transformer=self.builder,
            maybe_placeholders=True,
            postlex=_KeptTerminals(self._kept),
        )

    def parse(self, tokens: Sequence[Token], source: SourceText, start: str) -> object:
        """What the builder makes of a statement's tokens.

        Raises Refused where they are no statement of the kind `start`.
        """
        interactive = self.parser.parse_interactive(start=start)
        fed = 0
        try:
            for token in tokens:
                interactive.feed_token(token)
                fed += 1
            return interactive.feed_eof(tokens[-1])  # type: ignore[no-untyped-call]
        except UnexpectedToken as error:
            expected = error.accepts or error.expected
            raise explain_unexpected(tokens, fed, expected, source, self.language) from None


def _tables_of(language: str) -> str | bool:
    """The file that a parser's tables are kept in, beside this module's byte code: making
    them takes longer than many programs; False where nothing is to be written there.
    """
    if sys.dont_write_bytecode or sys.implementation.cache_tag is None:
        return False
    return str(Path(cache_from_source(__file__)).with_name(f"{language}.lark.tables"))


class _KeptTerminals:
    """Keeps the terminals that no grammar rule uses: cutting into statements uses them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.always_accept = names

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream
