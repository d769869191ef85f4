"""A PSL text cut into rules: weights, full stops, exponents and line ends decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lark import Lark, Token

from workbench.language.source import Diagnostics, SourceText
from workbench.language.statements import (
    CLOSING,
    OPENING,
    STRAY,
    Statement,
    is_sound,
    opens_scope,
    report_stray,
)

ENDS = {"STOP", "EXPONENT"}
SIGNS = {"MINUS", "PLUS"}
OPERAND_ENDS = {"RPAR", "RSQB", "NUMBER", "STRING", "NAME"}
OPERAND_STARTS = {"NAME", "NOT", "LPAR", "NUMBER", "STRING", "EXTREMUM"}
CARDINALITY = ["PIPE", "NAME", "PIPE"]
STRAY_HELP = {
    "?": "PSL knows no blocks: write a hard sum, as in `Has(X, +Y) <= 1 .`",
    "∧": "conjunction is written `&`",
    "∨": "disjunction is written `|`",
    "¬": "negation is written `!`",
    "→": "implication is written `->`",
    "⇒": "implication is written `->`",
    "\0": "the file holds NUL bytes: is it text?",
}


def split_rules(
    parser: Lark, source: SourceText, diagnostics: Diagnostics, starts: Sequence[int] = ()
) -> Iterator[Statement]:
    """Cut `source` into rules.

    A rule starts at a weight, after a full stop or an exponent (and the filters that follow it),
    and on a new line where an operand follows an operand. A leading `-` stays with its weight. A
    rule also starts at each position in `starts` (ascending), whatever stands there.
    """
    rule: list[Token] = []
    depth = 0
    newline = False
    pending = list(_tagged(parser.lex(source.text)))
    passed = 0
    for position, token in enumerate(pending):
        kind = token.type
        if kind == "NEWLINE":
            newline = True
            continue
        if kind in STRAY:
            report_stray(token, source, diagnostics, STRAY_HELP)
            if kind == "OPEN_COMMENT":
                break
        told = passed < len(starts) and (token.start_pos or 0) >= starts[passed]
        passed += told
        if rule and (told or _starts_rule(rule, pending[position : position + 3], newline, depth)):
            if is_sound(rule):
                yield Statement(source, rule)
            rule, depth = [], 0
        newline = False
        rule.append(token)
        if kind in OPENING:
            depth += 1
        elif kind in CLOSING:
            depth = max(0, depth - 1)
    if rule and is_sound(rule):
        yield Statement(source, rule)


def _starts_rule(rule: list[Token], ahead: list[Token], newline: bool, depth: int) -> bool:
    """Whether the first token of `ahead` is not part of the rule that ends in `rule`."""
    last, kind = rule[-1].type, ahead[0].type
    kinds = [token.type for token in ahead]
    if kind == "WEIGHT":
        return last not in SIGNS or len(rule) > 1
    if kind in SIGNS and kinds[1:2] == ["WEIGHT"]:
        return True
    if newline and last == "OPEN_STRING":
        return True
    if depth or opens_scope(rule):
        return False
    if last in ENDS or last == "RBRACE":
        return kind not in ("LBRACE", "STOP", "EXPONENT")
    ended = last in OPERAND_ENDS or [token.type for token in rule[-3:]] == CARDINALITY
    return newline and ended and (kind in OPERAND_STARTS or kinds == CARDINALITY)


def _tagged(tokens: Iterator[Token]) -> Iterator[Token]:
    """The tokens, `1.5 :` as WEIGHT, full stops as STOP; less what follows an open quote."""
    held: Token | None = None
    spoiled_line: int | None = None
    for token in tokens:
        kind = token.type
        if token.line == spoiled_line and kind != "NEWLINE":
            continue
        if held is not None:
            if kind == "COLON":
                yield held.update(type="WEIGHT")
                held = None
                continue
            yield held
            held = None
        if kind == "NUMBER":
            held = token
        else:
            spoiled_line = token.line if kind == "OPEN_STRING" else spoiled_line
            yield token.update(type="STOP") if kind == "POINT" else token
    if held is not None:
        yield held
