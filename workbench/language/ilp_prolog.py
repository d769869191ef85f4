"""Prolog text to terms: the part of Prolog's syntax that inductive logic programming files are written in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.errors import InputError, Span, WorkbenchError

__all__ = ["Compound", "LogicVariable", "Symbol", "Term", "read_terms", "term_text"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """An atom or a number, by its text without quotes; `number` when it was written as one."""

    name: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class LogicVariable:
    """A Prolog variable; every `_` gets a name of its own."""

    name: str


@dataclass(frozen=True, slots=True)
class Compound:
    """A functor applied to arguments; operators and lists (`.`, `[]`) too."""

    functor: str
    arguments: tuple[Term, ...]


Term = Symbol | LogicVariable | Compound

_TOKEN = re.compile(
    r"""(?P<blank>\s+|%[^\n]*|/\*.*?\*/)
      |(?P<number>0'(?:\\.|.)|\d+\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)?)
      |(?P<variable>[A-Z_]\w*)
      |(?P<quoted>'(?:[^'\\]|\\.|'')*')
      |(?P<string>"(?:[^"\\]|\\.|"")*")
      |(?P<stop>\.(?=\s|%|\Z))
      |(?P<name>[^\W\d_A-Z]\w*|!=|!|;|[+\-*/\\^<>=~:.?@\#&$]+)
      |(?P<punctuation>[()\[\]{},|])""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"(?:\s+|%[^\n]*|/\*.*?\*/)+", re.DOTALL)
_FACT = re.compile(r"([a-z]\w*)\(([\w ,\t-]*)\)\.(?=\s|%|\Z)")
_ARGUMENT = re.compile(r"(?:[a-z]\w*|-?\d+(?:\.\d+)?)\Z")

_INFIX = {
    ":-": (1200, 1199, 1199), "-->": (1200, 1199, 1199), ";": (1100, 1099, 1100), "|": (1100, 1099, 1100),
    "->": (1050, 1049, 1050), ",": (1000, 999, 1000), "=": (700, 699, 699), "\\=": (700, 699, 699),
    "==": (700, 699, 699), "\\==": (700, 699, 699), "is": (700, 699, 699), "<": (700, 699, 699),
    ">": (700, 699, 699), "=<": (700, 699, 699), ">=": (700, 699, 699), "!=": (700, 699, 699),
    "=..": (700, 699, 699), "=:=": (700, 699, 699), "=\\=": (700, 699, 699), ":": (200, 199, 200),
    "+": (500, 500, 499), "-": (500, 500, 499), "*": (400, 400, 399), "/": (400, 400, 399),
    "mod": (400, 400, 399), "//": (400, 400, 399), "**": (200, 199, 199), "^": (200, 199, 200),
}  # fmt: skip
_PREFIX = {":-": 1199, "?-": 1199, "\\+": 900, "-": 200, "+": 200, "#": 200, "not": 900, "dynamic": 1149}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def read_terms(text: str, source: str | None = None) -> Iterator[tuple[Term, Span]]:
    """The clauses and directives of a Prolog text, each with its place.

    Plain ground facts take a short cut, so that files of many facts are read at some 10^5 facts a second.

    Raises
    ------
    InputError
        `E0140` where the text is no Prolog, with the place.
    """
    position, line, line_start = 0, 1, 0
    while True:
        blank = _BLANK.match(text, position)
        start = blank.end() if blank else position
        line += text.count("\n", position, start)
        line_start = max(line_start, text.rfind("\n", 0, start) + 1)
        if start == len(text):
            return
        fact = _FACT.match(text, start)
        term = _plain_fact(fact) if fact else None
        if fact is not None and term is not None:
            column = start - line_start + 1
            yield term, Span(source, line, column, line, column + fact.end() - start)
            position = fact.end()
            continue
        parser = _Parser(text, start, source)
        term, stop = parser.clause()
        yield term, parser.span(start, stop)
        line += text.count("\n", start, stop)
        position = stop


def _plain_fact(match: re.Match[str]) -> Term | None:
    arguments = [argument.strip() for argument in match[2].split(",")]
    if not all(_ARGUMENT.match(argument) for argument in arguments):
        return None
    return Compound(match[1], tuple(Symbol(a, not a[0].isalpha()) for a in arguments))


class _Parser:
    """A Pratt parser over one clause that starts at `position` of the text."""

    def __init__(self, text: str, position: int, source: str | None) -> None:
        self.text, self.source = text, source
        self.position = position
        self.anonymous = 0
        self.token = self._next()

    def clause(self) -> tuple[Term, int]:
        """The clause and the offset just past its full stop."""
        term = self._expression(1200)
        if self.token.kind != "stop":
            raise self._error("a full stop was expected here")
        return term, self.token.end

    def span(self, start: int, end: int) -> Span:
        def place(offset: int) -> tuple[int, int]:
            line_start = self.text.rfind("\n", 0, offset) + 1
            return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

        (line, column), (end_line, end_column) = place(start), place(end)
        return Span(self.source, line, column, end_line, end_column)

    def _error(self, message: str) -> WorkbenchError:
        span = self.span(self.token.start, max(self.token.end, self.token.start + 1))
        lines = self.text.splitlines()
        shown = lines[span.line - 1] if span.line <= len(lines) else ""
        return InputError.of("E0140", message, span=span, line_text=shown, help="the file is read as Prolog clauses")

    def _next(self) -> _Token:
        while True:
            if self.position >= len(self.text):
                return _Token("end", "", self.position, self.position)
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                self.token = _Token("bad", self.text[self.position], self.position, self.position + 1)
                raise self._error(f"the character {self.text[self.position]!r} has no meaning here")
            self.position = match.end()
            if match.lastgroup != "blank":
                return _Token(str(match.lastgroup), match.group(), match.start(), match.end())

    def _advance(self) -> _Token:
        token = self.token
        self.token = self._next()
        return token

    def _expect(self, text: str) -> None:
        if self.token.text != text or self.token.kind == "quoted":
            raise self._error(f"`{text}` was expected here")
        self._advance()

    def _expression(self, limit: int) -> Term:
        left = self._primary(limit)
        while True:
            operator = self.token.text
            if self.token.kind not in ("name", "punctuation", "variable") or operator not in _INFIX:
                return left
            priority, _, right_limit = _INFIX[operator]
            if priority > limit:
                return left
            self._advance()
            if operator == "," and self.token.text == ")":  # Popper writes one-tuples as `(train,)`
                return Compound(",", (left,))
            left = Compound(operator, (left, self._expression(right_limit)))

    def _primary(self, limit: int) -> Term:
        token = self._advance()
        if token.kind == "number":
            return Symbol(token.text, True)
        if token.kind == "variable":
            if token.text == "_":
                self.anonymous += 1
                return LogicVariable(f"_{self.anonymous}")
            return LogicVariable(token.text)
        if token.kind == "string":
            return Symbol(token.text[1:-1])
        if token.text == "(":
            inner = self._expression(1200)
            self._expect(")")
            return inner
        if token.text == "[":
            return self._list()
        if token.text == "{":
            inner = self._expression(1200)
            self._expect("}")
            return Compound("{}", (inner,))
        if token.kind in ("name", "quoted"):
            name = token.text
            if token.kind == "quoted":
                name = re.sub(r"\\(.)", r"\1", name[1:-1].replace("''", "'"))
            if self.token.text == "(" and self.token.start == token.end:
                self._advance()
                return Compound(name, self._arguments(")"))
            if self.token.text == "{" and self.token.start == token.end:  # an aggregate in Popper's answer-set bias
                self._advance()
                inner = self._expression(1200)
                self._expect("}")
                return Compound(name, (inner,))
            if token.kind == "name" and name in _PREFIX and not self._at_operand_end():
                if name == "-" and self.token.kind == "number" and self.token.start == token.end:
                    return Symbol("-" + self._advance().text, True)
                return Compound(name, (self._expression(min(_PREFIX[name], limit)),))
            return Symbol(name)
        self.token = token
        raise self._error("a term was expected here" if token.kind != "end" else "the text ends inside a clause")

    def _at_operand_end(self) -> bool:
        return self.token.kind in ("stop", "end") or self.token.text in (")", "]", "}", ",", "|")

    def _arguments(self, close: str) -> tuple[Term, ...]:
        arguments: list[Term] = []
        if self.token.text == close:
            self._advance()
            return ()
        while True:
            arguments.append(self._expression(999))
            if self.token.text == ",":
                self._advance()
                continue
            self._expect(close)
            return tuple(arguments)

    def _list(self) -> Term:
        items: list[Term] = []
        tail: Term = Symbol("[]")
        if self.token.text == "]":
            self._advance()
            return tail
        while True:
            items.append(self._expression(999))
            if self.token.text == ",":
                self._advance()
                continue
            if self.token.text == "|":
                self._advance()
                tail = self._expression(999)
            self._expect("]")
            break
        for item in reversed(items):
            tail = Compound(".", (item, tail))
        return tail


def term_text(term: Term) -> str:
    """The term in Prolog's canonical writing without quotes, such as `bond(n,group(ch3,2))`."""
    if isinstance(term, Symbol | LogicVariable):
        return term.name
    return f"{term.functor}({','.join(term_text(argument) for argument in term.arguments)})"
