"""Rules found in the data: a search, candidates taken into the editor; an ILP problem imported."""

from __future__ import annotations

from pathlib import Path

from app.candidates import ALEPH, with_rules
from app.state import Server
from tests.app.conftest import Open, finished, sound

ALEPH_FILES = {
    "b": ":- modeh(1, uncle(+person, +person)).\n:- modeb(*, brother(+person, -person)).\n"
    ":- modeb(*, parent(+person, +person)).\n:- determination(uncle/2, brother/2).\n"
    ":- determination(uncle/2, parent/2).\n:- set(minpos, 1).\n"
    + "".join(f"brother(b{n}, p{n}).\nparent(p{n}, c{n}).\n" for n in range(4)),
    "f": "".join(f"uncle(b{n}, c{n}).\n" for n in range(4)),
    "n": "".join(f"uncle(b{n}, c{(n + 1) % 4}).\nuncle(p{n}, c{n}).\n" for n in range(4)),
}


def test_candidates_go_into_the_program_with_their_declarations() -> None:
    theory = (
        "Uncle(person, person)\nBrother(person, person)\nAunt(person, person)\n\n1 "
        "Brother(a, b) => Uncle(a, b)\n"
    )
    text = with_rules(
        "Uncle(person, person)\n", ["1 Brother(a, b) => Uncle(a, b)"], theory, {"Uncle"}
    )
    assert (
        text
        == "Uncle(person, person)\n\nBrother(person, person)\n\n1 Brother(a, b) => Uncle(a, b)\n"
    )


def test_an_ilp_problem_is_imported_searched_and_taken(
    state: Server, page: Open, tmp_path: Path
) -> None:
    for ending, text in ALEPH_FILES.items():
        (tmp_path / f"uncle.{ending}").write_text(text)
    test = page("data")
    test.button_group(key="section").set_value("Aleph files").run()
    test.text_input(key="ilp-path").set_value(str(tmp_path)).run()
    sound(test.button(key="ilp-import").click().run())
    assert "new facts" in test.success[0].value
    test = page("rules")
    sound(test.button_group(key="rules-part").set_value("Find rules in the data").run())
    assert test.selectbox(key="find-method").value == ALEPH
    test.number_input(key="find-limit").set_value(900.0)
    sound(test.button(key="find-run").click().run())
    job = finished(state.jobs.all()[0])
    assert job.status == "done", job.about.error
    sound(test.run())
    table = test.dataframe[-1].value
    assert list(table.columns[:3]) == ["rule", "support", "negatives"]
    assert table["support"].iloc[0] == 4
    assert table["negatives"].iloc[0] == 0
    assert job.about.outcome is not None
    program = with_rules(
        "", [job.about.outcome.candidates[0]["line"]], job.about.outcome.text, set()
    )
    assert not state.workspace.rules.check(program, "mln").has_errors
    assert "brother(" in program
    found = f"find-{hash(tuple(one['line'] for one in job.about.outcome.candidates))}"
    test.session_state[found] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    sound(test.run().button(key="find-take").click().run())
    assert test.text_area(key="rules-text").value == program
    assert state.workspace.rules.at_hand() == (program, "mln")
