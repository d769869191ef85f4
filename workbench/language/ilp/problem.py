"""A problem of inductive logic programming: modes, determinations, settings, examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from workbench.errors import Diagnostic, InputError, Span, nearest
from workbench.language.ilp.terms import Compound, LogicVariable, Symbol, Term, subterms, term_text
from workbench.language.values import VALUE_TYPES

Tuples = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ModeArgument:
    """One place of a mode: `+` input variable, `-` output variable, `#` constant; and its type."""

    mark: Literal["+", "-", "#"]
    type: str


@dataclass(frozen=True, slots=True)
class Mode:
    """How a predicate may be called in a clause, in Aleph's sense.

    Parameters
    ----------
    recall : int or None
        Answers kept for each instantiation of the inputs while a bottom clause is built; None for
        `*`.
    head : bool
        `modeh` rather than `modeb`.
    """

    predicate: str
    arguments: tuple[ModeArgument, ...]
    recall: int | None = None
    head: bool = False
    span: Span | None = field(default=None, compare=False)

    @property
    def arity(self) -> int:
        return len(self.arguments)

    def __str__(self) -> str:
        places = ",".join(argument.mark + argument.type for argument in self.arguments)
        recall = "*" if self.recall is None else self.recall
        atom = f"{self.predicate}({places})" if places else self.predicate
        return f"{'modeh' if self.head else 'modeb'}({recall},{atom})"


@dataclass(frozen=True, slots=True)
class BackgroundClause:
    r"""A background clause with a body; literals are terms, `\+`, `not`, comparisons too."""

    head: Compound | Symbol
    body: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class IlpProblem:
    """A learning problem as ILP systems state it.

    Attributes
    ----------
    target : str
        The predicate to be learned.
    modes : tuple of Mode
        Head modes and body modes, in source order.
    body_predicates : tuple of str
        What may occur in a body: the determinations, or every predicate with a body mode.
    facts : mapping of (predicate, arity) to tuple of argument tuples
        Ground background facts in source order; a compound term is one opaque symbol, written
        canonically.
    clauses : tuple of BackgroundClause
        Background clauses with bodies.
    positives, negatives : tuples of argument tuples
    folds : mapping of (argument tuple, label) to int
        Where the file assigns examples to folds.
    """

    target: str
    modes: tuple[Mode, ...]
    body_predicates: tuple[str, ...]
    settings: Mapping[str, str]
    facts: Mapping[tuple[str, int], Tuples]
    clauses: tuple[BackgroundClause, ...]
    positives: Tuples
    negatives: Tuples
    folds: Mapping[tuple[tuple[str, ...], bool], int] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def head_mode(self) -> Mode:
        """The target's head mode; E0601 when no head mode names the target."""
        for candidate in self.modes:
            if candidate.head and candidate.predicate == self.target:
                return candidate
        raise InputError.of(
            "E0601",
            f"no head mode declares the target `{self.target}`",
            help=f"add modeh(*,{self.target}(+type,...))",
        )

    @property
    def body_modes(self) -> tuple[Mode, ...]:
        """Modes of the predicates that may occur in a body, in the order of `body_predicates`."""
        return tuple(
            candidate
            for predicate in self.body_predicates
            for candidate in self.modes
            if not candidate.head and candidate.predicate == predicate
        )

    def relations(self) -> dict[str, Tuples]:
        """The facts of every predicate with a body mode, by name, that a search can see."""
        return {
            name: self.facts.get((name, len(types)), ())
            for name, types in self.argument_types().items()
            if name != self.target
        }

    def argument_types(self) -> dict[str, tuple[str, ...]]:
        """The types of each predicate's arguments as the modes give them.

        Raises E0603 when two modes of one predicate disagree on a type.
        """
        types: dict[str, tuple[str, ...]] = {}
        for candidate in self.modes:
            given = tuple(argument.type for argument in candidate.arguments)
            known = types.setdefault(candidate.predicate, given)
            if known != given:
                raise InputError.of(
                    "E0603",
                    f"two modes of `{candidate.predicate}` give its arguments different types: "
                    f"({', '.join(known)}) and ({', '.join(given)})",
                    span=candidate.span,
                    help="a predicate is one table, so each of its arguments has one type",
                )
        return types


def _mark(text: str) -> Literal["+", "-", "#"]:
    return "+" if text == "+" else "-" if text == "-" else "#"


def infer_modes(target: str, types: Mapping[str, Sequence[str]]) -> tuple[Mode, ...]:
    """Modes for predicates without any: from argument types, read as foreign keys.

    The target's arguments are inputs. A body predicate is entered through each of its arguments in
    turn, the others being outputs.
    """
    modes = [Mode(target, tuple(ModeArgument("+", name) for name in types[target]), None, True)]
    for predicate, names in types.items():
        if predicate == target:
            continue
        for entry in range(len(names)):
            marks: list[Literal["+", "-", "#"]] = ["-"] * len(names)
            marks[entry] = "+"
            modes.append(Mode(predicate, tuple(ModeArgument(m, t) for m, t in zip(marks, names))))
    return tuple(modes)


def type_name(text: str) -> str:
    """A type's name in programs: `list(int)` is `list_int`; value types' get another.

    The types of ILP files hold constants, numbers too, while a program's `number`, `date` and
    `text` hold values.
    """
    name = re.sub(r"\W+", "_", text).strip("_") or "thing"
    name = name if name[0].isalpha() else f"type_{name}"
    return f"{name}_constant" if name in VALUE_TYPES else name


def flatten_terms(
    facts: Mapping[tuple[str, int], Sequence[tuple[Term, ...]]],
) -> dict[tuple[str, int], Tuples]:
    """Facts with compound terms as tables: a compound is one symbol that a predicate opens.

    `r_subst_1(h1, single_alk(1))` gives `r_subst_1(h1, "single_alk(1)")` and
    `single_alk("single_alk(1)", 1)`.
    """
    flat: dict[tuple[str, int], dict[tuple[str, ...], None]] = {}

    def visit(term: Term) -> str:
        for part in subterms(term):
            if isinstance(part, Compound):
                arguments = tuple(map(term_text, part.arguments))
                flat.setdefault((part.functor, len(arguments) + 1), {})[
                    (term_text(part), *arguments)
                ] = None
        return term_text(term)

    for key, rows in facts.items():
        for row in rows:
            arguments = tuple(visit(term) for term in row)
            flat.setdefault(key, {})[arguments] = None
    return {key: tuple(rows) for key, rows in flat.items()}


def is_ground(term: Term) -> bool:
    """Whether no variable occurs in the term."""
    return not any(isinstance(part, LogicVariable) for part in subterms(term))


def check_problem(problem: IlpProblem) -> IlpProblem:
    """The problem with warnings added; raises on what no search could use.

    Raises E0604 without a positive example, E0605 for a mode of a predicate that exists under a
    close name only.
    """
    if not problem.positives:
        raise _without_positives(problem)
    notes = list(_notes_of_modes(problem))
    faults = [one for one in notes if one.severity == "error"]
    if faults:
        raise InputError(faults)
    return replace(problem, warnings=(*problem.warnings, *notes))


def _without_positives(problem: IlpProblem) -> InputError:
    target = problem.target
    whose = f"the target `{target}` has" if target else "the files name no target, and have"
    outside = any(name == target for name, _ in problem.facts)
    return InputError.of(
        "E0604",
        f"{whose} no positive example",
        help=f"the facts of {target} stand outside of any section of examples: put "
        "them between `:- begin_in_pos.` and `:- end_in_pos.`, or into a .f file"
        if outside
        else "rules are learned from positives",
    )


def _notes_of_modes(problem: IlpProblem) -> Iterator[Diagnostic]:
    """What is wrong with modes of the body: a fault where a predicate has a close name."""
    heads = (clause.head for clause in problem.clauses)
    known = {name for name, _ in problem.facts}
    known |= {head.functor if isinstance(head, Compound) else head.name for head in heads}
    declared = {mode.predicate for mode in problem.modes}
    for mode in problem.modes:
        if mode.head or mode.predicate in known:
            continue
        close = nearest(mode.predicate, known - declared)
        if close is None:
            message = f"the background has no fact of `{mode.predicate}`; its mode has no effect"
            yield Diagnostic.warning("E0605", message, mode.span)
        else:
            message = f"a mode mentions `{mode.predicate}`, which the background does not have"
            yield Diagnostic("E0605", message, mode.span, help=f"did you mean `{close}`?")
