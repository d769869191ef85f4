"""Facts added, corrected and removed: domains stay those of all facts."""

from __future__ import annotations

from random import Random

import pytest

import workbench as wb
from tests.verbs.update_models import one_of_each_atom
from workbench.database import FactSum, fact_sums, table_prints
from workbench.database import database as databases
from workbench.verbs.fact_changes import changes_of

RULES = (
    "Friends(person, person)\nSmokes(person)\nperson Boss(person)\n"
    "1 Friends(x, y) ^ Smokes(x) => Smokes(y)\n"
)


def _drawn(random: Random) -> str:
    one, other = (f"P{random.randrange(7)}" for _ in range(2))
    return random.choice(
        [f"Friends({one}, {other})", f"Smokes({one})", f"!Smokes({one})", f"Boss({one}) = {other}"]
    )


def _domain(workspace: wb.Workspace) -> list[tuple[object, ...]]:
    return workspace.database.execute("FROM domain ORDER BY ALL").fetchall()


@pytest.mark.parametrize("seed", range(4))
def test_domains_are_those_of_all_facts(seed: int) -> None:
    random = Random(seed)
    with wb.open() as workspace:
        workspace.declare(RULES)
        for _ in range(12):
            world = random.choice(["one", "two"])
            if random.random() < 0.5:
                workspace.data.correct(_drawn(random), world=world)
            else:
                gone = one_of_each_atom(_drawn(random) for _ in range(6))
                workspace.data.remove(*gone, world=world)
            found = _domain(workspace)
            workspace.database.refresh_domains()
            assert found == _domain(workspace)


@pytest.mark.parametrize("seed", range(3))
def test_prints_and_sums_of_changed_tables_are_those_read_over(seed: int) -> None:
    random = Random(seed)
    with wb.open() as workspace:
        workspace.declare(RULES)
        database = workspace.database
        sums, prints = fact_sums(database), table_prints(database)
        for _ in range(8):
            texts = one_of_each_atom(_drawn(random) for _ in range(3))
            gone = one_of_each_atom(_drawn(random) for _ in range(3))
            world = random.choice(["one", "two"])
            changes = changes_of(database, texts, gone, correct=True, world=world)
            with database.transaction():
                done = changes.apply(database)
            sums = {name: one.changed(done.by.get(name, FactSum())) for name, one in sums.items()}
            prints = table_prints(database, prints, done.prints)
            assert prints == table_prints(database)
            assert sums == fact_sums(database)


def test_domains_stay_where_no_thing_comes_or_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        workspace.data.add("Friends(Ann, Bob)", "Friends(Bob, Ann)", "Smokes(Ann)", "Smokes(Bob)")
        made: list[tuple[object, ...]] = []
        monkeypatch.setattr(databases, "refresh_domains", lambda *given: made.append(given))
        workspace.data.remove("Friends(Ann, Bob)")
        workspace.data.add("Friends(Ann, Ann)")
        mine = workspace.database.connection
        assert not [given for given in made if given[0] is mine]
