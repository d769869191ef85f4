"""The UAI competitions' files: models (MARKOV and BAYES) and evidence, read and written."""

from __future__ import annotations

import math
from collections.abc import Sequence

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

    Raises E0710 with what is wrong and at which word.
    """
    words = text.split()
    if not words or words[0] not in KINDS:
        raise _wrong(name, "it does not begin with MARKOV or BAYES")
    numbers = _numbers(words[1:], name)
    read = _Reader(numbers, name)
    states = read.integers(read.integer("the number of variables"), "the states of each variable")
    if states.size and int(states.min()) < 1:
        raise _wrong(name, f"variable {int(np.argmin(states))} has no state")
    if states.sum(dtype=np.float64) > MOST_STATES:
        raise _wrong(name, f"its variables have more than {MOST_STATES:,} states together")
    scopes = [
        _scope(read, factor, states) for factor in range(read.integer("the number of factors"))
    ]
    tables = [_table(read, scope, states, factor) for factor, scope in enumerate(scopes)]
    read.end()
    return FactorModel(states, _grouped(scopes, tables, states))


def parse_evidence(text: str, states: Int64, name: str = "the evidence") -> Int64:
    """The state that is known of each variable, -1 where none is; shape (n_variables,).

    Both forms of the competitions are read: how many are known, then variable and state of each;
    and the same after the number of samples, which must be one.

    Raises E0711 for anything else, for a variable or state that the model lacks, and for two states
    of one variable.
    """
    found = _numbers(text.split(), name, "E0711")
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
    """The file's numbers, taken one after the other."""

    def __init__(self, numbers: Float, name: str) -> None:
        self.numbers, self.name, self.at = numbers, name, 0

    def take(self, count: int, what: str) -> Float:
        if count < 0 or self.at + count > self.numbers.size:
            raise _wrong(self.name, f"it ends before {what}")
        self.at += count
        return self.numbers[self.at - count : self.at]

    def integers(self, count: int, what: str) -> Int64:
        found = self.take(count, what)
        odd = ~((np.abs(found) < 2.0**53) & (found == np.floor(found)))
        if odd.any():
            raise _wrong(self.name, f"{what}: {found[odd][0]:g} is no whole number")
        return found.astype(np.int64)

    def integer(self, what: str) -> int:
        return int(self.integers(1, what)[0])

    def end(self) -> None:
        left = self.numbers.size - self.at
        if left:
            raise _wrong(self.name, f"{left} more words stand after the last factor")


def _scope(read: _Reader, factor: int, states: Int64) -> tuple[int, ...]:
    scope = tuple(
        read.integers(
            read.integer(f"the scope of factor {factor}"), f"the scope of factor {factor}"
        ).tolist()
    )
    unknown = [variable for variable in scope if not 0 <= variable < states.size]
    if unknown:
        raise _wrong(
            read.name,
            f"factor {factor} is over variable {unknown[0]}, and the last is {states.size - 1}",
        )
    if len(set(scope)) < len(scope):
        raise _wrong(read.name, f"factor {factor} names a variable twice")
    return scope


def _table(read: _Reader, scope: Sequence[int], states: Int64, factor: int) -> Float:
    size = read.integer(f"the values of factor {factor}")
    asked = math.prod(states[list(scope)].tolist())
    if size != asked:
        raise _wrong(
            read.name,
            f"factor {factor} has {size} values where its variables have {asked} states together",
        )
    values = read.take(size, f"the values of factor {factor}")
    if not np.all((values >= 0) & (values < np.inf)):
        raise _wrong(read.name, f"factor {factor} has a value that is negative or infinite")
    return values


def _grouped(
    scopes: Sequence[tuple[int, ...]], tables: Sequence[Float], states: Int64
) -> tuple[FactorGroup, ...]:
    """Factors of one shape side by side, in the order in which shapes first occur."""
    members: dict[tuple[int, ...], list[int]] = {}
    for factor, scope in enumerate(scopes):
        members.setdefault(tuple(states[list(scope)].tolist()), []).append(factor)
    groups = []
    for shape, factors in members.items():
        values = np.array([tables[factor] for factor in factors]).reshape(len(factors), *shape)
        within = np.array([scopes[factor] for factor in factors], np.int64).reshape(
            len(factors), len(shape)
        )
        with np.errstate(divide="ignore"):
            groups.append(FactorGroup(within, np.log(values)))
    return tuple(groups)


def _numbers(words: Sequence[str], name: str, code: str = "E0710") -> Float:
    try:
        return np.array(words, np.str_).astype(np.float64) if words else np.zeros(0)
    except ValueError:
        place = next(at for at, word in enumerate(words) if not _is_number(word))
        raise _wrong(name, f"word {place + 1}, {words[place][:40]!r}, is no number", code) from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _wrong(name: str, why: str, code: str = "E0710") -> WorkbenchError:
    kind = "a model in UAI's form" if code == "E0710" else "evidence that fits the model"
    return InputError.of(
        code, f"{name} is not {kind}: {why}", help=f"`workbench explain {code}` shows the form"
    )
