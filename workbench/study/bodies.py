"""What defines a candidate's number: the value at the end of a path,
or an aggregate over its rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.structure.candidate import Candidate, WordList
from workbench.structure.table_paths import Path, reaches_again
from workbench.study.around import ADDED
from workbench.study.shared_definitions import own_label, rows_reached
from workbench.study.statements import Row, Statements, candidate_name, path_name, quoted_constant
from workbench.study.walks import Walks

if TYPE_CHECKING:
    from workbench.study.prepared import Prepared

BY_TIME = ("since", "first", "interval", "latest", "previous", "latest_is")
"""Aggregates that read when rows were."""
OVER_VALUES = ("mean", "sum", "variance", "latest", "latest_is", "first", "previous")
"""Aggregates that may add up values: of rows that are reached twice these would count twice."""
DAYS = 'days({}, "1970-01-01")'
"""A date as the number that candidates make of it."""


def counted_words(text: str, listed: WordList) -> str:
    """How many words of a list a text has."""
    return f"countWords({text}, {quoted_constant(' '.join(listed.words))})"


class Bodies:
    """Bodies of definitions, each binding `n`."""

    def __init__(self, ready: Prepared, statements: Statements, walks: Walks) -> None:
        self._ready = ready
        self._statements = statements
        self._subject = statements.subject
        self._walks = walks

    def body(self, candidate: Candidate) -> str:
        """The literals that bind `n` to the candidate's number of a target row."""
        path, onward = candidate.path, candidate.onward
        timed = self._ready.times is not None
        if candidate.aggregate == "in_common":
            return self._in_common(candidate)
        if not path.many:
            literals, row = self._walks.walk(path)
            assert onward is not None
            literals += self._walks.not_later(path, row, timed and bool(path.hops))
            if onward.column.is_worked_out:
                more, value = self._walks.onward(path.end, row, onward, None)
                return " ^ ".join(dict.fromkeys([*literals, *more, f"n = {value}"]))
            literals.append(self._walks.says(path.end, row, onward.column.name, "u"))
            value = "u" if candidate.listed is None else counted_words("u", candidate.listed)
            if onward.kind == "date":
                value = DAYS.format("u")
                if timed:
                    literals += [self._walks.now(), "u <= now"]
                    value = "days(now, u)"
            if onward.kind == "calendar":
                value = f"{onward.column.part}(u)"
                if timed:
                    literals += [self._walks.now(), "u <= now"]
            return " ^ ".join(dict.fromkeys([*literals, f"n = {value}"]))
        outside, anchor = self._walks.walk(Path(path.start, path.prefix))
        inside, row = self._walks.walk(path, anchor)
        if reaches_again(path.suffix) and candidate.aggregate in OVER_VALUES:
            inside = [rows_reached(self._walks, path, anchor, inside, row)]
        if timed and candidate.label is not None:
            return self._of_labels(candidate, anchor, outside, inside, row)
        if candidate.label is not None and self._ready.kind == "yes/no":
            return self._of_group(candidate, outside, inside, row)
        if candidate.among is not None:
            inside += self._walks.onward(path.end, row, *candidate.among, variable="k")[0]
        return self._aggregate(candidate, outside, inside, row)

    def _of_labels(
        self,
        candidate: Candidate,
        anchor: Row,
        outside: list[str],
        inside: list[str],
        row: Row,
    ) -> str:
        """What is known of the target of earlier rows: of all, or of the latest of them."""
        atom, value = self._walks.label(row, candidate.value)
        known, _ = self._walks.label(row, None)
        dated = [*inside, *self._walks.dating(candidate.path, row), known]
        within = [*dated, *self._walks.window(candidate.path, candidate.window, before=True)]
        outside = [*outside, self._walks.now()]
        if candidate.aggregate in ("latest", "latest_is"):
            last = self._time_of("LatestKnown", candidate, outside, f"max(t: {' ^ '.join(within)})")
            outside = [*outside, f"{last}({', '.join((*self._subject, 'l'))})"]
            within = [*dated, "t = l"]
        if candidate.turned:
            own = own_label(self._walks, candidate.path.hops[-1])
            counts = f"{own}({', '.join((*anchor, *row))})"
            call = f"share({', '.join(row)}: {' ^ '.join(within)}, {counts})"
        elif candidate.aggregate == "sum":
            which = [atom] if candidate.value else [f"u {'>=' if candidate.label else '<'} 1"]
            call = f"count({', '.join(row)}: {' ^ '.join([*within, *which])})"
        elif candidate.value is None:
            call = f"mean({value}: {' ^ '.join(within)})"
        else:
            call = f"share({', '.join(row)}: {' ^ '.join(within)}, {atom})"
        return " ^ ".join([*dict.fromkeys(outside), f"n = {call}"])

    def _of_group(
        self, candidate: Candidate, outside: list[str], inside: list[str], row: Row
    ) -> str:
        """The share of yes among the known labels of a row's group, without its own, and a few more
        as all are.

        The group's are added up once, whoever is in it, and what is known of the row is taken off:
        pairs of its rows would be very many. What other things have is without the row's anyway.
        """
        known, value = self._walks.label(row, None)
        own, _ = self._walks.label(self._subject, None)
        any_row = tuple(f"z{number}" for number, _ in enumerate(row))
        every, _ = self._walks.label(any_row, None)
        kinds = [hop.kind for hop in candidate.path.suffix]
        if kinds == ["shared"]:
            shared, theirs, _ = inside
            outside, inside = [*outside, shared], [theirs]
        group = " ^ ".join([*inside, known])
        is_in_it = kinds in (["shared"], ["from"] * len(kinds))
        total, number = ("s - o", "c - k") if is_in_it else ("s", "c")
        steps = [
            f"s = sum({value}: {group})",
            f"c = count({', '.join(row)}: {group})",
            f"o = sum({value}: {own})",
            f"k = count({value}: {own})",
            f"a = sum({value}: {every})",
            f"b = count({', '.join(any_row)}: {every})",
            f"n = ({total} + {ADDED} * (a - o) / (b - k)) / ({number} + {ADDED})",
        ]
        return " ^ ".join([*dict.fromkeys(outside), *steps])

    def _in_common(self, candidate: Candidate) -> str:
        assert candidate.onward is not None
        assert candidate.with_ is not None
        with_, equal = candidate.with_
        outside, inside, row, value = self._walks.held(
            candidate.path, candidate.onward.column.name, "y"
        )
        outside_too, inside_too, row_too, value_too = self._walks.held(with_, equal, "z")
        timed = self._ready.times is not None
        for way, there in ((candidate.path, row), (with_, row_too)):
            direct = timed and bool(way.hops) and not way.many
            outside = outside + self._walks.not_later(way, there, direct)
        counted = ", ".join(row) if candidate.path.many and not with_.many else value
        if counted == row[0] and not candidate.path.many:  # the thing itself is bound outside
            counted = value_too
        within = " ^ ".join([*inside, *inside_too, f"{value} = {value_too}"])
        return " ^ ".join(
            [*dict.fromkeys([*outside, *outside_too]), f"n = count({counted}: {within})"]
        )

    def _aggregate(
        self, candidate: Candidate, outside: list[str], inside: list[str], row: Row
    ) -> str:
        path, onward = candidate.path, candidate.onward
        by_time = candidate.aggregate in BY_TIME
        timed = self._ready.times is not None
        time = self._walks.dating(path, row) if timed or by_time or candidate.window else []
        dated = within = [*inside, *time]
        if timed and time:
            outside = [*outside, self._walks.now()]
            within = [
                *dated,
                *self._walks.window(path, candidate.window, before=candidate.of_earlier),
            ]
        elif candidate.window:
            outside = [*outside, self._walks.latest(path)]
            within = [*dated, f"t > now - {candidate.window}"]
        if by_time:
            return self._by_time(candidate, outside, dated, within, row)
        of, said = ", ".join(row), list[str]()
        if onward is not None:
            said, value = self._walks.onward(path.end, row, onward, candidate.value)
        match candidate.aggregate:
            case "count":
                call = f"count({of}: {' ^ '.join(within)})"
            case "different":
                call = f"count({value}: {' ^ '.join([*within, *said])})"
            case "variance":
                middle = self._mean(candidate)
                outside = [*outside, f"{middle}({', '.join((*self._subject, 'm'))})"]
                call = f"mean(({value} - m) * ({value} - m): {' ^ '.join([*within, *said])})"
            case "sum" if onward is not None and (
                candidate.value is not None or onward.kind == "flag"
            ):
                call = f"count({of}: {' ^ '.join([*within, *said])})"
            case "share":
                assert onward is not None
                filled, _ = self._walks.onward(path.end, row, onward, None)
                call = f"share({of}: {' ^ '.join([*within, *filled])}, {' ^ '.join(said[-1:])})"
            case "mean" if onward is not None and onward.kind == "flag":
                call = f"share({of}: {' ^ '.join([*within, *said[:-1]])}, {said[-1]})"
            case "listed" if candidate.listed is not None and candidate.of_text:
                each = f"k = {counted_words(value, candidate.listed)}"
                call = f"sum(k: {' ^ '.join([*within, *said, each])})"
            case "listed" if candidate.listed is not None:
                among = quoted_constant("|".join(candidate.listed.words))
                call = f"count({of}: {' ^ '.join([*within, *said, f'oneOf({value}, {among})'])})"
            case _:
                call = f"{candidate.aggregate}({value}: {' ^ '.join([*within, *said])})"
        if onward is not None and onward.kind == "date":
            return " ^ ".join([*dict.fromkeys(outside), f"m = {call}", f"n = {DAYS.format('m')}"])
        return " ^ ".join([*dict.fromkeys(outside), f"n = {call}"])

    def _mean(self, candidate: Candidate) -> str:
        """The predicate of the mean of what a candidate says the variance of."""
        key = replace(candidate, aggregate="mean")
        if key not in self._statements.made:
            name = self._statements.new(candidate_name(key))
            self._statements.state(f"{name}({', '.join((*self._subject, 'n'))})", self.body(key))
            self._statements.made[key] = name
        return self._statements.made[key]

    def _by_time(
        self,
        candidate: Candidate,
        outside: list[str],
        dated: list[str],
        within: list[str],
        row: Row,
    ) -> str:
        """What the first or the latest row says: its time first,
        then the mean over the rows of that time.
        """
        moment = "min" if candidate.aggregate == "first" else "max"
        by_year = self._walks.by_year(candidate.path)
        call = f"{moment}(t: {' ^ '.join(within)})"
        if candidate.aggregate in ("since", "first"):
            value = "year(now) - 1 - m" if by_year else "days(now, m)"
            return " ^ ".join([*dict.fromkeys(outside), f"m = {call}", f"n = {value}"])
        if candidate.aggregate == "interval":
            return self._interval(candidate, outside, within, row)
        onward = candidate.onward
        assert onward is not None
        name = self._time_of("Latest", candidate, outside, call)
        if candidate.aggregate == "previous":
            until = f"{name}({', '.join((*self._subject, 'l'))})"
            call = f"{moment}(t: {' ^ '.join([*within, 't < l'])})"
            name = self._time_of("Previous", candidate, [*outside, until], call)
        said, value = self._walks.onward(candidate.path.end, row, onward, candidate.value)
        prefix, _ = self._walks.walk(Path(candidate.path.start, candidate.path.prefix))
        at = f"{name}({', '.join((*self._subject, 't'))})"
        if onward.kind == "flag" or candidate.value is not None:
            way = (
                said[:-1]
                if candidate.value is None
                else self._walks.onward(candidate.path.end, row, onward, None)[0]
            )
            inner = f"share({', '.join(row)}: {' ^ '.join([*dated, *way])}, {said[-1]})"
        else:
            inner = f"mean({value}: {' ^ '.join([*dated, *said])})"
        return " ^ ".join([*dict.fromkeys([*prefix, at]), f"n = {inner}"])

    def _interval(
        self, candidate: Candidate, outside: list[str], within: list[str], row: Row
    ) -> str:
        """The days (years) from one row to the next, on average."""
        subject, rows = ", ".join(self._subject), " ^ ".join(within)
        latest = self._time_of("Latest", candidate, outside, f"max(t: {rows})")
        first = self._time_of("First", candidate, outside, f"min(t: {rows})")
        number = self._time_of("Dated", candidate, outside, f"count({', '.join(row)}: {rows})")
        atoms = [
            f"{name}({subject}, {variable})"
            for name, variable in ((latest, "l"), (first, "f"), (number, "c"))
        ]
        apart = "(l - f)" if self._walks.by_year(candidate.path) else "days(l, f)"
        return " ^ ".join([*atoms, "c > 1", f"n = {apart} / (c - 1)"])

    def _time_of(self, which: str, candidate: Candidate, outside: list[str], call: str) -> str:
        """The predicate of the time of the latest row, or of that before it."""
        key = (which, candidate.path, candidate.among)
        if key not in self._statements.made:
            name = self._statements.new(f"{which}{path_name(candidate.path)}Time")
            head = f"{name}({', '.join((*self._subject, 'm'))})"
            self._statements.state(head, " ^ ".join([*dict.fromkeys(outside), f"m = {call}"]))
            self._statements.made[key] = name
        return self._statements.made[key]
