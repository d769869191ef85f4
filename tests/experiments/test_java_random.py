"""Java's generator, against the known first numbers of `java.util.Random` for seeds 0 and 42."""

from __future__ import annotations

from experiments.java_random import JavaRandom


def _signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number


def test_integers_of_seed_zero() -> None:
    generator = JavaRandom(0)
    assert [_signed(generator.bits(32)) for _ in range(3)] == [-1155484576, -723955400, 1033096058]


def test_bounded_integers() -> None:
    generator = JavaRandom(42)
    assert [generator.below(10) for _ in range(5)] == [0, 3, 8, 4, 0]
    generator = JavaRandom(42)
    high_bits = JavaRandom(42)
    assert [generator.below(8) for _ in range(50)] == [high_bits.bits(3) for _ in range(50)]
    generator = JavaRandom(7)
    drawn = [generator.below(3) for _ in range(3000)]
    assert set(drawn) == {0, 1, 2}
    assert 900 < drawn.count(1) < 1100
