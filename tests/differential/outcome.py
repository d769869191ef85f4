"""What came of a case: agreement, a refusal with its code, or a difference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Difference", "Tally"]


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
