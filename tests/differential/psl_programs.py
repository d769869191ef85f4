"""Random PSL programs with data: worlds, open and closed predicates, all rules."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from tests.differential.psl_syntax import read_rule
from tests.differential.psl_validity import OPEN, is_acceptable
from tests.grounding.random_psl import ARITY, random_rule

NAMES = ["Ann", "Bob", "Cy", "10", "9", "a b"]
FAMILY = 8
"""Programs in a row that have the listed atoms in common: these are loaded once."""
Fact = tuple[str, str, tuple[str, ...], float | None]
"""Predicate, `observations`, `targets` or `truth`, arguments, value."""


@dataclass(frozen=True)
class PslCase:
    """Rules, and the atoms that each world lists."""

    seed: int
    rules: tuple[str, ...]
    worlds: tuple[tuple[str, tuple[Fact, ...]], ...]

    @property
    def text(self) -> str:
        return "\n".join(self.rules) + "\n"

    def document(self, world: int) -> dict[str, Any]:
        """The PSL 2.4 document of one world, rules included."""
        predicates: dict[str, Any] = {}
        for name, arity in ARITY.items():
            section: dict[str, Any] = {"observations": [], "targets": [], "truth": []}
            for predicate, part, arguments, value in self.worlds[world][1]:
                if predicate == name:
                    section[part].append([*arguments, *([] if value is None else [value])])
            predicates[f"{name}/{arity}"] = {part: rows for part, rows in section.items() if rows}
            if name in OPEN and not section["targets"]:
                predicates[f"{name}/{arity}"] = ["open", predicates[f"{name}/{arity}"]]
            elif not any(section.values()):
                predicates[f"{name}/{arity}"] = "closed"
        return {"predicates": predicates, "rules": list(self.rules)}

    def shown(self) -> str:
        parts = [f"// seed {self.seed}", self.text]
        parts += [
            json.dumps(self.document(number)["predicates"]) for number in range(len(self.worlds))
        ]
        return "\n".join(parts)

    def smaller(self) -> list[PslCase]:
        """Cases with one rule, one world or one atom less."""
        found = [
            replace(self, rules=self.rules[:i] + self.rules[i + 1 :])
            for i in range(len(self.rules))
        ]
        found = found if len(self.rules) > 1 else []
        if len(self.worlds) > 1:
            found += [
                replace(self, worlds=self.worlds[:i] + self.worlds[i + 1 :])
                for i in range(len(self.worlds))
            ]
        for number, (name, facts) in enumerate(self.worlds):
            for i in range(len(facts)):
                changed = list(self.worlds)
                changed[number] = (name, facts[:i] + facts[i + 1 :])
                found.append(replace(self, worlds=tuple(changed)))
        return found


def random_psl_case(seed: int) -> PslCase:
    """The case of a seed."""
    draw = random.Random(f"psl rules {seed}")
    wanted = draw.choice([1, 2, 3, 4])
    rules: list[str] = []
    while len(rules) < wanted:
        line = " ".join(random_rule(draw).split())
        if is_acceptable(read_rule(line)):
            rules.append(line)
    draw = random.Random(f"psl data {seed // FAMILY}")
    worlds = []
    for number in range(draw.choice([1, 1, 2, 3])):
        constants = draw.sample(NAMES, draw.choice([2, 3]))
        if draw.random() < 0.7:
            constants = sorted({"Ann", *constants})
        facts: list[Fact] = []
        for name, arity in ARITY.items():
            full = draw.random() < 0.8
            for arguments in product(constants, repeat=arity):
                kind, value = draw.random(), draw.choice([0.0, 0.25, 1.0, 1.0])
                if name in OPEN:
                    if kind < 0.2:
                        facts.append((name, "observations", arguments, value))
                    elif full or kind < 0.8:
                        facts.append((name, "targets", arguments, None))
                elif kind < 0.6:
                    facts.append((name, "observations", arguments, value))
        worlds.append((f"w{number}", tuple(facts)))
    return PslCase(seed, tuple(rules), tuple(worlds))
