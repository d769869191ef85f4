"""A program fitted to data: edges of bins, means and ranges of facts, written into rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Float
from workbench.database.database import Database
from workbench.errors import InputError, WorkbenchError
from workbench.grounding.asked_dates import with_dates_of_scopes
from workbench.grounding.column_functions import user_errors
from workbench.grounding.definitions import make_definitions
from workbench.grounding.dialect import render
from workbench.grounding.prepare import prepare
from workbench.grounding.program_clauses import needed_definitions
from workbench.grounding.request import GroundRequest
from workbench.grounding.select import ColumnRef, Select, Source
from workbench.grounding.vocabulary import Vocabulary
from workbench.language import parse_mln, parse_psl
from workbench.language.fitting import Wanted, fitted_text, wanted_of
from workbench.language.program import Program
from workbench.language.psl.types import with_values
from workbench.language.terms import Comparison, Constant
from workbench.language.values import value_text


@user_errors()
def fitted(
    database: Database, program: Program, worlds: Sequence[int | str] | None = None
) -> Program:
    """The program with the numbers and dates that it takes from data; itself without such.

    Bins are cut where equal shares of the facts end (equal numbers stay together, so there may be
    fewer bins); deviations are of the whole population. Facts of the evidence alone are read, of
    the chosen worlds.

    Raises E0251 where an atom is asked at what is no date; E0327 where the data have too few
    numbers; E0328 where a predicate of the data is called like a function.
    """
    return with_dates_of_scopes(database, _with_numbers(database, program, worlds))


def _with_numbers(
    database: Database, program: Program, worlds: Sequence[int | str] | None
) -> Program:
    wanted = tuple(wanted_of(program))
    if not wanted:
        return program
    # Definitions alone: nothing is open, and no rule is looked at.
    bare = replace(program, language="mln", rules=(), scopes=())
    vocabulary, _ = prepare(database, database.cursor(), bare, (), GroundRequest(worlds=worlds))
    try:
        made = needed_definitions(bare, {one.source[0] for one in wanted if one.source is not None})
        make_definitions(vocabulary, made)
        text = fitted_text(program, lambda one: _numbers(vocabulary, program, one))
    finally:
        vocabulary.drop()
    if program.language == "mln":
        return parse_mln(text)
    return with_values(
        parse_psl(text), {name: one.kinds for name, one in database.predicates().items()}
    )


def _numbers(vocabulary: Vocabulary, program: Program, wanted: Wanted) -> Sequence[float]:
    values = _values(vocabulary, wanted)
    if values.size == 0 or values[0] == values[-1]:
        raise _too_few(program, wanted, values)
    if isinstance(wanted.asked, Comparison):
        assert isinstance(wanted.asked.right, Constant)
        return _edges(values, int(wanted.asked.right.name))
    if wanted.asked.function == "scaled":
        return float(values[0]), float(values[-1])
    return _short(float(values.mean())), _short(float(values.std()))


def _values(vocabulary: Vocabulary, wanted: Wanted) -> Float:
    """The numbers of a predicate's facts at the wanted place, ascending."""
    if wanted.source is None:
        return np.zeros(0)
    predicate, place = wanted.source
    number = ColumnRef("g", f"a{place}")
    there = number.is_not(None)
    select = Select((("v", number),), (Source(vocabulary.given(predicate), "g"),), (there,))
    found = vocabulary.connection.execute(render(select)).fetchnumpy()
    return np.sort(np.asarray(found["v"], np.float64))


def _edges(values: Float, bins: int) -> Sequence[float]:
    """The least numbers of all bins but the first."""
    places = [values.size * number // bins for number in range(1, bins)]
    edges = sorted({float(value) for value in values[places]} - {float(values[0])})
    return edges or [float(values[np.searchsorted(values, values[0], side="right")])]


def _short(value: float) -> float:
    """Six digits: enough for a scale, and readable."""
    return float(f"{value:.6g}")


def _too_few(program: Program, wanted: Wanted, values: Float) -> WorkbenchError:
    asked = "+bin" if isinstance(wanted.asked, Comparison) else wanted.asked.function
    if wanted.source is None:
        message = f"{asked} takes a variable that is a number of some atom of the rule"
        help = (
            f"let it stand where a predicate has a number, as in Age(x, {wanted.variable or 'a'})"
        )
    elif values.size:
        message = f"every {wanted.variable} of {wanted.source[0]} is {value_text(float(values[0]))}"
        help = f"{asked} needs numbers that differ"
    else:
        message = (
            f"{wanted.source[0]} has no facts, so {asked} has no numbers of "
            f"{wanted.variable} to go by"
        )
        help = "load the facts first"
    return InputError.of("E0327", message, span=program.rules[wanted.rule].span, help=help)
