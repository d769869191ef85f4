"""Random soft programs over numbers and dates: definitions, comparisons, degrees, scopes.

Each statement is drawn as its text and as a reading of it in Python or as the rules that it stands
for over observations of its own, side by side.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any

from tests.differential.psl_meaning import Listed
from tests.differential.psl_programs import PslCase, random_psl_case
from tests.differential.psl_validity import OPEN
from tests.grounding.random_psl import ARITY

Arguments = tuple[str, ...]
NUMBERS = (1.0, 3.0, 5.0, 9.0)
DATES = tuple(map(datetime.fromisoformat, ("2020-01-01", "2020-03-01", "2021-06-01")))


@dataclass(frozen=True)
class Known:
    """The facts of one world that definitions are made of."""

    knows: frozenset[Arguments]
    closed: frozenset[Arguments]
    age: frozenset[tuple[str, float]]
    since: frozenset[tuple[str, datetime]]


@dataclass(frozen=True)
class Made:
    """A definition, the closed predicate in whose place it stands, and its facts."""

    name: str
    text: tuple[str, ...]
    stands_for: str
    facts: Callable[[Known, datetime], set[Arguments]]


@dataclass(frozen=True)
class SoftValueCase:
    """Rules, each with what it stands for; the worlds are those of `listed`, and `known` beside.

    Attributes
    ----------
    rules : tuple of (text, rules that the oracle reads)
    scopes : mapping of open predicate to a place among its `SCOPES`
    """

    seed: int
    rules: tuple[tuple[str, tuple[str, ...]], ...]
    made: tuple[Made, ...]
    scopes: Mapping[str, int]
    listed: PslCase
    known: tuple[Known, ...]

    @property
    def text(self) -> list[str]:
        scopes = [
            f"{name}({'A' if name == 'Open' else 'A, B'}) open where {SCOPES[name][at][0]} ."
            for name, at in self.scopes.items()
        ]
        made = [line for one in self.made for line in one.text]
        return [*made, *scopes, *(text for text, _ in self.rules)]

    def document(self, world: int) -> dict[str, Any]:
        """The PSL 2.4 document of one world, rules included."""
        found, known = self.listed.document(world), self.known[world]
        ages = [[name, f"{age:g}"] for name, age in sorted(known.age)]
        dates = [[name, f"{date:%Y-%m-%d}"] for name, date in sorted(known.since)]
        found["predicates"] |= {
            "Age/2": {"types": ["UniqueStringID", "number"], "observations": ages},
            "Since/2": {"types": ["UniqueStringID", "date"], "observations": dates},
        }
        return found | {"rules": self.text}

    def meant(self, world: int) -> Listed:
        """The atoms of one world: those listed, those of the scopes, what definitions make, and a
        predicate for each number and date.
        """
        known = self.known[world]
        now = max((date for one in self.known for _, date in one.since), default=DATES[0])
        atoms = self.listed.worlds[world][1]
        values: dict[Arguments, float | None] = {}
        for name, at in self.scopes.items():
            constants = sorted({one for *_, arguments, _ in atoms for one in arguments})
            for arguments in product(constants, repeat=ARITY[name]):
                if SCOPES[name][at][1](known, *arguments):
                    values[name, *arguments] = None
        for name, _, arguments, value in atoms:
            # Outside of a scope all but what the data call true is false.
            if name not in self.scopes or value or (value == 0 and (name, *arguments) in values):
                values[name, *arguments] = value
        values |= {(one.name, *row): 1.0 for one in self.made for row in one.facts(known, now)}
        values |= {(f"Age{age:g}", name): 1.0 for name, age in known.age}
        values |= {(f"Since{DATES.index(date)}", name): 1.0 for name, date in known.since}
        low, high = span(self.known)
        for name, age in known.age:
            values[f"Degree{age:g}", name] = (age - low) / (high - low) if high > low else 0.0
        return Listed(values, frozenset(OPEN), frozenset(self.scopes))

    def shown(self) -> str:
        worlds = [str(self.document(number)["predicates"]) for number in range(len(self.known))]
        return "\n".join([f"// seed {self.seed}", *self.text, *worlds])

    def smaller(self) -> list[SoftValueCase]:
        found = [
            replace(self, rules=self.rules[:i] + self.rules[i + 1 :])
            for i in range(len(self.rules))
            if len(self.rules) > 1
        ]
        found += [replace(self, scopes={}) for _ in range(bool(self.scopes))]
        for i in range(len(self.known) if len(self.known) > 1 else 0):
            worlds = self.listed.worlds[:i] + self.listed.worlds[i + 1 :]
            listed = replace(self.listed, worlds=worlds)
            found.append(replace(self, listed=listed, known=self.known[:i] + self.known[i + 1 :]))
        return found


def span(known: tuple[Known, ...]) -> tuple[float, float]:
    """The least and the greatest number of all worlds."""
    ages = [age for one in known for _, age in one.age] or [0.0]
    return min(ages), max(ages)


def random_soft_value_case(seed: int) -> SoftValueCase:
    """The case of a seed."""
    draw = random.Random(f"soft values {seed}")
    listed = random_psl_case(seed)
    known = tuple(_known(draw, listed, world) for world in range(len(listed.worlds)))
    dated = any(one.since for one in known)
    offered = [one for one in MADE if dated or "$now" not in " ".join(one.text)]
    made = tuple(draw.sample(offered, draw.choice([0, 1, 2, 2])))
    rules = [(line, (line,)) for line in (_with_made(draw, one, made) for one in listed.rules)]
    low, high = span(known)
    for _ in range(draw.choice([0, 1, 1, 2])):
        text, stands_for = _compared(draw)
        if high > low or "scaled" not in text:
            rules.append((text, stands_for))
    scopes = {name: draw.randrange(len(SCOPES[name])) for name in OPEN if draw.random() < 0.25}
    return SoftValueCase(seed, tuple(rules), made, scopes, listed, known)


def _known(draw: random.Random, listed: PslCase, world: int) -> Known:
    atoms = listed.worlds[world][1]
    true = {
        kind: frozenset(arguments for name, _, arguments, value in atoms if (name, value) == kind)
        for kind in (("Knows", 1.0), ("Closed", 1.0))
    }
    names = sorted({name for _, _, arguments, _ in atoms for name in arguments})
    ages = {
        (name, draw.choice(NUMBERS)) for name in names for _ in range(draw.choice([0, 1, 1, 2]))
    }
    since = {(name, draw.choice(DATES)) for name in names for _ in range(draw.choice([0, 1, 1]))}
    return Known(true["Knows", 1.0], true["Closed", 1.0], frozenset(ages), frozenset(since))


def _with_made(draw: random.Random, rule: str, made: tuple[Made, ...]) -> str:
    """Some of its closed atoms exchanged for defined ones."""

    def exchanged(found: re.Match[str]) -> str:
        fitting = [one.name for one in made if one.stands_for == found[1]]
        return f"{draw.choice(fitting) if fitting and draw.random() < 0.6 else found[1]}("

    return re.sub(r"\b(Closed|Knows)\(", exchanged, rule)


def _compared(draw: random.Random) -> tuple[str, tuple[str, ...]]:
    """A rule about a number or a date, and the same once for each that it lets through."""
    condition, wanted = draw.choice(CONDITIONS)
    head = draw.choice(["Open(A)", "Link(A, B)", "!Open(A)", "Open(A) | Link(A, A)"])
    more = draw.choice(
        [" & Knows(A, B)", " & Link(A, B)"] if "B" in head else ["", " & Knows(A, B)"]
    )
    weight, square = draw.choice(["1.5", "0.7"]), draw.choice(["", " ^2"])
    return (
        f"{weight}: {condition}{more} -> {head}{square}",
        tuple(f"{weight}: {one}{more} -> {head}{square}" for one in wanted),
    )


def _reach(known: Known, now: datetime) -> set[Arguments]:
    found = set(known.knows)
    while more := {(a, d) for a, b in found for c, d in known.knows if b == c} - found:
        found |= more
    return found


def _friends(known: Known) -> dict[str, set[str]]:
    return {a: {b for c, b in known.knows if c == a} for a, _ in known.knows}


MADE = (
    Made(
        "Peers", ("Peers(A, B) := Knows(A, C) & Knows(B, C) & (A != B) .",), "Knows",
        lambda known, now: {
            (a, b) for a, c in known.knows for b, d in known.knows if c == d and a != b
        },
    ),
    Made(
        "Reach", ("Reach(A, B) := Knows(A, B) .", "Reach(A, C) := Reach(A, B) & Knows(B, C) ."),
        "Knows", _reach,
    ),
    Made(
        "Unmet", ("Unmet(A) := Knows(A, B) & !Closed(B) .",), "Closed",
        lambda known, now: {(a,) for a, b in known.knows if (b,) not in known.closed},
    ),
    Made(
        "Met",
        ("Number(A, N) := N = count(B: Knows(A, B)) .", "Met(A) := Number(A, N) & N >= 2 ."),
        "Closed",
        lambda known, now: {(a,) for a, met in _friends(known).items() if len(met) >= 2},
    ),
    Made(
        "Younger",
        (
            "Oldest(A, N) := N = max(V: Knows(A, B) & Age(B, V)) .",
            "Younger(A) := Oldest(A, N) & Age(A, V) & V < N .",
        ),
        "Closed",
        lambda known, now: {
            (a,) for a, age in known.age for b, other in known.age
            if (a, b) in known.knows and other > age
        },
    ),
    Made(
        "Lately",
        (
            "Recent(A, N) := N = count(D: Since(A, D) & D > $now - 100) .",
            "Lately(A) := Recent(A, N) & N > 0 .",
        ),
        "Closed",
        lambda known, now: {(a,) for a, date in known.since if date > now - timedelta(days=100)},
    ),
    Made(
        "Mostly",
        (
            "Part(A, N) := N = share(B: Knows(A, B), Closed(B)) .",
            "Mostly(A) := Part(A, N) & N > 0.4 .",
        ),
        "Closed",
        lambda known, now: {
            (a,) for a, met in _friends(known).items()
            if sum((b,) in known.closed for b in met) > 0.4 * len(met)
        },
    ),
    Made(
        "Later",
        (
            "Due(A, T) := Since(A, D) & T = D + 60 .",
            "Later(A, B) := Due(A, T) & Since(B, D) & T < D .",
        ),
        "Knows",
        lambda known, now: {
            (a, b) for a, one in known.since for b, other in known.since
            if one + timedelta(days=60) < other
        },
    ),
)  # fmt: skip
CONDITIONS = (
    ("Age(A, V) & (V >= 3)", [f"Age{age:g}(A)" for age in NUMBERS if age >= 3]),
    ("Age(A, V) & (V * 2 != 10)", [f"Age{age:g}(A)" for age in NUMBERS if age != 5]),
    ("Since(A, V) & (year(V) == 2020)", ["Since0(A)", "Since1(A)"]),
    ("Age(A, V) & scaled(V)", [f"Age{age:g}(A) & Degree{age:g}(A)" for age in NUMBERS]),
    ("Age(A, V) & !scaled(V)", [f"Age{age:g}(A) & !Degree{age:g}(A)" for age in NUMBERS]),
)
SCOPES: Mapping[str, tuple[tuple[str, Callable[..., bool]], ...]] = {
    "Open": (
        ("Age(A, V) & V > 2", lambda known, a: any(b == a and age > 2 for b, age in known.age)),
        ("Knows(A, B) & (A != B)", lambda known, a: any(b == a != c for b, c in known.knows)),
    ),
    "Link": (
        ("Knows(A, B)", lambda known, a, b: (a, b) in known.knows),
        (
            "Age(A, V) & Age(B, W) & V >= W",
            lambda known, a, b: any(
                (c, d) == (a, b) and v >= w for c, v in known.age for d, w in known.age
            ),
        ),
    ),
}
