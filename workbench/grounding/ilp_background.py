"""Background clauses of ILP problems evaluated: as definitions over a database of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.database.changes import add_facts
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.fact_texts import FactTexts
from workbench.database.identifiers import quoted
from workbench.database.ilp_datalog import DatalogClause, Key, TypeDomain, datalog_clauses, declined
from workbench.database.ilp_definitions import GIVEN, definitions_of, is_number
from workbench.grounding.definitions import make_definitions
from workbench.grounding.prepare import prepare
from workbench.grounding.request import GroundRequest
from workbench.language.declarations import Predicate, Type
from workbench.language.definitions import strata
from workbench.language.ilp.problem import IlpProblem, Tuples
from workbench.language.program import Program
from workbench.language.terms import Apply, Constant

if TYPE_CHECKING:
    import pyarrow

MOST_THRESHOLDS = 200
"""Values of a type at a constant place of a comparison; of more, evenly spaced quantiles."""
MOST_ROWS = 5_000_000
"""Combinations of constants that a clause without facts in its body may list."""
THING = "thing"
"""The one type of all constants: Prolog has no types."""
_TESTS: dict[str, Callable[[str], bool]] = {
    "number": is_number,
    "integer": lambda text: is_number(text) and float(text).is_integer(),
    "name": lambda text: not is_number(text),
}


def derive_facts(problem: IlpProblem) -> IlpProblem:
    """The problem, each background clause that a mode reaches replaced by derived facts.

    Clauses are evaluated as definitions are. A clause of comparisons alone, such as
    `gteq(X, Y) :- number(X), number(Y), X >= Y`, ranges over the constants of its modes' types.

    Raises E0220 for each clause that is no Datalog: function terms, disjunction, arithmetic, a head
    variable that nothing binds, a cut that changes answers, or recursion through negation.
    """
    if not problem.clauses:
        return problem
    clauses = datalog_clauses(problem)
    derived = sorted({clause.head for clause in clauses})
    tested = [_with_tests(clause) for clause in clauses]
    constants = {cell for rows in problem.facts.values() for row in rows for cell in row}
    relations = {**problem.facts, **_domains(problem, clauses)}
    constants |= {cell for rows in relations.values() for row in rows for cell in row}
    for kind, holds in _TESTS.items():
        relations[kind, -1] = tuple((one,) for one in sorted(constants) if holds(one))
    made = definitions_of(
        tested,
        [key for key in derived if key in relations],
        _name,
        lambda term: Apply("+", (term, Constant("0"))),
    )
    atoms = [one.atom for definition in made for one in definition.body if hasattr(one, "atom")]
    atoms += [definition.head for definition in made]
    predicates = {
        atom.predicate: Predicate(atom.predicate, (THING,) * len(atom.arguments)) for atom in atoms
    }
    program = Program("mln", {THING: Type(THING)}, predicates, {}, (), definitions=made)
    _check_negation(program, clauses)
    facts = {**problem.facts, **_evaluated(program, relations, derived)}
    for key in derived:
        facts[key] = tuple(dict.fromkeys([*problem.facts.get(key, ()), *facts[key]]))
    return replace(problem, facts=facts, clauses=())


def _evaluated(
    program: Program, relations: Mapping[Key, Tuples], derived: Sequence[Key]
) -> dict[Key, Tuples]:
    """The facts that the program derives from relations, in the order in which they are kept."""
    found: dict[Key, Tuples] = {}
    with Database.open() as database:
        database.declare(program)
        with database.transaction():
            for key, rows in relations.items():
                name = f"{_name(key)}{GIVEN}" if key in derived else _name(key)
                if name in program.predicates and rows:
                    add_facts(database, FactTexts(name, _table(rows)))
        vocabulary, _ = prepare(database, database.cursor(), program, (), GroundRequest())
        make_definitions(vocabulary, program.defined)
        for key in derived:
            stored = vocabulary.stored[_name(key)]
            coded, columns = stored.as_texts(database.type_tables()), ", ".join(stored.columns)
            # What a mode's recall keeps comes first: of a number's thresholds the nearest.
            nearest = (
                "abs(try_cast(a0 AS DOUBLE) - try_cast(a1 AS DOUBLE)), " if key[1] == 2 else ""
            )
            listed = vocabulary.connection.execute(
                f"FROM (SELECT {', '.join(coded.cells) or '1'} FROM {quoted(stored.table_name)} f "
                f"{coded.joins}) " + (f"ORDER BY a0, {nearest}{columns}" if columns else "")
            ).fetchall()
            found[key] = tuple(row[: key[1]] for row in listed)
    return found


def _name(key: Key) -> str:
    """A name that tells predicates of one name and other numbers of arguments apart."""
    return f"{key[0]}/{key[1]}"


def _with_tests(clause: DatalogClause) -> DatalogClause:
    """The clause with its tests as relations of the constants that pass them."""
    tests = tuple(((kind, -1), (term,)) for kind, term in clause.tests)
    return replace(clause, positive=(*clause.positive, *tests), tests=())


def _table(rows: Sequence[tuple[str, ...]]) -> pyarrow.Table:
    import pyarrow

    columns = {
        f"a{place}": pyarrow.array(column, pyarrow.string())
        for place, column in enumerate(zip(*rows))
    }
    return pyarrow.table(
        {
            "world": pyarrow.array([DEFAULT_WORLD] * len(rows)),
            **columns,
            "value": pyarrow.array(np.ones(len(rows))),
            "partition": pyarrow.array(["evidence"] * len(rows)),
        }
    )


def _domains(problem: IlpProblem, clauses: Sequence[DatalogClause]) -> dict[Key, Tuples]:
    """The constants of the types that clauses range over.

    A type that no fact has takes those of the clause's other types: the `#real` of `gteq(+charge,
    #real)`.
    """
    ranging = [clause for clause in clauses if clause.domains]
    if not ranging:
        return {}
    constants: dict[str, dict[str, None]] = {}
    for predicate, names in problem.argument_types().items():
        rows = problem.facts.get((predicate, len(names)), ())
        if predicate == problem.target:
            rows = (*problem.positives, *problem.negatives)
        for row in rows:
            for name, value in zip(names, row):
                constants.setdefault(name, {})[value] = None
    found: dict[Key, Tuples] = {}
    for clause in ranging:
        listed = 1
        for domain in clause.domains:
            values = list(constants.get(domain.type, ())) or [
                value for other in clause.domains for value in constants.get(other.type, ())
            ]
            found[domain.key] = tuple((value,) for value in _thinned(values, domain))
            listed *= max(len(found[domain.key]), 1)
        if listed > MOST_ROWS:
            raise declined(
                clause.source,
                f"lists {listed:,} combinations of constants; make one place a constant (#)",
            )
    return found


def _thinned(values: Sequence[str], domain: TypeDomain) -> list[str]:
    """The values, or of many numbers at a constant place some at evenly spaced ranks."""
    distinct = sorted(
        set(values), key=lambda text: (float(text) if is_number(text) else np.inf, text)
    )
    if not domain.threshold or len(distinct) <= MOST_THRESHOLDS:
        return distinct
    ranks = np.linspace(0, len(distinct) - 1, MOST_THRESHOLDS).round().astype(int)
    return [distinct[rank] for rank in ranks.tolist()]


def _check_negation(program: Program, clauses: Sequence[DatalogClause]) -> None:
    for together in strata(program):
        for clause in clauses:
            if _name(clause.head) in together and any(
                _name(key) in together for key, _ in clause.negative
            ):
                raise declined(clause.source, "recurs through negation")
