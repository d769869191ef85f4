"""Predicates without Tuffy's mark that have facts: which way they are taken is said,
with the option.
"""

from __future__ import annotations

import workbench as wb
from workbench.database import load_alchemy_text

RULES = """
*Friend(person, person)
Knows(person, person)
Smokes(person)
1 Friend(x, y) => Knows(x, y)
1 Knows(x, y) ^ Smokes(x) => Smokes(y)
"""


def test_the_reading_is_said_and_the_option_gives_the_other() -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, "Friend(A, B)\nKnows(B, A)\n")
        closed = workspace.ground(RULES, query="Smokes")
        opened = workspace.ground(RULES, query="Smokes", hidden="Knows")
        plain = workspace.ground(RULES.replace("*", ""), query="Smokes")
        unmarked = RULES.replace("*", "") + "Near(x, y) := Friend(x, y).\n"
        defined = workspace.ground(unmarked + "1 Near(x, y) => Smokes(y)\n", query="Smokes")
    assert [note.code for note in closed.warnings] == ["E0319"]
    assert closed.network.n_atoms == 2
    assert opened.network.n_atoms == 5
    others = (*opened.warnings, *plain.warnings, *defined.warnings)
    assert not [note for note in others if note.code == "E0319"]
