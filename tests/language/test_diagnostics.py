"""What is said about wrong input: code, place, help, and all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import Diagnostic, InputError, UsageError, WorkbenchError
from workbench.language import check, parse_mln, parse_psl, read_program

BASE = "Smokes(person)\nCancer(person)\nFriends(person, person)\n"


def diagnostics_of(text: str, language: str = "mln") -> tuple[Diagnostic, ...]:
    try:
        program = parse_mln(BASE + text) if language == "mln" else parse_psl(text)
    except InputError as error:
        return tuple(error.diagnostics)
    return check(program)


@pytest.mark.parametrize(
    ("text", "code", "column", "help"),
    [
        ("1 Smoke(x) => Cancer(x)", "E0104", 3, "did you mean Smokes?"),
        ("1 Zzz(x) => Cancer(x)", "E0104", 3, "declare it first: Name(type, type)"),
        ("1 Smokes(F(x))", "E0104", 10, "declare it first: type name(type)"),
        ("1 Smokes(x, y)", "E0105", 3, "declared as Smokes(person)"),
        (
            "1.5 Smokes(x).",
            "E0108",
            14,
            "a full stop makes it hard: drop the weight, or drop the full stop",
        ),
        ("1 Smokes(x) vCancer(x)", "E0109", 13, "put blanks around the disjunction: `v Cancer`"),
        ("Has(person, +place)\n1 Has(x, +p)", "E0137", 13, "drop the +: `Has(person, place)`"),
        ("1 Smokes(v)", "E0109", 10, "give the variable another name"),
        ("1 Smokes(x) | Cancer(x)", "E0102", 13, "disjunction is written `v` in Markov logic"),
        ("1 Smokes(x) || Cancer(x)", "E0102", 13, "disjunction is written `v` in Markov logic"),
        ("1 Smokes(x) & Cancer(x)", "E0102", 13, "conjunction is written `^` in Markov logic"),
        (
            "1 Exists(x)",
            "E0103",
            3,
            "give the predicate another name; variables follow without brackets: `Exists x P(x)`",
        ),
        ("1 Smokes(x) -> Cancer(x)", "E0103", 14, "implication is written `=>` in Markov logic"),
        ("1 Smokes(x) Cancer(x)", "E0103", 13, "join formulas by ^, v, => or <=>"),
        ("1 Smokes(x", "E0103", 9, "add `)`"),
        ("1 Smokes(x\n2 Smokes(x)", "E0103", 9, "add `)`"),
        ("place = {A, B, A}", "E0112", 1, None),
        ("place = {A, B\nAt(place)\n1 At(x)", "E0103", 9, "add `}`"),
        ("1 Smokes(x) and Cancer(x)", "E0103", 13, "conjunction is written `^`"),
        ("1 not Smokes(x)", "E0103", 3, "negation is written `!`"),
        ("1,5 Smokes(x)", "E0103", 2, "write 1.5"),
        (
            "1 Smokes(x) <= Cancer(x)",
            "E0104",
            3,
            "formulas are joined by => and <=>; = < <= > >= compare terms",
        ),
        ("person = {Anna}\n1 Smokes(anna)", "E0128", 10, "write Anna for the constant"),
        ("1 Smokes(x))", "E0103", 12, None),
        ("1 Smokes(x) ^ ", "E0103", 13, None),
        ("1 x != y", "E0110", 3, None),
        ("1 Smokes(+Ann)", "E0119", 10, None),
        ("1 EXIST x Smokes(+x)", "E0119", 18, "drop the `+`, or the quantifier"),
        ("1 EXIST y Smokes(x)", "E0125", 1, None),
        ("w: Smokes(x)", "E0118", 1, None),
        ("-2:20 Smokes(x)", "E0113", 3, "give the weight alone"),
        ("#noTies", "E0113", 1, 'only #include "file.mln" is'),
        ("1 Smokes(ann)\nage = {5,...,1}", "E0112", 14, None),
        ("/* never closed", "E0102", 1, "close it with */"),
        ('1 Smokes("Ann)', "E0102", 10, 'close it with " on the same line'),
        ("EXIST Ann Smokes(Ann)", "E0103", 7, "write ann"),
        ("Smokes(person!)", "E0111", 1, None),
        ("1 3", "E0103", 3, None),
        ("1 Smokes(Smokes(x) ^ Cancer(x))", "E0103", None, None),
    ],
)
def test_markov_logic(text: str, code: str, column: int | None, help: str | None) -> None:
    found = diagnostics_of(text)
    assert [d.code for d in found][:1] == [code], found
    span = found[0].span
    assert span is not None
    if column is not None:
        assert span.column == column
    if help is not None:
        assert found[0].help == help
    assert found[0].line_text is not None
    assert "^" in found[0].render()


def test_a_statement_with_a_stray_character_is_reported_once() -> None:
    found = diagnostics_of(
        'Lives(person, city)\n1 Smokes(x) | Cancer(x)\n1 Smokes("Ann) v Cancer(x)\n1 Lives(x, y)'
    )
    assert [d.code for d in found] == ["E0102", "E0102"]


def test_types_across_literals() -> None:
    found = diagnostics_of("Lives(person, city)\n1 Lives(x, y) ^ Smokes(y) => Cancer(x)")
    assert [d.code for d in found] == ["E0106"]
    assert "city (argument 2 of Lives) and person (argument 1 of Smokes)" in found[0].message


def test_constants_of_another_type() -> None:
    found = diagnostics_of(
        "city = {Oslo}\nperson = {Ann}\nLives(person, city)\n1 Lives(Oslo, Oslo) v Smokes(Bob)"
    )
    assert [(d.code, d.severity) for d in found] == [("E0107", "error"), ("E0117", "warning")]


def test_all_errors_of_a_file_at_once() -> None:
    found = diagnostics_of(
        "1 Smoke(x)\n1 Cancer(x\n\n1 Friends(x)\n1 Smokes(x) Cancer(x)\n2 Cancer(x)."
    )
    assert [(d.code, d.span.line - 3) for d in found if d.span] == [
        ("E0104", 1),
        ("E0103", 2),
        ("E0105", 4),
        ("E0103", 5),
        ("E0108", 6),
    ]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("Knows(A, B) -> Likes(A, B)", "E0120", "neither a weight nor a full stop"),
        ("-1.0: Knows(A, B) -> Likes(A, B)", "E0120", "the weight -1.0 is negative"),
        ("1: Knows(A, B) -> Likes(A, B) .", "E0108", "a weight and a full stop"),
        ("Knows(A, B) -> Likes(A, B) . ^2", "E0103", "not expected"),
        ("Knows(A, B) -> Likes(A, B) ^2 .", "E0123", "a hard rule has no exponent"),
        (
            "1: Knows(A, B) | Likes(A, B) -> Likes(B, A)",
            "E0124",
            "the body of a rule is a conjunction",
        ),
        ("1: Knows(A, B) -> Likes(A, B) & Likes(B, A)", "E0124", "the head of a rule"),
        ("1: !Knows(A, B) -> Likes(A, B)", "E0110", "nothing binds the variable A"),
        ("1: Knows(A, B) -> Likes(A, C)", "E0110", "nothing binds the variable C"),
        ("1: Knows(A, B) & (A != C) -> Likes(A, B)", "E0110", "nothing binds the variable C"),
        ("1: Knows(A, B) -> Knows(A)", "E0105", "Knows takes 2 arguments and is given 1"),
        ("1: Knows(A, B) / Likes(A, B) <= 1", "E0121", "an atom stands where only numbers"),
        ("1: Knows(A, B) / 0 <= 1", "E0121", "divides by zero"),
        ("1: 2 <= 1", "E0121", "has no atom"),
        ("1: Knows(A, +B) <= |C|", "E0122", "|C| counts a summation variable"),
        ("1: Knows(A, +B) <= 1 {C: Likes(A, C)}", "E0122", "no summation variable"),
        ("1: Knows(A, +B) + Knows(A, B) <= 1", "E0122", "summed over in one atom"),
        ("1: Knows(A, +B) <= 1 {B: Likes(B, D)}", "E0122", "stands in no atom"),
        ("1: Knows(A, B) -> Likes(A, +B)", "E0122", "belongs to an arithmetic rule"),
        ("1: Knows(A, B) = Likes(A, B) -> Likes(B, A)", "E0124", "relates sums"),
        ("1: Knows(A, B) -> Likes(A, B)\n1: Knows(A, B) -> Likes(A, B)", "E0126", "twice (line 1)"),
        ("1: Knows(A, B) -> ", "E0103", "the statement ends"),
        ("1: Knows(A, 'b -> Likes(A, B)", "E0102", "never closed"),
        ("1.0 Knows(A, B) -> Likes(A, B)", "E0120", "this weight has no colon"),
        ("1: Knows(A, B) => Likes(A, B)", "E0103", "is not soft logic"),
        ("1: Knows(A, B) ^ Likes(A, B)", "E0103", "Knows is an atom"),
        ("1: Knows(A, B) v Likes(A, B)", "E0103", "`v` is no operator"),
        ("1: Knows(A, B)) -> Likes(A, B)", "E0103", "closes what was never opened"),
        ("1: Knows(A, b\n2: Knows(A, B) -> Likes(A, B)", "E0103", "never closed"),
    ],
)
def test_soft_logic(text: str, code: str, words: str) -> None:
    found = diagnostics_of(text, "psl")
    assert [d.code for d in found][:1] == [code], found
    assert words in found[0].message
    assert found[0].span is not None


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    cases: dict[str, bytes] = {
        "latin.mln": "1 Größe(x)".encode("latin-1"),
        "wide.mln": "1 P(x)".encode("utf-16"),
        "broken.mln.gz": b"no gzip",
    }
    for name, data in cases.items():
        (tmp_path / name).write_bytes(data)
    for name in (*cases, "missing.mln"):
        with pytest.raises(InputError) as caught:
            read_program(tmp_path / name)
        assert caught.value.diagnostics[0].code == "E0101"
    (tmp_path / "folder.mln").mkdir()
    with pytest.raises(InputError):
        read_program(tmp_path / "folder.mln")
    with pytest.raises(UsageError):
        read_program(tmp_path / "rules.txt")


def test_marks_and_line_ends_of_other_systems(tmp_path: Path) -> None:
    path = tmp_path / "windows.mln"
    path.write_bytes(b"\xef\xbb\xbfSmokes(person)\r\n1 Smokes(x)\r\n2 Smoke(x)\r\n")
    with pytest.raises(InputError) as caught:
        read_program(path)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.line_text) == ("E0104", "2 Smoke(x)")
    path.write_bytes(b"Smokes(person)\r1 Smokes(x)\r")
    assert len(read_program(path).rules) == 1


def test_errors_are_of_the_workbench() -> None:
    with pytest.raises(WorkbenchError) as caught:
        parse_mln("1 P(x)")
    assert "help:" in str(caught.value)
