"""The languages of rules, and programs from files and texts in either."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from workbench.errors import InputError, UsageError
from workbench.language.formatting import format_mln_source, format_psl_source
from workbench.language.mln.parsing import mln_statements, parse_mln
from workbench.language.printing import format_program
from workbench.language.program import Program
from workbench.language.psl.document_reading import read_psl_document
from workbench.language.psl.parsing import parse_psl, psl_statements
from workbench.language.source import read_text

Language = Literal["mln", "psl"]

DOCUMENT_SUFFIXES = (".data", ".json", ".yaml", ".yml")
"""Endings of the documents that list a PSL model's data, and may hold its rules."""

_ASIDE = re.compile(r"""//[^\n]*|/\*[\s\S]*?\*/|\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_SOFT = re.compile(
    r"->|>>|<<|\)\s*<-|&|\||==|~|\^[12]\s*$|^\s*[\d.]+(?:[eE][+-]?\d+)?\s*:", re.MULTILINE
)
"""What only PSL writes: arrows, connectives, squares at a line's end, a colon after a weight."""
_HARD = re.compile("=>")
"""What only Markov logic writes."""


@dataclass(frozen=True)
class RuleLanguage:
    """A language of rules.

    Attributes
    ----------
    name : {'mln', 'psl'}
    suffix : str
        Of its files.
    parse : callable
        `(text, source, directory) -> Program`; the directory is where files that the text includes
        are.
    statements : callable
        Reads a text for its syntax alone.
    format : callable
        `(text, source)`: the text in canonical form.
    """

    name: Language
    suffix: str
    parse: Callable[[str, str | None, Path | None], Program]
    statements: Callable[[str], object]
    format: Callable[[str, str | None], str]


LANGUAGES: Mapping[Language, RuleLanguage] = {
    "mln": RuleLanguage(
        "mln",
        ".mln",
        lambda text, source, directory: parse_mln(text, source, directory=directory),
        mln_statements,
        format_mln_source,
    ),
    "psl": RuleLanguage(
        "psl",
        ".psl",
        lambda text, source, _: parse_psl(text, source),
        psl_statements,
        format_psl_source,
    ),
}


def language_of_file(path: str | os.PathLike[str]) -> Language | None:
    """A rules file's language by its ending (also `.gz`); None for others, documents too."""
    name = Path(path).name.lower().removesuffix(".gz")
    return next((one.name for one in LANGUAGES.values() if name.endswith(one.suffix)), None)


def is_document(path: str | os.PathLike[str]) -> bool:
    """Whether a file is, by its ending, a PSL document that holds rules (`.json`, `.yaml`)."""
    return Path(path).name.lower().removesuffix(".gz").endswith(DOCUMENT_SUFFIXES[1:])


@lru_cache(maxsize=64)
def language_of(text: str) -> Language:
    """A text's language: by what only one of them writes, else by who can read it.

    A text that neither language reads is taken for Markov logic, whose errors are then shown.
    """
    said = _ASIDE.sub(" ", text)
    if _SOFT.search(said):
        return "psl"
    if _HARD.search(said):
        return "mln"
    return next((one.name for one in LANGUAGES.values() if _reads(one, text)), "mln")


def _reads(language: RuleLanguage, text: str) -> bool:
    try:
        language.statements(text)
    except InputError:
        return False
    return True


def parse_program(text: str, source: str | None = None) -> Program:
    """The program of a text in either language; see `language_of`.

    Raises InputError with every error of the text (E01xx).
    """
    return LANGUAGES[language_of(text)].parse(text, source, None)


def read_program(path: str | os.PathLike[str]) -> Program:
    """Read a `.mln` or `.psl` file, or a PSL document's rules (`.json`, `.yaml`); also `.gz`.

    Raises InputError with every error of the file (E01xx); E0100 when the file's ending names
    neither language.
    """
    file = Path(path)
    if is_document(file):
        return read_psl_document(file).program()
    language = language_of_file(file)
    if language is None:
        from workbench.language.ilp.reader import ILP_SUFFIXES

        raise UsageError.of(
            "E0100",
            f"{file} is neither a .mln nor a .psl file",
            help="`workbench structure` learns rules from an ILP problem (.b, .f, .n, .pl)"
            if file.suffix in ILP_SUFFIXES
            else "or a PSL document: .json, .yaml",
        )
    return LANGUAGES[language].parse(read_text(file), str(path), file.parent)


def as_written(program: Program) -> str:
    """The text of a program as its author wrote it; in canonical form where it was made of several
    files, or by hand, or says something else since, such as numbers of the data.
    """
    if len(program.sources) <= 1 and program.says_its_text:
        return program.text.rstrip("\n") + "\n"
    return format_program(program)


def format_text(text: str, language: Language, source: str | None = None) -> str:
    """A program's text in canonical form, its comments, blank lines and order kept.

    Raises InputError with every error of the text.
    """
    chosen = LANGUAGES[language]
    chosen.parse(text, source, Path(source).parent if source is not None else None)
    return chosen.format(text, source)


def format_source(path: str | os.PathLike[str]) -> str:
    """The text of a `.mln` or `.psl` file in canonical form: `format_text` of what it holds.

    Raises InputError with every error of the file; E0100 when the file's ending names neither
    language.
    """
    file = Path(path)
    language = language_of_file(file)
    if language is None:
        raise UsageError.of(
            "E0100", f"{file} is neither a .mln nor a .psl file", help="convert it to .psl first"
        )
    return format_text(read_text(file), language, str(path))
