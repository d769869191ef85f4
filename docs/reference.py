"""The Python interface as one page of Markdown, from the docstrings:
`python docs/reference.py FILE.md`.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import workbench
from workbench.language.program import Program
from workbench.study.result import StudyResult
from workbench.verbs.crossval import CrossValidation
from workbench.verbs.data import Data
from workbench.verbs.explaining.explanation import Explanation
from workbench.verbs.infer import InferenceResult
from workbench.verbs.learn import LearningResult
from workbench.verbs.linking.result import LinkResult
from workbench.verbs.models import Models
from workbench.verbs.recorded import Runs
from workbench.verbs.rules import Rules
from workbench.verbs.structure_result import StructureResult

PARTS = {
    "ws": workbench.Workspace,
    "ws.data": Data,
    "ws.rules": Rules,
    "ws.models": Models,
    "ws.runs": Runs,
}
RESULTS = (
    InferenceResult,
    Explanation,
    LearningResult,
    CrossValidation,
    StructureResult,
    StudyResult,
    LinkResult,
    Program,
)


def entry(name: str, thing: Any) -> list[str]:
    """A heading with the signature, and the docstring as it stands."""
    function = thing.fget if isinstance(thing, property) else thing
    shown = name if isinstance(thing, property) else f"{name}{inspect.signature(function)}"
    return [
        f"### `{shown.replace('(self, ', '(').replace('(self)', '()')}`",
        "",
        f"```\n{inspect.getdoc(function) or ''}\n```",
        "",
    ]


def members(owner: str, cls: type) -> list[str]:
    """What a class offers, inherited members too, in alphabetical order."""
    found = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    found = {
        name: one
        for name, one in found.items()
        if inspect.isfunction(one) or isinstance(one, property)
    }
    return [line for name, thing in found.items() for line in entry(f"{owner}.{name}", thing)]


def reference() -> str:
    """The page."""
    lines = [
        "# Python interface",
        "",
        f"Written from the docstrings of version {workbench.__version__}.",
        "",
    ]
    for name in sorted(set(workbench.__all__) - {"Workspace", "__version__"}):
        lines += entry(f"workbench.{name}", getattr(workbench, name))
    for owner, cls in (*PARTS.items(), *((cls.__name__, cls) for cls in RESULTS)):
        lines += [
            f"## {owner}",
            "",
            f"```\n{inspect.getdoc(cls) or ''}\n```",
            "",
            *members(owner, cls),
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
