"""What each reduction of the Markov logic grammar builds.

The grammar has one ladder for formulas and terms; an application is kept as `Atom` until it turns
up inside a term, where it becomes `Apply`, and a bare name is kept as a token until its place makes
it a variable, constant or atom.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lark import Token, v_args

from workbench.errors import Span
from workbench.language.bins import BIN, bin_of, lifted
from workbench.language.builtin import ARITHMETIC, COMPARISONS, STRING_PREDICATES, negated_operator
from workbench.language.declared import Declared
from workbench.language.definitions import Collected
from workbench.language.formulas import formula_comparisons, leaves
from workbench.language.mln_declarations import DeclarationBuilder
from workbench.language.program import Aggregate, Condition, FormulaRule, Weight
from workbench.language.refusal import Refused, finite_weight
from workbench.language.terms import (
    And,
    Apply,
    Atom,
    Comparison,
    Constant,
    Formula,
    FreeSign,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Quantified,
    SumVariable,
    Term,
    Variable,
)

__all__ = ["MlnBuilder", "is_variable_name"]


@dataclass(frozen=True)
class Parenthesised:
    """A formula in parentheses: its conjunction or disjunction does
    not run into the one around it.
    """

    body: Formula


Node = Token | Term | Formula | Parenthesised | Collected


def is_variable_name(name: str) -> bool:
    """Alchemy's rule: a name that starts with a lower-case letter (or `_`) is a variable."""
    return name[0].islower() or name[0] == "_"


@v_args(inline=True)
class MlnBuilder(DeclarationBuilder[Node]):
    """Builds one statement; `source` and `declared` are set by the reader before each."""

    def __init__(self) -> None:
        super().__init__()
        self.declared = Declared()

    # -- rules --

    def rule(self, weight: Weight | None, formula: Node, stop: Token | None) -> FormulaRule:
        return FormulaRule(self.whole(formula, weight, stop), _weight(weight, stop))

    def head(self, node: Node) -> Atom:
        """The atom that a definition or scope is of."""
        formula = self.formula(node)
        if not isinstance(formula, Atom):
            raise Refused(
                "E0150", "what is defined is one atom", getattr(formula, "span", None), HEAD_HELP
            )
        return formula

    def conditions(self, node: Node | Formula) -> tuple[Condition, ...]:
        """A conjunction of literals, comparisons and aggregates as a list."""
        body = node.body if isinstance(node, Parenthesised) else node
        if isinstance(body, And):
            return tuple([found for item in body.items for found in self.conditions(item)])
        formula = self.formula(body)
        match formula:
            case Atom():
                return (Literal(formula),)
            case Not(Atom() as atom):
                return (Literal(atom, False),)
            case Comparison(operator) if operator == BIN:
                raise Refused(
                    "E0160",
                    "bins stand in rules, and this is no rule",
                    formula.span,
                    "compare the number",
                )
            case Comparison():
                return (self.equation(formula),)
            case Not(Comparison() as comparison):
                return (
                    self.equation(
                        replace(comparison, operator=negated_operator(comparison.operator))
                    ),
                )
        what = {Or: "`v`", Implies: "`=>`", Iff: "`<=>`", Quantified: "a quantifier"}.get(
            type(formula), "this"
        )
        raise Refused(
            "E0150",
            f"{what} stands in a definition, whose body is a conjunction",
            _span_of(formula),
            BODY_HELP,
        )

    def equation(self, comparison: Comparison) -> Comparison | Aggregate:
        """A comparison, or the aggregate that gives a variable its value."""
        sides: tuple[object, object] = (comparison.left, comparison.right)
        for variable, found in (sides, sides[::-1]):
            if isinstance(found, Collected):
                if comparison.operator != "=" or not isinstance(variable, Variable):
                    help = "write n = count(c: ...) ^ n > 2"
                    raise Refused(
                        "E0151", "an aggregate gives a variable its value", comparison.span, help
                    )
                return Aggregate(
                    variable.name, found.function, found.of, found.body, found.among, found.span
                )
        return comparison

    def now(self, token: Token) -> Variable:
        return Variable(str(token), False, self.source.span(token))

    def indivisible(self, weight: Weight | None, formula: Node, stop: Token | None) -> FormulaRule:
        return FormulaRule(
            self.whole(formula, weight, stop), _weight(weight, stop), indivisible=True
        )

    def whole(self, node: Node, weight: Weight | None, stop: Token | None) -> Formula:
        """A rule's formula; bins among its arguments become conditions of it."""
        formula = lifted(self.formula(node))
        binned = next((one for one in formula_comparisons(formula) if one.operator == BIN), None)
        if binned is not None and weight is None and stop is not None:
            message = "a hard rule has no weight that could differ from bin to bin"
            raise Refused(
                "E0160",
                message,
                binned.span,
                "give the rule a weight, or compare the number instead",
            )
        return formula

    def weight(self, token: Token) -> Weight:
        return Weight("given", finite_weight(token, self.source.span(token)))

    def fixed_weight(self, _: Token, token: Token) -> Weight:
        return Weight("fixed", finite_weight(token, self.source.span(token)))

    def weight_variable(self, token: Token) -> Weight:
        return Weight("variable", None, str(token))

    def factored_weight(self, *parts: Token | Node) -> Weight:
        factor = self.term(parts[-2])
        kind, number = parts[0], parts[-4]
        assert isinstance(kind, Token)
        assert isinstance(number, Token)
        if kind.type == "LEARNED":
            return Weight("learn", None, None, factor)
        value = finite_weight(number, self.source.span(number))
        return Weight("fixed" if kind.type == "FIXED" else "given", value, None, factor)

    # -- formulas --

    def iff(self, left: Node, _: Token, right: Node) -> Iff:
        return Iff(self.formula(left), self.formula(right))

    def implies(self, left: Node, _: Token, right: Node) -> Implies:
        return Implies(self.formula(left), self.formula(right))

    def disjoin(self, *items: Node) -> Or:
        return Or(tuple([self.formula(item) for item in items[::2]]))

    def conjoin(self, *items: Node) -> And:
        return And(tuple([self.formula(item) for item in items[::2]]))

    def negate(self, _: Token, body: Node) -> Not:
        return Not(self.formula(body))

    def quantified(self, kind: Token, *rest: Node) -> Quantified:
        names = tuple(str(token) for token in rest[:-1])
        for token in rest[:-1]:
            assert isinstance(token, Token)
            if not is_variable_name(token):
                raise Refused(
                    "E0103",
                    f"{token} is a constant, and only a variable can be quantified",
                    self.source.span(token),
                    f"write {token[0].lower()}{token[1:]}",
                )
        return Quantified("forall" if kind[0] in "fF" else "exist", names, self.formula(rest[-1]))

    def free(self, star: Token, body: Node) -> FreeSign:
        formula = self.formula(body)
        if not isinstance(formula, Atom):
            raise Refused("E0103", "`*` stands before an atom only", self.source.span(star))
        return FreeSign(formula)

    def compare(self, left: Node, operator: Token, right: Node) -> Comparison:
        return Comparison(
            str(operator), self.term(left), self.term(right), self.source.span(operator)
        )

    def parenthesis(self, body: Node) -> Node:
        return (
            Parenthesised(body)
            if isinstance(body, And | Or | Not | Implies | Iff | Quantified)
            else body
        )

    # -- terms --

    def application(self, name: Token, *arguments: Node | None) -> Atom:
        terms = tuple([self.term(argument) for argument in arguments if argument is not None])
        return Atom(str(name), terms, self.source.span(name))

    def arithmetic(self, left: Node, operator: Token, right: Node) -> Apply:
        return Apply(str(operator), (self.term(left), self.term(right)), self.source.span(operator))

    def plus(self, sign: Token, name: Token) -> Variable:
        if not is_variable_name(name):
            raise Refused(
                "E0119",
                f"{name} is a constant; `+` stands before a variable",
                self.source.span(sign, name),
            )
        return Variable(str(name), True, self.source.span(sign, name))

    def binned(self, sign: Token, name: Token, *arguments: Node | None) -> Comparison:
        terms = tuple([self.term(argument) for argument in arguments if argument is not None])
        return bin_of(str(name), terms, self.source.span(sign, name))

    def negative(self, sign: Token, number: Token) -> Constant:
        return Constant("-" + number, self.source.span(sign, number))

    def number(self, token: Token) -> Constant:
        return Constant(str(token), self.source.span(token))

    # -- a node in its place --

    def formula(self, node: Node | None) -> Formula:
        """The node as a formula."""
        if isinstance(node, Parenthesised):
            return node.body
        if isinstance(node, Token):
            return Atom(str(node), (), self.source.span(node))
        if isinstance(node, Atom):
            return self.internal_predicate(node)
        if isinstance(node, Collected):
            raise Refused(
                "E0151", f"{node.function} stands alone", node.span, "write n = count(c: ...)"
            )
        if isinstance(node, Constant | Variable | SumVariable | Apply):
            what = "a term" if isinstance(node, Apply) else f"the term `{node.name}`"
            raise Refused("E0103", f"{what} stands where a formula is expected", node.span)
        assert node is not None
        return node

    def term(self, node: Node | None) -> Term:
        """The node as a term."""
        if isinstance(node, Token):
            span = self.source.span(node)
            return (
                Variable(str(node), False, span)
                if is_variable_name(node)
                else Constant(str(node), span)
            )
        if isinstance(node, Atom):
            name = node.predicate
            if name not in self.declared.functions:
                name = ARITHMETIC.get(name, name)
            return Apply(name, node.arguments, node.span)
        if isinstance(node, Comparison) and node.operator == BIN:
            return Apply(BIN, (node.left, node.right), node.span)
        if isinstance(node, Variable | Constant | Apply | Collected):
            return node  # type: ignore[return-value]
        raise Refused(
            "E0103", "a formula stands where a term is expected", getattr(node, "span", None)
        )

    def internal_predicate(self, atom: Atom) -> Formula:
        """`greaterThan(x, y)` and its like as comparisons,
        unless the program declares a predicate so named.
        """
        if atom.predicate in self.declared.predicates or len(atom.arguments) != 2:
            return atom
        if atom.predicate in COMPARISONS:
            return Comparison(COMPARISONS[atom.predicate], *atom.arguments, atom.span)
        if atom.predicate in STRING_PREDICATES:
            return Comparison(atom.predicate, *atom.arguments, atom.span)
        return atom


HEAD_HELP = "write Name(x, y) := conditions."
BODY_HELP = "join conditions by ^; write one definition for each case that `v` or `=>` would join"


def _span_of(formula: Formula) -> Span | None:
    """Where the first atom or comparison of a formula stands."""
    return next(
        (leaf.atom.span if isinstance(leaf, FreeSign) else leaf.span for leaf in leaves(formula)),
        None,
    )


def _weight(weight: Weight | None, stop: Token | None) -> Weight:
    if weight is not None:
        return weight
    return Weight("hard") if stop is not None else Weight("learn")
