"""A grammar of this room and the builder of its statements, one of each a thread."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import cache_from_source
from pathlib import Path
from threading import local
from typing import Any, Generic, Literal, TypeVar

from lark import Lark, Token
from lark.exceptions import UnexpectedToken

from workbench.language.building import StatementBuilder
from workbench.language.source import SourceText
from workbench.language.syntax_errors import explain_unexpected

Builder = TypeVar("Builder", bound=StatementBuilder[Any])


class Grammar(local, Generic[Builder]):
    """A language's grammar: the builder holds the statement at hand, so each thread has its own."""

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
