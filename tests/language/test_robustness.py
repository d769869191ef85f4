"""No input, however broken, ends in anything but a program or a workbench error."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.errors import InputError, WorkbenchError
from workbench.language import clausal_form, format_program, parse_mln, parse_psl
from workbench.language.program import Program
from workbench.language.psl.document_reading import parse_psl_document

MLN = """t = {A, B}
P(t)
Q(t, t!)
*R
t F(t)
1.5 P(x) ^ Q(x,y) => R
EXIST y Q(F(x), y) v x != A.
2: *P(+x) <=> !R
"""
PSL = """1.0: A(X) & B(X, 'c') -> C(X) | !D(X) ^2
B(X, +Y) / |Y| <= @Min[1, |Y|] . {Y: A(Y) & !(C(Y) | Y == 'q')}
0.5: !A(X)
"""
WORDS = ["=>", "<=>", "...", "//", "/*", "*/", "1.5", "EXIST y ", " v "]
SPLINTERS = st.sampled_from(
    [*"()[]{}!?^|&~*+-/%=<>.,:;@#$'\"\\ \n\t\r\0\ufeff\u2028é張0aAxv", *WORDS]
)


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """The text with a few stretches cut out, doubled or replaced."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 12)))
        middle = draw(st.one_of(st.just(""), SPLINTERS, st.just(text[start:stop] * 2)))
        text = text[:start] + middle + text[stop:]
    return text


def survives(parse: Callable[[str], Program], text: str) -> None:
    try:
        program = parse(text)
        clausal_form(program, dict.fromkeys(program.types, ("A", "B")))
    except WorkbenchError:
        return
    assert parse(format_program(program)).rules == program.rules


@settings(max_examples=200, deadline=None)
@given(damaged(MLN))
@example("")
@example("\0")
@example("#include")
@example("P(")
@example("1 ")
@example("1.")
@example("x = {")
@example("99999999999999999999999999999999e999 P(x)")
def test_damaged_markov_logic(text: str) -> None:
    survives(parse_mln, text)


@settings(max_examples=200, deadline=None)
@given(damaged(PSL))
@example("1e999: A(X)")
@example("1: A(X) -> ")
@example("{X: A(X)}")
def test_damaged_soft_logic(text: str) -> None:
    survives(parse_psl, text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    survives(parse_mln, text)
    survives(parse_psl, text)


DOCUMENT = """predicates:
  Knows/2: open
  Likes/2:
    - closed
    - types: [A, B]
observations:
  Likes: a.txt
"""
JSON = """{"rules": ["1: A(X) -> B(X)"],
# note
"predicates": {"A/1": {"observations": [["x", 1]]}, "B/1": {"targets": {"learn": ["f.txt"]}}}}
"""


@settings(max_examples=100, deadline=None)
@given(st.one_of(damaged(DOCUMENT), damaged(JSON)))
@example("[1, 2]")
@example("- a\n- b")
@example("predicates: 3")
@example("predicates:\n  ? [1, 2]\n  : open")
@example('{"predicates": {"A/x": null}}')
@example("!!python/object:os.system {}")
@example("a: &a [*a]")
def test_damaged_documents(text: str) -> None:
    with suppress(WorkbenchError):
        parse_psl_document(text).program()


@pytest.mark.parametrize(
    "text",
    [
        "P(t)\n1 " + "(!" * 3_000 + "P(x)" + ")" * 3_000,
        "P(t)\n1 " + "!" * 3_000 + "P(x)",
        "P(t)\n1 P(x)" + " => P(x)" * 3_000,
        "P(t)\n1 P(" + "1 + " * 3_000 + "1)",
        "P(t)\n" + "EXIST x " * 3_000 + "P(x)",
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        clausal_form(parse_mln(text))
    assert {d.code for d in caught.value.diagnostics} <= {"E0103", "E0115"}
    assert "nest" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["1: " + "(" * 3_000 + "A(X)" + ")" * 3_000, "1: " + "!" * 3_000 + "A(X)"]
)
def test_deep_nesting_of_soft_logic_is_refused_or_read(text: str) -> None:
    survives(parse_psl, text)


def test_a_line_of_ten_megabytes() -> None:
    program = parse_mln("P(t)\n1 " + " v ".join(f"P(A{i}_{'long' * 500})" for i in range(5_000)))
    assert len(clausal_form(program)) == 1
    with pytest.raises(InputError) as caught:
        parse_mln("P(t)\n1 P(x) " + "y" * 10_000_000 + "\n2 Q" + "x" * 100_000 + "(x)")
    assert len(str(caught.value)) < 3_000
