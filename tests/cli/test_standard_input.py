"""Rules given as `-`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SOFT = "1.0: Knows(X, Y) & Likes(X) -> Likes(Y)  // plain\n"
LOGIC = 'P(t)\nt = {A, B}\n// a -> b & "c"\n1.5 P(x)\n'


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "facts.db").write_text("P(A)\n")
    return monkeypatch


def type_in(typed: pytest.MonkeyPatch, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    typed.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_either_language_is_read_and_formatted(run: Run, typed: pytest.MonkeyPatch) -> None:
    type_in(typed, SOFT)
    assert run("fmt", "-").out == SOFT
    type_in(typed, LOGIC)
    assert run("infer", "-", "--json").json["atoms"] == 2
    type_in(typed, LOGIC)
    assert run("convert", "-").out.endswith("1.5: Domain_t(X) -> P(X)\n")
    type_in(typed, LOGIC)
    refused = run("convert", "-", "--data", "facts.db")
    assert (refused.code, "E0831" in refused.err) == (2, True)
    type_in(typed, LOGIC)
    assert run("ground", "-", "--preview", "--json").json["atoms"] == 2
    type_in(typed, LOGIC)
    assert "P(A)" in run("explain", "-", "P(A)").out


def test_mistakes_are_shown_where_they_were_typed(run: Run, typed: pytest.MonkeyPatch) -> None:
    type_in(typed, "P(t)\n1 P(x) ^ Q(x)\n")
    outcome = run("check", "-", "--json")
    assert outcome.code == 1
    assert [(one["code"], one["file"], one["line"]) for one in outcome.json["diagnostics"]] == [
        ("E0104", "<stdin>", 2)
    ]
    type_in(typed, b"P(t)\n1 P(\xff)\n")
    assert "E0101" in run("check", "-").err


@pytest.mark.parametrize(
    "arguments",
    [("infer", "-", "--data", "-"), ("fmt", "-", "--write"), ("check", "-")],
    ids=lambda words: words[0],
)
def test_what_needs_a_file_is_refused(
    run: Run, typed: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    type_in(typed, '{"rules": []}' if arguments[0] == "check" else LOGIC)
    outcome = run(*arguments)
    assert "E0829" in outcome.err
    assert outcome.code == (1 if arguments[0] == "check" else 2)


def test_json_is_all_of_standard_output(run: Run, typed: pytest.MonkeyPatch) -> None:
    type_in(typed, SOFT)
    assert run("fmt", "-", "--json").json["text"] == SOFT
    type_in(typed, LOGIC)
    assert list(run("convert", "-", "--json").json["files"]) == ["program.psl"]
    assert run("explain", "E0310", "--json").json["code"] == "E0310"
