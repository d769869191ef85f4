"""Which predicates are evidence and which are open, from the program, the data and the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import duckdb

from workbench.database.identifiers import quoted
from workbench.database.stored import StoredPredicate
from workbench.errors import Diagnostic, UsageError, nearest
from workbench.grounding.request import GroundRequest
from workbench.language.clauses import Clause, LinearRule
from workbench.language.declarations import Predicate
from workbench.language.formulas import formula_atoms
from workbench.language.program import FormulaRule, Program
from workbench.language.values import ValueKind

__all__ = [
    "NO_FACTS",
    "FactKinds",
    "Role",
    "RoleOf",
    "assign_roles",
    "fact_kinds",
    "mentioned_predicates",
]


class Role(StrEnum):
    EVIDENCE = "evidence"
    QUERY = "query"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class FactKinds:
    """Which kinds of facts a predicate has in the chosen worlds; `asked`:
    some stand in the partition `target`.
    """

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


def mentioned_predicates(clauses: tuple[Clause | LinearRule, ...]) -> set[str]:
    """Predicates that occur in some clause."""
    found: set[str] = set()
    for clause in clauses:
        if isinstance(clause, Clause):
            found |= {literal.atom.predicate for literal in clause.literals}
        else:
            found |= {atom.predicate for term in clause.terms for atom in term.atoms}
    return found


def assign_roles(
    program: Program,
    stored: Mapping[str, StoredPredicate],
    facts: Mapping[str, FactKinds],
    request: GroundRequest,
    mentioned: set[str],
) -> tuple[dict[str, RoleOf], list[Diagnostic]]:
    """The role of every predicate of the program.

    Raises
    ------
    UsageError
        E0301 for a name that is no predicate; E0302 for a predicate both query and closed.
    """
    _check_names(program, request)
    notes: list[Diagnostic] = []
    psl = program.language == "psl"
    scopes = {scope.head.predicate for scope in program.scopes}
    marked = not psl and any(predicate.closed for predicate in program.predicates.values())
    _check_values(program, request)
    roles: dict[str, RoleOf] = {}
    for name, predicate in program.predicates.items():
        kinds = facts[name]
        closed = predicate.closed
        if psl and closed is None and name in stored:
            closed = stored[name].closed
        if request.query is not None and name in request.query:
            role = Role.QUERY
        elif name in request.hidden:
            role = Role.HIDDEN
        elif name in request.closed or closed is True or predicate.has_values:
            role = Role.EVIDENCE
        elif psl:
            is_open = kinds.target or closed is False or name in scopes
            role = (
                (Role.QUERY if request.query is None else Role.HIDDEN) if is_open else Role.EVIDENCE
            )
        elif name in scopes and request.query is None:
            role = Role.QUERY
        elif kinds.evidence or (request.query is not None and name not in mentioned):
            role = Role.EVIDENCE
            if marked and kinds.evidence and name in mentioned:
                notes.append(_without_mark(predicate))
        elif request.query is None:
            role = Role.QUERY if name in mentioned | _named(program) else Role.EVIDENCE
        else:
            role = Role.HIDDEN
            notes.append(
                Diagnostic(
                    "E0303",
                    f"{name} has no facts and is not asked about, so its atoms are open and hidden",
                    predicate.span,
                    help=f"name it with --closed {name} if no fact means that it is false",
                    severity="note",
                )
            )
        listed = psl and role is not Role.EVIDENCE
        unknown = closed is False or (closed is None and not kinds.evidence)
        if psl and unknown and not kinds.target and name in mentioned:
            notes.append(_without_atoms(predicate, is_open=closed is False))
        if (
            psl
            and role is Role.QUERY
            and kinds.target
            and name not in mentioned
            and request.role == "infer"
        ):
            notes.append(_without_rules(predicate))
        if role is Role.EVIDENCE and kinds.uncertain and not psl and not predicate.has_values:
            listed = True
        scoped = name in scopes and role is not Role.EVIDENCE
        roles[name] = RoleOf(predicate, role, listed or scoped, kinds, scoped)
    return roles, notes


def _named(program: Program) -> set[str]:
    """Predicates in the formulas as written, those that only tautologies name among them:
    they are asked about too.
    """
    formulas = [rule.formula for rule in program.rules if isinstance(rule, FormulaRule)]
    return {atom.predicate for formula in formulas for atom in formula_atoms(formula)}


def _without_mark(predicate: Predicate) -> Diagnostic:
    return Diagnostic(
        "E0319",
        f"{predicate.name} has facts and no `*`: it is taken for evidence, and atoms that no fact "
        "lists are false; Tuffy holds such a predicate open",
        predicate.span,
        f"--hidden {predicate.name} holds it open too; a `*` before its declaration says that it "
        "is evidence",
        severity="note",
    )


def _without_atoms(predicate: Predicate, *, is_open: bool) -> Diagnostic:
    if is_open:
        message, help_text = (
            f"{predicate.name} is open, and no target of it is listed",
            "list the atoms to predict",
        )
    else:
        message = (
            f"{predicate.name} has neither observations nor targets, so its atoms count as false"
        )
        help_text = "is it spelt as in the data? if it is meant to be empty, declare it closed"
    return Diagnostic("E0309", message, predicate.span, help_text, severity="warning")


def _without_rules(predicate: Predicate) -> Diagnostic:
    return Diagnostic(
        "E0314",
        f"{predicate.name} has targets, and no rule names it: they keep the values listed with "
        "them, else 0.5",
        predicate.span,
        "is it spelt in the rules as in the data? name the predicates to predict with --query to "
        "leave it out",
        severity="warning",
    )


def _check_names(program: Program, request: GroundRequest) -> None:
    for option, names in (
        ("query", request.query or ()),
        ("closed", request.closed),
        ("hidden", request.hidden),
    ):
        for name in names:
            if name not in program.predicates:
                close = nearest(name, program.predicates)
                raise UsageError.of(
                    "E0301",
                    f"--{option} names {name}, which is no predicate of the program",
                    help=f"did you mean {close}?" if close else None,
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


_FACT_KINDS = (
    "partition = 'evidence'",
    "partition = 'evidence' AND (value IS NULL OR (value > 0 AND value < 1))",
    "partition = 'target' OR (partition = 'evidence' AND value IS NULL)",
    "partition = 'truth'",
    "partition = 'target'",
)
"""The conditions of `FactKinds`' fields."""


def fact_kinds(
    connection: duckdb.DuckDBPyConnection,
    program: Program,
    stored: Mapping[str, StoredPredicate],
    worlds: tuple[int, ...],
) -> dict[str, FactKinds]:
    """Which kinds of facts each predicate of the program has in some worlds:
    one scan of their tables.
    """
    chosen = ", ".join(map(str, worlds)) or "NULL"
    present = [name for name in program.predicates if name in stored]
    if not present:
        return dict.fromkeys(program.predicates, NO_FACTS)
    kinds = ", ".join(f"coalesce(bool_or({condition}), false)" for condition in _FACT_KINDS)
    asked = " UNION ALL ".join(
        f"SELECT {number} AS n, {kinds} FROM {quoted(stored[name].table_name)} WHERE world IN "
        f"({chosen})"
        for number, name in enumerate(present)
    )
    found = {present[row[0]]: FactKinds(*row[1:]) for row in connection.execute(asked).fetchall()}
    return {name: found.get(name, NO_FACTS) for name in program.predicates}
