"""Reading Markov logic in Alchemy's syntax: text to `Program`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from lark import Token

from workbench.errors import InputError, Span
from workbench.language.asked_dates import with_asked_dates
from workbench.language.checks import check
from workbench.language.declarations import Function, Predicate, Type
from workbench.language.declared import Declared
from workbench.language.definitions import with_defined_predicates
from workbench.language.formulas import is_nested_deeper
from workbench.language.grammar import Grammar
from workbench.language.mln.builder import MlnBuilder
from workbench.language.mln.kinds import (
    declares_number,
    is_declaration_with_plus,
    is_function_declaration,
    is_predicate_declaration,
    is_type_declaration,
    tag_weight,
)
from workbench.language.program import Definition, FormulaRule, Program, Scope
from workbench.language.refusal import Refused
from workbench.language.source import Diagnostics, SourceText, read_text
from workbench.language.statements import (
    Statement,
    description,
    headed,
    opens_scope,
    scope_tokens,
    split_statements,
)

Item = FormulaRule | Definition | Scope | Type | Predicate | Function

DEEPEST = 100


def parse_mln(
    text: str, source: str | None = None, *, directory: str | os.PathLike[str] | None = None
) -> Program:
    """Read a Markov logic network, and check it; its warnings are what `check` returns.

    Raises InputError with every error of the text, and of the files it includes, at once (E0101 to
    E0119).

    Parameters
    ----------
    text : str
        The program, in Alchemy's syntax.
    source : str or None
        The file's name, for messages.
    directory : path or None
        Where `#include "file.mln"` looks; the current directory when None.
    """
    program, diagnostics = _read(text, source, directory)
    diagnostics.found += check(program)
    diagnostics.raise_errors()
    return program.as_read()


def mln_statements(text: str, source: str | None = None) -> list[tuple[Statement, Item]]:
    """A text's statements with what each declares or says, without `#include` lines.

    Raises InputError with every error of syntax.
    """
    reading = _Reading(follow=False)
    reading.read(SourceText(source, text), Path())
    reading.diagnostics.raise_errors()
    return reading.items


def _read(
    text: str, source: str | None, directory: str | os.PathLike[str] | None
) -> tuple[Program, Diagnostics]:
    reading = _Reading()
    if source is not None:
        reading.included.add(Path(source).resolve())
    reading.read(SourceText(source, text), Path(directory or "."))
    return reading.program(text), reading.diagnostics


GRAMMAR = Grammar(
    "mln",
    MlnBuilder,
    (
        *("rule", "definition", "scope", "type_declaration", "predicate_declaration"),
        *("number_declaration", "function_declaration"),
    ),
    ("NEWLINE", "POINT", "COLON", "AT", "INCLUDE", "OPEN_COMMENT", "OPEN_STRING", "UNKNOWN"),
)


@dataclass
class _Reading:
    """One reading: what has been declared so far, and what was found wrong."""

    sources: dict[str | None, str] = field(default_factory=dict)
    declared: Declared = field(default_factory=Declared)
    rules: list[FormulaRule] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    items: list[tuple[Statement, Item]] = field(default_factory=list)
    included: set[Path] = field(default_factory=set)
    follow: bool = True

    def __post_init__(self) -> None:
        self.diagnostics = Diagnostics(self.sources)

    def read(self, source: SourceText, directory: Path) -> None:
        self.sources[source.name] = source.text
        for statement in split_statements(GRAMMAR.parser, source, self.diagnostics):
            if statement.tokens[0].type != "INCLUDE":
                self.statement(statement)
            elif self.follow:
                self.include(statement, directory)

    def program(self, text: str) -> Program:
        ordinary = self.declared.complete(self.rules)
        program = Program(
            "mln",
            self.declared.types,
            self.declared.predicates,
            self.declared.functions,
            headed(self.rules),
            text,
            dict(self.sources),
            tuple(self.definitions),
            tuple(self.scopes),
        )
        return with_asked_dates(with_defined_predicates(program, ordinary))

    def statement(self, statement: Statement) -> None:
        tokens = statement.tokens
        span = statement.source.span(tokens[0], tokens[-1])
        builder = GRAMMAR.builder
        builder.source, builder.declared = statement.source, self.declared
        if is_declaration_with_plus(tokens, self.declared.predicates):
            statement = self.without_plus(statement)
            tokens = statement.tokens
        try:
            self.items.append((statement, self.item(statement, span)))
        except Refused as refused:
            self.diagnostics.add(refused.code, refused.message, refused.span or span, refused.help)
        except RecursionError:
            self.diagnostics.add(
                "E0103", "this statement nests too deeply", span, "split it into several"
            )

    def item(self, statement: Statement, span: Span) -> Item:
        """What a statement declares or says."""
        tokens = statement.tokens
        if is_type_declaration(tokens):
            return self.declared.take(self.parse(statement, "type_declaration"))
        if is_function_declaration(tokens):
            return self.declared.take(self.parse(statement, "function_declaration"))
        if self.declares_number(tokens):
            return self.declared.take(self.parse(statement, "number_declaration"))
        if is_predicate_declaration(tokens, self.declared.predicates):
            return self.declared.take(self.parse(statement, "predicate_declaration"))
        if any(token.type == "DEFINES" for token in tokens):
            return self.define(statement, "definition", span)
        if any(opens_scope(tokens, stop) for stop in range(3, len(tokens) + 1)):
            return self.define(statement, "scope", span)
        return self.rule(statement, span)

    def declares_number(self, tokens: list[Token]) -> bool:
        """Whether this is `Name(type, ...) = number`; of a function's name it is a formula."""
        return declares_number(tokens) and not self.declared.has(str(tokens[0]))

    def without_plus(self, statement: Statement) -> Statement:
        """The declaration that was meant, so that rules know its predicate; the `+` is reported."""
        tokens = [token for token in statement.tokens if token.type != "PLUS"]
        plus = next(token for token in statement.tokens if token.type == "PLUS")
        plain = "".join(f"{token} " if token.type == "COMMA" else token for token in tokens)
        self.diagnostics.add(
            "E0137",
            f"the declaration of {tokens[0]} has a `+`, which belongs into rules",
            statement.source.span(plus),
            f"drop the +: `{plain}`",
        )
        return Statement(statement.source, tokens)

    def parse(self, statement: Statement, start: str) -> object:
        return GRAMMAR.parse(statement.tokens, statement.source, start)

    def define(self, statement: Statement, start: str, span: Span) -> Definition | Scope:
        """A definition or scope; its full stop is optional."""
        tokens = scope_tokens(statement.tokens)
        for i in range(1, len(tokens)):
            # After `=` stands a term, so this is the aggregate and no quantifier.
            if tokens[i].type == "EXIST" and tokens[i - 1].type == "EQUAL":
                tokens[i] = tokens[i].update(type="NAME")
        if tokens[-1].type == "POINT":
            tokens[-1] = tokens[-1].update(type="STOP")
        found = self.parse(Statement(statement.source, tokens), start)
        assert isinstance(found, Definition | Scope)
        found = replace(
            found, text=self.text(statement), span=span, description=description(statement)
        )
        if isinstance(found, Definition):
            self.definitions.append(found)
        else:
            self.scopes.append(found)
        return found

    def text(self, statement: Statement) -> str:
        return statement.source.text[statement.start : statement.stop]

    def rule(self, statement: Statement, span: Span) -> FormulaRule:
        tokens, weighted = tag_weight(statement)
        stop = tokens[-1].type == "POINT"
        if stop:
            tokens = [*tokens[:-1], tokens[-1].update(type="STOP")]
        if stop and weighted:
            self.diagnostics.add(
                "E0108",
                "this formula has a weight and a full stop",
                statement.source.span(tokens[-1]),
                "a full stop makes it hard: drop the weight, or drop the full stop",
            )
        rule = self.parse(Statement(statement.source, tokens), "rule")
        assert isinstance(rule, FormulaRule)
        if is_nested_deeper(rule.formula, DEEPEST):
            raise Refused(
                "E0103",
                f"this formula nests more than {DEEPEST} operators",
                span,
                "split it into several",
            )
        rule = replace(
            rule, text=self.text(statement), span=span, description=description(statement)
        )
        self.rules.append(rule)
        return rule

    def include(self, statement: Statement, directory: Path) -> None:
        token = statement.tokens[0]
        span = statement.source.span(token)
        match = re.fullmatch(r'#include\s+["<]([^">]+)[">]\s*(//.*)?', token.rstrip())
        if match is None:
            self.diagnostics.add(
                "E0113", f"`{token.strip()}` is not supported", span, 'only #include "file.mln" is'
            )
            return
        path = directory / match[1]
        if not path.name.endswith((".mln", ".mln.gz")):
            self.diagnostics.add(
                "E0113",
                f"{match[1]} is code, and the workbench runs none",
                span,
                "only .mln files can be included",
            )
        elif path.resolve() not in self.included:
            self.included.add(path.resolve())
            try:
                self.read(SourceText(str(path), read_text(path)), path.parent)
            except InputError as error:
                self.diagnostics.add(
                    "E0114", error.diagnostics[0].message, span, error.diagnostics[0].help
                )
