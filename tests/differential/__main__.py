"""`python -m tests.differential`: random programs, each held against an oracle of its own."""

from __future__ import annotations

import argparse

from tests.differential.programs import KINDS, run_programs


def main() -> int:
    """Run what was asked for; 1 where a difference was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--programs", type=int, default=200, metavar="N", help="programs of each kind")
    parser.add_argument("--kind", choices=[*KINDS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--seconds", type=float, default=None, help="of each kind, at most")
    parser.add_argument("--shrink", type=float, default=30.0, help="seconds spent on making a difference small")
    given = parser.parse_args()
    found = 0
    for kind in KINDS if given.kind == "all" else [given.kind]:
        tally = run_programs(kind, given.programs, given.seed, seconds=given.seconds, shrink=given.shrink)
        print(f"{kind}: {tally.counts['programs']:,} programs, {len(tally.differences)} differences")
        print("\n".join(tally.lines()))
        found += len(tally.differences)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
