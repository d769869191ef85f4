"""`check`, `fmt`, `explain CODE`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_check_reports_every_mistake_with_its_place(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "wrong.mln"
    rules.write_text("Smokes(person)\n1.0 Smoke(x)\n1.0 Smokes(x, y)\n")
    outcome = run("check", rules, "--json")
    assert outcome.code == 1
    places = {(item["line"], item["severity"]) for item in outcome.json["diagnostics"]}
    assert {(2, "error"), (3, "error")} <= places


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ("P(t)\n1 " + " <=> ".join(f"P(A{i})" for i in range(14)), "E0115"),
        ("t = {1,...,20}\nP(t)\nQ(t)\n1 EXIST y (P(y) ^ Q(y))", "E0115"),
        ("P(t)\nQ(t)\n[P(x) ^ Q(x) ^ (P(x) v Q(y))]", "E0113"),
        ("t = {A}\nP(t)\nt mother(t)\n1 EXIST y P(mother(y))", "E0306"),
    ],
)
def test_check_refuses_what_infer_refuses_whatever_the_data(
    run: Run, tmp_path: Path, rules: str, code: str
) -> None:
    path = tmp_path / "large.mln"
    path.write_text(rules + "\n")
    for outcome in (run("check", path, "--json"), run("infer", path, "--json")):
        assert (outcome.code, [one["code"] for one in outcome.json["diagnostics"]]) == (1, [code])


def test_check_leaves_domains_that_only_data_know_to_them(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "open.mln"
    path.write_text("P(t)\nQ(t)\n1 EXIST y (P(y) ^ Q(y))\n")
    assert run("check", path).code == 0


def test_fmt_is_a_fixed_point(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "a.mln"
    rules.write_text("//c\nSmokes( person )\n1.5   Smokes(x)   v !Smokes(y)\n")
    first = run("fmt", rules)
    assert first.code == 0, first.err
    again = tmp_path / "b.mln"
    again.write_text(first.out)
    assert run("fmt", again).out == first.out


def test_every_code_has_a_page(run: Run) -> None:
    from workbench.resources import shipped

    pages = sorted(path.stem for path in shipped("docs", "errors").glob("*.md"))
    assert pages
    assert run("explain", pages[0]).code == 0
    assert run("explain", "E9999").code == 2
