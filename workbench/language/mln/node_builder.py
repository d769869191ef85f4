"""What the reductions of the Markov logic grammar build of formulas and terms.

The grammar has one ladder for both; an application is kept as `Atom` until it turns up inside a
term, where it becomes `Apply`, and a bare name is kept as a token until its place makes it a
variable, constant or atom.
"""

from __future__ import annotations

from dataclasses import dataclass

from lark import Token, v_args

from workbench.language.bins import BIN, bin_of
from workbench.language.builtin import ARITHMETIC, COMPARISONS, STRING_PREDICATES
from workbench.language.declared import Declared
from workbench.language.definitions import Collected
from workbench.language.mln.declarations import DeclarationBuilder
from workbench.language.refusal import Refused
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
    Not,
    Or,
    Quantified,
    SumVariable,
    Term,
    Variable,
)


@dataclass(frozen=True)
class Parenthesised:
    """A formula in parentheses: its connective does not run into the one around it."""

    body: Formula


Node = Token | Term | Formula | Parenthesised | Collected


def _is_variable_name(name: str) -> bool:
    """Alchemy's rule: a name that starts with a lower-case letter (or `_`) is a variable."""
    return name[0].islower() or name[0] == "_"


@v_args(inline=True)
class MlnNodeBuilder(DeclarationBuilder[Node]):
    """Builds formulas and terms; `declared` is set by the reader before each statement."""

    def __init__(self) -> None:
        super().__init__()
        self.declared = Declared()

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
            if not _is_variable_name(token):
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

    def application(self, name: Token, *arguments: Node | None) -> Atom:
        terms = tuple([self.term(argument) for argument in arguments if argument is not None])
        return Atom(str(name), terms, self.source.span(name))

    def arithmetic(self, left: Node, operator: Token, right: Node) -> Apply:
        return Apply(str(operator), (self.term(left), self.term(right)), self.source.span(operator))

    def plus(self, sign: Token, name: Token) -> Variable:
        if not _is_variable_name(name):
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
                if _is_variable_name(node)
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
        """`greaterThan(x, y)` and its like as comparisons, unless so declared."""
        if atom.predicate in self.declared.predicates or len(atom.arguments) != 2:
            return atom
        if atom.predicate in COMPARISONS:
            return Comparison(COMPARISONS[atom.predicate], *atom.arguments, atom.span)
        if atom.predicate in STRING_PREDICATES:
            return Comparison(atom.predicate, *atom.arguments, atom.span)
        return atom
