"""Reading PSL 2.4 documents, JSON or YAML: every fault of a document at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import InputError, did_you_mean
from workbench.language.declarations import Predicate
from workbench.language.psl.document import (
    COMMENT,
    PARTITIONS,
    SPLITS,
    PredicateReading,
    PslDocument,
    PslFacts,
    unknown_predicate,
)
from workbench.language.psl.document_faults import document_content
from workbench.language.source import read_text

_SPLIT_HELP = (
    'facts of one task stand with their predicate: "targets": {"learn": [...], "infer": [...]}'
)


def read_psl_document(path: str | os.PathLike[str]) -> PslDocument:
    """Read a `.data`, `.yaml`, `.yml` or `.json` file.

    Raises E0101 when it cannot be read, E0130 when it is no YAML or JSON, E0131 when it has another
    shape.
    """
    return parse_psl_document(read_text(Path(path)), str(path))


def parse_psl_document(text: str, source: str | None = None) -> PslDocument:
    """Read a document's text: JSON with `#` and `//` lines when it starts with `{`, else YAML."""
    content = document_content(text, source)
    reading = _Reading(text, source)
    if not isinstance(content, Mapping):
        raise reading.fault(
            "this is no mapping of sections", None, "a data file starts with `predicates:`"
        )
    document = reading.document(content)
    if reading.found:
        raise InputError(tuple(reading.found))
    return document


class _Reading(PredicateReading):
    """Reads the sections of one document."""

    def document(self, content: Mapping[Any, Any]) -> PslDocument:
        self.check_keys(content)
        predicates: list[Predicate] = []
        facts: list[PslFacts] = []
        evaluations = {}
        for predicate, description in self.described(content):
            predicates.append(predicate)
            for details in _details(description):
                for partition in PARTITIONS:
                    facts.extend(self.facts(predicate.name, partition, details.get(partition)))
                if asked := details.get("evaluations"):
                    evaluations[predicate.name] = tuple(
                        asked if isinstance(asked, list) else [asked]
                    )
        for partition in PARTITIONS:
            facts.extend(self.section(predicates, partition, content.get(partition) or {}))
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

    def check_keys(self, content: Mapping[Any, Any]) -> None:
        known = ("predicates", *PARTITIONS, "rules", "options", "infer", "learn")
        for key in content:
            if key not in known:
                self.note(f"there is no section `{key}`", str(key), did_you_mean(str(key), known))
        for task in ("infer", "learn"):
            section = content.get(task) or {}
            for key in section if isinstance(section, Mapping) else [task]:
                if key != "options":
                    self.note(f"`{task}` has options alone", str(key), _SPLIT_HELP)

    def described(self, content: Mapping[Any, Any]) -> Iterator[tuple[Predicate, object]]:
        """The predicates, each with what the document says of it."""
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
        for signature, description in sections.items():
            predicate = self.predicate(str(signature), description)
            if predicate is not None:
                yield predicate, description

    def section(
        self, predicates: Sequence[Predicate], partition: str, entries: object
    ) -> Iterator[PslFacts]:
        """Facts of a section of their own, by predicate."""
        if not isinstance(entries, Mapping):
            self.note(f"the section `{partition}` must list files by predicate", partition)
            return
        names = {predicate.name.casefold(): predicate.name for predicate in predicates}
        for name, entry in entries.items():
            declared = names.get(str(name).split("/")[0].casefold())
            if declared is None:
                self.found.append(unknown_predicate(str(name), names.values()))
            else:
                yield from self.facts(declared, partition, entry)

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


def _details(description: object) -> list[Mapping[Any, Any]]:
    """`Knows/2: [open, {targets: ...}]` says what `Knows/2: {targets: ...}` says."""
    parts = description if isinstance(description, list) else [description]
    return [one for one in parts if isinstance(one, Mapping)]


def _rules_of(path: Path) -> tuple[str, ...]:
    """The lines of a file of rules that hold some."""
    lines = COMMENT.sub(lambda found: found[1] or "", read_text(path)).split("\n")
    return tuple(line.strip() for line in lines if line.strip())


def _cell(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
