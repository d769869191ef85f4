"""Aleph's files: `.b`, `.f` and `.n`, or one file with sections."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from workbench.errors import Diagnostic, InputError, Span
from workbench.language.ilp.gathered import IlpFiles, not_used, whole_number
from workbench.language.ilp.problem import IlpProblem, Mode, ModeArgument, _mark, type_name
from workbench.language.ilp.terms import Compound, Symbol, Term, term_text

_SECTIONS = {
    "begin_bg": "b",
    "begin_in_pos": "f",
    "begin_in_neg": "n",
    "end_bg": "b",
    "end_in_pos": "b",
    "end_in_neg": "b",
}
_IGNORED = {"style_check", "use_module", "aleph", "dynamic", "table", "discontiguous"}
_CONSULTING = {"consult", "ensure_loaded", "include", "."}


def read_aleph(paths: Iterable[str | os.PathLike[str]], *, flatten: bool = False) -> IlpProblem:
    """Aleph's files: `.b` background, modes, settings; `.f`, `.n` examples; or one of all.

    Facts `example(atom, class, fold)`, as some releases ship them, are read as examples too, and
    the files that `:- [file].` or `:- consult(file).` name, beside the one that names them.
    What stands between `begin(model(m))` and `end(model(m))` is said of m alone: every predicate of
    models gets m as its first argument, as in SLIPCOVER, and `neg(...)` is a negative example;
    `fold(name, [m, ...])` puts the examples of these models into a fold.
    Compound terms become opaque symbols; with `flatten`, facts of their functors besides
    (`flatten_terms`).

    Raises E0140 to E0142 for text that cannot be read, E0601 to E0605 for a problem that cannot be
    searched.
    """
    found = IlpFiles()
    for path in map(Path, paths):
        if path.resolve() not in found.consulted:
            read_aleph_file(found, path)
    return found.problem(flatten)


def read_aleph_file(found: IlpFiles, path: Path) -> None:
    """Gather what one file says."""
    section = {".f": "f", ".n": "n"}.get(path.suffix, "b")
    span: Span | None = None
    for term, span in found.terms(path):
        try:
            section = _take_aleph(found, term, span, section, path)
        except InputError as error:
            found.faults += error.diagnostics
    if found.model is not None:
        message = f"the model {term_text(found.model)} has no end in {path.name}"
        found.faults.append(Diagnostic("E0142", message, span, help="end it by end(model(...))"))
        found.model = None


def _take_aleph(found: IlpFiles, term: Term, span: Span, section: str, path: Path) -> str:
    if isinstance(term, Compound) and term.functor == ":-" and len(term.arguments) == 1:
        (directive,) = term.arguments
        if isinstance(directive, Compound) and directive.functor in _CONSULTING:
            _consult(found, directive, span, path)
            return section
        return _take_directive(found, directive, span, section)
    if isinstance(term, Compound) and term.functor in (
        "modeh",
        "modeb",
        "mode",
        "determination",
        "set",
    ):
        return _take_directive(found, term, span, section)
    if found.take_in_model(term, span):
        return section
    if isinstance(term, Compound) and term.functor == "example" and len(term.arguments) in (2, 3):
        label = term_text(term.arguments[1]).lower() in ("1", "+1", "pos", "true")
        fold = whole_number(term.arguments[2], span) if len(term.arguments) == 3 else None
        found.examples.append((term.arguments[0], label, fold, span))
    elif section in "fn":
        found.examples.append((term, section == "f", None, span))
    else:
        found.take_background(term, span)
    return section


def _consult(found: IlpFiles, directive: Compound, span: Span, path: Path) -> None:
    """Read the files that a directive names; libraries of a Prolog system are none."""
    names = _items(directive) if directive.functor == "." else list(directive.arguments[:1])
    for name in names:
        if isinstance(name, Compound):  # library(lists)
            continue
        beside = path.parent / term_text(name)
        candidates = [beside, *(beside.with_name(beside.name + ending) for ending in (".pl", ".b"))]
        file = next((candidate for candidate in candidates if candidate.is_file()), None)
        if file is None:
            message = (
                f"there is no file {beside.name}, nor {beside.name}.pl or {beside.name}.b, "
                f"beside {path.name}"
            )
            found.faults.append(
                Diagnostic("E0141", message, span, help="put the file there, or drop the directive")
            )
        elif file.resolve() not in found.consulted:
            read_aleph_file(found, file)


def _items(term: Term) -> list[Term]:
    """The items of a Prolog list."""
    items: list[Term] = []
    while isinstance(term, Compound) and term.functor == ".":
        items.append(term.arguments[0])
        term = term.arguments[1]
    return items


def _take_directive(found: IlpFiles, term: Term, span: Span, section: str) -> str:
    if isinstance(term, Symbol):
        if term.name not in _SECTIONS and term.name not in _IGNORED:
            found.warnings.append(not_used(term, span))
        return _SECTIONS.get(term.name, section)
    if not isinstance(term, Compound):
        raise InputError.of("E0142", f"`{term_text(term)}` is no directive", span=span)
    name, arguments = term.functor, term.arguments
    if name in ("modeh", "modeb", "mode"):
        found.modes += read_modes(term, span)
    elif name == "determination" and len(arguments) == 2:
        head, body = (
            term_text(a.arguments[0]) if isinstance(a, Compound) else term_text(a)
            for a in arguments
        )
        found.determinations.setdefault(head, []).append(body)
    elif name in ("set", "aleph_set") and len(arguments) == 2:
        found.settings[term_text(arguments[0])] = term_text(arguments[1])
    elif name not in _IGNORED:
        found.warnings.append(not_used(term, span))
    return section


def read_modes(term: Term, span: Span | None = None) -> tuple[Mode, ...]:
    """The modes of a term such as `modeb(*, polar(+b,-c))`.

    A place `-#type`, as SLIPCOVER writes it, is a constant or an output variable, so it makes two
    modes.

    Raises E0602 for a place without a mark.
    """
    if not isinstance(term, Compound) or not term.arguments:
        raise InputError.of("E0602", f"`{term_text(term)}` is no mode", span=span)
    head, arguments = term.functor == "modeh", term.arguments
    recall: int | None = None
    if len(arguments) == 2:
        text = term_text(arguments[0])
        recall = int(text) if text.isdigit() else None
    atom = arguments[-1]
    if isinstance(atom, Symbol):
        return (Mode(atom.name, (), recall, head, span),)
    if not isinstance(atom, Compound):
        raise InputError.of("E0602", f"`{term_text(term)}` is no mode", span=span)
    places = [_mode_places(place, span) for place in atom.arguments]
    return tuple(Mode(atom.functor, chosen, recall, head, span) for chosen in product(*places))


def _mode_places(place: Term, span: Span | None) -> list[ModeArgument]:
    if not isinstance(place, Compound) or place.functor not in _MARKS or len(place.arguments) != 1:
        raise InputError.of(
            "E0602",
            f"the place `{term_text(place)}` of a mode has no mark",
            span=span,
            help="each place is +type, -type, #type or -#type; structured places are not "
            "supported: flatten the terms",
        )
    name = type_name(term_text(place.arguments[0]))
    return [ModeArgument(_mark(mark), name) for mark in _MARKS[place.functor]]


_MARKS = {"+": "+", "-": "-", "#": "#", "-#": "#-"}
