"""What a learner says of itself, as data: chooser, help, docs/learning.md and tests read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.network.ground_network import Domain

BOTH = frozenset(Domain)
LOGIC = frozenset((Domain.BOOLEAN,))
SOFT = frozenset((Domain.UNIT,))


@dataclass(frozen=True)
class Declaration:
    """What a learner takes and gives.

    Attributes
    ----------
    maximises, iteration, when : str
        What is maximised, what an iteration costs, and when to take it, in a few words of Markdown.
    domains : frozenset of Domain
        Markov logic, soft logic, or both.
    hidden : {'summed out', 'completed', 'left out'}
        What becomes of atoms without a label: expected by a second chain, completed by the most
        likely state given the labels, or without a part in learning.
    objective : bool
        Whether the trace has the value of what is maximised (or minimised) in the column
        `objective`.
    joint : bool
        Whether ground clauses may hold several open atoms.
    by_world : bool
        Whether training databases should come apart (slacks of their own, one at a time) rather
        than as one network.
    lazy : bool
        Whether rules may be left ungrounded until a state violates them.
    counts : bool
        Whether it learns from the database's counts of all predicates' atoms (`Example.counts`),
        not from networks.
    passes : bool
        Whether it reads ground rows a run at a time, where all atoms have labels, so that they may
        lie on disk.
    default : (Domain, bool) or None
        `auto` takes it in that domain, where labels are hidden (True) or not.
    """

    maximises: str
    iteration: str
    when: str
    domains: frozenset[Domain] = BOTH
    hidden: Literal["summed out", "completed", "left out"] = "summed out"
    objective: bool = False
    joint: bool = True
    by_world: bool = False
    lazy: bool = False
    counts: bool = False
    passes: bool = False
    default: tuple[tuple[Domain, bool], ...] = ()

    @property
    def languages(self) -> str:
        """`MLN`, `PSL`, or both."""
        return ", ".join(word for domain, word in _LANGUAGES.items() if domain in self.domains)


_LANGUAGES = {Domain.BOOLEAN: "MLN", Domain.UNIT: "PSL"}
