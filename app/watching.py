"""Watching the worker: progress, a live curve, Cancel; one fragment for every page with work."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.jobs import PageWork
from app.show import draw, plain, show_error
from app.state import may_begin_jobs, server
from app.versions import author
from app.work import Work
from workbench.errors import UsageError, WorkbenchError
from workbench.service.jobs import Job, Jobs

OWN, AWAITED = "own-jobs", "awaited-job"
"""Where a session keeps the jobs that it began, and the job whose progress it was shown."""


def start(work: Work) -> None:
    """Queue work in the background, and show the page anew with it."""
    try:
        if not may_begin_jobs():
            raise UsageError.of("E0874", "the role label may not do this; it takes the role model")
        job = server().submit(work, f"page of {author()}")
    except WorkbenchError as error:
        show_error(error)
        return
    st.session_state[OWN] = {*st.session_state.get(OWN, ()), job.id}
    st.rerun()


def latest_of(kinds: Sequence[str]) -> Job | None:
    """The last job of these kinds, of this browser if it has one: others' do not hide it."""
    jobs = [
        job
        for job in server().jobs.all()
        if job.kind in kinds and isinstance(job.about, PageWork) and _of_this_workspace(job)
    ]
    own = [job for job in jobs if job.id in st.session_state.get(OWN, ())]
    return next(iter(own or jobs), None)


def watch(kinds: Sequence[str]) -> Job | None:
    """Show the latest job of these kinds while it runs and why it failed; the job once done."""
    job = latest_of(kinds)
    if job is None:
        return None
    if not job.ended:
        st.session_state[AWAITED] = job
        st.fragment(_running, run_every=1.0)(job)
        return None
    if job.status == "failed":
        show_error(job.about.error)
    elif job.status == "cancelled":
        st.warning(
            f"{_ended(job)} It had nothing to show yet; Runs tells that it was ended.",
            icon=":material/cancel:",
        )
    return job if job.status == "done" else None


def await_nothing() -> None:
    """Forget which job the page shows the progress of: it is drawn anew."""
    st.session_state.pop(AWAITED, None)


def queue(all_jobs: Jobs) -> None:
    """What runs and what waits, each with its Cancel; else what ran last.

    Where the job that the page waits for has ended, the page is drawn anew: its own progress may
    never have arrived.
    """
    awaited: Job | None = st.session_state.get(AWAITED)
    if awaited is not None and awaited.ended:
        st.rerun(scope="app")
    jobs = all_jobs.unfinished()
    waiting = [job.id for job in jobs if job.status == "waiting"]
    if not jobs:
        for latest in [job for job in all_jobs.all() if _of_this_workspace(job)][:1]:
            st.caption("Last job")
            st.text(f"{called(latest)}: {latest.status}")
        return
    st.caption("Jobs")
    for job in jobs:
        said = job.status if job.share is None else f"{job.share:.0%}"
        if job.id in waiting:
            said = f"number {waiting.index(job.id) + 1} in the queue"
        st.text(f"{called(job)}: {said}")
        asked = job.asked_to_stop
        if may_begin_jobs() and st.button(
            "Stopping" if asked else "Cancel", key=f"queue-{job.id}", disabled=asked
        ):
            all_jobs.cancel(job)
            st.rerun(scope="fragment")


def _of_this_workspace(job: Job) -> bool:
    """Whether a job is of the workspace that is open; other programs' jobs are."""
    return not isinstance(job.about, PageWork) or job.about.workspace is server().workspace


def called(job: Job) -> str:
    """A job in a list: other programs' jobs, which have no title, by whose they are."""
    return job.title or f"{job.kind} for {job.owner}"


def _ended(job: Job) -> str:
    """That a job was ended, and whether its time was up."""
    return (
        f"{'The time was up' if job.about.out_of_time else 'Cancelled'} after {job.seconds:.1f} s."
    )


def _running(job: Job) -> None:
    if job.ended:
        st.rerun(scope="app")
    share = job.share or 0.0
    count = (
        f"{job.done:,.0f}" + (f" of {job.total:,.0f}" if job.total else "")
        if job.done or job.total
        else ""
    )
    where = " ".join(part for part in (job.stage or job.status, count, job.message) if part)
    left, right = st.columns([6, 1], vertical_alignment="center")
    left.progress(share, text=plain(f"{job.title}: {where} ({job.seconds:.0f} s)"))
    asked = job.asked_to_stop
    if right.button("Stopping" if asked else "Cancel", key=f"cancel-{job.id}", disabled=asked):
        server().jobs.cancel(job)
    points = list(job.points)
    if len(points) > 1:
        import pandas as pd

        from app import charts

        seen = [(at, name, value) for at, told in points for name, value in told.items()]
        frame = pd.DataFrame(seen, columns=["seconds", "series", "value"])
        thinned = frame.iloc[:: max(1, len(frame) // 500)]
        draw(charts.trace(thinned, "seconds", description="The objective over time, so far"))
