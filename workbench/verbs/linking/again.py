"""A linkage of the same files again, with what people answered since."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.verbs.linking.linkage import Linkage

KEPT = ("id_column", "one_to_one", "threshold", "settings")


@contextmanager
def written_labels(rows: Sequence[Sequence[Any]]) -> Iterator[Path | None]:
    """Rows of left, right, match as a file for `link(labels=...)`; None for no rows."""
    with TemporaryDirectory(prefix="workbench-answers-") as folder:
        path = Path(folder, "answers.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("left", "right", "match"), *rows])
        yield path if rows else None


def as_it_was_linked(parameters: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The files of a recorded linkage and how they were linked; labels aside, which it keeps.

    Raises E0696 for a file that is gone.
    """
    sources = list(parameters["sources"])
    gone = [one for one in sources if "://" not in one and not os.path.exists(one)]
    if gone:
        raise UsageError.of(
            "E0696",
            f"{', '.join(Path(one).name for one in gone)} is no longer where it was read from",
            help="link it from where it is now, with --labels for the answers",
        )
    return sources, {name: parameters[name] for name in KEPT if name in parameters}


def say_again(linkage: Linkage, said: Iterable[tuple[str, str, bool]]) -> None:
    """Give a linkage of the same files the answers that labels cannot say, but those of records
    that these files no longer have.
    """
    for left, right, same in said:
        with suppress(UsageError):
            linkage.answer(left, right, same)
