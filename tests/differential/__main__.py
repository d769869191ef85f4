"""`python -m tests.differential`: random programs against oracles, damaged files, killed commands,
full disks.

Every part runs until it has done its number or its time is up, prints its figures, and prints each
difference, made small, to standard error. `--programs 0` and the like leave a part out. With `--log
FILE` what is done is kept, and the same command goes on where it was ended.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.differential.chunks import Chunk, Log, Part, run_chunks
from tests.differential.fuzz import fuzz_inputs
from tests.differential.kills import fill_disks, kill_commands
from tests.differential.outcome import Tally
from tests.differential.programs import KINDS, SHARES, run_cases

PROGRAMS, INPUTS, KILLS = 80, 2000, 10
"""Cases in a chunk: half a minute of one calm core, or less."""


def main() -> int:
    """Run what was asked for; 1 where a difference was found."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.differential",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--programs", type=int, default=200, metavar="N", help="programs, of all kinds together"
    )
    parser.add_argument("--kind", choices=[*KINDS, "all"], default="all", help="of programs")
    parser.add_argument("--fuzz", type=int, default=0, metavar="N", help="damaged files")
    parser.add_argument("--kills", type=int, default=0, metavar="N", help="commands killed")
    parser.add_argument("--disks", type=int, default=0, metavar="N", help="commands on a full disk")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="processes at once")
    parser.add_argument("--seconds", type=float, default=None, help="of each part, at most")
    parser.add_argument(
        "--shrink", type=float, default=30.0, help="seconds spent on making a difference small"
    )
    parser.add_argument(
        "--log",
        type=Path,
        default=None,
        metavar="FILE",
        help="keep what is done, and go on from it",
    )
    parser.add_argument("--out", type=Path, default=None, help="write the figures as JSON")
    given = parser.parse_args()
    parts = list(
        _parts(given.kind, given.programs, given.fuzz, given.kills, given.disks, given.seed)
    )
    run_chunks(
        parts,
        partial(_work, shrink=given.shrink),
        jobs=given.jobs,
        log=Log(given.log),
        seconds=given.seconds,
    )
    for part in parts:
        counts = part.tally.counts
        print(
            f"{part.name}: {counts[part.unit]:,} {part.unit}, {len(part.tally.differences)} "
            "differences",
            flush=True,
        )
        print("\n".join(part.tally.lines()), flush=True)
    if given.out is not None:
        figures = {
            one.name: {**one.tally.counts, "differences": len(one.tally.differences)}
            for one in parts
        }
        given.out.write_text(
            json.dumps({"seed": given.seed, **figures}, indent=1) + "\n", encoding="utf-8"
        )
    return 1 if any(part.tally.differences for part in parts) else 0


def _parts(
    kind: str, programs: int, inputs: int, kills: int, disks: int, seed: int
) -> Iterator[Part]:
    """What is asked for; programs of all kinds are dealt by their shares."""
    shares = SHARES if kind == "all" else {kind: 1}
    whole = sum(shares.values())
    for name, share in shares.items():
        if programs:
            number = -(-programs * share // whole)
            yield Part(name, "programs", number, seed, min(PROGRAMS, number))
    if inputs:
        yield Part("fuzz", "inputs", inputs, seed, min(INPUTS, inputs))
    if kills:
        yield Part("kills", "commands killed", kills, seed, min(KILLS, kills))
    if disks:
        yield Part("disks", "commands on full disks", disks, seed, min(KILLS, disks))


def _work(chunk: Chunk, shrink: float) -> Tally:
    seeds = range(chunk.first, chunk.first + chunk.size)
    if chunk.part == "fuzz":
        return fuzz_inputs(seeds)
    if chunk.part == "kills":
        return kill_commands(chunk.size, chunk.first)
    if chunk.part == "disks":
        return fill_disks(chunk.size, chunk.first)
    return run_cases(chunk.part, seeds, shrink=shrink)


if __name__ == "__main__":
    raise SystemExit(main())
