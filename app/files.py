"""Files that people bring: uploaded, or named; at a server only those that it may read."""

from __future__ import annotations

import re
import tempfile
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from app.state import server
from workbench.errors import UsageError
from workbench.service.folders import FORMS

MOST = 50


def saved_upload(upload: Any) -> Path:
    """An uploaded file in a fresh folder of its own; its name is kept but for rare signs, as its
    table is called like it, and a mapping finds it by it.

    Beside a workspace file they are kept for good, since training reads them again; in memory they
    go with the server.
    """
    if server().served is not None and not upload.name.casefold().endswith(FORMS):
        raise UsageError.of("E0860", f"{upload.name} is of a form that is not read here")
    folder = Path(tempfile.mkdtemp(dir=server().uploads()))
    called = unicodedata.normalize("NFC", Path(upload.name).name)
    name = re.sub(r"[^\w .,'()&+-]", "_", called).lstrip(".") or "upload"
    path = folder / name
    path.write_bytes(upload.getvalue())
    return path


def saved_uploads(uploads: Sequence[Any], key: str) -> list[Path]:
    """Where uploads are, each saved once."""
    kept: dict[str, Path] = st.session_state.setdefault(f"{key}-saved", {})
    for upload in uploads:
        if upload.file_id not in kept:
            kept[upload.file_id] = saved_upload(upload)
    return [kept[upload.file_id] for upload in uploads]


def beside_uploads(mapping: str) -> str:
    """A mapping, to be taken home and laid beside the tables: uploads by their names alone, files
    of more rows, which are called like others, in folders.
    """
    folder = re.escape(server().uploads().name)
    own = re.sub(rf'^(file = ")[^"\n]*{folder}/[^"/\n]+/', r"\1", mapping, flags=re.MULTILINE)
    return re.sub(
        r"^more = .*", lambda found: re.sub(rf'"[^"]*{folder}/', '"', found[0]), own, flags=re.M
    )


def staying(uploads: Sequence[Any], named: Sequence[str], key: str) -> list[str]:
    """Uploads and named files; they stay chosen when one looks at another page."""
    found = [*map(str, saved_uploads(uploads, key)), *named]
    if found:
        st.session_state[f"{key}-sources"] = found
    return list(st.session_state.get(f"{key}-sources", []))


def taken_here(endings: list[str]) -> list[str]:
    """Those of the endings that may be uploaded: at a server, of files that name no other files."""
    if server().served is None:
        return endings
    return [ending for ending in endings if f".{ending}" in (*FORMS, ".gz")]


def named_sources(key: str) -> list[str]:
    """Files, folders and databases on this machine, one a line."""
    if server().served is not None:
        return [str(path) for path in _of_the_server(key, several=True)]
    typed = st.text_area(
        "or give paths on this machine, one a line",
        key=key,
        height=120,
        placeholder="people.csv\nshop.sqlite\nfolder/\npostgresql://...",
        help="Files of any size, folders, SQLite, DuckDB and PostgreSQL databases.",
        persist_state="session",
    )
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    return [line if "://" in line else str(Path(line).expanduser()) for line in lines]


def chosen_files(kinds: list[str], key: str, *, several: bool = False) -> list[Path]:
    """Uploaded files, or one on this machine by its path."""
    left, right = st.columns(2)
    found = left.file_uploader(
        f"Upload {'files' if several else 'a file'}, {MOST} MB at most",
        type=taken_here(kinds),
        key=f"{key}-upload",
        accept_multiple_files=several,
    )
    with right:
        named = _named(f"{key}-path", several=several)
    uploads = found if several else [found] * (found is not None)
    if not uploads:
        return named
    return saved_uploads(uploads, key)


def _named(key: str, *, several: bool) -> list[Path]:
    if server().served is not None:
        return _of_the_server(key, several=several)
    typed = st.text_input(
        "or give a path on this machine, any size", key=key, persist_state="session"
    )
    return [Path(typed).expanduser()] if typed else []


def _of_the_server(key: str, *, several: bool) -> list[Path]:
    """Files of the folders that the server was started with, and those sent to it."""
    served = server().served
    assert served is not None
    names = served.folders.listing()
    if not names:
        return []
    picked = st.multiselect(
        "or choose files that this server may read",
        names,
        key=key,
        max_selections=None if several else 1,
        persist_state="session",
    )
    return served.folders.files(picked)
