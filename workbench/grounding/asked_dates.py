"""The dates at which scopes ask, as constants: found in the facts before anything is grounded."""

from __future__ import annotations

from dataclasses import replace

import duckdb

from workbench.database.database import Database
from workbench.database.stored import is_no_value, text_of_value
from workbench.errors import InputError
from workbench.grounding.definitions import make_definitions
from workbench.grounding.prepare import prepare
from workbench.grounding.program_clauses import needed_definitions
from workbench.grounding.request import GroundRequest
from workbench.language.asked_dates import ASKED_DATE, asked_at
from workbench.language.builtin import DATE_OF
from workbench.language.declarations import Predicate, Type
from workbench.language.printing import quote_constant
from workbench.language.program import Definition, Program, Scope
from workbench.language.terms import Atom, Literal, Variable
from workbench.language.values import ValueKind

FOUND = "dates of scopes"


def with_dates_of_scopes(database: Database, program: Program) -> Program:
    """The program with the dates that its scopes ask at, in any world, among its constants.

    Raises E0251 where a fact of a predicate that is asked at dates has something else in a date's
    place.
    """
    scopes = [one for one in program.scopes if asked_at(program.predicates[one.head.predicate])]
    if not scopes:
        return program
    finding = tuple(one for scope in scopes for one in _finding(scope))
    made = replace(
        program,
        rules=(),
        scopes=(),
        definitions=(*program.definitions, *finding),
        predicates={**program.predicates, FOUND: Predicate(FOUND, ("date",), closed=True)},
    )
    vocabulary, _ = prepare(database, database.cursor(), made, (), GroundRequest())
    try:
        _check_names(vocabulary.connection, vocabulary.names(ASKED_DATE))
        make_definitions(vocabulary, needed_definitions(made, {FOUND}))
        table = vocabulary.table(vocabulary.stored[FOUND])
        text = text_of_value("a0", ValueKind.DATE)
        rows = vocabulary.connection.execute(
            f"SELECT DISTINCT {text} FROM {table} ORDER BY 1"
        ).fetchall()
    finally:
        vocabulary.drop()
    asked = replace(
        program,
        types={**program.types, ASKED_DATE: Type(ASKED_DATE, tuple(row[0] for row in rows))},
    )
    database.declare(asked)
    return asked


def _finding(scope: Scope) -> list[Definition]:
    """Definitions of the dates that a scope's body binds."""
    links = [
        one for one in scope.body if isinstance(one, Literal) and one.atom.predicate == DATE_OF
    ]
    body = tuple(one for one in scope.body if one not in links)
    dates = [link.atom.arguments[1] for link in links]
    return [Definition(Atom(FOUND, (date,)), body) for date in dates if isinstance(date, Variable)]


def _check_names(connection: duckdb.DuckDBPyConnection, constants: str) -> None:
    """Each constant is named by a date as rules and data write it, one constant a date."""
    value = "try_cast(name AS TIMESTAMP)"
    wrong = connection.execute(
        f"SELECT name FROM {constants} WHERE {is_no_value('name', ValueKind.DATE)} "
        f"OR name <> {text_of_value(value, ValueKind.DATE)} ORDER BY 1 LIMIT 1"
    ).fetchall()
    if wrong:
        raise InputError.of(
            "E0251",
            f"{quote_constant(wrong[0][0])} stands where an atom is asked at a date, and is not "
            "written as one",
            help="write 2020-01-31, or 2020-01-31 10:20:30",
        )
