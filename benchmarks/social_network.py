"""The HL-MRF paper's scaling experiment on votes: its networks, larger ones, PSL's files."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from experiments.psl_scaling import BIAS_WEIGHT, RELATIONS, program_text
from workbench.arrays import Float, Int64
from workbench.network.ground_network import Blocks, Domain, GroundNetwork, Relation

WEIGHTS = np.array([BIAS_WEIGHT, *RELATIONS.values()])

# Links per person of each relation in the smallest of the paper's networks (22,050 persons).
PER_PERSON = {
    "knowswell": 20023 / 22050,
    "knows": 6474 / 22050,
    "boss": 4359 / 22050,
    "mentor": 3959 / 22050,
    "olderRelative": 3462 / 22050,
    "idol": 4714 / 22050,
}


@dataclass(frozen=True)
class SocialNetwork:
    """Persons with a signed bias, and links `(subject, object)` by relation."""

    bias: Float
    links: dict[str, Int64]

    @property
    def n_persons(self) -> int:
        return int(self.bias.size)

    @property
    def n_ground_rules(self) -> int:
        """Bias rules, two parties' rules per link, and one sum per person."""
        return 2 * self.n_persons + 2 * sum(len(pairs) for pairs in self.links.values())


def read(path: Path) -> SocialNetwork:
    """One of the paper's files: subject, relation, object by tabs; `anon1` carries the bias."""
    bias: dict[int, float] = {}
    pairs: dict[str, list[tuple[int, int]]] = {name: [] for name in RELATIONS}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            subject, relation, value = line.rstrip("\n").split("\t")
            if relation == "anon1":
                bias[int(subject)] = float(value)
            else:
                pairs[relation].append((int(subject), int(value)))
    persons = {person: position for position, person in enumerate(sorted(bias))}
    return SocialNetwork(
        np.array([bias[person] for person in persons]),
        {
            name: np.array([(persons[a], persons[b]) for a, b in rows], np.int64).reshape(-1, 2)
            for name, rows in pairs.items()
        },
    )


def generate(n_rules: int, seed: int = 0) -> SocialNetwork:
    """A network of about `n_rules` ground rules, relations and heavy tails as in the paper."""
    rng = np.random.default_rng(seed)
    n = int(n_rules / (2.0 + 2.0 * sum(PER_PERSON.values())))
    links = {}
    for name, rate in PER_PERSON.items():
        count = int(rate * n)
        popular = (n * rng.random(count) ** 1.5).astype(np.int64)
        shuffle = rng.permutation(n)
        pairs = np.stack([rng.integers(0, n, count), shuffle[popular]], axis=1)
        links[name] = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return SocialNetwork(np.clip(rng.normal(0.0, 0.4, n), -1.0, 1.0), links)


def ground(social: SocialNetwork, power: int) -> GroundNetwork:
    """The ground network as grounding in SQL gives it. Atom 2 a + p is votes(a, p)."""
    n = social.n_persons
    party = (social.bias > 0.0).astype(np.int64)
    rows, columns, values = [np.arange(n)], [2 * np.arange(n) + party], [np.full(n, -1.0)]
    offset = [np.abs(social.bias)]
    template = [np.zeros(n, np.int32)]
    first = n
    for index, pairs in enumerate(social.links.values(), start=1):
        for side in range(2):
            at = first + np.arange(len(pairs))
            rows += [at, at]
            columns += [2 * pairs[:, 1] + side, 2 * pairs[:, 0] + side]
            values += [np.ones(len(pairs)), np.full(len(pairs), -1.0)]
            offset.append(np.zeros(len(pairs)))
            template.append(np.full(len(pairs), index, np.int32))
            first += len(pairs)
    rows.append(first + np.repeat(np.arange(n), 2))
    columns.append(np.arange(2 * n))
    values.append(np.ones(2 * n))
    offset.append(np.full(n, -1.0))
    template.append(np.full(n, -1, np.int32))
    templates = np.concatenate(template)
    shape = (templates.size, 2 * n)
    A = csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape
    )
    T = WEIGHTS.size
    sums = np.zeros((T, 2))
    return GroundNetwork(
        A=A,
        b=np.concatenate(offset),
        template=templates,
        scale=None,
        relation=np.where(templates < 0, Relation.AT_MOST, Relation.HINGE).astype(np.int8),
        power=np.full(T, power, np.int8),
        unit=csr_array((2 * n, T)),
        constant=np.zeros(T),
        groundings=np.zeros((T, 3), np.int64),
        blocks=Blocks.none(2 * n),
        world=np.zeros(2 * n, np.int32),
        unit_scale=sums,
        evidence_satisfied=sums,
        evidence_violated=sums,
        domain=Domain.UNIT,
    )


def write_files(social: SocialNetwork, power: int, directory: Path) -> None:
    """`model.psl`, `model.data` and the files it names: what both systems start from."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "model.psl").write_text(program_text(power))
    data = ["predicates:", "  Votes/2: open", "  Bias/2: closed"]
    data += [f"  {name}/2: closed" for name in RELATIONS]
    data += ["", "observations:", "  Bias: bias.tsv"] + [
        f"  {name}: {name}.tsv" for name in RELATIONS
    ]
    data += ["", "targets:", "  Votes: votes.tsv", ""]
    (directory / "model.data").write_text("\n".join(data))
    persons = np.arange(social.n_persons)
    party = (social.bias > 0.0).astype(np.int64)
    with (directory / "bias.tsv").open("w") as out:
        out.writelines(f"{a}\t{p}\t{abs(v):.6f}\n" for a, p, v in zip(persons, party, social.bias))
    for name, pairs in social.links.items():
        with (directory / f"{name}.tsv").open("w") as out:
            out.writelines(f"{a}\t{b}\n" for a, b in pairs)
    with (directory / "votes.tsv").open("w") as out:
        out.writelines(f"{a}\t{p}\n" for a in persons for p in (0, 1))
