"""Rules of a few rows each are read together: rows and their order are as each rule's alone."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from tests.grounding.test_snapshots import Listener
from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest, few_rows
from workbench.grounding.ground import Grounder
from workbench.language import parse_mln, parse_psl
from workbench.network import GroundNetwork
from workbench.progress import SILENT

DECLARED = (
    "Smokes(person)\nFriends(person, person)\nLives(person, place!)\nAge(person, number)\n"
    "place = {Rome, Oslo}\n"
)
FORMS = (
    "{w} Smokes(x) => Lives(x, Rome)",
    "{w} Friends(x, y) => (Smokes(x) <=> Smokes(y))",
    "{w} Smokes(x) ^ Smokes(y) => Friends(x, y)",
    "{w} Smokes(P{i})",
    "{w} Lives(P{i}, Oslo) => Smokes(P{j})",
    "-{w} Smokes(x) v Lives(x, +p)",
    "{w} EXIST y Friends(x, y)",
    "{w} Age(x, n) ^ n > 2{i} => Smokes(x)",
    "Friends(P{i}, x) v Smokes(x).",
    "{w} Smokes(x) => (EXIST p (Lives(x, p) ^ Smokes(P{j})))",
)
SOFT = (
    "{w}: Smokes(X) -> Lives(X, 'Rome')",
    "{w}: Friends(X, Y) & Smokes(X) -> Smokes(Y) ^2",
    "{w}: Lives(X, +P) <= 1",
    "{w}: Friends(X, Y) & Age(Y, N) & Smokes(Y) -> Smokes(X)",
    "!Smokes(X) | Lives(X, 'Oslo') .",
    "{w}: Friends('P{i}', X) & Smokes(X) -> Smokes('P{j}')",
)
FACTS = "".join(
    f"Friends(P{i}, P{i * 3 % 5})\nAge(P{i}, {20 + i})\n?Smokes(P{i})\n?Lives(P{i}, Rome)\n"
    f"?Lives(P{i}, Oslo)\n"
    for i in range(5)
)


def rules_of(forms: tuple[str, ...]) -> str:
    return "\n".join(
        forms[(i * 7 + i // 3) % len(forms)].format(w=1 + i / 100, i=i % 4, j=(i + 2) % 4)
        for i in range(60)
    )


def network_of(language: str, *, worlds: int, threads: int) -> tuple[GroundNetwork, int]:
    """The network, and how many statements were asked of the database."""
    soft = language == "psl"
    program = parse_psl(rules_of(SOFT)) if soft else parse_mln(DECLARED + rules_of(FORMS))
    with Database.open(threads=threads) as database:
        database.declare(program)
        for world in range(worlds):
            load_alchemy_text(database, FACTS.replace("P4", f"W{world}"), world=f"w{world}")
        listener = Listener(database.cursor())
        asked = ["Smokes", "Lives"] if soft else ["Smokes", "Lives", "Friends"]
        request = GroundRequest(query=asked, ignore_evidence_violations=True)
        made = Grounder(database, cast(Any, listener), program, request, SILENT).run()
        return made.network, len(listener.statements)


@pytest.mark.parametrize("language", ["mln", "psl"])
@pytest.mark.parametrize(("worlds", "threads"), [(1, 1), (2, 1), (2, 4)])
def test_rows_and_their_order_are_those_of_each_rule_alone(
    language: str, worlds: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, asked = network_of(language, worlds=worlds, threads=threads)
    monkeypatch.setattr(few_rows, "TOGETHER", 1)
    alone, asked_alone = network_of(language, worlds=worlds, threads=threads)
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(together.A, name), getattr(alone.A, name)), name
    for name in ("b", "template", "scale", "relation", "constant", "groundings"):
        assert np.array_equal(getattr(together, name), getattr(alone, name)), name
    assert (together.unit != alone.unit).nnz == 0
    assert together.A.shape[0] > 100
    assert asked < asked_alone - 15
