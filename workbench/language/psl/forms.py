"""PSL's two forms of one model: rules and data files apart (2.3), or one document (2.4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from workbench.language.declarations import Predicate
from workbench.language.printing import format_program
from workbench.language.program import Program
from workbench.language.psl.document import PARTITIONS, PslDocument, PslFacts
from workbench.language.psl.parsing import COMMENTS
from workbench.language.psl.types import ANY_TYPE


def files_to_document(
    program: Program, infer: PslDocument, learn: PslDocument | None = None
) -> PslDocument:
    """One 2.4 document from rules and data files of version 2.3; relative paths stay as written.

    The file for inference is for both tasks where there is none for learning.
    """
    facts = list(infer.facts)
    if learn is not None:
        mine, theirs = _facts_of(infer, "infer"), _facts_of(learn, "learn")
        facts = [*mine, *theirs]
    lines = format_program(program).splitlines()
    rules = tuple(line for line in lines if line and not line.startswith(COMMENTS))
    return PslDocument(infer.predicates, tuple(facts), rules, evaluations=infer.evaluations)


def _facts_of(document: PslDocument, split: str) -> list[PslFacts]:
    return [PslFacts(f.predicate, f.partition, split, f.path, f.rows) for f in document.facts]


def document_to_files(document: PslDocument, stem: str) -> Mapping[str, str]:
    """The files of version 2.3 for a 2.4 document: name to text.

    `<stem>.psl`, and `<stem>.data` or, where the splits differ, `<stem>-eval.data` and
    `<stem>-learn.data`; rows that the document holds itself become tab-separated files
    `<stem>_<predicate>_<partition>.txt`. Options and evaluations have no place in these files: they
    are options of the command line there.
    """
    files = {f"{stem}.psl": "".join(rule + "\n" for rule in document.rules)}
    splits = {facts.split for facts in document.facts}
    kinds = (
        {"": ("all",)}
        if splits <= {"all"}
        else {"-eval": ("all", "infer"), "-learn": ("all", "learn")}
    )
    for suffix, chosen in kinds.items():
        lines = ["predicates:"]
        lines += [
            f"   {_signature(predicate)}: {_openness(predicate)}"
            for predicate in document.predicates
        ]
        for partition in PARTITIONS:
            listed: dict[str, list[str]] = {}
            for facts in document.facts:
                if facts.partition == partition and facts.split in chosen:
                    listed.setdefault(facts.predicate, []).append(_path(facts, stem, files))
            if listed:
                lines += ["", f"{partition}:"]
                for name, paths in listed.items():
                    if len(paths) == 1:
                        lines.append(f"   {name}: {_yaml(paths[0])}")
                    else:
                        lines += [f"   {name}:", *(f"      - {_yaml(path)}" for path in paths)]
        files[f"{stem}{suffix}.data"] = "\n".join(lines) + "\n"
    return files


def _path(facts: PslFacts, stem: str, files: dict[str, str]) -> str:
    if facts.path is not None:
        return facts.path
    split = "" if facts.split == "all" else f"_{facts.split}"
    name = f"{stem}_{facts.predicate}_{facts.partition}{split}.txt"
    files[name] = "".join("\t".join(row) + "\n" for row in facts.rows)
    return name


def _signature(predicate: Predicate) -> str:
    return f"{predicate.name}/{predicate.arity}"


def _openness(predicate: Predicate) -> str:
    word = "closed" if predicate.closed else "open"
    if set(predicate.argument_types) <= {ANY_TYPE}:
        return word
    return f"\n      - {word}\n      - types: [{', '.join(predicate.argument_types)}]"


def _yaml(text: str) -> str:
    plain = text and all(c.isalnum() or c in "/._-" for c in text) and text[0] not in "-."
    return text if plain or text.startswith(("../", "./")) else json.dumps(text, ensure_ascii=False)


def format_psl_document(document: PslDocument) -> str:
    """The document in the JSON form of version 2.4; reading it gives an equal document."""
    content: dict[str, object] = {}
    if document.options:
        content["options"] = dict(document.options)
    for task, options in (("learn", document.learn_options), ("infer", document.infer_options)):
        if options:
            content[task] = {"options": dict(options)}
    if document.rules:
        content["rules"] = list(document.rules)
    content["predicates"] = {
        _signature(predicate): _description(predicate, document)
        for predicate in document.predicates
    }
    return json.dumps(content, indent=4, ensure_ascii=False) + "\n"


def _description(predicate: Predicate, document: PslDocument) -> dict[str, object]:
    description: dict[str, object] = {}
    if not set(predicate.argument_types) <= {ANY_TYPE}:
        description["types"] = list(predicate.argument_types)
    if predicate.name in document.evaluations:
        description["evaluations"] = list(document.evaluations[predicate.name])
    for partition in PARTITIONS:
        facts = [
            f for f in document.facts if f.predicate == predicate.name and f.partition == partition
        ]
        if facts and {f.split for f in facts} == {"all"}:
            description[partition] = _entries(facts)
        elif facts:
            splits = dict.fromkeys(f.split for f in facts)
            description[partition] = {
                split: _entries(f for f in facts if f.split == split) for split in splits
            }
    return description


def _entries(facts: Iterable[PslFacts]) -> list[object]:
    entries: list[object] = []
    for item in facts:
        entries += [list(row) for row in item.rows] if item.path is None else [item.path]
    return entries
