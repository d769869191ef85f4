"""The last grounding of a workspace, given again while facts and rules are as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.database import Database, fact_print
from workbench.grounding import Grounding, GroundRequest, ground
from workbench.grounding.program_clauses import clauses_of
from workbench.language.clauses import LinearRule
from workbench.language.program import Program, Weight
from workbench.language.rewriting import rule_text
from workbench.language.user_functions import UserFunction, registered_functions
from workbench.progress import SILENT, Progress


@dataclass(frozen=True)
class _Origin:
    """What a grounding depends on but for the size of weights; equal ones have equal rows."""

    facts: str
    program: Program
    rules: tuple[str, ...]
    predicates: tuple[str, ...]
    request: GroundRequest
    templates: int | None
    functions: Mapping[str, UserFunction]


@dataclass(frozen=True)
class _Kept:
    """A grounding and what it was made of; `request` keeps the templates that `origin` knows."""

    origin: _Origin
    program: Program
    request: GroundRequest
    grounding: Grounding


@dataclass
class LastGrounding:
    """Grounds, and keeps what it made last: rules with other weights ground nothing again.

    Rows do not depend on weights; which satisfied groundings are counted depends on their signs, so
    a sign that changes grounds again. Networks whose rows lie in files, or are left to a source,
    are not kept.
    """

    _kept: _Kept | None = field(default=None, repr=False)

    def ground(
        self,
        database: Database,
        program: Program,
        request: GroundRequest,
        *,
        progress: Progress = SILENT,
    ) -> Grounding:
        """As `grounding.ground`, after one scan of the facts for their fingerprint."""
        origin, kept = _origin(database, program, request), self._kept
        if kept is not None and kept.origin == origin:
            if kept.program.text == program.text:
                return kept.grounding
            # Warnings point into the text that they were found in.
            if not kept.grounding.warnings:
                return _reweighted(database, program, request, kept.grounding)
        # Two groundings need not fit into memory.
        self._kept = kept = None
        grounding = ground(database, program, request, progress=progress)
        if grounding.memory is None and grounding.left is None:
            self._kept = _Kept(origin, program, request, grounding)
        return grounding


def _origin(database: Database, program: Program, request: GroundRequest) -> _Origin:
    rules = tuple(replace(rule, weight=_sign(rule.weight)) for rule in program.rules)
    bare = replace(program, rules=rules)
    return _Origin(
        fact_print(database),
        bare,
        tuple(map(rule_text, program.rules)),
        (*program.types, *program.predicates, *program.functions),
        replace(request, templates=None, lazy=False),
        None if request.templates is None else id(request.templates),
        registered_functions(),
    )


def _sign(weight: Weight) -> Weight:
    return weight if weight.value is None else replace(weight, value=float(np.sign(weight.value)))


def _reweighted(
    database: Database, program: Program, request: GroundRequest, grounding: Grounding
) -> Grounding:
    """The grounding with the weights that the program gives its templates."""
    if request.templates is not None:
        return grounding
    given: dict[tuple[int, int], float | None] = {}
    for clause in clauses_of(database, program, request):
        by_data = not isinstance(clause, LinearRule) and clause.weight_variable is not None
        given.setdefault((clause.rule, clause.index), 1.0 if by_data else clause.weight)
    old = grounding.templates
    places = zip(old.rule.tolist(), old.clause.tolist(), old.weight.tolist())
    # Templates that no rule has, those of soft evidence, take their weight from the facts.
    found = [given.get((rule, clause), weight) for rule, clause, weight in places]
    weights = np.array([np.nan if one is None else one for one in found], np.float64)
    return replace(grounding, templates=replace(old, weight=weights))
