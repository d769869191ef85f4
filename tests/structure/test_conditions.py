"""Constants of categories and thresholds of numbers as predicates of a search."""

from __future__ import annotations

import numpy as np

from workbench.structure.background import Background
from workbench.structure.conditions import AtomCondition, NumberFacts, with_conditions

NAMES = ("Grade", "Friends", "Out")
TYPES = (("pupil", "grade"), ("pupil", "pupil"), ("pupil",))


def world(grades: list[int]) -> Background:
    pupils = np.arange(len(grades), dtype=np.int32)
    facts = (
        np.stack([pupils, np.array(grades, np.int32)], axis=1),
        np.stack([pupils, np.roll(pupils, 1)], axis=1),
        pupils[:3, None],
    )
    constants = {"pupil": [f"P{k}" for k in range(40)], "grade": ["A", "b c", "D"]}
    return Background(NAMES, TYPES, facts, constants)


def ages(values: list[float]) -> dict[str, NumberFacts]:
    pupils = np.arange(len(values), dtype=np.int32)[:, None]
    return {"Age": NumberFacts(("pupil",), pupils, np.array(values))}


def test_a_category_has_a_predicate_for_each_constant_of_enough_facts() -> None:
    worlds = [world([0] * 4 + [1] * 6), world([0] * 4 + [1] * 2 + [2] * 3)]
    made = with_conditions(worlds, [{}, {}], ["Out"], 20)
    assert made[0].predicates == made[1].predicates
    number = len(NAMES)
    literals = [" ^ ".join(made[0].parts(number + k, ["x"])) for k in range(len(made[0].inline))]
    assert literals == ["Grade(x, A)", 'Grade(x, "b c")'], "D has three facts, pupils are things"
    assert made[0].facts[number + 1].ravel().tolist() == [4, 5, 6, 7, 8, 9]
    assert made[1].facts[number + 1].ravel().tolist() == [4, 5]
    assert with_conditions(worlds, [{}, {}], ["Out"], 2)[0].predicates == NAMES, "three constants"


def test_numbers_are_cut_between_values_near_their_quantiles() -> None:
    made = with_conditions([world([0] * 20)], [ages([float(k) for k in range(20)])], ["Out"], 20)[0]
    cuts: dict[str, int] = {}
    for number in range(len(NAMES), len(made.predicates)):
        text = " ^ ".join(made.parts(number, ["x"]))
        assert text.startswith("Age(x, age_x) ^ age_x ")
        cuts[text.rpartition("age_x ")[2]] = len(made.facts[number])
    assert {"< 4.5": 5, ">= 4.5": 15, "< 12.5": 13, ">= 12.5": 7}.items() <= cuts.items()
    assert all(size >= 5 for size in cuts.values())


def test_things_with_two_numbers_have_no_thresholds() -> None:
    """A rule would count a thing's numbers, and a condition only says whether there is one."""
    twice = {
        "Age": NumberFacts(("pupil",), np.repeat(np.arange(10, dtype=np.int32), 2)[:, None],
                           np.arange(20.0))
    }  # fmt: skip
    assert with_conditions([world([0] * 20)], [twice], ["Out"], 20)[0].predicates == NAMES


def test_a_condition_stands_where_its_argument_does() -> None:
    assert AtomCondition("Likes", 0, "Ann").written(["y"]) == ("Likes(Ann, y)",)
    assert AtomCondition("Paid", 2, "7.5", "<").written(["x", "y"]) == (
        "Paid(x, y, paid_x_y)",
        "paid_x_y < 7.5",
    )
