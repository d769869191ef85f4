"""Files of ILP systems: Aleph (`.b .f .n`, or one file) and Popper (`bk.pl exs.pl bias.pl`)."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.errors import InputError
from workbench.language.ilp.aleph import read_aleph, read_aleph_file
from workbench.language.ilp.gathered import IlpFiles
from workbench.language.ilp.popper import read_popper
from workbench.language.ilp.problem import IlpProblem, Tuples, is_ground
from workbench.language.ilp.terms import Compound

ILP_SUFFIXES = (".b", ".f", ".n", ".pl")


def read_ilp(*paths: str | os.PathLike[str], flatten: bool = False) -> IlpProblem:
    """A problem from ILP files, known by name: a directory or any of its files will do.

    Popper's files are `bk.pl`, `exs.pl` and `bias.pl`; anything else is read as Aleph's.
    """
    files = ilp_files(*paths)
    if {"bias.pl", "exs.pl"} <= {file.name for file in files}:
        return read_popper(files, flatten=flatten)
    return read_aleph(files, flatten=flatten)


def ilp_files(*paths: str | os.PathLike[str]) -> list[Path]:
    """The files that `read_ilp` reads: those given, and of a directory those of an ILP system.

    One `.b` file alone, or its stem, brings the `.f` and `.n` beside it, as Aleph's `read_all`
    does.

    Raises E0141 for a directory without such files.
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
                    help="they end in .b, .f, .n or .pl; rules to be learned without modes start "
                    "from one .mln file",
                )
            files += found
    return files


def read_facts(
    path: str | os.PathLike[str],
) -> tuple[dict[tuple[str, int], Tuples], dict[bool, list[Compound]]]:
    """What one file says of the world: ground facts by predicate, examples by label.

    Modes, settings and background clauses are passed over: a program that was learned has them as
    definitions.

    Raises E0140 to E0143 for text that cannot be read.
    """
    found = IlpFiles()
    file = Path(path)
    read_aleph_file(found, file)
    found.raise_faults()
    found.place_models()
    examples: dict[bool, list[Compound]] = {True: [], False: []}
    for term, label, _, _ in found.examples:
        if isinstance(term, Compound) and is_ground(term):
            examples[label].append(term)
    for sign, label in (("pos", True), ("neg", False)):  # Popper's exs.pl
        for row in found.facts.get((sign, 1), []):
            examples[label] += [term for term in row if isinstance(term, Compound)]
    return found.texts(), examples
