"""A second reader of Markov logic, for the oracle: one statement a line, no code of the package.

It knows what the generator writes and checks nothing: a text it cannot read is a fault of the
generator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Name:
    """A constant."""

    text: str


@dataclass(frozen=True)
class Apply:
    function: str
    arguments: tuple[Term, ...]


Term = Var | Name | Apply


@dataclass(frozen=True)
class Atom:
    predicate: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True)
class Test:
    """A comparison of terms, or a string test."""

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True)
class Free:
    """`*P(x)`: the formula once with P(x), once with !P(x)."""

    atom: Atom


@dataclass(frozen=True)
class Operation:
    """`not`, `and`, `or`, `=>` or `<=>` of formulas."""

    operator: str
    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Quantified:
    kind: str
    names: tuple[str, ...]
    body: Formula


Formula = Atom | Test | Free | Operation | Quantified


@dataclass(frozen=True)
class Rule:
    formula: Formula
    weight: float | None = None
    hard: bool = False
    weight_variable: str | None = None
    plus: frozenset[str] = frozenset()


@dataclass
class Declarations:
    """What a text declares, and its rules in order."""

    types: dict[str, list[str]] = field(default_factory=dict)
    predicates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    marks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    functions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)


STRING_TESTS = ("substr", "contains", "startsWith", "endsWith", "hasWord", "oneOf")
TOKEN = re.compile(
    r'\s*(?:(<=>|=>|!=|<=|>=|[=<>^!+\-*/%(),.:@?{}])|"((?:[^"\\]|\\.)*)"|(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([^\W\d][\w\']*))'
)


def read_program(text: str) -> Declarations:
    """Declarations and rules of a text."""
    found = Declarations()
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        if line:
            _statement(line, found)
    return found


def _statement(line: str, found: Declarations) -> None:
    members = re.fullmatch(r"(\w+)\s*=\s*\{(.*)\}", line)
    function = re.fullmatch(r"([^\W\d]\w*)\s+(\w+)\(([\w\s,]*)\)", line)
    predicate = re.fullmatch(r"(\*?)(\w+)\(([\w\s,!?]*)\)", line)
    if members:
        found.types[members[1]] = [token.text for token in _tokens(members[2]) if token.text != ","]
    elif function and function[1] not in ("EXIST", "FORALL"):
        found.functions[function[2]] = (*_words(function[3]), function[1])
    elif predicate and predicate[2] not in found.predicates:
        arguments = _words(predicate[3])
        found.predicates[predicate[2]] = tuple(one.rstrip("!?") for one in arguments)
        found.marks[predicate[2]] = tuple(one[-1] if one[-1] in "!?" else "" for one in arguments)
        if predicate[1]:
            found.closed.add(predicate[2])
    else:
        found.rules.append(_Reader(list(_tokens(line))).rule())


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


def _tokens(line: str) -> Iterator[_Token]:
    at = 0
    while at < len(line.rstrip()):
        match = TOKEN.match(line, at)
        if match is None:
            raise ValueError(f"unreadable at {line[at:]!r}")
        at = match.end()
        kind = ("sign", "string", "number", "word")[match.lastindex - 1]  # type: ignore[operator]
        text = match[match.lastindex]  # type: ignore[index]
        yield _Token(kind, re.sub(r"\\(.)", r"\1", text) if kind == "string" else text)


class _Reader:
    """Recursive descent over the tokens of one rule, an operator of each precedence a method."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.plus: set[str] = set()

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        if place >= len(self.tokens) or self.tokens[place].kind == "string":
            return ""
        return self.tokens[place].text

    def take(self) -> _Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *texts: str) -> bool:
        if (
            self.at < len(self.tokens)
            and self.tokens[self.at].kind != "string"
            and self.peek() in texts
        ):
            self.at += 1
            return True
        return False

    def rule(self) -> Rule:
        variable, weight = None, None
        if self.peek(1) == ":" and self.tokens[0].kind == "word":
            variable = self.take().text
            self.take()
        else:
            self.accept("@")
            sign = -1.0 if self.accept("-") else 1.0
            if self.tokens[self.at].kind == "number":
                weight = sign * float(self.take().text)
        formula = self.formula()
        hard = self.accept(".")
        if self.at != len(self.tokens):
            raise ValueError(f"left over: {self.tokens[self.at :]}")
        return Rule(formula, weight, hard, variable, frozenset(self.plus))

    def formula(self) -> Formula:
        left = self.implication()
        while self.accept("<=>"):
            left = Operation("<=>", (left, self.implication()))
        return left

    def implication(self) -> Formula:
        left = self.disjunction()
        while self.accept("=>"):
            left = Operation("=>", (left, self.disjunction()))
        return left

    def disjunction(self) -> Formula:
        parts = [self.conjunction()]
        while self.accept("v"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Operation("or", tuple(parts))

    def conjunction(self) -> Formula:
        parts = [self.negation()]
        while self.accept("^"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else Operation("and", tuple(parts))

    def negation(self) -> Formula:
        if self.accept("!"):
            return Operation("not", (self.negation(),))
        if self.peek().upper() in ("EXIST", "FORALL"):
            kind = self.take().text.upper()
            names = [self.take().text]
            while self.accept(","):
                names.append(self.take().text)
            return Quantified(kind, tuple(names), self.formula())
        if self.accept("*"):
            atom = self.test()
            assert isinstance(atom, Atom)
            return Free(atom)
        if self.peek() == "(":
            return self.parenthesis()
        return self.test()

    def parenthesis(self) -> Formula:
        """A formula in parentheses; one that a comparison follows was a term."""
        start = self.at
        self.take()
        try:
            inner = self.formula()
            if self.accept(")") and self.peek() not in _COMPARING | _ADDING | _MULTIPLYING:
                return inner
        except ValueError:
            pass
        self.at = start
        return self.test()

    def test(self) -> Formula:
        left = self.sum()
        if self.peek() in _COMPARING:
            return Test(self.take().text, left, self.sum())
        if isinstance(left, Apply) and left.function in STRING_TESTS:
            return Test(left.function, *left.arguments)
        if isinstance(left, Apply):
            return Atom(left.function, left.arguments)
        if isinstance(left, Name):
            return Atom(left.text, ())
        raise ValueError(f"a term stands where a formula is wanted: {left}")

    def sum(self) -> Term:
        left = self.product()
        while self.peek() in _ADDING:
            left = Apply(self.take().text, (left, self.product()))
        return left

    def product(self) -> Term:
        left = self.primary()
        while self.peek() in _MULTIPLYING:
            left = Apply(self.take().text, (left, self.primary()))
        return left

    def primary(self) -> Term:
        if self.accept("("):
            inner = self.sum()
            self.accept(")")
            return inner
        if self.accept("+"):
            self.plus.add(self.peek())
        token = self.take()
        if token.kind == "word" and self.accept("("):
            arguments: list[Term] = []
            while not self.accept(")"):
                arguments.append(self.sum())
                self.accept(",")
            return Apply(token.text, tuple(arguments))
        if token.kind == "word" and (token.text[0].islower() or token.text[0] == "_"):
            return Var(token.text)
        if token.kind in ("string", "number", "word"):
            return Name(token.text)
        raise ValueError(f"no term: {token}")


_COMPARING = {"=", "!=", "<", "<=", ">", ">="}
_ADDING = {"+", "-"}
_MULTIPLYING = {"*", "/", "%"}
