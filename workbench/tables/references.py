"""Keys, and the columns that refer to them: values contained in a key, and names that agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.database import ForeignKey
from workbench.tables.contained import WELL_NAMED, WHOLE, alike_of, contained, inside
from workbench.tables.declared import FOREIGN, Declared
from workbench.tables.keys import Key, called_like_key
from workbench.tables.kinds import NEARLY_ALL, may_be_key, share
from workbench.tables.numbered import (
    NumberedTable,
    leading_pair,
    marked_pairs,
    may_name,
    may_name_both,
    may_refer,
    numbered_tables,
)
from workbench.tables.profile import ColumnCounts, TableCounts
from workbench.tables.reference_names import SURE, names_agree, names_one_of_its_own
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import Alike


@dataclass(frozen=True)
class KeyReference:
    """A column whose values are keys of a table.

    `missing`: different values that are no key there. `alike`: which ways of writing are one.
    """

    column: str
    table: str
    reason: str
    missing: int
    alike: Alike | None = None

    @property
    def said(self) -> str:
        """The reason, with how many values are no keys."""
        return self.reason + (f"; {self.missing:,} are not" if self.missing else "")


def find_references(
    staging: Staging, tables: Sequence[TableCounts], keys: Mapping[str, Key], declared: Declared
) -> dict[tuple[str, str], KeyReference]:
    """The references of all tables, by table and column.

    A column refers to a key where that is declared, whatever its values; else where at least 95 %
    of its different values (80 % where it is called as the key or its table) are among the key's
    and either the names agree, or the values are codes,
    or names of half of the keys, that no other column would share by chance; of its own table also
    where it is called as such (`manager`, `reply_to`). A table's own key may refer to that of
    another (a table that says more of the same things), where columns of one name agree on the rows
    that meet.

    Cost: for each pair of a column and a key that may fit, a look at a thousand values; a join
    where these fit.
    """
    targets = [
        (counts, counts.by_name[keys[counts.table.name].column])
        for counts in tables
        if counts.table.name in keys
    ]
    found: dict[tuple[str, str], KeyReference] = {}
    for counts in tables:
        for column in counts.columns:
            best = _declared(staging, counts, column, targets, declared)
            best = best or _row_of_a_list(counts, column, targets)
            if best is None and may_be_key(column) and column.distinct > 1:
                best = _best_target(staging, counts, column, targets, keys)
            if best is not None:
                found[counts.table.name, column.name] = best
    return found | _find_numbered(staging, tables, keys, found)


def _declared(
    staging: Staging,
    counts: TableCounts,
    column: ColumnCounts,
    targets: Sequence[tuple[TableCounts, ColumnCounts]],
    declared: Declared,
) -> KeyReference | None:
    """The reference that a column is declared to be; dangling values are counted."""
    for other, key in targets:
        wanted = ForeignKey((column.name,), other.table.name, (key.name,))
        if column.filled and wanted in declared.references.get(counts.table.name, ()):
            hits, different = inside(staging, counts.table, column, other.table, key)
            why = f"{FOREIGN}, {share(hits, different)} of its values are in "
            why += f"{other.table.name}.{key.name}"
            missing, alike = different - hits, alike_of(column, key)
            return KeyReference(column.name, other.table.name, why, missing, alike)
    return None


def _row_of_a_list(
    counts: TableCounts, column: ColumnCounts, targets: Sequence[tuple[TableCounts, ColumnCounts]]
) -> KeyReference | None:
    """Of a table made of lists in cells: the reference to the row that the list stood in."""
    source = counts.table.source
    if not source.is_list or column is not counts.columns[0]:
        return None
    for other, key in targets:
        rows = other.table.source
        if (rows.path, rows.is_list, key.name) == (source.path, False, column.name):
            why = f"{other.table.name} has these lists in its column {source.part}"
            return KeyReference(column.name, other.table.name, why, 0)
    return None


def _find_numbered(
    staging: Staging,
    tables: Sequence[TableCounts],
    keys: Mapping[str, Key],
    named: Mapping[tuple[str, str], KeyReference],
) -> dict[tuple[str, str], KeyReference]:
    """The references of whole numbers that names do not tell."""
    found: dict[tuple[str, str], KeyReference] = {}
    targets = numbered_tables(tables, keys)
    for counts in tables:
        table, own = counts.table.name, keys.get(counts.table.name)
        columns = [one for one in may_refer(counts, own) if (table, one.name) not in named]
        # What names say stands when the pair at the left is seen, which only its place makes one.
        groups = [
            *((pair, may_name_both) for pair in marked_pairs(columns)),
            *(((one,), may_name) for one in columns),
            *((pair, may_name_both) for pair in leading_pair(counts, columns, own)),
        ]
        for group, fits in groups:
            known = {found[table, one.name].table for one in group if (table, one.name) in found}
            fitting = [one for one in targets if fits(counts, group, one) and known <= {one.name}]
            left = [one for one in group if (table, one.name) not in found]
            found |= _widest(staging, counts, left, fitting) if left else {}
    return found


def _widest(
    staging: Staging,
    counts: TableCounts,
    columns: Sequence[ColumnCounts],
    targets: Sequence[NumberedTable],
) -> dict[tuple[str, str], KeyReference]:
    """The references of columns to the one table over whose keys they reach the farthest;
    none where two tables are alike in that."""
    fits: list[tuple[float, dict[tuple[str, str], KeyReference]]] = []
    for target in targets:
        found = {}
        for column in columns:
            fit = contained(staging, counts.table, column, target.counts.table, target.key)
            if fit is None or fit[0] < NEARLY_ALL * fit[1]:
                break
            alike = alike_of(column, target.key)
            why = f"{share(*fit)} of its numbers are in {target.name}.{target.key.name}"
            why += WHOLE if alike else ""
            missing = fit[1] - fit[0]
            found[counts.table.name, column.name] = KeyReference(
                column.name, target.name, why, missing, alike
            )
        else:
            fits.append((target.reach(columns), found))
    fits.sort(key=lambda one: -one[0])
    if not fits or (len(fits) > 1 and fits[0][0] == fits[1][0]):
        return {}
    return fits[0][1]


def _best_target(
    staging: Staging,
    counts: TableCounts,
    column: ColumnCounts,
    targets: Sequence[tuple[TableCounts, ColumnCounts]],
    keys: Mapping[str, Key],
) -> KeyReference | None:
    own = keys.get(counts.table.name)
    is_key = own is not None and own.column == column.name
    best: tuple[float, float, KeyReference] | None = None
    for other, key in targets:
        if other is counts and is_key:
            continue
        score = names_agree(column.name, other.table.name, key.name)
        if other is counts and not score:
            score = names_one_of_its_own(column.name)
        if score == 0 and not _may_be_codes(column):
            continue
        if is_key and (score < 2 or not _says_more(staging, counts, column, other, key)):
            continue
        if other is counts and _is_copy(staging, counts.table, column.name, key.name):
            continue
        fit = contained(staging, counts.table, column, other.table, key)
        if fit is None:
            continue
        hits, different = fit
        fits = hits / different
        if fits < (WELL_NAMED if score == SURE else NEARLY_ALL):
            continue
        if (
            score == 0
            and not _like_codes(column)
            and not (fits == 1 and 2 * hits >= other.different)
        ):
            continue
        why = f"{share(hits, different)} of its values are in {other.table.name}.{key.name}"
        why += ", and the names agree" if score > 1 else ", of its own table" if score else ""
        alike = alike_of(column, key)
        why += WHOLE if alike else ""
        missing = different - hits
        refers = KeyReference(column.name, other.table.name, why, missing, alike)
        candidate = (score, fits, refers)
        if best is None or candidate[:2] > best[:2]:
            best = candidate
    return best[2] if best else None


def _may_be_codes(column: ColumnCounts) -> bool:
    """Texts that could be keys elsewhere whatever their column is called; some codes of digits and
    letters are numbers, too (`12345678`, `7e102233`).
    """
    return 4 * column.numbers <= column.filled and column.truths == 0 and column.distinct >= 5


def _like_codes(column: ColumnCounts) -> bool:
    """Texts of so many values that their being keys elsewhere is no chance.

    Names with spaces repeat from table to table: of few, all must be keys, and of the keys no fewer
    than half.
    """
    return 2 * column.spaced <= column.filled or column.distinct >= 20


def _is_copy(staging: Staging, table: StagedTable, column: str, key: str) -> bool:
    """Whether a column of a table says the same as its key: no reference, a second name."""
    one, other = table.cell(column), table.cell(key)
    same, both = staging.rows(
        f"SELECT count(*) FILTER ({one} = {other}), count({one}) FROM {table.relation} WHERE "
        f"{one} <> ''"
    )[0]
    return int(same) > 0.5 * int(both)


def _says_more(
    staging: Staging,
    counts: TableCounts,
    column: ColumnCounts,
    other: TableCounts,
    key: ColumnCounts,
) -> bool:
    """Whether a table with a key of its own may speak of another's things: the smaller of the two,
    or of equal ones the one that is called less like the key; and columns of one name agree where
    the keys meet."""
    one, two = (
        (of.table.rows, called_like_key(of.table.name, by.name), of.table.name)
        for of, by in ((counts, column), (other, key))
    )
    if one > two:
        return False
    shared = [
        name
        for name in counts.by_name
        if name in other.by_name and name not in (column.name, key.name)
    ]
    if not shared:
        return True
    tests = ", ".join(
        f"count(*) FILTER (a.{counts.table.cell(name)} = b.{other.table.cell(name)})"
        for name in shared
    )
    row = staging.rows(
        f"SELECT count(*), {tests} FROM {counts.table.relation} a JOIN {other.table.relation} b "
        f"ON a.{counts.table.cell(column.name)} = b.{other.table.cell(key.name)}"
    )[0]
    return sum(map(int, row[1:])) >= NEARLY_ALL * int(row[0]) * len(shared)
