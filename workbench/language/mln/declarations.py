"""What the Markov logic grammar builds of declarations: types, predicates and functions."""

from __future__ import annotations

from lark import Token, v_args

from workbench.language.declarations import Function, Predicate, Type
from workbench.language.grammar import Node, StatementBuilder
from workbench.language.number_scale import NumberScale
from workbench.language.refusal import Refused
from workbench.language.terms import Constant, Variable

MOST_RANGE = 1_000_000


@v_args(inline=True)
class DeclarationBuilder(StatementBuilder[Node]):
    """Builds declarations; statements are built by a language's own builder."""

    def type_declaration(self, name: Token, _: Token, *members: Node) -> Type:
        constants: list[str] = []
        pending = False
        for member in members:
            if isinstance(member, Token) and member.type == "ELLIPSIS":
                pending = True
                continue
            text = (
                self.string(member)
                if isinstance(member, Token) and member.type == "STRING"
                else self.term(member)
            )
            assert isinstance(text, Variable | Constant)
            if pending:
                constants.extend(self._range(constants, text))
                pending = False
            else:
                constants.append(text.name)
        if pending:
            raise Refused(
                "E0112",
                f"the range of {name} has no end",
                self.source.span(name),
                "write {1,...,20}",
            )
        seen: set[str] = set()
        for constant in constants:
            if constant in seen:
                raise Refused(
                    "E0112", f"{constant} stands twice in the type {name}", self.source.span(name)
                )
            seen.add(constant)
        return Type(str(name), tuple(constants), self.source.span(name))

    def _range(self, constants: list[str], end: Variable | Constant) -> list[str]:
        try:
            first, last = int(constants[-1]), int(end.name)
        except (ValueError, IndexError):
            raise Refused(
                "E0112", "a range goes from one integer to another", end.span, "write {1,...,20}"
            ) from None
        if last < first or last - first > MOST_RANGE:
            why = (
                "ends before it starts" if last < first else f"has more than {MOST_RANGE:,} members"
            )
            raise Refused("E0112", f"the range from {first} to {last} {why}", end.span)
        return [str(value) for value in range(first + 1, last + 1)]

    def predicate_declaration(
        self, star: Token | None, name: Token, *arguments: tuple[Token, Token] | None
    ) -> Predicate:
        given = [argument for argument in arguments if argument is not None]
        return Predicate(
            str(name),
            tuple(str(type_name) for type_name, _ in given),
            tuple(
                i for i, (_, mark) in enumerate(given) if mark is not None and mark.type == "NOT"
            ),
            tuple(
                i
                for i, (_, mark) in enumerate(given)
                if mark is not None and mark.type == "QUESTION"
            ),
            True if star is not None else None,
            span=self.source.span(name),
        )

    def number_declaration(self, name: Token, *rest: Token) -> Predicate:
        *types, kind = (token for token in rest if token.type == "NAME")
        if kind not in list(NumberScale):
            raise Refused(
                "E0641",
                f"{name} is said to be a {kind}, and only truths and numbers are predicted",
                self.source.span(kind),
                f"write `{name}({', '.join(types)}) = number`, or {kind} as an argument: "
                f"`{name}({', '.join((*types, kind))}!)`",
            )
        return Predicate(
            str(name),
            tuple(map(str, types)),
            numeric=True,
            scale=NumberScale(kind),
            span=self.source.span(name),
        )

    def argument(self, name: Token, mark: Token | None) -> tuple[Token, Token | None]:
        return name, mark

    def function_declaration(
        self, returns: Token, name: Token, *arguments: Token | None
    ) -> Function:
        types = tuple(str(argument) for argument in arguments if argument is not None)
        return Function(str(name), types, str(returns), self.source.span(name))
