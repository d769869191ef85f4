"""Random rules of PSL over `Open/1, Link/2` (with targets) and `Closed/1, Knows/2`,
logical and arithmetic.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

ARITY = {"Open": 1, "Link": 2, "Closed": 1, "Knows": 2}
CONSTANTS = ["Ann", "Bob", "Cy"]
VARIABLES = ["A", "B", "C"]


def random_rule(draw: random.Random) -> str:
    """A rule with weight or full stop; some of them are refused by the language."""
    text, filters = (_logical(draw), "") if draw.random() < 0.5 else _arithmetic(draw)
    if draw.random() < 0.2:
        return f"{text} . {filters}"
    return f"{draw.choice(['1', '2.5'])}: {text}{draw.choice(['', ' ^2'])} {filters}"


def _term(draw: random.Random, variables: Sequence[str]) -> str:
    return f"'{draw.choice(CONSTANTS)}'" if draw.random() < 0.12 else draw.choice(variables)


def _atom(
    draw: random.Random, variables: Sequence[str], names: Sequence[str] = ("Open", "Link", *ARITY)
) -> str:
    name = draw.choice(names)
    return f"{name}({', '.join(_term(draw, variables) for _ in range(ARITY[name]))})"


def _literal(draw: random.Random, variables: Sequence[str], negated: float = 0.2) -> str:
    return ("!" if draw.random() < negated else "") + _atom(draw, variables)


def _logical(draw: random.Random) -> str:
    variables = VARIABLES[: draw.choice([1, 2, 2, 3])]
    if draw.random() < 0.12:
        return _literal(draw, variables, negated=0.5)
    body = [_literal(draw, variables) for _ in range(draw.choice([1, 1, 2, 2, 3]))]
    first, last = variables[0], variables[-1]
    if draw.random() < 0.25:
        pair = [f"({first} == {last})", f"({first} != {last})", f"{first} % {last}"]
        body.append(draw.choice(pair) if len(variables) > 1 else f"({first} != 'Ann')")
    head = [_literal(draw, variables) for _ in range(draw.choice([1, 1, 1, 2]))]
    return f"{' & '.join(body)} -> {' | '.join(head)}"


def _arithmetic(draw: random.Random) -> tuple[str, str]:
    """Both sides, and the filters."""
    free, sums = (
        VARIABLES[: draw.choice([1, 1, 2])],
        draw.sample(["X", "Y"], draw.choice([0, 1, 1, 2])),
    )
    used: set[str] = set()

    def atom(names: Sequence[str]) -> str:
        name, arguments = draw.choice(names), []
        for _ in range(ARITY[name]):
            if sums and draw.random() < 0.4:
                used.add(chosen := draw.choice(sums))
                arguments.append(f"+{chosen}")
            else:
                arguments.append(_term(draw, free))
        return f"{name}({', '.join(arguments)})"

    def term() -> str:
        if draw.random() < 0.15:
            return draw.choice(["0.5", "1", "@Max[0.3, 0.7]", "@Min[1, 2]"])
        shown = draw.choice(["", "", "0.5 * ", "2 * ", "-1 * "])
        if draw.random() < 0.2:
            shown += f"{atom(['Closed', 'Knows'])} * "
        shown += atom(["Open", "Link", "Link", "Closed", "Knows"])
        if sums and draw.random() < 0.35:
            size = f"|{draw.choice(sums)}|"
            return shown + draw.choice([f" / {size}", f" * {size}", f" / @Max[1, {size}]"])
        return shown + draw.choice(["", "", "", " / 2"])

    def condition(variable: str, depth: int = 0) -> str:
        kind = draw.random()
        if depth < 1 and kind < 0.4:
            parts = condition(variable, depth + 1), condition(variable, depth + 1)
            operator = draw.choice("&|")
            return f"({parts[0]} {operator} {parts[1]})"
        if kind < 0.55:
            return f"!{_atom(draw, [variable], ['Closed'])}"
        if kind < 0.8:
            return _atom(draw, [variable, *free], ["Closed", "Knows"])
        return f"({variable} != {draw.choice(free)})"

    sides = [" + ".join(term() for _ in range(draw.choice([1, 1, 2]))) for _ in range(2)]
    text = f" {draw.choice(['<=', '>=', '=', '<='])} ".join(sides)
    chosen = [f"{{{name}: {condition(name)}}}" for name in sorted(used) if draw.random() < 0.5]
    return text, " ".join(chosen)
