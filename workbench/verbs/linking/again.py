"""A linkage of the same files again, with what people answered since."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from workbench.errors import Diagnostic, UsageError
from workbench.verbs.linking.record_names import RecordNames
from workbench.verbs.linking.said import answers_by_id, is_across
from workbench.verbs.linking.since import Since

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


def _as_it_was_linked(parameters: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
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


@dataclass(frozen=True)
class Again:
    """A recorded linkage that is to be made again.

    Attributes
    ----------
    sources : list of str
    how : dict
        Options of `link`, labels aside.
    labels : list of (left, right, match)
        The answers that labels can say, by ids.
    beside : list of (left, right, same)
        The others, by names; answers about records that the files do not have are in neither.
    notes : tuple of Diagnostic
        What the files lack.
    """

    sources: list[str]
    how: dict[str, Any]
    labels: list[tuple[str, str, int]]
    beside: list[tuple[str, str, bool]]
    notes: tuple[Diagnostic, ...]

    @classmethod
    def of(cls, linkage: Linkage, parameters: Mapping[str, Any]) -> Again:
        """Read the files beside what is kept. Raises E0696, and the faults of files."""
        sources, how = _as_it_was_linked(parameters)
        since = Since.of(linkage, sources, how.get("id_column"))
        said = answers_by_id(linkage.store, linkage.description)
        names = RecordNames(linkage.store, linkage.sources)
        held = [one for one in said if since.holds(one)]
        across = [one for one in held if is_across(one, linkage.sources)]
        within = [one for one in held if not is_across(one, linkage.sources)]
        return cls(
            sources,
            how,
            [(left[1], right[1], int(same)) for left, right, same in across],
            [(names.of_id(*left), names.of_id(*right), same) for left, right, same in within],
            tuple(since.notes(said)),
        )


def say_again(linkage: Linkage, said: Iterable[tuple[str, str, bool]]) -> None:
    """Give a linkage of the same files the answers that labels cannot say."""
    for left, right, same in said:
        linkage.answer(left, right, same)
