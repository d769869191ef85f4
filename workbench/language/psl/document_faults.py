"""A PSL document as text: what it holds, and its faults with their places."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from workbench.errors import Diagnostic, InputError, Span

if TYPE_CHECKING:
    import yaml

TOO_DEEP = "it nests too deeply"


def document_content(text: str, source: str | None) -> object:
    """What a document's JSON or YAML says; E0130 when it is neither."""
    if text.lstrip().startswith(("{", "#", "//")) and re.match(r"(\s*(#|//)[^\n]*\n)*\s*\{", text):
        try:
            return json.loads(re.sub(r"(?m)^[ \t]*(?:#|//)[^\n]*$", "", text))
        except (json.JSONDecodeError, RecursionError) as error:
            line, column = (
                (error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else (1, 1)
            )
            reason = error.msg if isinstance(error, json.JSONDecodeError) else TOO_DEEP
            raise DocumentFaults(text, source).syntax("JSON", reason, line, column) from None
    import yaml

    try:
        return yaml.load(text, _loader())
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        if isinstance(error, RecursionError):
            reason = TOO_DEEP
        raise DocumentFaults(text, source).syntax("YAML", reason, line, column) from None


@cache
def _loader() -> type[yaml.SafeLoader]:
    """YAML where `On`, `Off`, `Yes`, `No` are names; only true and false are truth values."""
    import yaml

    known = yaml.SafeLoader.yaml_implicit_resolvers
    resolvers = {
        first: [(tag, form) for tag, form in forms if not tag.endswith(":bool")]
        for first, forms in known.items()
    }
    loader: type[yaml.SafeLoader] = type(
        "Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": resolvers}
    )
    truth = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
    loader.add_implicit_resolver("tag:yaml.org,2002:bool", truth, list("tTfF"))
    return loader


@dataclass
class DocumentFaults:
    """The faults found in a document so far."""

    text: str
    source: str | None
    found: list[Diagnostic] = field(default_factory=list)

    def syntax(self, language: str, reason: str, line: int, column: int) -> InputError:
        lines = self.text.split("\n")
        shown = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
        span = Span(self.source, line, column, line, column + 1)
        return InputError(
            (Diagnostic("E0130", f"this is no {language}: {reason}", span, None, shown),)
        )

    def fault(self, message: str, near: str | None, help: str | None = None) -> InputError:
        """An error of shape where `near` first stands: as a key, else a word, else inside one."""
        place = _first_place(self.text, near) if near else 0
        number = self.text.count("\n", 0, place) + 1
        line = self.text.split("\n")[number - 1].rstrip("\r")
        column = place - (self.text.rfind("\n", 0, place) + 1) + 1
        span = Span(self.source, number, column, number, column + len(near or " "))
        return InputError((Diagnostic("E0131", message, span, help, line),))

    def note(self, message: str, near: str | None, help: str | None = None) -> None:
        self.found.extend(self.fault(message, near, help).diagnostics)


def _first_place(text: str, near: str) -> int:
    name = re.escape(near)
    for form in (rf"(?<![\w.]){name}(?=[\"']?\s*:)", rf"(?<![\w.]){name}(?![\w.])", name):
        if found := re.search(form, text):
            return found.start()
    return 0
