"""Rules in plain words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from workbench.structure.candidate import Candidate, Onward
from workbench.structure.path_search import paths
from workbench.structure.relational import Column, Reference, Schema, Table
from workbench.structure.table_paths import Hop, Path
from workbench.structure.terms import Condition, Term
from workbench.study.path_words import rows_words, whose
from workbench.study.rule_words import condition_words, readable_step, reason_words, term_words
from workbench.study.words import candidate_words, number_text

PATIENT = Path("visits", (Hop("to", "patient_id", "patients"),))
BORN = Candidate(PATIENT, "value", Onward((), Column("birth_date", "date")))


def test_a_date_is_told_as_a_day_or_where_time_counts_as_days_since() -> None:
    old = Condition(0, "at_least", 28040.0)
    assert condition_words(old, BORN) == "its patient's birth date is at least 2046-10-09"
    assert (
        condition_words(old, BORN, timed=True)
        == "days since its patient's birth date is at least 28,040"
    )


@pytest.mark.parametrize(
    ("column", "aggregate", "spread", "words"),
    [
        (Column("income", "number"), "mean", 4200.0, "each 1,000 of the mean income of"),
        (Column("share", "number"), "max", 0.03, "each 0.01 of the greatest share of"),
        (Column("age", "number"), "mean", 8.0, "each unit of the mean age of"),
        (Column("since", "date"), "max", 3000.0, "each year that the latest since of"),
        (Column("since", "date"), "min", 40.0, "each month that the earliest since of"),
        (Column("since", "date"), "mean", 4.0, "each day that the mean since of"),
    ],
)
def test_weights_of_numbers_are_for_steps_that_people_read(
    column: Column, aggregate: Any, spread: float, words: str
) -> None:
    visits = Path("patients", (Hop("from", "patient_id", "visits"),))
    candidates = [Candidate(visits, aggregate, Onward((), column))]
    term = Term(column=0, form="number", low=-np.inf, high=np.inf, spread=spread)
    step = readable_step(term, candidates)
    assert term_words(term, candidates, step=step).startswith(words)
    assert step <= spread < 10 * step or 0.1 <= spread < 10 or column.kind == "date"


def test_what_is_counted_is_told_one_by_one_or_ten_by_ten() -> None:
    visits = Path("patients", (Hop("from", "patient_id", "visits"),))
    drug = Onward((), Column("drug", "category", ("A", "B")))
    said = [
        term_words(
            Term(column=0, form="number", low=-np.inf, high=np.inf, spread=spread),
            [candidate],
            step=step,
        )
        for candidate, spread, step in (
            (Candidate(visits, "count"), 2.0, 1.0),
            (Candidate(visits, "count"), 20.0, 10.0),
            (Candidate(visits, "different", drug), 2.0, 1.0),
            (Candidate(visits, "mean", Onward((), Column("cost", "number"))), 2.0, 1.0),
        )
    ]
    assert said == [
        "each of its visits",
        "each 10 of its visits",
        "each different drug of its visits",
        "each unit of the mean cost of its visits",
    ]


def test_of_a_category_that_is_unknown_no_value_is_named() -> None:
    town = Candidate(PATIENT, "is", Onward((), Column("town", "category", ("Ulm", "Jena"))), "Ulm")
    assert condition_words(Condition(0, "missing"), town) == "its patient's town is unknown"
    assert condition_words(Condition(0, "at_least", 0.5), town) == "its patient's town is Ulm"


def test_references_are_called_by_what_they_lead_to() -> None:
    visits = Path("visits", (*PATIENT.hops, Hop("from", "patient_id", "visits")))
    assert candidate_words(Candidate(visits, "count")) == "number of visits of its patient"
    mine = Path("visits", (Hop("from", "visit_id", "prescriptions"),))
    assert candidate_words(Candidate(mine, "count")) == "number of its prescriptions"


def test_the_two_ends_of_a_relation_among_like_things_are_told_apart() -> None:
    ends = {
        end: Path("papers", (Hop("from", start, "cites"), Hop("to", end, "papers")))
        for start, end in (("citing_id", "cited_id"), ("cited_id", "citing_id"))
    }
    said = {end: candidate_words(Candidate(path, "count")) for end, path in ends.items()}
    assert said == {
        "cited_id": "number of its cited papers (through cites)",
        "citing_id": "number of its citing papers (through cites)",
    }


def test_no_step_of_a_long_way_goes_untold() -> None:
    hops = (
        Hop("from", "student", "enrolments"),
        Hop("to", "course", "courses"),
        Hop("from", "course", "enrolments"),
        Hop("to", "student", "students"),
    )
    said = candidate_words(Candidate(Path("students", hops), "count"))
    assert said == "number of students of the same course (through enrolments)"
    assert candidate_words(Candidate(Path("students", hops[:3]), "count")) == (
        "number of enrolments of the same course (through enrolments)"
    )


def test_a_reason_says_the_number_that_the_row_has() -> None:
    visits = Candidate(Path("patients", (Hop("from", "patient_id", "visits"),)), "count")
    friends = Candidate(
        Path("people", (Hop("from", "a", "ties"), Hop("to", "b", "people"))), "labelled", label=1
    )
    number, logarithm = Term((), 0, "number"), Term((Condition(0, "at_least", 2.0),), 0, "log")
    assert reason_words(number, [visits], 21.0) == "number of its visits is 21"
    assert reason_words(logarithm, [visits], 21.0) == (
        "number of its visits is 21, where number of its visits is at least 2"
    )
    assert reason_words(number, [friends], 4.0) == "known yes among people tied to it by b: 4"
    suppliers = Path("firms", (Hop("from", "buyer", "sales"), Hop("to", "supplier", "firms")))
    late = Candidate(suppliers, "labelled", label=1)
    assert reason_words(number, [late], 2.0) == (
        "known yes among its supplier firms (through sales): 2"
    )


def test_known_answers_of_rows_with_the_same_owner_are_told_by_the_owner() -> None:
    hops = (Hop("to", "member_id", "members"), Hop("from", "member_id", "loans"))
    late = Candidate(Path("loans", hops), "labelled", label=1)
    assert candidate_words(late) == "number of known yes among other loans of its member"
    number = Term((), 0, "number")
    assert term_words(number, [late]) == "each known yes among other loans of its member"
    any_, none = Condition(0, "at_least", 1.0), Condition(0, "below", 1.0)
    assert condition_words(any_, late) == "at least one known yes among other loans of its member"
    assert condition_words(none, late) == "no known yes among other loans of its member"


def test_columns_of_what_rows_refer_to_are_told_by_its_name() -> None:
    orders = Path("people", (Hop("from", "person_id", "orders"),))
    onward = Onward((Reference("product_id", "products"),), Column("price", "number"))
    assert (
        candidate_words(Candidate(orders, "mean", onward)) == "mean product's price of its orders"
    )


def test_what_is_known_of_other_rows_is_said_to_be_known() -> None:
    hops = (
        Hop("from", "isbn", "writes"),
        Hop("to", "author", "authors"),
        Hop("from", "author", "writes"),
        Hop("to", "isbn", "books"),
    )
    genre = Onward((), Column("genre", "category", ("crime", "travel")))
    share = Candidate(Path("books", hops), "share", genre, "crime", label=0)
    assert candidate_words(share) == (
        "share of other books of the same author (through writes) with known genre = crime"
    )
    pay = Onward((), Column("pay", "number"))
    mean = Candidate(Path("staff", (Hop("shared", "team", "staff"),)), "mean", pay, label=0)
    assert candidate_words(mean) == "mean known pay of other staff with the same team"


def test_rows_of_what_shares_a_value_with_ones_own_are_told_by_it() -> None:
    hops = (Hop("to", "client_id", "clients"), Hop("shared", "phone", "clients"))
    others = Path("loans", hops)
    known = Candidate(others.then(Hop("from", "client_id", "loans")), "labelled", label=1)
    assert candidate_words(known) == (
        "number of known yes among loans of other clients with the same phone as its client"
    )
    assert candidate_words(Candidate(others, "count")) == (
        "number of other clients with the same phone as its client"
    )


def test_what_is_true_or_false_is_said_to_be_or_not_to_be() -> None:
    insured = Candidate(PATIENT, "value", Onward((), Column("insured", "flag")))
    ulm = Candidate(PATIENT, "is", Onward((), Column("town", "category", ("Ulm",))), "Ulm")
    cold = Candidate(Path("visits"), "is", Onward((), Column("note", "text", ("cold",))), "cold")
    yes, no = Condition(0, "at_least", 0.5), Condition(0, "below", 0.5)
    assert condition_words(yes, insured) == "its patient's insured is yes"
    assert condition_words(no, ulm) == "its patient's town is not Ulm"
    assert condition_words(no, cold) == "note has not the word cold"


def test_weekdays_and_months_are_named() -> None:
    weekday = Onward((), Column("sent_on", "calendar", part="weekday"))
    order = Path("items", (Hop("to", "order_id", "orders"),))
    late = Candidate(order, "value", weekday)
    month = Candidate(Path("items"), "value", Onward((), Column("sold", "calendar", part="month")))
    assert condition_words(Condition(0, "at_least", 4.5), late) == (
        "weekday of its order's sent on is Friday or later"
    )
    assert condition_words(Condition(0, "below", 6.0), late) == (
        "weekday of its order's sent on is before Saturday"
    )
    assert condition_words(Condition(0, "at_least", 12), month) == ("month of the sold is December")
    assert condition_words(Condition(0, "below", 2), month) == "month of the sold is January"
    hour = Candidate(Path("items"), "value", Onward((), Column("sold", "calendar", part="hour")))
    assert condition_words(Condition(0, "below", 5.5), hour) == "hour of the sold is before 6:00"
    night = condition_words(Condition(0, "at_least", 21.5), hour)
    assert night == "hour of the sold is 22:00 or later"


def test_rows_of_large_numbers_and_ways_that_numbers_go_are_told() -> None:
    events = Path("machines", (Hop("from", "machine_id", "events"),))
    severity = Onward((), Column("severity", "number", (">= 3",)))
    severe = Candidate(events, "sum", severity, ">= 3", 7)
    assert condition_words(Condition(0, "at_least", 2), severe, timed=True) == (
        "number of its events with severity of at least 3 in the last 7 days is at least 2"
    )
    latest = Candidate(events, "latest", severity)
    change = Candidate(
        events, "difference", compared=(latest, Candidate(events, "previous", severity))
    )
    assert candidate_words(change) == (
        "severity of the latest of its events less that of the one before"
    )
    repair = Onward((), Column("repaired_on", "number", since="broken_on"))
    assert candidate_words(Candidate(events, "mean", repair)) == (
        "mean days from broken on to repaired on of its events"
    )


def test_references_are_told_with_what_they_lead_to_where_they_are_not_called_so() -> None:
    year = Onward((), Column("year", "number"))
    said = {
        column: candidate_words(
            Candidate(Path("cites", (Hop("to", column, "papers"),)), "value", year)
        )
        for column in ("citing_id", "cited_paper")
    }
    assert said == {
        "citing_id": "its citing paper's year",
        "cited_paper": "its cited paper's year",
    }
    games = Path("players", (Hop("from", "white_id", "games"),))
    assert candidate_words(Candidate(games, "count")) == "number of its games as white"


def test_things_are_called_as_people_call_them() -> None:
    book = Column("book", "category", ("B7", "B8"), called=("Emma (B7)", "B8"))
    loans = Path("readers", (Hop("from", "reader", "loans"),))
    counted = Candidate(loans, "sum", Onward((), book), "B7")
    assert candidate_words(counted) == "number of its loans with book = Emma (B7)"
    held = Condition(0, "at_least", 0.5)
    last = Candidate(Path("readers"), "is", Onward((), book), "B8")
    assert condition_words(held, last) == "book is B8"
    assert "book is Emma (B7)" in condition_words(held, replace(last, value="B7"))


def test_a_reference_called_as_the_key_is_told_by_its_table() -> None:
    schema = Schema(
        {
            "members": Table("members", 9, "card"),
            "books": Table("books", 9, "isbn", (Column("pages", "number"),)),
            "loans": Table(
                "loans", 9, None, (), (Reference("card", "members"), Reference("isbn", "books"))
            ),
        }
    )
    of_member = [rows_words(path) for path in paths(schema, "members") if path.many]
    assert of_member[0] == "its loans"
    to_book = [whose(path) for path in paths(schema, "loans") if path.end == "books"]
    assert to_book[0] == "its book's "


def test_a_share_is_told_in_tenths() -> None:
    kinds = Column("kind", "category", ("a", "b"))
    loans = Path("members", (Hop("from", "member_id", "loans"),))
    share = Candidate(loans, "share", Onward((), kinds), "a")
    term = Term((), 0, "number", 0, 1, 0.5, 0.2)
    step = readable_step(term, [share])
    assert step == 0.1
    assert term_words(term, [share], step=step) == "each 10 % more of its loans with kind = a"
    assert term_words(term, [share]) == "the share of its loans with kind = a"


def test_how_long_ago_is_told_in_days_or_where_rows_have_years_in_years() -> None:
    visits = Path("people", (Hop("from", "person_id", "visits"),))
    days = Candidate(visits, "since")
    years = Candidate(visits, "first", value="years")
    assert candidate_words(days) == "days since the latest of its visits"
    term = Term((), 0, "number", 0, 90, 30, 25)
    assert term_words(term, [days], step=10.0) == "each 10 days since the latest of its visits"
    assert term_words(term, [days]) == "each day since the latest of its visits"
    assert term_words(term, [years]) == "each year since the first of its visits"
    held = Condition(0, "at_least", 3.0)
    assert condition_words(held, years) == "years since the first of its visits is at least 3"


def test_nothing_is_counted_by_parts() -> None:
    visits = Path("patients", (Hop("from", "patient_id", "visits"),))
    counted = Candidate(visits, "sum", Onward((), Column("ward", "category", ("A",))), "A")
    assert readable_step(Term(column=0, form="number", spread=0.02), [counted]) == 1.0


def test_rows_of_a_table_named_in_the_singular_are_called_rows() -> None:
    for table, words in (
        ("repair", "its repair rows"),
        ("visits", "its visits"),
        ("people", "its people"),
        ("lab_staff", "its lab staff"),
    ):
        assert rows_words(Path("machines", (Hop("from", "machine", table),))) == words


def test_what_the_latest_is_has_no_unit() -> None:
    loans = Path("loans", (Hop("to", "member", "members"), Hop("from", "member", "loans")))
    mood = Onward((), Column("mood", "category", ("good", "bad")))
    latest = Candidate(loans, "latest_is", mood, "bad", label=1)
    term = Term(column=0, form="number", low=0.0, high=1.0, spread=0.02)
    assert readable_step(term, [latest]) == 1.0
    assert term_words(term, [latest], timed=True) == (
        "mood = bad in the latest of earlier loans of its member where it is known"
    )


def test_what_may_be_a_year_has_no_sign_between_thousands() -> None:
    told = [number_text(value) for value in (2002.0, 2002.5, 1000.0, 38200.0, -2002.0)]
    assert told == ["2002", "2002", "1,000", "38,200", "-2,002"]
