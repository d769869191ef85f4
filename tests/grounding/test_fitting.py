"""Bins, standardised and scaled numbers, degrees: against the numbers worked out row by row."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, pstdev

import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.errors import InputError
from workbench.grounding import GroundRequest, fitted, ground
from workbench.language import check, format_program, parse_mln, parse_psl

AGES = {
    "A": 20.0,
    "B": 25.0,
    "C": 25.0,
    "D": 31.0,
    "E": 40.5,
    "F": 58.0,
    "G": 60.0,
    "H": 77.0,
    "I": -3.0,
}
LATE = "ADFH"
DECLARED = "Age(person, number)\nLate(person)\nPaid(person, number)\n"


def workspace(directory: Path, text: str = DECLARED, facts: str | None = None) -> wb.Workspace:
    """Ages, and who was late."""
    lines = [f"Age({name}, {age})" for name, age in AGES.items()]
    lines += [f"{'' if name in LATE else '!'}Late({name})" for name in AGES]
    (directory / "facts.db").write_text("\n".join(lines) if facts is None else facts)
    found = wb.open()
    found.declare(text)
    found.load(directory / "facts.db")
    return found


@pytest.mark.parametrize(
    "rule", ["Age(x, a) ^ +bin(a, 4) => Late(x)", "Age(x, +bin(a, 4)) => Late(x)"]
)
def test_each_quarter_has_a_weight_of_its_own(tmp_path: Path, rule: str) -> None:
    with workspace(tmp_path) as here:
        learned = here.learn(f"{DECLARED}{rule}\n", query="Late", record=False)
        ordered = sorted(AGES.values())
        edges = sorted({ordered[len(ordered) * i // 4] for i in (1, 2, 3)} - {ordered[0]})
        bins = [
            [name for name, age in AGES.items() if sum(age >= edge for edge in edges) == i]
            for i in range(4)
        ]
        assert [one.text for one in learned.program.rules] == [
            "Age(x, a) ^ a < 25 => Late(x)",
            "Age(x, a) ^ a >= 25 ^ a < 31 => Late(x)",
            "Age(x, a) ^ a >= 31 ^ a < 58 => Late(x)",
            "Age(x, a) ^ a >= 58 => Late(x)",
        ]
        grounding = here.ground(learned.program, query="Late", learning=True)
        names = grounding.atoms.names()
        columns = grounding.network.unit.toarray().T
        assert [sorted(names[i] for i in column.nonzero()[0]) for column in columns] == [
            sorted(f"Late({name})" for name in one) for one in bins
        ]
        (tmp_path / "other.db").write_text("Age(Z, 1000)\nAge(Y, 30)")
        with workspace(tmp_path, learned.text(), "Age(Z, 1000)\nAge(Y, 30)") as other:
            kept = other.infer(learned.text(), query="Late", record=False)
            assert kept.program.rules == parse_mln(learned.text()).rules


def test_equal_numbers_stay_together_and_bins_of_definitions_are_cut_too() -> None:
    with wb.open() as here:
        text = "Owns(p, c)\nFraud(p)\nCompanies(x, n) := n = count(c: Owns(x, c)).\n"
        text += "1 Companies(x, +bin(n, 3)) => Fraud(x)\n"
        here.declare(text)
        load_alchemy_text(
            here.database, "Owns(A, X)\nOwns(B, X)\nOwns(C, X)\nOwns(D, X)\nOwns(D, Y)"
        )
        made = here.fitted(text)
        assert [one.text for one in made.rules] == [
            "1 Companies(x, n) ^ n < 2 => Fraud(x)",
            "1 Companies(x, n) ^ n >= 2 => Fraud(x)",
        ]


def test_a_standardised_number_is_printed_in_its_own_unit(tmp_path: Path) -> None:
    mean, deviation = (float(f"{one:.6g}") for one in (fmean(AGES.values()), pstdev(AGES.values())))
    text = f"{DECLARED}w * standardised(a): Age(x, a) => Late(x)\n0.5 Late(x)\n"
    with workspace(tmp_path) as here:
        learned = here.learn(text, query="Late", record=False)
        grounding = here.ground(learned.program, query="Late", learning=True)
        unit = grounding.network.unit.toarray()
        for name, row in zip(grounding.atoms.names(), unit):
            assert row[0] == pytest.approx((AGES[name[5:-1]] - mean) / deviation)
        weight = float(learned.weights[0])
        assert weight != 0
        line = next(one for one in learned.text().splitlines() if "Age(x, a)" in one)
        shown, rest = line.split(" * ", 1)
        assert rest == f"(a - {mean!r}): Age(x, a) => Late(x)"
        assert float(shown) == pytest.approx(weight / deviation)
        with workspace(
            tmp_path, learned.text(), "\n".join(f"Age({n}, {a})" for n, a in AGES.items())
        ) as other:
            values = other.infer(
                learned.text(), query="Late", engine="exact", record=False
            ).predictions()
            same = other.infer(learned, query="Late", engine="exact", record=False).predictions()
        assert list(values["value"]) == pytest.approx(list(same["value"]), abs=1e-9)


SOFT = """
1: Named(X, S) & Named(Y, T) & jaro_winkler(S, T) & (X != Y) -> Same(X, Y)
2: Age(X, A) & !scaled(A) -> Old(X)
0.5: Age(X, A) -> closeness(A, 40, 30) | Old(X) ^2
0.3: !Same(X, Y)
"""
NAMES = {"A": "martha", "B": "marhta", "C": "jones"}


def soft(directory: Path) -> wb.Workspace:
    (directory / "named.txt").write_text("".join(f"{one}\t{name}\n" for one, name in NAMES.items()))
    (directory / "age.txt").write_text("".join(f"{one}\t{AGES[one]}\n" for one in NAMES))
    (directory / "same.txt").write_text("".join(f"{x}\t{y}\n" for x in NAMES for y in NAMES))
    (directory / "old.txt").write_text("".join(f"{x}\n" for x in NAMES))
    (directory / "facts.data").write_text(
        "predicates:\n  Named/2:\n    - closed\n    - types: [person, text]\n"
        "  Age/2:\n    - closed\n    - types: [person, number]\n"
        "  Same/2:\n    - open\n    - types: [person, person]\n  Old/1:\n    - open\n    - types: "
        "[person]\n"
        "observations:\n  Named: named.txt\n  Age: age.txt\ntargets:\n  Same: same.txt\n  Old: "
        "old.txt\n"
    )
    (directory / "rules.psl").write_text(SOFT)
    found = wb.open()
    found.declare(directory / "rules.psl")
    found.load(directory / "facts.data")
    return found


def test_degrees_are_truth_values(tmp_path: Path) -> None:
    import duckdb

    with soft(tmp_path) as here:
        made = here.fitted(SOFT)
        assert (
            format_program(made).splitlines()[1]
            == "2.0: Age(X, A) & !scaled(A, '20', '25') -> Old(X)"
        )
        assert parse_psl(format_program(made)).rules == made.rules
        grounding = here.ground(SOFT)
        network, names = grounding.network, grounding.atoms.names()
        found = {}
        for row in range(network.n_rows):
            (atom,) = network.A.indices[network.A.indptr[row] : network.A.indptr[row + 1]]
            found[int(network.template[row]), names[atom]] = (
                float(network.A.data[row]),
                float(network.b[row]),
            )
        for atom, number in zip(*network.unit.nonzero()):
            found[int(number), names[atom]] = (-float(network.unit[atom, number]), 0.0)
        expected = {}
        for x, first in NAMES.items():
            for y, second in NAMES.items():
                (row,) = duckdb.execute(
                    "SELECT jaro_winkler_similarity(?, ?)", [first, second]
                ).fetchall()
                assert row is not None
                if x != y and row[0] > 0:
                    expected[0, f"Same({x}, {y})"] = (-1.0, row[0])
            degree = 1 - (AGES[x] - 20) / 5
            if degree > 0:
                expected[1, f"Old({x})"] = (-1.0, degree)
            expected[2, f"Old({x})"] = (-1.0, 1 - max(0.0, 1 - abs(AGES[x] - 40) / 30))
        for key, (slope, b) in expected.items():
            assert found[key] == pytest.approx(
                (slope, b if key in found and found[key][1] else 0.0)
            ), key
            if found[key][1]:
                assert found[key][1] == pytest.approx(b), key
        assert {key for key in found if key[0] < 3} == expected.keys()
        same = dict(zip(*(here.infer(SOFT).predictions()[one] for one in ("atom", "value"))))
        assert same["Same(A, B)"] > 0.9
        assert same["Same(A, C)"] < 0.6


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1 Age(x, a) ^ +bin(a, b) => Late(x)", "E0159"),
        ("1 Age(x, a) ^ +bin(a, 1) => Late(x)", "E0159"),
        ("1 Age(x, a) ^ +year(a) => Late(x)", "E0159"),
        ("Age(x, a) ^ +bin(a, 3) => Late(x).", "E0160"),
        ("Old(x) := Age(x, a) ^ +bin(a, 3).\n1 Old(x) => Late(x)", "E0160"),
    ],
)
def test_misuse_is_refused_where_it_stands(text: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        parse_mln(DECLARED + text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1: Age(X, A) -> +bin(A, 3)", "E0160"),
        ("1: Age(X, A) & !+bin(A, 3) -> Late(X)", "E0160"),
        ("Age(X, A) & +bin(A, 3) -> Late(X) .", "E0160"),
        (
            "Near(X, Y) := Named(X, S) & Named(Y, T) & jaro(S, T) .\n1: Near(X, Y) -> Same(X, Y)",
            "E0160",
        ),
        ("1: Age(X, A) & +bin(A, 3.5) -> Late(X)", "E0159"),
    ],
)
def test_misuse_in_soft_logic_is_refused_where_it_stands(text: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        parse_psl(text)


@pytest.mark.parametrize(
    ("rule", "facts", "message"),
    [
        ("1 Age(x, +bin(a, 3)) => Late(x)", "Late(A)", "no facts"),
        ("1 Age(x, +bin(a, 3)) => Late(x)", "Age(A, 3)\nAge(B, 3)", "every a of Age is 3"),
        (
            "1 * standardised(log(a)): Age(x, a) => Late(x)",
            "Age(A, 3)\nAge(B, 4)",
            "takes a variable",
        ),
    ],
)
def test_numbers_that_do_not_differ_are_refused(
    tmp_path: Path, rule: str, facts: str, message: str
) -> None:
    with (
        workspace(tmp_path, facts=facts) as here,
        pytest.raises(InputError, match=message) as error,
    ):
        here.infer(DECLARED + rule, query="Late")
    assert "E0327" in str(error.value)


def test_a_program_that_was_not_fitted_is_refused(tmp_path: Path) -> None:
    for rule in ("1 Age(x, +bin(a, 3)) => Late(x)", "1 * standardised(a): Age(x, a) => Late(x)"):
        program = parse_mln(DECLARED + rule)
        assert not [one for one in check(program) if one.severity == "error"]
        with workspace(tmp_path) as here:
            with pytest.raises(InputError, match="E0328"):
                ground(here.database, program, GroundRequest(query=["Late"]))
            made = ground(
                here.database, fitted(here.database, program), GroundRequest(query=["Late"])
            )
            assert made.rules[0].violated + made.rules[0].satisfied == len(AGES)
