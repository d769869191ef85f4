"""The built wheel holds SQL, page, examples, error pages, and infers from its folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RULES = (
    "Friends(p, p)\nSmokes(p)\n1 Friends(x, y) => (Smokes(x) <=> Smokes(y))\n0.5 "
    "!Smokes(x)\n2 Friends(x, x)\n"
)
DOCUMENT = (
    "predicates: {P/1: closed, Q/1: open}\nobservations: {P: [[Ann]]}\ntargets: {Q: [[Ann]]}\n"
)
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
        found = {
            path.relative_to(shipped / source)
            for path in (shipped / source).rglob("*")
            if path.is_file()
        }
        assert expected <= found, source


def test_experiments_and_benchmarks_stay_in_the_checkout(installed: Path) -> None:
    assert not list(installed.rglob("experiments"))
    assert not list(installed.rglob("benchmarks"))


def command(
    installed: Path, folder: Path, *words: str, without: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """A command of the unpacked wheel, some packages as if they were not installed."""
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({list(without)!r})); sys.argv[1:] = "
        f"{list(words)!r}; from workbench.cli import main; main()"
    )
    environment = os.environ | {"PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("words", "code", "cure"),
    [
        (["app"], "E0250", "relational-workbench[page]"),
        (["reproduce", "uw-cse"], "E0250", ".[experiments]"),
        (
            ["infer", "rules.psl", "--data", "m.data", "--engine", "ecos"],
            "E0402",
            "relational-workbench[solvers]",
        ),
    ],
)
def test_what_a_missing_extra_is_called(
    installed: Path, tmp_path: Path, words: list[str], code: str, cure: str
) -> None:
    (tmp_path / "rules.psl").write_text("1: P(A) -> Q(A)\n")
    (tmp_path / "m.data").write_text(DOCUMENT)
    done = command(installed, tmp_path, *words, without=["streamlit", "cvxpy"])
    assert code in done.stderr, done.stderr
    assert cure in done.stderr


def test_a_checkout_lends_its_experiments(installed: Path, tmp_path: Path) -> None:
    done = command(installed, ROOT, "reproduce", "uw-cse", "--data-dir", str(tmp_path / "nowhere"))
    assert "E0901" in done.stderr, done.stderr


def test_a_folder_called_experiments_is_not_taken_for_them(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "reproduce", "uw-cse", "--data-dir", "nowhere"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert "E0901" in done.stderr, done.stderr


def test_the_wheel_infers(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.mln").write_text(RULES)
    (tmp_path / "facts.db").write_text(FACTS)
    command = [
        sys.executable,
        "-m",
        "workbench",
        "infer",
        "rules.mln",
        "--data",
        "facts.db",
        "--query",
        "Smokes",
    ]
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [*command, "--engine", "exact", "--json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["atoms"] == 3
