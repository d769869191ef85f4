"""The same bytes for any number of threads, on relations that threads share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks.grounding import constants, insert
from workbench.database import Database
from workbench.grounding import Grounding, GroundRequest, ground
from workbench.grounding.order import ascending, in_order
from workbench.grounding.select import Select, Source
from workbench.language import parse_mln, parse_psl
from workbench.language.program import Program

SIZE, FACTS = 40_000, 200_000
MLN = """
E(t, t)
A(t)
B(t)
N(t, t)
Amount(t, number)
Paid(t, number)
Paid(x, s) := s = sum(a: E(x, y) ^ Amount(y, a)).
1 E(x, y) ^ E(y, z) ^ N(z, x) ^ A(y) => A(x) v B(z)
1 E(x, y) ^ !N(x, y) ^ A(y) => A(x)
1 * s: Paid(x, s) => A(x) v B(x)
"""
PSL = """
1: E(X, Y) & N(Y, Z) & A(Z) -> A(X) ^2
1: A(X) + 0.3 * V(X, +Y) <= 1
"""


def facts(database: Database, program: Program, *, size: int = SIZE, count: int = FACTS) -> None:
    """Two large relations, numbers that no two orders add up to one sum, all in world 0."""
    rng = np.random.default_rng(0)
    database.world_id()
    database.declare(program)
    for type_name in database.type_tables():
        constants(database, type_name, size)
    for name in ("E", "N"):
        pairs = np.unique(rng.integers(0, size * size, count))
        rng.shuffle(pairs)
        insert(
            database,
            name,
            {
                f"a{i}": part.astype(np.int32)
                for i, part in enumerate((pairs // size, pairs % size))
            },
        )
    everyone = np.arange(size, dtype=np.int32)
    if program.language == "mln":
        insert(database, "Amount", {"a0": everyone, "a1": rng.random(size)})
    else:
        insert(database, "A", {"a0": everyone}, "target")
        database.connection.execute(
            "INSERT INTO p_V SELECT world, a0, a1, random(), partition FROM p_E"
        )
        database.connection.execute("UPDATE p_V SET value = ((a0 * 31 + a1 * 17) % 1009) / 1009.0")


def contents(grounding: Grounding) -> dict[str, bytes]:
    network = grounding.network
    parts = {
        "A": network.A.indices,
        "coefficients": network.A.data,
        "indptr": network.A.indptr,
        "b": network.b,
        "template": network.template,
        "scale": np.zeros(0) if network.scale is None else network.scale,
        "unit": network.unit.indices,
        "constant": network.constant,
        "violated": network.evidence_violated,
        "satisfied": network.evidence_satisfied,
    }
    return {name: np.ascontiguousarray(part).tobytes() for name, part in parts.items()}


@pytest.mark.parametrize(("text", "query"), [(MLN, ["A", "B"]), (PSL, None)])
def test_the_bytes_do_not_depend_on_threads(text: str, query: list[str] | None) -> None:
    program = parse_mln(text) if query else parse_psl(text)
    with Database.open(threads=1) as database:
        facts(database, program)
        found = []
        for threads in (1, 2, 4):
            database.connection.execute(f"SET threads = {threads}")
            found.append(contents(ground(database, program, GroundRequest(query=query))))
            (kept,) = (
                database.connection.execute("SELECT current_setting('threads')").fetchone() or ()
            )
            assert kept == threads
        assert len(found[0]["A"]) > FACTS
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("wide", [False, True])
def test_rows_of_a_join_that_threads_share_are_sorted(*, wide: bool) -> None:
    scattered = "(hash(range) // 4)::BIGINT" if wide else "range * 7919 % 10007"
    joined = Select((), (Source("t", "a"), Source("t", "b")))
    with Database.open() as database:
        relation = database.connection.sql(
            f"SELECT ({scattered}) // 2 AS l0, range % 3 AS l1 FROM range(10007)"
        )
        batches = list(in_order(relation, joined, 1000, shared=True))
        columns = [
            np.concatenate([batch.column(i).to_numpy() for batch in batches]) for i in range(2)
        ]
        before = relation.fetchnumpy()
    assert max(batch.num_rows for batch in batches) <= 1000
    assert not ascending([before["l0"], before["l1"]])
    places = np.lexsort((before["l1"], before["l0"]))
    assert all(
        np.array_equal(column, before[name][places]) for column, name in zip(columns, ("l0", "l1"))
    )


def test_groundings_of_one_database_at_once() -> None:
    program = parse_mln(MLN)
    request = GroundRequest(query=["A", "B"])
    with Database.open(threads=2) as database:
        facts(database, program, size=5000, count=20_000)
        with ThreadPoolExecutor(3) as pool:
            found = list(pool.map(lambda _: contents(ground(database, program, request)), range(3)))
    assert found[0] == found[1] == found[2]
