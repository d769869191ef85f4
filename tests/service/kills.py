"""Servers killed in the middle of updates: `python -m tests.service.kills N [SEED]` kills so many
and counts.

After each kill the workspace is opened again. Either all of the update is there, facts and run, or
nothing of it is.
"""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import httpx

import workbench

RULES = (
    "Lends(reader, book)\nLikes(reader, book)\nFriends(reader, reader)\n1 Lends(r, b) => "
    "Likes(r, b)\n"
)
RULES += "0.7 Friends(r, s) ^ Likes(r, b) => Likes(s, b)\n-0.3 Likes(r, b)\n"
LIMITED = """
import resource, sys
size = int(sys.argv[1])
if size:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
sys.argv = ["workbench", *sys.argv[2:]]
from workbench.cli import main
main()
"""


@contextmanager
def served_apart(
    workspace: Path,
    largest_file: int = 0,
    process: list[subprocess.Popen[bytes]] | None = None,
    words: Sequence[str] = (),
) -> Iterator[str]:
    """`workbench serve` in a process with bounded files and tokens; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-B",
        "-c",
        LIMITED,
        str(largest_file),
        "serve",
        str(workspace),
        "--port",
        str(port),
        *(part for word in words for part in ("--token", word)),
    ]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    if process is not None:
        process.append(server)
    address = f"http://127.0.0.1:{port}"
    try:
        while server.poll() is None:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{address}/health").status_code == 200:
                    break
            sleep(0.05)
        yield address
    finally:
        server.terminate()
        server.wait(30)


def kill_updates(n: int, seed: int) -> Counter[str]:
    """Kill `n` servers at random moments of an update; the first says how long one takes."""
    tally: Counter[str] = Counter()
    draw = random.Random(f"updates {seed}")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "w.duckdb")
        readers, books = [f"R{i}" for i in range(60)], [f"B{i}" for i in range(40)]
        with workbench.open(path) as made:
            made.declare(RULES)
            made.data.add(
                [f"Lends({draw.choice(readers)}, {draw.choice(books)})" for _ in range(200)]
            )
            made.data.add(
                [f"Friends({draw.choice(readers)}, {draw.choice(readers)})" for _ in range(120)]
            )
            made.infer(RULES, query=["Likes"], task="map")
        seconds = 120.0
        for number in range(n):
            before = _state(path)
            facts = [f"Lends(N{number}x{i}, {draw.choice(books)})" for i in range(30)]
            server: list[subprocess.Popen[bytes]] = []
            with served_apart(path, process=server) as address:
                begun = monotonic()
                call = Thread(target=_update, args=(address, facts), daemon=True)
                call.start()
                call.join(seconds if number == 0 else draw.uniform(0.3, 1.1) * seconds)
                in_time = call.is_alive()
                server[0].send_signal(signal.SIGKILL)
                server[0].wait()
                seconds = seconds if in_time else monotonic() - begun
            after = _state(path)
            whole = (before[0] + 30, before[1] + 1)
            outcome = "nothing" if after == before else "all" if after == whole else "torn"
            tally.update(("killed" if in_time else "too late", outcome))
    return tally


def _update(address: str, facts: list[str]) -> None:
    with suppress(httpx.HTTPError):
        httpx.post(f"{address}/api/tools/update", json={"run": 1, "add": facts}, timeout=120)


def _state(path: Path) -> tuple[int, int]:
    """Facts of loans, and runs."""
    with workbench.open(path) as workspace:
        facts = workspace.data.query('SELECT count(*) FROM facts."Lends"').rows[0][0]
        return int(facts), len(workspace.runs())


if __name__ == "__main__":
    print(dict(kill_updates(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
