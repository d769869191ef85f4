"""Random programs over numbers, dates and texts: comparisons, definitions, aggregates and scopes,
several worlds.

A statement is drawn as its text and as a reading of it in Python, side by side; nothing is parsed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

Value = str | float | datetime
Binding = Mapping[str, Value]
Facts = dict[str, set[tuple[Value, ...]]]
"""The true facts of one world, by predicate."""

EVIDENCE = {
    "Age": ("person", "number"),
    "Since": ("person", "date"),
    "Named": ("person", "text"),
    "Pays": ("person", "person", "number"),
    "Knows": ("person", "person"),
}
PEOPLE = ("Ann", "Bob", "Cy")
NUMBERS = (-2.0, 0.0, 1.0, 3.5, 17.5, 40.0)
DATES = tuple(
    datetime.fromisoformat(one) for one in ("2019-12-31", "2020-01-31", "2020-02-29", "2021-07-01")
)
TEXTS = ("bob", "rob", "Bo b", "ann")
MOST_OPEN = 12


@dataclass(frozen=True)
class Condition:
    """A comparison of values: None where it has none, as in `log(0)`."""

    text: str
    holds: Callable[[Binding], bool | None]


@dataclass(frozen=True)
class Definition:
    """A definition: predicate, types, and its facts from those of a world."""

    text: str
    name: str
    types: tuple[str, ...]
    made: Callable[[Facts, Sequence[str]], set[tuple[Value, ...]]]


@dataclass(frozen=True)
class ValueRule:
    """`weight * factor: body ^ conditions => head`.

    Attributes
    ----------
    body : tuple of (sign, predicate, variables)
    head : (sign, predicate, variables)
    factor : str or None
        A variable of a number.
    """

    weight: float
    body: tuple[tuple[bool, str, tuple[str, ...]], ...]
    conditions: tuple[Condition, ...]
    head: tuple[bool, str, tuple[str, ...]]
    factor: str | None = None

    @property
    def text(self) -> str:
        before = (
            f"{self.weight!r} " if self.factor is None else f"{self.weight!r} * {self.factor}: "
        )
        parts = [*map(_literal, self.body), *(one.text for one in self.conditions)]
        return before + (f"{' ^ '.join(parts)} => " if parts else "") + _literal(self.head)


def _literal(literal: tuple[bool, str, tuple[str, ...]]) -> str:
    sign, name, variables = literal
    return f"{'' if sign else '!'}{name}({', '.join(variables)})"


@dataclass(frozen=True)
class ValueCase:
    """Rules over facts of some worlds; `scope`: which atoms of Same are open."""

    seed: int
    rules: tuple[ValueRule, ...]
    definitions: tuple[Definition, ...]
    scope: tuple[str, ValueRule] | None
    worlds: tuple[tuple[str, Facts], ...]

    @property
    def text(self) -> str:
        declared = [f"{name}({', '.join(types)})" for name, types in EVIDENCE.items()]
        lines = [
            *declared,
            "Fraud(person)",
            "Same(person, person)",
            *(one.text for one in self.definitions),
        ]
        lines += [self.scope[0]] if self.scope else []
        return "\n".join([*lines, *(rule.text for rule in self.rules)]) + "\n"

    def data(self, world: int) -> str:
        facts = self.worlds[world][1]
        return "\n".join(
            f"{name}({', '.join(map(written, row))})"
            for name in facts
            for row in sorted(facts[name], key=str)
        )

    @property
    def query(self) -> tuple[str, ...]:
        named = {one[1] for rule in self.rules for one in (*rule.body, rule.head)}
        return tuple(name for name in ("Fraud", "Same") if name in named)

    def shown(self) -> str:
        parts = [f"// seed {self.seed}", self.text]
        return "\n".join(
            parts + [f"// world {name}\n{self.data(i)}" for i, (name, _) in enumerate(self.worlds)]
        )

    def smaller(self) -> list[ValueCase]:
        found = []
        if len(self.rules) > 1:
            found += [
                replace(self, rules=self.rules[:i] + self.rules[i + 1 :])
                for i in range(len(self.rules))
            ]
        if len(self.worlds) > 1:
            found += [
                replace(self, worlds=self.worlds[:i] + self.worlds[i + 1 :])
                for i in range(len(self.worlds))
            ]
        for number, (name, facts) in enumerate(self.worlds):
            for predicate in facts:
                for row in facts[predicate]:
                    less = {**facts, predicate: facts[predicate] - {row}}
                    worlds = (*self.worlds[:number], (name, less), *self.worlds[number + 1 :])
                    found.append(replace(self, worlds=worlds))
        return found


def written(value: Value) -> str:
    """A value as facts have it."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}"
    return (
        f'"{value}"'
        if isinstance(value, str) and not value.isalpha()
        else f"{value:g}"
        if isinstance(value, float)
        else value
    )


def random_value_case(seed: int) -> ValueCase:
    """The case of a seed."""
    draw = random.Random(f"values {seed}")
    definitions = tuple(draw.sample(DEFINITIONS, draw.choice([0, 1, 1, 2])))
    types = {**EVIDENCE, **{one.name: one.types for one in definitions}}
    rules = tuple(
        _rule(draw, types, [one.name for one in definitions])
        for _ in range(draw.choice([1, 2, 2, 3]))
    )
    scope = None
    if draw.random() < 0.3:
        inside = _rule(draw, {**types}, [], head=(True, "Same", ("x", "y")), bound=True)
        parts = [*map(_literal, inside.body), *(one.text for one in inside.conditions)]
        scope = f"Same(x, y) open where {' ^ '.join(parts)}.", inside
    # `$now` is the latest date of all worlds, and readings see one.
    several = 1 if any("$now" in one.text for one in definitions) else draw.choice([1, 1, 2])
    worlds = tuple((f"w{number}", random_facts(draw)) for number in range(several))
    return ValueCase(seed, rules, definitions, scope, worlds)


def random_facts(draw: random.Random) -> Facts:
    """Some facts of every predicate."""
    people = draw.sample(PEOPLE, draw.choice([2, 3]))
    drawn = {"person": people, "number": NUMBERS, "date": DATES, "text": TEXTS}
    found: Facts = {}
    for name, types in EVIDENCE.items():
        found[name] = {
            tuple(draw.choice(drawn[one]) for one in types)
            for _ in range(draw.choice([0, 2, 3, 4]))
        }
    return found


def _rule(
    draw: random.Random,
    types: Mapping[str, tuple[str, ...]],
    wanted: Sequence[str],
    head: tuple[bool, str, tuple[str, ...]] | None = None,
    bound: bool = False,
) -> ValueRule:
    names = draw.sample(sorted(types), draw.choice([1, 1, 2]) if not bound else 2)
    if wanted and draw.random() < 0.7:
        names[0] = draw.choice(list(wanted))
    body: list[tuple[bool, str, tuple[str, ...]]] = []
    values: dict[str, str] = {}
    for name in names:
        variables = []
        for type_name in types[name]:
            if type_name == "person":
                variables.append(draw.choice("xy"))
            else:
                variables.append(f"{type_name[0]}{len(values) + 1}")
                values[variables[-1]] = type_name
        # What binds a value stands in no negated atom.
        positive = bound or any(one in values for one in variables) or draw.random() < 0.8
        body.append((positive, name, tuple(variables)))
    if bound:
        body.append((True, "Knows", ("x", "y")))
    conditions = tuple(_condition(draw, values) for _ in range(draw.choice([0, 1, 1, 2])) if values)
    if head is None:
        for _ in range(draw.choice([0, 0, 1])):
            body.append((draw.random() < 0.7, *_open(draw)))
        head = (draw.random() < 0.8, *_open(draw))
    numbers = [name for name, kind in values.items() if kind == "number"]
    factor = draw.choice(numbers) if numbers and not bound and draw.random() < 0.25 else None
    weight = draw.choice([0.7, -0.4, 1.1]) / (10 if factor else 1)
    return ValueRule(weight, tuple(dict.fromkeys(body)), conditions, head, factor)


def _open(draw: random.Random) -> tuple[str, tuple[str, ...]]:
    return draw.choice(
        [("Fraud", ("x",)), ("Fraud", ("y",)), ("Same", ("x", "y")), ("Same", ("y", "x"))]
    )


def _condition(draw: random.Random, values: Mapping[str, str]) -> Condition:
    one = draw.choice(sorted(values))
    other = draw.choice([name for name in sorted(values) if values[name] == values[one]])
    text, holds = draw.choice(CONDITIONS[values[one]])
    return Condition(
        text.format(a=one, b=other), lambda binding: holds(binding[one], binding[other])
    )


def _distance(one: str, other: str) -> int:
    """Levenshtein's."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = _next_row(row, i, a, other)
    return row[-1]


def _next_row(row: list[int], i: int, a: str, other: str) -> list[int]:
    found = [i]
    for j, b in enumerate(other, 1):
        found.append(min(row[j] + 1, found[-1] + 1, row[j - 1] + (a != b)))
    return found


def _quotient(a: float, b: float) -> bool | None:
    return None if b == 0 else a / b > 0.5


CONDITIONS: dict[str, list[tuple[str, Callable[..., bool | None]]]] = {
    "number": [
        ("{a} >= 1", lambda a, b: a >= 1),
        ("{a} < {b}", lambda a, b: a < b),
        ("{a} = {b}", lambda a, b: a == b),
        ("{a} != 3.5", lambda a, b: a != 3.5),
        ("{a} - {b} > 2", lambda a, b: a - b > 2),
        ("abs({a} - {b}) <= 3", lambda a, b: abs(a - b) <= 3),
        ("{a} / {b} > 0.5", _quotient),
        ("log({a}) > 1", lambda a, b: None if a <= 0 else a > 2.718281828459045),
        ("min({a}, {b}) > 0", lambda a, b: min(a, b) > 0),
        ("max({a}, 2) = 2", lambda a, b: max(a, 2) == 2),
        ("{a} * 2 + 1 <= {b}", lambda a, b: a * 2 + 1 <= b),
    ],
    "date": [
        ("{a} < {b}", lambda a, b: a < b),
        ("{a} != {b}", lambda a, b: a != b),
        ("year({a}) = 2020", lambda a, b: a.year == 2020),
        ("month({a}) >= 2", lambda a, b: a.month >= 2),
        ("weekday({a}) < 5", lambda a, b: a.isoweekday() < 5),
        ("hour({a}) < 7", lambda a, b: a.hour < 7),
        ("days({a}, {b}) > 30", lambda a, b: (a - b).days > 30),
        ('{a} >= "2020-02-29"', lambda a, b: a >= datetime(2020, 2, 29)),
        ('{a} < "2020-03-05" - 7', lambda a, b: a < datetime(2020, 2, 27)),
        ('{a} - "2020-01-31" > 30', lambda a, b: (a - datetime(2020, 1, 31)).days > 30),
        ("{a} + 30 >= {b}", lambda a, b: a + timedelta(days=30) >= b),
    ],
    "text": [
        ("{a} = {b}", lambda a, b: a == b),
        ("{a} != {b}", lambda a, b: a != b),
        ('{a} = "bob"', lambda a, b: a == "bob"),
        ("levenshtein({a}, {b}) <= 1", lambda a, b: _distance(a, b) <= 1),
        ('levenshtein({a}, "rob") = 1', lambda a, b: _distance(a, "rob") == 1),
    ],
}


def _reach(facts: Facts, people: Sequence[str]) -> set[tuple[Value, ...]]:
    found = set(facts["Knows"])
    while True:
        more = {(x, z) for x, y in found for w, z in facts["Knows"] if y == w} - found
        if not more:
            return found
        found |= more


def _ages(facts: Facts, x: str) -> set[tuple[Value, Value]]:
    """`(y, b)` of those whom x knows."""
    return {(y, b) for w, y in facts["Knows"] if w == x for z, b in facts["Age"] if z == y}


def _paid(facts: Facts, x: Value) -> set[tuple[Value, Value]]:
    """`(z, a)` of what x pays whom."""
    return {(z, a) for w, z, a in facts["Pays"] if w == x}


def _now(facts: Facts) -> datetime:
    """The latest date of the facts."""
    return max((d for _, d in facts["Since"]), default=datetime.min + timedelta(days=60))  # type: ignore[type-var,return-value]


def _each(
    of: Callable[[Facts, str], Value | None],
) -> Callable[[Facts, Sequence[str]], set[tuple[Value, ...]]]:
    """One value a person, where there is one."""
    return lambda facts, people: {(x, value) for x in people if (value := of(facts, x)) is not None}


def _share(facts: Facts, x: str) -> float | None:
    known = [y for w, y in facts["Knows"] if w == x]
    return sum((y, x) in facts["Knows"] for y in known) / len(known) if known else None


DEFINITIONS = [
    Definition(
        "Peers(x, y) := Knows(x, z) ^ Knows(y, z) ^ x != y.",
        "Peers",
        ("person", "person"),
        lambda facts, people: {
            (x, y) for x, z in facts["Knows"] for y, w in facts["Knows"] if z == w and x != y
        },
    ),
    Definition(
        "Older(x, y) := Age(x, a) ^ Age(y, b) ^ a > b.\nOlder(x, y) := Since(x, d) ^ Since(y, e) "
        "^ d < e.",
        "Older",
        ("person", "person"),
        lambda facts, people: {
            (x, y)
            for name, later in (("Age", True), ("Since", False))
            for x, a in facts[name]
            for y, b in facts[name]
            if (a > b if later else a < b)  # type: ignore[operator]
        },
    ),
    Definition(
        "Reach(x, z) := Knows(x, z).\nReach(x, z) := Reach(x, y) ^ Knows(y, z).",
        "Reach",
        ("person", "person"),
        _reach,
    ),
    Definition(
        "Many(x, n) := n = count(y: Knows(x, y)).",
        "Many",
        ("person", "number"),
        _each(lambda facts, x: float(len({y for w, y in facts["Knows"] if w == x}))),
    ),
    Definition(
        "Total(x, n) := n = sum(b: Knows(x, y) ^ Age(y, b) ^ b > 0).",
        "Total",
        ("person", "number"),
        _each(lambda facts, x: float(sum(b for _, b in _ages(facts, x) if b > 0))),  # type: ignore[operator,misc]
    ),
    Definition(
        "Mean(x, n) := n = mean(a: Pays(x, y, a)).",
        "Mean",
        ("person", "number"),
        _each(lambda facts, x: _mean([a for w, _, a in facts["Pays"] if w == x])),
    ),
    Definition(
        "Most(x, n) := n = max(b: Knows(x, y) ^ Age(y, b)).",
        "Most",
        ("person", "number"),
        _each(lambda facts, x: max((b for _, b in _ages(facts, x)), default=None)),  # type: ignore[type-var]
    ),
    Definition(
        "Least(x, n) := n = min(b: Knows(x, y) ^ Age(y, b)).",
        "Least",
        ("person", "number"),
        _each(lambda facts, x: min((b for _, b in _ages(facts, x)), default=None)),  # type: ignore[type-var]
    ),
    Definition(
        "Last(x, n) := n = latest(d: Since(x, d)).",
        "Last",
        ("person", "date"),
        _each(lambda facts, x: max((d for w, d in facts["Since"] if w == x), default=None)),  # type: ignore[type-var]
    ),
    Definition(
        "Back(x, n) := n = share(y: Knows(x, y), Knows(y, x)).",
        "Back",
        ("person", "number"),
        _each(_share),
    ),
    Definition(
        "Lately(x, n) := n = count(d: Since(x, d) ^ d > $now - 60).",
        "Lately",
        ("person", "number"),
        lambda facts, people: {
            (
                x,
                float(
                    sum(w == x and d > _now(facts) - timedelta(days=60) for w, d in facts["Since"])
                ),
            )  # type: ignore[operator]
            for x in people
        },
    ),
    Definition(
        "Unlike(x, y) := Knows(x, y) ^ !Knows(y, x).",
        "Unlike",
        ("person", "person"),
        lambda facts, people: {(x, y) for x, y in facts["Knows"] if (y, x) not in facts["Knows"]},
    ),
    Definition(
        "Poor(x) := Age(x, a) ^ Pays(x, y, b) ^ b > a ^ !Knows(y, x).",
        "Poor",
        ("person",),
        lambda facts, people: {
            (x,)
            for x, a in facts["Age"]
            for w, y, b in facts["Pays"]
            if x == w and b > a and (y, x) not in facts["Knows"]  # type: ignore[operator]
        },
    ),
    Definition(
        "Before(x, d, n) := Since(x, d) ^ n = count(y: Since(y, e) ^ e < d).",
        "Before",
        ("person", "date", "number"),
        lambda facts, people: {
            (x, d, float(len({y for y, e in facts["Since"] if e < d})))  # type: ignore[operator]
            for x, d in facts["Since"]
        },
    ),
    Definition(
        "Shared(x, y, n) := Knows(x, y) ^ n = sum(a: Pays(x, z, a) ^ Pays(y, z, a)).",
        "Shared",
        ("person", "person", "number"),
        lambda facts, people: {
            (x, y, float(sum(a for _, a in _paid(facts, x) & _paid(facts, y))))  # type: ignore[misc]
            for x, y in facts["Knows"]
        },
    ),
    Definition(
        "Pair(x, y) := Knows(x, z) ^ Knows(y, z) ^ x != y.\nPairs(x, n) := n = count(y: "
        "Pair(x, y)).",
        "Pairs",
        ("person", "number"),
        _each(
            lambda facts, x: float(
                len(
                    {
                        y
                        for w, z in facts["Knows"]
                        for y, v in facts["Knows"]
                        if w == x != y
                        if v == z
                    }
                )
            )
        ),
    ),
    Definition(
        "Mutual(x, n) := n = exists(y: Knows(x, y) ^ Knows(y, x)).",
        "Mutual",
        ("person", "number"),
        _each(
            lambda facts, x: float(
                any(w == x and (y, x) in facts["Knows"] for w, y in facts["Knows"])
            )
        ),
    ),
]


def _mean(numbers: Sequence[Value]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None  # type: ignore[arg-type]
