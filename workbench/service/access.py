"""Who may do what with a server, and who did."""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote

from workbench.errors import UsageError, nearest

ROLES = ("read", "label", "model", "admin")
"""Each may do what those before it may."""
LEAST = 8
"""Characters of a secret that machines elsewhere may try."""
COOKIE = "workbench-token"
"""Where a browser keeps the token by which it was let in."""


holder_of_session: ContextVar[str] = ContextVar("holder_of_session", default="")
"""Whose token a conversation at the assistants' door was begun with, where that is said."""


def signed(arguments: Mapping[str, Any], takes: Collection[str], holder: str) -> dict[str, Any]:
    """A call's arguments, the reviewer of a call that takes one being who holds the token, where
    that is said: nobody answers under other names, and is the majority.
    """
    named = {"reviewer": holder} if holder and "reviewer" in takes else {}
    return {**arguments, **named}


@dataclass(frozen=True)
class Tokens:
    """Who may do what: the role of each secret, and what its holder is called, where that is said;
    without any, everyone on this machine may do everything.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, words: list[str], least: int = LEAST) -> Tokens:
        """From `SECRET` (an administrator's), `ROLE:SECRET` and `NAME@ROLE:SECRET` words.

        Raises E0870 for a secret of fewer than `least` characters, and for a role that is misspelt.
        """
        found, names = {}, {}
        for word in words:
            before, mark, secret = word.partition(":")
            name, _, role = before.rpartition("@")
            # Else what was meant to read alone would be an administrator's secret.
            if mark and role not in ROLES and (close := nearest(role.casefold(), ROLES)):
                raise UsageError.of(
                    "E0870", f"there is no role {role}", help=f"did you mean {close}?"
                )
            if not mark or role not in ROLES:
                name, role, secret = "", "admin", word
            if len(secret) < least:
                raise UsageError.of(
                    "E0870",
                    f"a token that other machines may send has {LEAST} characters or more"
                    if secret
                    else f"--token {word} has no secret",
                    help="choose a longer secret",
                )
            found[secret], names[secret] = role, name
        return cls(found, names)

    def role(self, header: str | None) -> str | None:
        """The role of an `Authorization` header; None where it has none."""
        return self.roles.get(self._secret(header)) if self.roles else "admin"

    def who(self, header: str | None) -> str:
        """What the holder of an `Authorization` header is called, else the role; empty without."""
        secret = self._secret(header)
        return self.names.get(secret) or self.role(header) or ""

    def holder(self, header: str | None) -> str:
        """What the holder of an `Authorization` header is called, where that is said."""
        return self.names.get(self._secret(header), "")

    def of_browser(self, cookies: str | None) -> str | None:
        """The role of a browser that was let in; None where it was not."""
        return self.role(_kept_by(cookies))

    def named(self, cookies: str | None) -> str:
        """Who holds a browser's token, where that is said; else empty."""
        return self.names.get(self._secret(_kept_by(cookies)), "")

    def called(self, cookies: str | None, number: int) -> str:
        """What the person at a browser is called: by name, or by a role and a number."""
        secret = self._secret(_kept_by(cookies))
        return self.names.get(secret) or f"{self.roles.get(secret, 'browser')} {number}"

    def _secret(self, header: str | None) -> str:
        """Which of the secrets a header has; empty for none."""
        given = (header or "").removeprefix("Bearer ").encode()
        same = [one for one in self.roles if secrets.compare_digest(one.encode(), given)]
        return same[0] if same else ""


def _kept_by(cookies: str | None) -> str | None:
    """The `Authorization` header that a browser keeps as a cookie."""
    try:
        kept = SimpleCookie(cookies or "").get(COOKIE)
    except CookieError:
        kept = None
    return f"Bearer {unquote(kept.value)}" if kept else None


class Audit:
    """Who did what: the last thousand calls, and all of them in a file of JSON lines where one is
    named.

    What was done stays done where the file cannot be written; `fault` says so, and `/health` with
    it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path, self.last, self._lock = path, deque[dict[str, Any]](maxlen=1000), Lock()
        self.fault: str | None = None

    def note(self, who: str, what: str, ok: bool) -> None:
        """Put one call down."""
        record = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "who": who,
            "what": what,
            "ok": ok,
        }
        with self._lock:
            self.last.append(record)
            if self.path is None:
                return
            try:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
                self.fault = None
            except OSError as error:
                self.fault = f"{self.path.name} cannot be written: {error.strerror}"
