"""Tables of grammars: kept beside byte code, and made again where they are no good."""

from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from lark.grammar import Rule

from workbench.language import grammar as grammars
from workbench.language.grammar import Grammar
from workbench.language.mln.parsing import GRAMMAR as MLN
from workbench.language.psl.parsing import GRAMMAR as PSL


def shape(rule: Rule) -> tuple[str, list[str]]:
    return rule.origin.name, [one.name for one in rule.expansion]


@pytest.mark.parametrize("grammar", [MLN, PSL], ids=["mln", "psl"])
def test_kept_tables_read_as_new_ones(
    grammar: Grammar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    Path(cache_from_source(grammars.__file__)).parent.mkdir(parents=True)

    def another(kept: tuple[str, ...] = ()) -> Grammar:
        return Grammar(
            grammar.language, type(grammar.builder), grammar._starts, [*grammar._kept, *kept]
        )

    made = another().parser
    (tables,) = tmp_path.rglob("*.tables")
    read = another().parser
    assert (made.source_path, read.source_path) == ("<string>", "<deserialized>")
    assert [one.name for one in read.terminals] == [one.name for one in made.terminals]
    assert [shape(one) for one in read.rules] == [shape(one) for one in made.rules]
    assert another(("NAME",)).parser.source_path == "<string>"
    tables.write_bytes(tables.read_bytes()[:1000])
    assert another().parser.source_path == "<string>"
    assert another().parser.source_path == "<deserialized>"
