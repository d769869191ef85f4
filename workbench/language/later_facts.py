"""Which rules could see facts that are later than the date at which an atom is asked.

A fact is dated by the dates among its arguments; a thing (or related things) by a predicate that
gives it one date and nothing else, such as `Held(race, date)`, and with it every fact about the
thing. An asked atom's own things are given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from workbench.errors import Diagnostic
from workbench.language.asked_dates import asked_at
from workbench.language.builtin import DATE_OF, negated_operator
from workbench.language.clauses import Clause, FunctionValue, LinearRule
from workbench.language.declarations import Predicate
from workbench.language.definitions import condition_atoms
from workbench.language.program import Aggregate, Definition, Program
from workbench.language.terms import Apply, Atom, Comparison, Constant, Literal, Term, Variable
from workbench.language.values import ValueKind


def later_facts(
    program: Program, clauses: Iterable[Clause | LinearRule], closed: Collection[str] = ()
) -> tuple[Diagnostic, ...]:
    """E0252 for each rule about atoms asked at a date that could see later facts.

    Parameters
    ----------
    clauses : iterable of Clause or LinearRule
        The program's clausal form.
    closed : collection of str
        Predicates that are taken for evidence, so not asked about.
    """
    asked = {name for name, one in program.predicates.items() if asked_at(one)} - {DATE_OF, *closed}
    found: dict[tuple[int, str], Diagnostic] = {}
    for clause in clauses:
        if isinstance(clause, Clause) and any(
            one.atom.predicate in asked for one in clause.literals
        ):
            for reason in _reasons(program, clause, asked):
                message = f"this rule could see facts later than the date that it asks at: {reason}"
                found.setdefault(
                    (clause.rule, reason),
                    Diagnostic("E0252", message, program.rules[clause.rule].span, HELP),
                )
    return tuple(found.values())


HELP = "compare the dates, as in `s <= t`; --allow-future lets the rules see everything"


def _reasons(program: Program, clause: Clause, asked: Set[str]) -> Iterator[str]:
    questions = [one.atom for one in clause.literals if one.atom.predicate in asked]
    dates = {
        _name(q.arguments[place])
        for q in questions
        for place in asked_at(program.predicates[q.predicate])
    }
    if len(dates) > 1:
        yield f"what is true of {questions[0].predicate} at one date tells of another"
        return
    for link in (one.atom for one in clause.literals if one.atom.predicate == DATE_OF):
        if _name(link.arguments[0]) in dates:
            dates.add(_name(link.arguments[1]))
    known = [one.atom for one in clause.literals if one.atom.predicate not in {DATE_OF, *asked}]
    bodies = [one.atom for one in clause.literals if not one.positive and one.atom in known]
    comparisons = [
        Comparison(negated_operator(one.operator), one.left, one.right) for one in clause.guards
    ]
    given = {_name(term) for atom in questions for term in atom.arguments}
    seen = _Sight(program, given, _not_later(dates, comparisons, clause.function_values))
    yield from seen.beyond(known, bodies)
    for definition in _used(program, {atom.predicate for atom in known}):
        for reason in _defined(program, definition):
            yield f"{definition.head.predicate} is made of what is not: {reason}"


def _defined(program: Program, definition: Definition) -> Iterator[str]:
    """What a definition could see that is later than all the dates of its head."""
    head = definition.head
    kinds = program.predicates[head.predicate].kinds
    dates = {_name(term) for term, kind in zip(head.arguments, kinds) if kind is ValueKind.DATE}
    given = {_name(term) for term in head.arguments}
    plain = [one for one in definition.body if not isinstance(one, Aggregate)]
    inner = [[*one.body, *one.among] for one in definition.body if isinstance(one, Aggregate)]
    for conditions in (plain, *([*plain, *one] for one in inner)):
        comparisons = [one for one in conditions if isinstance(one, Comparison)]
        literals = [one for one in conditions if isinstance(one, Literal)]
        seen = _Sight(program, given, _not_later(dates, comparisons, ()))
        yield from seen.beyond(
            [one.atom for one in literals], [one.atom for one in literals if one.positive]
        )


def _used(program: Program, names: Set[str]) -> list[Definition]:
    """The definitions of the named predicates, and of those that these are made of."""
    used, waiting = set[str](), {*names}
    while waiting:
        name = waiting.pop()
        used.add(name)
        mine = [one for one in program.definitions if one.head.predicate == name]
        waiting |= {atom.predicate for one in mine for atom in condition_atoms(one.body)} - used
    return [one for one in program.definitions if one.head.predicate in used - {DATE_OF}]


@dataclass(frozen=True)
class _Sight:
    """What a body may see: things that are `given`, dates `not_later` than the asked one."""

    program: Program
    given: Set[str]
    not_later: Set[str]

    def beyond(self, atoms: Sequence[Atom], body: Sequence[Atom]) -> Iterator[str]:
        """The atoms that could be later, where a body's positive ones hold, each said in words."""
        dating = [
            atom
            for atom in body
            if _dates_things(self.program, self.program.predicates[atom.predicate])
        ]
        safe = {
            tuple(map(_name, atom.arguments[:-1]))
            for atom in dating
            if _name(atom.arguments[-1]) in self.not_later
        }
        for atom in dict.fromkeys(atoms):
            predicate = self.program.predicates[atom.predicate]
            late = [
                _name(term)
                for term, kind in zip(atom.arguments, predicate.kinds)
                if kind is ValueKind.DATE and _name(term) not in self.not_later
            ]
            if late:
                yield f"nothing says that {late[0]}, a date of {atom.predicate}, is not later"
                continue
            for things, by in self._dated_things(atom, predicate):
                if things not in safe:
                    told = f"{atom.predicate} tells of {', '.join(things)}"
                    yield f"{told}, dated by {by}, and no date is compared"
                    break

    def _dated_things(
        self, atom: Atom, predicate: Predicate
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        """The things (or things together) that an atom tells of and some predicate dates."""
        for by in self.program.predicates.values():
            if not _dates_things(self.program, by):
                continue
            types = by.argument_types[:-1]
            starts = range(predicate.arity) if len(types) == 1 else range(1)
            for start in starts:
                things = tuple(map(_name, atom.arguments[start : start + len(types)]))
                if (
                    predicate.argument_types[start : start + len(types)] == types
                    and not set(things) <= self.given
                ):
                    yield things, by.name


def _dates_things(program: Program, predicate: Predicate) -> bool:
    """Whether a predicate gives things a date and says nothing else."""
    kinds = predicate.kinds
    return (
        len(kinds) > 1
        and kinds[-1] is ValueKind.DATE
        and not any(kinds[:-1])
        and predicate.name not in program.defined
    )


def _not_later(
    dates: Set[str], comparisons: Iterable[Comparison], computed: Iterable[FunctionValue]
) -> set[str]:
    """The dates that comparisons keep from being later than all of some dates, these included."""
    of = {one.variable: one for one in computed}
    below: list[tuple[str, str]] = []
    for one in comparisons:
        if one.operator in ("<", "<=", "="):
            below.append((_name(one.left), _upper(one.right, of)))
        if one.operator in (">", ">=", "="):
            below.append((_name(one.right), _upper(one.left, of)))
    found = set(dates)
    while more := {low for low, high in below if high in found} - found:
        found |= more
    return found


def _upper(term: Term, computed: dict[str, FunctionValue]) -> str:
    """The date that a term is not later than: of `t - 30` it is t."""
    function = computed.get(term.name) if isinstance(term, Variable) else term
    if isinstance(function, Apply | FunctionValue) and function.function == "-":
        date, days = function.arguments
        if isinstance(days, Constant) and not days.name.startswith("-"):
            return _name(date)
    return _name(term)


def _name(term: Term) -> str:
    """A name that tells terms apart; constants and variables of one name are two."""
    return term.name if isinstance(term, Variable) else f"`{getattr(term, 'name', term)}`"
