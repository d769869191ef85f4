"""PSL's data files: `.data` (YAML, version 2.3) and whole documents (JSON or YAML, version 2.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from workbench.errors import Diagnostic, InputError, Span, did_you_mean
from workbench.language.declarations import Predicate
from workbench.language.printing import format_program
from workbench.language.program import Program
from workbench.language.psl.parsing import parse_psl
from workbench.language.psl.types import with_declarations
from workbench.language.source import read_text

PARTITIONS = ("observations", "targets", "truth")
SPLITS = ("all", "infer", "learn", "validation")
COMMENT = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|//[^\n]*|/\*[\s\S]*?\*/|\#[^\n]*"""
)
"""A quoted constant (kept), or a comment."""


@dataclass(frozen=True)
class PslFacts:
    """One file of facts, or rows written in the document itself.

    Parameters
    ----------
    partition : {'observations', 'targets', 'truth'}
    split : {'all', 'infer', 'learn', 'validation'}
        For which task the facts are meant.
    path : str or None
        As written; relative paths start from the document's directory.
    rows : tuple of tuple of str
        Arguments, then a truth value or nothing.
    """

    predicate: str
    partition: str
    split: str
    path: str | None = None
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class PslDocument:
    """What a PSL data file or document says.

    Attributes
    ----------
    predicates : tuple of Predicate
        With `closed` set where the file says so, or where a 2.4 document gives the predicate no
        targets.
    rules : tuple of str
        The rules of a 2.4 document, as text.
    rules_file : Path or None
        The file that holds them, where the document names one.
    options : mapping of option name to value
    infer_options, learn_options : mapping
        Options of one task only.
    evaluations : mapping of predicate to the evaluators named for it
    text : str
        The document itself, so that messages about its rules can point into it.
    """

    predicates: tuple[Predicate, ...]
    facts: tuple[PslFacts, ...] = ()
    rules: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    infer_options: Mapping[str, object] = field(default_factory=dict)
    learn_options: Mapping[str, object] = field(default_factory=dict)
    evaluations: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    source: str | None = None
    text: str = field(default="", compare=False, repr=False)
    rules_file: Path | None = None

    def at_row(self, facts: PslFacts, problem: Diagnostic) -> Diagnostic:
        """A problem of a row in the document, where it stands; `problem` has its number as line."""
        if problem.span is None or problem.span.line > len(facts.rows):
            return problem
        between = r"""["']?\s*(?:,|\n\s*-)\s*["']?"""
        cells = between.join(map(re.escape, facts.rows[problem.span.line - 1]))
        row, name = (re.compile(form, re.I) for form in (cells, re.escape(facts.predicate)))
        start = ((found := name.search(self.text)) is not None and found.end()) or 0
        found = row.search(self.text, start) or row.search(self.text) or found
        if found is None:
            return replace(problem, span=None)
        line = self.text.count("\n", 0, found.start()) + 1
        column = found.start() - self.text.rfind("\n", 0, found.start())
        shown = self.text.split("\n")[line - 1].rstrip("\r")
        end = min(column + len(found[0]), len(shown) + 1)
        return replace(problem, span=Span(self.source, line, column, line, end), line_text=shown)

    def arity(self, predicate: str) -> int:
        """The number of arguments of one of its predicates, by its name as declared."""
        return next(one.arity for one in self.predicates if one.name == predicate)

    def program(self) -> Program:
        """The document's rules, over the predicates it declares.

        Raises InputError with every error of the rules; E0104 for a predicate that the document
        does not declare.
        """
        if self.rules_file is not None:
            parsed = parse_psl(read_text(self.rules_file), str(self.rules_file))
        else:
            text, starts = self._rules_in_place()
            parsed = parse_psl(text, self.source, starts=starts)
            # Rules that share a line of the document would run into one another where this text is
            # read again.
            parsed = replace(parsed, text=format_program(parsed))
        program = with_declarations(parsed, self.predicates)
        declared = {predicate.name for predicate in self.predicates}
        known = declared | program.defined
        unknown = [name for name in program.predicates if name not in known]
        if unknown:
            raise InputError(tuple(unknown_predicate(name, declared) for name in unknown))
        return program

    def _rules_in_place(self) -> tuple[str, list[int]]:
        """The rules in place in the document, all else blank, and where each starts.

        One a line where they cannot be found there.
        """
        rules = [
            COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), rule)
            for rule in self.rules
        ]
        pieces, starts = [], []
        position = 0
        for rule, blanked in zip(self.rules, rules):
            start = self.text.find(rule, position)
            if start < 0 or not rule.strip():
                ends = list(accumulate(len(one) + 1 for one in rules))
                return "\n".join(rules), [0, *ends[:-1]] if ends else []
            pieces += [re.sub(r"[^\n]", " ", self.text[position:start]), blanked]
            starts.append(start)
            position = start + len(rule)
        return "".join(pieces), starts


def unknown_predicate(name: str, declared: Iterable[str]) -> Diagnostic:
    help = did_you_mean(name, declared, "declare it in the section `predicates`")
    return Diagnostic("E0104", f"there is no predicate {name}", None, help, subject=name)
