"""Background clauses of ILP files as definitions of the language, so that new facts get them computed too."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.database.ilp_datalog import DatalogClause, Key, datalog_clauses
from workbench.language.ilp import IlpProblem
from workbench.language.ilp_prolog import LogicVariable, Term, term_text

__all__ = ["Written", "written_background"]

_NUMERIC = {"<": "<", ">": ">", "=<": "<=", ">=": ">=", "=:=": "=", "=\\=": "!="}
_OPERATORS = {**_NUMERIC, "=": "=", "==": "=", "\\=": "!=", "\\==": "!=", "!=": "!="}
_BARE = re.compile(r"-?\d+(?:\.\d+)?\Z")
GIVEN = "_given"
"""Ends the name under which a predicate's own facts stand beside the clauses that define it."""


@dataclass(frozen=True)
class Written:
    """The background as a program says it.

    Attributes
    ----------
    declarations : mapping of predicate to types
        Predicates whose facts are read, those that only definitions mention too.
    definitions : tuple of str
        Lines `head := body.`.
    inline : mapping of predicate to function
        Predicates that are a comparison: from the arguments' texts to the condition that stands in their place.
    warnings : tuple of str
        Predicates whose clauses the language cannot say; their facts must be given.
    """

    declarations: Mapping[str, tuple[str, ...]]
    definitions: tuple[str, ...] = ()
    inline: Mapping[str, Callable[[Sequence[str]], str]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def written_background(problem: IlpProblem) -> Written:
    """The predicates and clauses that the modes reach, in the language; `problem` is as it was read."""
    types = problem.argument_types()
    if not problem.clauses:
        return Written({name: given for name, given in types.items() if name != problem.target})
    clauses = datalog_clauses(problem)
    inline = {
        clause.head: clause
        for clause in clauses
        if _is_comparison(clause) and sum(other.head == clause.head for other in clauses) == 1
    }
    inline = {key: clause for key, clause in inline.items() if _all_numbers(problem, clause)}
    places = _Types({(name, place): given for name, row in types.items() for place, given in enumerate(row)})
    for clause in clauses:
        places.join(clause)
    unsaid = _unsayable(clauses, inline)
    return Written(*_written(problem, clauses, inline, unsaid, places))


def _written(
    problem: IlpProblem,
    clauses: Sequence[DatalogClause],
    inline: Mapping[Key, DatalogClause],
    unsaid: set[Key],
    places: _Types,
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...], dict[str, Callable[[Sequence[str]], str]], tuple[str, ...]]:
    defined = {clause.head for clause in clauses} - unsaid - set(inline)
    body_keys = {(mode.predicate, mode.arity) for mode in problem.body_modes}
    said = [clause for clause in clauses if clause.head in defined]
    called = {key for clause in said for key, _ in (*clause.positive, *clause.negative)} | body_keys
    declared = {key: places.of(key) for key in sorted(called - defined - set(inline)) if key[0] != problem.target}
    lines: list[str] = []
    for key in sorted(defined):
        if problem.facts.get(key):
            given = f"{key[0]}{GIVEN}"
            declared[given, key[1]] = places.of(key)
            names = ", ".join(f"x{place}" for place in range(key[1]))
            lines.append(f"{key[0]}({names}) := {given}({names}).")
    helpers: dict[str, str] = {}
    conditions = {key: _condition(clause) for key, clause in inline.items()}
    for clause in said:
        lines.append(_line(clause, conditions, helpers))
    warnings = tuple(
        f"the clauses of {name}/{arity} cannot be written as a definition; new data must bring its facts"
        for name, arity in sorted(unsaid)
    )
    written = {name: condition for (name, _), condition in conditions.items()}
    return {name: row for (name, _), row in declared.items()}, (*lines, *helpers), written, warnings


def _is_comparison(clause: DatalogClause) -> bool:
    """`gteq(X, Y) :- number(X), number(Y), X >= Y`: nothing but numbers compared."""
    ranges = {domain.key for domain in clause.domains}
    return (
        bool(clause.comparisons)
        and not clause.negative
        and all(key in ranges for key, _ in clause.positive)
        and all(operator in _NUMERIC for operator, _, _ in clause.comparisons)
        and all(kind == "number" for kind, _ in clause.tests)
        and all(isinstance(term, LogicVariable) for term in clause.head_terms)
    )


def _all_numbers(problem: IlpProblem, clause: DatalogClause) -> bool:
    """Whether the types compared hold numbers only, so that no test of them is needed."""
    compared = {domain.type for domain in clause.domains}
    for name, types in problem.argument_types().items():
        places = [place for place, given in enumerate(types) if given in compared]
        for row in problem.facts.get((name, len(types)), ()):
            if any(not _is_number(row[place]) for place in places):
                return False
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _condition(clause: DatalogClause) -> Callable[[Sequence[str]], str]:
    places = {term.name: place for place, term in enumerate(clause.head_terms) if isinstance(term, LogicVariable)}

    def condition(arguments: Sequence[str]) -> str:
        def cell(term: Term) -> str:
            return arguments[places[term.name]] if isinstance(term, LogicVariable) else term_text(term)

        return " ^ ".join(
            f"{cell(left)} {_NUMERIC[operator]} {cell(right)}" for operator, left, right in clause.comparisons
        )

    return condition


def _unsayable(clauses: Sequence[DatalogClause], inline: Mapping[Key, DatalogClause]) -> set[Key]:
    """Predicates whose clauses test what the language cannot, or range over a type without a fact."""
    return {
        clause.head
        for clause in clauses
        if clause.head not in inline and (clause.tests or clause.domains or not clause.head[1])
    }


def _line(
    clause: DatalogClause, conditions: Mapping[Key, Callable[[Sequence[str]], str]], helpers: dict[str, str]
) -> str:
    names: dict[str, str] = {}

    def cell(term: Term) -> str:
        if isinstance(term, LogicVariable):
            return names.setdefault(term.name, f"x{len(names)}")
        text = term_text(term)
        return text if _BARE.match(text) else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def atom(key: Key, terms: Sequence[Term]) -> str:
        cells = [cell(term) for term in terms]
        if key in conditions:
            return conditions[key](cells)
        return f"{key[0]}({', '.join(cells)})" if cells else key[0]

    head = atom(clause.head, clause.head_terms)
    parts = [atom(key, terms) for key, terms in clause.positive]
    bound = set(names)
    for operator, left, right in clause.comparisons:
        parts.append(f"{cell(left)} {_OPERATORS[operator]} {cell(right)}")
    for key, terms in clause.negative:
        parts.append(_negated(key, terms, bound, atom, helpers))
    return f"{head} := {' ^ '.join(parts)}."


def _negated(
    key: Key,
    terms: Sequence[Term],
    bound: set[str],
    atom: Callable[[Key, Sequence[Term]], str],
    helpers: dict[str, str],
) -> str:
    """`\\+ p(_, X)`: what is for some inside the negation gets a predicate of its own."""
    free = [isinstance(term, LogicVariable) and term.name not in bound for term in terms]
    if not any(free):
        return f"!{atom(key, terms)}"
    kept = [term for term, is_free in zip(terms, free) if not is_free]
    name = f"{key[0]}_some_" + "".join("x" if is_free else "k" for is_free in free)
    arguments = [LogicVariable(f"{number}") for number in range(len(terms))]
    inner = ", ".join(f"x{number}" for number in range(len(arguments)))
    outer = ", ".join(f"x{number}" for number, is_free in enumerate(free) if not is_free)
    helpers[f"{name}({outer}) := {key[0]}({inner})."] = name
    return f"!{atom((name, len(kept)), kept)}"


class _Types:
    """The type of each argument place: as the modes say, else as the clauses' variables join places."""

    def __init__(self, known: Mapping[tuple[str, int], str]) -> None:
        self._known = dict(known)
        self._parent: dict[tuple[str, int], tuple[str, int]] = {}

    def join(self, clause: DatalogClause) -> None:
        """Places that one variable of the clause stands at have one type."""
        first: dict[str, tuple[str, int]] = {}
        for key, terms in ((clause.head, clause.head_terms), *clause.positive, *clause.negative):
            for place, term in enumerate(terms):
                if isinstance(term, LogicVariable):
                    self._unite(first.setdefault(term.name, (key[0], place)), (key[0], place))

    def of(self, key: Key) -> tuple[str, ...]:
        """The types of a predicate's places."""
        groups: dict[tuple[str, int], str] = {}
        for place, given in self._known.items():
            groups.setdefault(self._root(place), given)
        found = []
        for place in ((key[0], number) for number in range(key[1])):
            root = self._root(place)
            found.append(self._known.get(place) or groups.get(root) or f"{root[0]}_{root[1] + 1}")
        return tuple(found)

    def _root(self, place: tuple[str, int]) -> tuple[str, int]:
        while place in self._parent:
            place = self._parent[place]
        return place

    def _unite(self, one: tuple[str, int], other: tuple[str, int]) -> None:
        one, other = self._root(one), self._root(other)
        if one != other:
            self._parent[max(one, other)] = min(one, other)
