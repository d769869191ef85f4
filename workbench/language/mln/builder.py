"""What the reductions of the Markov logic grammar build of rules, definitions and weights."""

from __future__ import annotations

from dataclasses import replace

from lark import Token, v_args

from workbench.errors import Span
from workbench.language.bins import BIN, lifted
from workbench.language.builtin import negated_operator
from workbench.language.definitions import Collected
from workbench.language.formulas import formula_comparisons, leaves
from workbench.language.mln.node_builder import MlnNodeBuilder, Node, Parenthesised
from workbench.language.program import Aggregate, Condition, FormulaRule, Weight
from workbench.language.refusal import Refused, finite_weight
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Formula,
    FreeSign,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Quantified,
    Variable,
)


@v_args(inline=True)
class MlnBuilder(MlnNodeBuilder):
    """Builds one statement; `source` and `declared` are set by the reader before each."""

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
