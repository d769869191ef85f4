"""The built wheel holds SQL, page, examples and error pages, and infers from a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RULES = "Friends(p, p)\nSmokes(p)\n1 Friends(x, y) => (Smokes(x) <=> Smokes(y))\n0.5 !Smokes(x)\n2 Friends(x, x)\n"
FACTS = "Friends(Ada, Bo)\nFriends(Bo, Cy)\nFriends(Cy, Dee)\nSmokes(Ada)\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files, unpacked as an installer would."""
    hatchling = pytest.importorskip("hatchling.build", reason="building needs hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        name = hatchling.build_wheel(str(folder))
    finally:
        os.chdir(before)
    unpacked = folder / "site"
    with zipfile.ZipFile(folder / name) as wheel:
        wheel.extractall(unpacked)
    return unpacked


def test_shipped_files_are_in_the_wheel(installed: Path) -> None:
    shipped = installed / "workbench" / "_shipped"
    for source in ("sql", "app", "data", "docs/errors"):
        expected = {
            path.relative_to(ROOT / source)
            for path in (ROOT / source).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        found = {path.relative_to(shipped / source) for path in (shipped / source).rglob("*") if path.is_file()}
        assert expected <= found, source


def test_the_wheel_infers(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.mln").write_text(RULES)
    (tmp_path / "facts.db").write_text(FACTS)
    command = [sys.executable, "-m", "workbench", "infer", "rules.mln", "--data", "facts.db", "--query", "Smokes"]
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [*command, "--engine", "exact", "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["atoms"] == 3
