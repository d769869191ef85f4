"""UW-CSE, WebKB, Alzheimer (amine) and the bundled university as an analyst would have them:
tables, no modes.

Facts of one thing are columns of its table, facts of several are tables with references; what is to
be foretold is a column of yes and no.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable
from itertools import accumulate, groupby, pairwise
from pathlib import Path

import pandas as pd

Facts = dict[str, list[tuple[str, ...]]]
RelationalSet = tuple[dict[str, pd.DataFrame], str]
"""The tables by name, and TABLE.COLUMN to foretell."""

UNIVERSITY = Path(__file__).parent.parent / "data" / "university"
AREAS = "ai graphics language systems theory".split()
LEVELS = "polar size flex h_doner h_acceptor pi_doner pi_acceptor polarisable sigma".split()
RINGS = "alk_groups n_val ring_substitutions".split()
PLACES = [f"ring_subst_{place}" for place in range(2, 7)]


def university(_: Path) -> RelationalSet:
    """Who advises whom in made-up departments: every student with every professor of the same."""
    names = (
        "students professors wrote published assists teaches studies researches shares_office"
    ).split()
    tables = {name: pd.read_csv(UNIVERSITY / f"{name}.csv") for name in names}
    pairs = tables["students"].merge(tables["professors"], on="department")[
        ["student", "professor"]
    ]
    told = pd.read_csv(UNIVERSITY / "advised_by.csv")
    return tables | {"pairs": _told(pairs, "advised", told)}, "pairs.advised"


def uw_cse(data: Path) -> RelationalSet:
    """Who advises whom in five areas: every student with every professor of the same area."""
    facts: Facts = {}
    areas = []
    for area in AREAS:
        found = _facts((data / "uw-cse" / f"{area}.db").read_text())
        roles = [
            (person, area, role)
            for role in ("student", "professor")
            for person, *_ in found.get(role, ())
        ]
        areas.append(pd.DataFrame(roles, columns=["person", "area", "role"]))
        for predicate, rows in found.items():
            facts.setdefault(predicate, []).extend(rows)
    people = pd.concat(areas)
    for column, predicate in {
        "phase": "inPhase",
        "years": "yearsInProgram",
        "position": "hasPosition",
    }.items():
        people = people.merge(_table(facts, predicate, f"person {column}"), how="left")
    students, professors = (people[people["role"] == role] for role in ("student", "professor"))
    pairs = students[["person", "area"]].rename(columns={"person": "student"})
    pairs = pairs.merge(professors[["person", "area"]].rename(columns={"person": "professor"}))
    tables = {
        "people": people,
        "courses": _table(facts, "courseLevel", "course level"),
        "teaching": _table(facts, "taughtBy", "course person quarter"),
        "assisting": _table(facts, "ta", "course person quarter"),
        "publications": _table(facts, "publication", "title person"),
        "projects": _table(facts, "projectMember", "project person"),
        "first_advisors": _table(facts, "tempAdvisedBy", "student professor"),
        "pairs": _told(
            pairs[["student", "professor"]],
            "advised",
            _table(facts, "advisedBy", "student professor"),
        ),
    }
    return tables, "pairs.advised"


def webkb(data: Path) -> RelationalSet:
    """Which pages of four universities are students': pages, their words, their links."""
    facts: Facts = {}
    for fold in range(1, 5):
        with gzip.open(data / "webkb" / "todtler" / f"webkb-fold{fold}.db.gz", "rt") as stream:
            for predicate, rows in _facts(stream.read()).items():
                facts.setdefault(predicate, []).extend(rows)
    words = _table(facts, "Has", "word page")[["page", "word"]]
    links = _table(facts, "Linkto", "source target")
    kinds = _table(facts, "Pageclass", "page class")
    pages = pd.concat(
        [words["page"], links["source"], links["target"], kinds["page"]]
    ).drop_duplicates()
    students = kinds.loc[kinds["class"] == "Student", ["page"]]
    tables = {
        "pages": _told(pages.sort_values().to_frame("page"), "student", students),
        "words": words,
        "links": links,
    }
    return tables, "pages.student"


def amine(data: Path) -> RelationalSet:
    """Which of two drugs is less toxic (great_ne): drugs by parts with properties as numbers."""
    directory = data / "alzheimer" / "amine"
    facts = _facts((directory / "background.pl").read_text())
    parts = pd.DataFrame({"part": sorted({part for name in LEVELS for part, _ in facts[name]})})
    for name in LEVELS:
        levels = [(part, int(re.sub(r"\D", "", level))) for part, level in facts[name]]
        parts = parts.merge(pd.DataFrame(levels, columns=["part", name]), how="left")
    asked = pd.read_csv(directory / "folds.csv")
    drugs = pd.DataFrame({"drug": sorted({*asked["arg1"], *asked["arg2"]})})
    columns = {
        "r_subst_1": ["ring_1"],
        "r_subst_2": ["ring_2"],
        "r_subst_3": ["ring_3"],
        "x_subst": ["place", "part"],
    }
    columns |= {name: [name] for name in (*RINGS, *PLACES)}
    for predicate, named in columns.items():
        drugs = drugs.merge(_table(facts, predicate, " ".join(["drug", *named])), how="left")
    pairs = pd.DataFrame(
        {"drug": asked["arg1"], "other": asked["arg2"], "better": asked["label"] > 0}
    )
    pairs["better"] = pairs["better"].map({True: "yes", False: "no"})
    return {"parts": parts, "drugs": drugs, "pairs": pairs}, "pairs.better"


SETS: dict[str, Callable[[Path], RelationalSet]] = {
    "university": university,
    "uw-cse": uw_cse,
    "webkb": webkb,
    "amine": amine,
}


def _facts(text: str) -> Facts:
    """Ground atoms by predicate, one a line; nested arguments stay whole."""
    atoms = (re.match(r"(\w+)\((.*)\)[\s.]*$", line) for line in text.splitlines())
    rows = [(found[1], tuple(_split(found[2]))) for found in atoms if found]
    rows.sort(key=lambda row: row[0])
    return {
        name: [arguments for _, arguments in group]
        for name, group in groupby(rows, key=lambda row: row[0])
    }


def _split(arguments: str) -> Iterable[str]:
    """At the commas that stand in no brackets."""
    depth = list(accumulate((letter == "(") - (letter == ")") for letter in arguments))
    cuts = [
        -1,
        *(at for at, letter in enumerate(arguments) if letter == "," and not depth[at]),
        len(arguments),
    ]
    return (arguments[begin + 1 : end].strip() for begin, end in pairwise(cuts))


def _table(facts: Facts, predicate: str, columns: str) -> pd.DataFrame:
    return pd.DataFrame(facts[predicate], columns=columns.split()).drop_duplicates()


def _told(rows: pd.DataFrame, column: str, true: pd.DataFrame) -> pd.DataFrame:
    """The rows with yes where they are among the true ones, else no."""
    keys = list(rows.columns)
    found = rows.merge(true[keys].drop_duplicates(), how="left", on=keys, indicator=True)
    return found.assign(
        **{column: found.pop("_merge").eq("both").map({True: "yes", False: "no"}).astype(str)}
    )
