"""Queries answered from arrays say what the database says of the same relations."""

from __future__ import annotations

from collections import Counter
from functools import partial
from random import Random
from typing import Any, cast

import duckdb
import numpy as np
import pytest

from tests.grounding.reading import statements_only
from tests.grounding.test_snapshots import Listener
from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest
from workbench.grounding.backend import DuckDB
from workbench.grounding.ground import Grounder
from workbench.grounding.select import (
    COUNT,
    ColumnRef,
    Expression,
    Operation,
    Select,
    Source,
    Value,
    call,
    count_of,
    equal,
    negate,
)
from workbench.grounding.small_queries import SmallQueries
from workbench.grounding.temporary_tables import TemporaryTables
from workbench.language import parse_mln, parse_psl
from workbench.progress import SILENT

RULES = """
*Age(person, number)
*Income(person, number)
*Near(person, person)
Fraud(person)
Years(x, n) := Age(x, m) ^ n = m + 1.
Old(x) := Years(x, n) ^ n > 40.
Poor(x) := Income(x, n) ^ n < 20.
{}
"""
FORMS = (
    "{w} Age(x, n) ^ n > 3{i} ^ !Poor(x) => Fraud(x)",
    "-{w} !Old(x) ^ Income(x, m) ^ m < {i}5 => Fraud(x)",
    "{w} Age(x, n) ^ Income(x, m) ^ n > m ^ m >= {i} => Fraud(x)",
    "{w} Age(x, n) ^ Near(x, y) ^ Fraud(y) ^ n > 2{i} => Fraud(x)",
    "{w} !Old(x) ^ !Poor(x) => !Fraud(x)",
    "{w} Age(P{i}, n) ^ Near(P{i}, x) ^ n < 45 => Fraud(x)",
    "{w} Near(x, y) ^ Near(y, x) ^ x != y => Fraud(x)",
)


def grounded(rules: int, *, worlds: int = 1, role: str = "infer") -> tuple[Any, list[str]]:
    """The network of so many rules of a tree's kind, and the statements that were asked."""
    lines = "\n".join(FORMS[i % 7].format(w=1 + i / 100, i=i % 5) for i in range(rules))
    program, random = parse_mln(RULES.format(lines)), Random(3)
    with Database.open() as database:
        database.declare(program)
        for world in range(worlds):
            facts = []
            for i in range(9):
                facts.append(f"Age(P{i}, {random.randrange(20, 60)})")
                facts += [f"Income(P{i}, {random.randrange(60)})"] * (i % 4 > 0)
                facts += [f"{random.choice(['', '!', '?'])}Fraud(P{i})"] * (i % 3 > 0)
                facts += [f"Near(P{i}, P{random.randrange(9)})" for _ in range(3)]
            load_alchemy_text(database, "\n".join(facts), world=f"w{world}")
        listener = Listener(database.cursor())
        request = GroundRequest(query=["Fraud"], role=cast(Any, role))
        made = Grounder(database, cast(Any, listener), program, request, SILENT).run()
        return made.network, listener.statements


@pytest.mark.parametrize(("worlds", "role"), [(1, "infer"), (2, "infer"), (1, "learn")])
def test_rules_are_grounded_as_by_statements_of_their_own(worlds: int, role: str) -> None:
    by_arrays, asked = grounded(70, worlds=worlds, role=role)
    with statements_only():
        by_statements, asked_apart = grounded(70, worlds=worlds, role=role)
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(by_arrays.A, name), getattr(by_statements.A, name))
        assert np.array_equal(getattr(by_arrays.unit, name), getattr(by_statements.unit, name))
    for name in ("b", "template", "constant", "groundings", "evidence_violated"):
        assert np.array_equal(getattr(by_arrays, name), getattr(by_statements, name)), name
    assert by_arrays.unit.nnz > 50
    assert len(asked) < len(asked_apart) - 40


def test_soft_rules_read_what_definitions_of_definitions_found() -> None:
    program = parse_psl(
        "Steps(A, N) := N = count(B: Near(A, B)) .\nMet(A) := Steps(A, N) & N >= 1 .\n"
        "1: Met(A) + Warm(A) <= 1.2"
    )
    with Database.open() as database:
        database.declare(program)
        near = ["Near(A, B)", "Near(B, C)", "Near(C, A)"]
        load_alchemy_text(database, "\n".join([*near, "?Warm(A)", "?Warm(B)", "?Warm(D)"]))
        request = GroundRequest(query=["Warm"])
        made = Grounder(database, database.cursor(), program, request, SILENT).run()
    assert len(made.network.b) == 2


def test_more_rules_of_small_relations_ask_hardly_more() -> None:
    asked = grounded(70)[1]
    assert len(grounded(140)[1]) < len(asked) + 10
    assert not any("made_Old" in one for one in asked)


def expression(random: Random, columns: list[ColumnRef], depth: int = 2) -> Expression:
    """A condition over whole and real numbers, of which those of a left join may be missing."""
    kind = random.randrange(8 if depth else 3)
    one, other = random.choice(columns), random.choice(columns)
    if kind < 3:
        rights: list[Expression] = [Value(random.randrange(5)), Value(2.5)]
        right = random.choice([other, *rights, Operation("+", (one, other))])
        operator = random.choice(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"])
        return Operation(cast(Any, operator), (one, right))
    inner = expression(random, columns, depth - 1)
    if kind == 3:
        return negate(inner)
    if kind == 4:
        return random.choice([inner.is_not(True), inner.is_(None), one.is_null, inner.is_(False)])
    if kind == 5:
        return call("case", inner, one, call("coalesce", other, Value(-1))) > 1
    combine = random.choice(["AND", "OR"])
    return Operation(cast(Any, combine), (inner, expression(random, columns, depth - 1)))


def query(random: Random) -> Select:
    """Up to four relations joined in any way, counted or in groups."""
    sources, columns = [Source("facts_r0", "s0")], [ColumnRef("s0", c) for c in ("a", "b", "x")]
    for number in range(1, random.randrange(2, 5)):
        kind = random.choice(["inner", "left", "anti", "semi"])
        alias = f"s{number}"
        keys = random.sample(["a", "b"], random.randrange(1, 3))
        there: list[Expression] = [*columns, Value(2)]
        given = [random.choice(there) for _ in keys]
        on = tuple(equal(ColumnRef(alias, key), value) for key, value in zip(keys, given))
        sources.append(Source(f"facts_r{random.randrange(3)}", alias, on, cast(Any, kind)))
        if kind in ("inner", "left"):
            columns += [ColumnRef(alias, name) for name in ("a", "b", "x")]
    where = tuple(expression(random, columns) for _ in range(random.randrange(3)))
    counted = (("n", COUNT), ("some", count_of(expression(random, columns))))
    if random.random() < 0.5:
        return Select(counted, tuple(sources), where)
    keyed = (("k", call("coalesce", random.choice(columns), 9)), ("m", columns[0] * 3 - columns[1]))
    totals = (*counted, ("s", call("sum", call("cast DOUBLE", columns[0]))))
    names = tuple(ColumnRef("", name) for name, _ in keyed)
    return Select(
        (*keyed, *totals), tuple(sources), where, tuple(key for _, key in keyed), order_by=names
    )


def test_random_queries_have_the_databases_answers() -> None:
    random, answered = Random(5), Counter[bool]()
    with duckdb.connect() as connection:
        tables = TemporaryTables(connection)
        for number, rows in enumerate((12, 7, 0)):
            made = (
                f"SELECT (i * 7 % 5)::INTEGER a, (i * {number + 2} % 4 + 3)::INTEGER b, i / 2 AS x "
                f"FROM range({rows}) t(i) ORDER BY i"
            )
            tables.of("facts", f"r{number}", partial(str, made))
        small, backend = SmallQueries(tables), DuckDB(connection)
        for _ in range(300):
            asked = query(random)
            found = small.rows(asked)
            answered[found is not None] += 1
            if found is not None:
                assert found == backend.rows(asked), backend.dialect.render(asked)
    assert answered[True] > 100
