"""Readers of ILP systems' files: Aleph (`.b .f .n`, or one file) and Popper (`bk.pl exs.pl bias.pl`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from workbench.errors import Diagnostic, InputError, Span
from workbench.language.ilp import (
    BackgroundClause,
    IlpProblem,
    Mode,
    ModeArgument,
    Tuples,
    _mark,
    check_problem,
    flatten_terms,
    infer_modes,
    is_ground,
    type_name,
)
from workbench.language.ilp_prolog import Compound, Symbol, Term, read_terms, term_text

__all__ = ["ILP_SUFFIXES", "ilp_files", "read_aleph", "read_facts", "read_ilp", "read_modes", "read_popper"]

ILP_SUFFIXES = (".b", ".f", ".n", ".pl")

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


def read_ilp(*paths: str | os.PathLike[str], flatten: bool = False) -> IlpProblem:
    """A problem from ILP files, their system recognised by name: a directory or any of its files will do.

    Popper's files are `bk.pl`, `exs.pl` and `bias.pl`; anything else is read as Aleph's.
    """
    files = ilp_files(*paths)
    if {"bias.pl", "exs.pl"} <= {file.name for file in files}:
        return read_popper(files, flatten=flatten)
    return read_aleph(files, flatten=flatten)


def ilp_files(*paths: str | os.PathLike[str]) -> list[Path]:
    """The files that `read_ilp` reads: those given, and of a directory those of an ILP system.

    One `.b` file alone, or its stem, brings the `.f` and `.n` beside it, as Aleph's `read_all` does.

    Raises
    ------
    InputError
        `E0141` for a directory without such files.
    """
    files: list[Path] = []
    given = [Path(path) for path in paths]
    for path in given:
        alone = len(given) == 1 and path.name and not path.is_dir()
        if alone and path.suffix in ("", ".b") and path.with_suffix(".f").is_file():
            files += [file for file in map(path.with_suffix, (".b", ".f", ".n")) if file.is_file()]
        elif not path.is_dir():
            files.append(path)
        elif (path / "bias.pl").exists():
            files += [path / name for name in ("bk.pl", "exs.pl", "bias.pl")]
        else:
            found = sorted(file for file in path.iterdir() if file.suffix in ILP_SUFFIXES)
            if not found:
                raise InputError.of(
                    "E0141",
                    f"the directory {path} has no file of an ILP system",
                    help="they end in .b, .f, .n or .pl; rules to be learned without modes start from one .mln file",
                )
            files += found
    return files


def read_facts(path: str | os.PathLike[str]) -> tuple[dict[tuple[str, int], Tuples], dict[bool, list[Compound]]]:
    """What one file says of the world: its ground facts by predicate and arity, and its examples by label.

    Modes, settings and background clauses are passed over: a program that was learned has them as definitions.

    Raises
    ------
    InputError
        `E0140` to `E0143` for text that cannot be read.
    """
    found = _Collected()
    file = Path(path)
    _read_aleph_file(found, file)
    found.raise_faults()
    facts = {key: tuple(dict.fromkeys(tuple(map(term_text, row)) for row in rows)) for key, rows in found.facts.items()}
    examples: dict[bool, list[Compound]] = {True: [], False: []}
    for term, label, _, _ in found.examples:
        if isinstance(term, Compound) and is_ground(term):
            examples[label].append(term)
    for sign, label in (("pos", True), ("neg", False)):  # Popper's exs.pl
        for row in found.facts.get((sign, 1), []):
            examples[label] += [term for term in row if isinstance(term, Compound)]
    return facts, examples


@dataclass
class _Collected:
    facts: dict[tuple[str, int], list[tuple[Term, ...]]] = field(default_factory=dict)
    clauses: list[BackgroundClause] = field(default_factory=list)
    modes: list[Mode] = field(default_factory=list)
    determinations: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    examples: list[tuple[Term, bool, int | None, Span]] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    faults: list[Diagnostic] = field(default_factory=list)
    consulted: set[Path] = field(default_factory=set)

    def terms(self, path: Path) -> Iterator[tuple[Term, Span]]:
        """The clauses of a file; what cannot be read is kept among the faults."""
        self.consulted.add(path.resolve())
        try:
            yield from read_terms(_text(path), path.name)
        except InputError as error:
            self.faults += error.diagnostics

    def raise_faults(self) -> None:
        """Raise what was found wrong, all of it."""
        if self.faults:
            raise InputError(self.faults)


def read_aleph(paths: Iterable[str | os.PathLike[str]], *, flatten: bool = False) -> IlpProblem:
    """Aleph's files: `.b` background, modes, settings; `.f` positives; `.n` negatives; or one file with sections.

    Facts `example(atom, class, fold)`, as some releases ship them, are read as examples too, and the files that
    `:- [file].` or `:- consult(file).` name, beside the one that names them. Compound terms become
    opaque symbols; with `flatten`, facts of their functors besides (`flatten_terms`).

    Raises
    ------
    InputError
        `E0140` to `E0142` for text that cannot be read, `E0601` to `E0605` for a problem that cannot be searched.
    """
    found = _Collected()
    for path in map(Path, paths):
        if path.resolve() not in found.consulted:
            _read_aleph_file(found, path)
    return _problem(found, flatten)


def _read_aleph_file(found: _Collected, path: Path) -> None:
    section = {".f": "f", ".n": "n"}.get(path.suffix, "b")
    for term, span in found.terms(path):
        try:
            section = _take_aleph(found, term, span, section, path)
        except InputError as error:
            found.faults += error.diagnostics


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise InputError.of("E0141", f"there is no file {path}", help="give a file, a stem or a directory") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of("E0141", f"{path.name} cannot be read: {error}") from error


def _take_aleph(found: _Collected, term: Term, span: Span, section: str, path: Path) -> str:
    if isinstance(term, Compound) and term.functor == ":-" and len(term.arguments) == 1:
        (directive,) = term.arguments
        if isinstance(directive, Compound) and directive.functor in _CONSULTING:
            _consult(found, directive, span, path)
            return section
        return _take_directive(found, directive, span, section)
    if isinstance(term, Compound) and term.functor in ("modeh", "modeb", "mode", "determination", "set"):
        return _take_directive(found, term, span, section)
    if isinstance(term, Compound) and term.functor == "example" and len(term.arguments) in (2, 3):
        label = term_text(term.arguments[1]).lower() in ("1", "+1", "pos", "true")
        fold = _whole(term.arguments[2], span) if len(term.arguments) == 3 else None
        found.examples.append((term.arguments[0], label, fold, span))
    elif section in "fn":
        found.examples.append((term, section == "f", None, span))
    else:
        _take_background(found, term, span)
    return section


def _consult(found: _Collected, directive: Compound, span: Span, path: Path) -> None:
    """Read the files that a directive names; libraries of a Prolog system are none."""
    names = _items(directive) if directive.functor == "." else list(directive.arguments[:1])
    for name in names:
        if isinstance(name, Compound):  # library(lists)
            continue
        beside = path.parent / term_text(name)
        candidates = [beside, *(beside.with_name(beside.name + ending) for ending in (".pl", ".b"))]
        file = next((candidate for candidate in candidates if candidate.is_file()), None)
        if file is None:
            message = f"there is no file {beside.name}, nor {beside.name}.pl or {beside.name}.b, beside {path.name}"
            found.faults.append(Diagnostic("E0141", message, span, help="put the file there, or drop the directive"))
        elif file.resolve() not in found.consulted:
            _read_aleph_file(found, file)


def _items(term: Term) -> list[Term]:
    """The items of a Prolog list."""
    items: list[Term] = []
    while isinstance(term, Compound) and term.functor == ".":
        items.append(term.arguments[0])
        term = term.arguments[1]
    return items


def _take_background(found: _Collected, term: Term, span: Span) -> None:
    if isinstance(term, Compound) and term.functor == ":-":
        head, body = term.arguments
        if not isinstance(head, Compound | Symbol):
            raise InputError.of("E0142", "the head of a background clause is an atom", span=span)
        found.clauses.append(BackgroundClause(head, _conjuncts(body), span))
        return
    if isinstance(term, Compound) and is_ground(term):
        found.facts.setdefault((term.functor, len(term.arguments)), []).append(term.arguments)
        return
    if isinstance(term, Symbol):
        found.facts.setdefault((term.name, 0), []).append(())
        return
    if isinstance(term, Compound):
        found.clauses.append(BackgroundClause(term, (), span))
        return
    raise InputError.of("E0142", "a fact, a clause or a directive was expected", span=span)


def _conjuncts(term: Term) -> tuple[Term, ...]:
    parts: list[Term] = []
    pending = [term]
    while pending:
        term = pending.pop()
        if isinstance(term, Compound) and term.functor == ",":
            pending += reversed(term.arguments)
        else:
            parts.append(term)
    return tuple(parts)


def _take_directive(found: _Collected, term: Term, span: Span, section: str) -> str:
    if isinstance(term, Symbol):
        if term.name not in _SECTIONS and term.name not in _IGNORED:
            found.warnings.append(_ignored(term, span))
        return _SECTIONS.get(term.name, section)
    if not isinstance(term, Compound):
        raise InputError.of("E0142", f"`{term_text(term)}` is no directive", span=span)
    name, arguments = term.functor, term.arguments
    if name in ("modeh", "modeb", "mode"):
        found.modes += read_modes(term, span)
    elif name == "determination" and len(arguments) == 2:
        head, body = (term_text(a.arguments[0]) if isinstance(a, Compound) else term_text(a) for a in arguments)
        found.determinations.setdefault(head, []).append(body)
    elif name in ("set", "aleph_set") and len(arguments) == 2:
        found.settings[term_text(arguments[0])] = term_text(arguments[1])
    elif name not in _IGNORED:
        found.warnings.append(_ignored(term, span))
    return section


def _ignored(term: Term, span: Span) -> Diagnostic:
    return Diagnostic("E0142", f"the directive `{term_text(term)}` is not used", span, severity="warning")


def read_modes(term: Term, span: Span | None = None) -> tuple[Mode, ...]:
    """The modes of a term such as `modeb(*, polar(+b,-c))`.

    A place `-#type`, as SLIPCOVER writes it, is a constant or an output variable, so it makes two modes.

    Raises
    ------
    InputError
        `E0602` for a place without a mark.
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
            help="each place is +type, -type, #type or -#type; structured places are not supported: flatten the terms",
        )
    name = type_name(term_text(place.arguments[0]))
    return [ModeArgument(_mark(mark), name) for mark in _MARKS[place.functor]]


_MARKS = {"+": "+", "-": "-", "#": "#", "-#": "#-"}


def _problem(found: _Collected, flatten: bool) -> IlpProblem:
    heads = [candidate for candidate in found.modes if candidate.head]
    named = [term.functor for term, *_ in found.examples if isinstance(term, Compound)]
    target = heads[0].predicate if heads else named[0] if named else next(iter(found.determinations), "")
    positives: dict[tuple[str, ...], None] = {}
    negatives: dict[tuple[str, ...], None] = {}
    folds: dict[tuple[tuple[str, ...], bool], int] = {}
    for term, label, fold, span in found.examples:
        if not isinstance(term, Compound) or term.functor != target or not is_ground(term):
            message = f"an example of `{target}` was expected, not `{term_text(term)}`"
            hint = "examples are ground atoms of the one target predicate"
            found.faults.append(Diagnostic("E0606", message, span, help=hint))
            continue
        arguments = tuple(term_text(argument) for argument in term.arguments)
        (positives if label else negatives)[arguments] = None
        if fold is not None:
            folds[arguments, label] = fold
    for arguments in sorted(positives.keys() & negatives.keys()):
        message = f"`{target}({','.join(arguments)})` is a positive and a negative example"
        found.faults.append(Diagnostic("E0606", message))
    found.raise_faults()
    facts: dict[tuple[str, int], Tuples] = (
        flatten_terms(found.facts)
        if flatten
        else {
            key: tuple(dict.fromkeys(tuple(map(term_text, row)) for row in rows)) for key, rows in found.facts.items()
        }
    )
    body = found.determinations.get(target) or list(dict.fromkeys(m.predicate for m in found.modes if not m.head))
    return check_problem(
        IlpProblem(
            target,
            tuple(found.modes),
            tuple(body),
            found.settings,
            facts,
            tuple(found.clauses),
            tuple(positives),
            tuple(negatives),
            folds,
            tuple(found.warnings),
        )
    )


def read_popper(paths: Iterable[str | os.PathLike[str]], *, flatten: bool = False) -> IlpProblem:
    """Popper's three files: `bk.pl` background, `exs.pl` with `pos(..)` and `neg(..)`, `bias.pl`.

    Types and directions become modes (`in` is `+`, `out` is `-`); without directions the modes are inferred from the
    types. `max_body` gives Aleph's `clauselength` (one more, for the head). Further constraints on clauses, written as
    answer-set rules, are not used; each is named in a warning.
    """
    found = _Collected()
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
                    tuple(ModeArgument("+" if mark == "in" else "-", name) for mark, name in places),
                    None,
                    predicate in heads,
                )
            )
    else:
        found.modes += infer_modes(heads[0], {name: types[name] for name in [*heads, *bodies]})
    return _problem(found, flatten)


@dataclass
class _Bias:
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    directions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    heads: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)


def _take_popper(found: _Collected, bias: _Bias, term: Term, span: Span, path: Path) -> None:
    if not path.name.endswith("bias.pl"):
        if path.name.startswith("exs") and isinstance(term, Compound) and term.functor in ("pos", "neg"):
            found.examples += [(example, term.functor == "pos", None, span) for example in term.arguments]
        elif not (isinstance(term, Compound) and term.functor == ":-" and len(term.arguments) == 1):
            _take_background(found, term, span)
        return
    match term:
        case Compound("head_pred", (name, *_)):
            bias.heads.append(term_text(name))
        case Compound("body_pred", (name, *_)):
            bias.bodies.append(term_text(name))
        case Compound("type", (name, row)):
            bias.types[term_text(name)] = tuple(type_name(term_text(part)) for part in _conjuncts(row))
        case Compound("direction", (name, row)):
            bias.directions[term_text(name)] = tuple(map(term_text, _conjuncts(row)))
        case Compound("max_body", (number,)):
            found.settings["clauselength"] = str(_whole(number, span) + 1)
        case Compound("max_vars" | "max_clauses", (number,)):
            found.settings[term.functor] = term_text(number)
        case _:
            found.warnings.append(_ignored(term, span))


def _whole(term: Term, span: Span) -> int:
    text = term_text(term)
    if not text.isdecimal():
        raise InputError.of("E0142", f"a whole number was expected here, not `{text}`", span=span)
    return int(text)
