"""Canonical form with comments kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.test_corpus import REFUSED, programs
from workbench.language import format_source, parse_mln, parse_psl, read_program

MESSY = """// people
person={Anna,   Bob}   // two of them


Smokes( person )
/* who knows
   whom */
Friends(person,person)
 1.50   Smokes(x)^Friends(x,y)=>Smokes(y)  // spread
2 Smokes(x) ^  // why not
  Friends(x,x)
Smokes(Anna). Friends(Anna,Bob).
#include "more.mln"
// end
"""

NEAT = """// people
person = {Anna, Bob}   // two of them


Smokes(person)
/* who knows
   whom */
Friends(person, person)
1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)  // spread
2 Smokes(x) ^  // why not
  Friends(x,x)
Smokes(Anna).
Friends(Anna, Bob).
#include "more.mln"
// end
"""


def test_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "messy.mln"
    path.write_text(MESSY, encoding="utf-8", newline="\r\n")
    (tmp_path / "more.mln").write_text("1 Smokes(Bob)", encoding="utf-8")
    assert format_source(path) == NEAT
    path.write_text(NEAT, encoding="utf-8")
    assert format_source(path) == NEAT


def test_soft_logic(tmp_path: Path) -> None:
    path = tmp_path / "messy.psl"
    path.write_text(
        "# prior\n1:~A(X)^2 // low\n\n2 : A(X)&&B(X , 'c')>>C(X)\nC(+X)<=1.{X:A(X)}\n",
        encoding="utf-8",
    )
    neat = (
        "# prior\n1.0: !A(X) ^2 // low\n\n2.0: A(X) & B(X, 'c') -> C(X)\nC(+X) <= 1 . {X: A(X)}\n"
    )
    assert format_source(path) == neat


@pytest.mark.parametrize(
    "path",
    [p for p in programs(".mln", ".psl") if p.name not in REFUSED],
    ids=lambda path: path.name,
)
def test_the_corpus_keeps_its_meaning(path: Path) -> None:
    program = read_program(path)
    text = format_source(path)
    assert (parse_mln if program.language == "mln" else parse_psl)(text) == program
