"""Downloads hold what the table shows, and no formula that a spreadsheet would run."""

from __future__ import annotations

import pandas as pd

from app.downloads import csv_text


def test_formulas_are_neutralised_and_numbers_stay() -> None:
    frame = pd.DataFrame(
        {"name": ["=1+1", "@SUM(A1)", "\t=x", "Ada", None], "value": [-1.5, 2, 3, 4, 5], "+x": "-3"}
    )
    lines = csv_text(frame).splitlines()
    assert lines[0] == "name,value,'+x"
    assert lines[1] == "'=1+1,-1.5,'-3"
    assert lines[2].startswith("'@SUM(A1)")
    assert "'\t=x" in lines[3]
    assert lines[5] == ",5.0,'-3"
