"""All benchmarks in one run: tables on the terminal, records as JSON, a report in Markdown.

    python -m benchmarks [NAME...] [--quick] [--repeats 3] [--json] [--out DIR] [--psl-jar FILE]
    [--aleph FILE]

Every benchmark runs in a process of its own, one at a time, `--repeats` times over; figures are
medians with the least and the most. `--out DIR` writes benchmarks.json and benchmarks.md after each
of them; standard error says which one runs. Rivals are measured in the same run where they are
given: PSL's jar (found by itself where the package `pslpython` is installed) and an `aleph.pl` for
SWI-Prolog. A benchmark that fails is said, the others run, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.report import growth, markdown, medians, tables_of
from benchmarks.suite import SUITE, Benchmark


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(SUITE)}; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="small problems, once")
    parser.add_argument("--repeats", type=int, help="3 by default, 1 with --quick")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--psl-jar", type=Path, default=_installed_psl())
    parser.add_argument("--aleph", type=Path)
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in SUITE]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(SUITE)}")
    repeats = given.repeats if given.repeats is not None else 1 if given.quick else 3
    if repeats < 1:
        parser.error("--repeats takes a number of 1 or more")
    rivals = {"psl-jar": given.psl_jar, "aleph": given.aleph}
    report: dict[str, Any] = {
        "machine": _machine(),
        "repeats": repeats,
        "quick": given.quick,
        "benchmarks": {},
    }
    names = given.names or list(SUITE)
    for number, name in enumerate(names, 1):
        print(f"{name}: {number} of {len(names)}", file=sys.stderr, flush=True)
        report["benchmarks"][name] = found = _measured(SUITE[name], given.quick, repeats, rivals)
        if not given.json:
            print(_section(name, found), flush=True)
        if given.out is not None:
            _write(report, given.out)
    if given.json:
        print(json.dumps(report, indent=1))
    if any("failed" in found for found in report["benchmarks"].values()):
        sys.exit(1)


def _write(report: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    (folder / "benchmarks.md").write_text(_document(report), encoding="utf-8")


def _measured(
    benchmark: Benchmark, quick: bool, repeats: int, rivals: dict[str, Path | None]
) -> dict[str, Any]:
    """Its command, seconds and tables, with the growth of each; `failed` where a run failed."""
    module, *arguments = (benchmark.quick if quick else benchmark.command).split()
    arguments += [
        f"--{name}={rivals[name]}" for name in benchmark.rivals if rivals[name] is not None
    ]
    command = ["-m", f"benchmarks.{module}", *arguments, "--json"]
    said: dict[str, Any] = {
        "command": " ".join(["python", *command]),
        "load": round(os.getloadavg()[0], 1),
    }
    begun, runs = perf_counter(), []
    for _ in range(repeats):
        run = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, check=False
        )
        if run.returncode:
            return said | {
                "failed": (run.stderr or run.stdout).strip()[-1000:]
                or f"exit code {run.returncode}"
            }
        runs.append(tables_of(json.loads(run.stdout[run.stdout.index(_first(run.stdout)) :])))
    tables = {title: medians([run[title] for run in runs]) for title in runs[0]}
    said |= {"seconds": round(perf_counter() - begun, 1), "tables": tables}
    if benchmark.growth is not None:
        size, cost = benchmark.growth
        powers = {
            kind: power
            for records in tables.values()
            for kind, power in growth(records, size, cost).items()
        }
        said["growth"] = {"of": cost, "in": size, "exponents": powers}
    return said


def _first(text: str) -> str:
    """The first line that begins a list or a mapping: notices may stand before it."""
    return next(line for line in text.splitlines() if line.startswith(("[", "{")))


def _section(name: str, found: dict[str, Any]) -> str:
    lines = [f"## {name}", "", f"`{found['command']}`, load {found['load']}", ""]
    if "failed" in found:
        return "\n".join([*lines, "failed:", "", "```", found["failed"], "```", ""])
    for title, records in found["tables"].items():
        lines += [*([f"### {title}", ""] if title else []), markdown(records), ""]
    powers = found.get("growth", {"exponents": {}})
    for kind, power in powers["exponents"].items():
        lines += [
            f"{kind or 'All'}: {powers['of']} grows as {powers['in']} to the power of {power:.2f}.",
            "",
        ]
    return "\n".join(lines)


def _document(report: dict[str, Any]) -> str:
    said = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    sections = [_section(name, found) for name, found in report["benchmarks"].items()]
    times = f"{report['repeats']} run{'s' if report['repeats'] > 1 else ''} each"
    return "\n".join(
        [f"# Benchmarks\n\n{said}; {times}; figures are medians (least to most).\n", *sections]
    )


def _machine() -> dict[str, Any]:
    import workbench

    return {
        "workbench": workbench.__version__,
        "Python": platform.python_version(),
        "cores": os.cpu_count(),
    }


def _installed_psl() -> Path | None:
    package = find_spec("pslpython")
    places = package.submodule_search_locations if package is not None else None
    jar = Path(places[0]) / "psl-runtime.jar" if places else None
    return jar if jar is not None and jar.exists() else None


if __name__ == "__main__":
    main()
