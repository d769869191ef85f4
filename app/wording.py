"""The page's words: the field's terms explained, and diagnostics in terms of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable

GLOSSARY = {
    "atom": "One statement about things that is true or false, such as `Smokes(Ann)`: a cell to "
    "be filled.",
    "calibration": "Whether of what is predicted with 0.7 seven in ten are true.",
    "closed": "Taken as known: what is not listed is false.",
    "energy": "The weight of all rules that a set of answers breaks; the best answers have the "
    "least.",
    "engine": "The method that finds predictions from rules and weights.",
    "evidence": "Facts that are known and are not to be predicted.",
    "fact": "One row of a table, or one cell of it, or one link: something known about things.",
    "fold": "A part of the labels that is held back in turn, to score predictions of it.",
    "ground rule": "A rule with things in place of its variables: one instance of it.",
    "held out": "Not learned from, so that a score on it is fair.",
    "hidden": "Neither known nor asked for; filled in on the way.",
    "in-sample": "Scored on what was learned from: it flatters.",
    "label": "A known answer, to learn from and to be scored against (the field says truth).",
    "marginal": "The probability that one statement is true.",
    "predicate": "A column of a table or a kind of link between things: `Age(person, number)`, "
    "`Likes(person, topic)`.",
    "query": "What is to be predicted.",
    "rule": "If this then that, with a weight: how strongly it is believed.",
    "target": "A cell that is to be predicted.",
    "weight": "How much a rule counts: the larger, the more it costs to break it; below 0 it "
    "speaks against.",
    "world": "A database of its own; nothing links two of them.",
}
"""Each term in an analyst's words."""

_WORDS = (
    # Uploads by their file name, not by where the server keeps them.
    (r"[^\s:]*/(?:workbench-\w+|[^/\s]+\.uploads)/\w+/", ""),
    (r"  --> <text>:(\d+):(\d+)", r"  in line \1, column \2"),
    (r"<text>:(\d+):(\d+)", r"line \1, column \2"),
    (r"`workbench (?:explain) (E\d+)`[^,;]*", r"the documents explain \1"),
    (r"`workbench runs`", "the page Runs"),
    (r"\(?`?workbench (learn|infer)`?\)?", r"(Learn and infer: \1)"),
    (r"--query-file \S+", "Query"),
    (
        r"(?:name it with |with )?--(closed|hidden|query|engine|learner|folds|task|only)\b",
        r"choose under \1",
    ),
    (r"--(data|world|mapping)\b(?: [A-Z]+)?", "on the page Data"),
    (r"--(?:set|set-engine) (\w+)=(\S+)", r"\1 \2 among the parameters"),
    (r"--([a-z][a-z-]+)", r"\1"),
)


def in_page_words(text: str) -> str:
    """A diagnostic as the page says it: places in the editor by line, uploads by their names,
    options and commands by where they are here.
    """
    for pattern, said in _WORDS:
        text = re.sub(pattern, said, text)
    return text


def meanings(terms: Iterable[str]) -> str:
    """Terms with what they mean, as Markdown."""
    return "\n".join(f"- **{term}**: {GLOSSARY[term]}" for term in terms)
