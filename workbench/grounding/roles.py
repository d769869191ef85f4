"""Which predicates are evidence and which are open, from the program, the data and the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import duckdb

from workbench.database.identifiers import quoted
from workbench.database.rows import filled, with_a_row
from workbench.database.stored import StoredPredicate
from workbench.errors import Diagnostic, UsageError, did_you_mean
from workbench.grounding.request import GroundRequest
from workbench.grounding.role_notes import (
    without_atoms,
    without_mark,
    without_question,
    without_rules,
)
from workbench.language.clauses import Clause, LinearRule
from workbench.language.declarations import Predicate
from workbench.language.formulas import formula_atoms
from workbench.language.program import FormulaRule, Program
from workbench.language.terms import Atom, Literal
from workbench.language.values import ValueKind


class Role(StrEnum):
    EVIDENCE = "evidence"
    QUERY = "query"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class FactKinds:
    """A predicate's kinds of facts in the chosen worlds; `asked`: some in partition `target`."""

    evidence: bool
    uncertain: bool
    target: bool
    truth: bool
    asked: bool = False


NO_FACTS = FactKinds(False, False, False, False)


@dataclass(frozen=True, slots=True)
class RoleOf:
    """The role of one predicate.

    `listed`: its open atoms are those that the data list (PSL targets; atoms of an evidence
    predicate that the data leave unknown or give a probability), not the cross product of its
    domains. `scoped`: those of its scopes.
    """

    predicate: Predicate
    role: Role
    listed: bool
    facts: FactKinds
    scoped: bool = False

    @property
    def open(self) -> bool:
        return self.role is not Role.EVIDENCE or self.listed


def open_literals(roles: Mapping[str, RoleOf], clause: Clause) -> tuple[Literal, ...]:
    """The literals of a clause whose atoms may be open."""
    return tuple(one for one in clause.literals if roles[one.atom.predicate].open)


def closed_atoms(roles: Mapping[str, RoleOf], clause: Clause, *, positive: bool) -> list[Atom]:
    """The atoms of a clause's literals of one sign that evidence decides."""
    closed = (one for one in clause.literals if not roles[one.atom.predicate].open)
    return [one.atom for one in closed if one.positive == positive]


def mentioned_predicates(clauses: tuple[Clause | LinearRule, ...]) -> set[str]:
    """Predicates that occur in some clause, or in a filter of one."""
    found: set[str] = set()
    for clause in clauses:
        if isinstance(clause, Clause):
            found |= {literal.atom.predicate for literal in clause.literals}
        else:
            found |= {atom.predicate for term in clause.terms for atom in term.atoms}
            conditions = (one.condition for one in clause.filters)
            found |= {atom.predicate for one in conditions for atom in formula_atoms(one)}
    return found


def assign_roles(
    program: Program,
    stored: Mapping[str, StoredPredicate],
    facts: Mapping[str, FactKinds],
    request: GroundRequest,
    mentioned: set[str],
) -> tuple[dict[str, RoleOf], list[Diagnostic]]:
    """The role of every predicate of the program.

    Raises E0301 for a name that is no predicate; E0302 for a predicate both query and closed.
    """
    _check_names(program, request)
    _check_values(program, request)
    assigning = _Assigning(program, stored, facts, request, mentioned)
    roles = {name: assigning.role_of(one) for name, one in program.predicates.items()}
    return roles, assigning.notes


@dataclass
class _Assigning:
    """What decides the roles of a program's predicates, and what is noted on the way."""

    program: Program
    stored: Mapping[str, StoredPredicate]
    facts: Mapping[str, FactKinds]
    request: GroundRequest
    mentioned: set[str]
    notes: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.psl = self.program.language == "psl"
        self.scopes = {scope.head.predicate for scope in self.program.scopes}
        # Definitions close their heads: that is nobody's `*`.
        closed = {name for name, one in self.program.predicates.items() if one.closed}
        self.marked = not self.psl and not closed <= self.program.defined

    def role_of(self, predicate: Predicate) -> RoleOf:
        name, kinds, closed = predicate.name, self.facts[predicate.name], predicate.closed
        if self.psl and closed is None and name in self.stored:
            closed = self.stored[name].closed
        role = self._asked_or_closed(predicate, closed)
        if role is None and self.psl:
            role = self._in_soft_logic(name, closed)
        elif role is None:
            role = self._in_markov_logic(predicate)
        if self.psl:
            self._note_atoms(predicate, closed, role)
            listed = role is not Role.EVIDENCE
        else:
            listed = role is Role.EVIDENCE and kinds.uncertain and not predicate.has_values
        scoped = name in self.scopes and role is not Role.EVIDENCE
        return RoleOf(predicate, role, listed or scoped, kinds, scoped)

    def _asked_or_closed(self, predicate: Predicate, closed: bool | None) -> Role | None:
        """The role that the request or the program itself gives; None where data decide."""
        name, request = predicate.name, self.request
        if name in (request.query or ()):
            return Role.QUERY
        if name in request.hidden:
            return Role.HIDDEN
        if name in request.closed or closed is True or predicate.has_values:
            return Role.EVIDENCE
        return None

    def _in_soft_logic(self, name: str, closed: bool | None) -> Role:
        if not (self.facts[name].target or closed is False or name in self.scopes):
            return Role.EVIDENCE
        return Role.QUERY if self.request.query is None else Role.HIDDEN

    def _in_markov_logic(self, predicate: Predicate) -> Role:
        name, evidence = predicate.name, self.facts[predicate.name].evidence
        all_asked, mentioned = self.request.query is None, predicate.name in self.mentioned
        if name in self.scopes and all_asked:
            return Role.QUERY
        if evidence or not (all_asked or mentioned):
            if self.marked and evidence and mentioned:
                self.notes.append(without_mark(predicate))
            return Role.EVIDENCE
        if all_asked:
            asked = mentioned or name in _named(self.program)
            return Role.QUERY if asked else Role.EVIDENCE
        self.notes.append(without_question(predicate))
        return Role.HIDDEN

    def _note_atoms(self, predicate: Predicate, closed: bool | None, role: Role) -> None:
        """Note a predicate of soft logic that has no atoms or no rules."""
        kinds, mentioned = self.facts[predicate.name], predicate.name in self.mentioned
        unknown = closed is False or (closed is None and not kinds.evidence)
        if unknown and not kinds.target and mentioned:
            self.notes.append(without_atoms(predicate, is_open=closed is False))
        predicted = role is Role.QUERY and self.request.role == "infer"
        if predicted and kinds.target and not mentioned:
            self.notes.append(without_rules(predicate))


def _named(program: Program) -> set[str]:
    """Predicates in the formulas as written, also those that only tautologies name."""
    formulas = [rule.formula for rule in program.rules if isinstance(rule, FormulaRule)]
    return {atom.predicate for formula in formulas for atom in formula_atoms(formula)}


def _check_names(program: Program, request: GroundRequest) -> None:
    for option, names in (
        ("query", request.query or ()),
        ("closed", request.closed),
        ("hidden", request.hidden),
    ):
        for name in names:
            if name not in program.predicates:
                has = f"its predicates are {', '.join(program.predicates)}"
                raise UsageError.of(
                    "E0301",
                    f"{option} names {name}, which is no predicate of the program",
                    help=did_you_mean(name, program.predicates, has),
                )
    for one, other in (("query", "closed"), ("hidden", "closed"), ("query", "hidden")):
        both = set(getattr(request, one) or ()) & set(getattr(request, other) or ())
        if both:
            raise UsageError.of("E0302", f"{min(both)} cannot be both --{one} and --{other}")


def _check_values(program: Program, request: GroundRequest) -> None:
    for name in (*(request.query or ()), *request.hidden):
        predicate = program.predicates[name]
        if predicate.has_values:
            kind = next(kind for kind in predicate.kinds if kind is not None)
            raise UsageError.of(
                "E0322",
                f"{name} has an argument that is a {kind}, so its atoms are facts and cannot be "
                "asked about",
                help=f"say at which dates: `{name}(...) open where ...`"
                if ValueKind.DATE in predicate.kinds
                else "ask about a predicate of constants; rules can compare and count the values",
            )
        if name in program.defined:
            message = f"{name} is defined by `:=`, so its atoms cannot be asked about"
            raise UsageError.of(
                "E0322", message, help="ask about a predicate that no definition makes"
            )


_LOOKED_FOR = (
    "partition = 'evidence'",
    "partition = 'evidence' AND value IS NULL",
    "partition = 'evidence' AND value > 0 AND value < 1",
    "partition = 'target'",
    "partition = 'truth'",
)
"""Facts one of which decides; each condition rules out by itself blocks of a table."""


def fact_kinds(
    connection: duckdb.DuckDBPyConnection,
    program: Program,
    stored: Mapping[str, StoredPredicate],
    worlds: tuple[int, ...],
) -> dict[str, FactKinds]:
    """A predicate's kinds of facts in some worlds; each is looked for until one is found."""
    chosen = ", ".join(map(str, worlds)) or "NULL"
    declared = [name for name in program.predicates if name in stored]
    with_facts = filled(connection, (stored[name].table_name for name in declared))
    present = [name for name in declared if stored[name].table_name in with_facts]
    there = with_a_row(
        connection,
        [
            f"FROM {quoted(stored[name].table_name)} WHERE world IN ({chosen}) AND {condition}"
            for name in present
            for condition in _LOOKED_FOR
        ],
    )
    kinds = dict.fromkeys(program.predicates, NO_FACTS)
    for place, name in enumerate(present):
        first = place * len(_LOOKED_FOR)
        evidence, unknown, between, target, truth = (
            number in there for number in range(first, first + len(_LOOKED_FOR))
        )
        kinds[name] = FactKinds(evidence, unknown or between, target or unknown, truth, target)
    return kinds
