"""The SQL grounder against the nested-loop grounder on random programs:
rows as multisets with scales, and counts.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.grounding.reading import rows_of, statements_only, unit_of
from tests.oracles.nested_loop import Expected, World, ground_naively
from workbench.database import Database, load_alchemy_text
from workbench.errors import InfeasibleError
from workbench.grounding import Grounding, GroundRequest, ground
from workbench.grounding.backend import BackendOf, DuckDB
from workbench.language import clausal_form, parse_mln
from workbench.network import GroundNetwork

PREDICATES = {"P": "t", "Q": "tt", "R": "u", "E": "tt", "F": "tu", "G": "t"}
OPEN = {"P", "Q", "R"}
CONSTANTS = {"t": ["Ann", "Bob", "Cy"], "u": ["1", "2", "10"]}
VARIABLES = {"t": ["x", "y", "z"], "u": ["m", "n"]}
DECLARATIONS = "\n".join(f"{name}({', '.join(types)})" for name, types in PREDICATES.items())


@st.composite
def literals(draw: st.DrawFn, plus: bool) -> str:
    name = draw(st.sampled_from(["P", "Q", "Q", "R", "E", "F", "G", "P"]))
    terms = []
    for type_name in PREDICATES[name]:
        variable = draw(st.sampled_from(VARIABLES[type_name]))
        if draw(st.integers(0, 9)) == 0:
            variable = draw(st.sampled_from(CONSTANTS[type_name]))
        elif plus and draw(st.integers(0, 5)) == 0:
            variable = "+" + variable
        terms.append(variable)
    return f"{'!' if draw(st.booleans()) else ''}{name}({', '.join(terms)})"


@st.composite
def formulas(draw: st.DrawFn) -> str:
    plus = draw(st.integers(0, 3)) == 0
    parts = draw(st.lists(literals(plus), min_size=1, max_size=4))
    kind = draw(st.integers(0, 9))
    text = " v ".join(parts)
    bound = [
        v
        for v in VARIABLES["t"]
        if any(f"({v}" in p or f" {v}" in p for p in parts) and f"+{v}" not in text
    ]
    if kind == 0 and len(bound) > 1:
        text += f" v {bound[0]} = {bound[1]}"
    elif kind == 1 and bound:
        text += f" v {bound[0]} = Ann"
    elif kind == 2 and len(bound) > 1:
        text += f" v {bound[0]} != {bound[1]}"
    elif kind in (3, 4) and bound and not plus:
        text = f"EXIST {bound[-1]} ({text})"
    weight = draw(st.sampled_from(["1.5 ", "-0.7 ", "2 ", "hard"]))
    return f"{text}." if weight == "hard" else f"{weight}{text}"


@st.composite
def worlds(draw: st.DrawFn) -> World:
    facts: dict[str, dict[tuple[str, ...], float | None]] = {}
    for name, types in PREDICATES.items():
        pairs = st.tuples(*(st.sampled_from(CONSTANTS[type_name]) for type_name in types))
        values = (
            st.sampled_from([1.0, 0.0, None]) if name in OPEN else st.sampled_from([1.0, 1.0, 0.0])
        )
        size = 2 if name in OPEN else 4
        facts[name] = draw(st.dictionaries(pairs, values, max_size=size))
    return World(facts, CONSTANTS)


def text_of(world: World) -> str:
    lines = []
    for name, facts in world.facts.items():
        for arguments, value in facts.items():
            sign = {1.0: "", 0.0: "!", None: "?"}[value]
            lines.append(f"{sign}{name}({', '.join(arguments)})")
    return "\n".join(lines)


def program_text(rules: list[str]) -> str:
    types = "\n".join(
        f"{name} = {{{', '.join(constants)}}}" for name, constants in CONSTANTS.items()
    )
    return f"{types}\n{DECLARATIONS}\n" + "\n".join(rules)


def grounded(
    rules: list[str], data: list[World], backend: BackendOf = DuckDB, **request: object
) -> Grounding:
    program = parse_mln(program_text(rules))
    with Database.open(threads=request.pop("threads", 1)) as database:  # type: ignore[arg-type]
        database.declare(program)
        for number, world in enumerate(data):
            load_alchemy_text(database, text_of(world), world=f"w{number}")
        asked = GroundRequest(
            query=sorted(OPEN),
            closed=sorted(PREDICATES.keys() - OPEN),
            **request,  # type: ignore[arg-type]
        )
        with statements_only(len("".join(rules)) % 2 == 0):
            return ground(database, program, asked, backend=backend)


def compare(grounding: Grounding, expected: Expected) -> None:
    units: Counter[tuple[str, str]] = Counter()
    rows: dict[tuple[str | None, frozenset[tuple[str, bool]]], float] = {}
    for (label, clause), scale in expected.rows.items():
        if label is not None and len(clause) == 1:
            ((atom, sign),) = clause
            units[(label, atom)] += scale if sign else -scale
        else:
            rows[(label, clause)] = 1.0 if label is None else scale
    found = rows_of(grounding)
    assert found == pytest.approx(rows)
    assert unit_of(grounding) == pytest.approx(
        {key: value for key, value in units.items() if value}
    )
    labels = grounding.templates.label
    for column, counts in enumerate((expected.open, expected.satisfied, expected.violated)):
        for number, label in enumerate(labels):
            assert grounding.network.groundings[number, column] == counts[label], (label, column)
    for label in {*expected.open, *expected.violated} - {None}:
        assert label in labels


SETTINGS = settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@SETTINGS
@given(
    st.lists(formulas(), min_size=1, max_size=3, unique=True),
    st.lists(worlds(), min_size=1, max_size=2),
)
def test_rows_and_counts_equal_nested_loops(rules: list[str], data: list[World]) -> None:
    program = parse_mln(program_text(rules))
    clauses = clausal_form(program, CONSTANTS)
    expected = ground_naively(program, clauses, data, OPEN)  # type: ignore[arg-type]
    if expected.violated[None]:
        with pytest.raises(InfeasibleError):
            grounded(rules, data)
        return
    try:
        grounding = grounded(rules, data)
    except InfeasibleError:
        raise AssertionError("no hard rule is violated by evidence alone") from None
    compare(grounding, expected)


def assert_same_arrays(first: GroundNetwork, second: GroundNetwork) -> None:
    for one, two in (
        (first.A.indices, second.A.indices),
        (first.A.data, second.A.data),
        (first.A.indptr, second.A.indptr),
        (first.b, second.b),
        (first.template, second.template),
        (first.unit.indices, second.unit.indices),
        (first.unit.data, second.unit.data),
    ):
        assert np.array_equal(one, two)


@settings(SETTINGS, max_examples=6)
@given(
    st.lists(formulas(), min_size=1, max_size=3, unique=True),
    worlds(),
    st.randoms(use_true_random=False),
)
def test_rows_are_the_same_whatever_the_order_of_facts_and_threads(rules, world, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = {}
    for name, facts in world.facts.items():
        items = list(facts.items())
        random.shuffle(items)
        shuffled[name] = dict(items)
    try:
        first = grounded(rules, [world]).network
    except InfeasibleError:
        return
    other = World(dict(reversed(list(shuffled.items()))), CONSTANTS)
    assert_same_arrays(first, grounded(rules, [other], threads=2).network)


RENAMED = {"x": "q", "y": "b", "z": "k", "m": "zz", "n": "a1"}


@settings(SETTINGS, max_examples=8)
@given(st.lists(formulas(), min_size=1, max_size=3, unique=True), worlds())
def test_rows_are_the_same_whatever_the_names_of_variables(rules: list[str], world: World) -> None:
    renamed = [re.sub(r"\b[xyzmn]\b", lambda match: RENAMED[match.group()], rule) for rule in rules]
    try:
        first = grounded(rules, [world]).network
    except InfeasibleError:
        return
    assert_same_arrays(first, grounded(renamed, [world]).network)


@settings(SETTINGS, max_examples=6)
@given(st.lists(formulas(), min_size=1, max_size=2, unique=True), worlds())
def test_labels_never_reach_the_network_in_learning(rules: list[str], world: World) -> None:
    blank = World({**world.facts, **{name: {} for name in OPEN}}, CONSTANTS)
    with_labels = grounded(rules, [world], role="learn").network
    without = grounded(rules, [blank], role="learn").network
    assert np.array_equal(with_labels.A.toarray(), without.A.toarray())
    assert np.array_equal(with_labels.unit.toarray(), without.unit.toarray())
    assert np.array_equal(with_labels.groundings, without.groundings)
