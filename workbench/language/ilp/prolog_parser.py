"""One clause of Prolog text to a term, by the precedence of its operators."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.errors import Diagnostic, Span
from workbench.language.ilp.terms import Compound, LogicVariable, Symbol, Term

_TOKEN = re.compile(
    r"""(?P<blank>\s+|%[^\n]*|/\*.*?\*/)
      |(?P<number>0'(?:\\.|.)|\d+\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)?)
      |(?P<variable>[A-Z_]\w*)
      |(?P<quoted>'(?:[^'\\]|\\.|'')*')
      |(?P<string>"(?:[^"\\]|\\.|"")*")
      |(?P<stop>\.(?=\s|%|\Z))
      |(?P<name>[^\W\d_A-Z]\w*|!=|!|;|-\#(?=[a-z])|[+\-*/\\^<>=~:.?@\#&$]+)
      |(?P<punctuation>[()\[\]{},|])""",
    re.VERBOSE | re.DOTALL,
)


_INFIX = {
    ":-": (1200, 1199, 1199), "-->": (1200, 1199, 1199), ";": (1100, 1099, 1100),
    "|": (1100, 1099, 1100), "->": (1050, 1049, 1050), ",": (1000, 999, 1000), "=": (700, 699, 699),
    "\\=": (700, 699, 699), "==": (700, 699, 699), "\\==": (700, 699, 699), "is": (700, 699, 699),
    "<": (700, 699, 699), ">": (700, 699, 699), "=<": (700, 699, 699), ">=": (700, 699, 699),
    "!=": (700, 699, 699), "=..": (700, 699, 699), "=:=": (700, 699, 699), "=\\=": (700, 699, 699),
    ":": (200, 199, 200), "+": (500, 500, 499), "-": (500, 500, 499), "*": (400, 400, 399),
    "/": (400, 400, 399), "mod": (400, 400, 399), "//": (400, 400, 399), "**": (200, 199, 199),
    "^": (200, 199, 200),
}  # fmt: skip


_PREFIX = {
    ":-": 1199,
    "?-": 1199,
    "\\+": 900,
    "-": 200,
    "+": 200,
    "#": 200,
    "-#": 200,
    "not": 900,
    "dynamic": 1149,
}


DEEPEST = 150
"""Brackets within brackets that are read; lists and conjunctions may have any length."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


class PrologFault(Exception):
    """A clause that cannot be read, and where reading may go on from."""

    def __init__(self, diagnostic: Diagnostic, offset: int) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic, self.offset = diagnostic, offset


class ClauseParser:
    """A Pratt parser over one clause that starts at `position` of the text."""

    def __init__(
        self, text: str, position: int, source: str | None, line: int, line_start: int
    ) -> None:
        self.text, self.source = text, source
        self.line, self.line_start = line, line_start  # of `position`
        self.position = position
        self.anonymous = 0
        self.depth = 0
        self.token = self._next()

    def clause(self) -> tuple[Term, int]:
        """The clause and the offset just past its full stop."""
        term = self._expression(1200)
        if self.token.kind != "stop":
            raise self._error("a full stop was expected here")
        return term, self.token.end

    def span(self, start: int, end: int) -> Span:
        def place(offset: int) -> tuple[int, int]:
            newline = self.text.rfind("\n", self.line_start, offset)
            line_start = self.line_start if newline < 0 else newline + 1
            return self.line + self.text.count(
                "\n", self.line_start, offset
            ), offset - line_start + 1

        (line, column), (end_line, end_column) = place(start), place(end)
        return Span(self.source, line, column, end_line, end_column)

    def _error(
        self, message: str, code: str = "E0140", help: str = "the file is read as Prolog clauses"
    ) -> PrologFault:
        span = self.span(self.token.start, max(self.token.end, self.token.start + 1))
        first, last = self.token.start - span.column + 1, self.text.find("\n", self.token.start)
        shown = self.text[first : last if last >= 0 else len(self.text)]
        return PrologFault(Diagnostic(code, message, span, help, shown), self.token.start)

    def _next(self) -> _Token:
        while True:
            if self.position >= len(self.text):
                return _Token("end", "", self.position, self.position)
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                self.token = _Token(
                    "bad", self.text[self.position], self.position, self.position + 1
                )
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
        depth = self.depth
        self._deeper()
        left, left_priority = self._primary(limit), 0
        while True:
            operator = self.token.text
            if self.token.kind not in ("name", "punctuation", "variable") or operator not in _INFIX:
                break
            priority, left_limit, right_limit = _INFIX[operator]
            if priority > limit or left_priority > left_limit:
                break
            self._advance()
            if operator == ",":
                left = self._conjunction(left)
            else:
                # A sum of many terms is nested to the left.
                self._deeper()
                left = Compound(operator, (left, self._expression(right_limit)))
            left_priority = priority
        self.depth = depth
        return left

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._error(
                f"terms are nested more than {DEEPEST} deep here",
                "E0143",
                "write the long ones as lists or as facts",
            )

    def _conjunction(self, first: Term) -> Term:
        """What follows the first comma, item by item, so that a conjunction may have any length."""
        if self.token.text == ")":  # Popper writes one-tuples as `(train,)`
            return Compound(",", (first,))
        items = [first, self._expression(999)]
        while self.token.kind == "punctuation" and self.token.text == ",":
            self._advance()
            items.append(self._expression(999))
        joined = items.pop()
        while items:
            joined = Compound(",", (items.pop(), joined))
        return joined

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
            return self._braced("{}")
        if token.kind in ("name", "quoted"):
            return self._named(token, limit)
        self.token = token
        raise self._error(
            "a term was expected here" if token.kind != "end" else "the text ends inside a clause"
        )

    def _named(self, token: _Token, limit: int) -> Term:
        """An atom, a functor with its arguments, or a prefix operator with its operand."""
        name, adjacent = token.text, self.token.start == token.end
        if token.kind == "quoted":
            name = re.sub(r"\\(.)", r"\1", name[1:-1].replace("''", "'"))
        if self.token.text == "(" and adjacent:
            self._advance()
            return Compound(name, self._arguments())
        # An aggregate in Popper's answer-set bias.
        if self.token.text == "{" and adjacent:
            self._advance()
            return self._braced(name)
        if token.kind == "name" and name in _PREFIX and not self._at_operand_end():
            if name == "-" and self.token.kind == "number" and adjacent:
                return Symbol("-" + self._advance().text, True)
            return Compound(name, (self._expression(min(_PREFIX[name], limit)),))
        return Symbol(name)

    def _braced(self, functor: str) -> Term:
        inner = self._expression(1200)
        self._expect("}")
        return Compound(functor, (inner,))

    def _at_operand_end(self) -> bool:
        return self.token.kind in ("stop", "end") or self.token.text in (")", "]", "}", ",", "|")

    def _arguments(self) -> tuple[Term, ...]:
        arguments = self._terms(")")
        self._expect(")")
        return tuple(arguments)

    def _list(self) -> Term:
        items = self._terms("]")
        tail: Term = Symbol("[]")
        if items and self.token.text == "|":
            self._advance()
            tail = self._expression(999)
        self._expect("]")
        for item in reversed(items):
            tail = Compound(".", (item, tail))
        return tail

    def _terms(self, close: str) -> list[Term]:
        """Terms between commas; none where what closes them comes at once."""
        if self.token.text == close:
            return []
        found = [self._expression(999)]
        while self.token.text == ",":
            self._advance()
            found.append(self._expression(999))
        return found
