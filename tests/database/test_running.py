"""What connections do beside their statements."""

from __future__ import annotations

import subprocess
import sys


def test_no_progress_is_drawn_where_python_runs_no_script() -> None:
    code = (
        "from workbench.database import Database\n"
        "with Database.open() as database:\n"
        "    for one in (database.connection, database.cursor()):\n"
        "        print(one.execute(\"SELECT current_setting('enable_progress_bar')\").fetchone())"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == ["(False,)", "(False,)"]
