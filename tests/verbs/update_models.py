"""Small models whose facts change at random: rules, what is asked, and what facts may say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

CONSTANTS = {
    "p": ("Anna", "Bob", "Carl", "Dora", "Eve", "Fred"),
    "l": ("Rome", "Oslo", "Bern"),
    "w": ("Red", "Blue", "Green"),
    "n": ("1", "2.5", "7", "-3"),
    "d": ('"2020-01-31"', '"2020-06-01"', '"2021-03-01"', '"2023-02-01"'),
    "t": ('"Ann Smith"', '"Anne Smith"', '"Bob Jones"', '"Bob Smith"'),
}
VALUES = frozenset("ndt")


@dataclass(frozen=True)
class Model:
    """Rules, query, and what facts may say: predicates with kinds (`=`: a function)."""

    rules: str
    query: str
    facts: str

    def predicates(self) -> list[tuple[str, str]]:
        """Names and kinds."""
        return [
            (name, kinds) for name, _, kinds in (one.partition("/") for one in self.facts.split())
        ]


def random_fact(random: Random, model: Model) -> str:
    """A fact as text, denied now and then where no value stands in it."""
    name, kinds = random.choice(model.predicates())
    drawn = [random.choice(CONSTANTS[kind]) for kind in kinds.lstrip("=")]
    if kinds.startswith("="):
        return f"{name}({', '.join(drawn[:-1])}) = {drawn[-1]}"
    sign = "!" if random.random() < 0.15 and VALUES.isdisjoint(kinds) else ""
    return f"{sign}{name}({', '.join(drawn)})"


def one_of_each_atom(facts: Iterable[str]) -> list[str]:
    """The facts without those that others contradict: one update says one thing of an atom."""
    return list({text.lstrip("!").split(" = ")[0]: text for text in facts}.values())
