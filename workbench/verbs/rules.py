"""A workspace's rules at hand: kept with their versions, checked, formatted; no data touched."""

from __future__ import annotations

import json
import operator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta

from workbench.database import Database
from workbench.errors import Diagnostic, WorkbenchError
from workbench.language import LANGUAGES, check, clause_problems, format_text
from workbench.language.program import Program
from workbench.language.reading import Language
from workbench.verbs.declarations import missing_declarations, with_declarations
from workbench.verbs.of_database import OfDatabase
from workbench.verbs.prospects import prospects

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
        When it was begun, UTC, in ISO format.
    """

    number: int
    written: str
    author: str
    language: str
    text: str


def rule_versions(database: Database) -> tuple[RuleVersion, ...]:
    """The versions kept, the newest first."""
    return tuple(RuleVersion(**one) for one in json.loads(database.setting(SETTING) or "[]"))


def keep_version(
    database: Database, text: str, language: str, author: str, *, typed: bool = False
) -> None:
    """Keep rules as the newest version; two minutes of one author's typing are one version."""
    before = rule_versions(database)
    if before and (before[0].text, before[0].language) == (text, language):
        return
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    number = 1 + max((one.number for one in before), default=0)
    made = RuleVersion(number, now, author, language, text)
    if typed and before and _goes_on(before[0], made):
        made = replace(made, number=before[0].number, written=before[0].written)
        before = before[1:]
    database.remember(SETTING, json.dumps([asdict(one) for one in (made, *before)[:MOST]]))


def _goes_on(before: RuleVersion, now: RuleVersion) -> bool:
    """Whether typing goes on where it was a moment ago: a line more, or one line changed."""
    times = (datetime.fromisoformat(one.written) for one in (now, before))
    return (
        (before.author, before.language) == (now.author, now.language)
        and operator.sub(*times) < TOGETHER
        and len({*before.text.splitlines()} - {*now.text.splitlines()}) <= 1
    )


@dataclass(frozen=True)
class CheckedRules:
    """Rules under edit: the program if it can be read, and all that is wrong or doubtful.

    Attributes
    ----------
    undeclared : tuple of str
        Lines that declare, as the data have them, what the rules use and do not declare.
    """

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]
    undeclared: tuple[str, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)


@dataclass(frozen=True)
class Rules:
    """The rules at hand of a workspace (`ws.rules`)."""

    database: Database

    versions = OfDatabase(rule_versions)
    prospects = OfDatabase(prospects)

    def at_hand(self) -> tuple[str, Language]:
        """The rules being edited and their language; empty text in a new workspace."""
        language: Language = "psl" if self.database.setting("language") == "psl" else "mln"
        return self.database.setting("rules") or "", language

    def keep(self, text: str, language: Language, *, author: str = "", typed: bool = False) -> None:
        """Keep rules as those at hand, and as a version of their author's: one of its own, but
        where they were `typed` on from the author's last a moment ago.
        """
        with self.database.transaction():
            keep_version(self.database, text, language, author, typed=typed)
            self.database.remember("rules", text)
            self.database.remember("language", language)

    def set_aside(self, text: str, language: Language, *, author: str = "") -> None:
        """Keep typed rules as a version, and those at hand as they are."""
        with self.database.transaction():
            keep_version(self.database, text, language, author, typed=True)

    def check(self, text: str, language: Language) -> CheckedRules:
        """Read rules and list every diagnostic, without touching the data."""
        try:
            program = LANGUAGES[language].parse(text, None, None)
        except WorkbenchError as error:
            found = error.diagnostics
            told = with_declarations(self.database, found)
            return CheckedRules(None, told, missing_declarations(self.database, found))
        return CheckedRules(program, check(program) + clause_problems(program))

    def format(self, text: str, language: Language) -> str:
        """Rules in canonical form; their comments and blank lines stay."""
        return format_text(text, language)
