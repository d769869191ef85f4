"""Atoms that are asked at a date: `Dnf(driver, date)` with a scope that says at which.

A date ranges over no domain, so in a predicate that has a scope it is a constant of the type
`ASKED_DATE`, named by its date. Where a rule does more with it than ask, the definition `DATE_OF`
leads from the constant to the date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workbench.language.builtin import DATE_OF
from workbench.language.clauses import Clause
from workbench.language.declarations import Predicate
from workbench.language.formulas import fresh_name
from workbench.language.program import Definition, Program, Scope
from workbench.language.terms import Apply, Atom, Comparison, Literal, Variable
from workbench.language.values import ValueKind

ASKED_DATE = "asked_date"

_DEFINITION = Definition(
    Atom(DATE_OF, (Variable("x"), Variable("t"))),
    (Comparison("=", Variable("t"), Apply(DATE_OF, (Variable("x"),))),),
)


def asked_at(predicate: Predicate) -> tuple[int, ...]:
    """The places of a predicate's arguments that are dates of asking."""
    return tuple(place for place, name in enumerate(predicate.argument_types) if name == ASKED_DATE)


def with_asked_dates(program: Program) -> Program:
    """The program in which dates of predicates with a scope are constants, and scopes find them."""
    changed = {
        scope.head.predicate: _asked(program.predicates[scope.head.predicate])
        for scope in program.scopes
        if ValueKind.DATE in getattr(program.predicates.get(scope.head.predicate), "kinds", ())
    }
    if not changed:
        return program
    date_of = Predicate(DATE_OF, (ASKED_DATE, "date"), closed=True)
    predicates = {**program.predicates, **changed, DATE_OF: date_of}
    scopes = tuple(_finding(scope, predicates) for scope in program.scopes)
    return replace(
        program,
        predicates=predicates,
        definitions=(*program.definitions, _DEFINITION),
        scopes=scopes,
    )


def _asked(predicate: Predicate) -> Predicate:
    types = zip(predicate.argument_types, predicate.kinds)
    return replace(
        predicate,
        argument_types=tuple(
            ASKED_DATE if kind is ValueKind.DATE else name for name, kind in types
        ),
    )


def _finding(scope: Scope, predicates: Mapping[str, Predicate]) -> Scope:
    """The scope with the constant of each date that its body binds."""
    if scope.head.predicate not in predicates or not asked_at(predicates[scope.head.predicate]):
        return scope
    head, links = _bound(scope.head, predicates[scope.head.predicate], lambda name: f"{name} asked")
    return replace(scope, head=head, body=(*scope.body, *links))


def without_asked_dates(statement: Definition | Scope) -> Definition | Scope:
    """The scope as its author wrote it."""
    links = {
        one.atom.arguments[0]: one.atom.arguments[1]
        for one in statement.body
        if isinstance(one, Literal) and one.atom.predicate == DATE_OF
    }
    head = replace(
        statement.head, arguments=tuple(links.get(term, term) for term in statement.head.arguments)
    )
    body = tuple(
        one
        for one in statement.body
        if not isinstance(one, Literal) or one.atom.predicate != DATE_OF
    )
    return replace(statement, head=head, body=body)


def bind_asked_dates(clause: Clause, predicates: Mapping[str, Predicate]) -> Clause:
    """The clause in which an asked date also computed with or compared is bound by its constant."""
    values = dict(clause.values)
    taken = {name for name, _ in (*clause.values, *clause.variable_types)}
    names: dict[str, str] = {}

    def constant_for(name: str) -> str | None:
        if name in values and name not in names:
            names[name] = fresh_name("asked", taken)
        return names.get(name)

    def changed(item: Literal) -> Literal:
        return replace(
            item, atom=_bound(item.atom, predicates[item.atom.predicate], constant_for)[0]
        )

    literals = tuple(map(changed, clause.literals))
    scopes = tuple(
        (changed(one) if isinstance(one, Literal) else one, under) for one, under in clause.scopes
    )
    links = tuple(
        Literal(Atom(DATE_OF, (Variable(constant), Variable(date))), False)
        for date, constant in names.items()
    )
    types = tuple((name, ASKED_DATE) for name in names.values())
    return replace(
        clause,
        literals=(*literals, *links),
        scopes=scopes,
        variable_types=(*clause.variable_types, *types),
    )


def _bound(
    atom: Atom, predicate: Predicate, constant_for: Callable[[str], str | None]
) -> tuple[Atom, tuple[Literal, ...]]:
    """The atom with its dates' constants, and the literals that lead from these to the dates."""
    arguments, links = list(atom.arguments), []
    for place in asked_at(predicate):
        term = arguments[place]
        name = constant_for(term.name) if isinstance(term, Variable) else None
        if name is not None:
            arguments[place] = Variable(name)
            links.append(Literal(Atom(DATE_OF, (Variable(name), term))))
    return replace(atom, arguments=tuple(arguments)), tuple(links)
