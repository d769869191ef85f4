"""Hostile and malformed calls of the assistants' tools: `python -m tests.service.hostile 1000`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

PATHS = (
    "../secret.db",
    "link.db",
    "/etc/passwd",
    "/etc/../etc/hosts.csv",
    "....//secret.db",
    "secret.db\0.csv",
    "postgresql://localhost/db",
    "http://localhost/x.csv",
    "file:///etc/passwd.csv",
    "~/x.csv",
    "",
    ".",
    "x" * 5000 + ".csv",
    "*.csv",
    "dataset.toml",
)
TEXTS = (
    "",
    "\0",
    "P(",
    "1 P(x) => ",
    '#include "../secret.db"\n',
    '  # include "/etc/passwd"',
    "/etc/passwd",
    "../secret.db",
    "P(t)\n1 P(x)\n" * 3,
    "P(t)\n" + "(" * 3000,
    "P(t)\n1e308 P(x)\n-1e308 P(x)\n",
    "P(t, t, t)\n1 P(x, y, z) ^ P(y, z, w) ^ P(w, x, y) => P(z, w, x)\n",
    "\U0001f600(t)\n1 \U0001f600(x)",
    "P(t)\n1 P(x).\n",
    "{" * 100,
    "nan P(x)",
    "P(t)\ninf P(x)\n",
    "Q(X) = 1 .",
    "1.0: A(X) -> B(X)",
)
STATEMENTS = (
    "SELECT * FROM read_csv('/etc/passwd')",
    "COPY run TO '/tmp/escaped.csv'",
    "ATTACH '/tmp/escaped.duckdb'",
    "DROP TABLE run",
    "SELECT 1; DROP TABLE run",
    "INSTALL httpfs",
    "SELECT getenv('HOME')",
    "SELECT * FROM '/etc/passwd'",
    "PRAGMA database_list",
    "SET enable_external_access = true",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "SELECT * FROM run",
    "SELECT",
    "\0",
    "EXPLAIN ANALYZE SELECT 1",
)
ODD: tuple[Any, ...] = (
    None,
    -1,
    0,
    10**30,
    1.5,
    float("1e300"),
    True,
    [],
    {},
    "x",
    [None],
    {"a": [1]},
    [[]],
    "1",
)


def hostile_calls(random: Random, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of tools with arguments that try to escape, or make no sense."""
    made = {
        "profile": lambda: {"files": [random.choice(PATHS)]},
        "load": lambda: {"files": [random.choice(PATHS)], "rules": random.choice((None, *TEXTS))},
        "study": lambda: {"files": [random.choice(PATHS)], "predict": random.choice(TEXTS)},
        "check": lambda: {"rules": random.choice(TEXTS)},
        "preview": lambda: {"rules": random.choice(TEXTS), "query": [random.choice(TEXTS)]},
        "learn": lambda: {
            "rules": random.choice(TEXTS),
            "learner": random.choice(TEXTS),
            "seconds": 2,
        },
        "crossval": lambda: {
            "rules": random.choice(TEXTS),
            "query": [random.choice(TEXTS)],
            "seconds": 2,
        },
        "infer": lambda: {
            "rules": random.choice(TEXTS),
            "engine": random.choice(("auto", *TEXTS)),
            "seconds": 2,
        },
        "explain": lambda: {"run": random.choice((1, 2, 99)), "atom": random.choice(TEXTS)},
        "what_if": lambda: {"run": 1, "changes": {random.choice(TEXTS): True}},
        "update": lambda: {"run": 1, "add": [random.choice((*TEXTS, *PATHS))], "confirm": True},
        "compare": lambda: {"first_run": 1, "second_run": random.choice((1, 77))},
        "query": lambda: {"sql": random.choice(STATEMENTS)},
        "delete_run": lambda: {"run": 5, "confirm": random.choice((True, False))},
        "propose_rules": lambda: {"predicates": [random.choice(TEXTS)], "seconds": 2},
        "link": lambda: {
            "files": [random.choice(PATHS)],
            "id_column": random.choice(TEXTS),
            "seconds": 2,
        },
        "link_more": lambda: {
            "files": [random.choice(PATHS)],
            "run": random.choice((1, 99)),
            "remove": True,
        },
        "review": lambda: {"run": random.choice((1, 99)), "reviewer": random.choice(TEXTS)},
        "answer": lambda: {"run": 1, "atom": random.choice(TEXTS), "says": True},
        "undo_answer": lambda: {"reviewer": random.choice(TEXTS)},
        "review_pairs": lambda: {"run": random.choice((1, 99)), "most": random.choice((1, 0))},
        "answer_pair": lambda: {"run": 1, "left": random.choice(TEXTS), "right": "1", "same": True},
        "schema": dict,
        "runs": dict,
        "no_such_tool": lambda: {"x": 1},
    }
    for _ in range(count):
        tool = random.choice(sorted(made))
        arguments = made[tool]()
        if arguments and random.random() < 0.3:
            arguments[random.choice(sorted(arguments))] = random.choice(ODD)
        if random.random() < 0.1:
            arguments["surplus"] = random.choice(ODD)
        yield tool, arguments


def main() -> None:
    """Make the number of calls given, and say what escaped."""
    import anyio
    from mcp import Client

    import workbench
    from workbench.service.assistants import assistants_server, current_progress
    from workbench.service.folders import Folders
    from workbench.service.toolbox import Toolbox

    faults: list[str] = []

    async def run(folder: Path) -> None:
        with workbench.open() as workspace:
            toolbox = Toolbox(workspace, Folders((folder,)), current_progress)
            async with Client(assistants_server(toolbox, seconds=20.0)) as client:
                for tool, arguments in hostile_calls(Random(0), int(sys.argv[1])):
                    try:
                        with anyio.fail_after(60):
                            text = str(await client.call_tool(tool, arguments))
                    except TimeoutError:
                        text = "E0864 hang"
                    except Exception as error:
                        text = str(error)
                    if any(word in text for word in ("Traceback", "Hidden", "E0864", "root:x:")):
                        faults.append(f"{tool} {arguments!r:.300}: {text[:300]}")

    with tempfile.TemporaryDirectory() as made:
        inside = Path(made).resolve() / "inside"
        inside.mkdir()
        (Path(made) / "secret.db").write_text("Secret(Hidden)\n", encoding="utf-8")
        (inside / "link.db").symlink_to(Path(made) / "secret.db")
        anyio.run(run, inside)
    print("\n".join(faults))
    print(f"{sys.argv[1]} hostile calls, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
