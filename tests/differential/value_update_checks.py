"""Random programs over numbers, dates and texts whose facts are added and taken away: each update
against a walk over all states of what is left.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from tests.differential.outcome import Tally, same_probabilities
from tests.differential.value_checks import Atom, marginals, people_of
from tests.differential.value_programs import (
    EVIDENCE,
    Facts,
    Value,
    ValueCase,
    random_facts,
    random_value_case,
    written,
)
from workbench.database import Database, load_alchemy_text
from workbench.language.ground_atoms import atom_text
from workbench.workspace import Workspace

Fact = tuple[str, tuple[Value, ...]]


@dataclass(frozen=True)
class ValueUpdateCase:
    """A program of one world, and what is added and taken away step by step."""

    case: ValueCase
    steps: tuple[tuple[tuple[Fact, ...], tuple[Fact, ...]], ...]

    def shown(self) -> str:
        steps = "\n".join(
            f"// add {_texts(add)}, take away {_texts(remove)}" for add, remove in self.steps
        )
        return f"{self.case.shown()}\n{steps}"

    def smaller(self) -> list[ValueUpdateCase]:
        fewer = [
            replace(self, steps=self.steps[:n] + self.steps[n + 1 :])
            for n in range(len(self.steps))
        ]
        return fewer + [replace(self, case=one) for one in self.case.smaller()]


def random_value_update_case(seed: int) -> ValueUpdateCase:
    """The case of a seed."""
    draw = random.Random(f"value updates {seed}")
    case = random_value_case(seed)
    case = replace(case, worlds=case.worlds[:1])
    known, steps = _facts_of(case.worlds[0][1]), []
    for _ in range(3):
        offered = sorted(_facts_of(random_facts(draw)), key=str)
        add = draw.sample(offered, min(len(offered), draw.choice([0, 1, 2])))
        remove = [one for one in sorted(known, key=str) if draw.random() < 0.2][:2]
        known = (known | set(add)) - set(remove)
        steps.append((tuple(add), tuple(one for one in remove if one not in add)))
    return ValueUpdateCase(case, tuple(steps))


def check_value_updates(case: ValueUpdateCase, tally: Tally) -> None:
    """Raise `Difference` where an updated probability is not the oracle's of the facts then."""
    program, (name, given) = case.case, case.case.worlds[0]
    facts = {one: set(rows) for one, rows in given.items()}
    with Workspace(Database.open(threads=1)) as workspace:
        workspace.declare(program.text)
        load_alchemy_text(workspace.database, program.data(0), world=name)
        run = workspace.infer(
            program.text, query=program.query, closed=tuple(EVIDENCE), task="marginal",
            engine="exact",
        ).run_id or 0  # fmt: skip
        for add, remove in case.steps:
            for predicate, row in add:
                facts[predicate].add(row)
            for predicate, row in remove:
                facts[predicate].discard(row)
            expected = marginals(program, facts, sorted(people_of(facts)))
            updated = workspace.update(run, _texts(add), _texts(remove), world=name)
            _compare(updated.result.predictions(), expected)
            tally.add("updates")


def _compare(found: object, expected: dict[Atom, float]) -> None:
    got = dict(zip(found["atom"].tolist(), found["value"].tolist()))  # type: ignore[index]
    wanted = {atom_text(*atom): p for atom, p in expected.items()}
    same_probabilities(got, wanted)


def _facts_of(facts: Facts) -> set[Fact]:
    return {(name, row) for name, rows in facts.items() for row in rows}


def _texts(facts: tuple[Fact, ...]) -> list[str]:
    return [f"{name}({', '.join(map(written, row))})" for name, row in facts]
