"""Scopes: the atoms outside are false,
and what is inside has the answers it has without a scope.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb

DECLARED = """
Surname(person, text)
Born(person, date)
Same(person, person)
"""
SCOPES = """
Near(x, y) := Surname(x, s) ^ Surname(y, t) ^ x != y ^ levenshtein(s, t) <= 1.
Same(x, y) open where Near(x, y).
Same(x, y) open where Born(x, b) ^ Born(y, c) ^ x != y ^ abs(year(b) - year(c)) <= 1.
"""
RULES = """
1.5 Surname(x, s) ^ Surname(y, s) ^ x != y => Same(x, y)
0.5 Surname(x, s) ^ Surname(y, t) ^ jaro_winkler(s, t) >= 0.8 ^ x != y => Same(x, y)
-0.7 Same(x, y)
2 Same(x, y) => Same(y, x)
x != z ^ Same(x, y) ^ Same(y, z) => Same(x, z).
"""
FACTS = """
Surname(A, "smith")
Surname(B, "smith")
Surname(C, "smyth")
Surname(D, "jones")
Born(A, 1990-01-01)
Born(D, 1991-01-01)
Same(A, B)
!Same(A, D)
"""
OPEN = ["Same(A, C)", "Same(B, A)", "Same(B, C)", "Same(C, A)", "Same(C, B)", "Same(D, A)"]


def answers(directory: Path, rules: str, facts: str) -> dict[str, float]:
    (directory / "facts.db").write_text(facts)
    workspace = wb.open()
    workspace.declare(rules)
    workspace.load(directory / "facts.db")
    result = workspace.infer(rules, query="Same", engine="exact", record=False)
    frame = result.predictions()
    assert result.explain("Same(B, A)").contributions
    return dict(zip(frame["atom"], frame["value"]))


def test_a_scope_is_like_facts_that_deny_the_rest(tmp_path: Path) -> None:
    scoped = answers(tmp_path, DECLARED + SCOPES + RULES, FACTS)
    assert list(scoped) == OPEN
    people = "ABCD"
    known = {*OPEN, "Same(A, B)", "Same(A, D)"}
    pairs = (f"Same({x}, {y})" for x in people for y in people)
    denied = "".join(f"!{pair}\n" for pair in pairs if pair not in known)
    assert scoped == pytest.approx(answers(tmp_path, DECLARED + RULES, FACTS + denied))


def test_labels_inside_a_scope_are_learned_from(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text(FACTS.replace("!Same(A, D)", "Same(B, D)"))
    workspace = wb.open()
    workspace.declare(DECLARED + SCOPES + RULES)
    workspace.load(tmp_path / "facts.db")
    grounding = workspace.ground(DECLARED + SCOPES + RULES, learning=True, query="Same")
    labels = dict(zip(grounding.atoms.names(), grounding.truth.tolist()))
    seen = workspace.preview(DECLARED + SCOPES + RULES, query="Same").as_record()
    assert seen["definitions"] == {"Near": 6}
    assert seen["scopes"] == {"Same": {"atoms": 8, "share": 0.5}}
    assert labels == {**dict.fromkeys(OPEN, 0.0), "Same(A, B)": 1.0, "Same(A, D)": 0.0}


def test_rules_are_searched_for_beside_values_and_definitions(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text(FACTS)
    workspace = wb.open()
    workspace.declare(DECLARED + SCOPES + RULES)
    workspace.load(tmp_path / "facts.db")
    found = workspace.structure(
        DECLARED + SCOPES + RULES, targets=["Same"], method="mine", record=False
    )
    assert all("Surname" not in line["rule"] for line in found.candidate_table())
