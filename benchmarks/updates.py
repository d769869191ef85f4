"""Updates beside full runs: what one per cent of new facts costs, as a share of the CPU of
inferring anew.

    python -m benchmarks.updates --people 20000 50000 --smokers 9
    python -m benchmarks.updates --people 20000 --smokers 9 --soft

People live in streets of twenty and know their neighbours. The new facts are one in a hundred of
all friendships, and lie in one street of fifty: what they do not touch keeps its answer. Ten of
them come first, in an update of their own. With `--smokers N` one in N is known to smoke, so that
new friends move answers; without, the best state stays the best. The updated answer is held against
the fresh one; with `--once` there is none, and the share is of the run before the new facts: half
of the time for large networks. An update takes its facts in, which a run does not:
`share_with_load` is of loading all facts and running.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from random import Random

import pandas as pd

import workbench
from benchmarks.measuring import print_records
from workbench.inference.elsewhere import cpu_seconds

RULES = """
Friends(person, person)
Works(person, person)
Asthma(person)
Smokes(person)
1 Friends(x, y) ^ Smokes(x) => Smokes(y)
0.7 Works(x, y) ^ Smokes(x) => Smokes(y)
1.5 Asthma(x) => !Smokes(x)
-0.1 Smokes(x)
"""
SOFT = """
1: Friends(x, y) & Smokes(x) -> Smokes(y)
0.7: Works(x, y) & Smokes(x) -> Smokes(y)
1.5: Asthma(x) -> !Smokes(x)
0.1: !Smokes(x)
"""
STREET, KNOWN, FEW = 20, 4, 10


def acquaintances(people: int, seed: int) -> pd.DataFrame:
    """Each person with some neighbours of the street, columns a and b."""
    random = Random(seed)
    pairs = {
        (one, one - one % STREET + random.randrange(STREET))
        for one in range(people)
        for _ in range(KNOWN)
    }
    told = sorted((f"P{one}", f"P{other}") for one, other in pairs if one != other)
    return pd.DataFrame(told, columns=["a", "b"])


def measured(
    people: int, engine: str, smokers: int, *, once: bool, soft: bool
) -> Iterator[dict[str, object]]:
    """A full run without the newest facts, updates that add a few and all, and a full run with."""
    friends, works = acquaintances(people, 1), acquaintances(people, 2)
    street = friends["a"].str[1:].astype(int) // STREET
    newest = friends[(street % 50 == 0)].iloc[::2]
    asthma = pd.DataFrame({"a": [f"P{number}" for number in range(0, people, 7)]})
    with workbench.open() as workspace:
        workspace.declare(RULES)  # in soft logic, too: these are its predicates
        rules = SOFT if soft else RULES
        begun = cpu_seconds()
        for name, frame in (
            ("Friends", friends.drop(newest.index)),
            ("Works", works),
            ("Asthma", asthma),
        ):
            workspace.load(frame, predicate=name)
        asked = {"query": "Smokes", "task": "map", "engine": engine}
        if smokers:
            known = pd.DataFrame({"a": [f"P{number}" for number in range(0, people, smokers)]})
            workspace.load(known, predicate="Smokes")
        if soft:
            rest = (number for number in range(people) if not smokers or number % smokers)
            targets = pd.DataFrame({"a": [f"P{number}" for number in rest]})
            workspace.load(targets, predicate="Smokes", partition="target")
        loaded, begun = cpu_seconds() - begun, cpu_seconds()
        first = workspace.infer(rules, **asked)
        whole, run = cpu_seconds() - begun, first.run_id
        texts = [f"Friends({one}, {other})" for one, other in newest.itertuples(index=False)]
        assert run is not None
        workspace.update(run, texts[:1])  # grounds in full, and keeps what the next one starts from
        begun = cpu_seconds()
        few = workspace.update(run, texts[1 : 1 + FEW])
        spent_on_few, begun = cpu_seconds() - begun, cpu_seconds()
        update = workspace.update(run, texts[1 + FEW :])
        spent, begun = cpu_seconds() - begun, cpu_seconds()
        fresh = update.result if once else workspace.infer(rules, **asked)
        whole = whole if once else cpu_seconds() - begun
    yield {
        "people": people,
        "ground_rows": fresh.grounding.network.n_rows,
        "facts": len(friends) + len(works),
        "new_facts": len(texts) - 1 - FEW,
        "energy": fresh.solution.energy,
        "atoms_changed": len(update.changes),
        "atoms_solved": update.atoms_solved,
        "load_cpu_seconds": round(loaded, 3),
        "full_cpu_seconds": round(whole, 3),
        "update_cpu_seconds": round(spent, 3),
        "share": round(spent / whole, 4),
        "share_with_load": round(spent / (loaded + whole), 4),
        "few_cpu_seconds": round(spent_on_few, 3),
        "few_share": round(spent_on_few / whole, 4),
        "few_solved": few.atoms_solved,
        "energy_apart": abs(fresh.solution.energy - update.result.solution.energy),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, nargs="+", default=[20_000])
    parser.add_argument("--engine", default="auto")
    parser.add_argument(
        "--smokers", type=int, default=0, help="one in so many is known to smoke; 0: nobody"
    )
    parser.add_argument("--soft", action="store_true", help="in soft logic")
    parser.add_argument("--once", action="store_true", help="one full run instead of two")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    print_records(
        (
            record
            for people in given.people
            for record in measured(
                people, given.engine, given.smokers, once=given.once, soft=given.soft
            )
        ),
        given.json,
    )


if __name__ == "__main__":
    main()
