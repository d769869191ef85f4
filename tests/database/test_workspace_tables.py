"""Opening, declaring, folds, runs, hashes, the catalog and the console."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import duckdb
import numpy as np
import pytest

from tests.database.conftest import PROGRAM
from workbench.database import (
    Database,
    RunRecord,
    catalog,
    constants,
    data_hash,
    degrees,
    delete_run,
    distinct_values,
    facts_page,
    keep_arrays,
    kept_arrays,
    label_run,
    load_alchemy_text,
    make_atom_folds,
    make_world_folds,
    neighbours,
    query,
    query_parameters,
    query_process,
    read_run,
    read_runs,
    record_run,
    run_table,
    top_values,
)
from workbench.database.copying import copy_of
from workbench.errors import InputError, UsageError
from workbench.language import parse_mln
from workbench.language.declarations import Predicate, Type
from workbench.language.program import FormulaRule, Weight
from workbench.language.terms import Atom, Constant, Variable

FACTS = (
    "Friends(Ann,Bob)\nFriends(Ann,Cem)\n!Friends(Bob,Cem)\nSmokes(Ann)\n?Smokes(Bob)\n0.5 "
    "Smokes(Cem)\nRain\n"
)


def test_files_stay_and_foreign_files_are_refused(tmp_path: Path) -> None:
    with Database.open(tmp_path / "a.duckdb", threads=1) as database:
        database.declare(PROGRAM)
        load_alchemy_text(database, FACTS)
        before = data_hash(database)
    with Database.open(tmp_path / "a.duckdb", read_only=True) as database:
        assert data_hash(database) == before
    with duckdb.connect(str(tmp_path / "b.duckdb")) as other:
        other.execute("CREATE TABLE t (x INTEGER)")
    (tmp_path / "c.duckdb").write_text("text" * 5000)
    for name in ("b.duckdb", "c.duckdb", "no/where.duckdb"):
        with pytest.raises(InputError, match="E0201"):
            Database.open(tmp_path / name)
    with pytest.raises(InputError, match="no workspace at"):
        Database.open(tmp_path / "d.duckdb", read_only=True)


def test_redeclaring_keeps_facts_where_it_can(database: Database) -> None:
    load_alchemy_text(database, "Smokes(Ann)\nFriends(Ann,Bob)\nSimilar(Ann,Bob,0.5)")
    changed = {
        **PROGRAM.predicates,
        "Rain": Predicate("Rain", ("person",)),
        "Friends": Predicate("Friends", ("person", "pet")),
        "Similar": Predicate("Similar", ("person", "person", "grade")),
    }
    database.declare(replace(PROGRAM, predicates=changed))
    assert database.predicate("Rain").arity == 1
    assert query(database, "SELECT * FROM facts.Friends").rows == (
        ("world", "Ann", "Bob", 1.0, "evidence"),
    )
    assert query(database, "SELECT grade FROM facts.Similar").rows == (("0.5",),)
    assert query(database, "SELECT constant FROM domain WHERE type = 'pet'").rows == ((0,),)
    database.declare(PROGRAM)
    assert query(database, "SELECT weight FROM facts.Similar").rows == ((0.5,),)
    assert query(database, "SELECT 1 FROM domain WHERE type = 'pet'").rows == ()
    with pytest.raises(InputError, match=r"(?s)E0202.*Smokes\(person, person\).*Smokes\(person\)"):
        database.declare(
            replace(
                PROGRAM, predicates={**changed, "Smokes": Predicate("Smokes", ("person", "person"))}
            )
        )
    assert query(database, "SELECT weight FROM facts.Similar").rows == ((0.5,),)


def test_domains_hold_program_constants_of_the_last_program(database: Database) -> None:
    load_alchemy_text(database, "Smokes(Ann)")
    atom = Atom("Friends", (Constant("Zoe"), Variable("x")))
    rule = FormulaRule(atom, Weight("given", 1.0))
    people = {**PROGRAM.types, "person": Type("person", ("Bea",))}

    def persons() -> list[str]:
        return [
            name
            for (name,) in database.execute(
                "SELECT name FROM domain JOIN c_person ON id = constant WHERE type = 'person' "
                "ORDER BY position"
            ).fetchall()
        ]

    database.declare(replace(PROGRAM, types=people, rules=(rule,)))
    assert persons() == ["Ann", "Bea", "Zoe"]
    database.declare(PROGRAM)
    assert persons() == ["Ann"]


def test_hash_ignores_order_and_sees_values() -> None:
    def hash_of(*texts: str) -> str:
        with Database.open(threads=1) as database:
            database.declare(PROGRAM)
            for text in texts:
                load_alchemy_text(database, text)
            return data_hash(database)

    lines = FACTS.splitlines()
    assert hash_of(FACTS) == hash_of("\n".join(lines[:2:-1]), "\n".join(lines[2::-1]))
    assert hash_of(FACTS) != hash_of(FACTS.replace("0.5", "0.6"))
    assert hash_of(FACTS) != hash_of(FACTS.replace("!Friends", "Friends"))


def test_folds(database: Database) -> None:
    load_alchemy_text(
        database, "\n".join(f"Smokes(P{i})\nFriends(P{i % 5},P{i})" for i in range(20)), world="one"
    )
    with pytest.raises(UsageError, match="two worlds"):
        make_world_folds(database)
    folds = make_atom_folds(database, "Smokes", count=3, seed=1)
    assert [fold.test_atoms for fold in folds] == [7, 7, 6]
    make_atom_folds(database, "Friends", count=2, group_by=0)
    split = database.execute(
        "SELECT arguments[1], count(DISTINCT fold) FROM folds GROUP BY 1"
    ).fetchall()
    assert len(split) == 20, "unlisted atoms of a closed world are dealt too"
    (false,) = database.execute("SELECT count(*) FROM folds").fetchone() or (0,)
    assert false == 400
    assert {count for _, count in split} == {1}
    load_alchemy_text(database, "Smokes(P1)", world="two")
    assert [fold.test_worlds for fold in make_world_folds(database)] == [("one",), ("two",)]


def test_runs(database: Database) -> None:
    record = RunRecord(
        "infer",
        "optimal",
        0.5,
        program_text="1 Smokes(x)",
        engine="ilp",
        seed=3,
        parameters={"query": ["Smokes"]},
        versions={"duckdb": duckdb.__version__},
        weights={"template": [0], "formula": ["Smokes(x)"], "weight": [1.0], "fixed": [False]},
        atom_types={"Smokes": ("person",)},
        predictions={
            "world": [0, 0],
            "predicate": ["Smokes"] * 2,
            "arguments": np.array([[0], [1]], np.int32),
        }
        | {"value": [1.0, 0.25], "truth": np.array([1.0, np.nan])},
        metrics={"metric": ["F1"], "value": [1.0]},
        traces={"step": [0, 1], "series": ["energy"] * 2, "value": [3.0, 2.0]},
    )
    load_alchemy_text(database, "Smokes(A)\nSmokes(B)\n")
    first = record_run(database, record)
    second = record_run(
        database, replace(record, parent=first, metrics={"metric": [], "value": []})
    )
    assert [run.id for run in read_runs(database)] == [second, first]
    assert read_run(database, second).parent == first
    assert read_run(database, first).parameters == {"query": ["Smokes"]}
    predictions = run_table(database, first, "prediction")
    assert predictions["atom"].tolist() == ["Smokes(A)", "Smokes(B)"]
    assert predictions["value"].tolist() == [1.0, 0.25]
    assert predictions["truth"].isna().tolist() == [False, True]
    label_run(database, first, note="the first")
    assert read_run(database, first).note == "the first"
    keep_arrays(database, first, {"rows": np.arange(3)})
    delete_run(database, first)
    assert kept_arrays(database, first) == {}
    assert read_run(database, second).parent is None
    left = database.execute("SELECT count(*) FROM run_trace WHERE run = ?", [first]).fetchone()
    assert left == (0,)
    with pytest.raises(UsageError, match="E0217"):
        run_table(database, first, "trace")
    with pytest.raises(UsageError, match="E0217"):
        read_run(database, first)
    with pytest.raises(UsageError, match="no column colour"):
        record_run(database, replace(record, metrics={"colour": [1]}))
    assert len(read_runs(database)) == 1


def test_numbers_and_dates_are_shown_as_data_write_them() -> None:
    with Database.open() as database:
        database.declare(parse_mln("*Age(person, number)\n*Joined(person, date)\n"))
        facts = (
            'Age(Ann, 87)\nAge(Bob, 0.5)\nJoined(Ann, "2020-01-31")\nJoined(Bob, "2020-01-31 '
            '10:20:30")\n'
        )
        load_alchemy_text(database, facts)
        shown = [
            near.arguments for who in ("Ann", "Bob") for near in neighbours(database, "person", who)
        ]
        assert shown == [
            ("Ann", "87"),
            ("Ann", "2020-01-31"),
            ("Bob", "0.5"),
            ("Bob", "2020-01-31 10:20:30"),
        ]
        assert top_values(database, "Age", 1) == (("0.5", 1), ("87", 1))


def test_catalog(database: Database) -> None:
    load_alchemy_text(database, FACTS)
    summary = {item.predicate.name: item for item in catalog(database)}
    (count,) = summary["Smokes"].counts
    assert (count.true, count.false, count.unknown, count.between, count.partition) == (
        1,
        0,
        1,
        1,
        "evidence",
    )
    assert distinct_values(database, "Friends") == (2, 2)
    assert summary["Fits"].facts == 0
    assert top_values(database, "Friends", 0) == (("Ann", 2), ("Bob", 1))
    assert degrees(database, "Friends", 0) == ((0, 1), (1, 1), (2, 1))
    page = facts_page(database, "Friends", search="cem", limit=1)
    assert (page.total, page.rows) == (2, (("world", "Ann", "Cem", 1.0, "evidence"),))
    assert facts_page(database, "Rain").total == 1
    just = facts_page(database, "Friends", having={0: "Ann", 1: "Cem"})
    assert [row[1:3] for row in just.rows] == [("Ann", "Cem")]
    assert facts_page(database, "Friends", having={0: "An"}).total == 0
    assert top_values(database, "Friends", 1, having={0: "Bob"}) == (("Cem", 1),)
    assert constants(database, "person", search="B") == ("Bob",)
    assert [near.arguments for near in neighbours(database, "person", "Bob")] == [("Ann", "Bob")]
    with pytest.raises(UsageError, match="did you mean Friends"):
        facts_page(database, "Freinds")


def test_the_console_reads_only(database: Database) -> None:
    load_alchemy_text(database, FACTS)
    result = query(
        database,
        'SELECT person_2 FROM facts."Friends" WHERE person_1 = $who ORDER BY 1',
        {"who": "Ann"},
    )
    assert result.rows == (("Bob",), ("Cem",))
    assert query(database, "FROM range(10)", max_rows=3).truncated
    assert query(database, "EXPLAIN SELECT 1").rows
    assert query_parameters("SELECT $who, $when") == ("when", "who")
    for sql in (
        "SELECT 1; SELECT 2",
        "",
        "DELETE FROM world",
        "EXPLAIN ANALYZE DELETE FROM world",
        "SET threads = 2",
        "ATTACH 'x.db'",
        "COPY world TO 'x.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "FROM '/etc/passwd'",
        "FROM database",
        "SELECT $who",
        "SELEC",
    ):
        with pytest.raises(InputError, match="E0215"):
            query(database, sql)
    with pytest.raises(InputError, match="E0216"):
        query(
            database,
            "SELECT count(*) FROM range(1000000000000) t(i) WHERE hash(i) = 1",
            seconds=0.2,
        )
    assert database.worlds() == {"world": 0}


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLAIN ANALYZE SET threads = 7",
        "EXPLAIN (ANALYZE) SET threads = 7",
        "explain/**/analyze -- SELECT 1\nSET threads = 7",
        "EXPLAIN /* SELECT 1 */ SET threads = 7",
        "EXPLAIN EXPLAIN ANALYZE SET threads = 7",
        "EXPLAIN ANALYZE COPY world TO 'x.csv'",
        "WITH gone AS (DELETE FROM world RETURNING *) FROM gone",
        "SELECT * FROM enable_logging()",
        "SELECT (SELECT count(*) FROM checkpoint())",
        "EXPLAIN ANALYZE SELECT * FROM enable_profiling()",
        "SELECT * FROM query('SELECT * FROM enable_logging()')",
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "SELECT * FROM arrow_scan(1::UBIGINT::POINTER, 2::UBIGINT::POINTER, 3::UBIGINT::POINTER)",
        "SELECT write_log('x')",
        "SELECT setseed(0.5)",
        "SELECT current_setting('temp_directory')",
        "SELECT * FROM duckdb_settings()",
    ],
)
def test_the_console_does_nothing_but_read(database: Database, sql: str) -> None:
    settings = "SELECT name, value FROM duckdb_settings() WHERE name <> 'TimeZone' ORDER BY name"
    before = database.execute(settings).fetchall()
    with pytest.raises(InputError, match="E0215"):
        query(database, sql)
    assert database.execute(settings).fetchall() == before


def test_the_console_says_where_facts_are(database: Database) -> None:
    database.declare(parse_mln("Smokes(person)"))
    for sql, cure in (
        ("SELECT * FROM smoke", 'the facts of Smokes are in facts."Smokes"'),
        ("SELECT name FROM facts.Smokes", 'did you mean one of "'),
    ):
        with pytest.raises(InputError, match="E0215") as caught:
            query(database, sql)
        assert cure in str(caught.value.diagnostics[0].help)


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLAIN ANALYZE SELECT count(*) FROM world",
        "EXPLAIN (FORMAT JSON) SELECT 1",
        "DESCRIBE world",
        "SHOW TABLES",
        "SUMMARIZE world",
        "SELECT * FROM world, range(3), unnest([1, 2])",
        "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t WHERE a < 5) SELECT "
        "max(a) FROM t",
        "SELECT * FROM histogram(world, id)",
        "FROM duckdb_tables()",
        "SELECT 1; -- and no more",
    ],
)
def test_the_console_reads_in_many_ways(database: Database, sql: str) -> None:
    load_alchemy_text(database, FACTS)
    assert query(database, sql).rows


def test_the_next_query_finds_a_process_that_has_begun(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that has ended meanwhile is passed over."""
    query(database, "SELECT 1")
    (waiting,) = query_process.waiting
    begin = Mock(side_effect=subprocess.Popen)
    monkeypatch.setattr("workbench.database.query_process.subprocess.Popen", begin)
    monkeypatch.setattr(query_process, "waiting", [waiting])
    assert query(database, "SELECT 2").rows == ((2,),)
    (begun,) = query_process.waiting
    assert (waiting.poll() is None, begin.call_count) == (False, 1)
    begun.kill()
    begun.wait()
    assert query(database, "SELECT 3").rows == ((3,),)
    query_process.end_waiting()


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT repeat('x', 3000000000)", "E0225"),
        ("SELECT repeat('x', 100000000)", "E0225"),
        ("SELECT list(range) FROM range(500000000)", "E0225|E0216"),
        ("SELECT unnest(range(1000000000))", "E0225|E0216"),
        ("SELECT count(*) FROM range(1000000000000) t(i) WHERE hash(i) = 1", "E0216"),
    ],
)
def test_limits_hold_for_every_statement(database: Database, sql: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        query(database, sql, seconds=2 if "E0216" in code else 30)


def test_the_console_sees_what_the_workspace_holds(database: Database, tmp_path: Path) -> None:
    load_alchemy_text(database, FACTS)
    assert query(database, "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL").rows == ()
    tables = dict(query(database, "SELECT table_name, estimated_size FROM duckdb_tables()").rows)
    assert (
        tables["p_Friends"] == database.execute('SELECT count(*) FROM "p_Friends"').fetchall()[0][0]
    )
    assert query(database, "WITH world AS (SELECT 7 AS id) SELECT id FROM world").rows == ((7,),)
    joined = (
        "SELECT count(*) FROM FACTS.friends f JOIN main.P_FRIENDS p ON p.partition = f.partition"
    )
    assert query(database, joined).rows[0][0] > 0
    with pytest.raises(InputError, match="Friends"):
        query(database, 'FROM facts."Friendss"')


def test_settings_and_copies(database: Database) -> None:
    load_alchemy_text(database, FACTS)
    database.remember("program", "1 Smokes(x)")
    assert database.setting("program") == "1 Smokes(x)"
    with copy_of(database) as copied:
        assert data_hash(copied) == data_hash(database)
        load_alchemy_text(copied, "Smokes(Zoe)")
        assert data_hash(copied) != data_hash(database)
        assert query(copied, "SELECT count(*) FROM domain").rows == ((6,),)
    database.remember("program", None)
    assert database.setting("program") is None
