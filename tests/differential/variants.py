"""Programs changed in ways that must change no answer, and answers held against their record in the workspace."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tests.differential.mln_checks import infer_exactly
from tests.differential.mln_programs import MlnCase
from tests.differential.outcome import Difference, Tally
from tests.differential.product_answers import workspace_of
from workbench.errors import InfeasibleError
from workbench.workspace import Workspace

__all__ = ["check_variants"]

Answers = dict[tuple[str, str], float] | None
"""World and atom to probability; None where no state keeps the hard rules."""

RENAMED = {"Ann": "Zoe", "Bob": "Abe", "Cy": "Mia", "Dee": "Bea", "Eve": "Uma", "Eli": "Aya"}


def check_variants(case: MlnCase, tally: Tally) -> None:
    """Raise `Difference` where a change that means nothing changes an answer, or a record differs from it."""
    name = sorted(VARIANTS)[case.seed % len(VARIANTS)]
    changed = VARIANTS[name](case, random.Random(case.seed))
    if changed is None:
        tally.add(f"{name}: cannot be")
        return
    before, after = answers(case), answers(changed)
    tally.add(name)
    if name == "renamed" and before is not None:
        before = {(world, _renamed(atom)): value for (world, atom), value in before.items()}
    if before is None or after is None:
        if before is not after and name != "a world more":
            raise Difference(name, "feasible before, or after, and not both")
        return
    wrong = [key for key, value in before.items() if abs(after.get(key, np.nan) - value) > 1e-7 or key not in after]
    if wrong:
        raise Difference(name, f"{wrong[0]}: {before[wrong[0]]:.6f}, then {after.get(wrong[0])}")


def answers(case: MlnCase) -> Answers:
    """Probabilities of the query's atoms; the record of the run must say the same."""
    with workspace_of(case) as workspace:
        try:
            result = infer_exactly(workspace, case)
        except InfeasibleError:
            return None
        frame = result.predictions()
        worlds = frame["world"] if "world" in frame else ["w0"] * len(frame)
        found = {
            (str(world), str(atom)): float(value) for world, atom, value in zip(worlds, frame["atom"], frame["value"])
        }
        assert result.run_id is not None
        _check_record(workspace, result.run_id, found, len(case.worlds))
        if len(case.worlds) == 1:
            found = {(case.worlds[0][0], atom): value for (_, atom), value in found.items()}
        return found


def _check_record(workspace: Workspace, run: int, found: dict[tuple[str, str], float], n_worlds: int) -> None:
    record = workspace.run_predictions(run)
    if n_worlds > 1 and "world" in record:
        kept = dict(zip(zip(record["world"], record["atom"]), record["value"]))
        if kept != found:
            raise Difference("record", f"{len(kept)} predictions recorded, {len(found)} made, or of other values")
    elif sorted(zip(record["atom"], record["value"])) != sorted((atom, value) for (_, atom), value in found.items()):
        raise Difference("record", "the recorded predictions are others")


def _reordered(case: MlnCase, draw: random.Random) -> MlnCase:
    """Declarations, rules, facts and worlds in another order."""

    def mixed(items):  # type: ignore[no-untyped-def]
        return tuple(draw.sample(items, len(items)))

    worlds = tuple((name, mixed(facts)) for name, facts in mixed(case.worlds))
    return replace(case, declarations=mixed(case.declarations), rules=mixed(case.rules), worlds=worlds)


def _split(case: MlnCase, draw: random.Random) -> MlnCase | None:
    """A weighted rule as two of half its weight."""
    places = [i for i, rule in enumerate(case.rules) if re.match(r"-?\d", rule) and not rule.endswith(".")]
    if not places:
        return None
    place = draw.choice(places)
    weight, formula = case.rules[place].split(" ", 1)
    half = f"{float(weight) / 2!r} {formula}"
    return replace(case, rules=(*case.rules[:place], half, half, *case.rules[place + 1 :]))


def _with_world(case: MlnCase, draw: random.Random) -> MlnCase:
    """A further database, of people that no other has; its facts are of predicates that have facts already."""
    lines = [
        line for _, facts in case.worlds for line in facts if "!" not in line and "W(" not in line and " = " not in line
    ]
    other = tuple(dict.fromkeys(_renamed(line) for line in draw.sample(lines, min(2, len(lines)))))
    return replace(case, worlds=(*case.worlds, ("further", tuple(line for line in other if line[0].isupper()))))


def _renamed(text: str) -> str:
    return re.sub(r"\b(" + "|".join(RENAMED) + r")\b", lambda match: RENAMED[match[1]], text)


def _with_other_names(case: MlnCase, draw: random.Random) -> MlnCase | None:
    """Constants called otherwise, in another alphabetical order; no rule may look into names."""
    if re.search(r"substr|startsWith|endsWith|contains|concat|length|lower|upper| [<>]=? ", " ".join(case.rules)):
        return None
    return replace(
        case,
        declarations=tuple(map(_renamed, case.declarations)),
        rules=tuple(map(_renamed, case.rules)),
        worlds=tuple((name, tuple(map(_renamed, facts))) for name, facts in case.worlds),
    )


VARIANTS: dict[str, Callable[[MlnCase, random.Random], MlnCase | None]] = {
    "reordered": _reordered,
    "split": _split,
    "a world more": _with_world,
    "renamed": _with_other_names,
}
