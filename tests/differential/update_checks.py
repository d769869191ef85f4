"""Facts changed in random sequences: every updated answer beside a fresh run's."""

from __future__ import annotations

from dataclasses import dataclass

from tests.differential.outcome import Difference, Tally
from tests.verbs.update_sequences import run_sequence


@dataclass(frozen=True)
class UpdateCase:
    """The sequence of a seed."""

    seed: int

    def shown(self) -> str:
        return f"python -m tests.verbs.update_sequences 1 {self.seed}"

    def smaller(self) -> list[UpdateCase]:
        return []


def check_updates(case: UpdateCase, tally: Tally) -> None:
    """Raise `Difference` where an updated network's figures are not a fresh one's."""
    try:
        done = run_sequence(case.seed)
    except AssertionError as error:
        raise Difference("update", str(error)[:500]) from None
    tally.counts.update(done)
