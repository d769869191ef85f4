"""A command killed at a random moment: the workspace opens afterwards, and holds all of a run or
nothing of it.

Commands run in forks of a process that has everything imported and has never opened a database, so
a kill falls into the work, not into the start of Python; workspaces are looked at in forks too.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic

import workbench as wb
import workbench.verbs.infer
import workbench.verbs.learn
import workbench.verbs.loading
import workbench.verbs.updating.update
from tests.differential.outcome import Tally
from workbench.cli import main
from workbench.database import read_runs

RULES = """person = {A, B}
Smokes(person)
Friends(person, person)
1.5 Smokes(x) => !Friends(x, y)
0.5 Smokes(x)
"""
ON_ONE_WORKSPACE = 20
_fork = multiprocessing.get_context("fork")


def kill_commands(n: int, seed: int) -> Tally:
    """Kill `n` commands, one after the other, twenty on a workspace."""
    tally = Tally()
    draw = random.Random(f"kills {seed}")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "rules.mln").write_text(RULES, encoding="utf-8")
        whole = _seconds(_command(draw, place, place / "whole.duckdb", 0))
        while tally.counts["commands killed"] < n:
            workspace = place / f"w{tally.counts['commands'] // ON_ONE_WORKSPACE}.duckdb"
            command = _command(draw, place, workspace, tally.counts["commands"])
            before = _in_fork(_state, workspace)
            tally.add("commands")
            killed = _killed(command, whole * 1.3 * draw.random())
            tally.add("commands killed" if killed else "commands that ended first")
            tally.add(f"{command[0]}: {'killed' if killed else 'ended first'}")
            fault = _in_fork(_fault, workspace, before, command)
            if fault is not None:
                tally.differences.append((str(fault), " ".join(command)))
                print(f"KILL {fault}: {' '.join(command)}", file=sys.stderr, flush=True)
                workspace.unlink(missing_ok=True)
    return tally


def fill_disks(n: int, seed: int) -> Tally:
    """Give `n` commands a disk with little room; each succeeds, or says that it is full."""
    tally = Tally()
    draw = random.Random(f"disks {seed}")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "rules.mln").write_text(RULES, encoding="utf-8")
        for number in range(n):
            workspace = place / f"w{number // ON_ONE_WORKSPACE}.duckdb"
            command = _command(draw, place, workspace, number)
            before = _in_fork(_state, workspace)
            room = draw.choice([0, 4_000, 8_000, 16_000, 40_000, 300_000])
            size = room + (workspace.stat().st_size if workspace.exists() else 0)
            said = place / "said"
            process = _fork.Process(target=_run, args=(command, said, size))
            process.start()
            process.join()
            tally.add("commands on full disks")
            full = process.exitcode != 0
            tally.add(f"{command[0]}: {'no room' if full else 'done'}")
            told = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
            fault = (
                _in_fork(_fault, workspace, before, command)
                if workspace.exists() or not full
                else None
            )
            nothing_to_learn = command[0] == "learn" and before[1] == 0 and "E0501" in told
            if full and (process.exitcode != 1 or ("E0221" not in told and not nothing_to_learn)):
                fault = f"exit code {process.exitcode}: {told[-200:]}"
            if fault is not None:
                tally.differences.append((str(fault), f"{' '.join(command)}, {room} bytes of room"))
                print(
                    f"DISK {fault}: {' '.join(command)}, {room} bytes of room",
                    file=sys.stderr,
                    flush=True,
                )
                workspace.unlink(missing_ok=True)
    return tally


def _command(draw: random.Random, place: Path, workspace: Path, number: int) -> list[str]:
    facts = place / f"facts{number}.db"
    people = draw.choice([20, 300])
    lines = [f"Friends(P{number}x{i}, P{number}x{(i * 7 + 1) % people})" for i in range(people)]
    facts.write_text("\n".join([*lines, f"Smokes(P{number}x0)"]), encoding="utf-8")
    rules = str(place / "rules.mln")
    kind = draw.random() if workspace.exists() else 0.0
    if kind < 0.4:
        return ["load", str(workspace), str(facts), "--rules", rules]
    run = _in_fork(_inferred, workspace) if kind >= 0.8 else 0
    if run:
        return ["update", str(workspace), str(facts), "--run", str(run)]
    if kind < 0.65:
        return [
            "infer",
            rules,
            "--workspace",
            str(workspace),
            "--query",
            "Smokes",
            "--engine",
            "mcsat",
        ]
    return ["learn", rules, "--workspace", str(workspace), "--query", "Smokes"]


def _run(command: list[str], said: Path | None = None, size: int | None = None) -> None:
    """The command in this process, unheard; no file grows beyond a size."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    words = nowhere if said is None else os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream, target in ((0, nowhere), (1, nowhere), (2, words)):
        os.dup2(target, stream)
    if size is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(size, 4096), max(size, 4096)))
    sys.argv = ["workbench", *command]
    main()


def _seconds(command: list[str]) -> float:
    """What a command takes that is left alone."""
    begun = monotonic()
    process = _fork.Process(target=_run, args=(command,))
    process.start()
    process.join()
    return monotonic() - begun


def _killed(command: list[str], after: float) -> bool:
    process = _fork.Process(target=_run, args=(command,))
    process.start()
    process.join(after)
    if process.exitcode is not None:
        return False
    process.kill()
    process.join()
    return True


def _in_fork(look: Callable[..., object], *arguments: object) -> object:
    """`look(*arguments)` in a process of its own; the answer of one that dies says so."""
    answers, own = _fork.Pipe(duplex=False)
    process = _fork.Process(target=_look, args=(own, look, arguments))
    process.start()
    own.close()
    try:
        return answers.recv()
    except EOFError:
        return f"the process that opened the workspace died ({look.__name__})"
    finally:
        process.join()


def _look(own: Connection, look: Callable[..., object], arguments: tuple[object, ...]) -> None:
    own.send(look(*arguments))


def _inferred(workspace: Path) -> int:
    """The newest run that inferred; 0 where there is none."""
    with wb.open(workspace) as opened:
        return max((run.id for run in read_runs(opened.database) if run.kind == "infer"), default=0)


def _state(workspace: Path) -> tuple[int, int]:
    """Runs recorded, and facts."""
    if not workspace.exists():
        return 0, 0
    with wb.open(workspace) as opened:
        runs = len(read_runs(opened.database))
        facts = sum(
            opened.database.connection.execute(
                f'SELECT count(*) FROM "{one.table_name}"'
            ).fetchall()[0][0]
            for one in opened.database.predicates().values()
        )
    return runs, facts


def _fault(workspace: Path, before: tuple[int, int], command: list[str]) -> str | None:
    """What is wrong with the workspace after the kill; None where all or nothing is in it."""
    try:
        runs, facts = _state(workspace)
        if runs - before[0] not in (0, 1):
            return f"{runs - before[0]} runs more than before"
        brings = command[0] in ("load", "update")
        given = len(Path(command[2]).read_text(encoding="utf-8").splitlines()) if brings else 0
        if facts - before[1] not in (0, given):
            return f"{facts - before[1]} facts more than before, {given} were given"
        if command[0] == "update" and (runs > before[0]) != (facts > before[1]):
            return f"{runs - before[0]} runs and {facts - before[1]} facts more than before"
        with wb.open(workspace) as opened:
            for run in read_runs(opened.database):
                if run.kind == "infer" and opened.runs.predictions(run.id).empty:
                    return f"run {run.id} has no predictions"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None
