"""Prolog text to terms: the part of Prolog's syntax that files of ILP are written in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.errors import Diagnostic, InputError, Span
from workbench.language.ilp.prolog_parser import ClauseParser, PrologFault
from workbench.language.ilp.terms import Compound, Symbol, Term

_BLANK = re.compile(r"(?:\s+|%[^\n]*|/\*.*?\*/)+", re.DOTALL)
_PLAIN = r"(?:[a-z]\w*|-?\d+(?:\.\d+)?|'[^'\\\n]*')"
_ARGUMENT = re.compile(_PLAIN)
_FACT = re.compile(rf"([a-z]\w*)\(([ \t]*{_PLAIN}[ \t]*(?:,[ \t]*{_PLAIN}[ \t]*)*)\)\.(?=\s|%|\Z)")

_STOP = re.compile(r"\.(?=\s|%|\Z)")


MOST_FAULTS = 20


def read_terms(text: str, source: str | None = None) -> Iterator[tuple[Term, Span]]:
    """The clauses and directives of a Prolog text, each with its place.

    Plain ground facts, quoted names among them, take a short cut: files of many are read at some
    10^5 facts a second. After a fault reading goes on behind the next full stop, so that one
    reading tells of all of them.

    Raises InputError at the end of the text: E0140 where it is no Prolog, E0143 where terms are
    nested too deep, each with its place.
    """
    position, line, line_start = 0, 1, 0
    faults: list[Diagnostic] = []
    while True:
        blank = _BLANK.match(text, position)
        start = blank.end() if blank else position
        line += text.count("\n", position, start)
        line_start = max(line_start, text.rfind("\n", 0, start) + 1)
        if start == len(text):
            break
        fact = _FACT.match(text, start)
        if fact is not None:
            column = start - line_start + 1
            yield _plain_fact(fact), Span(source, line, column, line, column + fact.end() - start)
            position = fact.end()
            continue
        try:
            parser = ClauseParser(text, start, source, line, line_start)
            term, stop = parser.clause()
            yield term, parser.span(start, stop)
        except PrologFault as fault:
            faults.append(fault.diagnostic)
            after = _STOP.search(text, fault.offset)
            stop = after.end() if after else len(text)
            if len(faults) == MOST_FAULTS:
                break
        line += text.count("\n", start, stop)
        position = stop
    if faults:
        raise InputError(faults)


def _plain_fact(match: re.Match[str]) -> Term:
    arguments = _ARGUMENT.findall(match[2])
    return Compound(
        match[1],
        tuple(Symbol(a[1:-1]) if a[0] == "'" else Symbol(a, not a[0].isalpha()) for a in arguments),
    )
