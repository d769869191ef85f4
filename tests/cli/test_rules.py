"""`check`, `fmt`, `explain CODE`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_check_reports_every_mistake_with_its_place(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "wrong.mln"
    rules.write_text("Smokes(person)\n1.0 Smoke(x)\n1.0 Smokes(x, y)\n")
    outcome = run("check", rules, "--json")
    assert outcome.code == 1
    places = {(item["line"], item["severity"]) for item in outcome.json["diagnostics"]}
    assert {(2, "error"), (3, "error")} <= places


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
