"""Atoms and what definitions made them of in people's words: `IsFraud(Café Müller (C0708))`, or
`Café Müller (C0708): is fraud`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from workbench.database import display_names
from workbench.language.ground_atoms import parse_atom
from workbench.language.values import VALUE_TYPES
from workbench.tables.names import plural, words

if TYPE_CHECKING:
    from workbench.database import Database
    from workbench.grounding import AtomTable, DefinedFact
    from workbench.language.program import Program


def shown_atoms(
    atoms: AtomTable, names: Mapping[str, Mapping[str, str]], ids: npt.ArrayLike | None = None
) -> list[str]:
    """Each atom with what people call its things, in order of `ids`, or all.

    Parameters
    ----------
    names : mapping of type to mapping of constant to name
        As `workbench.database.display_names` gives them.
    ids : array, optional
    """
    texts = []
    chosen = atoms.predicate if ids is None else atoms.predicate[np.asarray(ids)]
    for number, arguments in zip(chosen.tolist(), atoms.argument_names(ids)):
        predicate, types = atoms.predicates[number], atoms.types[number]
        shown = (
            _called(names, type_name, constant) for type_name, constant in zip(types, arguments)
        )
        texts.append(f"{predicate}({', '.join(shown)})" if arguments else predicate)
    return texts


def shown_texts(
    database: Database, atoms: Sequence[str], *, as_statements: bool = False
) -> list[str]:
    """Atoms given as text with what people call their things, if any; as `statement` if asked."""
    parsed = [parse_atom(text) for text in atoms]
    stored = database.predicates()
    among: dict[str, set[str]] = {}
    for atom in parsed:
        if atom is not None and atom[0] in stored:
            for type_name, constant in zip(stored[atom[0]].argument_types, atom[1]):
                among.setdefault(type_name, set()).add(constant)
    names = display_names(database, among)
    found = []
    for text, atom in zip(atoms, parsed):
        if atom is None or atom[0] not in stored:
            found.append(text)
            continue
        types = stored[atom[0]].argument_types
        things = [_called(names, *one) for one in zip(types, atom[1])]
        if as_statements:
            found.append(statement(atom[0], things))
        else:
            found.append(f"{atom[0]}({', '.join(things)})" if things else atom[0])
    return found


def statement(predicate: str, things: Sequence[str]) -> str:
    """An atom for people who read no rules: `Ann Ode: advised by Bo Ray`, `Bo Ray: smokes`."""
    said = " ".join(words(predicate)) or predicate
    if not things:
        return said
    return f"{things[0]}: {' '.join([said, ', '.join(things[1:])]).rstrip()}"


def called(database: Database, things: Sequence[tuple[str, str]]) -> list[str]:
    """Things (type, constant) as people call them: `Ann Ode (P0001)`; else by their constants."""
    among: dict[str, set[str]] = {}
    for type_name, constant in things:
        among.setdefault(type_name, set()).add(constant)
    names = display_names(database, among)
    return [_called(names, *thing) for thing in things]


def shown_ground_rule(
    literals: Sequence[tuple[str, bool]],
    program: Program,
    names: Mapping[str, Mapping[str, str]],
    *,
    negated: bool,
) -> str:
    """A ground clause as its author would write it, its things by what people call them."""
    from workbench.grounding import as_rule

    soft = program.language == "psl"
    told = tuple((shown_atom(text, program, names), positive) for text, positive in literals)
    return as_rule(told, soft=soft, negated=negated)


def shown_atom(text: str, program: Program, names: Mapping[str, Mapping[str, str]]) -> str:
    """An atom of a program with what people call its things."""
    atom = parse_atom(text) if names else None
    if atom is None or atom[0] not in program.predicates or not atom[1]:
        return text
    types = program.predicates[atom[0]].argument_types
    return f"{atom[0]}({', '.join(_called(names, *one) for one in zip(types, atom[1]))})"


def shown_definition(atom: str, fact: DefinedFact, names: Mapping[str, Mapping[str, str]]) -> str:
    """What a definition made a fact of: `Companies(P1, 7): 7 companies: Acme (C1) and 6 more`."""
    rows = [
        [_called(names, type_name, cell) for type_name, cell in zip(fact.types, row)]
        for row in fact.named
    ]
    if len(fact.types) == 1 and fact.types[0] not in VALUE_TYPES:
        what, separator = fact.types[0].replace("_", " "), ", "
        told = [row[0] for row in rows]
    else:
        what, separator = "case", "; "
        called = _of_cells(fact)
        told = [", ".join(map(" ".join, zip(called, row))) for row in rows]
    more = f" and {fact.number - len(told):,} more" if fact.number > len(told) else ""
    return (
        f"{atom}: {fact.number:,} {what if fact.number == 1 else plural(what)}: "
        f"{separator.join(told)}{more}"
    )


def _of_cells(fact: DefinedFact) -> list[str]:
    """What stands before each cell: the kind of a thing, or in words what says a value; the
    variable where that is no difference.
    """
    said = [
        type_name.replace("_", " ") if type_name not in VALUE_TYPES else " ".join(words(by))
        for type_name, by in zip(fact.types, fact.said_by)
    ]
    return [
        one if one and said.count(one) == 1 else f"{name} ="
        for one, name in zip(said, fact.variables)
    ]


def _called(names: Mapping[str, Mapping[str, str]], type_name: str, constant: str) -> str:
    """A constant with what people call it, where tables say that."""
    called = names.get(type_name, {}).get(constant)
    return f"{called} ({constant})" if called else constant
