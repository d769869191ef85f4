"""Programs from files, the language told by the file's name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from workbench.errors import UsageError
from workbench.language.formatting import format_mln_source, format_psl_source
from workbench.language.mln import parse_mln
from workbench.language.program import Program
from workbench.language.psl import parse_psl
from workbench.language.psl_document import read_psl_document
from workbench.language.source import read_text

__all__ = ["Language", "format_source", "format_text", "language_of", "parse_program", "read_program"]

Language = Literal["mln", "psl"]

_ASIDE = re.compile(r"""//[^\n]*|/\*[\s\S]*?\*/|\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_SOFT = re.compile(r"->|>>|<<|\)\s*<-|&|\||==|~|\^[12]\s*$|^\s*[\d.]+(?:[eE][+-]?\d+)?\s*:", re.MULTILINE)
"""What only PSL writes: its arrows and connectives, squares at the end of a line, a colon after a weight."""


def language_of(text: str) -> Language:
    """The language of a program's text, told by what only PSL writes outside comments and strings."""
    return "psl" if _SOFT.search(_ASIDE.sub(" ", text)) else "mln"


def parse_program(text: str, source: str | None = None) -> Program:
    """The program of a text in either language; see `language_of`.

    Raises
    ------
    InputError
        With every error of the text (E01xx).
    """
    return parse_psl(text, source) if language_of(text) == "psl" else parse_mln(text, source)


def read_program(path: str | os.PathLike[str]) -> Program:
    """Read a `.mln` or `.psl` file, or the rules of a PSL document (`.json`, `.yaml`); any of them also gzipped.

    Raises
    ------
    InputError
        With every error of the file (E01xx).
    UsageError
        E0100 when the file's ending names neither language.
    """
    file = Path(path)
    stem = file.name.removesuffix(".gz")
    if stem.endswith(".mln"):
        return parse_mln(read_text(file), str(path), directory=file.parent)
    if stem.endswith(".psl"):
        return parse_psl(read_text(file), str(path))
    if stem.endswith((".json", ".yaml", ".yml")):
        return read_psl_document(file).program()
    raise UsageError.of("E0100", f"{file} is neither a .mln nor a .psl file", help="or a PSL document: .json, .yaml")


def format_text(text: str, language: Language, source: str | None = None) -> str:
    """A program's text in canonical form, its comments, blank lines and order kept.

    Raises
    ------
    InputError
        With every error of the text.
    """
    if language == "psl":
        parse_psl(text, source)
        return format_psl_source(text, source)
    parse_mln(text, source, directory=Path(source).parent if source is not None else None)
    return format_mln_source(text, source)


def format_source(path: str | os.PathLike[str]) -> str:
    """The text of a `.mln` or `.psl` file in canonical form: `format_text` of what it holds.

    Raises
    ------
    InputError
        With every error of the file.
    UsageError
        E0100 when the file's ending names neither language.
    """
    file = Path(path)
    stem = file.name.removesuffix(".gz")
    if not stem.endswith((".mln", ".psl")):
        raise UsageError.of("E0100", f"{file} is neither a .mln nor a .psl file", help="convert it to .psl first")
    return format_text(read_text(file), "psl" if stem.endswith(".psl") else "mln", str(path))
