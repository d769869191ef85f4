"""Words for what a parser did not expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lark import Token

from workbench.language.refusal import Refused
from workbench.language.source import SourceText

__all__ = ["explain_unexpected"]

CLOSER = {"LPAR": "RPAR", "LBRACE": "RBRACE", "LSQB": "RSQB"}
SIGN = {
    "LPAR": "(",
    "RPAR": ")",
    "LBRACE": "{",
    "RBRACE": "}",
    "LSQB": "[",
    "RSQB": "]",
    "COMMA": ",",
    "COLON": ":",
}
OPERAND_ENDS = {"RPAR", "NAME", "STRING", "NUMBER"}
MLN_WORDS = {
    "and": "conjunction is written `^`",
    "or": "disjunction is written `v`",
    "not": "negation is written `!`",
    "implies": "implication is written `=>`",
    "iff": "equivalence is written `<=>`",
}
PSL_WORDS = {
    "and": "conjunction is written `&`",
    "or": "disjunction is written `|`",
    "not": "negation is written `!`",
    "v": "disjunction is written `|` in PSL",
    "implies": "implication is written `->`",
}


def explain_unexpected(
    tokens: Sequence[Token],
    position: int,
    expected: Iterable[str],
    source: SourceText,
    language: str,
) -> Refused:
    """Explain the token at `position`; past the end of `tokens`, the statement stops too early."""

    def refused(
        message: str, token: Token, help: str | None = None, code: str = "E0103"
    ) -> Refused:
        return Refused(code, message, source.span(token), help)

    def unclosed(opened: Token) -> Refused:
        return refused(
            f"this `{opened}` is never closed", opened, f"add `{SIGN[CLOSER[opened.type]]}`"
        )

    before = tokens[position - 1] if position else None
    wanted = set(expected)
    opened = _open_bracket(tokens[:position])
    joins = (
        "join formulas by ^, v, => or <=>"
        if language == "mln"
        else "join atoms by &, |, -> or start a new line"
    )
    if position >= len(tokens):
        if (
            opened is not None
            and CLOSER[opened.type] in wanted
            and before is not None
            and before.type in OPERAND_ENDS
        ):
            return unclosed(opened)
        return refused(
            f"the statement ends after `{before}`, where something must follow", tokens[-1]
        )
    token = tokens[position]
    text = str(token)
    after = before.type if before is not None else None
    if (
        opened is not None
        and before is not None
        and token.line != before.line
        and after in OPERAND_ENDS
    ):
        return unclosed(opened)
    if language == "mln" and token.type == "OR" and after in ("LPAR", "COMMA"):
        return refused(
            "`v` is the sign of disjunction, not a variable",
            token,
            "give the variable another name",
            "E0109",
        )
    words = MLN_WORDS if language == "mln" else PSL_WORDS
    for word in (token, before):
        if word is not None and word.type == "NAME" and word.casefold() in words:
            return refused(f"`{word}` is no operator", word, words[word.casefold()])
    if token.type == "NAME" and after in OPERAND_ENDS:
        if language == "mln" and text[0] == "v" and text[1:2].isupper():
            help_text = f"put blanks around the disjunction: `v {text[1:]}`"
            return refused(f"`{text}` is read as one name", token, help_text, "E0109")
        return refused(f"`{text}` follows `{before}` without an operator", token, joins)
    if token.type == "STOP":
        return refused("a full stop ends a hard rule, and this one is not complete", token)
    if token.type == "COLON":
        return refused("a colon stands only after a weight", token)
    if language == "psl" and token.type == "MORE" and after == "EQUAL":
        return refused("`=>` is not soft logic", token, "implication is written `->`")
    if language == "mln" and token.type == "MORE" and after == "MINUS":
        return refused(
            "`->` is not Markov logic", token, "implication is written `=>` in Markov logic"
        )
    if token.type == "EQUAL" and after == "EQUAL":
        return refused(
            "`==` is not Markov logic", token, "equality of terms is `=`, of formulas `<=>`"
        )
    if token.type == "COMMA" and position == 1 and tokens[0].type in ("NUMBER", "WEIGHT"):
        help_text = f"write {tokens[0]}.{_next(tokens)}"
        return refused("a number has a decimal point, not a comma", token, help_text)
    if token.type in CLOSER.values() and (opened is None or CLOSER[opened.type] != token.type):
        return refused(f"`{text}` closes what was never opened", token)
    return refused(f"`{text}` is not expected here", token, _expectation(wanted, opened))


def _next(tokens: Sequence[Token]) -> str:
    return str(tokens[2]) if len(tokens) > 2 and tokens[2].type == "NUMBER" else "0"


def _open_bracket(tokens: Sequence[Token]) -> Token | None:
    """The innermost bracket still open at the end of `tokens`."""
    stack: list[Token] = []
    for token in tokens:
        if token.type in CLOSER:
            stack.append(token)
        elif stack and token.type == CLOSER[stack[-1].type]:
            stack.pop()
    return stack[-1] if stack else None


def _expectation(wanted: set[str], opened: Token | None) -> str | None:
    if "NAME" in wanted:
        return "an atom, a term or `(` can stand here"
    closer = CLOSER[opened.type] if opened is not None else None
    signs = [f"`{SIGN[closer]}`"] if closer in wanted and closer is not None else []
    if opened is not None and "COMMA" in wanted:
        signs.append("`,`")
    return f"{' or '.join([*signs, 'an operator'])} can stand here"
