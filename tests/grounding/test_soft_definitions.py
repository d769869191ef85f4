"""Values, definitions and scopes in soft logic, from text to the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from workbench.language import format_program, parse_psl
from workbench.language.values import ValueKind

RULES = """
Peers(X, Y) := Directs(X, C) & Directs(Y, C) & (X != Y) .
Companies(X, N) := N = count(C: Directs(X, C)) .
BornIn(X, Y) := Born(X, D) & Y = year(D) .
Fraud(X) open where
    Directs(X, C) .
2.0: Companies(X, N) & N >= 2 -> Fraud(X)
4.0: BornIn(X, Y) & abs(Y - 1990) <= 1 -> Fraud(X)
3.0: Peers(X, Y) & Fraud(Y) -> Fraud(X)
0.5: !Fraud(X)
"""
DATA = """
predicates:
  Directs/2: closed
  Born/2:
    - closed
    - types: [person, date]
  Fraud/1: open
observations:
  Directs: directs.txt
  Born: born.txt
"""


def test_what_is_printed_reads_back() -> None:
    program = parse_psl(RULES)
    assert parse_psl(format_program(program)) == program
    assert program.predicates["Companies"].kinds == (None, ValueKind.NUMBER)


def test_rules_over_definitions_and_dates(tmp_path: Path) -> None:
    (tmp_path / "rules.psl").write_text(RULES)
    (tmp_path / "facts.data").write_text(DATA)
    (tmp_path / "directs.txt").write_text("A\tC1\nB\tC1\nA\tC2\nD\tC3\nE\tC3\nF\tC4\n")
    (tmp_path / "born.txt").write_text("D\t1991-05-05\nB\t1975-01-01\nG\t1990-01-01\n")
    workspace = wb.open()
    workspace.declare(tmp_path / "rules.psl")
    workspace.load(tmp_path / "facts.data")
    frame = workspace.infer(tmp_path / "rules.psl").predictions()
    # G directs nothing, so it is outside the scope; what A and D are their peers are, for 3 is more
    # than 0.5.
    values = dict(zip(frame["atom"], frame["value"]))
    expected = {"A": 1.0, "B": 1.0, "D": 1.0, "E": 1.0, "F": 0.0}
    assert values == pytest.approx(
        {f"Fraud({name})": value for name, value in expected.items()}, abs=1e-3
    )
