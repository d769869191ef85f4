"""What the files of an ILP system say, gathered term by term, and the problem that it makes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from workbench.errors import Diagnostic, InputError, Span
from workbench.language.ilp.models import (
    ModelAtom,
    clause_of_models,
    folds_of_models,
    key_of,
    mode_of_models,
    model_atom,
    model_of,
    told_in_models,
)
from workbench.language.ilp.problem import (
    BackgroundClause,
    IlpProblem,
    Mode,
    Tuples,
    check_problem,
    flatten_terms,
    is_ground,
)
from workbench.language.ilp.prolog import read_terms
from workbench.language.ilp.terms import Compound, Symbol, Term, term_text
from workbench.language.source import read_text


@dataclass
class IlpFiles:
    """What files of an ILP system say, as it is met, and what is wrong with it."""

    facts: dict[tuple[str, int], list[tuple[Term, ...]]] = field(default_factory=dict)
    clauses: list[BackgroundClause] = field(default_factory=list)
    modes: list[Mode] = field(default_factory=list)
    determinations: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    examples: list[tuple[Term, bool, int | None, Span]] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    consulted: set[Path] = field(default_factory=set)
    in_models: list[ModelAtom] = field(default_factory=list)
    model: Term | None = None

    def terms(self, path: Path) -> Iterator[tuple[Term, Span]]:
        """The clauses of a file; what cannot be read is kept among the faults."""
        self.consulted.add(path.resolve())
        try:
            yield from read_terms(read_text(path, "E0141"), path.name)
        except InputError as error:
            self.faults += error.diagnostics

    def raise_faults(self) -> None:
        """Raise what was found wrong, all of it."""
        if self.faults:
            raise InputError(self.faults)

    def take_background(self, term: Term, span: Span) -> None:
        """Take a fact or a clause in."""
        if isinstance(term, Compound) and term.functor == ":-":
            head, body = term.arguments
            if not isinstance(head, Compound | Symbol):
                raise InputError.of(
                    "E0142", "the head of a background clause is an atom", span=span
                )
            self.clauses.append(BackgroundClause(head, conjuncts(body), span))
            return
        if isinstance(term, Compound) and is_ground(term):
            self.facts.setdefault((term.functor, len(term.arguments)), []).append(term.arguments)
            return
        if isinstance(term, Symbol):
            self.facts.setdefault((term.name, 0), []).append(())
            return
        if isinstance(term, Compound):
            self.clauses.append(BackgroundClause(term, (), span))
            return
        raise InputError.of("E0142", "a fact, a clause or a directive was expected", span=span)

    def take_in_model(self, term: Term, span: Span) -> bool:
        """Whether the term belongs to a model, or begins or ends one; then it is taken in.

        Raises E0142 where models are nested, end before they begin, or hold no ground fact.
        """
        begun, ended = model_of(term, "begin"), model_of(term, "end")
        if (begun is not None and self.model is not None) or (
            ended is not None and ended != self.model
        ):
            open_one = "no model" if self.model is None else f"the model {term_text(self.model)}"
            message = f"`{term_text(term)}` stands where {open_one} is open"
            raise InputError.of("E0142", message, span=span, help="models follow one another")
        if begun is not None or ended is not None:
            self.model = begun
            return True
        if self.model is None:
            return False
        self.in_models.append(model_atom(self.model, term, span))
        return True

    def place_models(self, target: str = "") -> None:
        """Take in what models say, each predicate with the model as an argument more.

        What a model says of the target is an example, and what it denies of others is left out;
        without a target all that is denied is one. Facts outside of models hold in each, but for
        those of `fold(name, [model, ...])`.
        """
        if not self.in_models:
            return
        fold_of = folds_of_models(self.facts.pop(("fold", 2), ()))
        told = told_in_models(self.in_models, self.clauses, self.modes)
        self.clauses = [clause_of_models(clause, told) for clause in self.clauses]
        self.modes = [mode_of_models(mode, told) for mode in self.modes]
        models = dict.fromkeys(one.model for one in self.in_models)
        for name, arity in told & self.facts.keys():
            rows = self.facts.pop((name, arity))
            placed = [(model, *row) for model in models for row in rows]
            self.facts.setdefault((name, arity + 1), []).extend(placed)
        for one in self.in_models:
            name, arity = key_of(one.atom)
            if name == target or not (one.stated or target):
                self.examples.append((one.placed, one.stated, fold_of.get(one.model), one.span))
            elif one.stated:
                self.facts.setdefault((name, arity + 1), []).append(one.placed.arguments)

    def texts(self) -> dict[tuple[str, int], Tuples]:
        """The facts by predicate and arity, each once."""
        return {
            key: tuple(dict.fromkeys(tuple(map(term_text, row)) for row in rows))
            for key, rows in self.facts.items()
        }

    def _target(self) -> str:
        """What rules are of: the head's mode, the first example or determination says it."""
        heads = (candidate.predicate for candidate in self.modes if candidate.head)
        named = (term.functor for term, *_ in self.examples if isinstance(term, Compound))
        return next(chain(heads, named, self.determinations), "")

    def problem(self, flatten: bool) -> IlpProblem:
        """The problem of what was gathered, checked; what is wrong is raised, all of it."""
        target = self._target()
        self.place_models(target)
        positives: dict[tuple[str, ...], None] = {}
        negatives: dict[tuple[str, ...], None] = {}
        both: dict[tuple[str, ...], Span] = {}
        folds: dict[tuple[tuple[str, ...], bool], int] = {}
        for term, label, fold, span in self.examples:
            if not isinstance(term, Compound) or term.functor != target or not is_ground(term):
                message = f"an example of `{target}` was expected, not `{term_text(term)}`"
                hint = "examples are ground atoms of the one target predicate"
                self.faults.append(Diagnostic("E0606", message, span, help=hint))
                continue
            arguments = tuple(term_text(argument) for argument in term.arguments)
            (positives if label else negatives)[arguments] = None
            if arguments in (negatives if label else positives):
                both.setdefault(arguments, span)
            if fold is not None:
                folds[arguments, label] = fold
        for arguments, span in islice(both.items(), _MOST_TOLD):
            message = f"`{target}({','.join(arguments)})` is a positive and a negative example"
            self.faults.append(Diagnostic("E0606", message, span))
        self.raise_faults()
        facts = flatten_terms(self.facts) if flatten else self.texts()
        body = self.determinations.get(target) or list(
            dict.fromkeys(m.predicate for m in self.modes if not m.head)
        )
        self.warnings += _bias_not_used(self.clauses, {*body, target})
        return check_problem(
            IlpProblem(
                target,
                tuple(self.modes),
                tuple(body),
                self.settings,
                facts,
                tuple(self.clauses),
                tuple(positives),
                tuple(negatives),
                folds,
                tuple(self.warnings),
            )
        )


_MOST_TOLD = 20
"""Contradicting examples that are named, the first of them."""

_BIAS = {("prune", 1), ("refine", 2), ("cost", 3), ("false", 0), ("aleph_false", 0)}
"""Predicates by which Aleph's users steer its search."""


def _bias_not_used(
    clauses: Sequence[BackgroundClause], of_rules: Collection[str]
) -> Iterator[Diagnostic]:
    """A warning for each that has clauses and that no rule may mention."""
    told: set[tuple[str, int]] = set()
    for clause in clauses:
        head = clause.head
        key = (head.functor, len(head.arguments)) if isinstance(head, Compound) else (head.name, 0)
        if key in _BIAS and key[0] not in of_rules and key not in told:
            told.add(key)
            yield Diagnostic.warning(
                "E0142",
                f"the clauses of {key[0]}/{key[1]} would steer the search, and are not used",
                clause.span,
            )


def conjuncts(term: Term) -> tuple[Term, ...]:
    """The terms that commas join."""
    parts: list[Term] = []
    pending = [term]
    while pending:
        term = pending.pop()
        if isinstance(term, Compound) and term.functor == ",":
            pending += reversed(term.arguments)
        else:
            parts.append(term)
    return tuple(parts)


def not_used(term: Term, span: Span) -> Diagnostic:
    """What is said of a directive that has no effect."""
    return Diagnostic.warning("E0142", f"the directive `{term_text(term)}` is not used", span)


def whole_number(term: Term, span: Span) -> int:
    """The number that a term is; E0142 for another."""
    text = term_text(term)
    if not text.isdecimal():
        raise InputError.of("E0142", f"a whole number was expected here, not `{text}`", span=span)
    return int(text)
