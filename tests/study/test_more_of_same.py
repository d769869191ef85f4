"""Tables of one row for each thing: of one, and more of the same things beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage


def _files(directory: Path) -> list[Path]:
    """Customers, a profile each of most, and their calls."""
    rng = np.random.default_rng(3)
    customers = [[f"c{k}", 20 + k % 50, str(rng.choice(["yes", "no", ""]))] for k in range(90)]
    profiles = [
        [f"c{k}", str(rng.choice(["basic", "plus"])), k % 7 if k % 9 else ""] for k in range(80)
    ]
    calls = [
        [k, f"c{rng.integers(0, 90)}", int(rng.integers(1, 60)) if k % 9 else ""]
        for k in range(200)
    ]
    return [
        write(directory / "customers.csv", ["customer_id", "age", "left"], customers),
        write(directory / "profiles.csv", ["customer_id", "plan", "bikes"], profiles),
        write(directory / "calls.csv", ["call_id", "customer_id", "minutes"], calls),
    ]


@pytest.mark.parametrize(
    ("target", "told", "never"),
    [
        (
            "customers.left",
            ["its profile's plan = basic", "its profile's bikes", "mean minutes of its calls"],
            ["its profiles", "number of customers"],
        ),
        (
            "calls.minutes",
            ["its profile's bikes", "its customer's age"],
            ["its customer's profiles"],
        ),
        ("profiles.bikes", ["its customer's age"], ["its profiles", "other profiles"]),
    ],
)
def test_what_a_second_table_says_of_things_is_read_as_of_one_row(
    tmp_path: Path, target: str, told: list[str], never: list[str]
) -> None:
    with stage(find_sources(_files(tmp_path))) as staging:
        ready = prepared(staging, target)
        made = candidates_for(staging, ready, np.arange(len(ready.labels)), collective=True)
        words = [candidate_words(one, timed=False) for one in made.candidates]
        assert set(told) <= set(words), [one for one in words if " = c" not in one]
        assert not [one for one in words for no in never if no in one]
        some = [at for at, one in enumerate(made.candidates) if one.aggregate != "labelled"][:60]
        chosen, X = [made.candidates[at] for at in some], made.given(ready.labels)[:, some]
        assert_definitions_say_columns(staging, ready, chosen, np.random.default_rng(1), X)


def test_a_thing_of_which_no_more_is_told_has_nothing_in_common(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    people = [[f"p{k}", f"p{(7 * k + 1) % 60}", ["", "yes", "no"][k % 3]] for k in range(60)]
    profiles = [[f"p{k}", str(rng.choice(["low", "high"]))] for k in range(60) if k % 4]
    files = [
        write(tmp_path / "people.csv", ["person", "boss", "ok"], people),
        write(tmp_path / "profiles.csv", ["person", "level"], profiles),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "people.ok")
        made = candidates_for(staging, ready, np.arange(60), collective=True)
        words = [candidate_words(one, timed=False) for one in made.candidates]
        at = words.index("its boss' profile's level is its profile's level")
        X = made.given(ready.labels)[:, [at]]
        assert set(np.unique(X)) == {0.0, 1.0}
        assert_definitions_say_columns(
            staging, ready, [made.candidates[at]], np.random.default_rng(1), X
        )
