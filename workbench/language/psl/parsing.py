"""Reading probabilistic soft logic: text to `Program`.

Weights, full stops, exponents and line ends decide how a text is cut into rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lark import Lark, Token

from workbench.language.checks import check
from workbench.language.formulas import is_nested_deeper
from workbench.language.grammar import Grammar
from workbench.language.program import (
    ArithmeticRule,
    Calculation,
    Definition,
    Factor,
    LogicalRule,
    Program,
    Scope,
)
from workbench.language.psl.builder import PslBuilder
from workbench.language.psl.types import with_inferred_types
from workbench.language.refusal import Refused
from workbench.language.source import Diagnostics, SourceText
from workbench.language.statements import (
    CLOSING,
    OPENING,
    STRAY,
    Statement,
    description,
    headed,
    is_sound,
    opens_scope,
    report_stray,
    scope_tokens,
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


Item = LogicalRule | ArithmeticRule | Definition | Scope
DEEPEST = 100
COMMENTS = ("//", "#")
GRAMMAR = Grammar(
    "psl",
    PslBuilder,
    ("rule", "definition", "scope"),
    ("NEWLINE", "POINT", "OPEN_COMMENT", "OPEN_STRING", "UNKNOWN"),
)


def parse_psl(text: str, source: str | None = None, *, starts: Sequence[int] = ()) -> Program:
    """Read a PSL program.

    Raises InputError with every error of the text at once (E0101 to E0129).

    Parameters
    ----------
    text : str
        Rules, as in a `.psl` file.
    source : str or None
        The file's name, for messages.
    starts : sequence of int
        Positions at which a rule is known to start, ascending.

    Returns
    -------
    Program
        Checked. Predicates keep the spelling of their first mention (their names do not depend on
        case), are neither open nor closed (`closed=None`), and have one type for all arguments that
        rules join.
    """
    program, diagnostics = _read(text, source, starts)
    diagnostics.found += check(program)
    diagnostics.raise_errors()
    return program.as_read()


def psl_statements(text: str, source: str | None = None) -> list[tuple[Statement, Item]]:
    """The rules, definitions and scopes of a text with the tokens of each.

    Raises InputError with every error of syntax.
    """
    diagnostics = Diagnostics({source: text})
    found = list(_rules(SourceText(source, text), diagnostics))
    diagnostics.raise_errors()
    return found


def _read(text: str, source: str | None, starts: Sequence[int] = ()) -> tuple[Program, Diagnostics]:
    diagnostics = Diagnostics({source: text})
    items = [item for _, item in _rules(SourceText(source, text), diagnostics, starts)]
    rules = headed(item for item in items if isinstance(item, LogicalRule | ArithmeticRule))
    definitions = tuple(item for item in items if isinstance(item, Definition))
    scopes = tuple(item for item in items if isinstance(item, Scope))
    read = Program("psl", {}, {}, {}, rules, text, {source: text}, definitions, scopes)
    program = with_inferred_types(read, diagnostics)
    return program, diagnostics


def _rules(
    source: SourceText, diagnostics: Diagnostics, starts: Sequence[int] = ()
) -> Iterator[tuple[Statement, Item]]:
    for statement in split_rules(GRAMMAR.parser, source, diagnostics, starts):
        GRAMMAR.builder.source = source
        tokens = statement.tokens
        span = source.span(tokens[0], tokens[-1])
        try:
            rule = _parse(statement)
            if isinstance(rule, ArithmeticRule) and _nests_deeper(rule, DEEPEST):
                raise Refused(
                    "E0103",
                    f"this rule nests more than {DEEPEST} operators",
                    span,
                    "split it into several",
                )
            text = source.text[statement.start : statement.stop]
            said = description(statement, COMMENTS)
            yield statement, replace(rule, text=text, span=span, description=said)
        except Refused as refused:
            diagnostics.add(refused.code, refused.message, refused.span or span, refused.help)
        except RecursionError:
            diagnostics.add("E0103", "this rule nests too deeply", span, "split it into several")


def _nests_deeper(rule: ArithmeticRule, limit: int) -> bool:
    if any(is_nested_deeper(filter_.condition, limit) for filter_ in rule.filters):
        return True
    parts: list[tuple[Factor | None, int]] = [(term.factor, 0) for term in rule.terms]
    while parts:
        factor, depth = parts.pop()
        if depth > limit:
            return True
        if isinstance(factor, Calculation):
            parts += [(factor.left, depth + 1), (factor.right, depth + 1)]
    return False


def _parse(statement: Statement) -> Item:
    tokens = statement.tokens
    start = "rule"
    if any(token.type == "DEFINES" for token in tokens):
        start = "definition"
    elif any(opens_scope(tokens, stop) for stop in range(3, len(tokens) + 1)):
        start, tokens = "scope", scope_tokens(tokens)
    if tokens[0].type == "MINUS" and len(tokens) > 1 and tokens[1].type == "WEIGHT":
        raise Refused(
            "E0120",
            f"the weight -{tokens[1]} is negative",
            statement.source.span(tokens[0], tokens[1]),
            "a negative weight makes inference non-convex; negate the rule instead: `w: A -> B` "
            "becomes `w: A -> !B`",
        )
    if (
        tokens[0].type == "NUMBER"
        and tokens[-1].type != "STOP"
        and len(tokens) > 1
        and tokens[1].type == "NAME"
    ):
        raise Refused(
            "E0120",
            "this weight has no colon",
            statement.source.span(tokens[0]),
            f"write `{tokens[0]}: {tokens[1]}...`",
        )
    rule = GRAMMAR.parse(tokens, statement.source, start)
    assert isinstance(rule, LogicalRule | ArithmeticRule | Definition | Scope)
    return rule
