"""Words for what a parser did not expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lark import Token

from workbench.language.refusal import Refused
from workbench.language.source import SourceText

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


class _Misplaced(NamedTuple):
    """What is said of a sign, where it follows another or wherever it stands."""

    type: str
    message: str
    help: str | None = None
    after: str | None = None
    language: str | None = None


MISPLACED = (
    _Misplaced("STOP", "a full stop ends a hard rule, and this one is not complete"),
    _Misplaced("COLON", "a colon stands only after a weight"),
    _Misplaced("MORE", "`=>` is not soft logic", "implication is written `->`", "EQUAL", "psl"),
    _Misplaced(
        "MORE",
        "`->` is not Markov logic",
        "implication is written `=>` in Markov logic",
        "MINUS",
        "mln",
    ),
    _Misplaced(
        "EQUAL",
        "`==` is not Markov logic",
        "equality of terms is `=`, of formulas `<=>`",
        "EQUAL",
    ),
)


def explain_unexpected(
    tokens: Sequence[Token],
    position: int,
    expected: Iterable[str],
    source: SourceText,
    language: str,
) -> Refused:
    """Explain the token at `position`; past the end of `tokens`, the statement stops too early."""
    spot = _Spot(tokens, position, frozenset(expected), source, language)
    if position >= len(tokens):
        return _too_short(spot)
    for explain in (
        _unclosed,
        _or_as_variable,
        _quantifier_as_predicate,
        _word_as_operator,
        _two_operands,
        _misplaced_sign,
        _decimal_comma,
        _never_opened,
    ):
        found = explain(spot)
        if found is not None:
            return found
    return spot.refused(f"`{spot.token}` is not expected here", _expectation(spot))


@dataclass(frozen=True)
class _Spot:
    """Where a statement could not be read on, and what could have stood there."""

    tokens: Sequence[Token]
    position: int
    wanted: frozenset[str]
    source: SourceText
    language: str

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    @property
    def before(self) -> Token | None:
        return self.tokens[self.position - 1] if self.position else None

    @property
    def after(self) -> str | None:
        """The type of the token before."""
        return None if self.before is None else self.before.type

    @property
    def opened(self) -> Token | None:
        return _open_bracket(self.tokens[: self.position])

    def refused(
        self, message: str, help: str | None = None, code: str = "E0103", *, at: Token | None = None
    ) -> Refused:
        return Refused(code, message, self.source.span(at or self.token), help)

    def unclosed(self, opened: Token) -> Refused:
        closer = SIGN[CLOSER[opened.type]]
        return self.refused(f"this `{opened}` is never closed", f"add `{closer}`", at=opened)


def _too_short(spot: _Spot) -> Refused:
    opened = spot.opened
    if opened is not None and CLOSER[opened.type] in spot.wanted and spot.after in OPERAND_ENDS:
        return spot.unclosed(opened)
    message = f"the statement ends after `{spot.before}`, where something must follow"
    return spot.refused(message, at=spot.tokens[-1])


def _unclosed(spot: _Spot) -> Refused | None:
    """A new line begins where a bracket should have been closed."""
    opened, before = spot.opened, spot.before
    if opened is None or before is None or spot.after not in OPERAND_ENDS:
        return None
    return spot.unclosed(opened) if spot.token.line != before.line else None


def _or_as_variable(spot: _Spot) -> Refused | None:
    if spot.language != "mln" or spot.token.type != "OR" or spot.after not in ("LPAR", "COMMA"):
        return None
    message = "`v` is the sign of disjunction, not a variable"
    return spot.refused(message, "give the variable another name", "E0109")


def _quantifier_as_predicate(spot: _Spot) -> Refused | None:
    before = spot.before
    if before is None or spot.token.type != "LPAR" or spot.after not in ("EXIST", "FORALL"):
        return None
    return spot.refused(
        f"`{before}` is a quantifier, not a predicate",
        f"give the predicate another name; variables follow without brackets: `{before} x P(x)`",
        at=before,
    )


def _word_as_operator(spot: _Spot) -> Refused | None:
    words = MLN_WORDS if spot.language == "mln" else PSL_WORDS
    for word in (spot.token, spot.before):
        if word is not None and word.type == "NAME" and word.casefold() in words:
            return spot.refused(f"`{word}` is no operator", words[word.casefold()], at=word)
    return None


def _two_operands(spot: _Spot) -> Refused | None:
    text, mln = str(spot.token), spot.language == "mln"
    if spot.token.type != "NAME" or spot.after not in OPERAND_ENDS:
        return None
    if mln and text[0] == "v" and text[1:2].isupper():
        help_text = f"put blanks around the disjunction: `v {text[1:]}`"
        return spot.refused(f"`{text}` is read as one name", help_text, "E0109")
    joins = (
        "join formulas by ^, v, => or <=>" if mln else "join atoms by &, |, -> or start a new line"
    )
    return spot.refused(f"`{text}` follows `{spot.before}` without an operator", joins)


def _misplaced_sign(spot: _Spot) -> Refused | None:
    for one in MISPLACED:
        if (
            one.type == spot.token.type
            and one.after in (None, spot.after)
            and one.language in (None, spot.language)
        ):
            return spot.refused(one.message, one.help)
    return None


def _decimal_comma(spot: _Spot) -> Refused | None:
    first = spot.tokens[0]
    if spot.token.type != "COMMA" or spot.position != 1 or first.type not in ("NUMBER", "WEIGHT"):
        return None
    help_text = f"write {first}.{_next(spot.tokens)}"
    return spot.refused("a number has a decimal point, not a comma", help_text)


def _never_opened(spot: _Spot) -> Refused | None:
    closes, opened = spot.token.type, spot.opened
    if closes not in CLOSER.values() or (opened is not None and CLOSER[opened.type] == closes):
        return None
    return spot.refused(f"`{spot.token}` closes what was never opened")


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


def _expectation(spot: _Spot) -> str:
    wanted, opened = spot.wanted, spot.opened
    if "NAME" in wanted:
        return "an atom, a term or `(` can stand here"
    closer = CLOSER[opened.type] if opened is not None else None
    signs = [f"`{SIGN[closer]}`"] if closer in wanted and closer is not None else []
    if opened is not None and "COMMA" in wanted:
        signs.append("`,`")
    return f"{' or '.join([*signs, 'an operator'])} can stand here"
