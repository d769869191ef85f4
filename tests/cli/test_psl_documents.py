"""PSL 2.4 documents from the command line: learned, inferred and evaluated as PSL does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.cli.conftest import Run
from workbench.verbs.psl_documents.options import document_settings

RULES = "1: Friend(A, B) & Votes(A) -> Votes(B) ^2\n1: !Votes(A) ^2\n"
LEARNING = {"runtime.learn.method": "GuidedRandomGridSearch", "randomgridsearch.maxlocations": 20}
EVALUATIONS: list[object] = [
    "DiscreteEvaluator",
    {
        "evaluator": "org.linqs.psl.evaluation.AUCEvaluator",
        "options": {"aucevaluator.threshold": 0.4},
    },
    "ContinuousEvaluator",
]


def document(folder: Path, **changes: Any) -> Path:
    """Votes among friends, to learn from and to infer; some lines end in tabs."""
    (folder / "model.psl").write_text(RULES)
    predicates: dict[str, Any] = {
        "Friend/2": {"observations": {}},
        "Votes/1": {"evaluations": EVALUATIONS},
    }
    votes = predicates["Votes/1"]
    for split in ("learn", "infer"):
        rows = {
            "friends": f"A{split}\tB{split}\t\nB{split}\tC{split}\t1\nX{split}\tY{split}\n",
            "observations": f"A{split}\t1\t\nX{split}\t0\n",
            "targets": f"B{split}\t\nC{split}\nY{split}\n",
            "truth": f"B{split}\t1\nC{split}\t1\nY{split}\t0\n",
        }
        for name, text in rows.items():
            (folder / f"{name}_{split}.txt").write_text(text)
            of = (
                predicates["Friend/2"]["observations"]
                if name == "friends"
                else votes.setdefault(name, {})
            )
            of[split] = [f"{name}_{split}.txt"]
    content = {"options": LEARNING, "rules": "model.psl", "predicates": predicates} | changes
    path = folder / "model.json"
    path.write_text("// people vote as their friends do\n" + json.dumps(content))
    return path


def test_a_document_is_learned_inferred_and_evaluated(run: Run, tmp_path: Path) -> None:
    found = run("infer", document(tmp_path), "--json")
    assert found.code == 0
    assert "warning" not in found.err
    assert found.json["learning"]["learner"] == "search"
    assert found.json["done"].startswith("learned 2 weights by search")
    names = [(one["predicate"], one["evaluator"]) for one in found.json["evaluations"]]
    assert names == [
        ("Votes", "DiscreteEvaluator"),
        ("Votes", "AUCEvaluator"),
        ("Votes", "ContinuousEvaluator"),
    ]
    assert found.json["evaluations"][0]["figures"]["accuracy"] == 1.0
    kept = run("infer", tmp_path / "model.json", "--no-learn")
    assert (
        "inferred with the document's weights, as asked; its learn split was not used" in kept.out
    )
    assert "DiscreteEvaluator of Votes" in kept.out


def test_a_new_workspace_loads_the_document_that_it_runs(tmp_path: Path) -> None:
    with wb.open() as new, wb.open() as loaded:
        path = document(tmp_path)
        loaded.load(path)
        found, expected = (ws.run_document(path).inference for ws in (new, loaded))
        assert found.values.tolist() == expected.values.tolist()
        assert found.values.size


def test_an_evaluation_by_itself_is_a_list_of_one(run: Run, tmp_path: Path) -> None:
    path = document(tmp_path)
    content = json.loads(path.read_text().split("\n", 1)[1])
    content["predicates"]["Votes/1"]["evaluations"] = "AUCEvaluator"
    path.write_text(json.dumps(content))
    found = run("infer", path, "--no-learn", "--json")
    assert [one["evaluator"] for one in json.loads(found.out)["evaluations"]] == ["AUCEvaluator"]


def test_learned_weights_are_those_of_learning_by_itself(run: Run, tmp_path: Path) -> None:
    path = document(tmp_path)
    learned = run("learn", path, "--json").json
    assert learned["learner"] == "search"
    inferred = run("infer", path, "--json").json
    assert [row["weight"] for row in inferred["learning"]["weights"]] == [
        row["weight"] for row in learned["weights"]
    ]


def test_the_labels_of_the_infer_split_reach_no_learner(run: Run, tmp_path: Path) -> None:
    path = document(tmp_path)
    before = run("infer", path, "--json").json["learning"]["weights"]
    (tmp_path / "truth_infer.txt").write_text("Binfer\t0\nCinfer\t0\nYinfer\t1\n")
    after = run("infer", path, "--json").json
    assert after["learning"]["weights"] == before
    assert after["evaluations"][0]["figures"]["accuracy"] == 0.0


def test_options_without_an_equal_are_listed_in_one_warning(run: Run, tmp_path: Path) -> None:
    options = {
        "runtime.db.intids": True,
        "runtime.learn": "false",
        "admmreasoner.maxiterations": 7,
        "sgd.x": 1,
    }
    path = document(tmp_path, options=options)
    found = run("infer", path, "--json")
    assert found.err.count("E0832") == 1
    assert "left out: sgd.x = 1\n" in found.err
    assert found.json["learning"] is None
    assert found.json["engine"] == "admm"
    assert "runtime.learn = false" in found.json["done"]
    other = run("infer", path, "--engine", "bcd", "--json")
    assert other.json["engine"] == "bcd"


def test_a_truth_of_all_splits_serves_targets_of_the_learn_split(run: Run, tmp_path: Path) -> None:
    path = document(tmp_path)
    content = json.loads(path.read_text().partition("\n")[2])
    votes = content["predicates"]["Votes/1"]
    votes["truth"] = {"all": [name for names in votes["truth"].values() for name in names]}
    path.write_text(json.dumps(content))
    assert run("infer", path, "--json").json["done"].startswith("learned 2 weights")


def test_an_evaluation_without_a_name_is_said_to_be_one(run: Run, tmp_path: Path) -> None:
    path = document(tmp_path)
    path.write_text(path.read_text().replace('"DiscreteEvaluator"', '{"type": "AUCEvaluator"}', 1))
    assert "an evaluation without `evaluator` of Votes" in run("infer", path, "--json").err


def test_a_document_of_one_line_is_learned_and_written(run: Run, tmp_path: Path) -> None:
    path = document(
        tmp_path,
        rules=["1: Friend(A, B) & Votes(A) -> Votes(B) ^2", "1: !Votes(A) ^2", "Votes(A) <= 1 ."],
    )
    assert (
        run(f"learn {path} --learner hinge_pseudolikelihood --out {tmp_path / 'learned.psl'}").code
        == 0
    )
    assert run("check", tmp_path / "learned.psl").out.endswith("3 rules\n")
    assert len(run("infer", path, "--json").json["learning"]["weights"]) == 2


@pytest.mark.parametrize(
    ("evaluation", "said"),
    [
        (
            {"options": {"discreteevaluator.threshold": "half"}},
            "discreteevaluator.threshold = half of Disc",
        ),
        (
            {
                "evaluator": "CategoricalEvaluator",
                "options": {"categoricalevaluator.categoryindexes": "7"},
            },
            "= 7 of Cat",
        ),
        ({"predicate": "Friend/2"}, "DiscreteEvaluator of Friend, which has no truth"),
    ],
)
def test_evaluations_that_cannot_be_done_are_said(
    run: Run, tmp_path: Path, evaluation: dict[str, Any], said: str
) -> None:
    path = document(tmp_path)
    content = json.loads(path.read_text().split("\n", 1)[1])
    evaluation = {"evaluator": "DiscreteEvaluator"} | evaluation
    content["predicates"][evaluation.pop("predicate", "Votes/1")]["evaluations"] = [evaluation]
    path.write_text(json.dumps(content))
    found = run("infer", path, "--no-learn")
    assert (found.code, said in found.err) == (0, True)


def test_predictions_go_to_a_directory_as_psl_writes_them(run: Run, tmp_path: Path) -> None:
    assert (
        run("infer", document(tmp_path), "--no-learn", "--out", f"{tmp_path}/inferred/").code == 0
    )
    lines = [
        line.split("\t") for line in (tmp_path / "inferred" / "VOTES.txt").read_text().splitlines()
    ]
    assert [name for name, _ in lines] == ["Binfer", "Cinfer", "Yinfer"]
    assert all(0 <= float(value) <= 1 for _, value in lines)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (
            {"type": "deep", "targets": ["t.txt"]},
            "Votes is a predicate of type `deep`, which is not supported",
        ),
        ({"type": "DeepModelPredicate"}, "of type `DeepModelPredicate`"),
        ({"observation": ["t.txt"]}, "`observation` says nothing about Votes"),
    ],
)
def test_predicates_that_cannot_be_had_are_refused_by_name(
    run: Run, tmp_path: Path, description: dict[str, object], message: str
) -> None:
    found = run("infer", document(tmp_path, predicates={"Friend/2": {}, "Votes/1": description}))
    assert (found.code, message in found.err) == (1, True)


PULLED = "1: Votes(A) ^2\n1: !Votes(A) ^2\n"
"""Learned from votes that are all true, the first rule's weight grows without end."""


def validated(folder: Path, **options: Any) -> Path:
    """A document whose learn split says that all vote, and whose validation split that half do."""
    path = document(folder, options=options, rules=PULLED.splitlines())
    content = json.loads(path.read_text().split("\n", 1)[1])
    votes = content["predicates"]["Votes/1"]
    votes["evaluations"] = ["ContinuousEvaluator"]
    for split, value in (("learn", 1.0), ("validation", 0.6)):
        people = [f"P{number}" for number in range(5)]
        votes["observations"][split] = []
        votes["targets"][split] = [[one] for one in people]
        votes["truth"][split] = [[one, value] for one in people]
    path.write_text(json.dumps(content))
    return path


METHODS = {
    "perceptron": {"runtime.learn.method": "MaxLikelihoodMPE"},
    "pseudolikelihood": {"runtime.learn.method": "MaxPseudoLikelihood"},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_validation_split_says_which_weights_are_kept(
    run: Run, tmp_path: Path, method: str
) -> None:
    """Weights w of the two rules have the state w1 / (w1 + w2): .5 at first, then ever nearer 1."""
    found = run("infer", validated(tmp_path, **METHODS[method]), "--json")
    assert (found.code, "warning" in found.err) == (0, False)
    first, second = (one["weight"] for one in found.json["rules"])
    (judged,) = found.json["validation"]
    assert judged["figures"]["MAE"] == pytest.approx(abs(first / (first + second) - 0.6), abs=1e-3)
    assert re.search(r"those of step \d+ of \d+, the best on its validation", found.json["done"])
    last = run(
        "infer",
        validated(tmp_path, **METHODS[method], **{"gradientdescent.savevalidationweights": False}),
        "--json",
    )
    assert "judged by its validation split" in last.json["done"]
    assert last.json["validation"][0]["figures"]["MSE"] > judged["figures"]["MSE"]
    program = tmp_path / "learned.psl"
    learned = run("learn", validated(tmp_path, **METHODS[method]), "--json", "--out", program)
    weights = [float(line.split(":")[0]) for line in program.read_text().splitlines()[:2]]
    assert learned.code == 0
    assert weights == pytest.approx([first, second], rel=1e-4)


@pytest.mark.parametrize("options", [{"runtime.validation": False}, {"runtime.learn": False}])
def test_a_validation_split_that_judges_nothing_is_said_to(
    run: Run, tmp_path: Path, options: dict[str, object]
) -> None:
    found = run("infer", validated(tmp_path, **options), "--json")
    assert (found.code, found.json["validation"]) == (0, [])
    assert "the split `validation`, by which nothing is judged" in found.err
    assert "validation" not in found.json["done"]


def test_faults_of_named_rules_are_in_their_own_file(run: Run, tmp_path: Path) -> None:
    path = document(tmp_path)
    (tmp_path / "model.psl").write_text(RULES + "1: Friend(A, -> Votes(B)\n")
    found = run("infer", path)
    assert (found.code, "model.psl:3" in found.err) == (1, True)
    path = document(tmp_path, rules="nowhere.psl")
    found = run("infer", path)
    assert (found.code, "nowhere.psl" in found.err) == (1, True)


@pytest.mark.parametrize("ending", ["json", "yaml", "yml"])
def test_data_of_any_ending_load_where_data_files_do(run: Run, tmp_path: Path, ending: str) -> None:
    document(tmp_path)
    data = {
        "predicates": {"Friend/2": "closed", "Votes/1": "open"},
        "observations": {"Friend": "friends_infer.txt"},
    }
    data |= {"targets": {"Votes": "targets_infer.txt"}, "truth": {"Votes": "truth_infer.txt"}}
    path = tmp_path / f"facts.{ending}"
    path.write_text(json.dumps(data))
    out = tmp_path / "predictions.csv"
    assert run("infer", tmp_path / "model.psl", "--data", path, "--out", out).code == 0
    scored = run("evaluate", "--predictions", out, "--truth", path, "--json")
    assert scored.json["scored"] == 3
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / path.name).write_text(
        json.dumps(
            {**data, "observations": {"Friend": "../friends_infer.txt"}}
            | {"targets": {"Votes": "../targets_infer.txt"}, "truth": {}}
        )
    )
    assert run("infer", tmp_path / "model.psl", "--data", folder).code == 0


def test_what_a_document_learned_is_a_run_beside_its_inference(run: Run, tmp_path: Path) -> None:
    workspace = tmp_path / "work.duckdb"
    found = run("infer", document(tmp_path), "--workspace", workspace, "--json").json
    listed = run("runs", workspace, "--json").json
    kinds = {one["id"]: one["kind"] for one in listed}
    assert kinds == {found["learning"]["run"]: "learn", found["run"]: "infer"}
    with wb.open(workspace, read_only=True) as opened:
        weights = opened.models.weights(found["learning"]["run"])["weight"].tolist()
        assert weights == [row["weight"] for row in found["learning"]["weights"]]
        assert (
            opened.runs.get(found["learning"]["run"]).data_hash
            != opened.runs.get(found["run"]).data_hash
        )
    run("infer", tmp_path / "model.json", "--no-learn", "--workspace", workspace)
    assert len(run("runs", workspace, "--json").json) == 3


def test_a_warning_of_learning_and_of_inference_is_given_once(run: Run, tmp_path: Path) -> None:
    path = document(tmp_path, options={})
    (tmp_path / "model.psl").write_text("1: !Votes(A) ^2\n")
    (tmp_path / "truth_learn.txt").write_text("Blearn\t1\nClearn\t1\nYlearn\t1\n")
    found = run("infer", path, "--json")
    assert found.err.count("E0709") == 1


def test_a_cell_that_is_no_truth_value_is_named_with_its_predicate(
    run: Run, tmp_path: Path
) -> None:
    path = document(tmp_path)
    (tmp_path / "observations_infer.txt").write_text("Ainfer\tyes\n")
    assert "'yes' is no truth value of Votes" in run("infer", path).err


IN_PLACE = """predicates:
  Friend/2:
    observations:
      - - a
        - b
        - maybe
      - ["c", "", 1]
  Votes/1: {targets: {infer: [[a], [b]], learn: [[a], [b]]}, truth: {learn: [[a, 1], [b, 0.2]]}}
learn:
  options: {runtime.learn.method: GridSearch, gridsearch.weights: "0.5:2"}
rules:
  - "1.0: Friend(A,B) & Votes(A) -> Votes(B) ^2"
  - "1.0: !Votes(A)"
"""


def test_faults_of_rows_in_place_point_at_the_rows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "votes.yaml"
    path.write_text(IN_PLACE)
    found = run("infer", path, "--json")
    assert found.code == 1
    places = [(one["code"], one["line"], one["column"]) for one in found.json["diagnostics"]]
    assert places == [("E0210", 4, 11), ("E0212", 7, 11)]


def test_options_of_the_task_of_learning_are_obeyed_before_inference(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "votes.yaml"
    path.write_text(IN_PLACE.replace("maybe", "0.9").replace('["c", "", 1]', "[b, a, 1]"))
    found = run("infer", path, "--json")
    assert found.code == 0, found.err
    assert found.json["done"].startswith("learned 2 weights by search")


def test_a_grid_of_weights_to_start_from_is_no_grid_of_weights() -> None:
    plain, start = (
        document_settings({"runtime.learn.method": f"{kind}GridSearch"}, "search")
        for kind in ("", "InitialWeight")
    )
    assert (plain.learner, plain.ignored) == ("search", ())
    assert start.learner == "auto"
    assert start.ignored == ("runtime.learn.method = InitialWeightGridSearch",)


def test_a_predicate_of_which_the_document_lists_nothing_is_told(run: Run, tmp_path: Path) -> None:
    content = json.loads(document(tmp_path).read_text().partition("\n")[2])
    content["rules"] = ["1: Votes(A) -> Vote(A)"]
    path = tmp_path / "slip.json"
    for description, code in (({}, 1), ("closed", 0), ({"observations": []}, 0)):
        content["predicates"]["Vote/1"] = description
        path.write_text(json.dumps(content))
        found = run("infer", path, "--no-learn")
        assert found.code == code
        assert ("E0309" in found.err) == bool(code)
