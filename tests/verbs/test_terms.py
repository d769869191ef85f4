"""Functions of terms, from text to ground rules."""

from __future__ import annotations

import pytest

import workbench as wb
from workbench.database import load_alchemy_text


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("7 / 3 = x", {"2"}),
        ("x / 2 = y / 2 ^ y = 3", {"2", "3"}),
        ("(x - 7) / 2 = 0 - 2", {"2", "3"}),
        ("7 / 0 = x", set()),
        ("concat(x, y) = concat(y, x) ^ y = 3", {"3"}),
        ("concat(x, x) < 50 ^ x > 1", {"2", "3", "4"}),
        ("lower(x) = upper(x) ^ x < 3", {"1", "2"}),
        ("length(concat(x, x)) = 4", {"10"}),
    ],
)
def test_functions_of_terms_decide_which_rules_count(condition: str, holds: set[str]) -> None:
    rules = (
        f"n = {{1, 2, 3, 4, 7, 10}}\nIn(n)\nOpen(n)\n9 In(x) ^ In(y) ^ {condition} => "
        "Open(x)\n-1 Open(x)\n"
    )
    with wb.open() as ws:
        ws.declare(rules)
        load_alchemy_text(ws.database, "\n".join(f"In({number})" for number in (1, 2, 3, 4, 7, 10)))
        frame = ws.infer(rules, query=["Open"], task="map").predictions()
    assert {atom[5:-1] for atom, value in zip(frame["atom"], frame["value"]) if value} == holds
