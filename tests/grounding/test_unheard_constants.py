"""Constants of rules that no fact names: said where a fact names one that is nearly the same."""

from __future__ import annotations

import pytest

from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest, ground, unheard_constants
from workbench.language import parse_mln

DECLARED = "Word(page, word)\nTopic(page, topic)\n"
FACTS = "Word(P1, Learning)\nWord(P2, Cooking)\nWord(P3, Room12)\nTopic(P1, ML)\n"


def said(rules: str, facts: str = FACTS) -> list[tuple[int | None, str | None]]:
    program = parse_mln(DECLARED + rules)
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, facts)
        found = ground(database, program, GroundRequest(query=("Topic",))).warnings
    return [(one.span.line if one.span else None, one.help) for one in found if one.code == "E0336"]


@pytest.mark.parametrize(
    ("rules", "facts", "expected"),
    [
        ("1 Word(p, Learnig) => Topic(p, ML)", FACTS, [(3, "did you mean Learning?")]),
        ("1 Word(p, COOKING) => Topic(p, Ml)", FACTS,
         [(3, "did you mean ML?"), (3, "did you mean Cooking?")]),
        ("Told(p) := Word(p, Coking).\n1 Told(p) => Topic(p, ML)", FACTS,
         [(3, "did you mean Cooking?")]),
        ("1 Word(p, Learning) => Topic(p, ML)", FACTS, []),
        ("1 Word(p, Robotics) => Topic(p, Sport)", FACTS, []),
        ("1 Word(p, Room13) => Topic(p, ML)", FACTS, []),
        ("word = {Learnig, Learning}\n1 Word(p, Learnig) => Topic(p, ML)", FACTS, []),
        ("1 Word(p, Learnig) => Topic(p, ML)", "Topic(P1, ML)\n", []),
    ],
    ids=["a letter", "case", "definition", "named", "of its own", "number", "declared", "no facts"],
)  # fmt: skip
def test_constants_nearly_as_facts_name_them_are_said(
    rules: str, facts: str, expected: list[tuple[int | None, str]]
) -> None:
    assert said(rules, facts) == expected


def test_programs_of_many_constants_are_not_looked_through() -> None:
    words = [f"Wrd{chr(97 + at % 26)}{chr(97 + at // 26)}xyz" for at in range(101)]
    rules = "\n".join(f"1 Word(p, {word}) => Topic(p, ML)" for word in words)
    facts = "".join(f"Word(P1, {word}z)\n" for word in words) + "Topic(P1, ML)\n"
    assert said(rules, facts) == []
    assert len(said("\n".join(rules.splitlines()[:20]), facts)) == 5


def test_beside_very_many_names_only_their_case_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unheard_constants, "MOST_COMPARED", 1)
    rules = "1 Word(p, Learnig) => Topic(p, ML)\n1 Word(p, COOKING) => Topic(p, ML)"
    assert said(rules) == [(4, "did you mean Cooking?")]


def test_names_that_read_the_same_and_are_two_are_said() -> None:
    """An accent as a sign of its own, among facts or between facts and rules."""
    apart, one = "Zoe\N{COMBINING ACUTE ACCENT}", "Zo\N{LATIN SMALL LETTER E WITH ACUTE}"
    for facts, rules in (
        (f'Word(P1, "{apart}")\nWord(P2, "{one}")\n', "1 Word(p, w) => Topic(p, ML)"),
        (f'Word(P1, "{apart}")\n', f'1 Word(p, "{one}") => Topic(p, ML)'),
        (f'Word(P1, "{apart}")\n', "1 Word(p, w) => Topic(p, ML)"),
    ):
        program = parse_mln(DECLARED + rules)
        with Database.open() as database:
            database.declare(program)
            load_alchemy_text(database, facts)
            found = ground(database, program, GroundRequest(query=("Topic",))).warnings
        assert ("E0337" in [note.code for note in found]) == (one in facts + rules)
