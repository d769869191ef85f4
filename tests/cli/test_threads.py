"""How many threads a command's linear algebra takes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ASK = """
import sys
from workbench.cli import main
sys.argv = ["workbench", "--version"]
try:
    main()
except SystemExit:
    pass
import scipy.linalg
from threadpoolctl import threadpool_info
found = threadpool_info()
print({one["num_threads"] for one in found if one["internal_api"] == "openblas"})
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one thread is all there is")
@pytest.mark.parametrize("given", ["", "2"])
def test_linear_algebra_takes_one_thread_unless_told_otherwise(given: str) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")
    }
    if given:
        environment["OPENBLAS_NUM_THREADS"] = given
    said = subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines()[-1] == f"{{{given or 1}}}"
