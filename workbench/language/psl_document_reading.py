"""Reading PSL 2.4 documents, JSON or YAML: every fault of a document at once."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import Diagnostic, InputError, Span, nearest
from workbench.language.declarations import Predicate
from workbench.language.psl_document import (
    ANY_TYPE,
    COMMENT,
    PARTITIONS,
    SPLITS,
    PslDocument,
    PslFacts,
    unknown_predicate,
)
from workbench.language.source import read_text

__all__ = ["parse_psl_document", "read_psl_document"]

_OF_PREDICATES = (
    *PARTITIONS,
    "evaluations",
    "types",
    "arity",
    "type",
    "options",
    "function",
    "model",
    "args",
)


_SPLIT_HELP = (
    'facts of one task stand with their predicate: "targets": {"learn": [...], "infer": [...]}'
)


MOST_ARGUMENTS = 1_000
"""Arguments of a predicate that a document may declare."""


def read_psl_document(path: str | os.PathLike[str]) -> PslDocument:
    """Read a `.data`, `.yaml`, `.yml` or `.json` file.

    Raises
    ------
    InputError
        E0101 when it cannot be read, E0130 when it is no YAML or JSON, E0131 when it has another
        shape.
    """
    return parse_psl_document(read_text(Path(path)), str(path))


def parse_psl_document(text: str, source: str | None = None) -> PslDocument:
    """Read a document's text: JSON with whole-line `#` and `//` comments when
    it starts with `{`, else YAML.
    """
    content = _content(text, source)
    reading = _Reading(text, source)
    if not isinstance(content, Mapping):
        raise reading.fault(
            "this is no mapping of sections", None, "a data file starts with `predicates:`"
        )
    document = reading.document(content)
    if reading.found:
        raise InputError(tuple(reading.found))
    return document


def _content(text: str, source: str | None) -> object:
    if text.lstrip().startswith(("{", "#", "//")) and re.match(r"(\s*(#|//)[^\n]*\n)*\s*\{", text):
        try:
            return json.loads(re.sub(r"(?m)^[ \t]*(?:#|//)[^\n]*$", "", text))
        except (json.JSONDecodeError, RecursionError) as error:
            line, column = (
                (error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else (1, 1)
            )
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "it nests too deeply"
            raise _Reading(text, source).syntax("JSON", reason, line, column) from None
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise _Reading(text, source).syntax("YAML", reason, line, column) from None


@dataclass
class _Reading:
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
        """An error of shape, pointing at the first line where `near` stands."""
        lines = self.text.split("\n")
        number = next(
            (n for n, line in enumerate(lines, 1) if near is not None and near in line), 1
        )
        line = lines[number - 1].rstrip("\r")
        column = line.find(near) + 1 if near and near in line else 1
        span = Span(self.source, number, column, number, column + len(near or " "))
        return InputError((Diagnostic("E0131", message, span, help, line),))

    def note(self, message: str, near: str | None, help: str | None = None) -> None:
        self.found.extend(self.fault(message, near, help).diagnostics)

    def document(self, content: Mapping[Any, Any]) -> PslDocument:
        known = ("predicates", *PARTITIONS, "rules", "options", "infer", "learn")
        for key in content:
            if key not in known:
                close = nearest(str(key), known)
                self.note(
                    f"there is no section `{key}`",
                    str(key),
                    f"did you mean {close}?" if close else None,
                )
        for task in ("infer", "learn"):
            section = content.get(task) or {}
            for key in section if isinstance(section, Mapping) else [task]:
                if key != "options":
                    self.note(f"`{task}` has options alone", str(key), _SPLIT_HELP)
        sections = content.get("predicates") or {}
        if isinstance(sections, Sequence) and not isinstance(sections, str):
            sections = {
                key: value
                for item in sections
                if isinstance(item, Mapping)
                for key, value in item.items()
            }
        if not isinstance(sections, Mapping):
            self.note("the section `predicates` lists no predicates", "predicates")
            sections = {}
        if "predicates" not in content:
            self.note(
                "there is no section `predicates`",
                None,
                "as in `predicates:` and `  Knows/2: open`",
            )
        predicates = []
        facts: list[PslFacts] = []
        evaluations = {}
        for signature, description in sections.items():
            predicate = self.predicate(str(signature), description)
            if predicate is None:
                continue
            predicates.append(predicate)
            # `Knows/2: [open, {targets: ...}]` says what `Knows/2: {targets: ...}` says.
            for details in description if isinstance(description, list) else [description]:
                if not isinstance(details, Mapping):
                    continue
                for partition in PARTITIONS:
                    facts.extend(self.facts(predicate.name, partition, details.get(partition)))
                if details.get("evaluations"):
                    evaluations[predicate.name] = tuple(details["evaluations"])
        names = {predicate.name.casefold(): predicate.name for predicate in predicates}
        for partition in PARTITIONS:
            entries = content.get(partition) or {}
            if not isinstance(entries, Mapping):
                self.note(f"the section `{partition}` must list files by predicate", partition)
                continue
            for name, entry in entries.items():
                declared = names.get(str(name).split("/")[0].casefold())
                if declared is None:
                    self.found.append(unknown_predicate(str(name), names.values()))
                else:
                    facts.extend(self.facts(declared, partition, entry))
        rules_file = self.rules_file(content.get("rules"))
        return PslDocument(
            tuple(predicates),
            tuple(facts),
            _rules_of(rules_file) if rules_file else self.rules(content.get("rules")),
            self.options(content),
            self.options(content.get("infer")),
            self.options(content.get("learn")),
            evaluations,
            self.source,
            self.text,
            rules_file,
        )

    def rules_file(self, rules: object) -> Path | None:
        """The file of rules that a document names, from its own directory."""
        if not isinstance(rules, str):
            return None
        return (Path(self.source).parent if self.source is not None else Path()) / rules

    def rules(self, rules: object) -> tuple[str, ...]:
        if rules is None:
            return ()
        if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
            self.note(
                "the section `rules` must be a list of rules, each a text, or the name of a file",
                "rules",
            )
            return ()
        return tuple(rules)

    def options(self, section: object) -> Mapping[str, object]:
        options = (section.get("options") if isinstance(section, Mapping) else None) or {}
        if isinstance(options, Mapping):
            return dict(options)
        self.note("the section `options` must be a mapping of names to values", "options")
        return {}

    def predicate(self, signature: str, description: object) -> Predicate | None:
        name, _, digits = signature.partition("/")
        words: list[object] = list(description) if isinstance(description, list) else [description]
        marks = {str(word).casefold() for word in words if isinstance(word, str)}
        options = {
            key: value for word in words if isinstance(word, Mapping) for key, value in word.items()
        }
        types = options.get("types")
        if not isinstance(types, list | type(None)) or not re.fullmatch(r"[^\W\d]\w*", name):
            self.note(
                f"`{signature}` is no name and number of arguments",
                signature,
                "as in `Knows/2: open`",
            )
            return None
        arity = (
            int(digits) if digits.isdigit() else options.get("arity", len(types) if types else None)
        )
        if not isinstance(arity, int):
            self.note(
                f"`{signature}` does not say how many arguments it takes",
                signature,
                f"write {name}/2",
            )
            return None
        if not 0 <= arity <= MOST_ARGUMENTS:
            self.note(
                f"`{signature}` takes more than {MOST_ARGUMENTS} arguments, or fewer than none",
                signature,
            )
            return None
        if types and len(types) != arity:
            self.note(
                f"`{signature}` has {arity} arguments and lists {len(types)} types", signature
            )
        kind = str(options.get("type") or "standard")
        if options.get("function") or options.get("model"):
            self.note(
                f"{name} is computed by code, which is not supported",
                signature,
                "load its values as a table",
            )
        elif kind.rsplit(".", 1)[-1].casefold().removesuffix("predicate") not in (
            "standard",
            "unspecified",
        ):
            known = "standard predicates alone are; load the values of this one as observations"
            self.note(
                f"{name} is a predicate of type `{kind}`, which is not supported", kind, known
            )
        for key in options:
            if str(key) not in _OF_PREDICATES:
                close = nearest(str(key), _OF_PREDICATES)
                hint = (
                    f"did you mean {close}?"
                    if close
                    else f"the keys are {', '.join(_OF_PREDICATES[:6])}"
                )
                self.note(f"`{key}` says nothing about {name}", str(key), hint)
        closed = True if "closed" in marks else False if "open" in marks else None
        if closed is None and isinstance(description, Mapping):
            closed = not description.get("targets")
        unknown = marks - {"closed", "open", "block"}
        if unknown:
            self.note(
                f"`{sorted(unknown)[0]}` says nothing about a predicate",
                signature,
                "write `open` or `closed`",
            )
        return Predicate(
            name, tuple(map(str, types)) if types else (ANY_TYPE,) * arity, closed=closed
        )

    def facts(self, predicate: str, partition: str, entry: object) -> Iterator[PslFacts]:
        """A path, a list of paths, a list of rows, or any of them by split."""
        if isinstance(entry, Mapping):
            for split, part in entry.items():
                if split not in SPLITS:
                    self.note(
                        f"`{split}` is no split of the facts of {predicate}",
                        str(split),
                        "`learn`, `infer` or `validation`",
                    )
                else:
                    yield from self.entries(predicate, partition, str(split), part)
        else:
            yield from self.entries(predicate, partition, "all", entry)

    def entries(
        self, predicate: str, partition: str, split: str, entry: object
    ) -> Iterator[PslFacts]:
        items = entry if isinstance(entry, list) else [entry] if entry is not None else []
        rows = []
        for item in items:
            if isinstance(item, str):
                yield PslFacts(predicate, partition, split, item)
            elif isinstance(item, list):
                rows.append(tuple(_cell(cell) for cell in item))
            else:
                self.note(
                    f"{predicate} lists something that is neither a file nor a row", predicate
                )
        if rows:
            yield PslFacts(predicate, partition, split, None, tuple(rows))


def _rules_of(path: Path) -> tuple[str, ...]:
    """The lines of a file of rules that hold some."""
    lines = COMMENT.sub(lambda found: found[1] or "", read_text(path)).split("\n")
    return tuple(line.strip() for line in lines if line.strip())


def _cell(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
