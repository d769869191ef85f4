"""Random programs over atoms that are asked at dates: what each reads is what the facts said by
then, in the plain Python of this file, which also says when the future is let in.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from tests.differential.outcome import Difference, Tally, same_probabilities
from workbench.database import Database, load_alchemy_text
from workbench.errors import InputError
from workbench.language.ground_atoms import atom_text
from workbench.workspace import Workspace

FIRST = date(2019, 12, 20)
PERSONS = ("Ann", "Bob", "Cid")

Row = tuple[object, ...]
Facts = dict[str, list[Row]]
Asked = tuple[str, date]

ASKED: Any = {
    "query": ("Late",),
    "closed": ("Person", "Paid", "Knows", "Asked"),
    "engine": "exact",
    "record": False,
}


@dataclass(frozen=True)
class Feature:
    """A number of a person at a date, from what was paid within some days before.

    Attributes
    ----------
    over : {'count', 'sum', 'mean', 'max', 'exists'}
    through : bool
        Of the persons that one knows, not of oneself.
    by : {'now', 'date'}
        Whether the definition counts up to `$now`, the latest date of all facts, which is a leak,
        or to the date that is asked at.
    days : int or None
        None for all days before.
    today : bool
        Whether the day itself counts.
    """

    over: str
    through: bool
    by: str
    days: int | None
    today: bool

    def text(self, name: str) -> str:
        now = "$now" if self.by == "now" else "t"
        body = (
            ["Knows(x, y, k)", f"k <= {now}", "Paid(y, s, a)"]
            if self.through
            else ["Paid(x, s, a)"]
        )
        body.append(f"s {'<=' if self.today else '<'} {now}")
        if self.days is not None:
            body.append(f"s > {now} - {self.days}")
        said = " ^ ".join(body)
        aggregate = {
            "count": f"count(s, a: {said})",
            "exists": f"exists(s: {said})",
        }.get(self.over, f"{self.over}(a: {said})")
        head, asked = (
            (f"{name}(x, n)", "Person(x)")
            if self.by == "now"
            else (f"{name}(x, t, n)", "Asked(t, x)")
        )
        return f"{head} := {asked} ^ n = {aggregate}."

    def value(self, facts: Facts, person: str, day: date) -> float | None:
        """None where there is no such number."""
        known: set[Row] = {(person, None)}
        if self.through:
            known = {(b, since) for a, b, since in facts["Knows"] if a == person and since <= day}  # type: ignore[operator]
        rows = {
            (since, who, when, amount)
            for whose, since in known
            for who, when, amount in facts["Paid"]
            if who == whose
            and (when < day or (self.today and when == day))  # type: ignore[operator]
            and (self.days is None or when > day - timedelta(self.days))  # type: ignore[operator]
        }
        if self.over == "count":
            return float(len({(when, amount) for *_, when, amount in rows}))
        if self.over == "exists":
            return float(bool(rows))
        amounts = [float(amount) for *_, amount in rows]  # type: ignore[arg-type]
        if self.over == "sum":
            return sum(amounts)
        if not rows:
            return None
        return sum(amounts) / len(amounts) if self.over == "mean" else max(amounts)


@dataclass(frozen=True)
class DatedRule:
    """A weight, or one times the feature, where the feature lies above a bound."""

    feature: Feature
    weight: float
    times: bool
    least: float | None

    def text(self, name: str) -> str:
        holds = f"{name}(x, n)" if self.feature.by == "now" else f"{name}(x, t, n)"
        asked = [] if self.feature.by == "date" else ["Asked(t, x)"]
        bound = [] if self.least is None else [f"n >= {self.least:g}"]
        body = " ^ ".join([*asked, holds, *bound])
        weight = f"{self.weight:g} * n:" if self.times else f"{self.weight:g}"
        return f"{weight} {body} => Late(x, t)"

    def score(self, facts: Facts, person: str, day: date, now: date) -> float:
        found = self.feature.value(facts, person, now if self.feature.by == "now" else day)
        if found is None or (self.least is not None and found < self.least):
            return 0.0
        return self.weight * (found if self.times else 1.0)


@dataclass(frozen=True)
class DatedCase:
    """Rules over atoms that are asked at dates, and the facts of each world."""

    rules: tuple[DatedRule, ...]
    worlds: tuple[tuple[str, Facts], ...]

    @property
    def text(self) -> str:
        lines = [
            "Person(person)",
            "Paid(person, date, number)",
            "Knows(person, person, date)",
            "Asked(date, person)",
            "Late(person, date)",
            "Late(x, t) open where Asked(t, x).",
        ]
        for number, rule in enumerate(self.rules):
            lines += [rule.feature.text(f"F{number}"), rule.text(f"F{number}")]
        return "\n".join([*lines, "-0.3 Late(x, t)"]) + "\n"

    def data(self, number: int) -> str:
        return "".join(
            f"{name}({', '.join(map(_written, row))})\n"
            for name, rows in self.worlds[number][1].items()
            for row in rows
        )

    def shown(self) -> str:
        worlds = "\n".join(
            f"// {name}\n{self.data(number)}" for number, (name, _) in enumerate(self.worlds)
        )
        return f"{self.text}\n{worlds}"

    def smaller(self) -> list[DatedCase]:
        fewer = [
            replace(self, rules=self.rules[:n] + self.rules[n + 1 :])
            for n in range(len(self.rules))
        ]
        for at, (name, facts) in enumerate(self.worlds):
            if len(self.worlds) > 1:
                fewer.append(replace(self, worlds=self.worlds[:at] + self.worlds[at + 1 :]))
            for predicate in ("Paid", "Knows", "Asked"):
                for n in range(len(facts[predicate])):
                    rows = facts[predicate][:n] + facts[predicate][n + 1 :]
                    world = (name, {**facts, predicate: rows})
                    fewer.append(
                        replace(self, worlds=(*self.worlds[:at], world, *self.worlds[at + 1 :]))
                    )
        return fewer


def random_dated_case(seed: int) -> DatedCase:
    """The case of a seed."""
    draw = random.Random(f"dated {seed}")
    rules = tuple(_rule(draw) for _ in range(draw.choice([1, 2, 3])))
    worlds = tuple((f"w{n}", _facts(draw)) for n in range(draw.choice([1, 1, 2])))
    return DatedCase(rules, worlds)


def _rule(draw: random.Random) -> DatedRule:
    feature = Feature(
        draw.choice(["count", "sum", "mean", "max", "exists"]),
        draw.random() < 0.3,
        draw.choice(["now", "date", "date", "date"]),
        draw.choice([None, None, 1, 5, 31]),
        draw.random() < 0.5,
    )
    return DatedRule(
        feature,
        draw.choice([-0.9, 0.4, 1.1]),
        draw.random() < 0.4,
        draw.choice([None, 0.5, 2.0, 3.5]),
    )


def _facts(draw: random.Random) -> Facts:
    persons = draw.sample(PERSONS, draw.choice([2, 3]))
    days = [FIRST + timedelta(draw.choice([0, 1, 2, 5, 12, 30, 31, 70])) for _ in range(4)]
    paid = {
        (draw.choice(persons), draw.choice(days), draw.choice([-1, 0, 1, 2, 2.5]))
        for _ in range(draw.randint(0, 7))
    }
    knows = {
        (draw.choice(persons), draw.choice(persons), draw.choice(days))
        for _ in range(draw.randint(0, 4))
    }
    asked = {
        (draw.choice([*days, FIRST - timedelta(3), FIRST + timedelta(99)]), draw.choice(persons))
        for _ in range(draw.randint(1, 4))
    }
    return {
        "Person": [(one,) for one in sorted(persons)],
        "Paid": sorted(paid, key=str),
        "Knows": sorted(knows, key=str),
        "Asked": sorted(asked),
    }


def check_dated(case: DatedCase, tally: Tally) -> None:
    """Raise `Difference` where an atom knows what was not yet so, or does not know what was."""
    wanted = {
        (name, atom_text("Late", (person, str(day)))): _probability(case, facts, person, day)
        for name, facts in case.worlds
        for day, person in facts["Asked"]
    }
    with Workspace(Database.open(threads=1)) as workspace:
        workspace.declare(case.text)
        for number, (name, _) in enumerate(case.worlds):
            load_alchemy_text(workspace.database, case.data(number), world=name)
        leaks = any(rule.feature.by == "now" for rule in case.rules)
        if leaks:
            _refused(workspace, case)
        found = workspace.infer(case.text, **ASKED, allow_future=leaks)
        atoms = found.grounding.atoms
        several = len(case.worlds) > 1
        worlds = list(map(str, atoms.world_names())) if several else ["w0"] * atoms.n_atoms
        got = dict(zip(zip(worlds, atoms.names()), found.values.tolist()))
    tally.add("asked atoms", len(wanted))
    tally.add("leaks", leaks)
    same_probabilities(got, wanted)


def _refused(workspace: Workspace, case: DatedCase) -> None:
    """Raise `Difference` where a program that sees the future is answered."""
    try:
        workspace.infer(case.text, **ASKED)
    except InputError as error:
        if {one.code for one in error.diagnostics} == {"E0252"}:
            return
    raise Difference("leak", "a definition up to $now is answered")


def _probability(case: DatedCase, facts: Facts, person: object, day: object) -> float:
    asked: Asked = (person, day)  # type: ignore[assignment]
    now = max(
        value
        for _, rows in case.worlds
        for one in rows.values()
        for row in one
        for value in row
        if isinstance(value, date)
    )
    score = -0.3 + sum(rule.score(facts, *asked, now) for rule in case.rules)
    return 1.0 / (1.0 + math.exp(-score))


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, date) else str(value)
