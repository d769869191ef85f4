"""PSL's data files and 2.4 documents, and the way between them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.corpus.test_corpus import programs
from workbench.errors import InputError
from workbench.language import read_program
from workbench.language.declarations import Predicate
from workbench.language.psl.document import PslFacts
from workbench.language.psl.document_faults import document_content
from workbench.language.psl.document_reading import parse_psl_document, read_psl_document
from workbench.language.psl.forms import document_to_files, files_to_document, format_psl_document

DATA = """
predicates:
   Foo/2:
      - closed
      - types:
         - UniqueIntID
         - String
   Bar:
      - open
      - types: [UniqueStringID]
   Baz/1: open

observations:
   foo: foo_obs.txt
targets:
   Bar:
      - a.txt
      - b.txt
"""


def test_a_data_file() -> None:
    document = parse_psl_document(DATA)
    assert document.predicates == (
        Predicate("Foo", ("UniqueIntID", "String"), closed=True),
        Predicate("Bar", ("UniqueStringID",), closed=False),
        Predicate("Baz", ("UniqueStringID",), closed=False),
    )
    assert document.facts == (
        PslFacts("Foo", "observations", "all", "foo_obs.txt"),
        PslFacts("Bar", "targets", "all", "a.txt"),
        PslFacts("Bar", "targets", "all", "b.txt"),
    )


DOCUMENT = """
# A whole line may be a comment.
{
    "options": {"runtime.db.intids": true},
    "learn": {"options": {"grid": 3}},
    "rules": [
        // also this one
        "1.0: Friends(A, B) & Smokes(A) -> Smokes(B) ^2"
    ],
    "predicates": {
        "Friends/2": {"observations": [["Anna", "Bob"], ["Bob", "Carl", 0.5]]},
        "Smokes/1": {
            "evaluations": ["DiscreteEvaluator"],
            "targets": {"learn": ["l.txt"], "infer": ["i.txt", ["Carl"]]}
        }
    }
}
"""


def test_a_document() -> None:
    document = parse_psl_document(DOCUMENT)
    assert document.facts == (
        PslFacts("Friends", "observations", "all", None, (("Anna", "Bob"), ("Bob", "Carl", "0.5"))),
        PslFacts("Smokes", "targets", "learn", "l.txt"),
        PslFacts("Smokes", "targets", "infer", "i.txt"),
        PslFacts("Smokes", "targets", "infer", None, (("Carl",),)),
    )
    assert dict(document.learn_options) == {"grid": 3}
    program = document.program()
    assert program.predicates["Friends"].closed is True
    assert program.predicates["Smokes"].closed is False
    assert parse_psl_document(format_psl_document(document)) == document


@pytest.mark.parametrize(
    "section",
    [
        '"learn": {"predicates": {"Smokes/1": {"targets": []}}}',
        '"infer": {"rules": []}',
        '"options": ["grid"]',
        '"splits": {}',
    ],
)
def test_sections_that_would_be_left_out_are_refused(section: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_psl_document(DOCUMENT.replace('"learn": {"options": {"grid": 3}}', section))
    assert caught.value.diagnostics[0].code == "E0131"


def test_a_fault_points_at_its_key() -> None:
    text = """{"options": {"runtime.learn": "true"}, "rules": ["1: P(A)"],
"predicates": {"P/1": {"learn": {"targets": ["t.txt"]}}}}"""
    with pytest.raises(InputError) as caught:
        parse_psl_document(text, "json")
    (fault,) = caught.value.diagnostics
    assert fault.span is not None
    assert (fault.code, fault.span.line, fault.span.column) == ("E0131", 2, 25)


def test_facts_beside_a_mark_are_read() -> None:
    text = (
        '{"predicates": {"Open/1": ["open", {"observations": [["a", 1.0]], "targets": '
        '[["b"]]}]}, "rules": []}'
    )
    document = parse_psl_document(text)
    assert document.predicates == (Predicate("Open", ("UniqueStringID",), closed=False),)
    assert [(one.partition, one.rows) for one in document.facts] == [
        ("observations", (("a", "1.0"),)),
        ("targets", (("b",),)),
    ]


def test_rules_over_undeclared_predicates() -> None:
    text = DOCUMENT.replace("-> Smokes(B)", "-> Smoke(B)")
    with pytest.raises(InputError) as caught:
        parse_psl_document(text).program()
    assert [(d.code, d.help) for d in caught.value.diagnostics] == [
        ("E0104", "did you mean Smokes?")
    ]


def test_errors_of_rules_point_into_the_document() -> None:
    text = DOCUMENT.replace("-> Smokes(B)", "-> Smokes(C)")
    with pytest.raises(InputError) as caught:
        parse_psl_document(text).program()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    line = text.split("\n")[diagnostic.span.line - 1]
    assert line[diagnostic.span.column - 1 :].startswith("C) ^2")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("predicates: [Foo/2: open", "E0130", "no YAML"),
        ('{"predicates": {', "E0130", "no JSON"),
        ('{"rules": ' + "[" * 100_000, "E0130", "it nests too deeply"),
        ("rules: " + "[" * 5_000, "E0130", "it nests too deeply"),
        ("just words", "E0131", "no mapping of sections"),
        ("predicats:\n  Foo/2: open", "E0131", "there is no section `predicats`"),
        ("predicates:\n  Foo: open", "E0131", "how many arguments"),
        ("predicates:\n  Foo/2: shut", "E0131", "`shut` says nothing"),
        (
            "predicates:\n  Foo/1: open\nobservations:\n  Fo: a.txt",
            "E0104",
            "there is no predicate Fo",
        ),
        (
            "predicates:\n  Foo/1: open\nobservations:\n  Foo: 3",
            "E0131",
            "neither a file nor a row",
        ),
    ],
)
def test_wrong_documents(text: str, code: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_psl_document(text)
    assert caught.value.diagnostics[0].code == code
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "path", programs(".data"), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_data_files_of_the_corpus(path: Path) -> None:
    assert read_psl_document(path).facts


@pytest.mark.parametrize(
    "path",
    [p for p in programs(".json") if p.parent.parent.name == "psl-models"],
    ids=lambda path: path.name,
)
def test_documents_of_the_corpus(path: Path) -> None:
    document = read_psl_document(path)
    assert read_program(path) == document.program()
    assert parse_psl_document(format_psl_document(document)) == replace(document, source=None)
    files = document_to_files(document, path.stem)
    program = read_program(path)
    data = {
        name: parse_psl_document(text) for name, text in files.items() if name.endswith(".data")
    }
    if len(data) == 1:
        back = files_to_document(program, data[f"{path.stem}.data"])
        assert {(f.predicate, f.partition, f.split) for f in back.facts} == {
            (f.predicate, f.partition, f.split) for f in document.facts
        }
    else:
        back = files_to_document(
            program, data[f"{path.stem}-eval.data"], data[f"{path.stem}-learn.data"]
        )
        assert set(back.facts) == set(document.facts)
    assert back.program().rules == program.rules


def test_rows_become_tab_separated_files() -> None:
    files = document_to_files(parse_psl_document(DOCUMENT), "model")
    assert files["model_Friends_observations.txt"] == "Anna\tBob\nBob\tCarl\t0.5\n"
    assert set(files) == {
        "model.psl",
        "model-eval.data",
        "model-learn.data",
        "model_Friends_observations.txt",
        "model_Smokes_targets_infer.txt",
    }


def test_rules_of_one_line_stay_apart() -> None:
    rules = [
        "0.5: !Vote(A, B)",
        "Vote(A, B) + Vote(B, A) <= 1 .",
        "2: Knows(A, '//#') -> Vote(A, A) // why",
        "1: !Vote(A, A)",
    ]
    document = {"rules": rules, "predicates": {"Vote/2": {"targets": [["a", "b"]]}, "Knows/2": {}}}
    program = parse_psl_document(json.dumps(document), "m.json").program()
    assert [rule.weight.kind for rule in program.rules] == ["given", "hard", "given", "given"]
    assert [rule.span.column for rule in program.rules if rule.span] == [13, 33, 67, 110]
    escaped = {**document, "rules": ['1: Knows(A, "x") -> Vote(A, A)', *rules]}
    assert len(parse_psl_document(json.dumps(escaped), "m.json").program().rules) == 5


def test_words_that_begin_like_truth_values_are_names() -> None:
    text = "Trueman/1:\n- [falsehood, true]\n- [FALSE, trueblue]\n- [Yes, off]\n"
    found = document_content(text, None)
    assert found == {"Trueman/1": [["falsehood", True], [False, "trueblue"], ["Yes", "off"]]}
