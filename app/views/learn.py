"""Learn and infer: choose a method, run it in the background, watch it, stop it."""

from __future__ import annotations

import shlex
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.jobs import Job
from app.state import plain, server, show_error, workspace
from workbench.progress import Progress

KINDS = {"infer": "Infer", "learn": "Learn weights", "crossval": "Cross-validate"}
TASKS = {"marginal": "probabilities (marginals)", "map": "the most probable state (MAP)"}


def parameters(method: Any, key: str) -> dict[str, Any]:
    """A field for each parameter of a method, with its explanation; only what was changed is given."""
    chosen: dict[str, Any] = {}
    if not method.parameters:
        return chosen
    with st.expander(f"Parameters of {method.name}"):
        columns = st.columns(2)
        for number, item in enumerate(method.parameters):
            column, name, default = columns[number % 2], f"{key}-{method.name}-{item.name}", item.default
            label = item.name.replace("_", " ")
            value: Any = default
            if isinstance(default, bool):
                value = column.checkbox(label, value=default, help=item.explanation or None, key=name)
            elif isinstance(default, int):
                value = int(column.number_input(label, value=default, step=1, help=item.explanation or None, key=name))
            elif isinstance(default, float) and abs(default) < float("inf"):
                value = column.number_input(label, value=default, format="%g", help=item.explanation or None, key=name)
            elif isinstance(default, str):
                value = column.text_input(label, value=default, help=item.explanation or None, key=name)
            if value != default:
                chosen[item.name] = value
    return chosen


def chosen_method(methods: tuple[Any, ...], label: str, key: str) -> tuple[str, dict[str, Any]]:
    """A method by name, and its parameters."""
    by_name = {method.name: method for method in methods}
    name = st.selectbox(label, list(by_name), key=key)
    st.caption(plain(by_name[name].summary))
    return name, parameters(by_name[name], key)


def form() -> None:
    """What to run, and the button that runs it."""
    ws = workspace()
    text, language = ws.rules_at_hand()
    kind = (
        st.segmented_control("What to do", list(KINDS), format_func=KINDS.get, default="infer", key="kind") or "infer"
    )
    names = [item.predicate.name for item in ws.catalog()]
    kept = [name for name in (ws.recall("query") or "").split(",") if name in names]
    query = st.multiselect("Query", names, default=kept, key="query", help="What is asked for.")
    task = "marginal"
    learner, learner_options, engine, engine_options = "auto", {}, "auto", {}
    left, right = st.columns(2)
    with left:
        worlds = st.multiselect("Worlds", list(ws.worlds()), key="worlds", help="Empty: all of them.")
        if kind in ("learn", "crossval"):
            learner, learner_options = chosen_method(ws.learners(language), "Learner", "learner")
        first, second = st.columns(2)
        seed = int(first.number_input("Seed", 0, 2**31 - 1, 0, key="seed", help="Same inputs and seed: same result."))
        limit = float(
            second.number_input("Time limit (s)", 0.0, 36_000.0, 0.0, key="limit", help="0: none. For each solve.")
        )
    with right:
        if kind != "learn":
            order = ["marginal", "map"] if language == "mln" else ["map"]
            task = st.radio("Task", order, format_func=TASKS.get, key="task")
            engine, engine_options = chosen_method(ws.engines(language, task), "Engine", "engine")
    request: dict[str, Any] = {
        "query": query or None,
        "worlds": worlds or None,
        "seed": seed,
        "time_limit": limit or None,
    }
    for key in ("closed", "hidden"):
        request[key] = [name for name in (ws.recall(key) or "").split(",") if name] or None
    if kind == "infer":
        call = {"task": task, "engine": engine, "options": engine_options or None}
    elif kind == "learn":
        call = {"learner": learner, "options": learner_options or None}
    else:
        call = {"learner": learner, "learner_options": learner_options or None, "task": task, "engine": engine}
        call["engine_options"] = engine_options or None
    arguments = {key: value for key, value in {**request, **call}.items() if value is not None}
    if st.button("Run", type="primary", key="run"):
        ws.remember("query", ",".join(query) or None)
        method = getattr(ws, kind)

        def work(progress: Progress) -> Any:
            return method(text, progress=progress, **arguments)

        server().runner.submit(f"{KINDS[kind]} ({learner if kind == 'learn' else engine})", work)
    with st.expander("The same on the command line and in Python"):
        st.code(command_line(kind, language, arguments), language="bash")
        st.code(python(kind, arguments), language="python")


def command_line(kind: str, language: str, arguments: dict[str, Any]) -> str:
    """The command that does the same."""
    names = {"time_limit": "time-limit", "worlds": "world"}
    path = server().path or "WORKSPACE.duckdb"
    words = ["workbench", kind, f"rules.{language}", "--workspace", path]
    for key, value in arguments.items():
        if isinstance(value, dict):
            continue
        if key == "worlds":
            continue
        words += [f"--{names.get(key, key)}", ",".join(value) if isinstance(value, list) else str(value)]
    return shlex.join(words)


def python(kind: str, arguments: dict[str, Any]) -> str:
    """The Python that does the same."""
    shown = "".join(f", {key}={value!r}" for key, value in arguments.items())
    return (
        f"import workbench as wb\n\nwith wb.open({server().path!r}) as ws:\n"
        f'    result = ws.{kind}("rules.mln"{shown})\n'
    )


@st.fragment(run_every=1.0)
def watch() -> None:
    """The latest job: progress, curve, cancel."""
    job = server().runner.latest()
    if job is None:
        st.info("Nothing has run yet. Choose above and press Run; the work goes on if you leave or reload this page.")
        return
    if job.is_finished and st.session_state.get("job-seen") != (job.number, job.status):
        st.session_state["job-seen"] = (job.number, job.status)
        st.rerun(scope="app")
    st.subheader(plain(job.title))
    if not job.is_finished:
        share = min(1.0, job.done / job.total) if job.total else 0.0
        st.progress(share, text=plain(f"{job.stage or job.status} {job.message}".strip() + f" ({job.seconds:.0f} s)"))
        if st.button("Cancel", key=f"cancel-{job.number}", disabled=job.cancel_event.is_set()):
            job.cancel()
    live_curve(job)


def live_curve(job: Job) -> None:
    """What the work reports of its objective."""
    points = list(job.points)
    if len(points) > 1:
        frame = pd.DataFrame(points, columns=["seconds", "series", "value"])
        st.altair_chart(
            charts.trace(frame.iloc[:: max(1, len(frame) // 500)], "seconds", description="Objective so far")
        )


def outcome(job: Job) -> None:
    """How a finished job ended, and where to go on."""
    if job.status == "failed":
        show_error(job.error)
        return
    if job.status == "cancelled":
        st.warning(f"Cancelled after {job.seconds:.1f} s. Nothing was recorded.", icon=":material/cancel:")
        return
    summary = job.result.summary()
    st.success(f"Done in {job.seconds:.1f} s.", icon=":material/check:")
    if "engine" in summary:
        columns = st.columns(4)
        columns[0].metric("Status", summary["status"])
        columns[1].metric("Engine", summary["engine"])
        columns[2].metric("Open atoms", f"{summary['atoms']:,}")
        columns[3].metric("Ground rows", f"{summary['ground_rows']:,}")
        if summary.get("energy") is not None:
            columns = st.columns(3)
            columns[0].metric("Energy", f"{summary['energy']:.6g}")
            bound, gap = summary.get("bound"), summary.get("gap")
            columns[1].metric("Lower bound", "none" if bound is None else f"{bound:.6g}")
            columns[2].metric("Gap", "unknown" if gap is None else f"{gap:.2%}")
        st.caption(plain(summary["reason"]))
        st.dataframe(
            job.result.predictions().sort_values("value", ascending=False).head(200), hide_index=True, width="stretch"
        )
        st.page_link("views/why.py", label="Why is a prediction what it is?", icon=":material/help_center:")
    elif "learner" in summary:
        columns = st.columns(3)
        columns[0].metric("Status", summary["status"])
        columns[1].metric("Learner", summary["learner"])
        columns[2].metric("Weights", summary["templates"])
        learned_text = job.result.text()
        st.code(learned_text, language=None, height=260)
        language = job.result.program.language
        if st.button("Take these rules into the editor", key="take"):
            workspace().remember_rules(learned_text, language)
            st.toast("The learned rules are in the editor; Infer uses them now.")
        st.page_link("views/weights.py", label="Look at the weights", icon=":material/balance:")
    else:
        table = pd.DataFrame(summary["folds"]).set_index("world")
        st.dataframe(table[[name for name in ("F1", "AUC-ROC", "AUC-PR", "CLL", "accuracy") if name in table]].round(4))
        st.page_link("views/evaluation.py", label="Evaluate fold by fold", icon=":material/query_stats:")


st.title("Learn and infer")
text, language = workspace().rules_at_hand()
checked = workspace().check_rules(text, language)
if not text.strip():
    st.info("There are no rules yet. Write some on the Rules page, or open an example on the Data page.")
elif checked.has_errors:
    st.error("The rules have errors; mend them on the Rules page first.")
    st.page_link("views/rules.py", label="To the rules", icon=":material/edit_note:")
else:
    form()
watch()
latest = server().runner.latest()
if latest is not None and latest.is_finished:
    outcome(latest)
