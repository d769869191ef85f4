"""A ground clause as people write rules."""

from __future__ import annotations

import pytest

from workbench.grounding import as_rule


@pytest.mark.parametrize(
    ("clause", "written", "negation"),
    [
        ("!A v !B v C v D", "A ^ B => C v D", "A ^ B ^ !C ^ !D"),
        ("A v B", "A v B", "!A ^ !B"),
        ("!A v !B", "!(A ^ B)", "A ^ B"),
        ("!A", "!A", "A"),
        ("A", "A", "!A"),
    ],
)
def test_a_clause_reads_as_a_rule(clause: str, written: str, negation: str) -> None:
    literals = tuple((part.lstrip("!"), part[0] != "!") for part in clause.split(" v "))
    assert as_rule(literals) == written
    assert as_rule(literals, negated=True) == negation
    soft = written.replace("^", "&").replace(" v ", " | ").replace("=>", "->")
    assert as_rule(literals, soft=True) == soft
