"""Rules of soft logic that are ground over changed facts alone: the network is a fresh run's."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import workbench
from tests.verbs.test_update_differences import over_changes  # noqa: F401
from tests.verbs.update_sequences import canonical, counts
from workbench.language import parse_psl

RULES = parse_psl("""
1.0: Link(A, B) & Trust(A, C) -> Trust(B, C) ^2
0.7: Link(A, B) & Kind(A, K) & Kind(B, K) -> Trust(A, B)
0.3: Link(A, B) & Trust(A, B) -> !Trust(B, A) ^2
0.4: Link(A, B) & Link(B, A) -> Trust(A, B)
0.5: Kind(A, K) -> Link(A, 'p0') | Trust(A, 'p0')
Link(A, B) & Trust(A, B) -> Trust(B, A) .
0.2: !Trust(A, B)
Trust(A, +B) <= 2 .
""")
OVER_LINKS = frozenset({0, 1, 2})
"""Rules that read Link once, as a condition; some hard targets are observed."""
PEOPLE = tuple(f"p{number}" for number in range(5))
PAIRS = [(one, other) for one in PEOPLE for other in PEOPLE if one != other]
VALUES = (1.0, 1.0, 0.5, 0.25)


@pytest.mark.parametrize("seed", range(4))
def test_changed_facts_alone_come_to_the_network_of_a_fresh_run(
    seed: int,
    tmp_path: Path,
    over_changes: Counter[frozenset[int]],  # noqa: F811
) -> None:
    random = Random(seed)
    links = {pair: random.choice(VALUES) for pair in random.sample(PAIRS, 8)}
    known = random.sample(PAIRS, 3)
    atoms = {
        "Link/2": {"observations": [[*pair, value] for pair, value in links.items()]},
        "Kind/2": {"observations": [[one, random.choice("xyz")] for one in PEOPLE]},
        "Trust/2": {
            "observations": [[*pair, round(random.random() / 2, 2)] for pair in known],
            "targets": [
                [one, other] for one in PEOPLE for other in PEOPLE if (one, other) not in known
            ],
        },
    }
    (tmp_path / "data.json").write_text(json.dumps({"predicates": atoms}), encoding="utf-8")
    with workbench.open() as workspace:
        workspace.load(tmp_path / "data.json")
        run = workspace.infer(RULES, engine="clarabel").run_id or 0
        for _ in range(4):
            gone = random.sample(sorted(links), 1)
            new = {
                pair: random.choice(VALUES) for pair in random.sample(PAIRS, 2) if pair not in links
            }
            told = [_text(pair, links.pop(pair)) for pair in gone]
            links |= new
            updated = workspace.update(
                run, [_text(*one) for one in new.items()], remove=told
            ).result
            fresh = workspace.infer(RULES, engine="clarabel", record=False)
            one, other = canonical(updated.grounding), canonical(fresh.grounding)
            for part in one:
                assert one[part] == other[part], part
            assert counts(updated.grounding) == counts(fresh.grounding)
            assert updated.solution.energy == pytest.approx(fresh.solution.energy, abs=1e-4)
    assert over_changes
    assert over_changes.keys() <= {OVER_LINKS}


def test_rows_go_with_the_last_fact_of_a_constant(tmp_path: Path) -> None:
    rules = parse_psl("1: Likes(A, G) -> Open(A)\n0.5: !Open(A)\n0.5: !Likes(A, G)")
    atoms = {
        "Likes/2": {"observations": [["p0", "g0"], ["p0", "g1"], ["p1", "g1"]]},
        "Open/1": {"targets": [["p0"], ["p1"]]},
    }
    (tmp_path / "data.json").write_text(json.dumps({"predicates": atoms}), encoding="utf-8")
    with workbench.open() as workspace:
        workspace.load(tmp_path / "data.json")
        run = workspace.infer(rules, engine="clarabel").run_id or 0
        updated = workspace.update(run, remove=["Likes(p0, g0)"]).result
        fresh = workspace.infer(rules, engine="clarabel", record=False)
        assert canonical(updated.grounding) == canonical(fresh.grounding)
        assert updated.evidence_energy == fresh.evidence_energy == 1.0


def _text(pair: tuple[str, str], value: float) -> str:
    return f"{'' if value == 1.0 else f'{value:g} '}Link({pair[0]}, {pair[1]})"
