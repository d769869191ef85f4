"""Tables of grammars: kept beside byte code, and made again where they are no good."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from lark.grammar import Rule

from workbench.language import grammar as grammars
from workbench.language import parse_mln, parse_psl
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


def _parser_and_names(number: int) -> tuple[object, object, list[str]]:
    """What a thread reads by, and the predicates of the programs that it reads."""
    read = []
    for _ in range(20):
        program = parse_mln(f"P{number}(t)\n" + f"1 P{number}(x) => P{number}(A{number})\n" * 20)
        rules = parse_psl(f"1: Q{number}(A, B) & R{number}(A) -> R{number}(B)\n" * 20)
        read += [*program.predicates, *rules.predicates]
    return MLN.parser, PSL.parser, read


def test_threads_read_at_once_by_one_parser() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(_parser_and_names, range(8)))
    assert {(mln, psl) for mln, psl, _ in found} == {(MLN.parser, PSL.parser)}
    for number, (_, _, read) in enumerate(found):
        assert set(read) == {f"P{number}", f"Q{number}", f"R{number}"}
