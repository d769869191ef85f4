"""Inference on Spark against the answer of one machine: the same rows, and objectives within both
gaps.

What executors do is tested without Spark, on DuckDB's batches; the last two tests need pyspark and
Java.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import workbench as wb
from workbench.database import Database, load_alchemy_text
from workbench.errors import UsageError, WorkbenchError
from workbench.grounding import GroundRequest, ground
from workbench.grounding.backend import DuckDB
from workbench.grounding.ground import Grounder
from workbench.grounding.plus_relations import plus_relation
from workbench.grounding.select import Call, ColumnRef, Operation, Raw, Select, Source, Value
from workbench.grounding.spark import SparkDialect, spark_session
from workbench.language import parse_mln
from workbench.network import components, reported_energy
from workbench.progress import SILENT
from workbench.verbs.spark.on_spark import master_of
from workbench.verbs.spark.records import kept_records, network_of
from workbench.verbs.spark.tasks import GroundTask, connect

OF_SHORT_WORK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java compiles each method once: its second compiler takes longer than the rest of these tests."""
CLUBS, SIZE = 6, 4
PEOPLE = [f"P{number}" for number in range(CLUBS * SIZE)]
DECLARED = (
    f"person = {{{', '.join(PEOPLE)}}}\nFriends(person, "
    "person)\nSmokes(person)\nCancer(person)\nMood(person, m!)\n"
)
MLN = """m = {Low, High}
1.3 Smokes(x) v Cancer(x)
0.9 !Smokes(x)
0.7 !Cancer(x)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
-0.4 Friends(x, y) ^ Cancer(x) ^ Cancer(y)
0.6 Smokes(x) => EXIST z Mood(x, z)
0.5 Mood(x, +z) => Cancer(x)
Smokes(P3) v Cancer(P2).
"""
PSL = """1: Knows(A, B) & Likes(A) -> Likes(B) ^2
1: !Likes(A)
2: Seen(A) -> Likes(A)
1: Knows(A, B) * Likes(A) <= 0.4 + Likes(B)
1.5: Sits(A, +B) = 1 ^2
Sits(A, B) <= Likes(A) .
"""


def facts() -> str:
    draw = random.Random(7)
    lines = ["Smokes(P0)", "!Cancer(P5)"]
    for club in range(CLUBS):
        members = PEOPLE[club * SIZE : (club + 1) * SIZE]
        lines += [
            f"Friends({a}, {b})" for a in members for b in members if a != b and draw.random() < 0.5
        ]
    return "\n".join(lines)


def test_records_of_a_grounding_are_its_network() -> None:
    program = parse_mln(DECLARED + MLN)
    request = GroundRequest(query=["Smokes", "Cancer", "Mood"])
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, facts())
        whole = ground(database, program, request)
        taken: list[pa.RecordBatch] = []

        class Recording(Grounder):
            def _emit(self, tally: Any, ready: object = None) -> int:
                relation = plus_relation(self.backend, tally)
                for shape in tally.plan.shapes(relation) if tally.open.sum() else ():
                    task = GroundTask(tally.plan, shape, int(tally.templates[0]), self.numbering)
                    reader = self.connection.sql(
                        DuckDB(self.connection).dialect.render(shape.select)
                    )
                    taken.extend(task.run(iter(reader.to_arrow_reader(7))))
                return 0

        kept = Recording(database, database.cursor(), program, request, SILENT).run().network
    records = pa.concat_tables([pa.Table.from_batches(taken), kept_records(kept)])
    atoms, network = network_of(records, whole.network.power, whole.network.domain)
    assert network.n_rows == whole.network.n_rows
    assert network.unit.nnz == whole.network.unit.nnz
    assert network.blocks.n_blocks == whole.network.blocks.n_blocks == len(PEOPLE)
    rng = np.random.default_rng(0)
    for _ in range(5):
        values = rng.integers(0, 2, whole.network.n_atoms).astype(float)
        here = reported_energy(network, whole.templates.weight, values[atoms])
        assert here == pytest.approx(reported_energy(whole.network, whole.templates.weight, values))
    joined = records.filter(
        pa.compute.not_equal(records.column("what"), pa.scalar(1, pa.int8()))
    ).select(["atoms"])
    trees = [connect(iter(batch)) for batch in (joined.to_batches(max_chunksize=9),)]
    pairs = [pair for batches in trees for batch in batches for pair in batch.column(0).to_pylist()]
    least = np.arange(whole.network.n_atoms)
    for atom, root in pairs:
        least[atom] = root
    of_atom = components(whole.network).of_atom
    assert (
        len(set(zip(least.tolist(), of_atom.tolist())))
        == np.unique(of_atom).size
        == np.unique(least).size
    )


def test_spark_reads_another_dialect() -> None:
    row = Select(
        (("k", Call("row", (ColumnRef("f", "a0"), ColumnRef("f", "a1")))),), (Source("facts", "f"),)
    )
    inside = Operation("IN", (Call("row", (ColumnRef("g", "a"), ColumnRef("g", "b"))), Raw(row)))
    select = Select(
        (
            ("n", Call("sum", (ColumnRef("g", "s"),), order=(ColumnRef("g", "s"),))),
            ("v", Value(1.5)),
            ("t", Value("a'\\")),
        ),
        (Source("lists", "g"), Source("known", "k", (), "anti")),
        (inside, Operation(">", (Operation("//", (ColumnRef("g", "a"), Value(2))), Value(0)))),
    )
    assert SparkDialect().render(select) == (
        "SELECT sum(g.s) AS n, 1.5D AS v, 'a\\'\\\\' AS t\n"
        "FROM lists AS g\n"
        "  ANTI JOIN known AS k ON TRUE\n"
        "WHERE ((g.a, g.b) IN (SELECT f.a0 AS k0, f.a1 AS k1\nFROM facts AS f))\n"
        "  AND ((g.a div 2) > 0)"
    )
    with pytest.raises(UsageError, match="Spark has not") as refused:
        SparkDialect().expression(Call("jaro_similarity", (Value("a"), Value("b"))))
    assert refused.value.diagnostics[0].code == "E0880"


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("E0881", {"on": "spark", "task": "marginal"}),
        ("E0881", {"on": "spark", "task": "map", "engine": "cpi"}),
        ("E0884", {"on": "hadoop", "task": "map"}),
    ],
)
def test_what_it_does_not_do_is_refused_with_a_cure(code: str, how: dict[str, Any]) -> None:
    with wb.open() as workspace, pytest.raises(WorkbenchError) as refused:
        workspace.infer("P(t)\n1 P(A)", **how)
    assert refused.value.diagnostics[0].code == code
    assert refused.value.diagnostics[0].help


def test_a_master_is_named_after_the_equals_sign() -> None:
    assert (master_of("spark"), master_of("spark=local[2]")) == ("local[*]", "local[2]")


@pytest.fixture(scope="module")
def session() -> Iterator[None]:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JDK_JAVA_OPTIONS", OF_SHORT_WORK)
        with spark_session("local[2]"):
            yield


def compared(workspace: wb.Workspace, rules: str, query: list[str] | None) -> None:
    """The answers here and on Spark: the same figures, objectives within both gaps."""
    one = workspace.infer(rules, task="map", query=query)
    many = workspace.infer(rules, task="map", query=query, on="spark=local[2]")
    here, there = one.summary(), many.summary()
    for name in ("ground_rows", "unit_entries", "atoms"):
        assert there[name] == here[name], name
    assert there["evidence_energy"] == pytest.approx(here["evidence_energy"])
    allowed = (
        sum(max(figures["gap"], 0) * abs(figures["energy"]) for figures in (here, there)) + 1e-6
    )
    assert abs(there["energy"] - here["energy"]) <= allowed
    assert there["bound"] <= here["energy"] + 1e-6
    assert there["energy"] > 0
    assert there["components"] > 1 < there["parts"]
    # The sum over parts is the energy that one machine's network gives their values.
    again = reported_energy(one.grounding.network, one.weights, many.solution.values)
    assert many.solution.energy == pytest.approx(again, abs=1e-6)
    with pytest.raises(UsageError, match="explanations"):
        many.explain(many.grounding.atoms.names()[0])


def test_a_markov_logic_network_has_one_machines_answer(session: None, tmp_path: Path) -> None:
    path = tmp_path / "facts.db"
    path.write_text(facts(), encoding="utf-8")
    with wb.open() as workspace:
        workspace.load(path, rules=DECLARED + MLN)
        compared(workspace, DECLARED + MLN, ["Smokes", "Cancer", "Mood"])


def test_soft_logic_has_one_machines_answer(session: None) -> None:
    draw = random.Random(3)
    clubs = [PEOPLE[club * SIZE : (club + 1) * SIZE] for club in range(CLUBS)]
    pairs = [(a, b) for members in clubs for a in members for b in members if a != b]
    knows = [(a, b, round(draw.random(), 2)) for a, b in pairs if draw.random() < 0.6]
    with wb.open() as workspace:
        for predicate, partition, rows in (
            ("Knows", "evidence", knows),
            ("Seen", "evidence", [(members[0], 1.0) for members in clubs]),
            ("Likes", "target", [(person,) for person in PEOPLE]),
            ("Sits", "target", pairs),
        ):
            names = ["a", "b"][: 1 + (predicate in ("Knows", "Sits"))]
            columns = [*names, "value"][: len(rows[0])]
            frame = pd.DataFrame(rows, columns=columns)
            workspace.load(frame, rules=PSL, predicate=predicate, partition=partition)
        compared(workspace, PSL, None)


def test_a_large_component_is_solved_by_blocks(
    session: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.verbs.spark.blocks.SMALLEST", 10)
    rules = "1: Knows(A, B) & Likes(A) -> Likes(B)\n0.6: !Likes(A)\n2: Seen(A) -> Likes(A)\n"
    names = [f"P{number:02}" for number in range(40)]
    ring = pd.DataFrame({"a": names, "b": names[1:] + names[:1]})
    with wb.open() as workspace:
        workspace.declare(rules)
        workspace.load(ring, predicate="Knows")
        workspace.load(pd.DataFrame({"a": names[::7]}), predicate="Seen")
        workspace.load(pd.DataFrame({"a": names}), predicate="Likes", partition="target")
        one = workspace.infer(rules)
        many = workspace.infer(rules, on="spark=local[2]")
    assert "2 blocks" in many.solution.reason
    assert many.summary()["ground_rows"] == one.summary()["ground_rows"]
    assert many.solution.bound <= one.solution.energy + 1e-6
    assert many.solution.gap <= 1e-3
    again = reported_energy(one.grounding.network, one.weights, many.solution.values)
    assert many.solution.energy == pytest.approx(again, abs=1e-6)
    assert many.solution.energy == pytest.approx(one.solution.energy, rel=2e-3)
