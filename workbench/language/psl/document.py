"""PSL's data files: `.data` (YAML, version 2.3) and whole documents (JSON or YAML, version 2.4),
with the predicates that these declare.
"""

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
from workbench.language.psl.document_faults import DocumentFaults
from workbench.language.psl.parsing import parse_psl
from workbench.language.psl.types import ANY_TYPE, with_declarations
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

MOST_ARGUMENTS = 1_000
"""Arguments of a predicate that a document may declare."""


class PredicateReading(DocumentFaults):
    """Reads declarations, and notes what is wrong with them."""

    def predicate(self, signature: str, description: object) -> Predicate | None:
        name = signature.partition("/")[0]
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
        arity = self._arity(signature, options)
        if arity is None:
            return None
        if types and len(types) != arity:
            self.note(
                f"`{signature}` has {arity} arguments and lists {len(types)} types", signature
            )
        self._check_kind(signature, options)
        for key in options:
            self._check_key(name, str(key))
        closed = True if "closed" in marks else False if "open" in marks else None
        if closed is None and isinstance(description, Mapping):
            listed = any(part in description for part in PARTITIONS)
            closed = not description.get("targets") if listed else None
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

    def _arity(self, signature: str, options: Mapping[object, object]) -> int | None:
        """How many arguments a predicate takes: of its signature, else as said beside it."""
        name, _, digits = signature.partition("/")
        types = options.get("types")
        listed = len(types) if isinstance(types, list) and types else None
        arity = int(digits) if digits.isdigit() else options.get("arity", listed)
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
        return arity

    def _check_kind(self, signature: str, options: Mapping[object, object]) -> None:
        """Note a predicate whose values PSL has from elsewhere than facts."""
        name, kind = signature.partition("/")[0], str(options.get("type") or "standard")
        short = kind.rsplit(".", 1)[-1].casefold().removesuffix("predicate")
        if options.get("function") or options.get("model"):
            self.note(
                f"{name} is computed by code, which is not supported",
                signature,
                "load its values as a table",
            )
        elif short not in ("standard", "unspecified"):
            self.note(
                f"{name} is a predicate of type `{kind}`, which is not supported",
                kind,
                "standard predicates alone are; load the values of this one as observations",
            )

    def _check_key(self, name: str, key: str) -> None:
        if key in _OF_PREDICATES:
            return
        keys = f"the keys are {', '.join(_OF_PREDICATES[:6])}"
        hint = did_you_mean(key, _OF_PREDICATES, keys)
        self.note(f"`{key}` says nothing about {name}", key, hint)
