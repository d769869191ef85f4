"""`python -m tests.differential`: random programs against oracles, damaged files, killed commands.

Every part runs until it has done its number or its time is up, prints its figures, and prints each difference, made
small, to standard error. `--programs 0`, `--fuzz 0` and `--kills 0` leave a part out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tests.differential.fuzz import run_fuzz
from tests.differential.kills import run_kills
from tests.differential.outcome import Tally
from tests.differential.programs import KINDS, run_programs


def main() -> int:
    """Run what was asked for; 1 where a difference was found."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.differential",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--programs", type=int, default=200, metavar="N", help="programs of each kind")
    parser.add_argument("--kind", choices=[*KINDS, "all"], default="all", help="of programs")
    parser.add_argument("--fuzz", type=int, default=0, metavar="N", help="damaged files")
    parser.add_argument("--kills", type=int, default=0, metavar="N", help="commands killed")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--seconds", type=float, default=None, help="of each part, at most")
    parser.add_argument("--shrink", type=float, default=30.0, help="seconds spent on making a difference small")
    parser.add_argument("--out", type=Path, default=None, help="write the figures as JSON")
    given = parser.parse_args()
    parts: dict[str, Tally] = {}
    for kind in (KINDS if given.kind == "all" else [given.kind]) if given.programs else ():
        parts[kind] = run_programs(kind, given.programs, given.seed, seconds=given.seconds, shrink=given.shrink)
        _show(kind, parts[kind], "programs")
    if given.fuzz:
        parts["fuzz"] = run_fuzz(given.fuzz, given.seed, seconds=given.seconds)
        _show("fuzz", parts["fuzz"], "inputs")
    if given.kills:
        parts["kills"] = run_kills(given.kills, given.seed, seconds=given.seconds)
        _show("kills", parts["kills"], "commands killed")
    if given.out is not None:
        figures = {name: {**tally.counts, "differences": len(tally.differences)} for name, tally in parts.items()}
        given.out.write_text(json.dumps({"seed": given.seed, **figures}, indent=1) + "\n", encoding="utf-8")
    return 1 if any(tally.differences for tally in parts.values()) else 0


def _show(name: str, tally: Tally, unit: str) -> None:
    print(f"{name}: {tally.counts[unit]:,} {unit}, {len(tally.differences)} differences", flush=True)
    print("\n".join(tally.lines()), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
