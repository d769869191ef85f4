"""What grounding is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from workbench.network.ground_network import Templates

DEFAULT_LIMIT = 50_000_000
"""Ground rows beyond which a slip in a rule is likelier than a wish for them."""


@dataclass(frozen=True)
class GroundRequest:
    """How a program is grounded.

    Parameters
    ----------
    query, closed, hidden : sequence of str or None
        Predicates asked about, taken as evidence, and open without being asked about. `query=None`:
        predicates without facts (MLN), predicates with targets (PSL).
    role : {'infer', 'learn'}
        In `learn`, facts of query and hidden predicates are labels and never reach the network.
    worlds : sequence of int or str, or None
        Ids or names of the databases; None for all.
    templates : Templates or None
        Those of an earlier grounding, to be reused with their ids; None makes them from this one.
    tie : bool
        One template per formula (times its `+` constants) instead of one per clause; clauses stay
        apart where one lacks a `+` variable of the formula.
    limit : int
        Most ground rows; more are refused before anything is materialised.
    memory : int or None
        Bytes that the answer may take; where the estimate is above it nothing is materialised.
    on_disk : bool
        Rows that memory would not hold are kept in files, for an engine that passes over them.
    lazy : bool
        Rules of very many groundings, all of them open and free where they hold, may be left to a
        row source, for an engine that asks for what its state violates.
    ignore_evidence_violations : bool
        Hard rules violated by evidence alone become warnings.
    allow_future : bool
        Atoms that are asked at a date may depend on facts later than that.
    """

    query: Sequence[str] | None = None
    closed: Sequence[str] = ()
    hidden: Sequence[str] = ()
    role: OneOf["infer", "learn"] = "infer"
    worlds: Sequence[int | str] | None = None
    templates: Templates | None = None
    tie: bool = False
    limit: int = DEFAULT_LIMIT
    memory: int | None = None
    on_disk: bool = False
    lazy: bool = False
    ignore_evidence_violations: bool = False
    allow_future: bool = False
