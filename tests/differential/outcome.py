"""What came of a case: agreement, a refusal with its code, or a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

Key = TypeVar("Key", str, tuple[str, str])
"""An atom, or a world and an atom."""


class Difference(AssertionError):
    """The workbench and the oracle disagree; `check` names what was compared."""

    def __init__(self, check: str, detail: str) -> None:
        super().__init__(f"{check}: {detail}")
        self.check = check


@dataclass
class Tally:
    """Figures of a run, by name, and the differences found."""

    counts: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, number: int = 1) -> None:
        self.counts[name] += number

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.counts + other.counts, self.differences + other.differences)

    def lines(self) -> list[str]:
        """For people, the largest figures first."""
        return [f"{number:>9,}  {name}" for name, number in self.counts.most_common()]


def same_probabilities(got: Mapping[Key, float], wanted: Mapping[Key, float]) -> None:
    """Raise `Difference` where atoms are open on one side alone, or a probability is another."""
    if got.keys() != wanted.keys():
        apart = sorted(got.keys() ^ wanted.keys())[:3]
        raise Difference("open atoms", f"{apart} are open on one side alone")
    for atom, p in wanted.items():
        if abs(got[atom] - p) > 1e-6:
            raise Difference("probability", f"{atom}: {got[atom]:.6f}, oracle {p:.6f}")
