"""Soft logic that memory would not hold: rows on disk, passes over them, a proven gap; time and
memory by size.

python -m benchmarks.on_disk [--rules 4000000 16000000] [--memory 2GB] [--powers 1 2] [--parties 20]
[--learn] [--towns 100] [--json]

People know others and vote for one of some parties, as far as their bias and acquaintances move
them: a rule for each acquaintance and party. With `--learn` each has chosen one, and weights of
Markov logic are learned from the choices by pseudo-likelihood; with `--towns` people know others of
a town of so many only, and Markov logic's most probable state is asked for. Each size runs in a
process of its own, so that its memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from benchmarks.measuring import print_records
from workbench.inference.elsewhere import cpu_seconds
from workbench.parameters import read_size
from workbench.workspace import open_workspace

KNOWN = 10
"""Acquaintances a person has."""


def program(power: int) -> str:
    """The model, with linear or squared potentials."""
    mark = " ^2" if power == 2 else ""
    return (
        f"0.3: Knows(A, B) & Votes(A, P) -> Votes(B, P){mark}\n"
        f"0.5: Bias(A, P) -> Votes(A, P){mark}\n"
        "Votes(A, +P) <= 1 .\n"
    )


LOGIC = """Knows(person, person)
Votes(person, party)
Knows(a, b) ^ Votes(a, p) => Votes(b, p)
Votes(a, p)
"""


WEIGHTED = """Knows(person, person)
Bias(person, party)
Votes(person, party)
0.3 Knows(a, b) ^ Votes(a, p) => Votes(b, p)
0.5 Bias(a, p) => Votes(a, p)
0.05 !Votes(a, p)
"""


def make(folder: Path, rules: int, parties: int, town: int | None) -> None:
    """Acquaintances, biases and the atoms asked for, as Parquet."""
    people = rules // (KNOWN * parties)
    town = town or people
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        for name, query in {
            "Knows": f"SELECT 'P' || n AS a, 'P' || (n // {town} * {town} + (n % {town} + 1 + "
            f"(random() ** 3 * ({town} - 1))::BIGINT) % {town}) AS b FROM "
            f"(SELECT i % {people} AS n FROM range({people * KNOWN}) t(i))",
            "Bias": f"SELECT 'P' || i AS a, 'Q' || (hash(i) % {parties}) AS p, 0.2 + 0.8 * "
            f"random() AS value FROM range({people}) t(i)",
            "Chosen": f"SELECT 'P' || i AS a, 'Q' || (hash(i) % {parties}) AS p FROM "
            f"range({people}) t(i)",
            "Votes": f"SELECT 'P' || i AS a, 'Q' || j AS p FROM range({people}) t(i), "
            f"range({parties}) s(j)",
        }.items():
            distinct = "DISTINCT ON (a, b)" if name == "Knows" else ""
            wanted = f"SELECT {distinct} * FROM ({query})"
            connection.execute(f"COPY ({wanted}) TO '{folder / name}.parquet' (FORMAT parquet)")


def solve(folder: Path, power: int, memory: str) -> dict[str, object]:
    """Load and infer in this process; seconds, resident memory and the certificate."""
    began, cpu = time.perf_counter(), cpu_seconds()
    text = program(power)
    allowed = f"{int(0.4 * read_size(memory))}B"
    with open_workspace(folder / "work.duckdb", memory_limit=allowed) as workspace:
        workspace.declare(text)
        for name in ("Knows", "Bias"):
            workspace.load(folder / f"{name}.parquet", predicate=name)
        workspace.load(folder / "Votes.parquet", predicate="Votes", partition="target")
        loaded = time.perf_counter()
        result = workspace.infer(text, memory=memory, limit=2**31, record=False)
        solution = result.solution
        return {
            "rows": result.grounding.network.n_rows,
            "atoms": result.grounding.atoms.n_atoms,
            "power": power,
            "engine": solution.engine,
            "gap": f"{solution.gap:.1e}",
            "passes": solution.diagnostics.get("iterations"),
            "load_s": round(loaded - began, 1),
            "ground_s": round(result.ground_seconds, 1),
            **spent(began, cpu),
            "memory": memory,
        }


def infer(folder: Path, memory: str) -> dict[str, object]:
    """Load and find a most probable state in this process."""
    began, cpu = time.perf_counter(), cpu_seconds()
    allowed = f"{int(0.4 * read_size(memory))}B"
    with open_workspace(folder / "work.duckdb", memory_limit=allowed) as workspace:
        workspace.declare(WEIGHTED)
        for name in ("Knows", "Bias"):
            workspace.load(folder / f"{name}.parquet", predicate=name)
        result = workspace.infer(
            WEIGHTED, query="Votes", task="map", memory=memory, limit=2**31, record=False
        )
        solution, network = result.solution, result.grounding.network
        return {
            "rows": network.n_rows,
            "atoms": network.n_atoms,
            **{name: solution.diagnostics.get(name) for name in ("components", "bins", "blocks")},
            "status": solution.status,
            "energy": round(solution.energy, 2),
            "gap": f"{solution.gap:.1e}",
            "ground_s": round(result.ground_seconds, 1),
            **spent(began, cpu),
            "memory": memory,
        }


def learn(folder: Path, memory: str) -> dict[str, object]:
    """Load and learn in this process; seconds, resident memory and the weights."""
    began, cpu = time.perf_counter(), cpu_seconds()
    allowed = f"{int(0.4 * read_size(memory))}B"
    with open_workspace(folder / "work.duckdb", memory_limit=allowed) as workspace:
        workspace.declare(LOGIC)
        workspace.load(folder / "Knows.parquet", predicate="Knows")
        workspace.load(folder / "Chosen.parquet", predicate="Votes")
        loaded = time.perf_counter()
        result = workspace.learn(LOGIC, query="Votes", memory=memory, limit=2**31, record=False)
        return {
            "rows": result.grounding.network.n_rows,
            "atoms": result.grounding.atoms.n_atoms,
            "status": result.learned.status,
            "weights": [round(float(one), 9) for one in result.weights],
            "load_s": round(loaded - began, 1),
            **spent(began, cpu),
            "memory": memory,
        }


def spent(began: float, cpu: float) -> dict[str, object]:
    """Seconds since, and the most memory of this process."""
    return {
        "wall_s": round(time.perf_counter() - began, 1),
        "cpu_s": round(cpu_seconds() - cpu, 1),
        "resident_GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2),
    }


def apart(rules: int, power: int, memory: str, parties: int, town: int | None) -> dict[str, object]:
    """One size in a process of its own; power 0 learns, and towns are of Markov logic."""
    with TemporaryDirectory() as folder:
        make(Path(folder), rules, parties, town)
        command = [
            sys.executable,
            "-m",
            "benchmarks.on_disk",
            "--folder",
            folder,
            "--powers",
            str(power),
        ]
        towns = [] if town is None else ["--towns", str(town)]
        command += ["--memory", memory, *towns]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        found: dict[str, object] = json.loads(done.stdout)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, nargs="+", default=[4_000_000, 16_000_000])
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--powers", type=int, nargs="+", choices=(0, 1, 2), default=[2, 1])
    parser.add_argument("--learn", action="store_const", dest="powers", const=[0])
    parser.add_argument("--towns", type=int, help="people a town; Markov logic")
    parser.add_argument("--parties", type=int, default=20)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.folder is not None:
        power = arguments.powers[0]
        work = partial(solve, power=power) if power else learn
        work = infer if arguments.towns else work
        print(json.dumps(work(arguments.folder, memory=arguments.memory)))
        return
    powers = [1] if arguments.towns else arguments.powers
    rest = arguments.memory, arguments.parties, arguments.towns
    found = (apart(rules, power, *rest) for rules in arguments.rules for power in powers)
    print_records(found, arguments.json)


if __name__ == "__main__":
    main()
