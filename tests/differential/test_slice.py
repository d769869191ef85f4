"""A slice of the differential programme: the same cases every time; their number is printed and
asserted.

`python -m tests.differential` runs as many others as it is given time for.
"""

from __future__ import annotations

import pytest

from tests.differential.fuzz import TEXTS, fuzz_inputs
from tests.differential.kills import kill_commands
from tests.differential.programs import run_programs

PROGRAMS = {
    "mln": 40,
    "learning": 12,
    "hidden learning": 8,
    "variants": 10,
    "psl": 30,
    "values": 12,
    "dated": 15,
    "soft values": 12,
    "soft learning": 4,
    "soft learners": 9,
    "scores": 10,
    "models": 20,
    "updates": 3,
    "value updates": 4,
    "soft updates": 2,
    "soft value updates": 2,
    "studies": 4,
    "tables": 25,
    "printed": 50,
}
INPUTS = 600
KILLS = 3


@pytest.mark.parametrize("kind", PROGRAMS)
def test_random_programs(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    tally = run_programs(kind, PROGRAMS[kind], 0, shrink=20.0)
    with capsys.disabled():
        print(
            f"\n{kind}: {tally.counts['programs']} programs, {len(tally.differences)} differences"
        )
    assert [verdict for verdict, _ in tally.differences] == []
    assert tally.counts["programs"] == PROGRAMS[kind]


def test_damaged_files(capsys: pytest.CaptureFixture[str]) -> None:
    tally = fuzz_inputs(range(INPUTS), TEXTS)
    with capsys.disabled():
        print(f"\nfuzz: {tally.counts['inputs']} inputs, {len(tally.differences)} differences")
    assert [verdict for verdict, _ in tally.differences] == []
    assert tally.counts["inputs"] == INPUTS


def test_killed_commands(capsys: pytest.CaptureFixture[str]) -> None:
    tally = kill_commands(KILLS, 0)
    with capsys.disabled():
        print(
            f"\nkills: {tally.counts['commands killed']} commands, {len(tally.differences)} "
            "differences"
        )
    assert [verdict for verdict, _ in tally.differences] == []
    assert tally.counts["commands killed"] == KILLS
