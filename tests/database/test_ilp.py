"""ILP problems in the database: facts, examples, folds; background clauses against a naive evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.database.database import Database
from workbench.database.ilp import load_ilp
from workbench.database.ilp_clauses import derive_facts
from workbench.errors import InputError
from workbench.language.ilp_reader import read_ilp

FAMILY = """
:- modeh(1, grandparent(+person, +person)).
:- modeb(*, ancestor(+person, -person)).
:- modeb(*, orphan(+person)).
:- modeb(*, even(+person)).
:- modeb(*, of(+person, -what)).
parent(ann, bob). parent(bob, cid). parent(cid, dan). person(eve). person(ann). person(bob).
of(ann, thing(1, big)).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Y) :- parent(X, Z), ancestor(Z, Y).
orphan(X) :- person(X), \\+ ancestor(_, X).
even(ann).
odd(Y) :- even(X), parent(X, Y).
even(Y) :- odd(X), parent(X, Y).
example(grandparent(ann, cid), 1, 1).
example(grandparent(bob, ann), -1, 2).
"""


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "problem.pl"
    path.write_text(text)
    return path


def test_clauses_become_facts(tmp_path: Path) -> None:
    problem = derive_facts(read_ilp(read(tmp_path, FAMILY)))  # type: ignore[arg-type]
    names = ["ann", "bob", "cid", "dan"]
    expected = {(names[i], names[j]) for i in range(4) for j in range(i + 1, 4)}
    assert set(problem.facts["ancestor", 2]) == expected
    assert set(problem.facts["orphan", 1]) == {("eve",), ("ann",)}
    assert set(problem.facts["even", 1]) == {("ann",), ("cid",)}
    assert not problem.clauses


def test_loading_keeps_the_target_out_of_the_evidence(tmp_path: Path) -> None:
    problem = read_ilp(read(tmp_path, FAMILY))  # type: ignore[arg-type]
    with Database.open() as database:
        report = load_ilp(database, problem)
        assert report.facts["ancestor"] == 6
        rows = database.execute("SELECT partition::VARCHAR, value FROM p_grandparent ORDER BY value").fetchall()
        assert rows == [("truth", 0.0), ("truth", 1.0)]
        assert database.execute("SELECT DISTINCT partition::VARCHAR FROM p_ancestor").fetchall() == [("evidence",)]
        assert database.execute("SELECT count(*), count(DISTINCT fold) FROM folds").fetchall() == [(2, 2)]
        assert database.execute("SELECT what FROM facts.of").fetchall() == [("thing(1,big)",)]


def test_compound_terms_can_be_flattened(tmp_path: Path) -> None:
    problem = read_ilp(read(tmp_path, FAMILY), flatten=True)  # type: ignore[arg-type]
    assert problem.facts["of", 2] == (("ann", "thing(1,big)"),)
    assert problem.facts["thing", 3] == (("thing(1,big)", "1", "big"),)


@pytest.mark.parametrize(
    ("clause", "word"),
    [
        ("orphan(X) :- person(X), Y is X + 1.", "is"),
        ("orphan(X) :- \\+ person(X).", "unbound"),
        ("orphan(X).", "unbound"),
        ("orphan(f(X)) :- person(X).", "function term"),
        ("orphan(X) :- person(X), \\+ orphan(X).", "negation"),
        ("orphan(X) :- person(X), !.", "cut"),
        ("orphan(X) :- (person(X) ; even(X)).", ";"),
    ],
)
def test_what_is_no_datalog_is_declined(tmp_path: Path, clause: str, word: str) -> None:
    problem = read_ilp(read(tmp_path, FAMILY + clause + "\n"))  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        derive_facts(problem)
    assert caught.value.diagnostics[0].code == "E0220"
    assert word in caught.value.diagnostics[0].message
