"""What grounding is asked for, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from workbench.errors import Diagnostic
from workbench.network.ground_network import GroundNetwork, Templates

if TYPE_CHECKING:
    from workbench.grounding.atoms import AtomTable

__all__ = ["DEFAULT_LIMIT", "GroundRequest", "Grounding", "RuleCount"]

DEFAULT_LIMIT = 50_000_000


@dataclass(frozen=True)
class GroundRequest:
    """How a program is grounded.

    Parameters
    ----------
    query, closed, hidden : sequence of str or None
        Predicates asked about, taken as evidence, and open without being asked about. `query=None`: predicates
        without facts (MLN), predicates with targets (PSL).
    role : {'infer', 'learn'}
        In `learn`, facts of query and hidden predicates are labels and never reach the network.
    worlds : sequence of int or str, or None
        Ids or names of the databases; None for all.
    templates : Templates or None
        Those of an earlier grounding, to be reused with their ids; None makes them from this one.
    tie : bool
        One template per formula (times its `+` constants) instead of one per clause.
    limit : int
        Most ground rows; more are refused before anything is materialised.
    ignore_evidence_violations : bool
        Hard rules violated by evidence alone become warnings.
    """

    query: Sequence[str] | None = None
    closed: Sequence[str] = ()
    hidden: Sequence[str] = ()
    role: OneOf["infer", "learn"] = "infer"
    worlds: Sequence[int | str] | None = None
    templates: Templates | None = None
    tie: bool = False
    limit: int = DEFAULT_LIMIT
    ignore_evidence_violations: bool = False


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
