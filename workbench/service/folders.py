"""Which files a caller from outside may name: those of some folders, by forms that stay there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError

FORMS = (
    ".csv",
    ".tsv",
    ".parquet",
    ".db",
    ".jsonl",
    ".ndjson",
    ".xlsx",
    ".csv.gz",
    ".tsv.gz",
    ".db.gz",
)
"""Forms of files that name no other files."""
AUDIT = "audit.jsonl"
"""How the name of an audit ends, which is no data, and for administrators alone."""

LONGEST_NAME = 200
"""Bytes of a file's name: file systems take some 255, and a file that is being written has more."""


def may_be_uploaded(name: str) -> bool:
    """Whether a name is one for a file of facts, in any folder of any file system."""
    fits = len(name.encode()) <= LONGEST_NAME and name.isprintable()
    plain = Path(name).name == name and not name.startswith(".")
    return fits and plain and name.casefold().endswith(FORMS)


@dataclass(frozen=True)
class Folders:
    """Folders whose files may be read; links that lead out of them do not count as inside.

    `most_bytes`: largest file.
    """

    roots: tuple[Path, ...]
    most_bytes: int = 2**31

    def files(self, names: Sequence[str]) -> list[Path]:
        """The files of these names, relative to a folder or absolute.

        Raises E0860 for a name that is no file of the folders, or of a form that is not read here.
        """
        return [self._file(name) for name in names]

    def listing(self, most: int = 200) -> list[str]:
        """Names of the files that may be read."""
        found = []
        for root in self.roots:
            for path in sorted(root.rglob("*")):
                if (
                    path.name.casefold().endswith(FORMS)
                    and path.is_file()
                    and self._holds(path.resolve())
                ):
                    found.append(path.relative_to(root).as_posix())
        return found[:most]

    def _file(self, name: str) -> Path:
        if name.casefold().endswith(FORMS) and "\0" not in name:
            for root in self.roots:
                try:
                    path = (root / name).resolve()
                    if (
                        self._holds(path)
                        and path.is_file()
                        and path.stat().st_size <= self.most_bytes
                    ):
                        return path
                except (OSError, ValueError, RuntimeError):
                    continue
        raise UsageError.of(
            "E0860",
            f"{name[:200]} is no file that may be read here",
            help=f"name a file of the allowed folders, ending in {', '.join(FORMS[:7])}",
        )

    def _holds(self, path: Path) -> bool:
        """Whether a path without links is that of a file to be read, in a folder of these."""
        mine = path.name.casefold().endswith(AUDIT)
        return not mine and any(path.is_relative_to(root) for root in self.roots)
