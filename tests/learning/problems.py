"""Six small problems in both languages, with hidden labels, tied formulas and several worlds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.grounding import GroundRequest, ground
from workbench.language import parse_program
from workbench.learning import Example
from workbench.network import Templates
from workbench.verbs.learn import by_world, example_of

FRIENDS = """
Friends(person, person)
Old(person)
Smokes(person)
Group(person, party!)
party = {Red, Blue}
0.4 Friends(x, y) ^ Smokes(x) => Smokes(y)
-0.3 Smokes(x)
0.2 Old(x) <=> Smokes(x)
0.6 Friends(x, y) ^ Group(x, p) => Group(y, p)
0.1 Smokes(x) => Group(x, +p)
"""

TRUST = """
0.5: Knows(A, B) & Likes(A) -> Likes(B) ^2
1.0: Seen(A) -> Likes(A)
0.4: !Likes(A) ^2
0.3: Knows(A, B) & Party(A, P) -> Party(B, P)
0.2: Party(A, P) & Likes(A) -> Good(A)
Party(A, +P) = 1 .
0.3: Good(A)
"""


@dataclass(frozen=True)
class Problem:
    """Rules, what is asked, and how many worlds, people and hidden labels there are."""

    rules: str
    query: tuple[str, ...]
    worlds: int = 1
    hidden: int = 0
    tie: bool = False

    @property
    def language(self) -> str:
        return "psl" if self.rules is TRUST else "mln"


PROBLEMS = {
    "labelled": Problem(FRIENDS, ("Smokes", "Group")),
    "two worlds": Problem(FRIENDS, ("Smokes", "Group"), worlds=2),
    "hidden": Problem(FRIENDS, ("Smokes", "Group"), hidden=3),
    "tied": Problem(FRIENDS, ("Smokes", "Group"), tie=True),
    "soft": Problem(TRUST, ("Likes", "Party", "Good"), worlds=2),
    "soft hidden": Problem(TRUST, ("Likes", "Party", "Good"), hidden=3),
}


def grounded(problem: Problem, directory: Path) -> tuple[list[Example], list[Example], Templates]:
    """All worlds as one example, each as its own, and the templates they share."""
    load = _load_soft if problem.language == "psl" else _load_logic
    with wb.open() as workspace:
        for world in range(problem.worlds):
            load(workspace, problem, np.random.default_rng(world), f"world{world}", directory)
        database, program = workspace.database, parse_program(problem.rules)
        database.declare(program)
        request = GroundRequest(query=problem.query, role="learn", tie=problem.tie)
        whole = ground(database, program, request)
        parts = by_world(database, program, request, whole.templates)
        return [example_of(whole)], [example_of(part) for part in parts], whole.templates


def _load_logic(
    workspace: wb.Workspace,
    problem: Problem,
    random: np.random.Generator,
    world: str,
    directory: Path,
) -> None:
    people = [f"P{number}" for number in range(9)]
    old = random.random(9) < 0.5
    smokes = np.where(random.random(9) < 0.8, old, ~old)
    lines = [
        f"Friends({x}, {y})" for x in people for y in people if x != y and random.random() < 0.2
    ]
    lines += [f"{'' if old[k] else '!'}Old({x})" for k, x in enumerate(people)]
    lines += [
        f"{'?' if k < problem.hidden else '' if smokes[k] else '!'}Smokes({x})"
        for k, x in enumerate(people)
    ]
    lines += [
        f"Group({x}, {'Red' if smokes[k] ^ (random.random() < 0.3) else 'Blue'})"
        for k, x in enumerate(people)
    ]
    workspace.declare(problem.rules)
    load_alchemy_text(workspace.database, "\n".join(lines), world=world)


def _load_soft(
    workspace: wb.Workspace,
    problem: Problem,
    random: np.random.Generator,
    world: str,
    directory: Path,
) -> None:
    here = directory / world
    here.mkdir()
    people = [f"p{number}" for number in range(8)]
    seen = random.random(8).round(2)
    likes = np.clip(seen + random.normal(0.0, 0.2, 8), 0.0, 1.0).round(2)
    red = (random.random(8) < 0.5).astype(float)
    files = {
        "knows": [
            f"{x}\t{y}\t1" for x in people for y in people if x != y and random.random() < 0.3
        ],
        "seen": [f"{x}\t{seen[k]}" for k, x in enumerate(people)],
        "likes": people,
        "good": people,
        "party": [f"{x}\t{p}" for x in people for p in ("red", "blue")],
        "likes_truth": [f"{x}\t{likes[k]}" for k, x in enumerate(people) if k >= problem.hidden],
        "good_truth": [f"{x}\t{round(float(likes[k]) / 2, 2)}" for k, x in enumerate(people)],
        "party_truth": [
            f"{x}\t{p}\t{red[k] if p == 'red' else 1 - red[k]}"
            for k, x in enumerate(people)
            for p in ("red", "blue")
        ],
    }
    for name, lines in files.items():
        (here / f"{name}.txt").write_text("\n".join(lines) + "\n")
    asked = ("Likes", "Good", "Party")
    (here / "model.data").write_text(
        "predicates:\n  Knows/2: closed\n  Seen/1: closed\n  Likes/1: open\n  Good/1: open\n  "
        "Party/2: open\n"
        "observations:\n  Knows: knows.txt\n  Seen: seen.txt\n"
        + "targets:\n"
        + "".join(f"  {name}: {name.lower()}.txt\n" for name in asked)
        + "truth:\n"
        + "".join(f"  {name}: {name.lower()}_truth.txt\n" for name in asked)
    )
    workspace.load(here / "model.data", world=world)
