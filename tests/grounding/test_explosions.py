"""Rules of more groundings than anyone can count: told in full where arithmetic tells it,
refused at once elsewhere.
"""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import duckdb
import pytest

from workbench.database import Database, load_alchemy_text
from workbench.errors import Cancelled, InputError
from workbench.grounding import GroundRequest, ground, preview
from workbench.grounding.backend import DuckDB
from workbench.grounding.interruption import interruptible
from workbench.grounding.select import ColumnRef, Operation, Select, Source, Value, independent
from workbench.language import parse_mln, parse_psl
from workbench.progress import Progress

CHAIN = "t = {1, ..., 400}\nR(t, t)\nS(t, t)\n1 R(x,y) ^ R(y,z) ^ R(z,w) => S(x,w)\n"


def test_a_chain_of_open_atoms_is_counted_by_the_sizes_of_its_domains() -> None:
    with Database.open() as database:
        database.world_id()
        (rule,) = preview(database, parse_mln(CHAIN), GroundRequest(query=["R", "S"])).rules
        assert (rule.ground_rows, rule.open) == (400**4, 400**4)
        with pytest.raises(InputError, match="25,600,000,000 ground rows"):
            ground(database, parse_mln(CHAIN), GroundRequest(query=["R", "S"]))


def test_more_groundings_than_an_integer_holds() -> None:
    rules = "t = {1, ..., 4000}\nB(t)\nH(t)\n1 B(a) ^ B(b) ^ B(c) ^ B(d) ^ B(e) ^ B(f) => H(a)\n"
    with Database.open() as database:
        database.declare(parse_mln(rules))
        load_alchemy_text(database, "B(1)\nB(2)")
        grounding = ground(database, parse_mln(rules), GroundRequest(query=["H"]))
        (rule,) = preview(database, parse_mln(rules), GroundRequest(query=["H"])).rules
    assert grounding.rules[0].satisfied == rule.satisfied == pytest.approx(4000**6)
    assert grounding.network.groundings[0].tolist() == pytest.approx([64, 4000**6, 0])


def test_a_join_of_facts_that_explodes_is_refused_without_being_counted() -> None:
    rules = "E(t, t)\nS(t, t)\n1 E(x,h) ^ E(y,h) ^ E(z,h) ^ E(w,h) ^ E(u,h) => S(x,y)\n"
    with Database.open() as database:
        database.declare(parse_mln(rules))
        load_alchemy_text(database, "\n".join(f"E(N{i}, Hub)" for i in range(400)))
        for run in (ground, preview):
            with pytest.raises(InputError) as caught:
                run(database, parse_mln(rules), GroundRequest(query=["S"]))
            (one,) = caught.value.diagnostics
            assert (one.code, "more than" in one.message, "facts E (400)" in (one.help or "")) == (
                "E0310",
                True,
                True,
            )


def test_a_soft_join_that_explodes_is_refused_without_being_counted() -> None:
    rules = parse_psl("1: E(X, H) & E(Y, H) & E(Z, H) & E(W, H) & E(U, H) -> S(X, Y)\n")
    with Database.open() as database:
        database.declare(rules)
        load_alchemy_text(database, "\n".join(f"E(N{i}, Hub)" for i in range(400)) + "\n?S(N1, N2)")
        with pytest.raises(InputError, match="more than 50,000,000 ground rows"):
            ground(database, rules)


@pytest.mark.parametrize(
    "rule",
    [
        "R(x,y) ^ R(y,z) => R(x,z)",
        "R(x,y) ^ R(y,x) ^ R(z,A) => R(A,z) v S(x,x)",
        "R(A,B) => R(x,y) v R(y,x)",
        "R(A,A) => R(A,A) v S(x,y)",
        "S(x,y) v R(y,y)",
    ],
)
def test_counts_by_arithmetic_are_those_of_the_rows(rule: str) -> None:
    """Every binding of every world by itself;
    a tautology is one whose literals contradict each other.
    """
    program = parse_mln(f"R(t, t)\nS(t, t)\n1 {rule}\n")
    worlds = {"one": ["A", "B", "C", "D"], "two": ["A", "B", "E"]}
    with Database.open() as database:
        database.declare(program)
        for world, constants in worlds.items():
            load_alchemy_text(
                database, "\n".join(f"?R({one}, {one})" for one in constants), world=world
            )
        grounding = ground(database, program, GroundRequest(query=["R", "S"]))
    body, _, head = rule.rpartition(" => ")
    names = sorted({letter for letter in rule if letter in "xyzw"})
    expected = 0
    for constants in worlds.values():
        for values in product(constants, repeat=len(names)):
            binding = dict(zip(names, values))
            ground_atoms = [
                {
                    "".join(binding.get(letter, letter) for letter in atom)
                    for atom in part.split(sign)
                    if atom
                }
                for part, sign in ((body, " ^ "), (head, " v "))
            ]
            expected += not (ground_atoms[0] & ground_atoms[1])
    assert grounding.rules[0].open == expected


def test_relations_that_nothing_ties_are_counted_apart() -> None:
    facts = "\n".join(f"A(K{number})" for number in range(2000))
    with Database.open() as database:
        program = parse_mln("A(t)\nB(t)\n1 A(a) ^ A(b) ^ A(c) ^ A(d) ^ A(e) => B(f)\n")
        database.declare(program)
        load_alchemy_text(database, facts)
        with pytest.raises(InputError, match="E0310"):
            ground(database, program, GroundRequest(query=["B"]))


@pytest.mark.parametrize("seed", range(40))
def test_a_query_has_the_product_of_its_independent_parts(seed: int) -> None:
    random = Random(seed)
    aliases = [f"t{number}" for number in range(4)]

    def condition() -> Operation:
        left, right = random.choices(aliases, k=2)
        other = ColumnRef(right, "a") if random.random() < 0.6 else Value(random.randrange(4))
        return Operation(random.choice(["=", "<", "<>"]), (ColumnRef(left, "a"), other))

    sources = tuple(Source("r", alias) for alias in aliases)
    select = Select(
        (("one", Value(1)),), sources, tuple(condition() for _ in range(random.randrange(4)))
    )
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE r AS SELECT range % 4 AS a FROM range(5)")
        rows = [len(DuckDB(connection).rows(part)[1]) for part in (select, *independent(select))]
    assert rows[0] == prod(rows[1:])


def test_rows_that_are_read_in_batches_are_cancelled() -> None:
    """Arrow makes an error of its own of an interrupted query."""
    progress, endless = Progress(), "SELECT a.range FROM range(10000000) a, range(10000000) b"

    def read(connection: duckdb.DuckDBPyConnection) -> None:
        with interruptible(DuckDB(connection), progress):
            for _ in connection.sql(endless).to_arrow_reader(1_000):
                progress.cancel_event.set()

    with duckdb.connect() as connection, pytest.raises(Cancelled):
        read(connection)


def test_a_statement_that_tidies_up_after_a_cancelled_one_hides_no_cancel() -> None:
    progress, endless = Progress(), "SELECT count(a.range * b.range) FROM range(9999999) a, "

    def count(connection: duckdb.DuckDBPyConnection) -> None:
        with interruptible(DuckDB(connection), progress):
            try:
                progress.cancel_event.set()
                connection.execute(f"{endless} range(9999999) b").fetchall()
            finally:
                connection.execute("DROP TABLE counted")

    with duckdb.connect() as connection:
        connection.execute("BEGIN; CREATE TEMP TABLE counted (n INTEGER)")
        with pytest.raises(Cancelled):
            count(connection)


@pytest.mark.parametrize(
    "rule",
    [
        "1: R(A,B) & R(B,C) & R(C,D) & R(D,E) & (A != C) & (B != D) -> R(A,E)",
        "1: R(A,B) + R(B,C) + R(C,D) + R(D,E) <= 1",
        "1: R(A,B) + R(B,C) + R(C,D) + R(D,+E) <= 1",
    ],
)
def test_a_soft_chain_of_targets_is_refused_without_being_counted(rule: str) -> None:
    with Database.open() as database:
        database.declare(parse_psl(rule))
        names = [f"c{number}" for number in range(120)]
        load_alchemy_text(database, "\n".join(f"?R({a}, {b})" for a in names for b in names))
        with pytest.raises(InputError, match="more than 50,000,000 ground rows") as caught:
            ground(database, parse_psl(rule))
    assert "listed R (14,400)" in (caught.value.diagnostics[0].help or "")


@pytest.mark.parametrize(
    ("rule", "joined"),
    [
        ("R(a,b) ^ R(b,c) ^ R(c,d) => EXIST e R(d,e)", "every constant of t (400)"),
        ("P(a) ^ P(b) ^ P(c) ^ P(d) => EXIST e R(d,e)", "facts P (400)"),
    ],
)
def test_an_existential_clause_that_explodes_is_refused_without_being_counted(
    rule: str, joined: str
) -> None:
    program = parse_mln(f"P(t)\nR(t, t)\n1 {rule}\n")
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, "\n".join(f"P(C{number})" for number in range(400)))
        for run in (ground, preview):
            with pytest.raises(InputError, match="E0310") as caught:
                run(database, program, GroundRequest(query=["R"]))
            assert joined in (caught.value.diagnostics[0].help or "")
