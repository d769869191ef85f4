"""Programs changed or run in other ways, where no answer may change."""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

from tests.differential.defined_evidence import with_definitions
from tests.differential.mln_checks import infer_exactly
from tests.differential.mln_programs import MlnCase
from tests.differential.outcome import Difference, Tally
from tests.differential.product_answers import loaded, workspace_of
from workbench.cli import main
from workbench.errors import ExitCode, InfeasibleError
from workbench.workspace import Workspace

Answers = dict[tuple[str, str], float] | None
"""World and atom to probability; None where no state keeps the hard rules."""

RENAMED = {"Ann": "Zoe", "Bob": "Abe", "Cy": "Mia", "Dee": "Bea", "Eve": "Uma", "Eli": "Aya"}


def check_variants(case: MlnCase, tally: Tally) -> None:
    """Raise `Difference` where a change without meaning changes an answer."""
    name = sorted({*VARIANTS, *WAYS})[case.seed % (len(VARIANTS) + len(WAYS))]
    before = answers(case)
    if name in WAYS:
        after = WAYS[name](case)
    else:
        changed = VARIANTS[name](case, random.Random(case.seed))
        if changed is None:
            tally.add(f"{name}: cannot be")
            return
        after = answers(changed)
    tally.add(name)
    back = {"renamed": _renamed, "hostile names": _hostile}.get(name)
    if back is not None and before is not None:
        before = {(world, back(atom)): value for (world, atom), value in before.items()}
    if before is None or after is None:
        if before is not after and name != "a world more":
            raise Difference(name, "feasible before, or after, and not both")
        return
    wrong = [
        key
        for key, value in before.items()
        if abs(after.get(key, np.nan) - value) > 1e-7 or key not in after
    ]
    if wrong:
        raise Difference(name, f"{wrong[0]}: {before[wrong[0]]:.6f}, then {after.get(wrong[0])}")


def answers(case: MlnCase) -> Answers:
    """Probabilities of the query's atoms; the record of the run must say the same."""
    with workspace_of(case) as workspace:
        return _answers_of(workspace, case)


def _answers_of(workspace: Workspace, case: MlnCase) -> Answers:
    try:
        result = infer_exactly(workspace, case)
    except InfeasibleError:
        return None
    frame = result.predictions()
    assert result.run_id is not None
    found = _by_atom(frame, "w0")
    _check_record(workspace, result.run_id, found, len(case.worlds))
    return found if len(case.worlds) > 1 else _by_atom(frame, case.worlds[0][0])


def _by_atom(frame: pd.DataFrame, world: str) -> dict[tuple[str, str], float]:
    """World and atom to probability; `world` where the frame has only one."""
    worlds = frame["world"].astype(str) if "world" in frame else [world] * len(frame)
    return dict(zip(zip(worlds, frame["atom"].astype(str)), frame["value"].astype(float)))


def _with_two_threads(case: MlnCase) -> Answers:
    """The database at two threads; everywhere else it has one."""
    with loaded(case, threads=2) as workspace:
        return _answers_of(workspace, case)


def _by_command_line(case: MlnCase) -> Answers:
    """`workbench infer` on files, and what it wrote."""
    if not case.query:
        return answers(case)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "rules.mln").write_text(case.text, encoding="utf-8")
        out = place / "out.csv"
        words = [
            "infer",
            str(place / "rules.mln"),
            "--task",
            "marginal",
            "--engine",
            "exact",
            "--out",
            str(out),
        ]
        words += ["--query", ",".join(case.query), "--json"]
        words += ["--closed", ",".join(case.closed)] if case.closed else []
        for number, (world, _) in enumerate(case.worlds):
            (place / f"{world}.db").write_text(case.data(number), encoding="utf-8")
            words += ["--world", str(place / f"{world}.db")]
        code = _exit_code(words)
        if code == ExitCode.INFEASIBLE:
            return None
        if code != ExitCode.DONE:
            raise Difference("command line", f"exit code {code}")
        return _by_atom(pd.read_csv(out), case.worlds[0][0])


def _exit_code(words: list[str]) -> int:
    """What a command ends with that runs in this process; what it prints goes nowhere."""
    given, sys.argv = sys.argv, ["workbench", *words]
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.argv = given
    return 0


def _check_record(
    workspace: Workspace, run: int, found: dict[tuple[str, str], float], n_worlds: int
) -> None:
    record = workspace.runs.predictions(run)
    if n_worlds > 1 and "world" in record:
        kept = dict(zip(zip(record["world"], record["atom"]), record["value"]))
        if kept != found:
            raise Difference(
                "record", f"{len(kept)} predictions recorded, {len(found)} made, or of other values"
            )
    elif sorted(zip(record["atom"], record["value"])) != sorted(
        (atom, value) for (_, atom), value in found.items()
    ):
        raise Difference("record", "the recorded predictions are others")


def _reordered(case: MlnCase, draw: random.Random) -> MlnCase:
    """Declarations, rules, facts and worlds in another order."""

    def mixed(items):  # type: ignore[no-untyped-def]
        return tuple(draw.sample(items, len(items)))

    worlds = tuple((name, mixed(facts)) for name, facts in mixed(case.worlds))
    return replace(
        case, declarations=mixed(case.declarations), rules=mixed(case.rules), worlds=worlds
    )


def _split(case: MlnCase, draw: random.Random) -> MlnCase | None:
    """A weighted rule as two of half its weight."""
    places = [
        i for i, rule in enumerate(case.rules) if re.match(r"-?\d", rule) and not rule.endswith(".")
    ]
    if not places:
        return None
    place = draw.choice(places)
    weight, formula = case.rules[place].split(" ", 1)
    half = f"{float(weight) / 2!r} {formula}"
    return replace(case, rules=(*case.rules[:place], half, half, *case.rules[place + 1 :]))


def _with_world(case: MlnCase, draw: random.Random) -> MlnCase:
    """A further database, of people that no other has, with facts of known predicates."""
    lines = [
        line
        for _, facts in case.worlds
        for line in facts
        if "!" not in line and "W(" not in line and " = " not in line
    ]
    other = tuple(dict.fromkeys(_renamed(line) for line in draw.sample(lines, min(2, len(lines)))))
    return replace(
        case, worlds=(*case.worlds, ("further", tuple(line for line in other if line[0].isupper())))
    )


def _renamed(text: str) -> str:
    return re.sub(r"\b(" + "|".join(RENAMED) + r")\b", lambda match: RENAMED[match[1]], text)


def _with_other_names(case: MlnCase, draw: random.Random) -> MlnCase | None:
    """Constants called otherwise, in another alphabetical order; no rule may look into names."""
    if re.search(
        r"substr|startsWith|endsWith|hasWord|oneOf|contains|concat|length|lower|upper| [<>]=? ",
        " ".join(case.rules),
    ):
        return None
    return replace(
        case,
        declarations=tuple(map(_renamed, case.declarations)),
        rules=tuple(map(_renamed, case.rules)),
        worlds=tuple((name, tuple(map(_renamed, facts))) for name, facts in case.worlds),
    )


def _with_irrelevant(case: MlnCase, draw: random.Random) -> MlnCase:
    """A predicate that no rule names, over a type of its own, with facts."""
    facts = ("Aside(Xavier)", "Aside(Yves)")
    worlds = tuple((name, (*lines, *draw.sample(facts, 1))) for name, lines in case.worlds)
    return replace(case, declarations=(*case.declarations, "Aside(irrelevant)"), worlds=worlds)


def _hostile(text: str) -> str:
    """Predicates called like tables and words of SQL, constants with quotes, marks and more."""
    found = re.sub(r'"A b"', lambda _: json.dumps(HOSTILE["A b"], ensure_ascii=False), text)
    found = re.sub(
        r"\b(" + "|".join(RENAMED) + r")\b",
        lambda match: json.dumps(HOSTILE[match[1]], ensure_ascii=False),
        found,
    )
    return re.sub(
        r"\b(" + "|".join(PREDICATE_NAMES) + r")\b(?=\(|$)",
        lambda match: PREDICATE_NAMES[match[1]],
        found,
    )


def _with_hostile_names(case: MlnCase, draw: random.Random) -> MlnCase | None:
    changed = _with_other_names(case, draw)
    if changed is None or re.search(
        r"\bO\b(?!\()", case.text + "".join(case.data(i) for i in range(len(case.worlds)))
    ):
        return None
    query = (
        None
        if case.query is None
        else tuple(PREDICATE_NAMES.get(name, name) for name in case.query)
    )
    return replace(
        case,
        declarations=tuple(map(_hostile, case.declarations)),
        rules=tuple(map(_hostile, case.rules)),
        worlds=tuple((name, tuple(map(_hostile, facts))) for name, facts in case.worlds),
        query=query,
        closed=tuple(PREDICATE_NAMES.get(name, name) for name in case.closed),
    )


PREDICATE_NAMES = {
    "P": "World",
    "Q": "Select",
    "R": "Domain",
    "B": "Run",
    "H": "p_World",
    "C": "Main",
    "E": "Folds",
}
PREDICATE_NAMES |= {"T": "Äquator", "Z": "Setting", "Y": "C_t"}
HOSTILE = {
    "Ann": "'; DROP TABLE world; --",
    "Bob": 'say "no"',
    "Cy": "back\\slash, comma (x)",
    "Dee": "ẞ İ 名前",
    "A b": " spaces  // no comment ",
    "Eve": "$name ? :1",
    "Eli": "=1+1",
}

VARIANTS: dict[str, Callable[[MlnCase, random.Random], MlnCase | None]] = {
    "reordered": _reordered,
    "split": _split,
    "a world more": _with_world,
    "renamed": _with_other_names,
    "irrelevant constants": _with_irrelevant,
    "definitions": with_definitions,
    "hostile names": _with_hostile_names,
}
WAYS: dict[str, Callable[[MlnCase], Answers]] = {
    "two threads": _with_two_threads,
    "command line": _by_command_line,
}
