"""Interpretations, as SLIPCOVER's files write them: what stands in a model is said of it alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.errors import InputError, Span
from workbench.language.ilp.problem import BackgroundClause, Mode, ModeArgument, is_ground
from workbench.language.ilp.terms import Compound, LogicVariable, Symbol, Term, term_text

Key = tuple[str, int]
MODEL_TYPE = "model"
_MODEL = LogicVariable("Model_")
_JOINS = {",", ";", "->", "\\+", "not"}


@dataclass(frozen=True, slots=True)
class ModelAtom:
    """An atom that a model states, or denies by `neg(...)`."""

    model: Term
    atom: Compound | Symbol
    stated: bool
    span: Span

    @property
    def placed(self) -> Compound:
        """The atom with its model as the first argument."""
        return _placed(self.atom, self.model)


def model_of(term: Term, mark: str) -> Term | None:
    """The model that `begin(model(m))`, or what else the mark is, names."""
    match term:
        case Compound(functor, (Compound("model", (model,)),)) if functor == mark:
            return model
    return None


def model_atom(model: Term, term: Term, span: Span) -> ModelAtom:
    """What a term within a model says. Raises E0142 where that is no ground fact."""
    atom, stated = term, True
    if isinstance(term, Compound) and term.functor == "neg" and len(term.arguments) == 1:
        atom, stated = term.arguments[0], False
    if isinstance(atom, LogicVariable) or not is_ground(atom) or key_of(atom) == (":-", 2):
        raise InputError.of(
            "E0142",
            f"a model holds ground facts, not `{term_text(term)}`",
            span=span,
            help="clauses stand outside of models, and hold in each",
        )
    return ModelAtom(model, atom, stated, span)


def key_of(atom: Compound | Symbol) -> Key:
    """A predicate's name and number of arguments."""
    return (atom.functor, len(atom.arguments)) if isinstance(atom, Compound) else (atom.name, 0)


def folds_of_models(rows: Iterable[tuple[Term, ...]]) -> dict[Term, int]:
    """The fold of each model: the number of the first `fold(name, list)` that lists it, from 1."""
    found: dict[Term, int] = {}
    for number, (_, models) in enumerate(rows, 1):
        while isinstance(models, Compound) and models.functor == ".":
            found.setdefault(models.arguments[0], number)
            models = models.arguments[1]
    return found


def told_in_models(
    atoms: Iterable[ModelAtom], clauses: Iterable[BackgroundClause], modes: Iterable[Mode]
) -> set[Key]:
    """The predicates that say another thing in each model, and those that clauses make of them.

    A head mode's predicate is one, whatever the models say of it.
    """
    told = {key_of(one.atom) for one in atoms}
    told |= {(mode.predicate, mode.arity) for mode in modes if mode.head}
    more = list(clauses)
    while reached := [
        clause for clause in more if any(_mentions(literal, told) for literal in clause.body)
    ]:
        told |= {key_of(clause.head) for clause in reached}
        more = [clause for clause in more if clause not in reached]
    return told


def clause_of_models(clause: BackgroundClause, told: set[Key]) -> BackgroundClause:
    """The clause about one model, whichever, where it mentions what is told in models."""
    if key_of(clause.head) not in told:
        return clause
    body = tuple(_literal_of_models(literal, told) for literal in clause.body)
    return replace(clause, head=_placed(clause.head, _MODEL), body=body)


def mode_of_models(mode: Mode, told: set[Key]) -> Mode:
    """The mode, entered by the model too where the predicate is told in models."""
    if (mode.predicate, mode.arity) not in told:
        return mode
    return replace(mode, arguments=(ModeArgument("+", MODEL_TYPE), *mode.arguments))


def _placed(atom: Compound | Symbol, model: Term) -> Compound:
    name, _ = key_of(atom)
    return Compound(name, (model, *(atom.arguments if isinstance(atom, Compound) else ())))


def _mentions(literal: Term, told: set[Key]) -> bool:
    if isinstance(literal, LogicVariable):
        return False
    if isinstance(literal, Compound) and literal.functor in _JOINS:
        return any(_mentions(part, told) for part in literal.arguments)
    return key_of(literal) in told


def _literal_of_models(literal: Term, told: set[Key]) -> Term:
    if isinstance(literal, LogicVariable):
        return literal
    if isinstance(literal, Compound) and literal.functor in _JOINS:
        parts = tuple(_literal_of_models(part, told) for part in literal.arguments)
        return Compound(literal.functor, parts)
    return _placed(literal, _MODEL) if key_of(literal) in told else literal
