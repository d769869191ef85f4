"""PSL's rules against nested loops on random lists of atoms:
the same weighted potentials at random states.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from tests.grounding.random_psl import ARITY, CONSTANTS, random_rule
from tests.grounding.reading import statements_only
from tests.oracles.nested_loop_psl import Key, Listed, Row, UnlistedError, linear_rows, logical_rows
from workbench.database import Database
from workbench.errors import InfeasibleError, InputError, WorkbenchError
from workbench.grounding import Grounding, GroundRequest, ground, vocabulary
from workbench.grounding.backend import BackendOf, DuckDB
from workbench.language import clausal_form, parse_psl
from workbench.language.clauses import Clause
from workbench.language.program import Program
from workbench.network import evidence_energy, hard_violation, reported_energy

RULES = [
    "1: Knows(A, B) & Open(A) -> Open(B)",
    "1: Knows(A, B) & Open(A) -> Open(B) ^2",
    "2: Link(A, B) & Link(B, C) & (A != C) -> Link(A, C)",
    "2: Link(A, B) & Link(B, C) -> Link(A, C) ^2",
    "1: Closed(A) & Knows(A, B) -> Open(A) | !Open(B)",
    "0.5: !Open(A)",
    "3: Open(A)",
    "1: Open(A) & Open(A) -> Closed(A)",
    "1: Open('Ann') & Knows(A, 'Ann') -> Open(A)",
    "1: Link(A, +B) <= 1",
    "1: Link(A, +B) = 1 ^2",
    "1: Link(A, +B) / |B| >= Open(A)",
    "2: Link(A, +B) <= 0.5 * Closed(A) {B: Knows(A, B)}",
    "1: Link(+A, +B) <= 2 {A: Closed(A)} {B: !Closed(B) & A != B}",
    "1: Knows(A, B) * Open(A) <= Open(B) ^2",
    "1: Open(A) + Open(B) >= 0.7",
    "1: 0.5 + 0.75 * Open(A) <= @Max[0.6, 1]",
    "1: Knows(A, +B) * Closed(A) >= Open(A)",
]


def random_lists(rng: np.random.Generator) -> dict[Key, tuple[str, float | None]]:
    """Atoms with partition and value; targets list every other atom of the open predicates."""
    found: dict[Key, tuple[str, float | None]] = {}
    for predicate, arity in ARITY.items():
        for arguments in product(CONSTANTS, repeat=arity):
            key = (predicate, *arguments)
            draw = rng.random()
            value = float(rng.choice([0.0, 0.25, 1.0, 1.0]))
            if predicate in ("Open", "Link"):
                found[key] = ("evidence", value) if draw < 0.25 else ("target", None)
            elif draw < 0.6:
                found[key] = ("evidence", value)
    return found


def load(
    database: Database, program: Program, worlds: Sequence[dict[Key, tuple[str, float | None]]]
) -> None:
    """Put atoms straight into the tables."""
    connection = database.connection
    stored = database.predicates()
    types = {name: stored[name].argument_types for name in program.predicates}
    for number in range(len(worlds)):
        database.world_id(f"w{number}")
    for type_name in sorted({t for ts in types.values() for t in ts}):
        table = database.type_tables()[type_name]
        connection.execute(f'DELETE FROM "{table}"')
        connection.execute(f"DELETE FROM domain WHERE type = '{type_name}'")
        for number, name in enumerate(CONSTANTS):
            connection.execute(f'INSERT INTO "{table}" VALUES (?, ?)', [number, name])
            for world in range(len(worlds)):
                connection.execute(
                    "INSERT INTO domain VALUES (?, ?, ?, ?)", [world, type_name, number, number]
                )
    for world, atoms in enumerate(worlds):
        for (predicate, *arguments), (partition, value) in atoms.items():
            if predicate in stored:
                ids = [CONSTANTS.index(a) for a in arguments]
                marks = ", ".join("?" for _ in ids)
                connection.execute(
                    f'INSERT INTO "{stored[predicate].table_name}" VALUES (?, {marks}, ?, ?)',
                    [world, *ids, value, partition],
                )


def grounded(
    text: str, *worlds: dict[Key, tuple[str, float | None]], backend: BackendOf = DuckDB
) -> tuple[Program, Grounding]:
    program = parse_psl(text)
    spelled = {name.casefold(): name for name in program.predicates}
    kept = [
        {
            (spelled[k[0].casefold()], *k[1:]): v
            for k, v in atoms.items()
            if k[0].casefold() in spelled
        }
        for atoms in worlds
    ]
    with Database.open(threads=1) as database:
        database.declare(program)
        load(database, program, kept)
        asked = GroundRequest(closed=[n for n in program.predicates if n in ("Closed", "Knows")])
        with statements_only(len(text) % 2 == 0):
            return program, ground(database, program, asked, backend=backend)


def expected_energy(rows: Sequence[Row], state: dict[Key, float], power: int) -> float:
    return sum(
        max(0.0, row.b + sum(c * state[key] for key, c in row.coefficients.items() if c)) ** power
        for row in rows
    )


@pytest.fixture(params=["index", "join"])
def finding(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Listed atoms found in an index, and by joins with their lists."""
    monkeypatch.setattr(
        vocabulary, "worth_an_index", lambda places, listed: request.param == "index"
    )
    return str(request.param)


def rows_by_hand(program: Program, atoms: dict[Key, tuple[str, float | None]]) -> list[Row]:
    listed = Listed({k: v for k, (_, v) in atoms.items()}, {"Open", "Link"}, CONSTANTS)
    rows: list[Row] = []
    for clause in clausal_form(program):
        rows += (
            logical_rows(clause, listed)
            if isinstance(clause, Clause)
            else linear_rows(clause, listed)
        )
    return rows


def compare(
    text: str,
    atoms: dict[Key, tuple[str, float | None]],
    rng: np.random.Generator,
    backend: BackendOf = DuckDB,
) -> None:
    """The potentials of a single rule at random states, those of evidence alone,
    and its largest hard violation.
    """
    program, found = grounded(text, atoms, backend=backend)
    clause = clausal_form(program)[0]
    rows = rows_by_hand(program, atoms)
    open_rows = [row for row in rows if any(row.coefficients.values())]
    decided = [row for row in rows if not any(row.coefficients.values())]
    weight, power, weights = clause.weight or 0.0, clause.power, found.templates.weight
    if not clause.hard:
        assert weights.tolist() == [weight]
        assert evidence_energy(found.network, weights) == pytest.approx(
            weight * expected_energy(decided, {}, power)
        )
    names = found.atoms.names()
    for _ in range(3):
        values = rng.choice([0.0, 0.3, 0.8, 1.0], len(names))
        state = {
            tuple(name.replace(")", "").replace(", ", "(").split("(")): float(v)
            for name, v in zip(names, values)
        }
        if clause.hard:
            ells = [
                row.b + sum(c * state[key] for key, c in row.coefficients.items() if c)
                for row in open_rows
            ]
            equal = not isinstance(clause, Clause) and clause.relation == "="
            expected = max([0.0, *(abs(ell) if equal else ell for ell in ells)])
            assert hard_violation(found.network, values) == pytest.approx(expected), text
        else:
            energy = reported_energy(found.network, weights, values)
            assert energy == pytest.approx(weight * expected_energy(open_rows, state, power)), text


@pytest.mark.parametrize("text", RULES)
def test_energy_equals_nested_loops(text: str, finding: str) -> None:
    rng = np.random.default_rng([len(text), len(finding)])
    compare(text, random_lists(rng), rng)


@pytest.mark.parametrize("seed", range(16))
def test_random_rules_equal_nested_loops(seed: int, finding: str) -> None:
    draw, rng = random.Random(f"{seed} {finding}"), np.random.default_rng(seed)
    for _ in range(3):
        text, atoms = random_rule(draw), random_lists(rng)
        if draw.random() < 0.5:
            atoms = {
                key: value
                for key, value in atoms.items()
                if rng.random() < 0.85 or key[0] in ("Open", "Link")
            }
        try:
            rows = rows_by_hand(parse_psl(text), atoms)
        except (WorkbenchError, UnlistedError):
            continue
        try:
            compare(text, atoms, rng)
        except InfeasibleError:
            assert any(row.b for row in rows if not any(row.coefficients.values()))


@pytest.mark.parametrize(
    "text", ["1: Knows(A, B) & Link(A, B) -> Open(B) ^2", "2: Link(A, +B) / |B| >= Open(A)"]
)
def test_two_worlds_cost_what_each_costs_alone(text: str, finding: str) -> None:
    rng = np.random.default_rng(len(finding))
    worlds = [random_lists(rng), random_lists(rng)]
    alone = [grounded(text, atoms)[1] for atoms in worlds]
    program, both = grounded(text, *worlds)
    weights = both.templates.weight
    values = rng.random(both.network.n_atoms)
    parts = np.split(
        values[np.argsort(both.network.world, kind="stable")], [alone[0].network.n_atoms]
    )
    energies = [reported_energy(one.network, weights, part) for one, part in zip(alone, parts)]
    assert both.network.n_rows == sum(one.network.n_rows for one in alone)
    assert reported_energy(both.network, weights, values) == pytest.approx(sum(energies))
    assert program.rules


def test_a_division_by_zero_drops_its_grounding_and_warns() -> None:
    atoms: dict[Key, tuple[str, float | None]] = {("Closed", "Ann"): ("evidence", 1.0)}
    atoms |= {("Link", a, b): ("target", None) for a, b in product(CONSTANTS, repeat=2)}
    _, found = grounded("1: Link(A, +B) / |B| <= 0.5 {B: Closed(B) & B != A}", atoms)
    assert found.network.n_rows == 2
    assert [warning.code for warning in found.warnings] == ["E0308"]
    assert "in 1 groundings" in found.warnings[0].message


def test_hard_equalities_and_inequalities_are_constraints() -> None:
    rng = np.random.default_rng(3)
    atoms = {
        k: ("target", None) if k[0] in ("Open", "Link") else v for k, v in random_lists(rng).items()
    }
    _, found = grounded("Link(A, +B) = 1 .\nOpen(A) <= 0.5 .\nLink(A, B) -> Open(B) .", atoms)
    relations = np.bincount(found.network.relation, minlength=3)
    assert relations.tolist() == [0, 3 + 9, 3]
    assert (found.network.template == -1).all()


def test_a_hard_constraint_broken_by_observations_is_infeasible() -> None:
    atoms: dict[Key, tuple[str, float | None]] = {
        ("Open", "Ann"): ("evidence", 1.0),
        ("Open", "Bob"): ("target", None),
    }
    with pytest.raises(InfeasibleError, match="E0320"):
        grounded("Open(A) <= 0.5 .", atoms)


@pytest.mark.usefixtures("finding")
def test_an_unlisted_open_atom_is_an_error_that_names_it() -> None:
    atoms: dict[Key, tuple[str, float | None]] = {
        ("Knows", "Ann", "Bob"): ("evidence", 1.0),
        ("Open", "Ann"): ("target", None),
    }
    with pytest.raises(InputError, match=r"rule 1 needs Open\(Bob\)"):
        grounded("1: Knows(A, B) & Open(A) -> Open(B)", atoms)
    listed = Listed({k: v for k, (_, v) in atoms.items()}, {"Open"}, CONSTANTS)
    clause = clausal_form(parse_psl("1: Knows(A, B) & Open(A) -> Open(B)"))[0]
    assert isinstance(clause, Clause)
    with pytest.raises(UnlistedError):
        list(logical_rows(clause, listed))
