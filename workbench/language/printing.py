"""Printing terms, clauses and programs of Markov logic; reading them back gives the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.language.asked_dates import ASKED_DATE, without_asked_dates
from workbench.language.builtin import DATE_OF, STRING_PREDICATES
from workbench.language.declarations import Function, Predicate, Type
from workbench.language.notation import TIGHTNESS, Notation
from workbench.language.program import Definition, FormulaRule, Program, Rule, Scope, Weight
from workbench.language.psl.printing import PSL, format_psl_rule
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Formula,
    FreeSign,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
)

BARE = re.compile(r"[A-Z][A-Za-z0-9_]*|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})
BINDING = {Iff: 1, Implies: 2, Or: 3, And: 4}
SIGNS = {Iff: " <=> ", Implies: " => ", Or: " v ", And: " ^ "}


def quote_constant(name: str) -> str:
    """A constant as rules and data write it: bare where it can be, else quoted, with escapes."""
    return name if BARE.fullmatch(name) else f'"{name.translate(ESCAPES)}"'


def format_number(value: float) -> str:
    """The shortest text that reads back as `value`, without a superfluous `.0`."""
    text = repr(float(value))
    return text.removesuffix(".0")


def format_program(program: Program) -> str:
    """The program in canonical form: declarations, a blank line, one rule a line.

    Parsing it gives an equal program. Of comments those stay that describe a rule; `format_source`
    keeps all.
    """
    if program.language == "psl":
        made = [
            with_description(PSL.definition(one), one.description) for one in program.statements
        ]
        return "".join(f"{line}\n" for line in (*made, *_under_headings(program.rules)))
    declarations = [
        *(
            format_type(type_)
            for type_ in program.types.values()
            if type_.constants and type_.name != ASKED_DATE
        ),
        *(
            format_predicate(predicate)
            for name, predicate in program.predicates.items()
            if name not in program.defined
        ),
        *(format_function(function) for function in program.functions.values()),
    ]
    written = [one for one in program.statements if one.head.predicate != DATE_OF]
    made = [with_description(format_definition(one), one.description) for one in written]
    rules = _under_headings(program.rules)
    blocks = [block for block in (declarations, made, rules) if block]
    return "\n".join("".join(line + "\n" for line in block) for block in blocks)


def _under_headings(rules: Iterable[Rule]) -> list[str]:
    """Rules under their comments, which head several in a row; a blank line ends that."""
    lines, above = [], ""
    for rule in rules:
        text, said = format_rule(rule), rule.description
        if said != above:
            text = with_description(text, said) if said else f"\n{text}"
        lines.append(text)
        above = said
    return lines


def with_description(text: str, description: str) -> str:
    """A statement under the comment that describes it, if any does."""
    return f"{comment(description)}\n{text}" if description else text


def comment(words: str) -> str:
    """Words as a comment, on one line whatever they quote."""
    return f"// {' '.join(words.splitlines())}"


def format_definition(definition: Definition | Scope) -> str:
    """`Head(x) := body.`, or `Head(x) open where body.`, on one line."""
    return MLN.definition(without_asked_dates(definition))


def format_type(type_: Type) -> str:
    """`name = {A, B}`, or `name = {1,...,20}` where the constants are consecutive integers."""
    names = type_.constants
    if len(names) > 2 and re.fullmatch(r"-?(0|[1-9]\d*)", names[0]):
        first = int(names[0])
        if names == tuple(str(value) for value in range(first, first + len(names))):
            return f"{type_.name} = {{{names[0]},...,{names[-1]}}}"
    return f"{type_.name} = {{{', '.join(_declared_constant(name) for name in names)}}}"


def _declared_constant(name: str) -> str:
    return (
        name if re.fullmatch(r"[a-z][A-Za-z0-9_]*", name) and name != "v" else quote_constant(name)
    )


def format_predicate(predicate: Predicate) -> str:
    """`Name(type, type!)`, with `*` in front where it is closed."""
    marks = {
        **dict.fromkeys(predicate.exactly_one, "!"),
        **dict.fromkeys(predicate.at_most_one, "?"),
    }
    types = ["date" if name == ASKED_DATE else name for name in predicate.argument_types]
    arguments = [f"{name}{marks.get(i, '')}" for i, name in enumerate(types)]
    star = "*" if predicate.closed else ""
    if predicate.numeric:
        return f"{predicate.name}({', '.join(arguments)}) = {predicate.scale}"
    return (
        f"{star}{predicate.name}({', '.join(arguments)})"
        if arguments
        else f"{star}{predicate.name}"
    )


def format_function(function: Function) -> str:
    """`type Name(type)`."""
    return f"{function.return_type} {function.name}({', '.join(function.argument_types)})"


def format_rule(rule: Rule) -> str:
    """A rule of either language with its weight, on one line."""
    if not isinstance(rule, FormulaRule):
        return format_psl_rule(rule)
    text = format_formula(rule.formula)
    if rule.indivisible:
        text = f"[{text}]"
    elif text[0] in "-+." or text[0].isdigit():
        text = f"({text})"
    return with_weight(text, rule.weight)


def with_weight(text: str, weight: Weight) -> str:
    """Alchemy's way to write a weight, or a full stop, with a formula."""
    if weight.factor is not None:
        number = "w" if weight.value is None else format_number(weight.value)
        factor = MLN.term(weight.factor, TIGHTNESS["*"] + 1)
        return f"{'@' if weight.kind == 'fixed' else ''}{number} * {factor}: {text}"
    match weight.kind:
        case "given":
            return f"{format_number(weight.value or 0.0)} {text}"
        case "fixed":
            return f"@{format_number(weight.value or 0.0)} {text}"
        case "variable":
            return f"{weight.variable}: {text}"
        case "hard":
            return f"{text}."
    return text


def format_formula(formula: Formula) -> str:
    """A formula with no more parentheses than it needs (quantifiers inside always have them)."""
    if isinstance(formula, Quantified):
        return (
            f"{formula.kind.upper()} {','.join(formula.variables)} {format_formula(formula.body)}"
        )
    return _formula(formula, 0)


def _formula(formula: Formula, around: int) -> str:
    match formula:
        case Atom():
            return MLN.atom(formula)
        case FreeSign(atom):
            return "*" + MLN.atom(atom)
        case Comparison():
            return MLN.item(formula)
        case Not(body):
            return "!" + (
                f"({_formula(body, 0)})" if not isinstance(body, Atom | Not) else _formula(body, 5)
            )
        case And(items) | Or(items):
            tightness = BINDING[type(formula)]
            text = SIGNS[type(formula)].join(_formula(item, tightness + 1) for item in items)
        case Implies(left, right) | Iff(left, right):
            tightness = BINDING[type(formula)]
            text = _formula(left, tightness) + SIGNS[type(formula)] + _formula(right, tightness + 1)
        case Quantified():
            return f"({format_formula(formula)})"
    return f"({text})" if tightness < around else text


def _comparison(notation: Notation, comparison: Comparison) -> str:
    sign = "!" if comparison.operator.startswith("!") and comparison.operator != "!=" else ""
    operator = comparison.operator.removeprefix("!") if sign else comparison.operator
    left, right = notation.term(comparison.left), notation.term(comparison.right)
    if operator == "~":
        return f"{sign}{left}"
    if operator in STRING_PREDICATES or operator == "+bin":
        return f"{sign}{operator}({left}, {right})"
    return f"!({left} {operator} {right})" if sign else f"{left} {operator} {right}"


MLN = Notation(" ^ ", ".", quote_constant, _comparison, _comparison, bare_atoms=True)
"""How Markov logic is written."""
