"""Words for what a parser did not expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lark import Token

__all__ = ["Unexpected", "explain_unexpected"]

CLOSER = {"LPAR": "RPAR", "LBRACE": "RBRACE", "LSQB": "RSQB"}
SIGN = {"LPAR": "(", "RPAR": ")", "LBRACE": "{", "RBRACE": "}", "LSQB": "[", "RSQB": "]", "COMMA": ",", "COLON": ":"}
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


@dataclass(frozen=True)
class Unexpected:
    """Why a statement does not parse: what to say, and which of its tokens to point at."""

    code: str
    message: str
    help: str | None
    token: Token


def explain_unexpected(
    tokens: Sequence[Token], position: int, expected: Iterable[str], language: str = "mln"
) -> Unexpected:
    """Explain the token at `position`; past the end of `tokens`, the statement stops too early."""
    before = tokens[position - 1] if position else None
    wanted = set(expected)
    opened = _open_bracket(tokens[:position])
    joins = "join formulas by ^, v, => or <=>" if language == "mln" else "join atoms by &, |, -> or start a new line"
    if position >= len(tokens):
        if opened is not None and CLOSER[opened.type] in wanted and before is not None and before.type in OPERAND_ENDS:
            return _unclosed(opened)
        message = f"the statement ends after `{before}`, where something must follow"
        return Unexpected("E0103", message, None, tokens[-1])
    token = tokens[position]
    text = str(token)
    if opened is not None and before is not None and token.line != before.line and before.type in OPERAND_ENDS:
        return _unclosed(opened)
    if language == "mln" and token.type == "OR" and before is not None and before.type in ("LPAR", "COMMA"):
        message = "`v` is the sign of disjunction, not a variable"
        return Unexpected("E0109", message, "give the variable another name", token)
    words = MLN_WORDS if language == "mln" else PSL_WORDS
    for word in (token, before):
        if word is not None and word.type == "NAME" and word.casefold() in words:
            return Unexpected("E0103", f"`{word}` is no operator", words[word.casefold()], word)
    if token.type == "NAME" and before is not None and before.type in OPERAND_ENDS:
        if language == "mln" and text[0] == "v" and text[1:2].isupper():
            message = f"`{text}` is read as one name"
            return Unexpected("E0109", message, f"put blanks around the disjunction: `v {text[1:]}`", token)
        return Unexpected("E0103", f"`{text}` follows `{before}` without an operator", joins, token)
    if token.type == "STOP":
        return Unexpected("E0103", "a full stop ends a hard rule, and this one is not complete", None, token)
    if token.type == "COLON":
        return Unexpected("E0103", "a colon stands only after a weight", None, token)
    if language == "psl" and token.type == "MORE" and before is not None and before.type == "EQUAL":
        return Unexpected("E0103", "`=>` is not soft logic", "implication is written `->`", token)
    if language == "mln" and token.type == "MORE" and before is not None and before.type == "MINUS":
        return Unexpected("E0103", "`->` is not Markov logic", "implication is written `=>` in Markov logic", token)
    if token.type == "EQUAL" and before is not None and before.type == "EQUAL":
        return Unexpected("E0103", "`==` is not Markov logic", "equality of terms is `=`, of formulas `<=>`", token)
    if token.type == "COMMA" and position == 1 and tokens[0].type in ("NUMBER", "WEIGHT"):
        return Unexpected(
            "E0103", "a number has a decimal point, not a comma", f"write {tokens[0]}.{_next(tokens)}", token
        )
    if token.type in CLOSER.values() and (opened is None or CLOSER[opened.type] != token.type):
        return Unexpected("E0103", f"`{text}` closes what was never opened", None, token)
    return Unexpected("E0103", f"`{text}` is not expected here", _expectation(wanted, opened), token)


def _next(tokens: Sequence[Token]) -> str:
    return str(tokens[2]) if len(tokens) > 2 and tokens[2].type == "NUMBER" else "0"


def _unclosed(opened: Token) -> Unexpected:
    closer = SIGN[CLOSER[opened.type]]
    return Unexpected("E0103", f"this `{opened}` is never closed", f"add `{closer}`", opened)


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
