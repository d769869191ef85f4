"""Definitions: the types of what they define, their order, and their faults."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from workbench.errors import Span
from workbench.language.builtin import DATE_OF
from workbench.language.declarations import Predicate
from workbench.language.formulas import term_variables, variable_names
from workbench.language.program import Aggregate, Condition, Definition, Program
from workbench.language.source import Diagnostics
from workbench.language.term_types import FormulaTypes
from workbench.language.terms import Atom, Comparison, Literal, Term, Variable
from workbench.language.variable_types import infer_condition_types


@dataclass(frozen=True)
class Collected:
    """`count(c: ...)`, before the variable that takes it is known."""

    function: str
    of: tuple[Term, ...]
    body: tuple[Literal | Comparison, ...]
    among: tuple[Literal | Comparison, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Use:
    """An atom in a definition's body; `plain` where its facts can only add to what is defined."""

    atom: Atom
    plain: bool


def uses(body: Sequence[Condition]) -> Iterator[Use]:
    """The atoms of a body, those of its aggregates included, left to right."""
    for condition in body:
        if isinstance(condition, Literal):
            yield Use(condition.atom, condition.positive)
        elif isinstance(condition, Aggregate):
            for inner in (*condition.body, *condition.among):
                if isinstance(inner, Literal):
                    yield Use(inner.atom, False)


def condition_atoms(body: Sequence[Condition]) -> Iterator[Atom]:
    """The atoms of a body, those of its aggregates included, left to right."""
    return (use.atom for use in uses(body))


def with_defined_predicates(program: Program, ordinary: Collection[str] = ()) -> Program:
    """The program with its definitions' heads as closed predicates of their variables' types.

    Heads that are declared keep their types. `ordinary` names the types that have a domain in spite
    of their name. A head whose types cannot be told is left out: `check` says so.
    """
    predicates = dict(program.predicates)
    for name in dict.fromkeys(definition.head.predicate for definition in program.definitions):
        if name in predicates:
            predicates[name] = replace(predicates[name], closed=True)
    pending = [one for one in program.definitions if one.head.predicate not in predicates]
    while pending:
        found: dict[str, tuple[tuple[str, ...], Definition]] = {}
        current = replace(program, predicates=predicates)
        for definition in pending:
            types = infer_condition_types(None, definition.body, current, partial=True).variables
            wanted = tuple(_head_type(term, types) for term in definition.head.arguments)
            if all(wanted):
                found.setdefault(definition.head.predicate, (tuple(map(str, wanted)), definition))
        if not found:
            break
        for name, (wanted, definition) in found.items():
            entities = tuple(i for i, type_name in enumerate(wanted) if type_name in ordinary)
            predicates[name] = Predicate(
                name, wanted, closed=True, entities=entities, span=definition.head.span
            )
        pending = [one for one in pending if one.head.predicate not in predicates]
    return replace(program, predicates=predicates)


def _head_type(term: Term, types: dict[str, str]) -> str | None:
    return types.get(term.name) if isinstance(term, Variable) else None


def strata(program: Program) -> tuple[tuple[str, ...], ...]:
    """The defined predicates, each after those it is made of; those made of each other together."""
    needs: dict[str, list[str]] = {name: [] for name in sorted(program.defined)}
    for definition in program.definitions:
        needs[definition.head.predicate] += [
            atom.predicate for atom in condition_atoms(definition.body)
        ]
    return tuple(tuple(sorted(together)) for together in in_order(needs))


def check_definitions(program: Program, diagnostics: Diagnostics) -> None:
    """Report what is wrong with the definitions and scopes of a program."""
    for definition in program.definitions:
        if definition.head.predicate not in program.predicates:
            problems = infer_condition_types(None, definition.body, program).problems
            diagnostics.add_problems(problems, definition.span)
            if problems:
                continue
            diagnostics.add(
                "E0110",
                f"nothing gives the arguments of {definition.head.predicate} their types",
                definition.head.span,
                "let its variables stand in atoms of declared predicates, or declare it",
            )
    for part in program.statements:
        if part.head.predicate in program.predicates and part.head.predicate != DATE_OF:
            types = infer_condition_types(part.head, part.body, program)
            diagnostics.add_problems(types.problems, part.span)
            _check_bound(program, part.head, part.body, types, diagnostics)
    for scope in program.scopes:
        if scope.head.predicate in program.defined:
            message = f"{scope.head.predicate} is defined, so none of its atoms is open"
            diagnostics.add(
                "E0155", message, scope.span, "give the scope to a predicate that is asked about"
            )
    _check_cycles(program, diagnostics)


def _check_bound(
    program: Program,
    head: Atom,
    body: Sequence[Condition],
    types: FormulaTypes,
    diagnostics: Diagnostics,
) -> None:
    """A value needs a positive atom, aggregate or equation; so does what is negated."""
    bound = bound_variables(body)
    aggregates = [condition for condition in body if isinstance(condition, Aggregate)]
    for term in head.arguments:
        for variable in term_variables(term):
            type_name = types.variables.get(variable.name, "")
            counted = any(variable.name in _names(one.body) for one in aggregates)
            if variable.name not in bound and not (counted and program.kind_of(type_name) is None):
                diagnostics.add(
                    "E0152",
                    f"nothing in the body gives {variable.name} a value",
                    variable.span,
                    "let it stand in an atom of the body that is not negated",
                )
    for condition in body:
        inner, wanted = bound, _loose((condition,))
        if isinstance(condition, Aggregate):
            inner = bound | bound_variables(condition.body)
            of = variable_names(condition.of)
            wanted = _loose(condition.body) | of | _loose(condition.among)
        for name in sorted(wanted - inner):
            diagnostics.add(
                "E0152",
                f"nothing gives {name} a value here",
                condition_span(condition),
                "let it stand in an atom that is not negated",
            )
    free = [t.name for t in head.arguments if isinstance(t, Variable) and t.name not in bound]
    counting = [one for one in aggregates if one.function in ("count", "sum", "exists")]
    if len(set(free)) > 1 and counting:
        diagnostics.add(
            "E0153",
            f"{' and '.join(free)} range over every pair, most of which count nothing",
            counting[0].span,
            f"bind them outside: write conditions on {' and '.join(free)} before "
            f"`{counting[0].variable} =`",
        )


def bound_variables(body: Sequence[Condition]) -> set[str]:
    """The variables that positive atoms, aggregates and equations of a body give values."""
    positive = (one.atom for one in body if isinstance(one, Literal) and one.positive)
    found = {
        term.name for atom in positive for term in atom.arguments if isinstance(term, Variable)
    }
    found |= {condition.variable for condition in body if isinstance(condition, Aggregate)} | {
        "$now"
    }
    changed = True
    while changed:
        changed = False
        for condition in body:
            if isinstance(condition, Comparison) and condition.operator == "=":
                for one, other in (
                    (condition.left, condition.right),
                    (condition.right, condition.left),
                ):
                    if (
                        isinstance(one, Variable)
                        and one.name not in found
                        and variable_names((other,)) <= found
                    ):
                        found.add(one.name)
                        changed = True
    return found


def _names(body: Sequence[Condition]) -> set[str]:
    """The variables of a body's positive atoms."""
    atoms = (one.atom for one in body if isinstance(one, Literal) and one.positive)
    return variable_names(term for atom in atoms for term in atom.arguments)


def _loose(body: Sequence[Condition]) -> set[str]:
    """The variables that comparisons, negated atoms and computed arguments need values of."""
    found: set[str] = set()
    for condition in body:
        if isinstance(condition, Comparison):
            found |= variable_names((condition.left, condition.right))
        elif isinstance(condition, Literal):
            terms = condition.atom.arguments
            found |= variable_names(
                t for t in terms if not condition.positive or not isinstance(t, Variable)
            )
    return found


def condition_span(condition: Condition) -> Span | None:
    """Where a condition stands."""
    return condition.atom.span if isinstance(condition, Literal) else condition.span


def _check_cycles(program: Program, diagnostics: Diagnostics) -> None:
    """A predicate may be made of itself, but not of its absence, its count, or new values."""
    for together in strata(program):
        for definition in program.definitions:
            if definition.head.predicate not in together:
                continue
            inner = [use for use in uses(definition.body) if use.atom.predicate in together]
            for use in inner:
                if not use.plain:
                    cycle = " and ".join(together)
                    diagnostics.add(
                        "E0154",
                        f"{cycle} would be made of a negation or an aggregate of "
                        f"{use.atom.predicate} itself",
                        use.atom.span,
                        "define what is negated or counted without it",
                    )
            made = {c.variable for c in definition.body if isinstance(c, Aggregate)}
            made |= bound_variables(definition.body) - _names(definition.body) - {"$now"}
            if inner and any(
                isinstance(t, Variable) and t.name in made for t in definition.head.arguments
            ):
                diagnostics.add(
                    "E0154",
                    f"{definition.head.predicate} is made of itself, and each step would make new "
                    "values",
                    definition.span,
                    "let a recursive definition pass on values that facts have",
                )


Name = TypeVar("Name", bound=Hashable)


def in_order(needs: Mapping[Name, Iterable[Name]]) -> list[list[Name]]:
    """The names of `needs`, each after its needs, cycles together (Tarjan 1972).

    What is needed without being a key is passed over. Linear but for the depth of the way to a
    name.
    """
    order: dict[Name, int] = {}
    lowest: dict[Name, int] = {}
    path: list[Name] = []
    found: list[list[Name]] = []

    def visit(name: Name) -> None:
        order[name] = lowest[name] = len(order)
        path.append(name)
        for other in needs[name]:
            if other not in needs:
                continue
            if other not in order:
                visit(other)
            if other in path:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            cut = path.index(name)
            found.append(path[cut:])
            del path[cut:]

    for name in needs:
        if name not in order:
            visit(name)
    return found
