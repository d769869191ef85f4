"""Background clauses of ILP files as definitions of the language: to evaluate, and to print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.database.ilp_datalog import DatalogClause, Key, datalog_clauses
from workbench.language.builtin import negated_operator
from workbench.language.ilp.problem import IlpProblem
from workbench.language.ilp.terms import LogicVariable, Term, term_text
from workbench.language.printing import MLN
from workbench.language.program import Condition, Definition
from workbench.language.terms import Atom, Comparison, Constant, Literal, Variable
from workbench.language.terms import Term as WrittenTerm

_NUMERIC = {"<": "<", ">": ">", "=<": "<=", ">=": ">=", "=:=": "=", "=\\=": "!="}
_OPERATORS = {**_NUMERIC, "=": "=", "==": "=", "\\=": "!=", "\\==": "!=", "!=": "!="}
GIVEN = "_given"
"""Ends the name under which a predicate's own facts stand beside the clauses that define it."""


def definitions_of(
    clauses: Iterable[DatalogClause],
    given: Iterable[Key],
    name_of: Callable[[Key], str],
    number: Callable[[WrittenTerm], WrittenTerm] = lambda term: term,
    inline: Mapping[Key, DatalogClause] | None = None,
) -> tuple[Definition, ...]:
    """Clauses as definitions; a predicate of `given` also has the facts of `<name>_given`.

    Parameters
    ----------
    name_of : callable
        The name of a predicate in the program.
    number : callable
        What stands for a term that is compared as a number.
    inline : mapping of predicate to clause, optional
        Predicates that are comparisons, which stand in their place.
    """
    made = []
    for key in given:
        variables = tuple(Variable(f"x{place}") for place in range(key[1]))
        facts = Literal(Atom(f"{name_of(key)}{GIVEN}", variables))
        made.append(Definition(Atom(name_of(key), variables), (facts,)))
    helpers: dict[Definition, None] = {}
    for clause in clauses:
        made.append(_Writing(name_of, number, inline or {}, helpers).definition(clause))
    return (*made, *helpers)


@dataclass
class _Writing:
    """One clause on its way: its variables are called x0, x1, ... as they are met."""

    name_of: Callable[[Key], str]
    number: Callable[[WrittenTerm], WrittenTerm]
    inline: Mapping[Key, DatalogClause]
    helpers: dict[Definition, None]
    names: dict[str, Variable] = field(default_factory=dict)

    def definition(self, clause: DatalogClause) -> Definition:
        head = self.atom(clause.head, clause.head_terms)
        body: list[Condition] = []
        for key, terms in clause.positive:
            body += (
                self.compared(key, terms)
                if key in self.inline
                else [Literal(self.atom(key, terms))]
            )
        bound = set(self.names)
        body += self.comparisons(clause)
        body += [self.negated(key, terms, bound) for key, terms in clause.negative]
        return Definition(head, tuple(body))

    def term(self, term: Term) -> WrittenTerm:
        if isinstance(term, LogicVariable):
            return self.names.setdefault(term.name, Variable(f"x{len(self.names)}"))
        return Constant(term_text(term))

    def atom(self, key: Key, terms: Sequence[Term]) -> Atom:
        return self.atom_of(self.name_of(key), terms)

    def atom_of(self, name: str, terms: Sequence[Term]) -> Atom:
        return Atom(name, tuple(map(self.term, terms)))

    def comparisons(self, clause: DatalogClause) -> list[Comparison]:
        found = []
        for operator, *sides in clause.comparisons:
            left, right = map(self.term, sides)
            if operator in _NUMERIC:
                left, right = self.number(left), self.number(right)
            found.append(Comparison(_OPERATORS[operator], left, right))
        return found

    def compared(self, key: Key, terms: Sequence[Term]) -> list[Comparison]:
        """The comparisons that a predicate stands for."""
        inner = _Writing(self.name_of, self.number, {}, self.helpers)
        for place, term in zip(self.inline[key].head_terms, terms):
            assert isinstance(place, LogicVariable)
            inner.names[place.name] = self.term(term)  # type: ignore[assignment]
        return inner.comparisons(self.inline[key])

    def negated(self, key: Key, terms: Sequence[Term], bound: set[str]) -> Condition:
        """`\\+ p(_, X)`: what is for some inside the negation gets a predicate of its own."""
        if key in self.inline:
            (one,) = self.compared(key, terms)
            return replace(one, operator=negated_operator(one.operator))
        free = [isinstance(term, LogicVariable) and term.name not in bound for term in terms]
        if not any(free):
            return Literal(self.atom(key, terms), False)
        first = [
            terms.index(term) if is_free else place
            for place, (term, is_free) in enumerate(zip(terms, free))
        ]
        marks = (
            "k" if not is_free else "x" if at == place else str(at)
            for place, (at, is_free) in enumerate(zip(first, free))
        )
        name = f"{self.name_of(key)}_some_{''.join(marks)}"
        inner = tuple(Variable(f"x{at}") for at in first)
        kept = [place for place, is_free in enumerate(free) if not is_free]
        head = Atom(name, tuple(inner[place] for place in kept))
        self.helpers[Definition(head, (Literal(Atom(self.name_of(key), inner)),))] = None
        return Literal(self.atom_of(name, [terms[place] for place in kept]), False)


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
        Predicates that are a comparison: from the arguments' texts to the condition that stands in
        their place.
    warnings : tuple of str
        Predicates whose clauses the language cannot say; their facts must be given.
    """

    declarations: Mapping[str, tuple[str, ...]]
    definitions: tuple[str, ...] = ()
    inline: Mapping[str, Callable[[Sequence[str]], tuple[str, ...]]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def written_background(problem: IlpProblem) -> Written:
    """The predicates and clauses that the modes reach, in the language; `problem` is as read."""
    types = problem.argument_types()
    if not problem.clauses:
        return Written({name: given for name, given in types.items() if name != problem.target})
    clauses = datalog_clauses(problem)
    inline = {clause.head: clause for clause in clauses if _is_inline(problem, clause, clauses)}
    places = _Types(
        {(name, place): given for name, row in types.items() for place, given in enumerate(row)}
    )
    for clause in clauses:
        places.join(clause)
    rest = [clause for clause in clauses if clause.head not in inline]
    # The language has no tests of constants, and no variable ranges over a type without a fact.
    unsaid = {
        clause.head for clause in rest if clause.tests or clause.domains or not clause.head[1]
    }
    said = [clause for clause in rest if clause.head not in unsaid]
    defined = {clause.head for clause in said}
    called = {key for clause in said for key, _ in (*clause.positive, *clause.negative)}
    called |= {(mode.predicate, mode.arity) for mode in problem.body_modes}
    read = sorted(key for key in called - defined - set(inline) if key[0] != problem.target)
    given = sorted(key for key in defined if problem.facts.get(key))
    lines = definitions_of(said, given, lambda key: key[0], inline=inline)
    return Written(
        {key[0]: places.of(key) for key in read}
        | {f"{key[0]}{GIVEN}": places.of(key) for key in given},
        tuple(map(MLN.definition, lines)),
        {key[0]: _condition(clause) for key, clause in inline.items()},
        tuple(
            f"the clauses of {name}/{arity} cannot be written as a definition; new data must "
            "bring its facts"
            for name, arity in sorted(unsaid)
        ),
    )


def _is_inline(
    problem: IlpProblem, clause: DatalogClause, clauses: Sequence[DatalogClause]
) -> bool:
    """`gteq(X, Y) :- number(X), number(Y), X >= Y`: a predicate that is a comparison alone."""
    ranges = {domain.key for domain in clause.domains}
    is_comparison = (
        bool(clause.comparisons)
        and not clause.negative
        and all(key in ranges for key, _ in clause.positive)
        and all(operator in _NUMERIC for operator, _, _ in clause.comparisons)
        and all(kind == "number" for kind, _ in clause.tests)
        and all(isinstance(term, LogicVariable) for term in clause.head_terms)
    )
    once = all(
        other is clause or other.head != clause.head or _says_itself(clause, other)
        for other in clauses
    )
    negated = len(clause.comparisons) > 1 and any(
        key == clause.head for other in clauses for key, _ in other.negative
    )
    return is_comparison and once and not negated and _all_numbers(problem, clause)


def _says_itself(clause: DatalogClause, other: DatalogClause) -> bool:
    """Whether `X >= Y` has what the other clause says, `gteq(X, X) :- number(X)`."""
    reflexive = all(operator in (">=", "=<", "=:=") for operator, _, _ in clause.comparisons)
    return reflexive and len(set(other.head_terms)) == 1


def _all_numbers(problem: IlpProblem, clause: DatalogClause) -> bool:
    """Whether the types compared hold numbers only, so that no test of them is needed."""
    compared = {domain.type for domain in clause.domains}
    for name, types in problem.argument_types().items():
        places = [place for place, given in enumerate(types) if given in compared]
        for row in problem.facts.get((name, len(types)), ()):
            if not all(is_number(row[place]) for place in places):
                return False
    return True


def is_number(text: str) -> bool:
    """Whether a constant's name is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _condition(clause: DatalogClause) -> Callable[[Sequence[str]], tuple[str, ...]]:
    places = {
        term.name: place
        for place, term in enumerate(clause.head_terms)
        if isinstance(term, LogicVariable)
    }

    def condition(arguments: Sequence[str]) -> tuple[str, ...]:
        def cell(term: Term) -> str:
            return (
                arguments[places[term.name]] if isinstance(term, LogicVariable) else term_text(term)
            )

        return tuple(
            f"{cell(left)} {_NUMERIC[operator]} {cell(right)}"
            for operator, left, right in clause.comparisons
        )

    return condition


class _Types:
    """The type of each argument place: as the modes say, else as shared variables do."""

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
