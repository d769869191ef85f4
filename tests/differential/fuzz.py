"""Damaged and odd files for every reader: an error with a code or an answer, within bounds."""

from __future__ import annotations

import random
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from time import process_time

import duckdb

from tests.differential.mln_programs import random_mln_case
from tests.differential.outcome import Tally
from tests.differential.psl_programs import random_psl_case
from workbench.database.storage_faults import storage_fault
from workbench.errors import WorkbenchError

SECONDS = 5.0
"""CPU-seconds that one small file may take."""
ENDED = 20.0
"""CPU-seconds after which it is interrupted."""
MEMORY = 4 << 30
"""Bytes that reading may add to what the process holds already."""

PIECES = [
    b"(", b")", b"((((", b"))))", b"{", b"}", b"[", b"]", b",", b":", b".", b"=>", b"<=>", b"->",
    b"v", b"^", b"!", b"+", b"*", b"?", b"@", b"\"", b"'", b"\\", b"//", b"/*", b"*/",
    b"#include \"x.mln\"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n\n", b"\t",
    b"\xe2\x80\xa8", b"1e999", b"-0", b"nan", b"inf", b"9" * 40, b"A" * 5000, b"EXIST x ",
    b"FORALL y ", b"P(x)", b"0.5 ", b"1: ", b"null", b"true", b"- ", b"&a *a",
    b"!!python/object:os.system x", b"%", b"|X|", b"@Max[1,2]", b"'a'", b"World(x)",
    b"{1,...,999999999}", "é".encode(), "Ω".encode("utf-16"),
]  # fmt: skip

Reader = Callable[[Path], object]


def _mln(path: Path) -> object:
    from workbench.language import check, format_source, parse_mln

    text = path.read_bytes().decode("utf-8", "replace")
    format_source(path)
    return check(parse_mln(text))


def _psl(path: Path) -> object:
    from workbench.language import check, read_program

    return check(read_program(path))


def _document(path: Path) -> object:
    from workbench.language.psl.document_reading import read_psl_document

    return read_psl_document(path).program()


def _ilp(path: Path) -> object:
    from workbench.language.ilp.reader import read_ilp

    return read_ilp(path)


class _Undone(Exception):
    """The load went well, and is taken back."""


@cache
def _workspace_for_loading():  # type: ignore[no-untyped-def]
    import workbench as wb

    workspace = wb.open()
    workspace.declare("P(t)\nQ(t, t)\nt MotherOf(t)\n1 P(x) => Q(x, x)\n")
    return workspace


def _loaded(path: Path) -> object:
    """Loaded into a workspace that takes it back, so that it is as it was for the next file."""
    workspace = _workspace_for_loading()
    with suppress(_Undone), workspace.database.transaction():
        workspace.load(path, predicate="Q" if path.suffix in (".csv", ".tsv") else None)
        raise _Undone
    return None


def _evaluated(path: Path) -> object:
    from workbench.verbs.evaluate import evaluate_file

    truth = path.parent / "truth.db"
    truth.write_text("P(A)\n", encoding="utf-8")
    return evaluate_file(path, [truth])


def _workspace(path: Path) -> object:
    import workbench as wb

    try:
        with wb.open(path) as workspace:
            return workspace.runs()
    except duckdb.Error as error:
        # What every command does with it.
        raise storage_fault(error, path) or error from None


def _programs(draw: random.Random) -> bytes:
    return random_mln_case(draw.randrange(10**6)).text.encode()


def _facts(draw: random.Random) -> bytes:
    return b'P(A)\n!P(B)\n?P(C)\n0.5 Q(A, "B b")\nQ(A, C)\nMotherOf(A) = B\n// end\n' * draw.choice(
        [1, 3]
    )


def _psl_rules(draw: random.Random) -> bytes:
    return random_psl_case(draw.randrange(10**6)).text.encode()


def _psl_document(draw: random.Random) -> bytes:
    import json

    case = random_psl_case(draw.randrange(10**6))
    document = case.document(0)
    if draw.random() < 0.5:
        import yaml

        return yaml.safe_dump(document).encode()
    return json.dumps(document, indent=draw.choice([None, 1])).encode()


def _ilp_file(draw: random.Random) -> bytes:
    return (
        b":- modeh(1, good(+thing)).\n:- modeb(*, near(+thing, -thing)).\n:- "
        b"determination(good/1, near/2).\n"
        b":- set(i, 2).\n:- begin_bg.\nnear(a, b).\nred(b).\nwarm(X) :- near(X, Y), red(Y).\n:- "
        b"end_bg.\n"
        b":- begin_in_pos.\ngood(a).\n:- end_in_pos.\n:- begin_in_neg.\ngood(b).\n:- end_in_neg.\n"
    )


def _table(draw: random.Random) -> bytes:
    return b'a,b,value\nA,B,1\nA,C,0.5\n"x, y",B,\n'


def _predictions(draw: random.Random) -> bytes:
    return b'atom,predicate,value\nP(A),P,0.7\n"Q(A, B)",Q,0.1\n'


def _toml(draw: random.Random) -> bytes:
    return (
        b'name = "x"\n[worlds.one]\nfiles = ["truth.db"]\n[[table]]\npredicate = "Q"\nfile = '
        b'"q.csv"\n'
    )


@cache
def _saved() -> bytes:
    """A workspace, made once."""
    import workbench as wb

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "w.duckdb"
        with wb.open(path) as workspace:
            workspace.infer("t = {A, B}\nP(t)\n1 P(x) => P(y)\n")
        return path.read_bytes()


READERS: dict[str, tuple[str, Callable[[random.Random], bytes], Reader]] = {
    "Markov logic": ("x.mln", _programs, _mln),
    "facts": ("x.db", _facts, _loaded),
    "soft logic": ("x.psl", _psl_rules, _psl),
    "PSL documents": ("x.json", _psl_document, _document),
    "PSL data files": ("x.data", _psl_document, _document),
    "ILP files": ("x.pl", _ilp_file, _ilp),
    "CSV": ("x.csv", _table, _loaded),
    "dataset.toml": ("dataset.toml", _toml, _loaded),
    "predictions": ("x.csv", _predictions, _evaluated),
    "workspaces": ("x.duckdb", lambda draw: _saved(), _workspace),
}

TEXTS = ("Markov logic", "soft logic", "PSL documents", "PSL data files", "ILP files")
"""Readers that touch no database, many times faster than the others: they get most of the files."""
TO_TEXTS = 0.97


def damaged(content: bytes, draw: random.Random) -> bytes:
    """A few bytes or lines changed, lost, repeated or put in."""
    for _ in range(draw.choice([1, 1, 2, 3, 6])):
        at = draw.randrange(len(content) + 1)
        stop = min(len(content), at + draw.choice([1, 2, 5, 20, 200]))
        match draw.randrange(7):
            case 0:
                content = content[:at] + content[stop:]
            case 1:
                content = content[:at] + bytes([draw.randrange(256)]) + content[at + 1 :]
            case 2 | 3:
                content = content[:at] + draw.choice(PIECES) + content[at:]
            case 4:
                content = content[:at] + content[at:stop] * draw.choice([2, 3, 50]) + content[stop:]
            case 5:
                lines = content.split(b"\n")
                draw.shuffle(lines)
                content = b"\n".join(lines)
            case _:
                content = content[:at]
    return content


def fuzz_inputs(numbers: Iterable[int], readers: tuple[str, ...] | None = None) -> Tally:
    """Give readers damaged files by number; crashes, slow and hungry ones are differences."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as directory, _bounded():
        for number in numbers:
            draw = random.Random(f"fuzz {number}")
            pool = readers or (
                TEXTS if draw.random() < TO_TEXTS else tuple(set(READERS) - set(TEXTS))
            )
            name = draw.choice(sorted(pool))
            file, make, read = READERS[name]
            path = Path(directory) / file
            content = damaged(make(draw), draw)
            path.write_bytes(content)
            verdict = _read(read, path)
            tally.add("inputs")
            tally.add(f"{name}: {verdict.split(':')[0]}")
            if not verdict.startswith(("read", "refused")):
                tally.differences.append(
                    (f"{name}: {verdict}", f"number {number}\n{content[:2000]!r}")
                )
                print(f"FUZZ {name} ({number}): {verdict}", file=sys.stderr, flush=True)
            path.unlink(missing_ok=True)
    return tally


@contextmanager
def _bounded() -> Iterator[None]:
    """Bounds on what this process may take, for as long as the files are read."""
    import workbench.cli  # noqa: F401  (its libraries map memory of their own)

    def interrupt(*_: object) -> None:
        raise TimeoutError(f"more than {ENDED:g} CPU-seconds")

    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, interrupt)
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGPROF, before)


def _read(read: Reader, path: Path) -> str:
    begun = process_time()
    signal.setitimer(signal.ITIMER_PROF, ENDED)
    try:
        read(path)
        verdict = "read"
    except WorkbenchError as error:
        if not error.diagnostics or not error.diagnostics[0].code.startswith("E"):
            return "an error without a code"
        verdict = "refused"
    except Exception as error:
        return f"crash: {type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    spent = process_time() - begun
    return verdict if spent < SECONDS else f"slow: {spent:.1f} CPU-seconds"
