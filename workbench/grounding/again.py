"""Grounding again after facts changed: only the rules that read what changed.

A rule reads a predicate that stands in one of its clauses, the definitions and scopes behind it,
and the domains of its variables' types. Where changed facts of one relation decide alone what it
gains and loses, it is ground over them (`differences.py`), else anew; the rules that read nothing
of what changed are not asked at all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Int32
from workbench.database import Database, FactRows
from workbench.database.stored import StoredPredicate
from workbench.grounding.asked_dates import with_dates_of_scopes
from workbench.grounding.data_shape import DataShape, shape_of
from workbench.grounding.definition_queries import reads_now
from workbench.grounding.differences import Difference, changed_literal, difference
from workbench.grounding.ground import Grounder
from workbench.grounding.interruption import interruptible
from workbench.grounding.request import GroundRequest
from workbench.grounding.result import Grounding
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.language.definitions import condition_atoms
from workbench.language.formulas import formula_atoms
from workbench.language.program import Program
from workbench.language.values import ValueKind
from workbench.network.ground_network import Templates
from workbench.progress import Progress


@dataclass(frozen=True)
class Piece:
    """Some rules of a program, ground over all atoms.

    Attributes
    ----------
    grounding : Grounding
        Its network has the rows of `rules` alone, its templates theirs and those of soft evidence.
    rules : frozenset of int
    rule : int32 array, shape (n_rows,)
        The rule of each row.
    difference : Difference or None
        Of the rules that are ground over changed facts alone.
    only_differs : bool
        Whether nothing else is another: `grounding` is then as it was, with the rows of all rules.
    """

    grounding: Grounding
    rules: frozenset[int]
    rule: Int32
    shape: DataShape
    difference: Difference | None = None
    only_differs: bool = False

    @property
    def n_rules(self) -> int:
        """How many rules were asked."""
        return len(self.rules) + (0 if self.difference is None else len(self.difference.rules))


def ground_again(
    database: Database,
    program: Program,
    request: GroundRequest,
    *,
    before: DataShape | None = None,
    standing: Grounding | None = None,
    changed: Mapping[str, FactRows | None] | None = None,
    progress: Progress,
) -> Piece:
    """Ground the rules that read changed facts, or all.

    Raises what `workbench.grounding.ground` does.

    Parameters
    ----------
    before : DataShape or None
        Of the grounding that is brought up to date; None grounds all rules.
    standing : Grounding or None
        That grounding, where rules may be ground over changed facts alone.
    changed : mapping of str to (FactRows or None)
        Predicates with facts that were not there then, or are no longer; and which, where that is
        known.
    """
    program = with_dates_of_scopes(database, program)
    connection = database.cursor()
    grounder = Grounder(database, connection, program, request, progress)
    clauses = grounder.open()
    try:
        with interruptible(grounder.backend, progress):
            shape = shape_of(grounder.vocabulary, clauses)
            rules, by_difference = frozenset(range(len(program.rules))), None
            if before is not None:
                changes = _changes(grounder.vocabulary, changed or {}, before, shape)
                rules = changes.readers(clauses)
                if standing is not None:
                    by_difference = _differences(
                        grounder, clauses, changes, standing.templates, rules
                    )
            if by_difference is not None:
                rules -= by_difference.rules
            if standing is not None and not rules and not changes.atoms:
                none = np.zeros(0, np.int32)
                return Piece(grounder.as_it_was(standing), rules, none, shape, by_difference, True)
            grounding = grounder.make(tuple(one for one in clauses if one.rule in rules))
    finally:
        grounder.vocabulary.drop()
    numbers = [number for number, _ in grounder.emitted]
    counts = [count for _, count in grounder.emitted]
    return Piece(
        grounding, rules, np.repeat(np.array(numbers, np.int32), counts), shape, by_difference
    )


@dataclass(frozen=True)
class _Changes:
    """All that is not as it was: what rules may read of it.

    Attributes
    ----------
    predicates, types : sets of str
        With what definitions and scopes make of changed ones.
    rules : set of int
        Rules whose clauses are others.
    facts : mapping of str to FactRows
        Of the evidence predicates of which nothing but these facts changed, or nothing.
    atoms : bool
        Whether other atoms may be open, or labelled, than were.
    """

    program: Program
    predicates: set[str]
    types: set[str]
    rules: set[int]
    facts: Mapping[str, FactRows]
    atoms: bool

    def readers(self, clauses: tuple[Clause | LinearRule, ...]) -> frozenset[int]:
        """The rules that read something that changed."""
        found = set(self.rules)
        for clause in clauses:
            if clause.rule in found:
                continue
            computes = isinstance(clause, Clause) and bool(clause.function_values)
            ranges = (
                self.types if computes else self.types & set(dict(clause.variable_types).values())
            )
            if ranges or any(
                _reads(self.program, name, self.predicates, self.types)
                for name in _predicates_of(clause)
            ):
                found.add(clause.rule)
        return frozenset(found & set(range(len(self.program.rules))))


def _changes(
    vocabulary: Vocabulary,
    changed: Mapping[str, FactRows | None],
    before: DataShape,
    now: DataShape,
) -> _Changes:
    program = vocabulary.program
    other = before.changed_predicates(now)
    predicates, types = _read_with(vocabulary, changed) | other, before.changed_types(now)
    while True:
        reached = {
            one.head.predicate
            for one in program.statements
            if any(
                _reads(program, atom.predicate, predicates, types)
                for atom in (one.head, *condition_atoms(one.body))
            )
        }
        if reached <= predicates:
            break
        predicates |= reached
    heads = {one.head.predicate for one in program.statements}
    facts = {
        name: rows
        for name, role in vocabulary.roles.items()
        if name in vocabulary.stored and name not in other | heads and not role.open
        for rows in [changed.get(name, _unchanged(vocabulary.stored[name]))]
        if rows is not None and (name in changed or name not in predicates)
    }
    atoms = (
        bool(types or other)
        or before.worlds != now.worlds
        or any(one.open and name in predicates for name, one in vocabulary.roles.items())
    )
    return _Changes(program, predicates, types, before.changed_rules(now), facts, atoms)


def _unchanged(stored: StoredPredicate) -> FactRows | None:
    return None if stored.value_columns else FactRows.none(len(stored.columns))


def _read_with(vocabulary: Vocabulary, changed: Collection[str]) -> set[str]:
    """Changed predicates, and what `$now` makes with any that has dates, the latest of all."""
    dated = {name for name, one in vocabulary.stored.items() if ValueKind.DATE in one.kinds}
    if dated.isdisjoint(changed):
        return set(changed)
    return {
        *changed,
        *(one.head.predicate for one in vocabulary.program.statements if reads_now(one.body)),
    }


def _differences(
    grounder: Grounder,
    clauses: tuple[Clause | LinearRule, ...],
    changes: _Changes,
    templates: Templates,
    readers: frozenset[int],
) -> Difference | None:
    """What changed facts did to the rules all of whose clauses are ground over them alone."""
    asked: dict[Clause | LinearRule, str] = {}
    rest = set(changes.rules)
    for clause in clauses:
        if clause.rule not in readers:
            continue
        literal = changed_literal(
            grounder.vocabulary, clause, changes.predicates, changes.types, changes.facts
        )
        if literal is None:
            rest.add(clause.rule)
        else:
            asked[clause] = literal.atom.predicate
    # What is asked of no facts of a relation is not asked beside what reads all of them.
    read = {
        one.atom.predicate
        for clause, name in asked.items()
        if name in changes.predicates and isinstance(clause, Clause)
        for one in clause.literals
    }
    rest |= {clause.rule for clause, name in asked.items() if name in read - changes.predicates}
    chosen = {clause: name for clause, name in asked.items() if clause.rule not in rest}
    if not chosen:
        return None
    return difference(grounder, chosen, changes.facts, templates)


def _reads(program: Program, name: str, predicates: set[str], types: set[str]) -> bool:
    declared = program.predicates.get(name)
    return name in predicates or (
        declared is not None and not types.isdisjoint(declared.argument_types)
    )


def _predicates_of(clause: Clause | LinearRule) -> set[str]:
    if isinstance(clause, Clause):
        functions = {computed.function for computed in clause.function_values}
        return {literal.atom.predicate for literal in clause.literals} | functions
    filters = (atom for one in clause.filters for atom in formula_atoms(one.condition))
    return {
        atom.predicate
        for atom in (*filters, *(atom for term in clause.terms for atom in term.atoms))
    }
