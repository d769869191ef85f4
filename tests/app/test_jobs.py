"""Jobs in processes of their own: runs handed back, cancels kept, time, memory, two at once."""

from __future__ import annotations

import os
from time import monotonic, sleep
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.state import Server
from app.work import DO, Work
from tests.app.conftest import finished
from workbench.errors import Cancelled, UsageError
from workbench.progress import SILENT
from workbench.service.jobs import Job
from workbench.workspace import Workspace

LONG = {"query": ["Smokes", "Cancer"], "engine": "gibbs", "options": {"samples": 50_000_000}}


@pytest.fixture
def smokers(state: Server) -> Workspace:
    state.workspace.data.open_example("smokers")
    return state.workspace


def begun(job: Job) -> Job:
    """The job once its worker is at work."""
    for _ in range(2400):
        if job.about.worker is not None and job.stage not in ("", "copying the facts"):
            return job
        sleep(0.05)
    raise AssertionError(f"{job.title} is {job.status}: {job.about.error}")


def test_a_job_gives_the_run_that_the_workspace_itself_would_have(
    state: Server, smokers: Workspace
) -> None:
    rules, _ = smokers.rules.at_hand()
    arguments = {"rules": rules, "query": ["Smokes", "Cancer"], "engine": "exact"}
    here = smokers.infer(**arguments)
    job = finished(state.submit(Work("infer", "infer", arguments)))
    assert job.status == "done", job.about.error
    assert job.about.outcome is not None
    assert job.about.outcome.run_id == 2
    one, two = (
        smokers.runs.predictions(number).sort_values("atom") for number in (here.run_id or 0, 2)
    )
    assert one["atom"].tolist() == two["atom"].tolist()
    np.testing.assert_allclose(one["value"], two["value"])
    assert smokers.runs.get(1).data_hash == smokers.runs.get(2).data_hash
    assert (
        smokers.models.weights(1)["weight"].tolist() == smokers.models.weights(2)["weight"].tolist()
    )
    assert smokers.reopen(2).explain("Cancer(Chloe)").value == pytest.approx(
        here.explain("Cancer(Chloe)").value
    )


def test_constants_are_found_by_name_where_facts_came_in_meanwhile(
    state: Server, smokers: Workspace
) -> None:
    rules, _ = smokers.rules.at_hand()
    with_new = rules + "\n2 Smokes(Zora)\n1 Smokes(Yves)\n"
    before = len(smokers.data.constants("person", limit=1000))
    job = state.submit(Work("infer", "infer", {"rules": with_new, "query": ["Smokes"]}))
    smokers.declare("Smokes(person)\n1 Smokes(Aaron)\n")
    assert finished(job).status == "done", job.about.error
    atoms = set(smokers.runs.predictions(1)["atom"])
    assert {"Smokes(Zora)", "Smokes(Yves)"} <= atoms
    assert len(atoms) == len(smokers.runs.predictions(1))
    assert len(smokers.data.constants("person", limit=1000)) >= before


def test_two_run_at_once_and_a_third_waits(state: Server, smokers: Workspace) -> None:
    rules, _ = smokers.rules.at_hand()
    jobs = [state.submit(Work("infer", f"job {at}", {"rules": rules, **LONG})) for at in range(3)]
    for job in jobs[:2]:
        begun(job)
    assert [job.status for job in state.jobs.unfinished()] == ["running", "running", "waiting"]
    with pytest.raises(RuntimeError, match="still running"):
        state.switch(None)
    state.jobs.cancel(jobs[2])
    assert jobs[2].status == "cancelled"
    for job in jobs[:2]:
        state.jobs.cancel(job)
    for job in jobs:
        assert finished(job).ended


def test_a_worker_that_does_not_answer_is_ended_and_recorded(
    state: Server, smokers: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, _ = smokers.rules.at_hand()
    job = begun(state.submit(Work("infer", "long", {"rules": rules, **LONG})))
    assert job.about.worker is not None
    assert job.about.worker.process is not None
    os.kill(job.about.worker.process.pid, 19)  # stopped: it can answer nothing
    asked = monotonic()
    state.jobs.cancel(job)
    assert finished(job).status == "cancelled"
    assert monotonic() - asked < 30
    run = smokers.runs.all()[0]
    assert (run.kind, run.status, run.engine) == ("infer", "cancelled", "gibbs")
    assert smokers.runs.predictions(run.id).empty


def test_the_time_limit_of_a_job_is_kept(state: Server, smokers: Workspace) -> None:
    rules, _ = smokers.rules.at_hand()
    job = finished(state.submit(Work("infer", "long", {"rules": rules, **LONG}, seconds=4.0)))
    assert job.about.out_of_time
    assert job.status in ("cancelled", "done")


def test_a_job_that_needs_too_much_memory_says_so(
    state: Server, smokers: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_JOB_MEMORY", "0.02")
    rules, _ = smokers.rules.at_hand()
    job = finished(state.submit(Work("infer", "infer", {"rules": rules, "query": ["Smokes"]})))
    assert job.status == "failed"
    assert "error[E08" in job.about.error


def test_failures_of_the_work_are_told_as_everywhere(state: Server) -> None:
    job = finished(state.submit(Work("infer", "infer", {"rules": "1 Nobody(x)\n"})))
    assert job.status == "failed"
    assert "error[E" in job.about.error


@pytest.mark.parametrize(
    "fault", [Cancelled("infer"), UsageError.of("E0301", "Ill is no predicate")]
)
def test_a_study_is_kept_whatever_comes_of_its_predictions(fault: Exception) -> None:
    def infer(*_: object, **__: object) -> None:
        raise fault

    found = SimpleNamespace(status="done", asked=3, program="1 Ill(x)\n", predicted="Ill", run_id=7)
    outcome = DO["study"](
        cast(Workspace, SimpleNamespace(study=lambda **_: found, infer=infer)), {}, SILENT
    )
    assert outcome.run_id == 7
    assert outcome.summary["not_predicted"] in ("it was cancelled", "Ill is no predicate")


def test_a_page_whose_progress_never_arrived_is_drawn_anew_when_the_job_has_ended(
    state: Server,
) -> None:
    def view() -> None:
        import streamlit as st

        from app.state import server
        from app.watching import AWAITED, await_nothing, queue

        awaited = st.session_state.get(AWAITED)
        await_nothing()
        if "drawn" not in st.session_state:
            st.session_state[AWAITED] = server().jobs.all()[0]
        st.session_state["drawn"] = [*st.session_state.get("drawn", []), awaited]
        queue(server().jobs)

    ended = finished(state.jobs.submit("infer", "page", lambda progress: {}, title="Infer"))
    test = AppTest.from_function(view, default_timeout=60).run()
    assert test.session_state["drawn"] == [None, ended]
