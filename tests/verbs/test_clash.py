"""Hard rules that clash are named by as few ground rules as clash."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from workbench.errors import InfeasibleError

RULES = """side = {Left, Right}
Near(place, place)
Side(place, side!)
1.5 Near(x, y) => Side(x, Left)
Near(x, y) ^ Side(x, s) => !Side(y, s).
"""


@pytest.mark.parametrize("engine", ["auto", "mcsat", "gibbs"])
def test_an_odd_ring_among_two_hundred_places(tmp_path: Path, engine: str) -> None:
    """A ring of 200 with a chord that closes five of them: ten ground rules of 402."""
    near = [(k, (k + 1) % 200) for k in range(200)] + [(14, 10)]
    (tmp_path / "facts.db").write_text("\n".join(f"Near(P{a}, P{b})" for a, b in near) + "\n")
    with wb.open() as ws:
        ws.declare(RULES)
        ws.load(tmp_path / "facts.db")
        with pytest.raises(InfeasibleError, match="E0401") as raised:
            ws.infer(RULES, query=["Side"], engine=engine)
    message = raised.value.diagnostics[0].message
    assert "more" not in message
    assert message.count("!Side(") <= 20
    assert all(f"P{k}," in message for k in range(10, 15))
