"""Which encoding and line ends a file of text has, and a copy of it in UTF-8 with plain ones."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workbench.database import chunks_of_lines, display_name, open_binary
from workbench.errors import InputError, UsageError

BLOCK = 1 << 23
WINDOW = 1 << 20
LONGEST_LINE = 1 << 26
_NULL = b"\x00"


@dataclass(frozen=True)
class Scan:
    """What one pass over a file's bytes tells."""

    encoding: str
    plain_ends: bool
    long_lines: bool


def _blocks(path: Path) -> Iterator[bytes]:
    with open_binary(path) as stream:
        while True:
            try:
                block = stream.read(BLOCK)
            except (OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise InputError.of(
                    "E0211", f"{display_name(path)} cannot be read: {error}"
                ) from None
            if not block:
                return
            yield block


def scanned(path: Path, encoding: str | None) -> Scan:
    """One pass over the bytes: the encoding, the line ends,
    and whether some line is longer than a megabyte.
    """
    if encoding is not None:
        try:
            encoding = codecs.lookup(encoding).name
        except LookupError:
            raise UsageError.of(
                "E0230",
                f"no encoding is called {encoding}",
                help="common ones are utf-8, cp1252, latin-1, utf-16",
            ) from None
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_utf8, feeds, returns, long_lines, first = True, False, False, False, True
    for block in _blocks(path):
        if (
            first
            and encoding is None
            and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        ):
            return Scan("utf-16", False, True)
        first = False
        if _NULL in block and encoding is None:
            _complain_of_bytes(path)
        if is_utf8 and encoding is None:
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                is_utf8 = False
        feeds = feeds or b"\n" in block
        returns = returns or (b"\r" in block and b"\r" in block.replace(b"\r\n", b""))
        long_lines = long_lines or any(
            block.find(b"\n", start, start + WINDOW) < 0
            for start in range(0, len(block) - WINDOW, WINDOW)
        )
    if encoding is None:
        encoding = "utf-8" if is_utf8 and not decoder.getstate()[0] else _not_utf8(path)
    return Scan(encoding, feeds or not returns, long_lines)


def _not_utf8(path: Path) -> str:
    """`cp1252`, unless the file is UTF-8 but for some broken bytes: those are named."""
    kept = broken = 0
    for block in _blocks(path):
        text = block.decode("utf-8", "surrogateescape")
        above = [character for character in text if character > "\x7f"]
        stray = sum("\udc80" <= character <= "\udcff" for character in above)
        broken, kept = broken + stray, kept + len(above) - stray
        try:
            block.decode("cp1252")
        except UnicodeDecodeError:
            _complain_of_bytes(path)
    if kept > broken:
        _complain_of_bytes(path)
    return "cp1252"


def _complain_of_bytes(path: Path) -> None:
    """Raise E0209 at the first byte that is not UTF-8, or NUL."""
    for _ in chunks_of_lines(path):
        pass
    raise InputError.of("E0209", f"{display_name(path)} holds bytes that are no text")


def copy_as_utf8(path: Path, target: Path, encoding: str) -> None:
    """Write a file anew in UTF-8 with `\\n` at line ends."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with target.open("w", encoding="utf-8", newline="") as out:
        held = ""
        for block in _blocks(path):
            held = _write(out, held + _decoded(decoder, block, path, encoding), last=False)
        _write(out, held + _decoded(decoder, b"", path, encoding), last=True)


def _write(out: IO[str], text: str, *, last: bool) -> str:
    """Write text with its line ends made plain; a `\\r` at its end waits for what follows."""
    held = "\r" if text.endswith("\r") and not last else ""
    text = text.removesuffix("\r") if held else text
    out.write(text.replace("\r\n", "\n").replace("\r", "\n"))
    return held


def _decoded(decoder: codecs.IncrementalDecoder, block: bytes, path: Path, encoding: str) -> str:
    try:
        text = decoder.decode(block, final=not block)
    except (UnicodeDecodeError, UnicodeError) as error:
        raise InputError.of(
            "E0209",
            f"{display_name(path)} is not {encoding}: {error}",
            help='say encoding = "..." in the mapping',
        ) from None
    if "\0" in text:
        raise InputError.of("E0209", f"{display_name(path)} holds a NUL byte", help="is it text?")
    return text
