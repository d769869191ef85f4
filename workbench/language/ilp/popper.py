"""Popper's files: `bk.pl`, `exs.pl` and `bias.pl`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import Diagnostic, InputError, Span
from workbench.language.ilp.gathered import IlpFiles, conjuncts, not_used, whole_number
from workbench.language.ilp.problem import IlpProblem, Mode, ModeArgument, infer_modes, type_name
from workbench.language.ilp.terms import Compound, Term, term_text


def read_popper(paths: Iterable[str | os.PathLike[str]], *, flatten: bool) -> IlpProblem:
    """Popper's three files: `bk.pl` background, `exs.pl` with `pos(..)` and `neg(..)`, `bias.pl`.

    Types and directions become modes (`in` is `+`, `out` is `-`); without directions the modes are
    inferred from the types. `max_body` gives Aleph's `clauselength` (one more, for the head).
    Further constraints on clauses, written as answer-set rules, are not used; each is named in a
    warning.
    """
    found = IlpFiles()
    bias = _Bias()
    for path in map(Path, paths):
        for term, span in found.terms(path):
            try:
                _take_popper(found, bias, term, span, path)
            except InputError as error:
                found.faults += error.diagnostics
    heads, bodies, types, directions = bias.heads, bias.bodies, bias.types, bias.directions
    if len(heads) != 1:
        message = f"the bias declares {len(heads)} head predicates; one is learned at a time"
        found.faults.append(Diagnostic("E0601", message))
    found.raise_faults()
    for predicate in [*heads, *bodies]:
        types.setdefault(predicate, ())
    if directions:
        for predicate in [*heads, *bodies]:
            marks = directions.get(predicate, ("in",) * len(types[predicate]))
            places = zip(marks, types[predicate])
            found.modes.append(
                Mode(
                    predicate,
                    tuple(
                        ModeArgument("+" if mark == "in" else "-", name) for mark, name in places
                    ),
                    None,
                    predicate in heads,
                )
            )
    else:
        found.modes += infer_modes(heads[0], {name: types[name] for name in [*heads, *bodies]})
    return found.problem(flatten)


@dataclass
class _Bias:
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    directions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    heads: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)


def _take_popper(found: IlpFiles, bias: _Bias, term: Term, span: Span, path: Path) -> None:
    if not path.name.endswith("bias.pl"):
        if (
            path.name.startswith("exs")
            and isinstance(term, Compound)
            and term.functor in ("pos", "neg")
        ):
            found.examples += [
                (example, term.functor == "pos", None, span) for example in term.arguments
            ]
        elif not (isinstance(term, Compound) and term.functor == ":-" and len(term.arguments) == 1):
            found.take_background(term, span)
        return
    match term:
        case Compound("head_pred", (name, *_)):
            bias.heads.append(term_text(name))
        case Compound("body_pred", (name, *_)):
            bias.bodies.append(term_text(name))
        case Compound("type", (name, row)):
            bias.types[term_text(name)] = tuple(
                type_name(term_text(part)) for part in conjuncts(row)
            )
        case Compound("direction", (name, row)):
            bias.directions[term_text(name)] = tuple(map(term_text, conjuncts(row)))
        case Compound("max_body", (number,)):
            found.settings["clauselength"] = str(whole_number(number, span) + 1)
        case Compound("max_vars" | "max_clauses", (number,)):
            found.settings[term.functor] = term_text(number)
        case _:
            found.warnings.append(not_used(term, span))
