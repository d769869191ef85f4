"""`!` and `?` of predicates whose open atoms scopes list:
the blocks are those of the cross product, cut.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench
from workbench.errors import InfeasibleError

RULES = """
Area(house, number)
Kind(house, kind!)
kind = {A, B, C}
0.3 * a: Area(x, a) => Kind(x, B)
1.5 Kind(x, A)
"""
SCOPES = "".join(f"Kind(x, {kind}) open where Area(x, a).\n" for kind in "ABC")


@pytest.mark.parametrize("mark", ["!", "?"])
def test_blocks_are_those_of_the_cross_product(tmp_path: Path, mark: str) -> None:
    data = tmp_path / "facts.db"
    data.write_text("Area(H1, 2)\nArea(H2, 5)\nArea(H3, 1)\nKind(H3, C)\n", encoding="utf-8")
    rules = RULES.replace("!", mark)
    with workbench.open() as ws:
        ws.declare(rules)
        ws.load(data)
        whole = ws.infer(rules, query="Kind").predictions().set_index("atom")["value"]
        cut = ws.infer(rules + SCOPES, query="Kind").predictions().set_index("atom")["value"]
    assert cut.to_dict() == pytest.approx(whole.to_dict())
    if mark == "!":
        assert cut.filter(like="H1").sum() == pytest.approx(1)


def test_scopes_may_leave_values_out(tmp_path: Path) -> None:
    data = tmp_path / "facts.db"
    data.write_text("Area(H1, 2)\n", encoding="utf-8")
    rules = RULES + SCOPES.replace("Kind(x, C) open where Area(x, a).\n", "")
    with workbench.open() as ws:
        ws.declare(rules)
        ws.load(data)
        found = ws.infer(rules, query="Kind").predictions()["value"]
    assert found.sum() == pytest.approx(1)
    assert len(found) == 2


def test_two_true_members_contradict(tmp_path: Path) -> None:
    data = tmp_path / "facts.db"
    data.write_text("Area(H1, 2)\nKind(H1, A)\nKind(H1, B)\n", encoding="utf-8")
    with workbench.open() as ws:
        ws.declare(RULES)
        ws.load(data)
        with pytest.raises(InfeasibleError, match="E0321"):
            ws.infer(RULES + SCOPES, query="Kind")
