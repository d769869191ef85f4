"""Printing PSL rules; reading what is printed gives the same rule."""

from __future__ import annotations

from workbench.language.program import (
    Aggregate,
    And,
    Apply,
    ArithmeticRule,
    Atom,
    Calculation,
    Cardinality,
    Comparison,
    Condition,
    Constant,
    Definition,
    Factor,
    Formula,
    LinearTerm,
    Literal,
    LogicalRule,
    Not,
    Or,
    Scope,
    SumVariable,
    Term,
    Variable,
    Weight,
)

__all__ = ["format_linear", "format_psl_definition", "format_psl_rule", "psl_atom", "psl_comparison", "psl_number"]

ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"})
OPERATORS = {"=": "==", "!=": "!=", "%": "%", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
TIGHTNESS = {"+": 1, "-": 1, "*": 2, "/": 2}


def psl_number(value: float) -> str:
    """The shortest text that reads back as `value`."""
    return repr(float(value))


def format_psl_rule(rule: LogicalRule | ArithmeticRule) -> str:
    """A rule on one line: weight, rule, exponent or full stop, filters."""
    exponent = " ^2" if rule.squared else ""
    if isinstance(rule, LogicalRule):
        head = " | ".join(_item(item) for item in rule.head)
        text = f"{' & '.join(_item(item) for item in rule.body)} -> {head}" if rule.body else head
        return _weighted(text, rule.weight, exponent)
    filters = "".join(f" {{{f.variable}: {_condition(f.condition, 0)}}}" for f in rule.filters)
    return _weighted(format_linear(rule.terms, rule.relation), rule.weight, exponent) + filters


def format_psl_definition(definition: Definition | Scope) -> str:
    """`Head(X) := body .`, or `Head(X) open where body .`, on one line."""
    sign = ":=" if isinstance(definition, Definition) else "open where"
    return f"{psl_atom(definition.head)} {sign} {' & '.join(map(_defining, definition.body))} ."


def _defining(condition: Condition) -> str:
    if isinstance(condition, Aggregate):
        of = ", ".join(_term(term) for term in condition.of)
        bodies = [" & ".join(map(_defining, body)) for body in (condition.body, condition.among) if body]
        return f"{condition.variable} = {condition.function}({of}: {', '.join(bodies)})"
    if isinstance(condition, Comparison) and condition.operator in ("=", "<", "<=", ">", ">="):
        return f"{_term(condition.left)} {condition.operator} {_term(condition.right)}"
    return _item(condition)


def _weighted(text: str, weight: Weight, exponent: str) -> str:
    if weight.kind == "hard":
        return f"{text} ."
    return f"{psl_number(weight.value or 0.0)}: {text}{exponent}"


def _item(item: Literal | Comparison) -> str:
    if isinstance(item, Comparison):
        return psl_comparison(item)
    return ("" if item.positive else "!") + psl_atom(item.atom)


def psl_atom(atom: Atom) -> str:
    """`Name(X, 'a')`."""
    return f"{atom.predicate}({', '.join(_term(term) for term in atom.arguments)})"


def psl_comparison(comparison: Comparison) -> str:
    """`(A != B)`, with `!` in front where `%` is negated."""
    if comparison.operator == "+bin":
        return f"+bin({_term(comparison.left)}, {_bare(comparison.right)})"
    if comparison.operator.endswith("~"):
        return f"{comparison.operator.removesuffix('~')}{_term(comparison.left)}"
    negated = comparison.operator == "!%"
    operator = OPERATORS[comparison.operator.removeprefix("!") if negated else comparison.operator]
    return f"{'!' if negated else ''}({_term(comparison.left)} {operator} {_term(comparison.right)})"


def _bare(term: Term) -> str:
    return term.name if isinstance(term, Constant) else _term(term)


def _term(term: Term, around: int = 0) -> str:
    match term:
        case Variable(name):
            return name
        case SumVariable(name):
            return f"+{name}"
        case Constant(name):
            return f"'{name.translate(ESCAPES)}'"
        case Apply(function, (left, right)) if function in TIGHTNESS:
            tightness = TIGHTNESS[function]
            text = f"{_term(left, tightness)} {function} {_term(right, tightness + 1)}"
            return f"({text})" if tightness < around else text
        case Apply(function, arguments):
            return f"{function}({', '.join(_term(argument) for argument in arguments)})"
    raise TypeError(type(term).__name__)


def _condition(formula: Formula, around: int) -> str:
    match formula:
        case Atom():
            return psl_atom(formula)
        case Comparison():
            return psl_comparison(formula)
        case Not(body):
            return "!" + (f"({_condition(body, 0)})" if isinstance(body, And | Or) else _condition(body, 3))
        case And(items) | Or(items):
            tightness, sign = (2, " & ") if isinstance(formula, And) else (1, " | ")
            text = sign.join(_condition(item, tightness + 1) for item in items)
            return f"({text})" if tightness < around else text
    raise TypeError(type(formula).__name__)


def format_linear(terms: tuple[LinearTerm, ...], relation: str) -> str:
    """`terms relation 0` with its negative terms and its number on the right side."""
    left = [term for term in terms if term.atoms and term.coefficient > 0]
    left += [term for term in terms if not term.atoms and term.factor is not None and term.coefficient > 0]
    right = [term for term in terms if term.atoms and term.coefficient <= 0]
    right += [term for term in terms if not term.atoms and term.factor is not None and term.coefficient <= 0]
    number = sum(term.coefficient for term in terms if not term.atoms and term.factor is None)
    sides = [" + ".join(_linear_term(term, 1.0) for term in left) or "0"]
    texts = [_linear_term(term, -1.0) for term in right]
    if number or not texts:
        sides.append(" + ".join([*texts, _plain(-number)]).replace("+ -", "- "))
    else:
        sides.append(" + ".join(texts))
    return f" {relation} ".join(sides)


def _plain(value: float) -> str:
    return repr(float(value) + 0.0).removesuffix(".0")


def _linear_term(term: LinearTerm, sign: float) -> str:
    parts = [psl_atom(atom) for atom in term.atoms]
    if term.factor is not None:
        parts.insert(0, _factor(term.factor, 2))
    coefficient = sign * term.coefficient
    if coefficient != 1.0 or not parts:
        parts.insert(0, _plain(coefficient))
    return " * ".join(parts)


def _factor(factor: Factor, around: int) -> str:
    match factor:
        case Cardinality(variable):
            return f"|{variable}|"
        case Calculation("min" | "max" as operator, left, right):
            return f"@{operator.capitalize()}[{_factor(left, 0)}, {_factor(right, 0)}]"
        case Calculation(operator, left, right):
            tightness = TIGHTNESS[operator]
            text = f"{_factor(left, tightness)} {operator} {_factor(right, tightness + 1)}"
            return f"({text})" if tightness < around else text
    assert isinstance(factor, float)
    return _plain(factor)
