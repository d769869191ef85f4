"""Readers of ILP systems' files: Aleph (`.b .f .n`, or one file) and Popper (`bk.pl exs.pl bias.pl`)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
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
)
from workbench.language.ilp_prolog import Compound, Symbol, Term, read_terms, term_text

__all__ = ["ilp_files", "read_aleph", "read_ilp", "read_mode", "read_popper"]

_SECTIONS = {
    "begin_bg": "b",
    "begin_in_pos": "f",
    "begin_in_neg": "n",
    "end_bg": "b",
    "end_in_pos": "b",
    "end_in_neg": "b",
}
_IGNORED = {"style_check", "use_module", "aleph", "dynamic", "table", "discontiguous", "consult", "ensure_loaded", "."}


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
    """
    files: list[Path] = []
    given = [Path(path) for path in paths]
    for path in given:
        if len(given) == 1 and path.suffix in ("", ".b") and path.with_suffix(".f").is_file():
            files += [file for file in map(path.with_suffix, (".b", ".f", ".n")) if file.is_file()]
        elif not path.is_dir():
            files.append(path)
        elif (path / "bias.pl").exists():
            files += [path / name for name in ("bk.pl", "exs.pl", "bias.pl")]
        else:
            files += sorted(file for file in path.iterdir() if file.suffix in (".b", ".f", ".n", ".pl"))
    return files


@dataclass
class _Collected:
    facts: dict[tuple[str, int], list[tuple[Term, ...]]] = field(default_factory=dict)
    clauses: list[BackgroundClause] = field(default_factory=list)
    modes: list[Mode] = field(default_factory=list)
    determinations: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    examples: list[tuple[Term, bool, int | None, Span]] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)


def read_aleph(paths: Iterable[str | os.PathLike[str]], *, flatten: bool = False) -> IlpProblem:
    """Aleph's files: `.b` background, modes, settings; `.f` positives; `.n` negatives; or one file with sections.

    Facts `example(atom, class, fold)`, as some releases ship them, are read as examples too. Compound terms become
    opaque symbols; with `flatten`, facts of their functors besides (`flatten_terms`).

    Raises
    ------
    InputError
        `E0140` to `E0142` for text that cannot be read, `E0601` to `E0605` for a problem that cannot be searched.
    """
    found = _Collected()
    for path in map(Path, paths):
        section = {".f": "f", ".n": "n"}.get(path.suffix, "b")
        for term, span in read_terms(_text(path), path.name):
            section = _take_aleph(found, term, span, section)
    return _problem(found, flatten)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise InputError.of("E0141", f"there is no file {path}", help="give a file, a stem or a directory") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of("E0141", f"{path.name} cannot be read: {error}") from error


def _take_aleph(found: _Collected, term: Term, span: Span, section: str) -> str:
    if isinstance(term, Compound) and term.functor == ":-" and len(term.arguments) == 1:
        return _take_directive(found, term.arguments[0], span, section)
    if isinstance(term, Compound) and term.functor in ("modeh", "modeb", "mode", "determination", "set"):
        return _take_directive(found, term, span, section)
    if isinstance(term, Compound) and term.functor == "example" and len(term.arguments) in (2, 3):
        label = term_text(term.arguments[1]).lower() in ("1", "+1", "pos", "true")
        fold = int(term_text(term.arguments[2])) if len(term.arguments) == 3 else None
        found.examples.append((term.arguments[0], label, fold, span))
    elif section in "fn":
        found.examples.append((term, section == "f", None, span))
    else:
        _take_background(found, term, span)
    return section


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
    if isinstance(term, Compound) and term.functor == "," and len(term.arguments) == 2:
        return _conjuncts(term.arguments[0]) + _conjuncts(term.arguments[1])
    return (term,)


def _take_directive(found: _Collected, term: Term, span: Span, section: str) -> str:
    if isinstance(term, Symbol):
        if term.name not in _SECTIONS and term.name not in _IGNORED:
            found.warnings.append(_ignored(term, span))
        return _SECTIONS.get(term.name, section)
    assert isinstance(term, Compound)
    name, arguments = term.functor, term.arguments
    if name in ("modeh", "modeb", "mode"):
        found.modes.append(read_mode(term, span))
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


def read_mode(term: Term, span: Span | None = None) -> Mode:
    """The mode of a term such as `modeb(*, polar(+b,-c))`.

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
        return Mode(atom.name, (), recall, head, span)
    places: list[ModeArgument] = []
    for place in atom.arguments if isinstance(atom, Compound) else ():
        if not isinstance(place, Compound) or place.functor not in "+-#" or len(place.arguments) != 1:
            raise InputError.of(
                "E0602",
                f"the place `{term_text(place)}` of a mode has no mark",
                span=span,
                help="each place is +type, -type or #type; structured places are not supported: flatten the terms",
            )
        places.append(ModeArgument(_mark(place.functor), term_text(place.arguments[0])))
    assert isinstance(atom, Compound)
    return Mode(atom.functor, tuple(places), recall, head, span)


def _problem(found: _Collected, flatten: bool) -> IlpProblem:
    heads = [candidate for candidate in found.modes if candidate.head]
    named = [term.functor for term, *_ in found.examples if isinstance(term, Compound)]
    target = heads[0].predicate if heads else named[0] if named else next(iter(found.determinations), "")
    positives: dict[tuple[str, ...], None] = {}
    negatives: dict[tuple[str, ...], None] = {}
    folds: dict[tuple[tuple[str, ...], bool], int] = {}
    for term, label, fold, span in found.examples:
        if not isinstance(term, Compound) or term.functor != target or not is_ground(term):
            raise InputError.of(
                "E0606", f"an example of `{target}` was expected, not `{term_text(term)}`", span=span,
                help="examples are ground atoms of the one target predicate",
            )  # fmt: skip
        arguments = tuple(term_text(argument) for argument in term.arguments)
        (positives if label else negatives)[arguments] = None
        if fold is not None:
            folds[arguments, label] = fold
    for arguments in positives.keys() & negatives.keys():
        raise InputError.of("E0606", f"`{target}({','.join(arguments)})` is a positive and a negative example")
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
    types: dict[str, tuple[str, ...]] = {}
    directions: dict[str, tuple[str, ...]] = {}
    heads: list[str] = []
    bodies: list[str] = []
    for path in map(Path, paths):
        for term, span in read_terms(_text(path), path.name):
            if path.name.startswith("exs") and isinstance(term, Compound) and term.functor in ("pos", "neg"):
                found.examples.append((term.arguments[0], term.functor == "pos", None, span))
            elif not path.name.endswith("bias.pl"):
                if not (isinstance(term, Compound) and term.functor == ":-" and len(term.arguments) == 1):
                    _take_background(found, term, span)
            elif isinstance(term, Compound) and term.functor in ("head_pred", "body_pred"):
                (heads if term.functor == "head_pred" else bodies).append(term_text(term.arguments[0]))
            elif isinstance(term, Compound) and term.functor in ("type", "direction"):
                row = tuple(term_text(part) for part in _conjuncts_of_tuple(term.arguments[1]))
                (types if term.functor == "type" else directions)[term_text(term.arguments[0])] = row
            elif isinstance(term, Compound) and term.functor == "max_body":
                found.settings["clauselength"] = str(int(term_text(term.arguments[0])) + 1)
            elif isinstance(term, Compound) and term.functor in ("max_vars", "max_clauses"):
                found.settings[term.functor] = term_text(term.arguments[0])
            else:
                found.warnings.append(_ignored(term, span))
    if len(heads) != 1:
        raise InputError.of("E0601", f"the bias declares {len(heads)} head predicates; one is learned at a time")
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


def _conjuncts_of_tuple(term: Term) -> tuple[Term, ...]:
    if isinstance(term, Compound) and term.functor == ",":
        first = _conjuncts_of_tuple(term.arguments[0])
        return first + (_conjuncts_of_tuple(term.arguments[1]) if len(term.arguments) == 2 else ())
    return (term,)
