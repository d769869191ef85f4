"""What is known of the others of a large group: read as a share, by the study as by its program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import inferred, write
from workbench.errors import UsageError
from workbench.structure.table_paths import Hop
from workbench.structure.table_paths import Path as TablePath
from workbench.study.around import around
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.report import write_study
from workbench.study.result import StudyResult
from workbench.tables import find_sources, stage
from workbench.verbs.studying.inference import with_inferred
from workbench.verbs.studying.study import study

N_CAMPAIGNS, N_ROWS = 14, 1400


def sessions() -> pd.DataFrame:
    """A campaign's sessions buy at its own rate; 100 each, and a tenth of the labels is blank."""
    rng = np.random.default_rng(7)
    campaign = rng.integers(N_CAMPAIGNS, size=N_ROWS)
    rate = rng.permutation(np.linspace(0.03, 0.9, N_CAMPAIGNS))
    bought = np.where(rng.random(N_ROWS) < rate[campaign], "yes", "no").astype(object)
    bought[::10] = None
    return pd.DataFrame(
        {
            "session": [f"s{row}" for row in range(N_ROWS)],
            "campaign": [f"{chr(97 + one)} sale" for one in campaign],
            "minutes": rng.integers(1, 90, N_ROWS),
            "bought": bought,
        }
    )


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[StudyResult]]:
    """A study written to a directory, and its results: by its own columns, and as inferred."""
    place, results = tmp_path_factory.mktemp("groups"), list[StudyResult]()

    def kept(staging: Any, ready: Any, result: StudyResult, explain: Any, **given: Any) -> Any:
        results.append(result)
        return with_inferred(staging, ready, result, explain, **given)

    sessions().to_csv(place / "sessions.csv", index=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("workbench.verbs.studying.study.with_inferred", kept)
        results.append(study([place / "sessions.csv"], "sessions.bought", folds=2))
    write_study(results[-1], place / "out")
    return place, results


def loaded(place: Path) -> tuple[wb.Workspace, str]:
    """A workspace with the tables, and the program of the study."""
    workspace = wb.open()
    workspace.load([place / "sessions.csv"], mapping=place / "out" / "dataset.toml", wide=True)
    return workspace, (place / "out" / "program.mln").read_text(encoding="utf-8")


def test_the_share_of_a_group_is_found_and_the_program_says_the_same(
    studied: tuple[Path, list[StudyResult]],
) -> None:
    place, (own, result) = studied
    words = "other sessions with the same campaign with known bought"
    assert any(words in rule.words for rule in result.rules)
    assert result.metrics["AUC-ROC"]["mean"] > 0.75
    asked = ~result.predictions["known"].to_numpy(bool)
    before, after = (one.predictions[asked] for one in (own, result))
    assert list(after["value"]) == pytest.approx(list(before["value"]), abs=1e-12)
    said = inferred(place / "out", [place / "sessions.csv"])
    assert [said[(key,)] for key in after["session"]] == pytest.approx(list(after["value"]))


def test_no_row_reads_its_own_label(studied: tuple[Path, list[StudyResult]]) -> None:
    """A withheld label is predicted from the others' alone: it is so when its own is another."""
    place, _ = studied
    workspace, program = loaded(place)
    row = 'Bought("s1")'
    values = []
    for label in (0, 1):
        workspace.data.correct(f"KnownBought(s1, {label})")
        found = workspace.infer(program, labels="withheld", task="marginal", query=["Bought"])
        values.append(found.predictions().set_index("atom")["value"])
    assert values[0][row] == pytest.approx(values[1][row], abs=1e-12)
    assert (values[0] - values[1]).abs().max() > 1e-6, "others of its campaign read it"


def test_folds_of_atoms_are_refused_where_facts_tell_their_labels(
    studied: tuple[Path, list[StudyResult]],
) -> None:
    workspace, program = loaded(studied[0])
    with pytest.raises(UsageError, match="E0846"):
        workspace.crossval(program, query=["Bought"], folds=3)


@pytest.mark.parametrize("timed", [False, True])
def test_a_group_reaches_what_its_pairs_reach(tmp_path: Path, timed: bool) -> None:
    frame = sessions().head(300)
    frame["day"] = [f"2024-01-{1 + row % 28:02}" for row in range(300)]
    frame.loc[::17, "campaign"] = None
    frame.to_csv(tmp_path / "sessions.csv", index=False)
    path = TablePath("sessions", (Hop("shared", "campaign", "sessions"),))
    assert path.is_group
    with stage(find_sources([tmp_path / "sessions.csv"])) as staging:
        ready = prepared(staging, "sessions.bought", time="sessions.day" if timed else None)
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
        found = around(columns, path)
        lows, high, rowids, _ = columns.ends(path)
    for row in range(300):
        ends = found.ends[found.low[None][row] : found.high[row]]
        others = set(rowids[lows[None][row] : high[row]])
        assert set(ready.rows[ends]) - {ready.rows[row]} == others
        assert not timed or row not in ends


def test_a_label_that_is_given_is_read_by_definitions_too(
    studied: tuple[Path, list[StudyResult]],
) -> None:
    workspace, program = loaded(studied[0])

    def told(session: str = "s0") -> list[tuple[object, ...]]:
        said = f"SELECT number FROM facts.\"KnownBought\" WHERE session = '{session}'"
        return list(workspace.data.query(said).rows)

    assert told() == []
    workspace.data.add("Bought(s0)")
    assert told() == [(1,)]
    workspace.data.correct("!Bought(s0)")
    assert told() == [(0,)]
    workspace.data.remove("!Bought(s0)")
    assert told() == []
    run = workspace.infer(program, task="marginal", query=["Bought"])
    question = workspace.review(run.run_id).questions[0]
    session = question.atom.split('"')[1]
    workspace.answer(question, True, reviewer="Ada")
    assert told(session) == [(1,)]
    workspace.undo_answer(reviewer="Ada")
    assert told(session) == []


def test_definitions_say_what_is_known_of_lines_of_a_product_a_customer_and_a_brand(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(9)
    n = 900
    lines = pd.DataFrame(
        {
            "line": [f"l{row}" for row in range(n)],
            "order": [f"o{one}" for one in rng.integers(150, size=n)],
            "product": [f"p{one}" for one in rng.integers(24, size=n)],
            "returned": np.where(rng.random(n) < 0.3, "yes", "no").astype(object),
        }
    )
    lines.loc[::9, "returned"] = None
    orders = [[f"o{row}", f"c{row % 25}"] for row in range(150)]
    products = [[f"p{row}", f"brand {row % 12}"] for row in range(24)]
    lines.to_csv(tmp_path / "lines.csv", index=False)
    files = [
        tmp_path / "lines.csv",
        write(tmp_path / "orders.csv", ["order", "customer"], orders),
        write(tmp_path / "customers.csv", ["customer"], [[f"c{row}"] for row in range(25)]),
        write(tmp_path / "products.csv", ["product", "brand"], products),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "lines.returned")
        made = candidates_for(staging, ready, np.arange(n), collective=True)
        shares = [at for at, one in enumerate(made.candidates) if one.aggregate == "mean"]
        shares = [at for at in shares if made.candidates[at].label is not None]
        paths = {made.candidates[at].path for at in shares}
        kinds = {tuple(hop.kind for hop in path.suffix) for path in paths}
        assert kinds == {("from",), ("from", "from"), ("shared", "from")}
        X = made.given(ready.labels)[:, shares]
        every = [made.candidates[at] for at in shares]
        assert_definitions_say_columns(staging, ready, every, rng, X)
