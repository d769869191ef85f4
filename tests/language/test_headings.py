"""One comment above a block of rules describes them all, and nothing beyond."""

from __future__ import annotations

from typing import SupportsIndex

import pytest
from lark import Token

from workbench.language import format_program, parse_program
from workbench.language.psl.parsing import parse_psl
from workbench.language.source import SourceText
from workbench.language.statements import Statement, description
from workbench.verbs.explaining.explanation import names_of_rules
from workbench.workspace import open_workspace

MLN = """Talks(person, person)
// who heard it
Heard(person)
1 Heard(x)

// gossip travels
// between people
1.1 Talks(x, y) ^ Heard(x) => Heard(y)
0.5 Talks(x, y) ^
    Talks(y, x) => (Heard(x) <=> Heard(y))
0.2 Talks(x, y) => Heard(x)

0.3 Heard(x) v Heard(y)
// quiet ones
-0.7 Heard(x)
"""
GOSSIP = "gossip travels between people"


def test_a_comment_heads_its_block() -> None:
    program = parse_program(MLN)
    said = [rule.description for rule in program.rules]
    assert said == ["", GOSSIP, GOSSIP, GOSSIP, "", "quiet ones"]
    again = parse_program(format_program(program))
    assert [rule.description for rule in again.rules] == said
    assert format_program(program).count(GOSSIP) == 1


@pytest.mark.parametrize("mark", ["#", "//"])
def test_both_comments_of_soft_logic_describe(mark: str) -> None:
    text = f"{mark} friends\n1: F(A, B) & F(B, C) -> F(A, C)\n2: !F(A, B) ^2\n\n3: F(A, B)\n"
    found = [rule.description for rule in parse_psl(text).rules]
    assert found == ["friends", "friends", ""]


def test_rules_under_one_comment_are_told_apart() -> None:
    assert names_of_rules(["a", "b", "b", ""], ["1", "2", "3", "4"]) == ["a", "b: 2", "b: 3", "4"]


def test_what_was_learned_describes_what_it_did_before() -> None:
    with open_workspace() as ws:
        ws.declare(MLN)
        ws.data.add(["Talks(A, B)", "Talks(B, C)", "Heard(B)", "Heard(C)"])
        learned = ws.learn(MLN, query=["Heard"], learner="pseudo_likelihood")
    before = {rule.description for rule in parse_program(MLN).rules}
    after = [rule.description for rule in parse_program(learned.text()).rules]
    assert set(after) <= before
    assert after[-1] == "quiet ones"
    assert after[0] == ""


class Sliced(str):
    """A text that counts the characters cut out of it."""

    cut = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        self.cut += len(part)
        return part


def test_a_long_comment_is_read_once() -> None:
    text = Sliced("// said\n" * 3000 + "1 Heard(x)\n")
    statement = Statement(SourceText(None, text), [Token("NUMBER", "1", start_pos=8 * 3000)])
    assert description(statement) == " ".join(["said"] * 3000)
    assert text.cut < 2 * len(text)


def test_a_comment_over_several_rules_never_stands_for_one_of_them_alone() -> None:
    text = (
        "Ill(p)\nSad(p)\n// both are rare\n-0.6 Ill(x)\n-1 Sad(x)\n\n// alone\n2 Ill(x) => Sad(x)\n"
    )
    with open_workspace() as ws:
        ws.declare(text)
        ws.data.add(["Ill(A)"])
        found = ws.infer(text, query=["Sad"], engine="exact").explain("Sad(A)")
    assert list(found.words().values()) == ["alone", "both are rare: Sad(x)"]
