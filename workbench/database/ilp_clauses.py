"""Background clauses with bodies, evaluated by DuckDB where they are Datalog: joins, negation by strata, recursion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import duckdb
import numpy as np

from workbench.database.identifiers import quoted, text_literal
from workbench.database.ilp_datalog import DatalogClause, Key, TypeDomain, datalog_clauses, declined
from workbench.database.rows import first_row
from workbench.language.ilp import IlpProblem, Tuples
from workbench.language.ilp_prolog import LogicVariable, Term, term_text
from workbench.language.strata import in_order

__all__ = ["derive_facts"]

_COMPARISONS = {
    "<": "<", ">": ">", "=<": "<=", ">=": ">=", "=:=": "=", "=\\=": "<>",
    "=": "=", "==": "=", "\\=": "<>", "\\==": "<>", "!=": "<>",
}  # fmt: skip
_NUMERIC = {"<", ">", "=<", ">=", "=:=", "=\\="}
_TESTS = {
    "number": "try_cast({} AS DOUBLE) IS NOT NULL",
    "integer": "try_cast({} AS DOUBLE) = try_cast({} AS BIGINT)",
    "name": "try_cast({} AS DOUBLE) IS NULL",
}
MOST_THRESHOLDS = 200
"""Values of a type that stand at a constant place of a comparison; of more, evenly spaced quantiles."""
MOST_ROWS = 5_000_000
"""Combinations of constants that a clause without facts in its body may list."""


def derive_facts(problem: IlpProblem) -> IlpProblem:
    """The problem with every background clause that a mode reaches replaced by the facts it derives.

    Clauses are evaluated stratum by stratum. A predicate that calls itself once in each clause is one recursive query
    (`WITH RECURSIVE`); other recursion is iterated until nothing new is derived. A clause of comparisons alone, such as
    `gteq(X, Y) :- number(X), number(Y), X >= Y`, ranges over the constants of its modes' types.

    Raises
    ------
    InputError
        `E0220` for each clause that is no Datalog: function terms, disjunction, arithmetic, a head variable
        that nothing binds, a cut that changes answers, or recursion through negation.
    """
    if not problem.clauses:
        return problem
    clauses = datalog_clauses(problem)
    keys = {clause.head for clause in clauses} | set(problem.facts)
    for clause in clauses:
        keys |= {key for key, _ in (*clause.positive, *clause.negative)}
    tables = {key: f"relation_{number}" for number, key in enumerate(sorted(keys))}
    facts = dict(problem.facts)
    given = {**facts, **_domains(problem, clauses)}
    with duckdb.connect(":memory:") as connection:
        for key, table in tables.items():
            columns = ", ".join(f"c{place} VARCHAR" for place in range(max(key[1], 1)))
            connection.execute(f"CREATE TABLE {table} ({columns})")
            rows = given.get(key, ())
            if rows:
                marks = ", ".join("?" for _ in range(max(key[1], 1)))
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", [row or ("",) for row in rows])
        for stratum in _strata(clauses):
            own = [clause for clause in clauses if clause.head in stratum]
            _evaluate(connection, own, stratum, tables)
            for key in stratum:
                names = ", ".join(f"c{place}" for place in range(max(key[1], 1)))
                # What a mode's recall keeps comes first: of a number's thresholds the nearest.
                nearest = "abs(try_cast(c0 AS DOUBLE) - try_cast(c1 AS DOUBLE)), " if key[1] == 2 else ""
                query = (
                    f"SELECT {names} FROM (SELECT DISTINCT {names} FROM {tables[key]}) ORDER BY c0, {nearest}{names}"
                )
                derived = connection.execute(query).fetchall()
                known = dict.fromkeys(facts.get(key, ()))
                facts[key] = tuple(dict.fromkeys([*known, *(tuple(row[: key[1]]) for row in derived)]))
    return replace(problem, facts=facts, clauses=())


def _domains(problem: IlpProblem, clauses: Sequence[DatalogClause]) -> dict[Key, Tuples]:
    """The constants of the types that clauses range over.

    A type that no fact has takes those of the clause's other types: the `#real` of `gteq(+charge, #real)`.
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
            raise declined(clause.source, f"lists {listed:,} combinations of constants; make one place a constant (#)")
    return found


def _thinned(values: Sequence[str], domain: TypeDomain) -> list[str]:
    """The values, or of many numbers at a constant place some at evenly spaced ranks."""
    distinct = sorted(set(values), key=lambda text: (_number(text), text))
    if not domain.threshold or len(distinct) <= MOST_THRESHOLDS:
        return distinct
    ranks = np.linspace(0, len(distinct) - 1, MOST_THRESHOLDS).round().astype(int)
    return [distinct[rank] for rank in ranks.tolist()]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("inf")


def _strata(clauses: Sequence[DatalogClause]) -> list[frozenset[Key]]:
    """Derived predicates in order of evaluation, those that call each other together."""
    calls: dict[Key, set[Key]] = {clause.head: set() for clause in clauses}
    for clause in clauses:
        calls[clause.head] |= {key for key, _ in (*clause.positive, *clause.negative)}
    strata = [frozenset(together) for together in in_order({key: sorted(calls[key]) for key in sorted(calls)})]
    for stratum in strata:
        for clause in clauses:
            if clause.head in stratum and any(key in stratum for key, _ in clause.negative):
                raise declined(clause.source, "recurs through negation")
    return strata


def _evaluate(
    connection: duckdb.DuckDBPyConnection,
    clauses: Sequence[DatalogClause],
    stratum: frozenset[Key],
    tables: Mapping[Key, str],
) -> None:
    def calls_itself(clause: DatalogClause) -> int:
        return sum(key in stratum for key, _ in clause.positive)

    recursive = [clause for clause in clauses if calls_itself(clause)]
    for clause in clauses:
        if not calls_itself(clause):
            connection.execute(f"INSERT INTO {tables[clause.head]} {_query(clause, tables)}")
    if not recursive:
        return
    if len(stratum) == 1 and all(calls_itself(clause) == 1 for clause in recursive):
        (key,) = stratum
        inside = {**tables, key: "closure"}
        steps = " UNION ALL ".join(_query(clause, inside) for clause in recursive)
        names = ", ".join(f"c{place}" for place in range(max(key[1], 1)))
        connection.execute(
            f"CREATE TABLE closed AS WITH RECURSIVE closure({names}) AS "
            f"(SELECT {names} FROM {tables[key]} UNION ({steps})) SELECT {names} FROM closure"
        )
        connection.execute(f"DELETE FROM {tables[key]}")
        connection.execute(f"INSERT INTO {tables[key]} SELECT * FROM closed")
        connection.execute("DROP TABLE closed")
        return
    grown = True
    while grown:
        grown = False
        for clause in recursive:
            table = tables[clause.head]
            inserted = first_row(
                connection.execute(
                    f"INSERT INTO {table} SELECT * FROM ({_query(clause, tables)}) EXCEPT SELECT * FROM {table}"
                )
            )
            grown = grown or bool(inserted and inserted[0])


def _query(clause: DatalogClause, tables: Mapping[Key, str]) -> str:
    """The clause's answers as one SELECT DISTINCT."""
    place_of: dict[str, str] = {}
    conditions: list[str] = []

    def cell(term: Term) -> str:
        return place_of[term.name] if isinstance(term, LogicVariable) else text_literal(term_text(term))

    for number, (_, terms) in enumerate(clause.positive):
        for place, term in enumerate(terms):
            column = f"t{number}.c{place}"
            if isinstance(term, LogicVariable) and term.name not in place_of:
                place_of[term.name] = column
            else:
                conditions.append(f"{column} = {cell(term)}")
    for operator, left, right in clause.comparisons:
        if operator in _NUMERIC:
            pair = [f"try_cast({cell(term)} AS DOUBLE)" for term in (left, right)]
        else:
            pair = [cell(left), cell(right)]
        conditions.append(f"{pair[0]} {_COMPARISONS[operator]} {pair[1]}")
    conditions += [_TESTS[kind].replace("{}", cell(term)) for kind, term in clause.tests]
    for key, terms in clause.negative:
        local: dict[str, str] = {}  # a variable of the negation alone is existential inside it
        tests: list[str] = []
        for place, term in enumerate(terms):
            if isinstance(term, LogicVariable) and term.name not in place_of:
                first = local.setdefault(term.name, f"n.c{place}")
                tests.append(f"n.c{place} = {first}")
            else:
                tests.append(f"n.c{place} = {cell(term)}")
        same = " AND ".join(tests) or "TRUE"
        conditions.append(f"NOT EXISTS (SELECT 1 FROM {quoted(tables[key])} n WHERE {same})")
    sources = ", ".join(f"{quoted(tables[key])} t{number}" for number, (key, _) in enumerate(clause.positive))
    cells = ", ".join(cell(term) for term in clause.head_terms) or "''"
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT DISTINCT {cells}{f' FROM {sources}' if sources else ''}{where}"
