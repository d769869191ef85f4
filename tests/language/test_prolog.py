"""Prolog's facts: the short cut for plain ones says what the parser says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InputError
from workbench.language.ilp import prolog as ilp_prolog
from workbench.language.ilp.prolog import read_terms
from workbench.language.ilp.terms import Compound, Symbol

PIECES = [
    "'",
    "a",
    "b1",
    "A",
    " ",
    ",",
    "(",
    ")",
    ".",
    "\n",
    "-",
    "1",
    "2.5",
    "\\",
    "''",
    "%",
    "1e5",
    "\t",
    "'x, y'",
    "_",
]


def read(text: str) -> object:
    try:
        return list(read_terms(text, "facts.pl"))
    except InputError as error:
        return error.diagnostics


@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_the_short_cut_reads_as_the_parser_does(pieces: list[str]) -> None:
    text = f"p({''.join(pieces)}).\nq(a)."
    short = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ilp_prolog, "_FACT", re.compile("(?!)"))
        assert read(text) == short


def test_quoted_names_and_numbers_take_the_short_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ilp_prolog, "ClauseParser", None)
    (term, span), *_ = read_terms("p('Ann Lee', -2.5, b).")
    assert term == Compound("p", (Symbol("Ann Lee"), Symbol("-2.5", True), Symbol("b")))
    assert (span.column, span.end_column) == (1, 23)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a " + ":- b\n" * 3000 + ".", "E0140"),
        ("p(" + "1 + " * 3000 + "1).", "E0143"),
        ("p(1 < 2 < 3).", "E0140"),
    ],
)
def test_chains_of_operators_are_told(text: str, code: str) -> None:
    """`:-` and `<` stand between two terms and no more; a sum is nested as deep as it is long."""
    with pytest.raises(InputError) as caught:
        list(read_terms(text))
    assert caught.value.diagnostics[0].code == code
