"""Constructs of the languages, from text to marginals, against states counted by hand."""

from __future__ import annotations

from itertools import product
from math import exp
from pathlib import Path

import pytest

from tests.cli.conftest import Run

RULES = """
Sim(doc, doc, score)
Same(doc, doc)
*Tag(doc, tag)
w: !Sim(x,y,w) v Same(x,y)
0.5 Tag(x,+t) ^ Tag(y,+t) => Same(x,y)
-1 Same(x,y) v (FORALL t Tag(x,t))
1 EXIST y Same(x,y) ^ Tag(y,T1)
0.3 *Same(x,y) ^ Tag(x,T1)
"""
DATA = "Sim(A,B,1.5)\nSim(B,A,-0.5)\nTag(A,T1)\nTag(B,T1)\nTag(B,T2)\n"


def expected_marginals() -> dict[tuple[str, str], float]:
    """The sixteen states of Same over two documents, each formula read as the guide says."""
    documents, tags = ("A", "B"), ("T1", "T2")
    tag = {("A", "T1"), ("B", "T1"), ("B", "T2")}
    pairs = list(product(documents, documents))
    mass = dict.fromkeys(pairs, 0.0)
    total = 0.0
    for values in product((False, True), repeat=len(pairs)):
        same = dict(zip(pairs, values))
        score = 1.5 * same["A", "B"] - 0.5 * same["B", "A"]
        for x, y in pairs:
            score += sum(0.5 * (not ((x, t) in tag and (y, t) in tag) or same[x, y]) for t in tags)
            score -= sum(same[x, y] or (x, t) in tag for t in tags)
            score -= 0.3 * (not same[x, y] or (x, "T1") not in tag)
            score -= 0.3 * (same[x, y] or (x, "T1") not in tag)
        for x in documents:
            clauses = list(product(*((same[x, y], (y, "T1") in tag) for y in documents)))
            score += sum(any(clause) for clause in clauses) / len(clauses)
        total += exp(score)
        for pair in pairs:
            mass[pair] += exp(score) * same[pair]
    return {pair: value / total for pair, value in mass.items()}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rules, data = tmp_path / "rules.mln", tmp_path / "data.db"
    rules.write_text(RULES, encoding="utf-8")
    data.write_text(DATA, encoding="utf-8")
    return rules, data


def test_weights_from_data_plus_universal_expanded_and_starred(
    run: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "predictions.csv"
    outcome = run(
        "infer",
        files[0],
        "--data",
        files[1],
        "--query",
        "Same",
        "--task",
        "marginal",
        "--engine",
        "exact",
        "--out",
        out,
    )
    assert outcome.code == 0, outcome.err
    found = {
        tuple(line.split('"')[1][5:-1].split(", ")): float(line.rsplit(",", 1)[1])
        for line in out.read_text(encoding="utf-8").splitlines()[1:]
    }
    assert found == pytest.approx(expected_marginals(), abs=1e-9)


def test_a_preview_of_several_rules_with_plus(run: Run, files: tuple[Path, Path]) -> None:
    outcome = run("ground", files[0], "--data", files[1], "--query", "Same", "--preview", "--json")
    assert outcome.code == 0, outcome.err
    assert [row["clauses"] for row in outcome.json["rules"]] == [1, 1, 1, 4, 2]


def test_ordered_pairs_of_soft_logic(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.psl").write_text(
        "2: A(X) & A(Y) & (X % Y) -> B(X, Y)\n1: !B(X, Y)\n", encoding="utf-8"
    )
    (tmp_path / "m.json").write_text(
        '{"predicates": {"A/1": {"observations": [["p"], ["q"]]},'
        ' "B/2": {"targets": [["p", "p"], ["p", "q"], ["q", "p"], ["q", "q"]]}}}',
        encoding="utf-8",
    )
    out = tmp_path / "out.csv"
    outcome = run(
        "infer", tmp_path / "m.psl", "--data", tmp_path / "m.json", "--engine", "lp", "--out", out
    )
    assert outcome.code == 0, outcome.err
    values = [
        float(line.rsplit(",", 1)[1]) for line in out.read_text(encoding="utf-8").splitlines()[1:]
    ]
    assert sorted(values) == pytest.approx([0, 0, 0, 1], abs=1e-6)
