"""Coverage by SQL against coverage in memory, and what may not reach either."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.structure.test_coverage import random_body, random_world
from workbench.database.database import Database
from workbench.database.tables import load_frame
from workbench.grounding.coverage import SqlCoverage, read_examples, read_relations
from workbench.language.program import Predicate
from workbench.structure.background import Background, Examples
from workbench.structure.coverage import IndexedCoverage


def stored(seed: int) -> tuple[Database, Background, Examples]:
    """The random world, loaded, and read back from the database."""
    background, examples = random_world(seed)
    database = Database.open(threads=1)
    declared = [Predicate(name, types) for name, types in zip(background.predicates, background.argument_types)]
    database.declare_predicates([*declared, Predicate("t", ("a", "a"))])
    for name, types, facts in zip(background.predicates, background.argument_types, background.facts):
        rows = [[background.constants[t][value] for value, t in zip(row, types)] for row in facts.tolist()]
        load_frame(database, pd.DataFrame(rows, columns=[f"x{k}" for k in range(len(types))]), predicate=name)
    pairs = [[background.constants["a"][value] for value in row] for row in examples.arguments.tolist()]
    frame = pd.DataFrame(pairs, columns=["x", "y"]).assign(value=[float(k % 2) for k in range(len(pairs))])
    load_frame(database, frame, predicate="t", value="value", partition="truth")
    hidden = pd.DataFrame({"x": ["a3"], "y": ["b2"]})
    load_frame(database, hidden, predicate="p", partition="truth")
    relations = read_relations(database, background.predicates)
    arguments, label, _ = read_examples(database, "t")
    again = Background(relations.predicates, relations.argument_types, relations.facts, relations.constants)
    return database, again, Examples("t", ("a", "a"), arguments, label)


@pytest.mark.parametrize("seed", range(3))
def test_sql_and_posting_lists_agree(seed: int) -> None:
    database, background, examples = stored(seed)
    rng = np.random.default_rng(seed)
    bodies = np.concatenate(
        [np.stack([random_body(background, rng, 3) for _ in range(120)]), np.full((1, 3, 4), -1, np.int32)]
    )
    memory = IndexedCoverage(background, examples)
    sql = SqlCoverage(database, background.predicates, examples.arguments)
    assert np.array_equal(sql.counts(bodies), memory.counts(bodies))
    assert np.array_equal(sql.covers(bodies), memory.covers(bodies))
    database.close()


def test_shared_prefixes_are_joined_once_and_truth_is_no_evidence() -> None:
    database, background, examples = stored(0)
    assert len(background.facts[0]) == len(random_world(0)[0].facts[0])
    sql = SqlCoverage(database, background.predicates, examples.arguments)
    body = np.array([[[0, -1, -3, 2**31 - 1], [2, -3, 2**31 - 1, 2**31 - 1]]] * 2, np.int32)
    body[1, 1] = [0, -2, -3, 2**31 - 1]
    (statement,) = sql.statements(body)
    assert statement.count("AS MATERIALIZED") == 1
    assert statement.count("partition = 'evidence'") == 3
    database.close()
