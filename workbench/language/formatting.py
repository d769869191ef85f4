"""A source file in canonical form with its comments, blank lines and order kept."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.language.declarations import Function, Predicate, Type
from workbench.language.mln.parsing import mln_statements
from workbench.language.printing import (
    format_definition,
    format_function,
    format_predicate,
    format_rule,
    format_type,
)
from workbench.language.program import Definition, Rule, Scope
from workbench.language.psl.parsing import psl_statements
from workbench.language.psl.printing import PSL
from workbench.language.statements import Statement


def format_mln_source(text: str, source: str | None = None) -> str:
    """A Markov logic text with each statement printed canonically and all else kept.

    A statement with a comment inside stays as it is; `#include` lines too.

    Raises InputError with every error of syntax.
    """
    return _rewritten(
        text, [(statement, _printed(item)) for statement, item in mln_statements(text, source)]
    )


def format_psl_source(text: str, source: str | None = None) -> str:
    """A PSL text with rules printed canonically and all else kept, as `format_mln_source` does."""
    return _rewritten(
        text,
        [
            (
                statement,
                PSL.definition(item) if isinstance(item, Definition | Scope) else format_rule(item),
            )
            for statement, item in psl_statements(text, source)
        ],
    )


def _printed(item: Rule | Definition | Scope | Type | Predicate | Function) -> str:
    match item:
        case Definition() | Scope():
            return format_definition(item)
        case Type():
            return format_type(item)
        case Predicate():
            return format_predicate(item)
        case Function():
            return format_function(item)
    return format_rule(item)


def _rewritten(text: str, printed: Sequence[tuple[Statement, str]]) -> str:
    pieces: list[str] = []
    position = 0
    for statement, canonical in printed:
        start, stop = statement.start, statement.stop
        gap = text[position:start].replace("\r", "")
        before, newline, indent = gap.rpartition("\n")
        if indent.strip():
            # A block comment on the statement's own line.
            pieces.append(gap)
        elif newline or not pieces:
            pieces.append(before + newline)
        else:
            pieces.append("\n")
        pieces.append(text[start:stop] if _has_comment(statement, text) else canonical)
        position = stop
    pieces.append(text[position:].replace("\r", ""))
    lines = "".join(pieces).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def _has_comment(statement: Statement, text: str) -> bool:
    ends = [token.end_pos or 0 for token in statement.tokens]
    starts = [token.start_pos or 0 for token in statement.tokens]
    return any(text[end:start].strip(" \t\r\n:") for end, start in zip(ends, starts[1:]))
