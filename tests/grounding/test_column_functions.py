"""Functions that Python computes for the joins: the user's, TF-IDF and the cosine of vectors,
against plain Python.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow
import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.errors import InputError
from workbench.grounding import GroundRequest, ground
from workbench.language import builtin, parse_mln, parse_psl, user_functions

TEXTS = {
    "A": "Miller & Sons, steel",
    "B": "MILLER and sons",
    "C": "Steel works of the south",
    "D": "the bakery",
    "E": "?!",
    "F": "Miller & Sons, steel",
}
VECTORS = {"A": "[1, 2, 3]", "B": "[2, 4, 6.5]", "C": "[-1, 0]", "D": "none", "E": "[0, 0, 1]"}
DECLARED = "Named(firm, text)\nSame(firm, firm)\nAt(firm, text)\nSize(firm, number)\n"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test registers is gone after it."""
    kept = [
        dict(one)
        for one in (builtin.FUNCTIONS, builtin.VALUE_FUNCTIONS, user_functions._REGISTERED)
    ]
    degrees = set(builtin.DEGREES)
    yield
    for now, before in zip(
        (builtin.FUNCTIONS, builtin.VALUE_FUNCTIONS, user_functions._REGISTERED), kept
    ):
        now.clear()
        now.update(before)  # type: ignore[arg-type]
    builtin.DEGREES.clear()
    builtin.DEGREES.update(degrees)


def rows_with(rule: str, facts: str) -> dict[str, float]:
    """The scales of `Same(x, y)` under `1 * function: ...`, of all worlds."""
    program = parse_mln(DECLARED + rule)
    with wb.open() as here:
        here.declare(program)
        for number, part in enumerate(facts.split("\n---\n")):
            load_alchemy_text(here.database, part, world=f"w{number}")
        grounding = ground(here.database, program, GroundRequest(query=["Same"]))
        unit = grounding.network.unit.tocoo()
        return {grounding.atoms.names()[i]: float(v) for i, v in zip(unit.row, unit.data)}


def words(text: str) -> list[str]:
    return list(re.findall(r"[^\W_]+", text.lower()))


def likeness(left: str, right: str) -> float:
    documents = [set(words(text)) for text in set(TEXTS.values())]

    def vector(text: str) -> dict[str, float]:
        found = {}
        for word, times in Counter(words(text)).items():
            having = sum(word in document for document in documents)
            found[word] = times * (1 + math.log((1 + len(documents)) / (1 + having)))
        length = math.sqrt(sum(value**2 for value in found.values())) or 1.0
        return {word: value / length for word, value in found.items()}

    one, other = vector(left), vector(right)
    return sum(value * other.get(word, 0.0) for word, value in one.items())


def test_tfidf_is_the_cosine_of_weighted_words() -> None:
    facts = "\n".join(f'Named({name}, "{text}")' for name, text in TEXTS.items())
    found = rows_with("1 * tfidf(s, t): Named(x, s) ^ Named(y, t) ^ x != y => Same(x, y)", facts)
    expected = {
        f"Same({x}, {y})": likeness(TEXTS[x], TEXTS[y])
        for x in TEXTS
        for y in TEXTS
        if x != y and x + y not in "EE"
    }
    for name, value in expected.items():
        assert found.get(name, 0.0) == pytest.approx(value, abs=1e-12), name
    assert found["Same(A, F)"] == pytest.approx(1.0)
    assert sum(value > 0 for value in found.values()) >= 10


def test_tfidf_of_nothing_is_refused_and_constants_may_be_compared() -> None:
    with pytest.raises(InputError, match="E0332"):
        rows_with(
            '1 Named(x, s) ^ Named(y, t) ^ tfidf("a", "b") > 0.5 => Same(x, y)', 'Named(A, "a")'
        )
    found = rows_with(
        '1 * tfidf(s, "steel wings"): Named(x, s) => Same(x, x)',
        'Named(A, "steel")\nNamed(B, "wood")',
    )
    assert found == {"Same(A, A)": pytest.approx(1.0)}


def test_cosine_of_vectors() -> None:
    facts = "\n".join(f'At({name}, "{text}")' for name, text in VECTORS.items())
    found = rows_with("1 * cosine(s, t): At(x, s) ^ At(y, t) ^ x != y => Same(x, y)", facts)
    numbers = {name: np.array(eval(text)) for name, text in VECTORS.items() if text != "none"}
    expected = {
        f"Same({x}, {y})": float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
        for x, one in numbers.items()
        for y, other in numbers.items()
        if x != y and one.size == other.size
    }
    assert found == pytest.approx(expected)


def half_apart(left: Any, right: Any) -> Any:
    assert isinstance(left, pyarrow.Array)
    one, other = left.to_numpy(), right.to_numpy()
    return np.where(other == 0, np.nan, one / 2 + other)


def test_a_user_function_is_called_on_columns() -> None:
    wb.register_function("half_apart", half_apart, ["number", "number"])
    facts = "Size(A, 4)\nSize(B, 0)\nSize(C, -3)\n---\nSize(D, 1.5)"
    found = rows_with("1 * half_apart(a, b): Size(x, a) ^ Size(y, b) => Same(x, y)", facts)
    sizes = {"A": 4.0, "B": 0.0, "C": -3.0}
    expected = {
        f"Same({x}, {y})": a / 2 + b for x, a in sizes.items() for y, b in sizes.items() if b
    }
    assert found == pytest.approx({**expected, "Same(D, D)": 2.25})


def test_a_user_function_is_a_degree_in_soft_logic() -> None:
    wb.register_function(
        "short", lambda text: [len(one) < 4 for one in text.to_pylist()], ["text"], degree=True
    )
    rule, definition = (
        "1: Named(X, S) & short(S) -> Brief(X)",
        "Long(X) := Named(X, S) & short(S) <= 0.5 .",
    )
    program = parse_psl(f"{rule}\n{definition}\n1: Long(X) -> Brief(X)")
    assert program.rules[0].body[1].operator == "~"  # type: ignore[union-attr]
    with pytest.raises(InputError, match="E0160"):
        parse_psl("Long(X) := Named(X, S) & short(S) .\n1: Long(X) -> Brief(X)")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda text: 1 / 0, "ZeroDivisionError"),
        (lambda text: [1.0], "1 numbers for 2 rows"),
        (lambda text: 3.0, "one numbers for 2 rows"),
        (lambda text: ["x"] * len(text), "could not convert"),
    ],
)
def test_what_a_function_raises_is_told(function: Any, why: str) -> None:
    wb.register_function("odd", function, ["text"])
    with pytest.raises(InputError, match="E0331") as error:
        rows_with("1 Named(x, s) ^ odd(s) > 0 => Same(x, x)", 'Named(A, "a")\nNamed(B, "b")')
    assert why in str(error.value)
    assert "odd" in str(error.value)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Near", ["text"]),
        ("two words", ["text"]),
        ("jaro", ["text"]),
        ("near", ["person"]),
        ("near", []),
        ("v", ["text"]),
    ],
)
def test_names_and_types_that_cannot_be_are_refused(name: str, arguments: list[str]) -> None:
    with pytest.raises(InputError, match="E0161"):
        wb.register_function(name, half_apart, arguments)


def test_the_number_of_arguments_is_checked() -> None:
    wb.register_function("half_apart", half_apart, ["number", "number"])
    with pytest.raises(InputError, match="E0105"):
        rows_with("1 * half_apart(a): Size(x, a) => Same(x, x)", "Size(A, 4)")
