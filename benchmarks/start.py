"""How soon a new process answers: CPU time and memory of `workbench infer` on a few atoms.

    python -m benchmarks.start [--engines exact mcsat ...] [--json]

Each engine answers twice: with no machine code of kernels kept ("first"), and with what the first
left ("second"). Byte code is there, as pip makes it: one answer before writes it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import print_records

ENGINES = {
    "exact": "marginal", "mcsat": "marginal", "gibbs": "marginal", "bp": "marginal",
    "maxwalksat": "map", "lp": "map", "ilp": "map", "cpi": "map",
}  # fmt: skip
RULES = """Smokes(person)
Friends(person, person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
"""
FACTS = "Friends(Anna, Bob)\nFriends(Bob, Cara)\nSmokes(Anna)\n"


def answer(engine: str, directory: Path, byte_code: Path) -> dict[str, float]:
    """CPU seconds and largest memory of one command."""
    command = ["infer", "rules.mln", "--data", "facts.db", "--query", "Smokes,Cancer"]
    command += ["--task", ENGINES[engine], "--engine", engine]
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(directory / "kernels"),
        "PYTHONPYCACHEPREFIX": str(byte_code),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    run = "from workbench.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", run, *command],
        cwd=directory,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{engine} did not answer")
    return {
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "megabytes": usage.ru_maxrss // 1024,
    }


def answers(engine: str, byte_code: Path) -> list[dict[str, float | str]]:
    """The first answer of an engine and the second."""
    with TemporaryDirectory() as folder:
        directory = Path(folder)
        (directory / "rules.mln").write_text(RULES)
        (directory / "facts.db").write_text(FACTS)
        return [
            {"engine": engine, "answer": which, **answer(engine, directory, byte_code)}
            for which in ("first", "second")
        ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with TemporaryDirectory() as byte_code:
        answers(given.engines[0], Path(byte_code))
        records = [one for engine in given.engines for one in answers(engine, Path(byte_code))]
    print_records(records, given.json)


if __name__ == "__main__":
    main()
