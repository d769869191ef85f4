"""ILP problems in the database: facts, examples, folds; clauses evaluated naively."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.database.database import Database
from workbench.database.ilp import load_ilp
from workbench.database.ilp_definitions import written_background
from workbench.errors import InputError
from workbench.grounding.ilp_background import derive_facts
from workbench.language.ilp.reader import read_ilp
from workbench.workspace import open_workspace

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
        report = load_ilp(database, derive_facts(problem))
        assert report.facts["ancestor"] == 6
        rows = database.execute(
            "SELECT partition::VARCHAR, value FROM p_grandparent ORDER BY value"
        ).fetchall()
        assert rows == [("truth", 0.0), ("truth", 1.0)]
        assert database.execute(
            "SELECT DISTINCT partition::VARCHAR FROM p_ancestor"
        ).fetchall() == [("evidence",)]
        assert database.execute("SELECT count(*), count(DISTINCT fold) FROM folds").fetchall() == [
            (2, 2)
        ]
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


MOLECULES = """
:- [molecules_modes].
lumo(m1, -1.5). lumo(m2, 0.25). lumo(m3, 2). lumo(m4, unknown).
gteq(X, Y) :- not(var(X)), not(var(Y)), !, number(X), number(Y), X >= Y.
gteq(X, X) :- not(var(X)), number(X).
unused(X) :- X is 3 + 4.
also_unused(X) :- unused(X), !, lumo(_, X).
"""
MODES = """
:- modeh(1, active(+molecule)).
:- modeb(*, lumo(+molecule, -energy)).
:- modeb(*, lumo(+molecule, -#energy)).
:- modeb(1, gteq(+energy, #real)).
example(active(m3), 1, 1).
example(active(m1), -1, 1).
"""


def test_files_as_systems_ship_them(tmp_path: Path) -> None:
    """Files that name others, uncalled clauses, thresholds by comparison, SLIPCOVER's mark."""
    (tmp_path / "molecules_modes.pl").write_text(MODES)
    problem = derive_facts(read_ilp(read(tmp_path, MOLECULES)))  # type: ignore[arg-type]
    assert [str(mode) for mode in problem.modes if mode.predicate == "lumo"] == [
        "modeb(*,lumo(+molecule,-energy))",
        "modeb(*,lumo(+molecule,#energy))",
        "modeb(*,lumo(+molecule,-energy))",
    ]
    numbers = ["-1.5", "0.25", "2"]
    expected = {(x, y) for x in numbers for y in numbers if float(x) >= float(y)}
    assert set(problem.facts["gteq", 2]) == expected
    firsts = {x: next(y for a, y in problem.facts["gteq", 2] if a == x) for x in numbers}
    assert firsts == {x: x for x in numbers}, "a recall of 1 keeps the number itself"
    assert ("unused", 1) not in problem.facts


CUT = """
gteq(X, Y) :- not(var(X)), not(var(Y)), number(X), number(Y), !, X >= Y.
gteq(X, X) :- not(var(X)), number(X).
"""
REST = "gteq(X, X) :- not(var(X)), number(X)."


def test_a_cut_behind_numbers_shuts_out_what_asks_for_numbers(tmp_path: Path) -> None:
    (tmp_path / "molecules_modes.pl").write_text(MODES)
    first, *_, unused, also = MOLECULES.strip().splitlines()[1:]
    text = f":- [molecules_modes].\n{first}\n{CUT}{unused}\n{also}\n"
    found, usual = (
        set(derive_facts(read_ilp(read(tmp_path, one))).facts["gteq", 2])  # type: ignore[arg-type]
        for one in (text, MOLECULES)
    )
    assert found == usual
    shut_out = text.replace(REST, "gteq(X, none).")
    with pytest.raises(InputError, match="cut of an earlier clause"):
        derive_facts(read_ilp(read(tmp_path, shut_out)))  # type: ignore[arg-type]


def test_many_thresholds_are_thinned_evenly(tmp_path: Path) -> None:
    facts = " ".join(f"lumo(m{k}, {k})." for k in range(1000))
    (tmp_path / "molecules_modes.pl").write_text(MODES)
    problem = derive_facts(read_ilp(read(tmp_path, MOLECULES + facts)))  # type: ignore[arg-type]
    thresholds = {y for _, y in problem.facts["gteq", 2]}
    assert 190 <= len(thresholds) <= 210
    assert len({x for x, _ in problem.facts["gteq", 2]}) >= 1000


def test_a_file_named_by_another_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_ilp(read(tmp_path, MOLECULES))  # type: ignore[arg-type]
    assert [(d.code, d.span.line if d.span else 0) for d in caught.value.diagnostics] == [
        ("E0141", 2)
    ]


def test_examples_outside_of_any_section_are_named(tmp_path: Path) -> None:
    text = "modeh(*, leaky(+house)).\nleaky(h1).\nneg(leaky(h2)).\n"
    with pytest.raises(
        InputError, match="the facts of leaky stand outside of any section"
    ) as found:
        read_ilp(read(tmp_path, text))  # type: ignore[arg-type]
    assert [one.code for one in found.value.diagnostics] == ["E0604"]


def test_contradicting_examples_are_placed_and_not_all_named(tmp_path: Path) -> None:
    path = tmp_path / "contradicting.pl"
    signs = (":- begin_in_pos.", ":- end_in_pos.", ":- begin_in_neg.", ":- end_in_neg.")
    examples = "\n".join(f"p(a{k})." for k in range(50))
    begin, end, other, last = signs
    path.write_text(
        f":- modeh(1, p(+t)).\n{begin}\n{examples}\n{end}\n{other}\n{examples}\n{last}\n"
    )
    with pytest.raises(InputError) as caught:
        read_ilp(path)
    told = [(d.code, d.span.line if d.span else 0) for d in caught.value.diagnostics]
    assert told == [("E0606", 55 + k) for k in range(20)]


def test_all_faults_of_a_problem_are_told_at_once(tmp_path: Path) -> None:
    text = (
        FAMILY + ":- modeb(*, odd(person)).\np(a b).\nq(c)) .\nexample(other(a), 1, "
        "1).\nexample(other(b), 1, x).\n"
    )
    with pytest.raises(InputError) as caught:
        read_ilp(read(tmp_path, text))  # type: ignore[arg-type]
    lines = FAMILY.count("\n")
    found = [(d.code, d.span.line - lines if d.span else 0) for d in caught.value.diagnostics]
    assert sorted(found) == [("E0140", 2), ("E0140", 3), ("E0142", 5), ("E0602", 1), ("E0606", 4)]


def test_all_clauses_that_are_no_datalog_are_told_at_once(tmp_path: Path) -> None:
    text = FAMILY + "orphan(X) :- person(X), !.\nancestor(X, Y) :- X is Y + 1.\n"
    with pytest.raises(InputError) as caught:
        derive_facts(read_ilp(read(tmp_path, text)))  # type: ignore[arg-type]
    assert [d.code for d in caught.value.diagnostics] == ["E0220", "E0220"]


def test_terms_of_any_length_and_of_some_depth_are_read(tmp_path: Path) -> None:
    long_list = "[" + ",".join(map(str, range(3000))) + "]"
    long_body = ", ".join(["parent(X, _)"] * 3000)
    text = FAMILY + f"seen(ann, {long_list}).\nbusy(X) :- {long_body}.\nkept(f(f(f(a)))).\n"
    problem = read_ilp(read(tmp_path, text), flatten=True)  # type: ignore[arg-type]
    assert len(problem.facts["seen", 2]) == 1
    assert len(next(clause for clause in problem.clauses if len(clause.body) > 2).body) == 3000
    for deep in (
        "s(" * 2000 + "0" + ")" * 2000,
        "(" * 2000 + "0" + ")" * 2000,
        "-" + " - " * 2000 + "0",
    ):
        with pytest.raises(InputError) as caught:
            read_ilp(read(tmp_path, FAMILY + f"p({deep}).\n"))  # type: ignore[arg-type]
        assert [d.code for d in caught.value.diagnostics] == ["E0143"]


def test_a_directive_that_is_a_variable_is_refused_at_its_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`_bg` is no directive"):
        read_ilp(read(tmp_path, FAMILY + ":-_bg.\n"))  # type: ignore[arg-type]


CARS = """
:- modeh(1, good(+car)).
:- modeb(*, near_red(+car)).
:- modeb(*, lonely(+car)).
:- modeb(*, speed(+car, -number)).
:- modeb(*, gteq(+number, #number)).
:- modeb(*, linked(+car, -car)).
near_red(X) :- near(X, Y), red(Y).
near_red(z).
linked(X, Y) :- near(X, Y).
linked(X, Y) :- near(X, Z), linked(Z, Y).
lonely(X) :- speed(X, _), \\+ near(X, _).
gteq(X, Y) :- number(X), number(Y), X >= Y, !.
gteq(X, X) :- number(X).
near(a, b). near(b, c). near(d, a). near(d, c). red(c). red(b).
speed(a, 3). speed(b, 10). speed(c, -2). speed(e, 4).
example(good(a), 1, 0). example(good(b), 1, 1). example(good(c), -1, 0). example(good(e), -1, 1).
"""


def test_definitions_compute_what_the_clauses_derive(tmp_path: Path) -> None:
    """Each derived predicate as a program's definitions say it, against the derived facts."""
    path = read(tmp_path, CARS)
    problem = read_ilp(path)  # type: ignore[arg-type]
    written = written_background(problem)
    assert not written.warnings
    derived = derive_facts(problem).facts
    assert written.inline["gteq"](["v1", "3"]) == ("v1 >= 3",)
    declared = [f"{name}({', '.join(types)})" for name, types in written.declarations.items()]
    heads = {"near_red": "near_red(x)", "lonely": "lonely(x)", "linked": "linked(x, y)"}
    for name, head in heads.items():
        asked = f"asked({', '.join(['car'] * (1 + head.count(',')))})"
        rule = f"5 {head} => {head.replace(name, 'asked')}"
        program = "\n".join([*declared, asked, *written.definitions, rule])
        with open_workspace() as space:
            space.load(path, rules=program)  # type: ignore[arg-type]
            frame = space.infer(program, query=["asked"]).predictions()
        values = dict(zip(frame["atom"], frame["value"]))
        rows = derived[name, 1 + head.count(",")]
        expected = {f"asked({', '.join(json.dumps(cell) for cell in row)})" for row in rows}
        assert {atom for atom, value in values.items() if value > 0.9} == {
            atom for atom in expected if atom in values
        }
        assert expected & set(values)


def test_a_variable_that_stands_twice_in_a_negation_is_one(tmp_path: Path) -> None:
    text = ":- modeb(*, calm(+car)).\ncalm(X) :- near(X, _), \\+ near(Y, Y).\n"
    problem = read_ilp(read(tmp_path, CARS + text))  # type: ignore[arg-type]
    assert set(derive_facts(problem).facts["calm", 1]) == {("a",), ("b",), ("d",)}
    assert "near_some_x0 := near(x0, x0)." in written_background(problem).definitions


def test_what_no_definition_can_say_is_told(tmp_path: Path) -> None:
    whole = ":- modeb(*, whole(+number)).\nwhole(X) :- speed(_, X), integer(X).\n"
    problem = read_ilp(read(tmp_path, CARS + whole))  # type: ignore[arg-type]
    written = written_background(problem)
    assert ["whole/1" in text for text in written.warnings] == [True]
    assert "whole" in written.declarations
    mixed = read_ilp(read(tmp_path, CARS + "speed(d, fast).\n"))  # type: ignore[arg-type]
    assert "gteq" not in written_background(mixed).inline


def test_files_without_a_target_are_told_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the files name no target, and have no positive example"):
        read_ilp(read(tmp_path, "parent(ann, bob).\n"))  # type: ignore[arg-type]
