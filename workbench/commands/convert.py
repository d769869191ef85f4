"""`convert`: between PSL's two forms, and from Markov logic to PSL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from workbench.commands.command import command, option
from workbench.commands.console import check_output, print_json, print_line, replacing
from workbench.commands.given import given_rules
from workbench.commands.options import Json, RulesFile
from workbench.errors import UsageError


@command(
    "Rules",
    "convert model.psl --data model.data --out model.json",
    "convert model.json --out folder",
    "convert rules.mln --out rules.psl",
    "convert model.uai --out model.wcnf",
)
def convert(
    source: RulesFile,
    data: Annotated[
        Path | None, option("--data -d", "The .data file beside a .psl program.")
    ] = None,
    learn_data: Annotated[
        Path | None, option("--learn-data", "The .data file for learning.")
    ] = None,
    out: Annotated[
        Path | None, option("--out -o", "The file, or the folder, to write; printed when absent.")
    ] = None,
    json: Json = False,
) -> None:
    """Rewrite a program in its other form.

    A .psl program with its .data becomes one .json document (PSL 2.4); a .json document becomes
    .psl and .data files (PSL 2.3); a .mln program becomes an equivalent .psl program with weights
    that are not negative. A graphical model (.uai) or weighted clauses (.wcnf) become the other, or
    an integer program (.lp, .mps).
    """
    from workbench.verbs.solve import is_model

    if is_model(source):
        _refuse_data(data or learn_data, "a model is converted by itself")
        _convert_model(source, out, json=json)
        return
    files = _converted(source, data, learn_data)
    written = [] if out is None else _write(files, out, [source, data, learn_data])
    if json:
        print_json({"files": files, "written": [str(path) for path in written]})
    elif out is not None:
        for path in written:
            print_line(str(path))
    else:
        for name, text in files.items():
            print_line(f"// {name}" if len(files) > 1 else text.rstrip("\n"))
            if len(files) > 1:
                print_line(text.rstrip("\n"))


def _convert_model(source: Path, out: Path | None, *, json: bool) -> None:
    from workbench.verbs.solve import convert_model

    if out is None:
        raise UsageError.of(
            "E0713",
            "a model is written to a file",
            help="name it: --out model.wcnf (.uai, .lp, .mps)",
        )
    check_output(out, [source])
    with replacing(out) as part:
        note = convert_model(source, part)
    if json:
        print_json({"files": {}, "written": [str(out)], "note": note})
    else:
        print_line(f"{out}: {note}")


def _write(files: dict[str, str], out: Path, read: Sequence[Path | None]) -> list[Path]:
    """Write one file under the name `out`, or several into the folder `out`; where they went."""
    if len(files) == 1 and not out.is_dir():
        check_output(out, read)
        with replacing(out) as part:
            part.write_text(next(iter(files.values())), encoding="utf-8")
        return [out]
    for name in files:
        if (out / name).exists():
            check_output(out / name, read)
    for name, text in files.items():
        with replacing(out / name) as part:
            part.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text, encoding="utf-8")
    return [out / name for name in files]


def _converted(source: Path, data: Path | None, learn_data: Path | None) -> dict[str, str]:
    from workbench.language import format_program, is_document, read_program
    from workbench.language.mln_to_psl import mln_to_psl
    from workbench.language.program import Program
    from workbench.language.psl.document_reading import read_psl_document
    from workbench.language.psl.forms import (
        document_to_files,
        files_to_document,
        format_psl_document,
    )

    if is_document(source):
        _refuse_data(data or learn_data, "a PSL document holds its data")
        return dict(document_to_files(read_psl_document(source), source.stem))
    given = given_rules(source)
    program, stem = (
        (given, "program") if isinstance(given, Program) else (read_program(given), given.stem)
    )
    if program.language == "mln":
        _refuse_data(data or learn_data, "a Markov logic program is converted by itself")
        translation = mln_to_psl(program)
        notes = [
            f"// {predicate}: closed, true of every constant of type {type_name}\n"
            for type_name, predicate in translation.domains.items()
        ]
        return {f"{stem}.psl": "".join(notes) + format_program(translation.program)}
    if data is None:
        raise UsageError.of(
            "E0818",
            "a .psl program has no data of its own",
            help="name its data file with --data FILE.data",
        )
    learn = read_psl_document(learn_data) if learn_data is not None else None
    document = files_to_document(program, read_psl_document(data), learn)
    return {f"{stem}.json": format_psl_document(document)}


def _refuse_data(data: Path | None, why: str) -> None:
    if data is not None:
        raise UsageError.of(
            "E0831",
            f"{why}, and {data} would not be used",
            help="leave --data out; it goes with a .psl program",
        )
