"""Weights far apart: solved to the end where float64 can add them, refused where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from workbench.errors import InputError
from workbench.inference.solution import Status


def soft_logic(directory: Path, weight: float, power: str = "") -> tuple[Path, str]:
    """E(b) = .4 pulls A(b) up to .4 by `weight`; the rest pulls it down."""
    (directory / "model.data").write_text(
        "predicates:\n  E/1: closed\n  A/1: open\n  B/1: open\n"
        "observations:\n  E: e.txt\ntargets:\n  A: b.txt\n  B: b.txt\n"
    )
    (directory / "e.txt").write_text("b\t0.4\n")
    (directory / "b.txt").write_text("b\n")
    rules = [f"{weight:.0f}: E(X) -> A(X)", "1: A(X) -> B(X)", "1: !A(X)", "1: !B(X)", "1: B(X)"]
    return directory / "model.data", "\n".join(rule + power for rule in rules)


@pytest.mark.parametrize("power", ["", " ^2"])
@pytest.mark.parametrize("weight", [1e3, 1e6, 1e9])
def test_ratios_that_floats_can_add_are_solved(tmp_path: Path, weight: float, power: str) -> None:
    data, rules = soft_logic(tmp_path, weight, power)
    with wb.open() as ws:
        ws.load(data)
        solution = ws.infer(rules).solution
    assert solution.status is Status.OPTIMAL, solution.reason
    assert solution.energy == pytest.approx(0.66 if power else 1.4, rel=1e-3)
    assert solution.values[0] == pytest.approx(0.4, abs=1e-3)


@pytest.mark.parametrize("engine", ["auto", "lp", "admm"])
def test_a_weight_that_swallows_the_others_is_refused(tmp_path: Path, engine: str) -> None:
    data, rules = soft_logic(tmp_path, 1e16)
    with wb.open() as ws:
        ws.load(data)
        said = r"E0408\]: the weight 1e\+16 of `E\(X\) -> A\(X\)` is so large that 1 of `"
        with pytest.raises(InputError, match=said):
            ws.infer(rules, engine=engine)


def test_weights_are_told_as_their_author_wrote_them() -> None:
    declared = "Seen(thing)\nHeld(thing)\n"
    text = declared + "1e16 Seen(x) ^ Held(x)\n2 Held(x) <=> Seen(x)\n"
    said = r"the weight 1e\+16 of `Seen\(x\) \^ Held\(x\)` is so large that 2 of `Held\(x\) <=> "
    with wb.open() as ws, pytest.raises(InputError, match=said):
        ws.infer("thing = {A}\n" + text, query=["Held", "Seen"])


def test_heavy_weights_of_one_size_and_tiny_learned_ones_are_taken(tmp_path: Path) -> None:
    declared = "Seen(thing)\nHeld(thing)\nKept(thing)\n"
    (tmp_path / "facts.db").write_text("Seen(A)\n")
    for weights, task in (((1e16, 2e16), "map"), ((8.0, 1e-17), "marginal")):
        text = f"{declared}{weights[0]} Seen(x) => Held(x)\n{weights[1]} Held(x) => Kept(x)\n"
        with wb.open() as ws:
            ws.declare(text)
            ws.load(tmp_path / "facts.db")
            assert ws.infer(text, query=["Held", "Kept"], task=task).value("Held(A)") > 0.99
