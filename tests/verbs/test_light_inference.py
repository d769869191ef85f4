"""A small exact answer imports neither the learners, linear algebra, Arrow nor pandas, and its
process ends without a search for circles of objects: each takes longer than the answer.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import workbench as wb
with wb.open() as workspace:
    rules = "Friends(person, person)\\nSmokes(person)\\n1.5 Friends(x, y) ^ Smokes(x) => Smokes(y)"
    workspace.declare(rules)
    workspace.load(sys.argv[1])
    result = workspace.infer(rules, query="Smokes")
    assert len(result.prediction_columns()["atom"]) == 2
unwanted = "workbench.learning scipy.linalg scipy.optimize numba pandas pyarrow sqlite3"
print([name for name in unwanted.split() if name in sys.modules])
"""


def test_a_small_answer_imports_little(tmp_path: Path) -> None:
    facts = tmp_path / "facts.db"
    facts.write_text("Friends(Ann, Bob)\nFriends(Bob, Ann)\n")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(facts)], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_a_command_ends_without_collecting_what_it_holds() -> None:
    script = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 10_000));"
        "sys.argv = ['workbench', '--version']; from workbench.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split()[-1] == "True", done.stdout + done.stderr
