"""Who may do what with a server, and who did."""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote

from workbench.errors import UsageError

__all__ = ["COOKIE", "ROLES", "Audit", "Tokens"]

ROLES = ("read", "label", "model", "admin")
"""Each may do what those before it may."""
COOKIE = "workbench-token"
"""Where a browser keeps the token by which it was let in."""


@dataclass(frozen=True)
class Tokens:
    """Who may do what: the role of each secret; without any,
    everyone on this machine may do everything.
    """

    roles: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, words: list[str]) -> Tokens:
        """From `SECRET` (an administrator's) and `ROLE:SECRET` words.

        Raises
        ------
        UsageError
            E0870 for a secret of fewer than eight characters.
        """
        found = {}
        for word in words:
            role, mark, secret = word.partition(":")
            if not mark or role not in ROLES:
                role, secret = "admin", word
            if len(secret) < 8:
                raise UsageError.of(
                    "E0870", "a token has eight characters or more", help="choose a longer secret"
                )
            found[secret] = role
        return cls(found)

    def role(self, header: str | None) -> str | None:
        """The role of an `Authorization` header; None where it has none."""
        if not self.roles:
            return "admin"
        given = (header or "").removeprefix("Bearer ").encode()
        matching = [
            role
            for secret, role in self.roles.items()
            if secrets.compare_digest(secret.encode(), given)
        ]
        return matching[0] if matching else None

    def of_browser(self, cookies: str | None) -> str | None:
        """The role of a browser that was let in; None where it was not."""
        try:
            kept = SimpleCookie(cookies or "").get(COOKIE)
        except CookieError:
            kept = None
        return self.role(f"Bearer {unquote(kept.value)}" if kept else None)


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
