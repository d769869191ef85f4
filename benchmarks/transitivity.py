"""Hard transitivity over all pairs of many things: groups planted, links missing and links across.

    python -m benchmarks.transitivity [--things 1000 2000 5000] [--seed 1] [--json]

Groups of ten; 85 % of the pairs inside a group are linked, and one pair across for three things.
Each answer is a command of its own: loading, grounding, solving and recording are in its figures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import print_records

GROUP = 10
INSIDE = 0.85
RULES = """*Like(thing, thing)
Same(thing, thing)
4 Like(x, y) => Same(x, y)
-1 Same(x, y)
Same(x, y) => Same(y, x).
Same(x, y) ^ Same(y, z) => Same(x, z).
Same(x, x).
"""


def links(things: int, seed: int) -> Iterator[str]:
    """Facts of planted groups with noise, and a constant for each thing."""
    generator = random.Random(seed)
    yield f"thing = {{{', '.join(f'T{number}' for number in range(things))}}}"
    for one in range(things):
        for other in range(one + 1, min(things, one - one % GROUP + GROUP)):
            if generator.random() < INSIDE:
                yield f"Like(T{one}, T{other})"
    for _ in range(things // 3):
        one, other = generator.sample(range(things), 2)
        if one // GROUP != other // GROUP:
            yield f"Like(T{one}, T{other})"


def answer(things: int, seed: int) -> dict[str, object]:
    """What one command of `workbench infer` finds, and takes."""
    domain, *facts = links(things, seed)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    run = "from workbench.cli import main; main()"
    command = ["infer", "rules.mln", "--data", "facts.db", "--query", "Same", "--task", "map"]
    with TemporaryDirectory() as folder:
        directory = Path(folder)
        (directory / "rules.mln").write_text(domain + "\n" + RULES)
        (directory / "facts.db").write_text("\n".join(facts) + "\n")
        with (directory / "answer.json").open("w") as out:
            process = subprocess.Popen(
                [sys.executable, "-c", run, *command, "--rows", "0", "--json"],
                cwd=directory,
                env=environment,
                stdout=out,
            )
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"no answer for {things:,} things")
        found = json.loads((directory / "answer.json").read_text())
    return {
        "things": things,
        "groundings": float(sum(rule["groundings"] for rule in found["rules"])),
        "ground_rows": found["ground_rows"],
        **{name: found[name] for name in ("status", "energy", "bound", "gap")},
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "megabytes": usage.ru_maxrss // 1024,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--things", nargs="+", type=int, default=[1000, 2000, 5000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    print_records([answer(things, given.seed) for things in given.things], given.json)


if __name__ == "__main__":
    main()
