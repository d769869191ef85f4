"""Random sequences of updates beside fresh runs over the same facts: `python -m tests.verbs.update_sequences 1000`."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

import workbench
from workbench.database import load_alchemy_text
from workbench.errors import InfeasibleError
from workbench.grounding import Grounding
from workbench.verbs.infer import InferenceResult
from workbench.verbs.update import update
from workbench.workspace import Workspace

PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Eve", "Fred", "Gus")
PLACES = ("Rome", "Oslo", "Bern")

SMOKERS = """
Friends(person, person)
Smokes(person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
-0.5 Smokes(x)
"""
HARD = """
Boss(person, person)
Works(person, place)
Likes(person, person)
!Boss(x, x).
Boss(x, y) ^ Works(x, p) => Works(y, p).
0.7 Likes(x, y) => Likes(y, x)
0.9 Likes(x, y) ^ Works(x, +p) => Works(y, p)
-0.3 EXIST p Works(x, p)
0.4 Boss(x, y) v !Likes(x, y)
"""
BLOCKS = """
Near(person, person)
Home(person, place!)
Seen(person, place)
1.2 Seen(x, p) => Home(x, p)
0.8 Near(x, y) ^ Home(x, p) => Home(y, p)
0.3 Home(x, +p)
"""
DEFINED = """
Directs(person, place)
Fraud(person)
Paid(person, number)
Peers(x, y) := Directs(x, c) ^ Directs(y, c) ^ x != y.
Seats(x, n) := n = count(c: Directs(x, c)).
1.3 Peers(x, y) ^ Fraud(x) => Fraud(y)
0.2 * n: Seats(x, n) => Fraud(x)
-0.4 Fraud(x)
"""
SOFT = """
1.0: Knows(A, B) & Trusts(A, B) -> Trusts(B, A)
2.0: Knows(A, B) & Knows(B, C) & Trusts(A, B) & (A != C) -> Trusts(A, C) ^2
0.5: !Trusts(A, B)
Trusts(A, +B) <= 2.
"""
MODELS: dict[str, tuple[str, str, tuple[tuple[str, str], ...]]] = {
    # name: rules, query, what facts may say: predicate and the kinds of its arguments
    "smokers": (SMOKERS, "Smokes,Cancer", (("Friends", "pp"), ("Smokes", "p"), ("Cancer", "p"))),
    "hard": (HARD, "Works,Likes", (("Boss", "pp"), ("Works", "pl"), ("Likes", "pp"))),
    "blocks": (BLOCKS, "Home", (("Near", "pp"), ("Seen", "pl"), ("Home", "pl"))),
    "defined": (DEFINED, "Fraud", (("Directs", "pl"), ("Fraud", "p"), ("Paid", "pn"))),
}


def random_fact(random: Random, model: str) -> str:
    name, kinds = random.choice(MODELS[model][2])
    drawn = {"p": PEOPLE, "l": PLACES, "n": ("1", "2.5", "7")}
    sign = "!" if random.random() < 0.15 and kinds != "pn" else ""
    return f"{sign}{name}({', '.join(random.choice(drawn[kind]) for kind in kinds)})"


def canonical(grounding: Grounding) -> dict[str, Counter[Any]]:
    """Rows, unit groundings and sums under names instead of numbers."""
    network, labels = grounding.network, grounding.templates.label
    names = [f"{world}: {atom}" for world, atom in zip(grounding.atoms.world_names(), grounding.atoms.names())]
    rows: Counter[Any] = Counter()
    A = network.A
    for row in range(network.n_rows):
        entries = slice(A.indptr[row], A.indptr[row + 1])
        literals = tuple(sorted((names[atom], float(a)) for atom, a in zip(A.indices[entries], A.data[entries])))
        label = labels[network.template[row]] if network.template[row] >= 0 else "hard"
        scale = 1.0 if network.scale is None else float(network.scale[row])
        rows[label, int(network.relation[row]), float(network.b[row]), literals] += round(scale, 9)
    unit = network.unit.tocoo()
    units: Counter[Any] = Counter()
    for atom, template, change in zip(*unit.coords, unit.data):
        if abs(change) > 1e-12:
            units[names[atom], labels[template]] += round(float(change), 9)
    sums: Counter[Any] = Counter()
    for name in ("constant", "groundings", "unit_scale", "evidence_satisfied", "evidence_violated"):
        for label, figure in zip(labels, np.atleast_2d(getattr(network, name).T).T.tolist()):
            if np.any(figure):
                sums[name, label, tuple(round(value, 9) for value in np.atleast_1d(figure).tolist())] += 1
    members = network.blocks.members
    blocks: Counter[Any] = Counter()
    for block in range(network.blocks.n_blocks):
        inside = members.indices[members.indptr[block] : members.indptr[block + 1]]
        right = int(network.blocks.right[block])
        blocks[int(network.blocks.kind[block]), right, tuple(sorted(names[atom] for atom in inside))] += 1
    return {"rows": rows, "units": units, "sums": sums, "blocks": blocks}


def check_equal(updated: InferenceResult, fresh: InferenceResult) -> None:
    """The network, energy, bound and marginals of an updated answer are those of a fresh one."""
    assert updated.grounding.atoms.names() == fresh.grounding.atoms.names()
    one, other = canonical(updated.grounding), canonical(fresh.grounding)
    for part in one:
        assert one[part] == other[part], part
    if updated.task == "map":
        assert updated.solution.energy == pytest.approx(fresh.solution.energy, abs=1e-6)
        assert updated.solution.bound == pytest.approx(fresh.solution.bound, abs=1e-6)
        assert updated.solution.hard_violation == fresh.solution.hard_violation
    else:
        np.testing.assert_allclose(updated.values, fresh.values, atol=1e-9)
    assert updated.evidence_energy == pytest.approx(fresh.evidence_energy, abs=1e-9)


def facts_of(workspace: Workspace) -> dict[str, list[Any]]:
    return {
        name: sorted(map(str, workspace.database.execute(f'FROM "{stored.table_name}"').fetchall()))
        for name, stored in workspace.database.predicates().items()
    }


def run_sequence(seed: int, steps: int = 5) -> int:
    """One random sequence of updates, each beside a fresh run; how many updates were refused as infeasible."""
    random = Random(seed)
    model = random.choice(sorted(MODELS))
    rules, query, _ = MODELS[model]
    task, refused = random.choice(("map", "marginal")), 0
    worlds = ("world",) if random.random() < 0.7 else ("world", "other")
    with workbench.open() as workspace:
        workspace.declare(rules)
        for world in worlds:
            facts = {random_fact(random, model).lstrip("!") for _ in range(6)}
            load_alchemy_text(workspace.database, "\n".join(sorted(facts)), world=world)
        try:
            answer = workspace.infer(rules, query=query, task=task, engine="exact")
        except InfeasibleError:
            return 0
        run = answer.run_id
        assert run is not None
        for _ in range(steps):
            drawn = [random_fact(random, model) for _ in range(random.randint(0, 2))]
            add = list({text.lstrip("!"): text for text in drawn}.values())
            there = [text for text in known_facts(workspace, model) if random.random() < 0.12][:2]
            # Worlds may say otherwise of one atom, and one update one thing.
            there = list({text.lstrip("!"): text for text in there}.values())
            before, world = facts_of(workspace), random.choice(worlds)
            try:
                renewed = update(workspace.database, run, add, there, correct=True, world=world)
            except InfeasibleError:
                assert facts_of(workspace) == before
                refused += 1
                continue
            again = update(workspace.database, run, add, [], correct=True, world=world)
            assert (again.facts_added, len(again.changes)) == (0, 0)
            fresh = workspace.infer(rules, query=query, task=task, engine="exact", record=False)
            check_equal(renewed.result, fresh)
    return refused


def known_facts(workspace: Workspace, model: str) -> list[str]:
    found = []
    for name, _ in MODELS[model][2]:
        stored = workspace.database.predicate(name)
        for _, *arguments, value, _ in workspace.database.execute(f'FROM facts."{stored.view_name}"').fetchall():
            found.append(f"{'' if value else '!'}{name}({', '.join(map(str, arguments))})")
    return sorted(found)


def main() -> None:
    """Run the number of sequences given, and say which fail."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    failed = []
    for seed in range(first, first + count):
        try:
            run_sequence(seed)
        except Exception as error:
            failed.append(seed)
            print(f"sequence {seed}: {type(error).__name__}: {str(error)[:500]}", flush=True)
    print(f"{count - len(failed)} of {count} sequences of updates equal fresh runs")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
