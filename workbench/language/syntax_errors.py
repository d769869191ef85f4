"""Words for what a parser did not expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lark import Token

__all__ = ["explain_unexpected"]

SPELLING = {
    "LPAR": "(",
    "RPAR": ")",
    "LBRACE": "{",
    "RBRACE": "}",
    "LSQB": "[",
    "RSQB": "]",
    "COMMA": ",",
    "STOP": ".",
    "COLON": ":",
    "STRING": '"a quoted constant"',
}


def explain_unexpected(tokens: Sequence[Token], position: int, expected: Iterable[str]) -> tuple[str, str, str | None]:
    """Code, message and help for the token at `position` (past the end: the statement stops too early)."""
    before = tokens[position - 1] if position else None
    wanted = set(expected)
    if position >= len(tokens):
        if "RPAR" in wanted and "NAME" not in wanted:
            return "E0103", "a parenthesis is opened and never closed", "add `)`"
        return "E0103", f"the statement ends after `{before}`, where something must follow", None
    token = tokens[position]
    text = str(token)
    if token.type == "OR" and before is not None and before.type in ("LPAR", "COMMA"):
        return "E0109", "`v` is the sign of disjunction, not a variable", "give the variable another name"
    if token.type == "NAME" and before is not None and before.type in ("RPAR", "NAME", "STRING", "NUMBER"):
        if text[0] == "v" and text[1:2].isupper():
            return "E0109", f"`{text}` is read as one name", f"put blanks around the disjunction: `v {text[1:]}`"
        if before.type == "NAME" and before.endswith("v") and len(before) > 1:
            return "E0109", f"`{before}` is read as one name", f"put blanks around the disjunction: `{before[:-1]} v`"
        return "E0103", f"`{text}` follows `{before}` without an operator", "join formulas by ^, v, => or <=>"
    if token.type == "STOP":
        return "E0103", "a full stop ends a hard formula, and this one is not complete", None
    if token.type == "COLON":
        return "E0103", "a colon stands only after a weight", None
    if token.type == "MORE" and before is not None and before.type == "MINUS":
        return "E0103", "`->` is not Markov logic", "implication is written `=>` in Markov logic"
    if token.type == "RPAR" and "RPAR" not in wanted and "NAME" not in wanted:
        return "E0103", "this parenthesis was never opened", None
    return "E0103", f"`{text}` is not expected here", _expectation(wanted)


def _expectation(wanted: set[str]) -> str | None:
    if "NAME" in wanted:
        return "an atom, a term or `(` can stand here"
    signs = sorted(SPELLING[name] for name in wanted if name in SPELLING)
    return f"one of {' '.join(signs)} or an operator can stand here" if signs else None
