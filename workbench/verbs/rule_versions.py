"""Versions of the rules at hand: who wrote them and when, newest first."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from workbench.database import Database

SETTING = "rule versions"
MOST = 100
TOGETHER = timedelta(minutes=2)


@dataclass(frozen=True)
class RuleVersion:
    """Rules as they were at a time.

    Attributes
    ----------
    number : int
        Counted from 1.
    written : str
        When, UTC, in ISO format.
    """

    number: int
    written: str
    author: str
    language: str
    text: str


def rule_versions(database: Database) -> tuple[RuleVersion, ...]:
    """The versions kept, the newest first."""
    return tuple(RuleVersion(**one) for one in json.loads(database.setting(SETTING) or "[]"))


def keep_version(database: Database, text: str, language: str, author: str) -> None:
    """Keep rules as the newest version; two minutes of one author are one version."""
    before = rule_versions(database)
    if before and (before[0].text, before[0].language) == (text, language):
        return
    now = datetime.now(UTC).replace(microsecond=0)
    number = 1 + max((one.number for one in before), default=0)
    if (
        before
        and before[0].author == author
        and now - datetime.fromisoformat(before[0].written) < TOGETHER
    ):
        number, before = before[0].number, before[1:]
    found = (RuleVersion(number, now.isoformat(), author, language, text), *before)[:MOST]
    database.remember(SETTING, json.dumps([asdict(one) for one in found]))
