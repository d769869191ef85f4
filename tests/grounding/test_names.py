"""Names of constants by id are the same as plain texts and as an Arrow array."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from workbench.grounding import names as module
from workbench.grounding.names import Names


@pytest.mark.parametrize("few", [0, 10])
def test_names_are_found_by_id_and_ids_by_name(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE c_t AS FROM (VALUES (2, 'Zoe'), (0, 'Ann'), (1, 'Bob')) t(id, name)"
    )
    monkeypatch.setattr(module, "FEW", few)
    monkeypatch.setattr(module, "SOME", few)
    names = Names.of(connection, "c_t")
    assert names.at(np.array([2, 0, 2], np.int32)) == ["Zoe", "Ann", "Zoe"]
    assert [names.place(one) for one in ("Bob", "Carl")] == [1, -1]
    assert names.listed() == ["Ann", "Bob", "Zoe"]
