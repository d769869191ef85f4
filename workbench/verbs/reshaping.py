"""Predicates and tables renamed, merged, deleted in facts, rules, query and tables at hand."""

from __future__ import annotations

import re
from dataclasses import replace

from workbench.database import (
    Database,
    delete_predicate,
    merge_predicates,
    relations_read,
    rename_predicate,
)
from workbench.errors import UsageError
from workbench.tables import TablesMapping, renamed
from workbench.verbs.rules import Rules
from workbench.verbs.tables_look import remember_tables, tables_at_hand

_ASIDE_OR_NAME = re.compile(
    r"""//[^\n]*|/\*[\s\S]*?\*/|\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_][A-Za-z0-9_]*(?=\s*\()"""
)


def rename(database: Database, old: str, new: str, *, author: str = "") -> bool:
    """Call a predicate otherwise in facts, rules, query and tables at hand; whether the rules named
    it.

    Recorded runs keep the old name.

    Raises E0203, or E0271 where the new name is taken or cannot be written in a rule.
    """
    with database.transaction():
        rename_predicate(database, old, new)
        return _follow(database, old, new, author)


def merge(database: Database, source: str, into: str, *, author: str = "") -> int:
    """Give one predicate's facts, and its places in the rules at hand, to another; how many facts
    were new to it.

    Raises E0203, or E0272 where their arguments differ or their facts contradict; nothing is
    merged.
    """
    with database.transaction():
        added = merge_predicates(database, source, into)
        _follow(database, source, into, author)
    return added


def delete(database: Database, name: str) -> int:
    """Remove a predicate's facts and declaration; how many there were. Rules of it stay."""
    with database.transaction():
        count = delete_predicate(database, name)
        _ask_for(database, name, None)
        mapping = tables_at_hand(database)
        if mapping is not None:
            remember_tables(database, _renamed(mapping, name, None))
    return count


def rename_table(database: Database, old: str, new: str) -> None:
    """Call one of the tables at hand otherwise, in references to it and in what is predicted, too.

    Facts, rules and the type of its things stay; its files are read under the new name.

    Raises E0235 where no such table is at hand; E0837 where it cannot be called so.
    """
    mapping = tables_at_hand(database) or TablesMapping(())
    remember_tables(database, renamed(mapping, old, new))


def delete_table(database: Database, name: str) -> int:
    """Remove all that one of the tables at hand brought; how many facts there were.

    Raises E0235 where no such table is at hand; E0272 where another table refers to it, or a
    definition reads it.
    """
    mapping = tables_at_hand(database) or TablesMapping(())
    table = mapping.table(name)
    referring = [
        f"{other.name}.{column.name}"
        for other in mapping.tables
        for column in other.references
        if column.table == name and other.name != name
    ]
    referring += [
        one.name for one in mapping.definitions if name.casefold() in relations_read(one.sql)
    ]
    if referring:
        raise UsageError.of(
            "E0272",
            f"{name} is what {', '.join(referring)} refers to",
            help="delete those first",
        )
    made = {column.predicate for column in table.columns} | {table.relation}
    with database.transaction():
        count = sum(delete(database, name) for name in database.predicates() if name in made)
        kept = tuple(other for other in mapping.tables if other.name != name)
        predict = None if mapping.place(mapping.predict or "")[0] == name else mapping.predict
        if kept:
            remember_tables(database, replace(mapping, tables=kept, predict=predict))
        else:
            database.remember("tables", None)
    return count


def _follow(database: Database, old: str, new: str, author: str) -> bool:
    """Write the new name wherever the old one stood; whether the rules at hand did name it."""
    _ask_for(database, old, new)
    mapping = tables_at_hand(database)
    if mapping is not None:
        remember_tables(database, _renamed(mapping, old, new))
    rules = Rules(database)
    text, language = rules.at_hand()
    same = str.casefold if language == "psl" else str
    changed = _ASIDE_OR_NAME.sub(
        lambda found: new if same(found[0]) == same(old) else found[0], text
    )
    if changed != text:
        rules.keep(changed, language, author=author)
    return changed != text


def _ask_for(database: Database, old: str, new: str | None) -> None:
    asked = [name for name in (database.setting("query") or "").split(",") if name]
    if old in asked:
        then = dict.fromkeys(new if name == old else name for name in asked)
        database.remember("query", ",".join(name for name in then if name) or None)


def _renamed(mapping: TablesMapping, old: str, new: str | None) -> TablesMapping:
    """The mapping with another predicate for the old one; a column without one is ignored."""
    tables = []
    for table in mapping.tables:
        columns = [
            replace(one, predicate=new, kind="ignore" if new is None else one.kind)
            if one.predicate == old
            else one
            for one in table.columns
        ]
        relation = new if table.relation == old and new is not None else table.relation
        tables.append(replace(table, columns=tuple(columns), relation=relation))
    defined = [
        replace(one, name=new) if one.name == old and new is not None else one
        for one in mapping.definitions
    ]
    return replace(
        mapping,
        tables=tuple(tables),
        definitions=tuple(one for one in defined if new or one.name != old),
    )
