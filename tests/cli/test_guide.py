"""The commands and the Python that README and the guide show do work, in their order."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from workbench.resources import shipped

ROOT = Path(__file__).parents[2]


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(shipped("data"), tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_guide(run: Run, checkout: Path) -> None:
    commands = [line for block in blocks("docs/guide.md", "sh") for line in block.splitlines()]
    assert len(commands) > 12
    for line in commands:
        name, *arguments = shlex.split(line)
        outcome = run(*arguments)
        assert (name, outcome.code) == ("workbench", 0), f"{line}\n{outcome.err}"
        assert outcome.out
    (script,) = blocks("docs/guide.md", "python")
    exec(compile(script, "guide.md", "exec"), {})


def test_the_readme(run: Run, checkout: Path) -> None:
    program, facts = (
        (ROOT / "README.md")
        .read_text(encoding="utf-8")
        .split("## Five minutes")[1]
        .split("```\n")[1:4:2]
    )
    (checkout / "smoking.mln").write_text(program)
    (checkout / "people.db").write_text(facts)
    commands = [
        line
        for block in blocks("README.md", "sh")
        for line in block.splitlines()
        if line.startswith("workbench")
    ]
    assert len(commands) >= 4
    for line in commands:
        outcome = run(*shlex.split(line)[1:])
        assert outcome.code == 0, f"{line}\n{outcome.err}"
    (script,) = blocks("README.md", "python")
    exec(compile(script, "README.md", "exec"), {})


def test_the_onboarding(checkout: Path) -> None:
    script = "".join(blocks("docs/onboarding.md", "python"))
    exec(compile(script, "onboarding.md", "exec"), {})


def test_the_reference_is_written_from_docstrings(tmp_path: Path) -> None:
    page = tmp_path / "reference.md"
    subprocess.run([sys.executable, ROOT / "docs" / "reference.py", page], check=True, cwd=ROOT)
    written = page.read_text(encoding="utf-8")
    assert all(
        f"`{name}(" in written
        for name in ("ws.infer", "ws.data.add", "ws.runs.predictions", "workbench.open")
    )
    assert "```\n\n```" not in written
