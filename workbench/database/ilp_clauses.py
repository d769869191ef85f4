"""Background clauses with bodies, evaluated by DuckDB where they are Datalog: joins, negation by strata, recursion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_row
from workbench.errors import InputError, WorkbenchError
from workbench.language.ilp import BackgroundClause, IlpProblem
from workbench.language.ilp_prolog import Compound, LogicVariable, Symbol, Term, term_text

__all__ = ["derive_facts"]

Key = tuple[str, int]
_COMPARISONS = {
    "<": "<", ">": ">", "=<": "<=", ">=": ">=", "=:=": "=", "=\\=": "<>",
    "=": "=", "==": "=", "\\=": "<>", "\\==": "<>", "!=": "<>",
}  # fmt: skip
_NUMERIC = {"<", ">", "=<", ">=", "=:=", "=\\="}


@dataclass(frozen=True)
class _Clause:
    head: Key
    head_terms: tuple[Term, ...]
    positive: tuple[tuple[Key, tuple[Term, ...]], ...]
    negative: tuple[tuple[Key, tuple[Term, ...]], ...]
    comparisons: tuple[tuple[str, Term, Term], ...]
    source: BackgroundClause


def derive_facts(problem: IlpProblem) -> IlpProblem:
    """The problem with every background clause replaced by the facts it derives.

    Clauses are evaluated stratum by stratum. A predicate that calls itself once in each clause is one recursive query
    (`WITH RECURSIVE`); other recursion is iterated until nothing new is derived.

    Raises
    ------
    InputError
        `E0220` for a clause that is no Datalog: function terms, disjunction, arithmetic, a head variable
        that no positive literal binds, or recursion through negation.
    """
    if not problem.clauses:
        return problem
    clauses = [_datalog(clause) for clause in problem.clauses]
    keys = {clause.head for clause in clauses} | set(problem.facts)
    for clause in clauses:
        keys |= {key for key, _ in (*clause.positive, *clause.negative)}
    tables = {key: f"relation_{number}" for number, key in enumerate(sorted(keys))}
    facts = dict(problem.facts)
    with duckdb.connect(":memory:") as connection:
        for key, table in tables.items():
            columns = ", ".join(f"c{place} VARCHAR" for place in range(max(key[1], 1)))
            connection.execute(f"CREATE TABLE {table} ({columns})")
            rows = facts.get(key, ())
            if rows:
                marks = ", ".join("?" for _ in range(max(key[1], 1)))
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", [row or ("",) for row in rows])
        for stratum in _strata(clauses):
            own = [clause for clause in clauses if clause.head in stratum]
            _evaluate(connection, own, stratum, tables)
            for key in stratum:
                names = ", ".join(f"c{place}" for place in range(max(key[1], 1)))
                derived = connection.execute(f"SELECT DISTINCT {names} FROM {tables[key]} ORDER BY ALL").fetchall()
                known = dict.fromkeys(facts.get(key, ()))
                facts[key] = tuple(dict.fromkeys([*known, *(tuple(row[: key[1]]) for row in derived)]))
    return replace(problem, facts=facts, clauses=())


def _declined(clause: BackgroundClause, why: str) -> WorkbenchError:
    return InputError.of(
        "E0220",
        f"the background clause for `{term_text(clause.head)}` {why}",
        span=clause.span,
        help="background clauses are evaluated as Datalog; give the predicate as ground facts instead",
    )


def _datalog(clause: BackgroundClause) -> _Clause:
    def atom(term: Term) -> tuple[Key, tuple[Term, ...]]:
        if isinstance(term, Symbol):
            return (term.name, 0), ()
        if not isinstance(term, Compound):
            raise _declined(clause, "calls a variable")
        for argument in term.arguments:
            if isinstance(argument, Compound) and _variables([argument]):
                raise _declined(clause, f"has the function term `{term_text(argument)}`")
        return (term.functor, len(term.arguments)), term.arguments

    positive: list[tuple[Key, tuple[Term, ...]]] = []
    negative: list[tuple[Key, tuple[Term, ...]]] = []
    comparisons: list[tuple[str, Term, Term]] = []
    for literal in clause.body:
        if isinstance(literal, Symbol) and literal.name in ("true", "!"):
            if literal.name == "!":
                raise _declined(clause, "has a cut")
            continue
        if isinstance(literal, Compound) and literal.functor in ("\\+", "not") and len(literal.arguments) == 1:
            negative.append(atom(literal.arguments[0]))
        elif isinstance(literal, Compound) and literal.functor in _COMPARISONS and len(literal.arguments) == 2:
            left, right = literal.arguments
            if isinstance(left, Compound) or isinstance(right, Compound):
                raise _declined(clause, f"computes in `{term_text(literal)}`")
            comparisons.append((literal.functor, left, right))
        elif isinstance(literal, Compound) and literal.functor in (";", "->", "is", "=.."):
            raise _declined(clause, f"uses `{literal.functor}`")
        else:
            positive.append(atom(literal))
    head, head_terms = atom(clause.head)
    bound = {name for _, terms in positive for name in _variables(terms)}
    needed = _variables(head_terms) | {name for _, left, right in comparisons for name in _variables([left, right])}
    free = needed - bound
    if free:
        raise _declined(clause, f"leaves the variable {sorted(free)[0]} unbound")
    return _Clause(head, head_terms, tuple(positive), tuple(negative), tuple(comparisons), clause)


def _variables(terms: Iterable[Term]) -> set[str]:
    names: set[str] = set()
    for term in terms:
        if isinstance(term, LogicVariable):
            names.add(term.name)
        elif isinstance(term, Compound):
            names |= _variables(term.arguments)
    return names


def _strata(clauses: Sequence[_Clause]) -> list[frozenset[Key]]:
    """Derived predicates in order of evaluation, those that call each other together (Tarjan)."""
    calls: dict[Key, set[Key]] = {clause.head: set() for clause in clauses}
    for clause in clauses:
        calls[clause.head] |= {key for key, _ in (*clause.positive, *clause.negative) if key in calls}
    index: dict[Key, int] = {}
    low: dict[Key, int] = {}
    stack: list[Key] = []
    strata: list[frozenset[Key]] = []

    def visit(key: Key) -> None:
        index[key] = low[key] = len(index)
        stack.append(key)
        for other in sorted(calls[key]):
            if other not in index:
                visit(other)
                low[key] = min(low[key], low[other])
            elif other in stack:
                low[key] = min(low[key], index[other])
        if low[key] == index[key]:
            at = stack.index(key)
            strata.append(frozenset(stack[at:]))
            del stack[at:]

    for key in sorted(calls):
        if key not in index:
            visit(key)
    for stratum in strata:
        for clause in clauses:
            if clause.head in stratum and any(key in stratum for key, _ in clause.negative):
                raise _declined(clause.source, "recurs through negation")
    return strata


def _evaluate(
    connection: duckdb.DuckDBPyConnection,
    clauses: Sequence[_Clause],
    stratum: frozenset[Key],
    tables: Mapping[Key, str],
) -> None:
    def calls_itself(clause: _Clause) -> int:
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


def _query(clause: _Clause, tables: Mapping[Key, str]) -> str:
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
