"""An MLN text cut into statements: one lexer pass, then ends of lines decide, as in Alchemy.

A line that ends with an operator, or is followed by one that begins with an operator, goes on; so
does one with an open parenthesis, unless a blank line follows or two operands meet. Cutting first
is what lets every error of a file be reported at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from lark import Lark, Token

from workbench.errors import Span
from workbench.language.program import Rule
from workbench.language.source import Diagnostics, SourceText

OPENING = {"LPAR", "LBRACE", "LSQB"}
CLOSING = {"RPAR", "RBRACE", "RSQB"}
JOINING = {
    "AND",
    "OR",
    "IMPLIES",
    "IFF",
    "COMMA",
    "EQUAL",
    "UNEQUAL",
    "LESS",
    "AT_MOST",
    "MORE",
    "AT_LEAST",
    "DEFINES",
}
LEFT_OPEN = JOINING | {"NOT", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "COLON", "AT"}
RIGHT_OPEN = JOINING | CLOSING | {"SLASH", "PERCENT"}
OPERAND_ENDS = {"NAME", "STRING", "NUMBER", "RPAR", "NOW"}
OPERAND_STARTS = {"NAME", "STRING", "NUMBER", "NOT", "FORALL", "EXIST", "NOW"}
STRAY = {"UNKNOWN", "OPEN_COMMENT", "OPEN_STRING"}
R = TypeVar("R", bound=Rule)


@dataclass(frozen=True)
class Statement:
    """The tokens of one declaration, rule or `#include`, without its line ends."""

    source: SourceText
    tokens: list[Token]

    @property
    def start(self) -> int:
        """Where the statement starts in its source's text."""
        return self.tokens[0].start_pos or 0

    @property
    def stop(self) -> int:
        """Just past its last character."""
        return self.tokens[-1].end_pos or 0


def split_statements(
    parser: Lark, source: SourceText, diagnostics: Diagnostics
) -> Iterator[Statement]:
    """Cut `source` into statements; one with a wrong character is reported and left out."""
    tokens: list[Token] = []
    depth = 0
    newlines = 0
    for token in parser.lex(source.text):
        kind = token.type
        if kind == "NEWLINE":
            newlines += token.count("\n")
            continue
        if newlines and tokens:
            last = tokens[-1].type
            inside = (
                depth > 0
                and newlines == 1
                and not (last in OPERAND_ENDS and kind in OPERAND_STARTS)
            )
            goes_on = inside or last in LEFT_OPEN or kind in RIGHT_OPEN or opens_scope(tokens)
            if not goes_on or kind == "INCLUDE" or tokens[-1].type == "OPEN_STRING":
                if is_sound(tokens):
                    yield Statement(source, tokens)
                tokens, depth = [], 0
        newlines = 0
        if kind in STRAY:
            report_stray(token, source, diagnostics)
            if kind == "OPEN_COMMENT":
                break
        if tokens and tokens[-1].type == "OPEN_STRING":
            continue
        tokens.append(token)
        if kind in OPENING:
            depth += 1
        elif kind in CLOSING:
            depth = max(0, depth - 1)
        elif (kind == "POINT" and depth == 0) or kind == "INCLUDE":
            if is_sound(tokens):
                yield Statement(source, tokens)
            tokens = []
    if tokens and is_sound(tokens):
        yield Statement(source, tokens)


def opens_scope(tokens: list[Token], stop: int | None = None) -> bool:
    """Whether the tokens before `stop` (all if None) end in `open where`, to be followed."""
    stop = len(tokens) if stop is None else stop
    return (
        stop > 2
        and tokens[stop - 1] == "where"
        and tokens[stop - 2] == "open"
        and tokens[stop - 3].type in OPERAND_ENDS
    )


def description(statement: Statement, marks: tuple[str, ...] = ("//",)) -> str:
    """The comment on the lines right above a statement, as one line; `marks` begin such lines."""
    text = statement.source.text
    end = text.rfind("\n", 0, statement.start)
    lines: list[str] = []
    if text[end + 1 : statement.start].strip():
        return ""
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end].strip()
        if not line.startswith(marks):
            break
        lines.append(line.lstrip("/#").strip())
        end = start - 1
    return " ".join(reversed(lines))


def headed(rules: Iterable[R]) -> tuple[R, ...]:
    """Rules without a comment have that of the rule on the line above: one heads a block."""
    found: list[R] = []
    for rule in rules:
        above = found[-1] if found else None
        if above is not None and not rule.description and _follows(above.span, rule.span):
            rule = replace(rule, description=above.description)
        found.append(rule)
    return tuple(found)


def _follows(above: Span | None, span: Span | None) -> bool:
    return (
        above is not None
        and span is not None
        and above.source == span.source
        and span.line == above.end_line + 1
    )


def scope_tokens(tokens: list[Token]) -> list[Token]:
    """The tokens with the words of `open where` retyped."""
    words = {
        word
        for stop in range(3, len(tokens) + 1)
        if opens_scope(tokens, stop)
        for word in (stop - 2, stop - 1)
    }
    return [
        token.update(type=token.upper()) if i in words else token for i, token in enumerate(tokens)
    ]


def is_sound(tokens: list[Token]) -> bool:
    """Whether no token of a statement is a stray character."""
    return not any(token.type in STRAY for token in tokens)


def report_stray(
    token: Token,
    source: SourceText,
    diagnostics: Diagnostics,
    help: Mapping[str, str] | None = None,
) -> None:
    """Report a character that means nothing; further ones of a line are the same slip."""
    span = source.span(token)
    if token.type == "OPEN_COMMENT":
        diagnostics.add("E0102", "this comment is never closed", span, "close it with */")
    elif token.type == "OPEN_STRING":
        diagnostics.add(
            "E0102",
            "this quoted constant is never closed",
            span,
            'close it with " on the same line',
        )
    elif not _follows_stray(span, diagnostics):
        shown = (
            repr(str(token))
            if str(token).isprintable()
            else f"the character U+{ord(str(token)):04X}"
        )
        diagnostics.add(
            "E0102", f"{shown} means nothing here", span, (help or STRAY_HELP).get(str(token))
        )


def _follows_stray(span: Span, diagnostics: Diagnostics) -> bool:
    if not diagnostics.found or diagnostics.found[-1].code != "E0102":
        return False
    last = diagnostics.found[-1].span
    return last is not None and last.line == span.line


STRAY_HELP = {
    "|": "disjunction is written `v` in Markov logic",
    "&": "conjunction is written `^` in Markov logic",
    "~": "negation is written `!` in Markov logic",
    "∧": "conjunction is written `^`",
    "∨": "disjunction is written `v`",
    "¬": "negation is written `!`",
    "→": "implication is written `=>`",
    "⇒": "implication is written `=>`",
    "↔": "equivalence is written `<=>`",
    "⇔": "equivalence is written `<=>`",
    "∀": "write FORALL x ...",
    "∃": "write EXIST x ...",
    "\0": "the file holds NUL bytes: is it text?",
}
