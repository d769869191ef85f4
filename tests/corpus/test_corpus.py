"""Every program among the real data sets is read, or refused by the construct's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import InputError, WorkbenchError
from workbench.language import clausal_form, read_program
from workbench.resources import datasets_directory


def programs(*endings: str) -> list[Path]:
    try:
        root = datasets_directory()
    except WorkbenchError:
        return []
    return sorted(path for path in root.rglob("*") if path.name.endswith(endings))


REFUSED = {
    "seg.mln": ("E0104", "there is no predicate Infield"),
    "marketing.mln": ("E0113", "utilities"),
}


@pytest.mark.parametrize(
    "path", programs(".mln", ".mln.gz"), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_markov_logic_programs(path: Path) -> None:
    if path.name in REFUSED:
        code, words = REFUSED[path.name]
        with pytest.raises(InputError) as caught:
            read_program(path)
        assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {code}
        assert words in caught.value.diagnostics[0].message
        return
    program = read_program(path)
    assert program.predicates
    small = dict.fromkeys(program.types, ("A", "B"))
    assert {clause.rule for clause in clausal_form(program, small)} == set(
        range(len(program.rules))
    )


@pytest.mark.parametrize("path", programs(".psl"), ids=lambda path: path.name)
def test_soft_logic_programs(path: Path) -> None:
    program = read_program(path)
    assert {clause.rule for clause in clausal_form(program)} == set(range(len(program.rules)))


def test_the_corpus_is_here() -> None:
    if not programs(".mln"):
        pytest.skip("the data sets are not here")
    assert len(programs(".mln", ".mln.gz")) >= 20
    assert len(programs(".psl")) == 17
