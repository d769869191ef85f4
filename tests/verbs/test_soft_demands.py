"""What soft logic refuses, and two things that it counts once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import workbench as wb
from workbench.errors import InputError
from workbench.language import check, parse_psl
from workbench.language.program import Program

ATOMS = {
    "E": {"observations": [["a", 0.4], ["b", 1.0]]},
    "W": {"observations": [["a", "x"], ["a", "y"]]},
    "G": {"targets": [["a"], ["b"]]},
    "D": {"targets": [["a"], ["b"]]},
    "R": {"targets": [["a", "x"], ["a", "y"]]},
}
ARITY = {"E": 1, "W": 2, "G": 1, "D": 1, "R": 2}


def infer(rules: str | Program, directory: Path, **options: object) -> wb.InferenceResult:
    document = {"predicates": {f"{name}/{ARITY[name]}": atoms for name, atoms in ATOMS.items()}}
    (directory / "data.json").write_text(json.dumps(document), encoding="utf-8")
    with wb.open() as ws:
        ws.load(directory / "data.json")
        return ws.infer(rules, engine="lp", **options)


@pytest.mark.parametrize(
    ("rules", "code", "word"),
    [
        ("", "E0315", "no rules"),
        ("// nothing yet\n", "E0315", "no rules"),
        ("1: G(X) * D(X) >= 0.2", "E0316", "G and D"),
        ("1: E(X) * G(X) * G(X) >= 0.2", "E0316", "G"),
        ("1: R(X, +Y) >= 1 {Y: R(X, Y)}", "E0317", "R"),
        ("1: E(X) -> Zed(X)", "E0309", "Zed"),
    ],
)
def test_programs_that_cannot_mean_what_they_say(
    rules: str, code: str, word: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        infer(parse_psl(rules), tmp_path)
    (one,) = caught.value.diagnostics
    assert (one.code, word in one.message) == (code, True)
    assert one.help
    assert one.span or code == "E0315"


def test_products_and_filters_of_observed_atoms_pass(tmp_path: Path) -> None:
    assert (
        infer("1: E(X) * G(X) >= 0.2\n1: R(X, +Y) >= 1 {Y: W(X, Y)}", tmp_path).solution.energy >= 0
    )
    assert infer("1: E(X) -> Zed(X)\n1: G(X)", tmp_path, closed=["Zed"]).solution.energy >= 0


def test_a_summation_variable_belongs_to_one_atom() -> None:
    with pytest.raises(InputError) as caught:
        parse_psl("1: R(X, +Y) + W(X, +Y) <= 1")
    (one,) = caught.value.diagnostics
    assert (one.code, one.severity, "+Y" in one.message) == ("E0122", "error", True)
    assert check(parse_psl("1: R(X, +Y) + W(X, +Z) <= 1")) == ()


def test_a_literal_written_twice_is_one_and_two_that_meet_are_two(tmp_path: Path) -> None:
    once, twice, meet = (
        infer(f"1: {body} -> G(X)\n10: !G(X)", tmp_path).solution.energy
        for body in ("E(X)", "E(X) & E(X)", "E(X) & E(Y) & (X == Y)")
    )
    assert once == pytest.approx(1.4)
    assert twice == pytest.approx(once)
    assert meet == pytest.approx(1.0)


@pytest.mark.parametrize(
    "order", [["10", "9", "B", "a"], ["a", "B", "9", "10"], ["9", "a", "10", "B"]]
)
@pytest.mark.parametrize("sign", ["%", "^"])
def test_ordered_pairs_follow_the_strings(order: list[str], sign: str, tmp_path: Path) -> None:
    known = {"Same/2": {"targets": [["q", one] for one in order]}}
    (tmp_path / "data.json").write_text(json.dumps({"predicates": known}), encoding="utf-8")
    with wb.open() as ws:
        ws.load(tmp_path / "data.json")
        rules = f"0.2: Same(X,Y) & Same(X,Z) & (Y {sign} Z) -> !Same(X,Y)\n1: Same(X,Y)\n"
        (rule, _) = ws.preview(rules, samples=10).rules
        frame = ws.infer(rules, engine="lp").predictions()
    # Y comes first in every pair and is pressed down, the last of all strings never is.
    assert rule.ground_rows == 6
    values = dict(zip(frame["atom"], frame["value"]))
    assert values['Same("q", "a")'] == pytest.approx(1.0)


def test_a_function_that_the_data_have_a_predicate_of_is_refused(tmp_path: Path) -> None:
    named = {"W/2": ATOMS["W"], "G/1": ATOMS["G"], "Jaccard/2": ATOMS["W"]}
    (tmp_path / "data.json").write_text(json.dumps({"predicates": named}), encoding="utf-8")
    with wb.open() as ws:
        ws.load(tmp_path / "data.json")
        with pytest.raises(InputError) as caught:
            ws.infer(parse_psl("1: W(X, Y) & jaccard(X, Y) -> G(X)"), engine="lp")
    (one,) = caught.value.diagnostics
    assert (one.code, "jaccard" in one.message.casefold()) == ("E0329", True)


def test_names_of_predicates_do_not_depend_on_case(tmp_path: Path) -> None:
    """Whether data or rules come first, and where a name is defined."""
    written = (
        "1: E(X) & Low(X) -> G(X)\nLow(X) := W(X, Y) .\n0.5: R(X, +Y) <= |Y| * G(X) {Y: W(X, Y)}"
    )
    plain = infer(written, tmp_path)
    other = infer(written.swapcase().replace("x", "X").replace("y", "Y"), tmp_path)
    assert plain.solution.energy == other.solution.energy
    assert list(plain.predictions()["value"]) == list(other.predictions()["value"])
    assert list(plain.predictions()["atom"]) == list(other.predictions()["atom"])
