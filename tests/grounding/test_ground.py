"""Grounding's corners, one small program each."""

from __future__ import annotations

import numpy as np
import pytest

from tests.grounding.reading import rows_of, unit_of
from workbench.database import Database, load_alchemy_text
from workbench.errors import InfeasibleError, InputError, UsageError
from workbench.grounding import (
    Grounding,
    GroundRequest,
    LazyGrounding,
    ground,
    ground_lazily,
    preview,
)
from workbench.inference import make_engine
from workbench.inference.cutting_plane import CuttingPlane
from workbench.language import parse_mln

TRANSITIVE = """
Near(t, t)
Same(t, t)
2 Near(x,y) => Same(x,y)
-1 Same(x,y)
Same(x,y) => Same(y,x).
Same(x,y) ^ Same(y,z) => Same(x,z).
"""


def mln(rules: str, *facts: str, **request: object) -> Grounding:
    program = parse_mln(rules)
    with Database.open(threads=1) as database:
        database.declare(program)
        for number, text in enumerate(facts):
            load_alchemy_text(database, text, world=f"w{number}")
        return ground(database, program, GroundRequest(**request))  # type: ignore[arg-type]


def test_symmetric_groundings_merge_and_equal_literals_are_one() -> None:
    found = mln("A(t, t)\nt = {X, Y}\n1 !A(x,y) v !A(y,x)", "")
    assert rows_of(found) == {
        ("!A(x, y) v !A(y, x)", frozenset({("0:A(X, Y)", False), ("0:A(Y, X)", False)})): 2.0
    }
    assert unit_of(found) == {
        ("!A(x, y) v !A(y, x)", "0:A(X, X)"): -1.0,
        ("!A(x, y) v !A(y, x)", "0:A(Y, Y)"): -1.0,
    }


def test_known_query_facts_are_fixed_and_kept_apart() -> None:
    found = mln("A(t)\nB(t)\n1 A(x) => B(x)", "A(X)\n!A(Y)\n?A(Z)\nB(W)", query=["A", "B"])
    assert found.atoms.names() == ["A(W)", "A(Z)", "B(X)", "B(Y)", "B(Z)"]
    assert unit_of(found) == {("!A(x) v B(x)", "0:B(X)"): 1.0}
    assert found.network.groundings.tolist() == [[2, 2, 0]]


def test_templates_are_reused_and_unseen_combinations_weigh_nothing() -> None:
    program = parse_mln("Has(w, p)\nC(p)\n1 Has(+w, p) => C(p)")
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy_text(database, "Has(Old, P1)\nHas(Both, P1)", world="train")
        load_alchemy_text(database, "Has(Both, P2)\nHas(New, P2)", world="test")
        first = ground(database, program, GroundRequest(query=["C"], worlds=["train"]))
        again = ground(
            database,
            program,
            GroundRequest(query=["C"], worlds=["test"], templates=first.templates),
        )
    assert first.templates.label == ("!Has(Both, p) v C(p)", "!Has(Old, p) v C(p)")
    assert again.templates is first.templates
    assert again.network.unit.toarray().tolist() == [[1.0, 0.0]]


def test_weights_from_data_and_tied_shares_become_scales() -> None:
    found = mln(
        "Sim(t, t, w)\nSame(t, t)\nw: !Sim(x, y, w) v Same(x, y)",
        'Sim(A, B, "0.5")\nSim(B, A, "-2")',
    )
    assert sorted(unit_of(found).values()) == [-2.0, 0.5]
    assert found.templates.weight.tolist() == [1.0]
    assert found.templates.fixed.all()


def test_functions_and_arithmetic_remove_groundings_without_a_value() -> None:
    rules = (
        "t Mother(t)\nn = {1,...,3}\nAge(t, n)\nOld(t)\n1 Old(Mother(x))\n1 Age(x, n) => "
        "Age(x, n + 1)"
    )
    found = mln(rules, "Mother(A) = B", query=["Old", "Age"])
    assert unit_of(found) == {("Old(Mother(x))", "0:Old(B)"): 1.0}
    assert found.network.n_rows == 4
    assert found.network.groundings[:, 0].tolist() == [1, 4]


def test_blocks_fold_known_members() -> None:
    found = mln("C(p, c!)\nc = {R, G, B}\n1 C(x, R)", "C(P1, G)\n!C(P2, B)", query=["C"])
    blocks = found.network.blocks
    assert blocks.members.toarray().tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert blocks.right.tolist() == [0, 1]
    with pytest.raises(InfeasibleError, match="E0321"):
        mln("C(p, c!)\nc = {R, G, B}\n1 C(x, R)", "C(P1, G)\nC(P1, B)", query=["C"])


def test_soft_evidence_is_a_unit_clause_of_its_log_odds() -> None:
    found = mln("S(t)\nE(t, t)\n2 E(x,y) ^ S(x) => S(y)", "E(A, B) 0.7\nS(A) 0.9", query=["S"])
    units = unit_of(found)
    assert units[("soft evidence S", "0:S(A)")] == pytest.approx(np.log(9))
    assert units[("soft evidence E", "0:E(A, B)")] == pytest.approx(np.log(0.7 / 0.3))
    assert found.templates.fixed.tolist() == [False, True, True]


def test_evidence_that_breaks_a_hard_rule_is_named() -> None:
    with pytest.raises(InfeasibleError, match="hard rule 1"):
        mln("E(t)\nF(t)\nQ(t)\n!E(x) v F(x).\n1 Q(x)", "E(A)\nF(B)", query=["Q"])


def test_the_limit_names_the_rule_and_its_join() -> None:
    with pytest.raises(InputError, match=r"rule 1 alone has 6(.|\n)*every constant of t"):
        mln("t = {A, B, C}\nQ(t, t)\n1 !Q(x,y) v !Q(y,z) v Q(x,z) v Q(z,y)", "", limit=5)


def test_names_that_do_not_exist_get_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean Smokes"):
        mln("Smokes(t)\n1 Smokes(x)", "", query=["Smoke"])


def test_a_rule_without_groundings_warns() -> None:
    found = mln("E(t)\nQ(t)\n1 E(x) => Q(x)", "", query=["Q"], closed=["E"])
    assert [warning.code for warning in found.warnings] == ["E0307"]


def test_rows_never_join_worlds() -> None:
    found = mln(
        "A(t)\nE(t, t)\n1 E(x,y) ^ A(x) => A(y)", "E(X, Y)", "E(Y, X)\nE(Y, Z)", query=["A"]
    )
    for _, literals in rows_of(found):
        assert len({name.split(":")[0] for name, _ in literals}) == 1
    assert found.network.n_rows == 3
    assert found.network.world.tolist() == [0, 0, 1, 1, 1]


def test_labels_follow_the_closed_world_in_learning() -> None:
    found = mln(
        "A(t)\nE(t, t)\n1 E(x,y) ^ A(x) => A(y)", "E(X, Y)\nA(X)\n?A(Y)", query=["A"], role="learn"
    )
    assert found.network.n_atoms == 2
    with Database.open(threads=1) as database:
        program = parse_mln("A(t)\nE(t, t)\n1 E(x,y) ^ A(x) => A(y)")
        database.declare(program)
        load_alchemy_text(database, "E(X, Y)\nA(X)\n?A(Y)\nE(Y, Z)")
        truth = ground(database, program, GroundRequest(query=["A"], role="learn")).truth
    assert truth[:1].tolist() == [1.0]
    assert np.isnan(truth[1])
    assert truth[2] == 0.0


def test_preview_counts_what_grounding_makes() -> None:
    program = parse_mln(TRANSITIVE)
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy_text(database, "Near(A, B)\nNear(B, C)\nNear(C, C)")
        request = GroundRequest(query=["Same"])
        seen, made = preview(database, program, request), ground(database, program, request)
    assert [(r.ground_rows, r.unit_groundings) for r in seen.rules] == [
        (r.ground_rows, r.unit_groundings) for r in made.rules
    ]
    assert seen.rules[2].samples[0] == "!Same(B, A) v Same(A, B)"
    assert "JOIN" in seen.rules[3].sql
    assert seen.as_record()["atoms"] == 9


def test_lazy_grounding_ends_where_the_full_network_does() -> None:
    program = parse_mln(TRANSITIVE)
    rng = np.random.default_rng(1)
    facts = "\n".join(f"Near(C{a}, C{b})" for a, b in rng.integers(0, 8, (7, 2)))
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy_text(database, facts)
        request = GroundRequest(query=["Same"])
        full, lazy = ground(database, program, request), ground_lazily(database, program, request)
        weights = full.templates.weight
        assert isinstance(lazy, LazyGrounding)
        assert lazy.grounding.templates.label == full.templates.label
        best = make_engine("ilp").solve(full.network, weights)
        grown = CuttingPlane(engine="ilp", source=lazy.source).solve(
            lazy.grounding.network, weights
        )
        lazy.source.close()
    assert grown.energy == pytest.approx(best.energy)
    assert grown.hard_violation == 0
    rows = grown.diagnostics["rows"]
    assert isinstance(rows, int | float)
    assert rows < full.network.n_rows


def test_a_functions_value_meets_the_facts_of_a_closed_predicate() -> None:
    rules = "D(u)\nN(t)\nu F(t)\nn = {1, 2, 3}\nG(n)\nM(n)\n1 D(F(x)) => N(x)\n1 G(i + 1) => M(i)"
    found = mln(rules, "D(B1)\nD(B2)\nF(X) = B1\nF(Y) = B3\nG(1)\nG(3)", query=["N", "M"])
    assert {atom for _, atom in unit_of(found)} == {"0:N(X)", "0:M(2)"}
    assert found.network.groundings.tolist() == [[1, 1, 0], [1, 1, 0]]


def test_an_existential_grounding_with_an_atom_and_its_negation_is_satisfied_by_evidence() -> None:
    found = mln("t = {X, Y}\nA(t, t)\n-2 EXIST y (!A(y,y) v A(x,z))", "", query=["A"])
    assert found.network.n_rows == 2
    assert found.network.groundings.tolist() == [[2, 2, 0]]
    assert found.network.evidence_satisfied.tolist() == [[2.0, 0.0]]


def test_constants_of_wide_rows_do_not_wrap() -> None:
    names = [f"X{i}" for i in range(200)]
    rules = (
        f"t = {{{', '.join(names)}}}\nA(t)\n2 EXIST x "
        f"!A(x)\n{' v '.join(f'!A({name})' for name in names)}."
    )
    assert mln(rules, "", query=["A"]).network.b.tolist() == [-199.0, -199.0]
