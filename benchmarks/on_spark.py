"""One process against Spark: `python -m benchmarks.on_spark [--clubs 50 200] [--people 12]
[--masters M ...]`.

Clubs that no rule joins, each a random graph of friends, who are alike, and enemies, who differ:
the most probable state of a club is a cut, which is hard, and a club is a component. Wall seconds
of a whole call, Spark's session apart, and what of them grounding took; the objective must agree
within both gaps.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

import workbench as wb
from benchmarks.measuring import print_records
from workbench.grounding.spark import spark_session
from workbench.inference.elsewhere import cpu_seconds

RULES = """
Friends(person, person)
Enemies(person, person)
Smokes(person)
1.0 Friends(x, y) ^ Smokes(x) => Smokes(y)
1.2 Enemies(x, y) => !Smokes(x) v !Smokes(y)
1.1 Enemies(x, y) => Smokes(x) v Smokes(y)
0.3 !Smokes(x)
"""


def clubs(number: int, people: int) -> dict[str, pd.DataFrame]:
    """Who is whose friend and enemy: of each pair of a club a third and a third."""
    rng = np.random.default_rng(number)
    first, second = np.triu_indices(people, 1)
    club = np.repeat(np.arange(number), first.size)
    kind = rng.integers(0, 3, club.size)
    ends = [club * people + np.tile(side, number) for side in (first, second)]
    tables = {}
    for place, predicate in enumerate(("Friends", "Enemies")):
        chosen = kind == place
        tables[predicate] = pd.DataFrame(
            {name: [f"P{i}" for i in end[chosen]] for name, end in zip("ab", ends)}
        )
    return tables


def measured(workspace: wb.Workspace, size: int, on: str | None) -> dict[str, Any]:
    """One call: its size, seconds and figures."""
    begun, cpu = perf_counter(), cpu_seconds()
    result = workspace.infer(RULES, task="map", query=["Smokes"], engine="ilp", on=on, record=False)
    found = result.summary()
    return {
        "clubs": size,
        "on": on or "one process",
        "ground_rows": found["ground_rows"],
        "seconds": round(perf_counter() - begun, 2),
        "ground_seconds": round(found["ground_seconds"], 2),
        "cpu_seconds_here": round(cpu_seconds() - cpu, 2),
        "energy": round(found["energy"], 4),
        "bound": round(found["bound"], 4),
        "status": found["status"],
    }


def records(sizes: list[int], people: int, masters: list[str]) -> Iterator[dict[str, Any]]:
    """Each size in one process and on each master, without the first call, which starts workers."""
    for master in [None, *masters]:
        for place, size in enumerate(sizes):
            with wb.open() as workspace:
                for predicate, frame in clubs(size, people).items():
                    workspace.load(frame, rules=RULES, predicate=predicate)
                if master is None:
                    yield measured(workspace, size, None)
                    continue
                with spark_session(master):
                    if not place:
                        measured(workspace, size, f"spark={master}")
                    yield measured(workspace, size, f"spark={master}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clubs", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--masters", nargs="*", default=["local[1]", "local[2]"])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    print_records(records(given.clubs, given.people, given.masters), given.json)


if __name__ == "__main__":
    main()
