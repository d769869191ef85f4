"""A program of Markov logic whose evidence a definition makes, for the same answers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

from tests.differential.mln_programs import PREDICATES, MlnCase


def with_definitions(case: MlnCase, draw: random.Random) -> MlnCase | None:
    """Evidence of a definition with a number, of which some falls short, in a scope of days."""
    facts = [line for _, lines in case.worlds for line in lines]
    asked = set(case.query or ())
    candidates = [
        name
        for name, types in PREDICATES.items()
        if types
        and case.query is not None
        and name not in asked
        and any(line.startswith(f"{name}(") for line in facts)
        and not any(re.match(rf"\S+ *{name}\(", line) for line in facts)
        and not any(re.search(rf"\*{name}\(|\b{name}\([^)]*[!?]", one) for one in case.declarations)
    ]
    if not candidates:
        return None
    name = draw.choice(candidates)
    types = PREDICATES[name]
    variables = ", ".join(f"v{place}" for place in range(len(types)))
    made = (
        f'{name}({variables}) := Noted({variables}, b, d) ^ b >= 3 ^ d < "2020-01-08" - 7 ^ '
        f"many = count(c: Noted({variables}, c, d) ^ c > 2.5) ^ many >= 1."
    )

    def noted(lines: tuple[str, ...]) -> Iterator[str]:
        rows = [line[len(name) + 1 : -1] for line in lines if line.startswith(f"{name}(")]
        for line in lines:
            if not line.startswith(f"{name}("):
                yield line
        for row in rows:
            yield f'Noted({row}, {draw.choice([3, 3.5, 1e9])}, "2019-1{draw.choice("01")}-01")'
            if draw.random() < 0.5:
                yield f'Noted({row}, {draw.choice([-1, 2.9])}, "2010-05-05")'

    return replace(
        case,
        declarations=(*case.declarations, f"Noted({', '.join(types)}, number, date)"),
        rules=(*case.rules, made),
        worlds=tuple((world, tuple(noted(lines))) for world, lines in case.worlds),
    )
