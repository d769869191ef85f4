"""How fast rules become rows: `python -m benchmarks.grounding [--sizes 1,10] [--threads 1,2]
[--json]`.

Each case is grounded through the public `ground` on one thread, and compared with two bare queries
of DuckDB over the same temporary tables: the join that only counts, and the join that fetches the
id columns. Everything runs three times and the fastest counts; what the first grounding took stands
beside, for it also pays for memory that the process has not touched before. With `--threads` the
wall seconds of so many threads of DuckDB stand beside: of an idle machine only.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.measuring import print_records
from benchmarks.tuffy import tuffy_counts
from workbench.database import Database, load_alchemy
from workbench.errors import UsageError
from workbench.grounding import Grounding, GroundRequest, ground
from workbench.language import parse_mln, parse_psl, read_program
from workbench.resources import datasets_directory

REPETITIONS = 3


@dataclass
class Measurement:
    """One case: ground rows, CPU seconds (fastest, first), rows a second, peak memory, ratios."""

    case: str
    rows: int
    atoms: int
    cpu_seconds: float
    first_cpu_seconds: float
    rows_per_cpu_second: float
    peak_gib: float
    times_count: float
    times_fetch: float
    wall_seconds: dict[int, float]


def insert(
    database: Database, predicate: str, columns: dict[str, np.ndarray], partition: str = "evidence"
) -> None:
    """Put facts straight into a predicate's table; constants are `c0, c1, ...`, by position."""
    arrow = pa.table({name: pa.array(values) for name, values in columns.items()})
    connection = database.connection
    connection.register("incoming", arrow)
    shown = ", ".join(columns)
    table = database.predicates()[predicate].table_name
    value = "NULL" if partition == "target" else "1"
    connection.execute(
        f"INSERT INTO {table} SELECT 0, {shown}, {value}, '{partition}' FROM incoming"
    )
    connection.unregister("incoming")


def constants(database: Database, type_name: str, count: int) -> None:
    """`count` constants of a type, all in the domain of world 0, position = id."""
    connection = database.connection
    table = database.type_tables()[type_name]
    connection.execute(f"DELETE FROM {table}")
    connection.execute(
        f"INSERT INTO {table} SELECT range::INTEGER, format('C{{:08d}}', range) FROM range({count})"
    )
    connection.execute(f"DELETE FROM domain WHERE type = '{type_name}'")
    connection.execute(
        f"INSERT INTO domain SELECT 0, '{type_name}', range::INTEGER, range::INTEGER FROM "
        f"range({count})"
    )


def timed(work: Callable[[], object]) -> float:
    """CPU seconds of user and system time."""
    return passed(work, time.process_time)


def passed(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def fastest(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    return min(passed(work, clock) for _ in range(REPETITIONS))


def wall_seconds(
    database: Database, work: Callable[[], object], threads: Sequence[int]
) -> dict[int, float]:
    """The fastest by each number of DuckDB's threads."""
    found = {}
    for number in threads:
        database.connection.execute(f"SET threads = {number}")
        found[number] = fastest(work, time.perf_counter)
    return found


def measure(
    case: str,
    database: Database,
    program: object,
    request: GroundRequest,
    bare: str,
    threads: Sequence[int],
) -> Measurement:
    """Ground, and compare with the bare join `SELECT {columns} FROM ...`."""
    found: list[Grounding] = []

    def once() -> None:
        found.clear()
        found.append(ground(database, program, request))

    first = timed(once)
    cpu = min(first, *(timed(once) for _ in range(REPETITIONS - 1)))
    network = found[0].network
    cursor = database.cursor()
    cursor.execute("SET threads = 1")
    counted = fastest(lambda: cursor.execute(bare.format("count(*)")).fetchall())
    columns = "x AS a, y AS b" if network.n_rows else "x"

    def fetch() -> None:
        for _ in cursor.sql(bare.format(columns)).to_arrow_reader(262_144):
            pass

    fetched = fastest(fetch)
    wall = wall_seconds(database, once, threads)
    rows = network.n_rows
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ratios = cpu / counted, cpu / fetched
    return Measurement(case, rows, network.n_atoms, cpu, first, rows / cpu, peak, *ratios, wall)


def transitivity(millions: float, threads: Sequence[int]) -> Measurement:
    """`F(x,y) ^ F(y,z) => F(x,z)` over a domain, all atoms open: three computed ids a row."""
    size = round((millions * 1e6) ** (1 / 3)) + 1
    program = parse_mln("F(t, t)\n1 !F(x,y) v !F(y,z) v F(x,z)")
    with Database.open(threads=1) as database:
        database.world_id()
        database.declare(program)
        constants(database, "t", size)
        request = GroundRequest(query=["F"], limit=10**9)
        bare = (
            f"SELECT {{}} FROM (SELECT a.p * {size} + b.p AS x, b.p * {size} + c.p AS y FROM d a, "
            "d b, d c WHERE a.p <> b.p AND b.p <> c.p)"
        )
        database.connection.execute(
            f"CREATE TABLE d AS SELECT range::INTEGER AS p FROM range({size})"
        )
        return measure(f"transitivity {millions:g}M", database, program, request, bare, threads)


def horn(millions: float, threads: Sequence[int]) -> Measurement:
    """`E(x,y) ^ A(x) => A(y)` over facts of E: two computed ids a row."""
    return _pairs("horn", "E(t, t)\nA(t)\n1 !E(x,y) v !A(x) v A(y)", millions, threads)


def negation(millions: float, threads: Sequence[int]) -> Measurement:
    """`E(x,y) ^ !N(x,y) => A(x) v A(y)`: a closed head literal is an anti join."""
    return _pairs(
        "negation",
        "E(t, t)\nN(t, t)\nA(t)\nB(t)\n1 !E(x,y) v N(x,y) v A(x) v B(y)",
        millions,
        threads,
    )


def _pairs(case: str, text: str, millions: float, threads: Sequence[int]) -> Measurement:
    size, count = 10_000_000, int(millions * 1e6)
    size = max(1000, min(size, count // 5))
    rng = np.random.default_rng(0)
    program = parse_mln(text)
    with Database.open(threads=1) as database:
        database.world_id()
        database.declare(program)
        constants(database, "t", size)
        edges = np.unique(rng.integers(0, size * size, int(count * 1.02)))[:count]
        insert(
            database,
            "E",
            {"a0": (edges // size).astype(np.int32), "a1": (edges % size).astype(np.int32)},
        )
        if case == "negation":
            some = edges[::50]
            insert(
                database,
                "N",
                {"a0": (some // size).astype(np.int32), "a1": (some % size).astype(np.int32)},
            )
        queries = ["A", "B"] if case == "negation" else ["A"]
        request = GroundRequest(query=queries, closed=["E"], limit=10**9)
        bare = "SELECT {} FROM (SELECT a0 AS x, a1 AS y FROM p_E)"
        if case == "negation":
            bare = (
                "SELECT {} FROM (SELECT e.a0 AS x, e.a1 AS y FROM p_E e ANTI JOIN p_N n ON "
                "n.a0 = e.a0 AND n.a1 = e.a1)"
            )
        return measure(f"{case} {millions:g}M", database, program, request, bare, threads)


def listed(millions: float, threads: Sequence[int]) -> Measurement:
    """PSL's `E(X,Y) & A(X) -> A(Y) ^2`, half of A listed: both open atoms found in an array."""
    count = int(millions * 1e6)
    size = max(1000, count // 5)
    rng = np.random.default_rng(0)
    program = parse_psl("1: E(X, Y) & A(X) -> A(Y) ^2")
    with Database.open(threads=1) as database:
        database.world_id()
        database.declare(program)
        constants(database, program.predicates["A"].argument_types[0], 2 * size)
        edges = np.unique(rng.integers(0, size * size, int(count * 1.02)))[:count]
        pairs = {
            "a0": (edges // size * 2).astype(np.int32),
            "a1": (edges % size * 2).astype(np.int32),
        }
        insert(database, "E", pairs)
        insert(database, "A", {"a0": np.arange(0, 2 * size, 2, dtype=np.int32)}, "target")
        database.connection.execute(
            "CREATE TABLE l AS SELECT 2 * range::INTEGER AS a, range::INTEGER AS i FROM "
            f"range({size})"
        )
        bare = (
            "SELECT {} FROM (SELECT p.i AS x, q.i AS y FROM p_E e JOIN l p ON p.a = e.a0 JOIN "
            "l q ON q.a = e.a1)"
        )
        return measure(
            f"listed {millions:g}M", database, program, GroundRequest(limit=10**9), bare, threads
        )


def hashed(millions: float, threads: Sequence[int]) -> Measurement:
    """PSL's `E(X,Y,Z) & L(X,Y) -> L(Y,Z) ^2`, few pairs listed: open atoms found by hash join."""
    degree = 5
    size = max(200, int(millions * 1e6) // degree**2)
    rng = np.random.default_rng(0)
    program = parse_psl("1: E(X, Y, Z) & L(X, Y) -> L(Y, Z) ^2")
    with Database.open(threads=1) as database:
        database.world_id()
        database.declare(program)
        constants(database, program.predicates["L"].argument_types[0], size)
        friends = (
            np.arange(size)[:, None] + np.sort(rng.integers(1, size, (size, degree)), axis=1)
        ) % size
        friends = np.sort(friends, axis=1).astype(np.int32)
        pairs = np.unique(
            np.column_stack([np.repeat(np.arange(size, dtype=np.int32), degree), friends.ravel()]),
            axis=0,
        )
        insert(database, "L", {"a0": pairs[:, 0], "a1": pairs[:, 1]}, "target")
        steps = np.column_stack([np.repeat(pairs, degree, axis=0), friends[pairs[:, 1]].ravel()])
        steps = np.unique(steps, axis=0)
        insert(database, "E", {f"a{i}": steps[:, i].copy() for i in range(3)})
        database.connection.execute(
            "CREATE TABLE l AS SELECT a0, a1, (row_number() OVER ())::INTEGER AS i FROM p_L"
        )
        bare = (
            "SELECT {} FROM (SELECT p.i AS x, q.i AS y FROM p_E e JOIN l p ON p.a0 = e.a0 AND "
            "p.a1 = e.a1 "
            "JOIN l q ON q.a0 = e.a1 AND q.a1 = e.a2)"
        )
        return measure(
            f"hashed {millions:g}M", database, program, GroundRequest(limit=10**9), bare, threads
        )


def uw_cse() -> dict[str, Any] | None:
    """Tuffy's files: seconds from facts in the database to the network, and the counts."""
    try:
        directory = datasets_directory() / "uw-cse" / "tuffy-cse"
    except UsageError:
        return None
    if not directory.is_dir():
        return None
    program = read_program(directory / "prog.mln")
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy(database, directory / "evidence.db")
        found: list[Grounding] = []
        seconds = timed(
            lambda: found.append(ground(database, program, GroundRequest(query=["advisedBy"])))
        )
    rules = found[0].rules
    tuffy = tuffy_counts(found[0], directory / "evidence.db")
    return {
        "cpu_seconds": seconds,
        "atoms": found[0].network.n_atoms,
        "rows": found[0].network.n_rows,
        "unit_groundings": sum(rule.unit_groundings for rule in rules),
        "open_groundings": sum(rule.open for rule in rules),
        "tuffy": {**asdict(tuffy), "clauses": tuffy.clauses},
    }


CASES: dict[str, Callable[[float, Sequence[int]], Measurement]] = {
    "transitivity": transitivity,
    "horn": horn,
    "negation": negation,
    "listed": listed,
    "hashed": hashed,
}


def main(arguments: list[str] | None = None) -> None:
    """Run the cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1,10", help="millions of groundings")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--threads", default="", help="numbers of threads, to time on the wall")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    threads = [int(number) for number in options.threads.split(",") if number]
    found = [
        CASES[case](float(size), threads)
        for case in options.cases.split(",")
        for size in options.sizes.split(",")
        if case
    ]
    cases = [asdict(one) for one in found]
    print_records({"cases": cases, "uw_cse": uw_cse()}, options.json)


if __name__ == "__main__":
    main()
