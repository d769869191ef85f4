"""The prior's width of generative weights, chosen among training worlds."""

from __future__ import annotations

import numpy as np

from experiments.generative import GenerativeWeights
from experiments.grounded import ground_worlds
from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest
from workbench.language import parse_mln
from workbench.verbs.learn import learn

RULES = (
    "Smokes(person)\nFriends(person, person)\nSmokes(x)\nFriends(x, y) ^ Smokes(x) => Smokes(y)\n"
)
FACTS = {
    "one": "Smokes(A)\nSmokes(B)\nFriends(A, B)\nFriends(C, D)\n",
    "two": "Smokes(A)\nFriends(A, B)\nFriends(B, C)\n",
    "three": "Smokes(C)\nSmokes(D)\nFriends(C, D)\nFriends(A, B)\n",
}


def test_the_width_that_predicts_held_out_worlds_best_is_taken() -> None:
    program = parse_mln(RULES)
    with Database.open() as database:
        database.declare(program)
        for world, facts in FACTS.items():
            load_alchemy_text(database, facts, world=world)
        worlds, templates = ground_worlds(database, program, list(FACTS), query=("Smokes",))
        study = GenerativeWeights(database, program, worlds, templates, "Smokes")
        widths, train = (0.1, 0.5, 5.0), [0, 2]
        turns = [([2], [0]), ([0], [2])]
        scores = [
            np.mean([study._score(study.weights(width, rest), held) for rest, held in turns])
            for width in widths
        ]
        best = widths[int(np.argmax(scores))]
        np.testing.assert_array_equal(study.chosen(train, widths), study.weights(best, train))
        request = GroundRequest(query=("Smokes",), worlds=("one", "three"))
        direct = learn(
            database,
            program,
            request,
            learner="generative_pseudo_likelihood",
            options={"prior_sd": 0.5},
        )
    np.testing.assert_allclose(study.weights(0.5, train), direct.weights, atol=1e-4)
