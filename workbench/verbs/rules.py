"""A workspace's rules at hand: kept with their versions, checked, formatted; no data touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.errors import Diagnostic, WorkbenchError
from workbench.language import LANGUAGES, check, clause_problems, format_text
from workbench.language.program import Program
from workbench.language.reading import Language
from workbench.verbs.of_database import OfDatabase
from workbench.verbs.prospects import prospects
from workbench.verbs.rule_versions import keep_version, rule_versions

if TYPE_CHECKING:
    from workbench.database import Database


@dataclass(frozen=True)
class CheckedRules:
    """Rules under edit: the program if it can be read, and all that is wrong or doubtful."""

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]

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

    def keep(self, text: str, language: Language, *, author: str = "") -> None:
        """Keep rules as those at hand, and as a version of their author's."""
        with self.database.transaction():
            keep_version(self.database, text, language, author)
            self.database.remember("rules", text)
            self.database.remember("language", language)

    def check(self, text: str, language: Language) -> CheckedRules:
        """Read rules and list every diagnostic, without touching the data."""
        try:
            program = LANGUAGES[language].parse(text, None, None)
        except WorkbenchError as error:
            return CheckedRules(None, tuple(error.diagnostics))
        return CheckedRules(program, check(program) + clause_problems(program))

    def format(self, text: str, language: Language) -> str:
        """Rules in canonical form; their comments and blank lines stay."""
        return format_text(text, language)
