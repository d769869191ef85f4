"""Differences that random programs showed, each made small."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import workbench as wb
from tests.differential.hidden_learning_checks import check_hidden_learning
from tests.differential.learning_checks import check_learning, random_learning_case
from tests.differential.mln_checks import check_mln
from tests.differential.mln_programs import MlnCase
from tests.differential.model_checks import ModelCase, check_model
from tests.differential.outcome import Tally
from tests.differential.psl_checks import check_psl
from tests.differential.psl_programs import Fact, PslCase
from tests.differential.soft_update_checks import check_soft_updates
from workbench.database import load_alchemy_text
from workbench.errors import InputError
from workbench.language.psl.document_reading import read_psl_document

WEIGHTS = ("P(t)", "C(t)", "W(t, num)")


def case(
    declarations: tuple[str, ...], rules: tuple[str, ...], *worlds: tuple[str, ...]
) -> MlnCase:
    named = tuple((f"w{number}", facts) for number, facts in enumerate(worlds))
    return MlnCase(0, declarations, rules, named, ("P",), ("C",))


@pytest.mark.parametrize(
    ("rules", "facts"),
    [
        # Groundings of one row, whose weights in the data differ in sign.
        (("w: !W(x,w) v P(A)",), ("W(A, 2)", "W(B, -1)", "W(D, 0.5)")),
        (("w: !W(x,w) v P(A) v P(B)",), ("W(A, 2)", "W(B, -1)")),
        (("w: W(x,w) => (EXIST z (P(z)))",), ("W(A, 2)", "W(B, -1)")),
        # Evidence satisfies some of them, and those have other weights than the rest.
        (("w: !W(x,w) v C(x) v P(A)",), ("W(A, 2)", "W(B, -1)", "C(B)")),
        (("w: W(x,w) => C(x)", "0.5 P(x)"), ("W(A, 2)", "W(B, -3)", "W(D, -1)", "C(B)")),
    ],
)
def test_energies_with_weights_of_both_signs_in_the_data(
    rules: tuple[str, ...], facts: tuple[str, ...]
) -> None:
    check_mln(case(WEIGHTS, rules, facts), Tally())
    check_mln(case(WEIGHTS, rules, facts, ("W(E, 1)", "P(E)")), Tally())


@pytest.mark.parametrize(
    "rule",
    [
        # The type `e` has no constant: what is quantified over it is false, once for each x (and
        # for no e1).
        "-1.2 EXIST d (Y(x,d) ^ !P(x))",
        "0.9 EXIST d (Y(x,d) v P(x))",
        "-0.7 EXIST d (Z(e1) <=> Y(x,d))",
        "0.9 (FORALL z (EXIST d (Y(x,d) ^ Y(z,d)))) ^ !P(x)",
        "0.9 EXIST z (EXIST d (startsWith(z, A) ^ Y(z,d)))",
    ],
)
def test_quantifiers_over_an_empty_type(rule: str) -> None:
    declarations = ("P(t)", "C(t)", "Y(t, e)", "Z(e)")
    given = case(declarations, (rule, "0.3 P(x)"), ("C(A)", "C(B)"), ("C(A)", "Z(E)"))
    check_mln(given, Tally())


@pytest.mark.parametrize(
    "sides", ["(FORALL z P(z)) <=> (EXIST z (!P(z)))", "(EXIST z (P(z) v C(z))) <=> P(y)"]
)
def test_a_quantifier_in_both_senses_within_one_clause(sides: str) -> None:
    check_mln(case(WEIGHTS, (f"-1.2 P(y) <=> ({sides})",), ("C(A)", "C(B)", "C(D)")), Tally())


def test_a_function_of_a_variable_quantified_over_an_empty_type() -> None:
    rule = "1.5 EXIST d (P(x) v Y(x,d) v lower(d) = A)"
    check_mln(case(("P(t)", "C(t)", "Y(t, e)"), (rule,), ("C(A)",)), Tally())


def test_predicates_that_only_a_tautology_names_are_asked_about() -> None:
    given = replace(case(("P(t)", "C(t)"), ("0.9 P(x) => P(x)",), ("C(A)",)), query=None, closed=())
    check_mln(given, Tally())


def test_a_closed_literal_over_a_variable_that_two_equal_atoms_bind() -> None:
    targets = tuple(
        ("Link", "targets", (a, b), None) for a in ("Ann", "Bob") for b in ("Ann", "Bob")
    )
    facts = (("Knows", "observations", ("Ann", "Ann"), 0.25), *targets)
    check_psl(
        PslCase(0, ("2.5: !Knows(A, A) & Link(B, B) -> !Link(B, A)",), (("w0", facts),)), Tally()
    )


@pytest.mark.parametrize("observed", [(), ("Ann",)])
def test_an_unlisted_head_beside_an_observed_atom_of_an_open_predicate(
    observed: tuple[str, ...],
) -> None:
    """Both oracle and workbench refuse: `Link(Ann, 9)` is neither a target nor observed."""
    facts: tuple[Fact, ...] = (
        ("Open", "observations", ("9",), 1.0),
        *(("Open", "targets", (name,), None) for name in observed),
        ("Link", "targets", ("Ann", "Ann"), None),
    )
    tally = Tally()
    check_psl(PslCase(0, ("2.5: Open(B) -> Link('Ann', B)",), (("w0", facts),)), tally)
    assert tally.counts["agreed: an atom is not listed"] == 1


def test_integer_weights_and_repeated_clauses_in_the_oracle_of_learners() -> None:
    for seed in (100003, 100013, 100057, 100064, 100104):
        check_learning(random_learning_case(seed), Tally())


def test_a_predicate_of_more_arguments_than_memory_has_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "m.data").write_text("predicates:\n  P/99999999999999999999: open\n")
    with pytest.raises(InputError, match="1000 arguments"):
        read_psl_document(tmp_path / "m.data")


def test_clauses_of_one_formula_of_which_one_lacks_its_plus_variable() -> None:
    """They have weights of their own with `--tie`; one's text had twice its share."""
    given = case(
        ("P(t)", "C(t)"), ("1 (!P(x) v C(x)) ^ (P(+y) v C(y))",), ("C(A)", "C(B)", "!C(D)", "!C(E)")
    )
    check_learning(replace(given, closed=("C",)), Tally())


@pytest.mark.parametrize("rule", ["0.3 *P(x) ^ !P(x)", "1.5 *P(x) ^ (C(x) <=> P(y))"])
def test_free_signs_that_make_a_tautology_or_a_clause_twice(rule: str) -> None:
    """With `--tie` the weight stayed as given; the clause had two weights to learn."""
    given = case(("P(t)", "C(t)"), (rule,), ("C(A)", "C(B)", "!C(D)"))
    for seed in (3, 9, 21):
        check_learning(replace(given, closed=("C",), seed=seed), Tally())


@pytest.mark.parametrize(("scope", "table"), [((), (0.0,)), ((1,), (0.0, 0.0, 0.0))])
def test_a_factor_of_zeros_becomes_clauses_that_no_state_keeps(
    scope: tuple[int, ...], table: tuple[float, ...]
) -> None:
    """Written as weighted clauses it was lost, and the file had an optimal state."""
    check_model(ModelCase(0, (2, 3), (scope, (0,)), (table, (1.0, 2.0))), Tally())


def test_factors_of_single_states_become_weighted_clauses_without_a_clause() -> None:
    """The file was refused when it was read again."""
    check_model(ModelCase(0, (1, 1), ((1,),), ((4.0,),)), Tally())


def test_an_update_that_takes_away_the_last_fact_of_a_predicate_said_to_be_closed() -> None:
    """Reading the run's rules again changed types, and forgot what the document said."""
    facts = (("Open", "targets", ("a",), None), ("Open", "targets", ("b",), None))
    known = ("Knows", "observations", ("a", "b"), 1.0)
    given = PslCase(0, ("1: Open(A) & Knows(A, B) -> Open(B)",), (("w0", (*facts, known)),))
    for seed in range(4):
        check_soft_updates(replace(given, seed=seed), Tally())


def test_an_update_of_rules_that_are_all_arithmetic() -> None:
    """The recorded text was read as Markov logic: nothing in it tells the language."""
    facts = (("Link", "targets", ("a", "a"), None), ("Link", "targets", ("b", "b"), None))
    known = (("Closed", "observations", ("a",), 1.0), ("Closed", "observations", ("b",), 0.5))
    given = PslCase(0, ("Link(A, A) + Closed(A) / 2 <= 1 .",), (("w0", (*facts, *known)),))
    for seed in range(3):
        check_soft_updates(replace(given, seed=seed), Tally())


@pytest.mark.parametrize(
    "rule",
    [
        "0.9 EXIST z ((P(x) v !Z(e1) v P(z)) => (EXIST i (!R(i))))",
        "-0.7 (Y(x, e1) ^ P(x)) v (EXIST d ((R(2) v Y(x, d)) => !P(x)))",
    ],
)
def test_literals_that_an_empty_domain_leaves_of_clauses(rule: str) -> None:
    """They are single literals where the quantifier stood over a conjunction, only there."""
    declared = ("t = {Dee, Cy}", "R(n)", "Z(e)", "P(t)", "Y(t, e)")
    check_mln(MlnCase(0, declared, (rule,), (("w0", ()),), ("R", "Z", "P", "Y"), ()), Tally())


@pytest.mark.parametrize(
    "rule",
    [
        "0.9 EXIST z (Z(e1) ^ !Z(e1) ^ !P(z))",
        "0.9 Z(e1) ^ !Z(e1) ^ (Z(e1) v !Z(e1))",
        "0.9 Z(e1) ^ !Z(e1) ^ (!Z(e1) v Z(e1))",
    ],
)
def test_single_literals_that_contradict_each_other_beside_the_clause_that_denies_them(
    rule: str,
) -> None:
    """Together they are that clause with a negative weight, in whatever order."""
    check_mln(
        MlnCase(0, ("P(t)", "Z(e)"), (rule,), (("w0", ("P(A)", "P(B)", "?Z(E)")),), ("Z",), ()),
        Tally(),
    )


def test_clauses_of_one_formula_that_differ_in_the_order_of_their_literals() -> None:
    """They had two weights to learn."""
    given = case(
        ("P(t)", "C(t)"), ("1 (!P(x) v C(x)) ^ (C(x) v !P(x))",), ("C(A)", "!C(B)", "!C(D)")
    )
    check_learning(replace(given, closed=("C",), seed=6), Tally())


def test_a_function_in_what_an_empty_domain_makes_false() -> None:
    """Its missing value took away the groundings of the rest."""
    declared = ("t = {Dee, Cy}", "P(t)", "Y(t, e)", "t MotherOf(t)")
    rule = "0.9 (EXIST z (P(z))) => (EXIST d (MotherOf(y) = y v Y(y, d)))"
    check_mln(MlnCase(0, declared, (rule,), (("w0", ()),), ("P", "Y"), ()), Tally())


def test_a_world_whose_blocks_are_all_known_before_another() -> None:
    """Its blocks without an open atom left nothing for the next world's to begin at: a crash."""
    worlds = (("w0", ("B(Cy, 2)",)), ("w1", ("B(Cy, 2)", "C(Dee)", "Y(Cy, 3)")))
    check_mln(
        MlnCase(
            0, ("Y(t, n)", "B(t, n!)", "C(t)"), ("0.3 B(x, n) ^ C(x)",), worlds, ("B",), ("C", "Y")
        ),
        Tally(),
    )


def test_a_scope_of_a_predicate_that_only_a_tautology_names() -> None:
    """The definitions that its scope is made of were not made: a crash."""
    rules = """Knows(person, person)
Same(person, person)
Reach(x, z) := Knows(x, z).
Reach(x, z) := Reach(x, y) ^ Knows(y, z).
Same(x, y) open where Reach(x, y) ^ x != y.
1.1 Same(x, y) => Same(x, y)
"""
    with wb.open() as workspace:
        workspace.declare(rules)
        load_alchemy_text(workspace.database, "Knows(Ann, Bob)\nKnows(Bob, Cy)\n")
        found = workspace.infer(rules, query="Same", engine="exact").predictions()
    assert dict(zip(found["atom"], found["value"])) == {
        "Same(Ann, Bob)": 0.5, "Same(Ann, Cy)": 0.5, "Same(Bob, Cy)": 0.5
    }  # fmt: skip


@pytest.mark.parametrize(
    "worlds", [((),), (("E(Dee, Ann)",),), (("T(Bob, One)",), ("E(Dee, Ann)",))]
)
def test_an_empty_type_inside_an_expanded_quantifier_leaves_the_shares(
    worlds: tuple[tuple[str, ...], ...],
) -> None:
    declared = ("t = {Bob, Dee}", "H(t)", "E(t, t)", "T(t, n)")
    named = tuple((f"w{number}", facts) for number, facts in enumerate(worlds))
    rule = "-1.2 EXIST z (H(x) ^ (EXIST i (!T(z, i))))"
    check_mln(MlnCase(0, declared, (rule,), named, ("H",), ()), Tally())


@pytest.mark.parametrize("numbers", ["{1}", "{1, 2}"])
def test_literals_under_an_expanded_quantifier_keep_their_variable(numbers: str) -> None:
    """Each literal's copy had one of its own, and B's weight came once for each of C's values."""
    declared = (f"n = {numbers}", "B(t, n)", "C(t)")
    rule = "2 EXIST i (FORALL z (C(z) ^ B(z, i)))"
    worlds = (("w0", ("C(Ann)", "C(Bob)", "!C(Dee)")),)
    check_mln(MlnCase(0, declared, (rule,), worlds, ("B",), ("C",)), Tally())


def test_literals_of_two_quantifiers_are_learned_and_read_again_over_an_empty_type() -> None:
    """One quantifier over both was printed: over no `e`, it was false as a whole."""
    declared = ("n = {1, 2}", "R(n)", "H(t)", "Y(t, e)", "C(t)")
    rules = ("1 (H(x) <=> (EXIST i (R(i)))) <=> (FORALL d (FORALL z (Y(z, d))))",)
    worlds = (("w0", ("C(Ann)", "C(Bob)")),)
    for seed in (12, 30):
        check_learning(MlnCase(seed, declared, rules, worlds, ("H", "R"), ("C", "Y")), Tally())


def test_a_test_of_what_plus_stood_for_in_another_world_is_left_out() -> None:
    tally = Tally()
    check_hidden_learning(random_learning_case(960000114), tally)
    assert any("constant of another world" in told for told in tally.counts)


@pytest.mark.parametrize(
    "rule",
    [
        '1.5 C(x) v P(B) v P(x) v hasWord(x, "ann")',
        '1.5 C(x) v P(B) v P(x) v contains(x, "C")',
    ],
)
def test_a_test_of_a_name_whose_constant_the_clause_gives(rule: str) -> None:
    # Where x is B, the clause has one atom less; what reads the name of x came first in the query
    # for that, and its condition, that x is B, was lost: all constants were counted.
    drawn = case(("P(t)", "C(t)"), (rule,), ("C(A)", "!C(B)", "!C(D)"))
    check_mln(drawn, Tally())


def test_a_recorded_run_knows_which_places_of_soft_rules_hold_dates(tmp_path: Path) -> None:
    # The text of its rules does not say it: a definition of a definition's date could not be made.
    dates = [["a", "2020-01-01"], ["b", "2020-06-01"]]
    predicates = {
        "Open/1": {"targets": [["a"], ["b"]]},
        "Knows/2": {"observations": [["a", "b"]]},
        "Since/2": {"types": ["UniqueStringID", "date"], "observations": dates},
    }
    rules = (
        "Due(A, T) := Since(A, D) & T = D + 60 .",
        "Later(A, B) := Due(A, T) & Since(B, D) & T < D .",
        "1: Later(A, B) -> Open(B)",
        "0.5: !Open(A) & Knows(A, B) -> Open(B)",
    )
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"predicates": predicates, "rules": rules}))
    with wb.open() as space:
        program = space.declare(read_psl_document(path).program())
        space.load(path)
        made = space.infer(program)
        assert made.run_id is not None
        assert space.reopen(made.run_id).value('Open("b")') == pytest.approx(1.0)
        updated = space.update(made.run_id, ["Knows(b, a)"], ["Knows(a, b)"])
        fresh = space.infer(program)
        assert updated.result.solution.energy == pytest.approx(fresh.solution.energy)
