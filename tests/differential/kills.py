"""A command killed at a random moment: the workspace opens afterwards, and holds all of a run or nothing of it."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep

import workbench as wb
from tests.differential.outcome import Tally
from workbench.database import read_runs

__all__ = ["run_kills"]

RULES = """person = {A, B}
Smokes(person)
Friends(person, person)
1.5 Smokes(x) => !Friends(x, y)
0.5 Smokes(x)
"""


def run_kills(n: int, seed: int, *, seconds: float | None = None) -> Tally:
    """Kill `n` commands, one after the other on one workspace, or until time is up."""
    tally = Tally()
    until = None if seconds is None else monotonic() + seconds
    draw = random.Random(f"kills {seed}")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "rules.mln").write_text(RULES, encoding="utf-8")
        whole = _seconds(_command(draw, place, place / "whole.duckdb", 0))
        while tally.counts["commands killed"] < n and (until is None or monotonic() < until):
            workspace = place / f"w{tally.counts['commands'] // 20}.duckdb"
            command = _command(draw, place, workspace, tally.counts["commands"])
            before = _state(workspace)
            tally.add("commands")
            killed = _killed(command, whole * (0.3 + draw.random()))
            tally.add("commands killed" if killed else "commands that ended first")
            fault = _fault(workspace, before, command)
            if fault is not None:
                tally.differences.append((fault, " ".join(command)))
                print(f"KILL {fault}: {' '.join(command)}", file=sys.stderr, flush=True)
                workspace.unlink(missing_ok=True)
    return tally


def _command(draw: random.Random, place: Path, workspace: Path, number: int) -> list[str]:
    facts = place / f"facts{number}.db"
    people = draw.choice([20, 300])
    lines = [f"Friends(P{number}x{i}, P{number}x{(i * 7 + 1) % people})" for i in range(people)]
    facts.write_text("\n".join([*lines, f"Smokes(P{number}x0)"]), encoding="utf-8")
    rules, program = str(place / "rules.mln"), [sys.executable, "-m", "workbench"]
    if draw.random() < 0.5 or not workspace.exists():
        return [*program, "load", str(workspace), str(facts), "--rules", rules]
    return [*program, "infer", rules, "--workspace", str(workspace), "--query", "Smokes", "--engine", "mcsat"]


def _seconds(command: list[str]) -> float:
    """What a command takes that is left alone."""
    begun = monotonic()
    subprocess.run(command, capture_output=True, check=True)
    return monotonic() - begun


def _killed(command: list[str], after: float) -> bool:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = monotonic() + after
    while monotonic() < until:
        if process.poll() is not None:
            return False
        sleep(0.01)
    process.kill()
    process.wait()
    return True


def _state(workspace: Path) -> tuple[int, int]:
    """Runs recorded, and facts."""
    if not workspace.exists():
        return 0, 0
    with wb.open(workspace) as opened:
        runs = len(read_runs(opened.database))
        facts = sum(
            opened.database.connection.execute(f'SELECT count(*) FROM "{one.table_name}"').fetchall()[0][0]
            for one in opened.database.predicates().values()
        )
    return runs, facts


def _fault(workspace: Path, before: tuple[int, int], command: list[str]) -> str | None:
    """What is wrong with the workspace after the kill; None where all or nothing of the command is in it."""
    try:
        runs, facts = _state(workspace)
        if runs - before[0] not in (0, 1):
            return f"{runs - before[0]} runs more than before"
        given = len(Path(command[5]).read_text(encoding="utf-8").splitlines()) if "load" in command else 0
        if facts - before[1] not in (0, given):
            return f"{facts - before[1]} facts more than before, {given} were given"
        with wb.open(workspace) as opened:
            for run in read_runs(opened.database):
                if run.kind == "infer" and opened.run_predictions(run.id).empty:
                    return f"run {run.id} has no predictions"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None
