"""Predicates and types of a PSL program, which declares neither.

Every argument place is a class of its own; a variable joins the places it stands in within its
rule, and so does a comparison its two sides. Each class is one type, so that each domain holds only
the constants that can meet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from workbench.errors import Span
from workbench.language.argument_classes import ArgumentClasses, Place
from workbench.language.declarations import Predicate, Type
from workbench.language.definitions import condition_atoms
from workbench.language.formulas import rule_atoms, rule_comparisons
from workbench.language.program import Program, Rule
from workbench.language.psl.statement_types import join_statement
from workbench.language.source import Diagnostics
from workbench.language.spelling import respelled
from workbench.language.terms import Atom
from workbench.language.values import ValueKind

ANY_TYPE = "UniqueStringID"
"""PSL's type of a place that says nothing of its own."""


def with_declarations(program: Program, declared: Iterable[Predicate]) -> Program:
    """A PSL program over predicates that data declare: spelling, types, whether closed.

    Raises E0105 when a rule gives a declared predicate another number of arguments, E0106 when a
    variable joins places of two declared types.

    Parameters
    ----------
    program : Program
        As `parse_psl` gives it.
    declared : iterable of Predicate
        Matched by name whatever the case. Predicates of the program that are not among them keep
        what they have, but for the types of places that variables join with declared ones.
    """
    diagnostics = Diagnostics(program.sources)
    predicates = {predicate.name: predicate for predicate in declared}
    result = _typed(replace(program, predicates=predicates), diagnostics)
    diagnostics.raise_errors()
    return result


def with_spelling(program: Program, stored: Collection[str]) -> Program:
    """A PSL program over predicates as `stored` spells them, whatever the program's case."""
    known = {name.casefold(): name for name in stored}
    spelling = {
        name.casefold(): name if name in stored else known.get(name.casefold(), name)
        for name in program.predicates
    }
    predicates = [
        replace(one, name=spelling[name.casefold()]) for name, one in program.predicates.items()
    ]
    return replace(_respelled(program, spelling), predicates={one.name: one for one in predicates})


def with_inferred_types(
    program: Program,
    diagnostics: Diagnostics,
    values: Mapping[str, tuple[ValueKind | None, ...]] | None = None,
) -> Program:
    """The program with its predicates, spelled as first mentioned, and inferred types.

    A predicate used with two arities is reported as E0105. `values` says which arguments of a
    predicate (by its name, whatever the case) are numbers, dates or texts.
    """
    return _typed(replace(program, predicates={}), diagnostics, values or {})


def with_values(program: Program, values: Mapping[str, tuple[ValueKind | None, ...]]) -> Program:
    """A PSL program whose arguments have the kinds of values that data give them.

    Raises E0106 when a variable joins places of two types.
    """
    if not any(any(kinds) for kinds in values.values()):
        return program
    diagnostics = Diagnostics(program.sources)
    closed = {name: predicate.closed for name, predicate in program.predicates.items()}
    typed = with_inferred_types(program, diagnostics, values)
    diagnostics.raise_errors()
    predicates = {
        name: replace(one, closed=closed.get(name)) for name, one in typed.predicates.items()
    }
    return replace(typed, predicates=predicates)


def _typed(
    program: Program,
    diagnostics: Diagnostics,
    values: Mapping[str, tuple[ValueKind | None, ...]] | None = None,
) -> Program:
    spelling, arities = _used(program, diagnostics)
    program = _respelled(program, spelling)
    classes = ArgumentClasses()
    for name, arity in arities.items():
        for position in range(arity):
            classes.find((name, position))
    for rule in program.rules:
        classes.join_variables(rule_atoms(rule), rule_comparisons(rule), arities)
    given = _Given(program.rules, classes, diagnostics)
    computed = [
        place for one in program.statements for place in join_statement(one, classes, arities)
    ]
    # Only when all are joined: a class is known by one of its places, and joining changes which.
    for place, kind in computed:
        given.types[classes.find(place)] = kind
    for name, kinds in (values or {}).items():
        known_as = spelling.get(name.casefold(), name)
        given.take_values(known_as, kinds[: arities.get(known_as, 0)])
    for predicate in program.predicates.values():
        given.take_types(predicate)
    for predicate in program.predicates.values():
        given.take_any(predicate)
    predicates = _predicates(program, arities, classes, classes.names(given.types))
    used = dict.fromkeys(
        type_name
        for predicate in predicates.values()
        for type_name, kind in zip(predicate.argument_types, predicate.kinds)
        if kind is None
    )
    return replace(program, predicates=predicates, types={name: Type(name) for name in used})


def _respelled(program: Program, spelling: Mapping[str, str]) -> Program:
    """The program's statements with each predicate in one spelling."""
    return replace(
        program,
        rules=tuple(respelled(one, spelling) for one in program.rules),
        definitions=tuple(respelled(one, spelling) for one in program.definitions),
        scopes=tuple(respelled(one, spelling) for one in program.scopes),
    )


def _used(program: Program, diagnostics: Diagnostics) -> tuple[dict[str, str], dict[str, int]]:
    """How each predicate is spelled, by name whatever the case, and how many arguments it takes."""
    spelling = {name.casefold(): name for name in program.predicates}
    arities = {name: predicate.arity for name, predicate in program.predicates.items()}
    written: list[tuple[Iterable[Atom], Span | None]] = [
        (rule_atoms(rule), rule.span) for rule in program.rules
    ]
    written += [((one.head, *condition_atoms(one.body)), one.span) for one in program.statements]
    for atoms, span in written:
        for atom in atoms:
            name = spelling.setdefault(atom.predicate.casefold(), atom.predicate)
            known = arities.setdefault(name, len(atom.arguments))
            if known != len(atom.arguments):
                plural = "argument" if known == 1 else "arguments"
                message = f"{name} takes {known} {plural} and is given {len(atom.arguments)}"
                diagnostics.add("E0105", message, atom.span or span)
    return spelling, arities


@dataclass
class _Given:
    """The types that data and declarations give classes of places."""

    rules: tuple[Rule, ...]
    classes: ArgumentClasses
    diagnostics: Diagnostics
    types: dict[Place, str] = field(default_factory=dict)

    def take_values(self, name: str, kinds: Iterable[ValueKind | None]) -> None:
        for position, kind in enumerate(kinds):
            if kind is None:
                continue
            before = self._type((name, position), kind)
            if before != kind:
                self._refuse(
                    name,
                    f"argument {position + 1} of {name} is a {kind}, and the rules join it "
                    f"with a {before}",
                    "compare values of one kind",
                )

    def take_types(self, predicate: Predicate) -> None:
        for position, type_name in enumerate(predicate.argument_types):
            if type_name == ANY_TYPE:
                continue
            before = self._type((predicate.name, position), type_name)
            if before != type_name:
                self._refuse(
                    predicate.name,
                    f"argument {position + 1} of {predicate.name} has type {type_name}, and the "
                    f"rules join it with arguments of type {before}",
                    "load the tables that rules join with one type for the joined columns",
                )

    def take_any(self, predicate: Predicate) -> None:
        """Places of no type in particular are of the type of what rules join them with."""
        for position, type_name in enumerate(predicate.argument_types):
            if type_name == ANY_TYPE:
                self._type((predicate.name, position), ANY_TYPE)

    def _type(self, place: Place, type_name: str) -> str:
        return self.types.setdefault(self.classes.find(place), type_name)

    def _refuse(self, name: str, message: str, help: str) -> None:
        self.diagnostics.add("E0106", message, _span_of_use(self.rules, name), help)


def _predicates(
    program: Program,
    arities: Mapping[str, int],
    classes: ArgumentClasses,
    names: Mapping[Place, str],
) -> dict[str, Predicate]:
    """The predicates as declared, the others of their classes' types; what is defined is closed."""
    defined = {one.head.predicate for one in program.definitions}
    found = {}
    for name, arity in arities.items():
        types = tuple(names[classes.find((name, position))] for position in range(arity))
        one = program.predicates.get(name) or Predicate(name, types)
        known = (
            joined if own == ANY_TYPE else own for own, joined in zip(one.argument_types, types)
        )
        one = replace(one, argument_types=tuple(known))
        found[name] = replace(one, closed=True) if name in defined else one
    return found


def _span_of_use(rules: Iterable[Rule], name: str) -> Span | None:
    return next(
        (atom.span for rule in rules for atom in rule_atoms(rule) if atom.predicate == name), None
    )
