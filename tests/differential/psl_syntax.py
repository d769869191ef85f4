"""A second reader of soft logic, for the oracle: one rule a line, no package code."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"\s*(->|<=|>=|==|!=|@M\w\w|[=&|!%^+\-*/(),.:{}\[\]]|'[^']*'|\d+(?:\.\d+)?|[A-Za-z]\w*)"
)


@dataclass(frozen=True)
class PslAtom:
    """Arguments: a variable `A`, a summation variable `+A`, or a constant `'a'`, quotes and all."""

    predicate: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Condition:
    """A tree of `&`, `|`, `!`; leaves are atoms, or (operator, left, right)."""

    operator: str
    parts: tuple[Condition | PslAtom | tuple[str, str, str], ...]


Leaf = Condition | PslAtom | tuple[str, str, str]


@dataclass(frozen=True)
class Number:
    """`3`, `|X|`, `@Min[a, b]`, `@Max[a, b]`."""

    kind: str
    value: float = 0.0
    variable: str = ""
    parts: tuple[Number, ...] = ()


@dataclass(frozen=True)
class Summand:
    """`sign * numbers * atoms / divisors`."""

    sign: float
    factors: tuple[Number, ...]
    divisors: tuple[Number, ...]
    atoms: tuple[PslAtom, ...]


@dataclass(frozen=True)
class Logical:
    """A disjunction of signed literals (the body's turned round), where the tests hold."""

    weight: float | None
    squared: bool
    literals: tuple[tuple[bool, PslAtom], ...]
    tests: tuple[tuple[str, str, str], ...]
    written: int = 1
    """Literals before those that stand twice were joined."""


@dataclass(frozen=True)
class Linear:
    """Left relation right."""

    weight: float | None
    squared: bool
    left: tuple[Summand, ...]
    relation: str
    right: tuple[Summand, ...]
    filters: tuple[tuple[str, Leaf], ...]


def read_rule(line: str) -> Logical | Linear:
    """One rule."""
    weight = re.match(r"\s*(\d+(?:\.\d+)?)\s*:", line)
    rest = line[weight.end() :] if weight else line
    filters = tuple(
        (match[1], _Reader(match[2]).condition())
        for match in re.finditer(r"\{\s*(\w+)\s*:([^}]*)\}", rest)
    )
    rest = re.sub(r"\{[^}]*\}", "", rest).strip()
    squared = bool(re.search(r"\^\s*2\s*$", rest))
    rest = re.sub(r"(\^\s*[12]|\.)\s*$", "", rest)
    value = float(weight[1]) if weight else None
    relation = re.search(r"<=|>=|(?<![!=<>])=(?!=)", rest)
    if relation is None:
        return _logical(value, squared, rest)
    left, right = _Reader(rest[: relation.start()]).sum(), _Reader(rest[relation.end() :]).sum()
    return Linear(value, squared, left, relation[0], right, filters)


def _logical(weight: float | None, squared: bool, text: str) -> Logical:
    body, arrow, head = text.partition("->")
    literals: list[tuple[bool, PslAtom]] = []
    tests: list[tuple[str, str, str]] = []
    for part in re.split("&", body) if arrow else ():
        item = _Reader(part).literal()
        if isinstance(item[1], PslAtom):
            literals.append((not item[0], item[1]))
        else:
            tests.append(item[1])
    for part in re.split(r"\|", head if arrow else body):
        item = _Reader(part).literal()
        assert isinstance(item[1], PslAtom)
        literals.append((item[0], item[1]))
    return Logical(weight, squared, tuple(dict.fromkeys(literals)), tuple(tests), len(literals))


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = [match[1] for match in TOKEN.finditer(text)]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *texts: str) -> bool:
        if self.peek() in texts and self.peek():
            self.at += 1
            return True
        return False

    def literal(self) -> tuple[bool, PslAtom | tuple[str, str, str]]:
        positive = not self.accept("!")
        opened = self.accept("(")
        item = self.atom_or_test()
        if opened:
            self.accept(")")
        return positive, item

    def atom_or_test(self) -> PslAtom | tuple[str, str, str]:
        name = self.take()
        if self.accept("("):
            return PslAtom(name, self.arguments())
        operator = self.take()
        return {"^": "%"}.get(operator, operator), name, self.take()

    def arguments(self) -> tuple[str, ...]:
        found = []
        while not self.accept(")"):
            found.append("+" + self.take() if self.accept("+") else self.take())
            self.accept(",")
        return tuple(found)

    def condition(self) -> Leaf:
        parts = [self.conjoined()]
        while self.accept("|"):
            parts.append(self.conjoined())
        return parts[0] if len(parts) == 1 else Condition("|", tuple(parts))

    def conjoined(self) -> Leaf:
        parts = [self.denied()]
        while self.accept("&"):
            parts.append(self.denied())
        return parts[0] if len(parts) == 1 else Condition("&", tuple(parts))

    def denied(self) -> Leaf:
        if self.accept("!"):
            return Condition("!", (self.denied(),))
        if self.accept("("):
            inner = self.condition()
            self.accept(")")
            return inner
        return self.atom_or_test()

    def sum(self) -> tuple[Summand, ...]:
        found = []
        sign = -1.0 if self.accept("-") else 1.0
        while self.peek():
            found.append(self.product(sign))
            if not self.peek():
                break
            sign = -1.0 if self.take() == "-" else 1.0
            if self.accept("-"):
                sign = -sign
        return tuple(found)

    def product(self, sign: float) -> Summand:
        factors: list[Number] = []
        divisors: list[Number] = []
        atoms: list[PslAtom] = []
        under = False
        while True:
            if self.accept("-"):
                sign = -sign
            if self.peek()[0].isalpha():
                name = self.take()
                self.take()
                atoms.append(PslAtom(name, self.arguments()))
            else:
                (divisors if under else factors).append(self.number())
            under = self.peek() == "/"
            if not self.accept("*", "/"):
                return Summand(sign, tuple(factors), tuple(divisors), tuple(atoms))

    def number(self) -> Number:
        if self.accept("|"):
            variable = self.take()
            self.take()
            return Number("size", variable=variable)
        token = self.take()
        if token.startswith("@"):
            self.take()
            first = self.number()
            self.take()
            second = self.number()
            self.take()
            return Number(token[1:].lower(), parts=(first, second))
        return Number("given", float(token))
