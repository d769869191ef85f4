"""What grounding gives back."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import Diagnostic
from workbench.grounding.atoms import AtomTable
from workbench.network.ground_network import GroundNetwork, Templates

__all__ = ["Grounding", "RuleCount"]


@dataclass(frozen=True)
class RuleCount:
    """What one rule of the program became.

    Attributes
    ----------
    rule : int
        Its number in the program.
    text : str
    clauses : int
    templates : int
    ground_rows : int
        Rows of the network (merged).
    unit_groundings : int
        Groundings with one open atom that went into `unit`.
    open, satisfied, violated : int
        Groundings with an open atom, satisfied by evidence alone, violated by evidence alone (before merging).
    unseen : int
        Groundings of `+` combinations that `templates` does not know; they weigh 0.
    """

    rule: int
    text: str
    clauses: int
    templates: int
    ground_rows: int
    unit_groundings: int
    open: int
    satisfied: int
    violated: int
    unseen: int = 0


@dataclass(frozen=True)
class Grounding:
    """A ground network, its weights' templates, its atoms and what each rule became."""

    network: GroundNetwork
    templates: Templates
    atoms: AtomTable
    rules: tuple[RuleCount, ...]
    warnings: tuple[Diagnostic, ...] = ()
