"""The command line: `workbench COMMAND ...`. Its families live in `workbench/commands/`."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from importlib import import_module
from typing import NoReturn

import typer

from workbench import __version__
from workbench.commands.command import COMMANDS
from workbench.commands.console import print_error, print_json
from workbench.commands.working import interrupts_raise
from workbench.errors import Cancelled, ExitCode, WorkbenchError
from workbench.leaving import left_behind

app = typer.Typer(
    name="workbench",
    help="A database-backed workbench for statistical relational learning: Markov logic and PSL "
    "on DuckDB.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
FAMILIES = (
    "demo study link rules infer evaluate engines learn crossval structure solve convert runs "
    "update review serve reproduce page"
)
"""Modules of commands, in the order of `--help`."""
for family in FAMILIES.split():
    import_module(f"workbench.commands.{family}")
for one in COMMANDS:
    one.add(app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    del version


def main() -> None:
    """Run a command; every failure becomes diagnostics on standard error and an exit code."""
    # Threads of matrices this small wait for each other in loops; our own threads are over chains,
    # rows and cases.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What ends with the process is not searched for circles first: an eighth of a small answer.
    atexit.register(gc.freeze)
    try:
        _run()
    except SystemExit as end:
        if left_behind():  # it holds what the interpreter would free
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))
        raise


def _run() -> None:
    try:
        with interrupts_raise((signal.SIGINT, signal.SIGTERM)):
            app()
    except WorkbenchError as error:
        _refuse(error)
    except (Cancelled, KeyboardInterrupt):
        print_error("cancelled")
        if "--json" in sys.argv:
            print_json({"status": "cancelled", "diagnostics": []})
        sys.exit(int(ExitCode.LIMIT))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        if (fault := _storage_fault(error)) is not None:
            _refuse(fault)
        print_error(
            f"internal error: {type(error).__name__}: {error}\n  help: this is a fault of the "
            "workbench, not yours; "
            "run again with WORKBENCH_DEBUG=1 for the traceback"
        )
        if os.environ.get("WORKBENCH_DEBUG"):
            raise
        sys.exit(int(ExitCode.INTERNAL))


def _refuse(error: WorkbenchError) -> NoReturn:
    print_error(error)
    if "--json" in sys.argv:
        status = "infeasible" if error.exit_code is ExitCode.INFEASIBLE else "error"
        print_json(
            {"status": status, "diagnostics": [one.as_record() for one in error.diagnostics]}
        )
    sys.exit(int(error.exit_code))


def _storage_fault(error: Exception) -> WorkbenchError | None:
    """A full disk, a damaged file or a memory limit met where no transaction names it."""
    from workbench.database.storage_faults import storage_fault

    return storage_fault(error)
