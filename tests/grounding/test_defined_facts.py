"""What explanations say that definitions made their facts of,
against a nested-loop reading of the definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np
import pytest

from tests.grounding.test_definitions import DECLARED, DEFINITIONS, Reader, random_facts, written
from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest, ground, ground_rules
from workbench.language import parse_mln
from workbench.language.program import Aggregate, Definition
from workbench.language.values import value_text
from workbench.language.variable_types import infer_condition_types

SAID_OF_PEOPLE = (
    "Peers(x, y) Linked(x) Companies(x, n) Shut(x, n) Paid(x, n) Most(x, n, k) "
    "Both(x, y, n) Some(x, n)"
)
SAID_OF_PEOPLE += (
    " Lonely(x) Above(x, n, k) Founded(x, y, n) Since(x, t) Alike(x, y) Recent(x, n) Half(x, n)"
)
HEADS = SAID_OF_PEOPLE.replace(") ", ")|").split("|")
HEADED = {head.split("(")[0] for head in HEADS}


@pytest.mark.parametrize("seed", range(3))
def test_each_fact_is_told_by_what_its_definition_made_it_of(seed: int) -> None:
    rng = np.random.default_rng(seed)
    worlds = [random_facts(rng), random_facts(rng)][: 1 + (seed > 0)]
    program = parse_mln(
        DECLARED + DEFINITIONS + "".join(f"1 {head} => Fraud(x)\n" for head in HEADS)
    )
    now = max(day for facts in worlds for _, day in facts["On"])
    readers = [Reader(program, facts, now) for facts in worlds]  # type: ignore[arg-type]
    with Database.open(threads=1) as database:
        database.declare(program)
        for number, facts in enumerate(worlds):
            load_alchemy_text(database, written(facts), world=f"w{number}")
        grounding = ground(database, program, GroundRequest(query=["Fraud"]))
        told = {
            (int(grounding.atoms.world[index]), atom, fact)
            for index in range(grounding.atoms.n_atoms)
            for rules in ground_rules(grounding, index)
            for rule in rules.named
            for atom, fact in rule.defined
        }
    for world, reader in enumerate(readers):
        facts = {
            f"{name}({', '.join(map(quoted, row))})": (name, row)
            for name in HEADED
            for row in reader.facts[name]
        }
        without = {
            text
            for text, (name, row) in facts.items()
            if 0.0 in row or name in ("Linked", "Lonely")
        }
        assert (
            facts.keys() - without
            <= {atom for where, atom, _ in told if where == world}
            <= facts.keys()
        )
        for where, atom, fact in told:
            if where == world:
                assert len(set(fact.named)) == len(fact.named) == min(fact.number, 5)
                rows = (
                    rows
                    for one in program.definitions
                    for rows in made_of(one, facts[atom], fact.variables, reader)
                )
                assert any(
                    set(fact.named) <= found and fact.number == len(found) for found in rows
                ), (atom, fact)


def made_of(
    definition: Definition,
    fact: tuple[str, tuple[object, ...]],
    variables: tuple[str, ...],
    reader: Reader,
) -> Iterator[set[tuple[str, ...]]]:
    """For each binding outside an aggregate under which a definition says a fact,
    the bindings of some variables.
    """
    head, body = definition.head, definition.body
    types = infer_condition_types(head, body, reader.program).variables
    aggregates = [one for one in body if isinstance(one, Aggregate)]
    holding = [
        one
        for one in reader.bindings(head, body, types)
        if (head.predicate, tuple(reader.value(term, one) for term in head.arguments)) == fact
    ]
    if not aggregates and holding and set(variables) <= holding[0].keys():
        yield {tuple(plain(one[name]) for name in variables) for one in holding}
    for aggregate in aggregates:
        for one in holding:
            inner = list(reader.solutions((*aggregate.body, *aggregate.among), one))
            if inner and set(variables) <= inner[0].keys():
                yield {tuple(plain(each[name]) for name in variables) for each in inner}


def plain(cell: object) -> str:
    return value_text(cell)  # type: ignore[arg-type]


def quoted(cell: object) -> str:
    return (
        f'"{plain(cell)}"' if isinstance(cell, datetime) or plain(cell).islower() else plain(cell)
    )


def test_what_a_defined_fact_is_made_of_is_told_down_to_stored_facts() -> None:
    program = parse_mln(
        "Crash(driver, date)\nMate(driver, driver)\nDnf(driver)\n"
        "Wild(d) := n = count(s: Crash(d, s)) ^ n >= 2.\n"
        "Around(d, n) := Mate(d, b) ^ n = count(e: Mate(d, e) ^ Wild(e)).\n"
        "Odd(d) := Around(d, n) ^ n = 1.\n"
        "1 Odd(d) => Dnf(d)\n"
    )
    facts = (
        "Mate(A, B)\nMate(A, C)\nCrash(B, 2020-01-01)\nCrash(B, 2020-01-02)\nCrash(C, 2020-01-02)"
    )
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy_text(database, facts)
        grounding = ground(database, program, GroundRequest(query=["Dnf"]))
        (rule,) = [rule for rules in ground_rules(grounding, 0) for rule in rules.named]
    told = [(atom, fact.number, fact.named) for atom, fact in rule.defined]
    assert told == [
        ("Odd(A)", 1, (("1",),)),
        ("Around(A, 1)", 1, (("B",),)),
        ("Wild(B)", 2, (("2020-01-01",), ("2020-01-02",))),
    ]
