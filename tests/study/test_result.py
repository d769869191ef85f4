"""What a study found is written without a data frame, and is one where somebody asks for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np


def test_a_study_needs_no_pandas(tmp_path: Path) -> None:
    """It takes as long to import as candidates take to make."""
    amount = np.random.default_rng(0).integers(1, 90, 120)
    lines = [f"{row},{one},{'yes' if one > 40 else 'no'}" for row, one in enumerate(amount)]
    lines[5] = "5,7,"
    file = tmp_path / "loans.csv"
    file.write_text("\n".join(["id,amount,late", *lines]) + "\n")
    code = (
        "import sys; import workbench as wb\n"
        "with wb.open() as ws:\n"
        f"    found = ws.study([{str(file)!r}], 'loans.late', folds=2)\n"
        "written, there = found.predictions_csv(), 'pandas' in sys.modules\n"
        "frame = found.predictions\n"
        "print(there, frame.to_csv(index=False) == written, (~frame['known']).sum())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "True", "1"]
