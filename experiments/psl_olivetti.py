"""Image completion on the Olivetti faces by neighbours and mirrors (Bach et al. 2017, 7.4)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from experiments.experiment import Experiment, Reproduction
from workbench.arrays import Bool, Float, Int64
from workbench.inference import make_engine
from workbench.inference.elsewhere import cpu_seconds
from workbench.learning import Example, make_learner
from workbench.learning.training import condition
from workbench.network import Domain, GroundNetwork, Templates, network_from_rows

SIDE = 64
TRAINING_IMAGES = 100
TEST_IMAGES = 50


def _pairs(side: int) -> Iterator[tuple[Int64, Int64, bool]]:
    """For each direction: pixels, the pixels they follow, and whether there are opposed ones."""
    index = np.arange(side * side).reshape(side, side)
    inner = slice(1, None), slice(None, -1)
    yield index[inner[0]].ravel(), index[inner[1]].ravel(), True
    yield index[inner[1]].ravel(), index[inner[0]].ravel(), True
    yield index[:, 1:].ravel(), index[:, :-1].ravel(), True
    yield index[:, :-1].ravel(), index[:, 1:].ravel(), True
    yield index.ravel(), index[:, ::-1].ravel(), False
    yield index.ravel(), index[::-1].ravel(), False


def face_network(side: int = SIDE) -> tuple[GroundNetwork, Templates]:
    """The network over all pixels of one picture, one template per pixel and rule.

    `Bright(q) -> Bright(p)` and `!Bright(q) -> !Bright(p)` for every neighbour and mirror pixel q
    of p, and the two rules of opposed signs for neighbours: squared hinges of `q - p`, `p - q`, `p
    + q - 1`, `1 - p - q`.
    """
    signs, offsets, pixels, others = [], [], [], []
    for pixel, other, opposed in _pairs(side):
        forms = [(-1.0, 1.0, 0.0), (1.0, -1.0, 0.0)] + (
            [(1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)] if opposed else []
        )
        for own, follow, offset in forms:
            pixels.append(pixel)
            others.append(other)
            signs.append(np.tile([own, follow], (pixel.size, 1)))
            offsets.append(np.full(pixel.size, offset))
    pixel, other = np.concatenate(pixels), np.concatenate(others)
    m, n = pixel.size, side * side
    columns = np.stack([pixel, other], axis=1).ravel()
    A = csr_array(
        (np.concatenate(signs).ravel(), (np.repeat(np.arange(m), 2), columns)), shape=(m, n)
    )
    index = np.arange(m, dtype=np.int32)
    network = network_from_rows(
        A, np.concatenate(offsets), index, power=np.full(m, 2), domain=Domain.UNIT
    )
    label = tuple(f"pixel {p} follows {q}" for p, q in zip(pixel, other))
    return network, Templates(
        np.ones(m), np.zeros(m, np.bool_), index, index * 0, np.ones(m), label
    )


def observe(network: GroundNetwork, image: Float, missing: Bool) -> GroundNetwork:
    """The network of a picture whose pixels are known except where `missing`, shape (n_pixels,)."""
    clamped = condition(network, np.where(missing, np.nan, image))
    return clamped.take_rows(np.flatnonzero(np.diff(clamped.A.indptr)))


def measure(run: Reproduction, iterations: int = 200) -> None:
    """Train on random halves of the pixels of the first pictures; complete half of each of the last
    fifty.

    Parameters
    ----------
    iterations : int
        200 in the authors' released program.
    """
    faces = (
        np.load(run.directory / "hlmrf" / "olivetti" / "faces.npz")["faces"].reshape(
            -1, SIDE * SIDE
        )
        / 255.0
    )
    training, tested = faces[:TRAINING_IMAGES], faces[-TEST_IMAGES:][: run.folds]
    network, templates = face_network()
    column, row = np.arange(SIDE * SIDE) % SIDE, np.arange(SIDE * SIDE) // SIDE
    missing = {"left": column < SIDE // 2, "bottom": row >= SIDE // 2}
    run.measured.notes.append(
        f"Trained on {len(training)} pictures with {iterations} perceptron steps (100 and 200 in "
        "the authors' released program); one weight per pixel and rule. Folds are test pictures."
    )
    for system in run.systems:
        with run.measured.timed(system):
            weights = templates.weight
            if system == "HL-MRF-Q MLE":
                learner = make_learner(
                    "hinge_perceptron", step=5.0, iterations=iterations, start=None
                )
                weights = learner.fit(
                    _halves(network, training), templates, progress=run.progress
                ).weights
            for number, image in enumerate(tested):
                run.progress.step(system, number, len(tested))
                for half, hole in missing.items():
                    if system == "nearest neighbour":
                        distance = ((faces[:-TEST_IMAGES, ~hole] - image[~hole]) ** 2).sum(axis=1)
                        completed = faces[int(np.argmin(distance))]
                    else:
                        completed = (
                            make_engine("admm", "map")
                            .solve(observe(network, image, hole), weights)
                            .values
                        )
                    error = float(np.mean((255.0 * (completed - image)[hole]) ** 2))
                    run.measured.add(
                        system, f"Olivetti, {half} half", f"picture {number + 1}", {"MSE": error}
                    )


def _halves(network: GroundNetwork, images: Float) -> list[Example]:
    """Each picture with a random half of its pixels to be predicted from the other half."""
    rng = np.random.default_rng(2013)
    examples = []
    for image in images:
        hidden = rng.permutation(image.size) < image.size // 2
        # Pixels outside the hidden half occur in no row; they count as labelled at their own value.
        examples.append(Example(observe(network, image, hidden), image))
    return examples


EXPERIMENTS = (
    Experiment.described(
        "psl-olivetti", measure, ("HL-MRF-Q MLE", "nearest neighbour"), clock=cpu_seconds
    ),
)
