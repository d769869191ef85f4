"""The real data sets, for tests that read them; without them the test is skipped and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.resources import datasets_directory


def dataset(name: str = "") -> Path:
    """The directory of one data set, or of all."""
    try:
        path = datasets_directory() / name
    except UsageError as error:
        pytest.skip(str(error))
    if not path.is_dir():
        pytest.skip(f"the data set {name} is not here")
    return path
