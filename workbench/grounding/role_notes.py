"""Notes about predicates whose role may be another than was meant."""

from __future__ import annotations

from workbench.errors import Diagnostic
from workbench.language.declarations import Predicate


def without_mark(predicate: Predicate) -> Diagnostic:
    return Diagnostic.note(
        "E0319",
        f"{predicate.name} has facts and no `*`: it is taken for evidence, and atoms that no fact "
        "lists are false; Tuffy holds such a predicate open",
        predicate.span,
        f"--hidden {predicate.name} holds it open too; a `*` before its declaration says that it "
        "is evidence",
    )


def without_question(predicate: Predicate) -> Diagnostic:
    name = predicate.name
    return Diagnostic.note(
        "E0303",
        f"{name} has no facts and is not asked about, so its atoms are open and hidden",
        predicate.span,
        help=f"name it with --closed {name} if no fact means that it is false",
    )


def without_atoms(predicate: Predicate, *, is_open: bool) -> Diagnostic:
    if is_open:
        message = f"{predicate.name} is open, and no target of it is listed"
        help_text = "list the atoms to predict"
    else:
        message = (
            f"{predicate.name} has neither observations nor targets, so its atoms count as false"
        )
        help_text = "is it spelt as in the data? if it is meant to be empty, declare it closed"
    return Diagnostic.warning("E0309", message, predicate.span, help_text)


def without_rules(predicate: Predicate) -> Diagnostic:
    return Diagnostic.warning(
        "E0314",
        f"{predicate.name} has targets, and no rule names it: they keep the values listed with "
        "them, else 0.5",
        predicate.span,
        "is it spelt in the rules as in the data? name the predicates to predict with --query to "
        "leave it out",
    )
