"""Where shipped files (SQL, the page, examples) and real data sets are; what is installed."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from platform import python_version

from workbench import __version__
from workbench.errors import InputError, UsageError

_PACKAGE = Path(__file__).resolve().parent


def shipped(*parts: str) -> Path:
    """The path of a shipped file, such as `shipped("data", "smokers")`.

    An installed wheel holds them in `workbench/_shipped/`; a checkout beside `pyproject.toml`.
    """
    for root in (_PACKAGE / "_shipped", _PACKAGE.parent):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError("/".join(parts))


@cache
def sql_text(name: str) -> str:
    """The text of the static statement `sql/<name>.sql`."""
    return shipped("sql", f"{name}.sql").read_text(encoding="utf-8")


def require_experiments() -> None:
    """See to it that `experiments` can be imported: a wheel leaves it out, a checkout holds it.

    Where the command runs in a checkout of the same version, its experiments are taken.

    Raises E0250 where there are none.
    """
    root = next(filter(_is_checkout, (_PACKAGE.parent, Path.cwd())), None)
    if root is None:
        raise InputError.of(
            "E0250",
            "the published experiments are not part of an installed wheel",
            help="run the command in the workbench's checkout, or install that: pip install -e "
            "'.[experiments]'",
        )
    # A folder called experiments where the command runs would be found before them.
    if sys.path[0] != str(root):
        sys.path.insert(0, str(root))


def _is_checkout(folder: Path) -> bool:
    """Whether a folder holds this version's sources, the experiments among them."""
    try:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        project = tomllib.loads(text)["project"]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError):
        return False
    same = (project["name"], project["version"]) == ("relational-workbench", __version__)
    return same and (folder / "experiments").is_dir()


def error_page(code: str) -> str:
    """The long page of a diagnostic's code, in Markdown.

    Raises UsageError when there is no such code.
    """
    try:
        return shipped("docs", "errors", f"{code}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError.of(
            "E0812",
            f"there is no diagnostic {code}",
            help="codes look like E0102 and stand in brackets after `error`",
        ) from None


def datasets_directory(data_dir: str | os.PathLike[str] | None = None) -> Path:
    """The directory of the real data sets: `data_dir`, else `$WORKBENCH_DATASETS`, else
    `../shared/datasets`.

    Raises UsageError when no such directory exists.
    """
    chosen = (
        data_dir
        or os.environ.get("WORKBENCH_DATASETS")
        or _PACKAGE.parent.parent / "shared" / "datasets"
    )
    path = Path(chosen)
    if not path.is_dir():
        raise UsageError.of(
            "E0901",
            f"the data sets are not at {path}",
            help="give --data-dir DIR, or set WORKBENCH_DATASETS to the directory that holds "
            "uw-cse, cora-er, ...",
        )
    return path


@cache
def installed(*packages: str) -> Mapping[str, str]:
    """Python's version, and those of the packages that are there."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": python_version()}
    for package in packages:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
