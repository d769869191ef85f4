"""Telling the two languages apart by what only PSL writes."""

from __future__ import annotations

import pytest

from workbench.language import language_of


@pytest.mark.parametrize(
    "text",
    [
        "1 P(x) => Q(x)  // unlike A -> B & C",
        "/* A(X) -> B(X) */ 1 P(x)",
        'P(t)\n1 P("a -> b & c | d")',
        "w: !P(x, w) v Q(x)",
        '#include "a->b.mln"\n1 P(x)',
        "1 P(x) ^ x<-3 => Q(x)",
        "P(x) <=> Q(x).",
        "",
    ],
)
def test_markov_logic(text: str) -> None:
    assert language_of(text) == "mln"


@pytest.mark.parametrize(
    "text",
    [
        "1: P(X)",
        "1: P(X) >> Q(X)",
        "P(X) <- Q(X) .",
        "// 1 P(x)\n0.5 : P(X) = 0.75",
        "P(X) | Q(X) .",
        "P(X, 'a') & Q(X) -> R(X) .",
        "1.0: P(X) ^2",
    ],
)
def test_soft_logic(text: str) -> None:
    assert language_of(text) == "psl"
