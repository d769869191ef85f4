"""Rules ground over changed facts alone, joined with the rest: a fresh run's network."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import workbench
from tests.verbs.update_sequences import check_equal, known_facts
from workbench.database import load_alchemy_text
from workbench.grounding import Grounding, again
from workbench.grounding.ground import Grounder
from workbench.language.clauses import Clause, LinearRule

RULES = """
Friends(person, person)
Works(person, place)
Smokes(person)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
-0.3 Friends(x, y) ^ Works(x, p) ^ Works(y, p) => Smokes(y)
Friends(x, y) ^ x != y => !Smokes(x) v !Smokes(y).
0.7 (Friends(x, y) => Smokes(x)) ^ (Friends(x, y) ^ !Works(y, Rome) => Smokes(y))
0.2 Friends(x, Anna) => Works(x, Rome)
0.5 Friends(x, y) ^ Smokes(z) => Smokes(y)
0.6 Friends(x, y) ^ Friends(y, x) => Smokes(x)
0.4 Friends(x, x) v Smokes(x)
0.3 Friends(x, y) ^ Smokes(+x) => Smokes(y)
"""
OVER_CHANGES = frozenset({0, 1, 3, 4})
"""Rules that read Friends once, as a condition of all their clauses, and range over no new person
otherwise. Not the hard one: two facts come to one row of it.
"""
PEOPLE = ("Anna", "Bob", "Carl", "Dora")
LATER = ("Abe", "Eve", "Zoe")


@pytest.fixture
def over_changes(monkeypatch: pytest.MonkeyPatch) -> Counter[frozenset[int]]:
    """How often which rules were ground over changed facts alone."""
    found: Counter[frozenset[int]] = Counter()
    made = again.difference

    def noted(*given: object) -> again.Difference:
        result = made(*given)  # type: ignore[arg-type]
        found[result.rules] += 1
        return result

    monkeypatch.setattr(again, "difference", noted)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_changed_facts_alone_come_to_the_network_of_a_fresh_run(
    seed: int, over_changes: Counter[frozenset[int]]
) -> None:
    random = Random(seed)
    task = "map" if seed % 2 else "marginal"
    worlds = ("world", "other") if seed > 1 else ("world",)
    with workbench.open() as workspace:
        workspace.declare(RULES)
        for world in worlds:
            told = {f"Friends({one}, {random.choice(PEOPLE)})" for one in PEOPLE}
            told |= {f"Works({one}, {random.choice(('Rome', 'Oslo'))})" for one in PEOPLE}
            load_alchemy_text(
                workspace.database, "\n".join([*sorted(told), "!Smokes(Anna)"]), world=world
            )
        run = workspace.infer(RULES, query="Smokes", task=task, engine="exact").run_id or 0
        for step in range(4):
            world, people = random.choice(worlds), (*PEOPLE, *LATER[:step])
            add = [
                f"Friends({random.choice(people)}, {random.choice(people)})"
                for _ in range(random.randint(1, 3))
            ]
            there = [text for text in known_facts(workspace, world) if text.startswith("Friends")]
            remove = random.sample(there, min(step % 2, len(there)))
            updated = workspace.update(
                run, add, [one for one in remove if one not in add], world=world
            ).result
            fresh = workspace.infer(RULES, query="Smokes", task=task, engine="exact", record=False)
            check_equal(updated, fresh)
    assert over_changes
    assert over_changes.keys() <= {OVER_CHANGES, OVER_CHANGES | {5}}


def test_hard_rules_that_new_facts_violate_refuse_the_update(
    over_changes: Counter[frozenset[int]],
) -> None:
    rules = "Near(place, place)\nFar(place, place)\nLit(place)\n"
    rules += "Near(x, y) => !Far(x, y).\n0.5 Near(x, y) ^ Lit(x) => Lit(y)\n"
    with workbench.open() as workspace:
        workspace.declare(rules)
        load_alchemy_text(workspace.database, "Near(A, B)\nFar(A, C)\nNear(B, C)\n")
        workspace.infer(rules, query="Lit", task="map")
        with pytest.raises(workbench.errors.InfeasibleError, match="E0320"):
            workspace.update(1, ["Near(A, C)"])
        done = workspace.update(1, ["Near(C, A)"], remove=["Near(A, B)"])
        check_equal(done.result, workspace.infer(rules, query="Lit", task="map", record=False))
    assert over_changes == {frozenset({0, 1}): 1}


def test_rules_bound_by_what_did_not_change_are_not_ground_where_domains_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = (
        "Friends(p, p)\nWorks(p, p)\nSmokes(p)\n1 Friends(x, y) ^ Smokes(x) => Smokes(y)\n"
        "0.7 Works(x, y) ^ Smokes(x) => Smokes(y)\n-0.1 Smokes(x)\n"
        "0.2 Works(x, y) ^ Friends(y, z) ^ Smokes(x) => Smokes(z)\n"
    )
    made: list[set[int]] = []
    make = Grounder.make

    def recorded(grounder: Grounder, clauses: tuple[Clause | LinearRule, ...]) -> Grounding:
        made.append({one.rule for one in clauses})
        return make(grounder, clauses)

    with workbench.open() as workspace:
        workspace.declare(rules)
        workspace.data.add("Friends(A, B)", "Works(B, C)", "Smokes(A)")
        for program, alone in ((rules, {1, 2}), (rules[: rules.index("0.2")], {2})):
            run = workspace.infer(program, query="Smokes", task="map").run_id or 0
            workspace.update(run, [f"Friends(B, D{run})"])
            with monkeypatch.context() as patched:
                patched.setattr(Grounder, "make", recorded)
                done = workspace.update(run, [f"Friends(B, E{run})"])
            assert made[-1] == alone
            check_equal(
                done.result, workspace.infer(program, query="Smokes", task="map", record=False)
            )
