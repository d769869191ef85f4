"""The clauses of a program as a request asks for them: over its worlds, tied or apart."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from workbench.database.database import Database
from workbench.errors import InputError, UsageError, did_you_mean
from workbench.grounding.request import GroundRequest
from workbench.grounding.stored_domains import StoredDomains
from workbench.language.clausal import clausal_form_by_world
from workbench.language.clauses import Clause, LinearRule
from workbench.language.definitions import condition_atoms, strata
from workbench.language.formulas import plus_variables
from workbench.language.later_facts import later_facts
from workbench.language.program import FormulaRule, Program


def clauses_of(
    database: Database, program: Program, request: GroundRequest
) -> tuple[Clause | LinearRule, ...]:
    """Clausal form; where it depends on domains, those of each requested world by itself.

    Raises E0252 where a rule could see facts later than the date that an atom is asked at, unless
    that is allowed.
    """
    worlds = chosen_worlds(database, request)
    clauses = clausal_form_by_world(program, StoredDomains(database, worlds).by_world())
    later = () if request.allow_future else later_facts(program, clauses, request.closed)
    if later:
        raise InputError(later)
    return tied_by_formula(program, clauses) if request.tie else clauses


def tied_by_formula(
    program: Program, clauses: tuple[Clause | LinearRule, ...]
) -> tuple[Clause | LinearRule, ...]:
    """The clauses of a formula under one weight, where each depends on all of its `+` variables.

    Else they have weights of different numbers, and stay apart.
    """
    plus = {
        number: plus_variables(rule.formula)
        for number, rule in enumerate(program.rules)
        if isinstance(rule, FormulaRule)
    }
    apart = {
        one.rule
        for one in clauses
        if not isinstance(one, Clause) or one.multiset or set(one.plus) != plus[one.rule]
    }
    return tuple(
        one if not isinstance(one, Clause) or one.rule in apart or one.tied else _tied(one)
        for one in clauses
    )


def _tied(clause: Clause) -> Clause:
    weight = (
        clause.weight / clause.share
        if clause.weight is not None and clause.share
        else clause.weight
    )
    return replace(clause, index=0, weight=weight, tied=True)


def chosen_worlds(database: Database, request: GroundRequest) -> tuple[int, ...]:
    """Ids of the requested worlds, ascending."""
    known = database.worlds()
    if request.worlds is None:
        return tuple(sorted(known.values()))
    chosen = []
    for wanted in request.worlds:
        number = known.get(wanted) if isinstance(wanted, str) else wanted
        if number is None or number not in known.values():
            raise UsageError.of(
                "E0301",
                f"there is no world called {wanted}",
                help=did_you_mean(str(wanted), known),
            )
        chosen.append(number)
    return tuple(sorted(set(chosen)))


def needed_definitions(program: Program, mentioned: Collection[str]) -> frozenset[str]:
    """The defined predicates that rules and scopes are about, and those that these are made of."""
    wanted = set(mentioned)
    for scope in program.scopes:
        if scope.head.predicate in wanted:
            wanted |= {atom.predicate for atom in condition_atoms(scope.body)}
    for together in reversed(strata(program)):
        if wanted & set(together):
            for definition in program.definitions:
                if definition.head.predicate in together:
                    wanted |= {atom.predicate for atom in condition_atoms(definition.body)} | set(
                        together
                    )
    return program.defined & wanted
