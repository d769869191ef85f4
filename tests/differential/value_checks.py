"""Programs over numbers, dates and texts against a walk over bindings and states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from tests.differential.mln_meaning import TooLarge
from tests.differential.outcome import Tally, same_probabilities
from tests.differential.value_programs import EVIDENCE, MOST_OPEN, Facts, ValueCase, ValueRule
from workbench.arrays import Bool, Float
from workbench.database import Database, load_alchemy_text
from workbench.language.ground_atoms import atom_text
from workbench.workspace import Workspace

Atom = tuple[str, tuple[str, ...]]


def check_values(case: ValueCase, tally: Tally) -> None:
    """Raise `Difference` where an atom's probability is another, or other atoms are open."""
    expected = [marginals(case, facts, sorted(people_of(facts))) for _, facts in case.worlds]
    with Workspace(Database.open(threads=1)) as workspace:
        workspace.declare(case.text)
        for number, (name, _) in enumerate(case.worlds):
            load_alchemy_text(workspace.database, case.data(number), world=name)
        closed = tuple(name for name in EVIDENCE)
        result = workspace.infer(
            case.text,
            query=case.query,
            closed=closed,
            task="marginal",
            engine="exact",
            record=False,
        )
        atoms = result.grounding.atoms
        worlds = (
            list(map(str, atoms.world_names())) if len(case.worlds) > 1 else ["w0"] * atoms.n_atoms
        )
        names = [name for name, _ in case.worlds] if len(case.worlds) > 1 else ["w0"]
        got = dict(zip(zip(worlds, atoms.names()), result.solution.values.tolist()))
    wanted = {
        (name, atom_text(*atom)): p
        for name, found in zip(names, expected)
        for atom, p in found.items()
    }
    tally.add("scopes", case.scope is not None)
    tally.add("definitions", len(case.definitions))
    same_probabilities(got, wanted)


def people_of(facts: Facts) -> set[str]:
    """The domain of a world."""
    return {
        str(value)
        for name, rows in facts.items()
        for row in rows
        for value, kind in zip(row, EVIDENCE[name])
        if kind == "person"
    }


def marginals(case: ValueCase, given: Facts, people: list[str]) -> dict[Atom, float]:
    """Every open atom's probability under these facts."""
    facts = {**given, **{one.name: one.made(given, people) for one in case.definitions}}
    atoms: list[Atom] = []
    if "Fraud" in case.query:
        atoms += [("Fraud", (x,)) for x in people]
    if "Same" in case.query:
        inside = (
            None
            if case.scope is None
            else {(b["x"], b["y"]) for b in _bindings(case.scope[1], facts, people)}
        )
        atoms += [
            ("Same", pair) for pair in product(people, repeat=2) if inside is None or pair in inside
        ]
    if len(atoms) > MOST_OPEN:
        raise TooLarge
    states = np.array(list(product((False, True), repeat=len(atoms))), bool).reshape(
        2 ** len(atoms), len(atoms)
    )
    columns = {atom: states[:, i] for i, atom in enumerate(atoms)}
    score = np.zeros(len(states))
    for rule in case.rules:
        for binding in _bindings(rule, facts, people):
            factor = 1.0 if rule.factor is None else float(binding[rule.factor])  # type: ignore[arg-type]
            score += rule.weight * factor * _holds(rule, binding, columns, len(states))
    mass = np.exp(score - score.max())
    shares: Float = mass @ states / mass.sum()
    return dict(zip(atoms, shares.tolist()))


def _bindings(rule: ValueRule, facts: Facts, people: list[str]) -> Iterator[dict[str, object]]:
    """The bindings under which all that evidence and conditions say in the body holds."""
    closed = [one for one in rule.body if one[1] in facts]
    literals = [*closed, *(one for one in (*rule.body, rule.head) if one[1] not in facts)]
    persons = sorted({name for _, _, variables in literals for name in variables if name in "xy"})
    for constants in product(people, repeat=len(persons)):
        partial = [dict(zip(persons, constants))]
        for positive, name, variables in closed:
            partial = [
                more
                for binding in partial
                for more in _joined(binding, positive, variables, facts[name])
            ]
        for binding in partial:
            if all(one.holds(binding) for one in rule.conditions):
                yield binding


def _joined(binding: dict, positive: bool, variables: tuple[str, ...], rows: set) -> list[dict]:  # type: ignore[type-arg]
    if not positive:
        return [] if tuple(binding[name] for name in variables) in rows else [binding]
    found = []
    for row in rows:
        if all(binding.get(name, value) == value for name, value in zip(variables, row)) and _same(
            variables, row
        ):
            found.append({**binding, **dict(zip(variables, row))})
    return found


def _same(variables: tuple[str, ...], row: tuple) -> bool:  # type: ignore[type-arg]
    """Whether a variable that stands twice has one value."""
    return all(row[i] == row[variables.index(name)] for i, name in enumerate(variables))


def _holds(
    rule: ValueRule, binding: dict[str, object], columns: dict[Atom, Bool], n_states: int
) -> Bool:
    """The clause in every state; atoms that are not open are false."""

    def truth(name: str, variables: tuple[str, ...]) -> Bool:
        key = name, tuple(str(binding[one]) for one in variables)
        return columns.get(key, np.zeros(n_states, bool))

    found = truth(*rule.head[1:]) == rule.head[0]
    for positive, name, variables in rule.body:
        if name in ("Fraud", "Same"):
            found = found | (truth(name, variables) != positive)
    return found
