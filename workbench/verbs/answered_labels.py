"""Labels that come of what people said, and facts as they were before they said it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from workbench.database import (
    Database,
    FactTexts,
    Partition,
    ReviewAnswer,
    add_facts,
    known_of,
    read_answers,
    remove_facts,
)
from workbench.database.copying import copy_of
from workbench.language.ground_atoms import parse_atom
from workbench.tables import TablesMapping, mapped_predicates, target_of
from workbench.verbs.tables_look import tables_at_hand

if TYPE_CHECKING:
    import pyarrow


def before_answers(database: Database, time: datetime) -> Database | None:
    """A copy in memory without what people have said since a time (UTC); None where they have said
    nothing.
    """
    since = time.replace(microsecond=0, tzinfo=UTC)
    answers = read_answers(database)
    late = [one for one in answers if datetime.fromisoformat(one.written) >= since]
    if not late:
        return None
    copy = copy_of(database)
    with copy.transaction():
        for world, atom in {(one.world, one.atom) for one in late}:
            same = [one for one in answers if (one.world, one.atom) == (world, atom)]
            settle(copy, same, without=late)
    return copy


def majority(answers: Iterable[ReviewAnswer]) -> bool | None:
    """What most reviewers say, by what each said last; None where as many affirm as deny."""
    last: Mapping[str, bool] = {one.reviewer: one.says for one in answers if one.says is not None}
    counts = Counter(last.values())
    return None if counts[True] == counts[False] else counts[True] > counts[False]


def settle(
    database: Database, answers: list[ReviewAnswer], *, without: Collection[ReviewAnswer] = ()
) -> None:
    """Give an atom the label that most of its reviewers say; the one it had before where none do.

    A target that has a label from them is asked for no more: the label is known to what is inferred
    next.
    """
    about = answers[0]
    said = majority(one for one in answers if one not in without)
    label = about.before if said is None else float(said)
    now = known_of(database, about.atom, about.world)
    tables = tables_at_hand(database)
    if label is not None:
        fact = _fact(about, label)
        for one in (fact, *told_labels(database, tables, [fact])):
            add_facts(database, one, correct=True)
    elif now.get("truth") is not None:
        fact = _fact(about, now["truth"])
        for one in (fact, *told_labels(database, tables, [fact])):
            remove_facts(database, one)
    if about.target and said is None and "target" not in now:
        add_facts(database, _fact(about, None, "target"))
    elif said is not None and about.target and "target" in now:
        remove_facts(database, _fact(about, now["target"], "target"))


def _fact(about: ReviewAnswer, value: float | None, partition: Partition = "truth") -> FactTexts:
    import pyarrow

    name, arguments = parse_atom(about.atom) or (about.atom, ())
    cells: dict[str, list[Any]] = {"world": [about.world]}
    cells |= {f"a{place}": [argument] for place, argument in enumerate(arguments)}
    said = pyarrow.array([value], pyarrow.float64())
    return FactTexts(name, pyarrow.table({**cells, "value": said, "partition": [partition]}))


def told_labels(
    database: Database, tables: TablesMapping | None, facts: Iterable[FactTexts]
) -> Iterator[FactTexts]:
    """What facts of the target say, as the facts that `known` in a mapping names."""
    target = None if tables is None else target_of(tables)
    if tables is None or target is None or tables.known not in database.predicates():
        return
    (known,) = (one for one in mapped_predicates(tables) if one.name == tables.known)
    for one in facts:
        if one.predicate == target.predicate:
            rows = _as_arguments(one.rows, known.subjects)
            if rows.num_rows:
                yield FactTexts(known.name, rows, known.subjects if known.functional else None)


def _as_arguments(rows: pyarrow.Table, arguments: int) -> pyarrow.Table:
    """Labels of yes and no with what they say as an argument."""
    import pyarrow

    value, partition = (rows.column(name).to_pylist() for name in ("value", "partition"))
    said = [at for at, one in enumerate(value) if one in (0, 1) and partition[at] != "target"]
    about = ("world", *(f"a{place}" for place in range(arguments)))
    return pyarrow.table(
        {
            **{name: rows.column(name).take(pyarrow.array(said, "int64")) for name in about},
            f"a{arguments}": [str(int(value[at])) for at in said],
            "value": pyarrow.array([1.0] * len(said), pyarrow.float64()),
            "partition": ["evidence"] * len(said),
        }
    )
