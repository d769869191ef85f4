"""What benchmarks measure by, the page served to them, and how they print."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.report import Record, markdown, tables_of


def print_records(records: Iterable[Record] | Mapping[str, Any], as_json: bool) -> None:
    """As JSON, or as a table; a mapping holds the tables by title."""
    found = records if isinstance(records, Mapping) else list(records)
    if as_json:
        print(json.dumps(found, default=str), flush=True)
        return
    for title, table in tables_of(found).items():
        print(f"{title}\n\n{markdown(table)}\n" if title else markdown(table), flush=True)


@contextmanager
def served(path: Path) -> Iterator[tuple[str, int]]:
    """The page over a workspace file: its address, which answers soon, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = ["-m", "workbench", "app", str(path), "--port", port, "--no-browser"]
    server = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        yield f"http://localhost:{port}", server.pid
    finally:
        server.terminate()
        server.wait()
