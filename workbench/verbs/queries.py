"""Queries as Alchemy has them: predicates, or single atoms of them with constants and variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Bool, Int32, Int64
from workbench.database import Database
from workbench.database.relation_arrays import read_keys
from workbench.errors import Diagnostic, UsageError, did_you_mean
from workbench.grounding.atoms import AtomTable
from workbench.language.ground_atoms import parse_pattern
from workbench.language.program import Program
from workbench.tables import rows_predicate, target_of
from workbench.verbs.common import names_of
from workbench.verbs.tables_look import tables_at_hand
from workbench.verbs.wide_tables import predicted_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class QueryAtom:
    """`Friends(Anna, x)`: every atom with these constants; what stands twice is the same constant.

    Attributes
    ----------
    arguments : tuple of (str, bool)
        Names, and whether each is a variable.
    """

    predicate: str
    arguments: tuple[tuple[str, bool], ...]
    text: str

    def matches(self, atoms: AtomTable, number: int) -> Bool:
        """Which atoms of the table's predicate of that number it asks for.

        Raises E0318 for another number of arguments, or a constant that its type does not have.
        """
        types, constants = atoms.types[number], atoms.constants[number]
        if len(types) != len(self.arguments):
            given = f"{len(types)} argument{'' if len(types) == 1 else 's'}"
            raise UsageError.of(
                "E0318", f"the query {self.text} does not fit: {self.predicate} takes {given}"
            )
        chosen = np.ones(len(constants), np.bool_)
        first: dict[str, Int64] = {}
        for column, type_name, (name, is_variable) in zip(constants.T, types, self.arguments):
            if is_variable:
                chosen &= column == first.setdefault(name, column.astype(np.int64))
                continue
            place = atoms.names_of[type_name].place(name)
            if place < 0:
                known = atoms.names_of[type_name].listed()
                raise UsageError.of(
                    "E0318",
                    f"the query {self.text} names {name}, which is no constant of {type_name}",
                    help=did_you_mean(name, known, "a variable starts with a small letter"),
                )
            chosen &= column == place
        return chosen


@dataclass(frozen=True)
class Query:
    """What is asked: `predicates` are open; of some only the atoms that `atoms` match.

    Attributes
    ----------
    rows : mapping of str to int32 array, shape (n, 1 + arguments)
        Of predicates about the rows of a table, worlds and ids of these: atoms about other things
        are open and not answered.
    """

    predicates: tuple[str, ...] | None
    atoms: tuple[QueryAtom, ...] = ()
    rows: Mapping[str, Int32] = field(default_factory=dict, compare=False)

    def chosen(self, table: AtomTable) -> Bool:
        """Which open atoms are answered, shape (n_atoms,): those asked for, not hidden."""
        chosen = ~table.is_hidden
        for name, rows in self.rows.items():
            if name in table.predicates:
                number = table.predicates.index(name)
                mine = slice(int(table.start[number]), int(table.start[number + 1]))
                chosen[mine] &= table.begin_with(number, rows)
        for name in dict.fromkeys(one.predicate for one in self.atoms):
            if name in table.predicates:
                number = table.predicates.index(name)
                mine = slice(int(table.start[number]), int(table.start[number + 1]))
                chosen[mine] = np.logical_or.reduce(
                    [one.matches(table, number) for one in self._of(name)]
                )
        return chosen

    def without_labels(self, table: AtomTable, matrix: csr_array) -> tuple[Diagnostic, ...]:
        """A warning where no row of the tables that are asked has a label, and ground rules tell
        them by each other's: O(entries of `matrix`, ground rows by atoms).
        """
        found = []
        for name, rows in self.rows.items():
            if name not in table.predicates or not len(rows):
                continue
            number = table.predicates.index(name)
            first, end = int(table.start[number]), int(table.start[number + 1])
            of_yes_or_no = rows.shape[1] == 1 + len(table.types[number])
            asked = np.count_nonzero(table.begin_with(number, rows))
            if not of_yes_or_no or asked < len(rows):
                continue
            mine = np.append((matrix.indices >= first) & (matrix.indices < end), False)
            ties = np.add.reduceat(mine.astype(np.int64), matrix.indptr[:-1])
            if ties.max(initial=0) > 1:
                found.append(_told_by_each_other(name, len(rows)))
        return tuple(found)

    def unanswered(self, table: AtomTable) -> tuple[Diagnostic, ...]:
        """A warning for each atom that no open atom is, or where no atom at all is predicted."""
        found = []
        if not self.atoms and not self.chosen(table).any():
            message = "no atom is open, so there is nothing to predict"
            # What the tables at hand are to predict, is most likely meant.
            meant = next(iter(self.rows), None)
            help_text = (
                f"{f'ask with --query {meant}' if meant else 'name what to predict with --query'}; "
                "what facts say of it is evidence, and predicted too with --labels withheld"
            )
            found.append(Diagnostic.warning("E0318", message, None, help_text))
        for one in self.atoms:
            known = one.predicate not in table.predicates
            if known or not one.matches(table, table.predicates.index(one.predicate)).any():
                message = f"no open atom is {one.text}, so there is nothing to answer"
                help_text = "the data give its value, or no world has its constants"
                found.append(Diagnostic.warning("E0318", message, None, help_text))
        return tuple(found)

    def _of(self, predicate: str) -> list[QueryAtom]:
        return [one for one in self.atoms if one.predicate == predicate]


def _told_by_each_other(name: str, n_rows: int) -> Diagnostic:
    return Diagnostic.warning(
        "E0653",
        f"no label of {name} is known in the {n_rows:,} rows asked about: its rules over labels of "
        "other rows tell these by each other alone, and hold them to what they begin with",
        None,
        "load rows with labels beside them; a program for tables without any is learned with "
        "study --inductive",
    )


def read_query(given: Sequence[str] | str | None) -> Query:
    """`Smokes`, `Smokes, Friends(Anna, x)`, or several; None: what the data leave open."""
    if given is None:
        return Query(None)
    whole: list[str] = []
    atoms: list[QueryAtom] = []
    for text in names_of(given):
        read = parse_pattern(text) if "(" in text else (text, None)
        if read is None:
            raise UsageError.of(
                "E0318",
                f"the query {text} is no atom",
                help="write Predicate, Predicate(x) or Predicate(Anna)",
            )
        name, arguments = read
        if arguments is None:
            whole.append(name)
        else:
            atoms.append(QueryAtom(name, arguments, text))
    predicates = dict.fromkeys([*whole, *(one.predicate for one in atoms)])
    return Query(tuple(predicates), tuple(one for one in atoms if one.predicate not in whole))


def query_of(database: Database, program: Program, given: Sequence[str] | str | None) -> Query:
    """`read_query`; where tables were loaded to predict a column of one, about the rows of this
    alone: other tables may name further things.
    """
    query = read_query(given)
    mapping = tables_at_hand(database)
    asked = None if mapping is None else rows_predicate(mapping)
    target = None if mapping is None else target_of(mapping)
    if asked is None or target is None or asked.name not in database.predicates():
        return query
    return replace(query, rows={predicted_of(target, program): read_keys(database, asked.name)})
