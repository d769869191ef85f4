"""What soft logic asks of a program once the data have said which predicates are open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import duckdb

from workbench.database.identifiers import quoted
from workbench.database.stored import StoredPredicate
from workbench.errors import Diagnostic, InputError
from workbench.grounding.request import GroundRequest
from workbench.grounding.roles import RoleOf, mentioned_predicates
from workbench.language.clauses import Clause, LinearRule
from workbench.language.formulas import formula_atoms, rule_atoms, rule_comparisons
from workbench.language.program import Program
from workbench.language.terms import Apply


def check_demands(
    connection: duckdb.DuckDBPyConnection,
    program: Program,
    stored: Mapping[str, StoredPredicate],
    roles: Mapping[str, RoleOf],
    request: GroundRequest,
    clauses: tuple[Clause | LinearRule, ...],
) -> None:
    """Refuse a soft program that cannot mean what it says.

    Raises E0309 for predicates that the data have nothing of; E0315 for a program without rules;
    E0316 for a product of several open atoms, E0317 for an open atom in a filter, E0329 for a
    function that is a predicate of the data. All of them at once.
    """
    if not program.rules:
        raise InputError.of(
            "E0315",
            "this soft logic program has no rules",
            help="write at least one, such as `1: Knows(A, B) -> ...`",
        )
    mentioned = {name: roles[name] for name in mentioned_predicates(clauses)}
    found = list(_without_data(connection, program, stored, mentioned, request))
    found += _functions_that_are_predicates(program, stored)
    # A soft equality is two linear rules of one rule: it is looked at once.
    linear = {clause.rule: clause for clause in clauses if isinstance(clause, LinearRule)}
    for clause in linear.values():
        found += _open_products(clause, roles)
        found += _open_filters(clause, roles)
    if found:
        raise InputError(tuple(found))


def _without_data(
    connection: duckdb.DuckDBPyConnection,
    program: Program,
    stored: Mapping[str, StoredPredicate],
    roles: Mapping[str, RoleOf],
    request: GroundRequest,
) -> Iterator[Diagnostic]:
    """Predicates that no world has an atom of, and that nobody declared open or closed."""
    where = {
        atom.predicate: atom.span
        for rule in reversed(program.rules)
        for atom in reversed(tuple(rule_atoms(rule)))
    }
    said = {*request.closed, *request.hidden, *(request.query or ()), *program.defined}
    for name, role in roles.items():
        facts, predicate = role.facts, role.predicate
        known = predicate.closed if predicate.closed is not None else stored[name].closed
        if known is not None or name in said or facts.evidence or facts.target or facts.truth:
            continue
        rows = connection.execute(
            f"SELECT 1 FROM {quoted(stored[name].table_name)} LIMIT 1"
        ).fetchall()
        if not rows:
            message = f"{name} has no data: neither observations nor targets"
            help_text = (
                "is it spelt as in the data? if it is meant to be empty, name it with "
                f"--closed {name}"
            )
            yield Diagnostic("E0309", message, where.get(name), help_text)


def _functions_that_are_predicates(
    program: Program, stored: Mapping[str, StoredPredicate]
) -> Iterator[Diagnostic]:
    """Degrees whose function has the name of a predicate of the data: which is meant is unclear."""
    names = {name.casefold(): name for name in stored}
    for rule in program.rules:
        for comparison in rule_comparisons(rule):
            function = comparison.left.function if isinstance(comparison.left, Apply) else ""
            if comparison.operator.endswith("~") and function.casefold() in names:
                known = names[function.casefold()]
                message = (
                    f"{function} is a function of soft logic, and the data have a predicate {known}"
                )
                yield Diagnostic(
                    "E0329", message, comparison.span, "give the predicate another name"
                )


def _open_products(rule: LinearRule, roles: Mapping[str, RoleOf]) -> Iterator[Diagnostic]:
    for term in rule.terms:
        names = [atom.predicate for atom in term.atoms if roles[atom.predicate].open]
        if len(names) > 1:
            shown = " and ".join(dict.fromkeys(names))
            yield Diagnostic(
                "E0316",
                f"this rule multiplies open atoms ({shown}), so it is not linear",
                rule.span,
                "a product may hold one open atom; close the others' predicates, or write a "
                "logical rule",
            )


def _open_filters(rule: LinearRule, roles: Mapping[str, RoleOf]) -> Iterator[Diagnostic]:
    for filter_ in rule.filters:
        for name in dict.fromkeys(atom.predicate for atom in formula_atoms(filter_.condition)):
            if roles[name].open:
                yield Diagnostic(
                    "E0317",
                    f"the filter on {filter_.variable} asks for {name}, whose atoms are open",
                    rule.span,
                    "a filter is decided before inference: ask for a predicate with observations "
                    "only",
                )
