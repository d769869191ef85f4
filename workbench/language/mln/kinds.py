"""What a statement of Markov logic is, by its tokens: a declaration, or a rule and weight."""

from __future__ import annotations

from lark import Token

from workbench.language.declarations import Predicate
from workbench.language.refusal import Refused
from workbench.language.statements import Statement

STARTS_FORMULA = {"NAME", "NOT", "LPAR", "LSQB", "FORALL", "EXIST", "STRING", "NUMBER", "STAR"}


def is_type_declaration(tokens: list[Token]) -> bool:
    """`name = { ...`."""
    return len(tokens) > 2 and [token.type for token in tokens[:3]] == ["NAME", "EQUAL", "LBRACE"]


def is_function_declaration(tokens: list[Token]) -> bool:
    """`type name(type, ...)`."""
    return (
        len(tokens) > 3
        and [token.type for token in tokens[:3]] == ["NAME", "NAME", "LPAR"]
        and tokens[-1].type == "RPAR"
        and all(token.type in ("NAME", "COMMA") for token in tokens[3:-1])
    )


def is_predicate_declaration(tokens: list[Token], predicates: dict[str, Predicate]) -> bool:
    """`[*] Name ( type [! or ?], ... )` and nothing else: a name not declared yet, or marked."""
    start = 1 if tokens[0].type == "STAR" else 0
    kinds = [token.type for token in tokens[start:]]
    if kinds != ["NAME"] and (kinds[:2] != ["NAME", "LPAR"] or kinds[-1] != "RPAR"):
        return False
    inside = kinds[2:-1]
    if not all(kind in ("NAME", "COMMA", "NOT", "QUESTION") for kind in inside):
        return False
    if any(a in ("COMMA", "NOT") and b == "NOT" for a, b in zip(["COMMA", *inside], inside)):
        return False
    return str(tokens[start]) not in predicates or "NOT" in inside or "QUESTION" in inside


def declares_number(tokens: list[Token]) -> bool:
    """`Name(type, ...) = type`."""
    kinds = [token.type for token in tokens]
    inside = kinds[2:-3]
    return (
        len(kinds) > 5
        and kinds[:2] == ["NAME", "LPAR"]
        and kinds[-3:] == ["RPAR", "EQUAL", "NAME"]
        and str(tokens[0])[:1].isupper()
        and all(kind == ("COMMA" if place % 2 else "NAME") for place, kind in enumerate(inside))
        and len(inside) % 2 == 1
        and all(str(token)[:1].islower() for token in (*tokens[2:-3:2], tokens[-1]))
    )


def is_declaration_with_plus(tokens: list[Token], predicates: dict[str, Predicate]) -> bool:
    """`Name(type, +type)`, of a name not declared yet."""
    plain = [token for token in tokens if token.type != "PLUS"]
    is_application = len(plain) < len(tokens) and [token.type for token in tokens[:2]] == [
        "NAME",
        "LPAR",
    ]
    return (
        is_application
        and str(tokens[0]) not in predicates
        and is_predicate_declaration(plain, predicates)
    )


def tag_weight(statement: Statement) -> tuple[list[Token], bool]:
    """The tokens with a leading number (or `w:`) retyped as weight, and whether one is there."""
    tokens = statement.tokens
    kinds = [token.type for token in tokens[:4]] + ["", "", "", ""]
    if "COLON" in [token.type for token in tokens] and "STAR" in kinds:
        factored = _tag_factor(tokens)
        if factored is not None:
            return factored, True
    if kinds[0] == "NAME" and kinds[1] == "COLON":
        return [tokens[0].update(type="WEIGHT_VARIABLE"), *tokens[2:]], True
    fixed = [tokens[0].update(type="FIXED")] if kinds[0] == "AT" else []
    at = len(fixed)
    if kinds[0] == "COLON":
        raise _utility(statement, tokens[0])
    signed = kinds[at] in ("MINUS", "PLUS")
    if kinds[at + signed] != "NUMBER":
        return tokens, False
    number = tokens[at + signed]
    rest = tokens[at + signed + 1 :]
    if rest and rest[0].type == "COLON":
        if len(rest) > 1 and rest[1].type in ("NUMBER", "MINUS"):
            raise _utility(statement, rest[0])
        rest = rest[1:]
    elif not rest or rest[0].type not in STARTS_FORMULA:
        return tokens, False
    value = f"{tokens[at]}{number}" if signed else str(number)
    weight = number.update(type="WEIGHT", value=value)
    return [*fixed, weight, *rest], True


def _tag_factor(tokens: list[Token]) -> list[Token] | None:
    """`1.2 * a: ...` or `w * a: ...` with weight and sign retyped; None of others."""
    fixed = [tokens[0].update(type="FIXED")] if tokens[0].type == "AT" else []
    rest = tokens[len(fixed) :]
    sign = str(rest[0]) if rest[0].type == "MINUS" else ""
    number, star = rest[bool(sign) : bool(sign) + 2]
    if (
        star.type != "STAR"
        or number.type not in ("NUMBER", "NAME")
        or (number.type == "NAME" and (fixed or sign))
    ):
        return None
    kind = "WEIGHT" if number.type == "NUMBER" else "LEARNED"
    after = rest[bool(sign) + 2 :]
    return [
        *fixed,
        number.update(type=kind, value=f"{sign}{number}"),
        star.update(type="FACTOR"),
        *after,
    ]


def _utility(statement: Statement, colon: Token) -> Refused:
    return Refused(
        "E0113",
        "utilities (`weight:utility formula`) of decision theory are not supported",
        statement.source.span(colon),
        "give the weight alone",
    )
