"""Candidates as definitions of the language, and what rules say of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.language.number_scale import NumberScale
from workbench.language.printing import comment
from workbench.structure.candidate import Candidate
from workbench.structure.table_paths import Path
from workbench.structure.terms import Condition
from workbench.study.bodies import Bodies
from workbench.study.statements import Statements, candidate_name, path_name, quoted_constant, real
from workbench.study.walks import Walks
from workbench.study.words import candidate_words

if TYPE_CHECKING:
    from workbench.study.prepared import Prepared


SIGNS = {"difference": "-", "ratio": "/", "product": "*"}


class Definitions:
    """Definitions made as they are asked for, each once.

    `lines`: their text, a comment in words before each. `alone`: whether rules count known labels
    of neighbours alone, so that blanks do not tell each other.
    """

    def __init__(
        self,
        ready: Prepared,
        *,
        scale: NumberScale = NumberScale.PLAIN,
        alone: bool = False,
    ) -> None:
        self._ready, self._scale, self._alone = ready, scale, alone
        self._statements = Statements(ready.mapping, ready.target.table)
        self._subject = self._statements.subject
        self._walks = Walks(ready, self._statements)
        self._bodies = Bodies(ready, self._statements, self._walks)
        self.lines = self._statements.lines
        self.predicted = ready.target.predicate
        if ready.kind != "yes/no":
            self.predicted = self._statements.new(f"Predicted{self.predicted}")

    @property
    def declaration(self) -> str | None:
        """The declaration of what is predicted, where that is a predicate of its own."""
        target = self._ready.target
        if target.kind == "yes/no":
            return None
        *subjects, value = target.types
        if target.kind == "number":
            return f"{self.predicted}({', '.join(subjects)}) = {self._scale}"
        return f"{self.predicted}({', '.join(subjects)}, {value}!)"

    def asked(self) -> list[str]:
        """Which atoms are open: those of things (of related things) without a value."""
        target = self._ready.target
        if target.kind == "yes/no":
            return []
        known = f"{target.predicate}({', '.join((*self._subject, 'u'))})"
        labels = self._statements.new(f"{target.predicate}Labels")
        if target.table.relation is None:
            made = f"{labels}(x, n) := n = count(u: {known})."
            where = f"{labels}(x, n) ^ n = 0"
        else:
            subject = ", ".join(self._subject)
            made = f"{labels}({subject}) := {known}."
            where = f"{target.table.relation}({subject}) ^ !{labels}({subject})"
        heads = [self.head(place) for place in range(max(len(self._ready.classes), 1))]
        return [
            "// the rows without a value",
            made,
            *(f"{head} open where {where}." for head in heads),
        ]

    def head(self, place: int = 0) -> str:
        """The atom that is predicted, of a category that of its class number `place`."""
        said = (*self._subject,)
        if self._ready.kind == "category":
            said = (*said, quoted_constant(self._ready.classes[place]))
        return f"{self.predicted}({', '.join(said)})"

    def value(self, candidate: Candidate) -> tuple[str, str]:
        """An atom that binds the candidate's number to a variable; and the variable."""
        variable = self._variable(candidate)
        return f"{self._named(candidate)}({', '.join((*self._subject, variable))})", variable

    def _variable(self, candidate: Candidate) -> str:
        """A variable of its own for each candidate, so that two may stand in one rule."""
        name, made = self._named(candidate), self._statements.made
        taken = sum(isinstance(key, tuple) and key[0] == "variable" for key in made)
        return made.setdefault(("variable", name), f"v{taken + 1}")

    def label_rules(self, candidate: Candidate, weight: float, head: str) -> list[str]:
        """Rules under which each neighbour of the candidate's label adds `weight` to the log odds
        of a row.

        A tie goes both ways. `Tied(x, y) ^ Y(y) => Y(x)` of weight a adds `a n1 - a n0` to row x,
        where n1 and n0 count its neighbours by label: it speaks of x as its head and as its body.
        `Tied(x, y) => Y(x) v Y(y)` of weight b stands there twice and adds `2 b n0`.
        """
        other = self._walks.row(self._ready.target.table.name, "y")
        if self._alone:
            tied = f"{self._tied(candidate.path)}({', '.join((*self._subject, *other))})"
            known, value = self._walks.label(other, None)
            which = f"{value} {'>=' if candidate.label else '<'} 1"
            return [f"{real(weight)} {tied} ^ {known} ^ {which} => {head}"]
        there = head.replace(f"({', '.join(self._subject)})", f"({', '.join(other)})")
        tied = f"{self._tied(candidate.path)}({', '.join((*self._subject, *other))})"
        either = f"{real(weight / 2)} {tied} => {head} v {there}"
        return (
            [f"{real(weight)} {tied} ^ {there} => {head}", either] if candidate.label else [either]
        )

    def _tied(self, path: Path) -> str:
        key = ("tied", path)
        if key not in self._statements.made:
            name = self._statements.new("Tied" + path_name(path))
            literals, end = self._walks.walk(path)
            renamed = {
                one: two
                for one, two in zip(end, self._walks.row(path.start, "y"))
                if one not in self._subject  # what both rows name stays one
            }
            other = [renamed.get(one, one) for one in end]
            apart = [f"{one} != {two}" for one, two in zip(self._subject, other) if one != two]
            body = re.sub(
                r"\b[a-z]\w*\b(?!\()",
                lambda found: renamed.get(found[0], found[0]),
                " ^ ".join([*literals, *(apart if len(apart) == 1 else ())]),
            )
            along = ", ".join(hop.table for hop in path.hops)
            self._statements.lines.append(comment(f"ties of {path.start} along {along}"))
            self._statements.state(f"{name}({', '.join((*self._subject, *other))})", body)
            if not path.leads_back:
                self._statements.state(f"{name}({', '.join((*other, *self._subject))})", body)
            self._statements.made[key] = name
        return self._statements.made[key]

    def condition(self, one: Condition, candidate: Candidate) -> str:
        """A test as a conjunction of literals."""
        is_yes = candidate.aggregate == "is" or _is_flag(candidate)
        # Facts know true from all else.
        if _is_flag(candidate) and not self._walks.walk(candidate.path)[0]:
            return ("" if one.test == "at_least" else "!") + self._is(candidate)
        if one.test in ("missing", "known"):
            return ("!" if one.test == "missing" else "") + self._known(candidate)
        if one.or_missing:
            return self._either(one, candidate)
        if is_yes and one.test == "at_least":
            return self._is(candidate)
        if is_yes:
            return f"{self._known(candidate)} ^ !{self._is(candidate)}"
        atom, variable = self.value(candidate)
        sign = ">=" if one.test == "at_least" else "<"
        return f"{atom} ^ {variable} {sign} {real(one.threshold)}"

    def _either(self, one: Condition, candidate: Candidate) -> str:
        """A test that an unknown value passes: that the value is not known to fail."""
        key = (replace(one, column=-1), candidate)
        if key not in self._statements.made:
            name = self._statements.new(
                f"{candidate_name(candidate)}{'Below' if one.test == 'at_least' else 'From'}"
            )
            head = f"{name}({', '.join(self._subject)})"
            opposite = "below" if one.test == "at_least" else "at_least"
            fails = Condition(one.column, opposite, one.threshold)  # type: ignore[arg-type]
            self._statements.state(head, self.condition(fails, candidate))
            self._statements.made[key] = head
        return f"!{self._statements.made[key]}"

    def _known(self, candidate: Candidate) -> str:
        anyhow = replace(candidate, value=None) if candidate.aggregate == "is" else candidate
        key = ("known", anyhow)
        if key not in self._statements.made:
            name = self._statements.new(f"{candidate_name(anyhow)}Known")
            head = f"{name}({', '.join(self._subject)})"
            self._statements.state(head, self._known_body(candidate))
            self._statements.made[key] = head
        return self._statements.made[key]

    def _known_body(self, candidate: Candidate) -> str:
        if _is_flag(candidate):
            return " ^ ".join(self._walks.walk(candidate.path)[0])
        if candidate.aggregate == "is":
            literals, row = self._walks.walk(candidate.path)
            assert candidate.onward is not None
            return " ^ ".join(
                [*literals, *self._walks.onward(candidate.path.end, row, candidate.onward, None)[0]]
            )
        return f"{self._named(candidate)}({', '.join((*self._subject, 'u'))})"

    def _is(self, candidate: Candidate) -> str:
        """An atom that holds where a category has a value, or where a flag is set."""
        onward = candidate.onward
        assert onward is not None
        value = None if candidate.value is None else quoted_constant(candidate.value)
        plain = not (candidate.path.hops or candidate.of_text or onward.column.beginning)
        if plain and self._walks.place(candidate.path.end, onward.column.name) is None:
            return self._walks.says(candidate.path.end, self._subject, onward.column.name, value)
        key = ("is", candidate)
        if key not in self._statements.made:
            name = self._statements.new(candidate_name(candidate))
            head = f"{name}({', '.join(self._subject)})"
            literals, row = self._walks.walk(candidate.path)
            literals += self._walks.onward(candidate.path.end, row, onward, candidate.value)[0]
            self._write(candidate, head, " ^ ".join(literals))
            self._statements.made[key] = head
        return self._statements.made[key]

    def _named(self, candidate: Candidate) -> str:
        """The predicate of the candidate's number, defined where it is not a table's own."""
        if candidate not in self._statements.made:
            self._statements.made[candidate] = self._define(candidate)
        return self._statements.made[candidate]

    def _define(self, candidate: Candidate) -> str:
        onward = candidate.onward
        own = candidate.aggregate == "value" and not candidate.path.hops and onward is not None
        if own and onward and onward.kind == "number" and not onward.column.is_worked_out:
            return self._walks.predicate(candidate.path.start, onward.column.name)
        body = (
            self._comparison(*candidate.compared, candidate.aggregate)
            if candidate.compared
            else None
        )
        name = self._statements.new(candidate_name(candidate))
        head = f"{name}({', '.join((*self._subject, 'n'))})"
        self._write(candidate, head, body or self._bodies.body(candidate))
        return name

    def _comparison(self, first: Candidate, second: Candidate, aggregate: str) -> str:
        atoms = (
            f"{self._named(one)}({', '.join((*self._subject, v))})"
            for one, v in ((first, "a"), (second, "b"))
        )
        return " ^ ".join([*atoms, f"n = a {SIGNS[aggregate]} b"])

    def _write(self, candidate: Candidate, head: str, body: str) -> None:
        words = candidate_words(candidate, timed=self._ready.times is not None)
        self._statements.lines.append(comment(words))
        self._statements.state(head, body)


def _is_flag(candidate: Candidate) -> bool:
    return (
        candidate.aggregate == "value"
        and candidate.onward is not None
        and candidate.onward.kind == "flag"
    )
