"""The UAI competitions' files: models (MARKOV and BAYES) and evidence, read and written."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import prod

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import InputError, WorkbenchError
from workbench.interchange.factors import MOST_STATES, FactorGroup, FactorModel

KINDS = ("MARKOV", "BAYES")


def parse_uai(text: str, name: str = "the model") -> FactorModel:
    """The model of a file.

    A file is a list of words: the kind, the number of variables, the states of each, the number of
    factors, the scope of each (its length, then its variables), and for each factor the number of
    its values and the values, the last variable changing fastest.

    Raises E0710 with what is wrong and on which line.
    """
    words = text.split()
    if not words or words[0] not in KINDS:
        raise _wrong(name, "it does not begin with MARKOV or BAYES (line 1)")
    read = _Reader(_numbers(words[1:], text, name, first=1), text, name)
    states = read.integers(read.integer("the number of variables"), "the states of each variable")
    if min(states, default=1) < 1:
        raise read.wrong(f"variable {states.index(min(states))} has no state")
    if sum(states) > MOST_STATES:
        raise read.wrong(f"its variables have more than {MOST_STATES:,} states together")
    scopes = [
        _scope(read, factor, len(states)) for factor in range(read.integer("the number of factors"))
    ]
    shapes = [tuple(states[variable] for variable in scope) for scope in scopes]
    tables = [_table(read, prod(shape), factor) for factor, shape in enumerate(shapes)]
    read.end()
    return FactorModel(np.array(states, np.int64), _grouped(scopes, shapes, tables, read.numbers))


def parse_evidence(text: str, states: Int64, name: str = "the evidence") -> Int64:
    """The state that is known of each variable, -1 where none is; shape (n_variables,).

    Both forms of the competitions are read: how many are known, then variable and state of each;
    and the same after the number of samples, which must be one.

    Raises E0711 for anything else, for a variable or state that the model lacks, and for two states
    of one variable.
    """
    found = _numbers(text.split(), text, name, "E0711")
    if not np.all(np.isfinite(found) & (found == np.floor(found))):
        raise _wrong(name, "variables and states are whole numbers", "E0711")
    numbers = found.astype(np.int64)
    known = np.full(states.size, -1, np.int64)
    if not numbers.size:
        return known
    body = numbers if numbers.size % 2 else numbers[1:]
    if numbers.size % 2 == 0 and numbers[0] != 1:
        raise _wrong(name, f"it has {numbers[0]} samples, and only one is read", "E0711")
    if body.size != 1 + 2 * body[0]:
        raise _wrong(
            name, f"it says {body[0]} known variables and lists {(body.size - 1) // 2}", "E0711"
        )
    for variable, state in body[1:].reshape(-1, 2).tolist():
        if not 0 <= variable < states.size or not 0 <= state < states[variable]:
            raise _wrong(
                name, f"the model has no variable {variable} with a state {state}", "E0711"
            )
        if known[variable] not in (-1, state):
            raise _wrong(
                name,
                f"variable {variable} is said to be in state {known[variable]} and {state}",
                "E0711",
            )
        known[variable] = state
    return known


def format_uai(model: FactorModel) -> str:
    """The text of a MARKOV file; values to 17 digits, read back to the bit of their logs."""
    lines = ["MARKOV", str(model.states.size), " ".join(map(str, model.states.tolist()))]
    factors = [
        (scope, table)
        for group in model.groups
        for scope, table in zip(group.scopes.tolist(), np.exp(group.logs), strict=True)
    ]
    lines.append(str(len(factors)))
    lines += [" ".join(map(str, (len(scope), *scope))) for scope, _ in factors]
    lines += [
        f"{table.size} {' '.join(f'{value:.17g}' for value in table.ravel())}"
        for _, table in factors
    ]
    return "\n".join(lines) + "\n"


class _Reader:
    """The file's numbers, which stand behind its first word, taken one after the other."""

    def __init__(self, numbers: Float, text: str, name: str) -> None:
        self.numbers, self.at = numbers, 0
        self._text, self._name = text, name
        # Most factors are small: plain numbers are read faster one by one than arrays of a few.
        self._plain: list[float] = numbers.tolist()
        usable = (numbers >= 0) & (numbers < np.inf)
        self._unusable_before: list[int] = np.concatenate(([0], np.cumsum(~usable))).tolist()

    def take(self, count: int, what: str) -> int:
        """The place of the first of so many numbers."""
        if count < 0:
            raise self.wrong(f"a negative number, {count}, stands before {what}")
        if self.at + count > len(self._plain):
            self.at = len(self._plain)
            raise self.wrong(f"it ends before {what}")
        self.at += count
        return self.at - count

    def integers(self, count: int, what: str) -> list[int]:
        start = self.take(count, what)
        found = self._plain[start : self.at]
        for place, one in enumerate(found, start):
            if not (one.is_integer() and abs(one) < 2.0**53):
                self.at = place + 1
                raise self.wrong(f"{what}: {one:g} is no whole number")
        return [int(one) for one in found]

    def integer(self, what: str) -> int:
        return self.integers(1, what)[0]

    def go_back_to_unusable(self, start: int) -> bool:
        """Whether a number since a place is negative or infinite; it is the last taken then."""
        before = self._unusable_before
        if before[start] == before[self.at]:
            return False
        self.at = bisect_right(before, before[start], start)
        return True

    def end(self) -> None:
        left = len(self._plain) - self.at
        if left:
            self.at += 1
            raise self.wrong(
                f"{left} more {'words stand' if left > 1 else 'word stands'} after the last factor"
            )

    def wrong(self, why: str) -> WorkbenchError:
        """What is wrong with what was taken last."""
        return _wrong(self._name, f"{why} (line {_line_of(self._text, self.at)})")


def _scope(read: _Reader, factor: int, n_variables: int) -> tuple[int, ...]:
    what = f"the scope of factor {factor}"
    scope = tuple(read.integers(read.integer(what), what))
    if scope and not 0 <= min(scope) <= max(scope) < n_variables:
        unknown = next(variable for variable in scope if not 0 <= variable < n_variables)
        raise read.wrong(
            f"factor {factor} is over variable {unknown}, and the last is {n_variables - 1}"
        )
    if len(set(scope)) < len(scope):
        raise read.wrong(f"factor {factor} names a variable twice")
    return scope


def _table(read: _Reader, asked: int, factor: int) -> int:
    """The place of a factor's first value."""
    what = f"the values of factor {factor}"
    size = read.integer(what)
    if size != asked:
        raise read.wrong(
            f"factor {factor} has {size} values where its variables have {asked} states together"
        )
    start = read.take(size, what)
    if read.go_back_to_unusable(start):
        raise read.wrong(f"factor {factor} has a value that is negative, infinite or no number")
    return start


def _grouped(
    scopes: Sequence[tuple[int, ...]],
    shapes: Sequence[tuple[int, ...]],
    tables: Sequence[int],
    numbers: Float,
) -> tuple[FactorGroup, ...]:
    """Factors of one shape side by side, in the order in which shapes first occur; `tables` are the
    places of their first values in `numbers`.
    """
    members: dict[tuple[int, ...], list[int]] = {}
    for factor, shape in enumerate(shapes):
        members.setdefault(shape, []).append(factor)
    groups = []
    for shape, factors in members.items():
        starts = np.array([tables[factor] for factor in factors], np.int64)
        values = numbers[starts[:, None] + np.arange(prod(shape))].reshape(-1, *shape)
        within = np.array([scopes[factor] for factor in factors], np.int64).reshape(
            len(factors), len(shape)
        )
        with np.errstate(divide="ignore"):
            groups.append(FactorGroup(within, np.log(values)))
    return tuple(groups)


def _numbers(
    words: Sequence[str], text: str, name: str, code: str = "E0710", first: int = 0
) -> Float:
    """The words of a text, from the one of a place on, as numbers."""
    try:
        found = np.array(words, np.str_).astype(np.float64) if words else np.zeros(0)
        if "_" in text:
            raise ValueError("Python reads 1_0 as 10")
    except ValueError:
        place = next(at for at, word in enumerate(words) if not _is_number(word))
        line = _line_of(text, first + place)
        raise _wrong(name, f"{words[place][:40]!r} is no number (line {line})", code) from None
    return found


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


def _line_of(text: str, place: int) -> int:
    """The line of a text's word, counted from 0; the last line for one behind the end."""
    lines = text.splitlines()
    behind = accumulate(len(line.split()) for line in lines)
    return next((at for at, words in enumerate(behind, 1) if words > place), max(len(lines), 1))


def _wrong(name: str, why: str, code: str = "E0710") -> WorkbenchError:
    kind = "a model in UAI's form" if code == "E0710" else "evidence that fits the model"
    return InputError.of(
        code, f"{name} is not {kind}: {why}", help=f"`workbench explain {code}` shows the form"
    )
