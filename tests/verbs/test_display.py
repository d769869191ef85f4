"""Atoms for people who read no rules."""

from __future__ import annotations

import pytest

import workbench as wb
from workbench.verbs.explaining.display import statement


@pytest.mark.parametrize(
    ("predicate", "things", "said"),
    [
        ("Readmitted30d", ["Kai"], "Kai: readmitted 30 d"),
        ("advisedBy", ["Ann Ode", "Bo, Ray"], "Ann Ode: advised by Bo, Ray"),
        ("Meets", ["Ann", "Bo", "Monday"], "Ann: meets Bo, Monday"),
        ("Rückfall", ["Uwe"], "Uwe: rückfall"),
        ("IT_IS_RAINING", [], "it is raining"),
        ("_", ["A"], "A: _"),
    ],
)
def test_an_atom_is_a_statement_about_its_first_thing(
    predicate: str, things: list[str], said: str
) -> None:
    assert statement(predicate, things) == said


def test_what_is_no_atom_of_the_workspace_stays_as_it_is_written() -> None:
    ws = wb.open()
    ws.declare("Smokes(person)\n")
    texts = ["Smokes(Ann)", "Unknown(Ann)", "no atom"]
    assert ws.data.shown(texts, as_statements=True) == ["Ann: smokes", *texts[1:]]
