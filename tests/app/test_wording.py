"""The page's words: places by line, options by where they are, every term explained."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from app.show import short_labels
from app.study_outcome import notes
from app.wording import GLOSSARY, in_page_words, meanings
from workbench.errors import WorkbenchError
from workbench.resources import shipped
from workbench.workspace import open_workspace


@pytest.mark.parametrize(
    ("rules", "line"),
    [("P(a)\n\n1 P(x) => Q(x)\n", 3), ("P(a)\n1 P(x\n", 2), ("P(a)\n1 P(x, y)\n", 2)],
)
def test_faults_are_told_by_line(rules: str, line: int) -> None:
    with open_workspace() as ws:
        rendered = "\n".join(item.render() for item in ws.rules.check(rules, "mln").diagnostics)
        with pytest.raises(WorkbenchError) as raised:
            ws.infer(rules)
    for text in (rendered, str(raised.value)):
        said = in_page_words(text)
        assert f"in line {line}, column" in said
        assert "<text>" not in said
        assert "-->" not in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "name it with --closed Q if no fact means that it is false",
            "choose under closed Q if no fact means",
        ),
        ("raise --limit", "raise limit"),
        ("`workbench runs` lists them", "the page Runs lists them"),
        (
            "learn the weights first (workbench learn), or write",
            "first (Learn and infer: learn), or write",
        ),
        ("such as --set noise=10", "such as noise 10 among the parameters"),
        ("people.csv:3: a cell -- is empty", "people.csv:3: a cell -- is empty"),
    ],
)
def test_options_and_commands_are_told_by_where_they_are(given: str, said: str) -> None:
    assert said in in_page_words(given)
    assert not re.search(r"(?<!\S)--\w|`workbench", in_page_words(given))


def test_what_is_to_be_known_of_a_study_is_one_list() -> None:
    warned = [{"message": "the rules of 1 of 2 folds were chosen in less time"}]
    assert len(notes({"status": "limit", "warnings": warned})) == 2
    assert notes({"status": "done", "warnings": []}) == []


def test_terms_are_in_order_and_explained_without_one_another() -> None:
    assert list(GLOSSARY) == sorted(GLOSSARY)
    assert meanings(["fold", "atom"]).count("\n- ") == 1


def test_texts_of_one_beginning_have_bars_of_their_own() -> None:
    long = "each of the other people that share companies and addresses with it "
    labels = short_labels(
        [f"{long} known to be so", "short", f"{long} known to be not so", "short"]
    )
    assert len(set(labels)) == 4
    assert labels[1] == "short"
    assert max(len(line) for label in labels for line in label.splitlines()) <= 38
    assert "known to be not so" in labels[2].replace("\n", " ")
    (cut,) = short_labels([long * 5])
    assert cut.count("\n") == 3
    assert cut.endswith("...")


@pytest.mark.parametrize(
    "view", sorted(Path(shipped("app", "views")).glob("*.py")), ids=lambda path: path.stem
)
def test_views_hold_no_words_that_streamlit_would_show_unasked(view: Path) -> None:
    alone = [
        line
        for line in ast.parse(view.read_text(encoding="utf-8")).body[1:]
        if isinstance(line, ast.Expr) and not isinstance(line.value, ast.Call)
    ]
    assert not alone, ast.unparse(alone[0])
