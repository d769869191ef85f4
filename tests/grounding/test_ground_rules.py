"""An atom's ground rules by name: against nested loops over every binding,
and against the network.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.grounding.random_psl import random_rule
from tests.grounding.test_against_nested_loops import (
    CONSTANTS,
    OPEN,
    PREDICATES,
    SETTINGS,
    formulas,
    program_text,
    text_of,
    worlds,
)
from tests.grounding.test_psl_against_nested_loops import load, random_lists
from tests.oracles.nested_loop import Expected, World, _bindings, _ground
from tests.oracles.nested_loop_psl import Key, Listed, UnlistedError, logical_rows
from workbench.database import Database, load_alchemy_text
from workbench.errors import InfeasibleError, WorkbenchError
from workbench.grounding import (
    Grounding,
    GroundRequest,
    GroundRules,
    ground,
    ground_rules,
    vocabulary,
)
from workbench.grounding.templates import clause_text
from workbench.inference import Solution, Status
from workbench.language import clausal_form, parse_mln, parse_psl
from workbench.language.clauses import Clause
from workbench.language.ground_atoms import atom_text
from workbench.language.printing import format_formula
from workbench.language.program import FormulaRule, Program
from workbench.language.terms import Constant, Term, Variable
from workbench.network import Domain, explain_atom
from workbench.verbs.explaining.explain import explain_result
from workbench.verbs.explaining.named_rules import named_rules
from workbench.verbs.infer import InferenceResult

Literals = frozenset[tuple[str, bool]]


@contextmanager
def grounded(
    text: str, data: Sequence[World], **request: object
) -> Iterator[tuple[Program, Grounding]]:
    program = parse_mln(text)
    with Database.open(threads=1) as database:
        database.declare(program)
        for number, world in enumerate(data):
            load_alchemy_text(database, text_of(world), world=f"w{number}")
        asked = GroundRequest(
            query=sorted(OPEN), closed=sorted(PREDICATES.keys() - OPEN), **request
        )  # type: ignore[arg-type]
        yield program, ground(database, program, asked)


def written(clause: Clause, binding: Mapping[str, str]) -> str:
    """The ground clause, existential variables left."""

    def name(term: Term) -> str:
        assert isinstance(term, Variable | Constant)
        return binding.get(term.name, term.name) if isinstance(term, Variable) else term.name

    literals = []
    for one in clause.literals:
        shown = ", ".join(
            t.name
            if isinstance(t, Variable) and t.name in clause.existential
            else atom_text("p", [name(t)])[2:-1]
            for t in one.atom.arguments
        )
        literals.append(f"{'' if one.positive else '!'}{one.atom.predicate}({shown})")
    prefix = f"EXIST {', '.join(clause.existential)} " if clause.existential else ""
    return prefix + " v ".join(literals if clause.multiset else dict.fromkeys(literals))


def by_hand(
    program: Program, data: Sequence[World]
) -> Counter[tuple[str, str | None, Literals, str]]:
    """Summed scale by atom (with its world), template, open literals and text;
    hard rules count 1.
    """
    found: Counter[tuple[str, str | None, Literals, str]] = Counter()
    for clause in clausal_form(program, CONSTANTS):
        assert isinstance(clause, Clause)
        rule = program.rules[clause.rule]
        common = (
            format_formula(rule.formula)
            if clause.tied and isinstance(rule, FormulaRule)
            else clause_text(clause)
        )
        for number, world in enumerate(data):
            universal = [
                name for name, _ in clause.variable_types if name not in clause.existential
            ]
            for binding in _bindings(clause, world, universal):
                one = Expected()
                _ground(program, clause, number, world, binding, OPEN, True, one)
                for (own, literals), scale in one.rows.items():
                    label = own if own is None or clause.plus else common
                    for atom, _ in literals:
                        key = (atom, label, literals, written(clause, binding))
                        found[key] = 1.0 if label is None else found[key] + scale
    return found


def named(grounding: Grounding) -> Counter[tuple[str, str | None, Literals, str]]:
    """The same, as `ground_rules` has it."""
    found: Counter[tuple[str, str | None, Literals, str]] = Counter()
    names = [
        f"{world}:{name}" for world, name in zip(world_places(grounding), grounding.atoms.names())
    ]
    for atom, name in enumerate(names):
        for rules in ground_rules(grounding, atom):
            assert rules.groundings == sum(rule.groundings for rule in rules.named)
            assert atom in rules.atoms
            label = None if rules.template < 0 else grounding.templates.label[rules.template]
            literals = frozenset((names[i], c < 0) for i, c in zip(rules.atoms, rules.coefficients))
            for rule in rules.named:
                key = (name, label, literals, rule.text)
                found[key] = 1.0 if label is None else found[key] + rule.scale
    return found


def world_places(grounding: Grounding) -> list[int]:
    place = {world: number for number, world in enumerate(grounding.atoms.worlds)}
    return [place[world] for world in grounding.network.world.tolist()]


def assert_parts_are_whole(
    program: Program, grounding: Grounding, rng: np.random.Generator
) -> None:
    """Every part of an explanation that clauses make is told by name,
    and what is told sums to it.
    """
    network = grounding.network
    discrete = network.domain is Domain.BOOLEAN
    weights = rng.normal(size=network.n_templates) if discrete else rng.random(network.n_templates)
    state = (
        rng.integers(0, 2, network.n_atoms).astype(float)
        if discrete
        else rng.random(network.n_atoms)
    )
    solution = Solution(Status.FEASIBLE, state, np.nan, np.nan, 0.0, "none")
    result = InferenceResult(solution, grounding, program, weights, "map", 0.0)
    for atom, name in enumerate(grounding.atoms.names()):
        parts = explain_atom(network, weights, state, atom)
        told = named_rules(result, parts, atom)
        assert told.keys() == set(range(parts.row.size))
        rows: Counter[tuple[bool, int]] = Counter()
        for place, (row, template) in enumerate(zip(parts.row.tolist(), parts.template.tolist())):
            if template >= 0:
                rows[(row < 0, template)] += parts.contribution[place]
                rows[(row < 0, template)] -= sum(one.contribution for one in told[place])  # type: ignore[assignment]
        assert list(rows.values()) == pytest.approx([0.0] * len(rows), abs=1e-9)
        if len(grounding.atoms.worlds) == 1 and np.isfinite(parts.contribution).all():
            explanation = explain_result(result, name)
            assert sum(item.contribution for item in explanation.contributions) == pytest.approx(
                parts.log_odds
            )
            assert all(item.ground for item in explanation.contributions)


@settings(SETTINGS, max_examples=8)
@given(
    st.lists(formulas(), min_size=1, max_size=3, unique=True),
    st.lists(worlds(), min_size=1, max_size=2),
    st.integers(0, 9),
)
def test_ground_rules_of_markov_logic_equal_nested_loops(
    rules: list[str], data: list[World], seed: int
) -> None:
    try:
        with grounded(program_text(rules), data) as (program, grounding):
            assert named(grounding) == pytest.approx(by_hand(program, data))
            assert_parts_are_whole(program, grounding, np.random.default_rng(seed))
    except InfeasibleError:
        return


@pytest.mark.parametrize(
    "rules",
    [
        ["1.5 Q(x, y) v Q(y, x)", "2 !P(x) v !Q(x, y) v P(y)"],
        ["1 P(x) v !P(y) v E(x, y)", "0.5 Q(x, x) v Q(x, y) v F(+y, m)"],
        ["-1 P(Ann) v P(x)", "!P(x) v !E(x, y) v P(y).", "3 (E(x, y) ^ Q(x, y)) <=> P(y)"],
        ["2 EXIST y (E(x, y) ^ P(y))", "1 EXIST y (Q(x, y) v G(y))", "G(x) => (EXIST y Q(x, y))."],
        ["1 E(+x, y) ^ G(z) => P(y)", "1 E(x, y) ^ E(y, z) => P(z)"],
    ],
)
@pytest.mark.parametrize("tie", [False, True])
def test_rules_that_repeat_predicates_constants_and_rows(rules: list[str], tie: bool) -> None:
    rng = random.Random(f"{rules}{tie}")
    data = []
    for _ in range(2):
        facts: dict[str, dict[tuple[str, ...], float | None]] = {}
        for name, types in PREDICATES.items():
            every = list(product(*(CONSTANTS[t] for t in types)))
            known = rng.sample(every, len(every) // (3 if name in OPEN else 2))
            facts[name] = {one: float(name not in OPEN or rng.random() < 0.5) for one in known}
        data.append(World(facts, CONSTANTS))
    rules = [rule for rule in rules if not rule.endswith(".")] if tie else rules
    with grounded(program_text(rules), data, tie=tie, ignore_evidence_violations=True) as (
        program,
        grounding,
    ):
        if not tie:
            assert named(grounding) == pytest.approx(by_hand(program, data))
        assert_parts_are_whole(program, grounding, np.random.default_rng(1))


Potential = tuple[str, Literals, float, str]


def psl_by_hand(
    program: Program, atoms: Mapping[Key, tuple[str, float | None]]
) -> Counter[Potential]:
    """How often each atom has each potential and text."""
    listed = Listed({k: v for k, (_, v) in atoms.items()}, {"Open", "Link"}, ["Ann", "Bob", "Cy"])
    found: Counter[Potential] = Counter()
    for clause in clausal_form(program):
        assert isinstance(clause, Clause)
        names = [name for name, _ in clause.variable_types]
        for constants in product(listed.constants, repeat=len(names)):
            binding = dict(zip(names, constants))
            literals = tuple(replace(one, atom=bound(one.atom, binding)) for one in clause.literals)
            guards = tuple(
                replace(g, left=put(g.left, binding), right=put(g.right, binding))
                for g in clause.guards
            )
            keys = [(one.atom.predicate, *(t.name for t in one.atom.arguments)) for one in literals]  # type: ignore[union-attr]
            prior = not any(not one.positive for one in literals)
            if prior and names and any(key not in listed.values for key in keys):
                continue
            for row in logical_rows(
                replace(clause, literals=literals, guards=guards, variable_types=()), listed
            ):
                open_ = {key: c for key, c in row.coefficients.items() if c}
                if row.b + sum(max(c, 0.0) for c in open_.values()) > 1e-9:
                    potential = frozenset((atom_text(k[0], k[1:]), c) for k, c in open_.items())
                    for key in open_:
                        found[
                            (
                                atom_text(key[0], key[1:]),
                                potential,
                                round(row.b, 6),
                                written(clause, binding),
                            )
                        ] += 1
    return found


def bound(atom, binding):  # type: ignore[no-untyped-def]
    return replace(atom, arguments=tuple(put(term, binding) for term in atom.arguments))


def put(term: Term, binding: Mapping[str, str]) -> Term:
    return Constant(binding[term.name]) if isinstance(term, Variable) else term


LOGICAL = [
    "1: Knows(A, B) & Open(A) -> Open(B)",
    "2: Knows(A, B) & Open(A) -> Open(B) ^2",
    "2: Link(A, B) & Link(B, C) & (A != C) -> Link(A, C)",
    "1: Closed(A) & Knows(A, B) -> Open(A) | !Open(B)",
    "0.5: !Open(A)",
    "3: Open(A) ^2",
    "1: Open(A) & Open(A) -> Closed(A)",
    "1: Open('Ann') & Knows(A, 'Ann') -> Open(A)",
    "Knows(A, B) & Open(A) -> Open(B) .",
    "1: Knows(A, B) & Knows(B, C) -> Open(A)",
    "1: Knows(A, B) & Closed(B) -> Open(A) ^2",
    "1: Closed(A) -> Open(A)",
]


@pytest.mark.parametrize("way", ["index", "join"])
@pytest.mark.parametrize("seed", range(12))
def test_ground_rules_of_soft_logic_equal_nested_loops(
    seed: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "worth_an_index", lambda places, listed: way == "index")
    draw, rng = random.Random(f"{seed} {way}"), np.random.default_rng(seed)
    for text in [LOGICAL[seed], random_rule(draw), random_rule(draw), random_rule(draw)]:
        atoms = random_lists(rng)
        try:
            program = parse_psl(text)
            if not all(isinstance(clause, Clause) for clause in clausal_form(program)):
                continue
            expected = psl_by_hand(program, atoms)
        except (WorkbenchError, UnlistedError):
            continue
        spelled = {name: value for name, value in atoms.items() if name[0] in program.predicates}
        with Database.open(threads=1) as database:
            database.declare(program)
            load(database, program, [spelled])
            closed = [name for name in program.predicates if name in ("Closed", "Knows")]
            try:
                found = ground(database, program, GroundRequest(closed=closed))
            except InfeasibleError:
                continue
            names = found.atoms.names()
            told: Counter[Potential] = Counter()
            for atom, name in enumerate(names):
                for rules in ground_rules(found, atom):
                    potential = frozenset(
                        (names[i], c) for i, c in zip(rules.atoms, rules.coefficients)
                    )
                    for rule in rules.named:
                        told[(name, potential, round(rules.constant, 6), rule.text)] += (
                            rule.groundings
                        )
                        assert_given(rules, rule.given, spelled, {names[i] for i in rules.atoms})
            assert told == expected, text
            assert_parts_are_whole(program, found, rng)


def assert_given(
    rules: GroundRules,
    given_atoms: Sequence[tuple[str, float]],
    atoms: Mapping[Key, tuple[str, float | None]],
    is_open: set[str],
) -> None:
    values = {atom_text(key[0], key[1:]): value for key, (_, value) in atoms.items()}
    for name, value in given_atoms:
        assert name not in is_open
        assert value == pytest.approx(values.get(name) or 0.0)
    assert rules.groundings > 0
