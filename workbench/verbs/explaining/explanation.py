"""An explanation as data: what each ground rule adds to an atom, and the sum in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import isinf

from workbench.language.number_scale import NumberScale

_MOST = 3
"""Rules that a sentence names on each side."""
_LEAST = 5e-4
"""Log-odds and pressures below this read as 0.000, and are no reason."""


@dataclass(frozen=True)
class Contribution:
    """What one ground rule adds to an atom's conditional log-odds, or several that are not named
    one by one.

    Attributes
    ----------
    template : int
        -1 for a hard rule.
    rule : str
        As its author wrote it; the clause, where a formula's clauses weigh differently.
    ground : str
        The ground clause, atoms by name; of several, how many there are. Of each rule and set of
        open atoms at most 200 are named. Arithmetic rules are told by their open atoms, and those
        with one open atom are summed.
    contribution : float
        Added to the log-odds of the atom being true (MLN); weighted pressure upwards (PSL).
    distance : float
        The ground rule's distance to satisfaction.
    others : tuple of str
        The other open atoms of the ground rule.
    values : tuple of float
        Their values.
    weight : float
        Of the ground rule, its multiplicity and share included; infinite for a hard one.
    count : int
        How many ground rules it is; 1 where that is not known.
    given : tuple of str
        The atoms of the ground rule that evidence decides.
    given_values : tuple of float
        Their values.
    definitions : tuple of str
        What definitions made some of those atoms of: `Companies(P1, 3): 3 companies: A, B, C`.
    description : str
        The rule in its author's words, where it has any.
    written : str
        The ground rule in the form and the sense that its author gave it, things by what people
        call them: `Friends(Ada, Bo) ^ Smokes(Ada) => Smokes(Bo)`; the ground clause where that is
        all there is to say.
    sense : int
        -1 where `written` is the negation of `ground`: the author's weight is that of the clause
        negated.
    """

    template: int
    rule: str
    ground: str
    contribution: float
    distance: float
    others: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    weight: float = 0.0
    count: int = 1
    given: tuple[str, ...] = ()
    given_values: tuple[float, ...] = ()
    definitions: tuple[str, ...] = ()
    description: str = ""
    written: str = ""
    sense: int = 1

    @property
    def written_weight(self) -> float:
        """The weight of the ground rule as it is written."""
        return self.sense * self.weight

    @property
    def written_distance(self) -> float:
        """How far what is written is from being satisfied."""
        return self.distance if self.sense > 0 else 1.0 - self.distance

    def other_atoms(self) -> str:
        """`Smokes(Bo) = 0.7, Friends(Ada, Bo) = 1`: the ground rule's other atoms, open first."""
        pairs = zip((*self.others, *self.given), (*self.values, *self.given_values))
        return ", ".join(f"{name} = {value:.3g}" for name, value in pairs)


@dataclass(frozen=True)
class Explanation:
    """An atom's value as a sum of contributions, given the rest of the state.

    Attributes
    ----------
    value : float
        The predicted value.
    log_odds : float
        Conditional log-odds at the state, the sum of the contributions (MLN).
    contributions : tuple of Contribution
        Largest magnitude first.
    samples : int
        How many sampled states the log-odds and the contributions are means over; 0 for the one
        state.
    shown : str
        The atom with what people call its things, where tables say it.
    number : bool
        Whether the atom is a number: the contributions add up to it, and there is no probability.
    headings : frozenset of str
        The comments of the program that head several of its rules.
    scale : NumberScale
        What the contributions to a number add up to.
    """

    atom: str
    value: float
    log_odds: float
    probability: float
    contributions: tuple[Contribution, ...]
    language: str = "mln"
    samples: int = 0
    shown: str = ""
    number: bool = False
    headings: frozenset[str] = frozenset()
    scale: NumberScale = NumberScale.PLAIN

    @property
    def summed(self) -> str:
        """What of a number the contributions add up to."""
        return {
            NumberScale.PLAIN: "it",
            NumberScale.POSITIVE: "its logarithm",
            NumberScale.NONNEGATIVE: "the logarithm of the number plus 1",
        }[self.scale]

    def sentence(self) -> str:
        """The explanation in sentences: the value, and the rules that speak for and against it."""
        atom = self.shown or self.atom
        if not self.contributions:
            return f"No rule says anything about {atom}."
        if self.number:
            most = "; ".join(self._reasons(0)) or "none"
            summed = "the sum of what its rules add"
            if self.scale.is_logarithm:
                summed = f"{self.summed}, {self.log_odds:.6g}, is {summed}"
            return f"{atom} is {self.value:.6g}: {summed}, most of it {most}."
        told = [self._judgement(atom)]
        up, down = ("Up", "Down") if self.language == "psl" else ("For it", "Against it")
        for side, sign in ((up, 1), (down, -1)):
            if reasons := self._reasons(sign):
                told.append(f"{side}: {'; '.join(reasons)}.")
        return " ".join(told)

    def _judgement(self, atom: str) -> str:
        if self.language == "psl":
            return f"{atom} has truth value {self.value:.3g}."
        if self.value in (0.0, 1.0):
            value = f"{atom} is predicted {'true' if self.value else 'false'}."
        else:
            value = f"{atom} is true with probability {_rounded(self.value)}."
        if isinf(self.log_odds):
            return f"{value} A hard rule leaves nothing else, everything else as predicted."
        given = (
            f"on average over {self.samples} sampled states"
            if self.samples
            else "everything else as predicted"
        )
        return (
            f"{value} Its rules, {given}, add up to log-odds of {self.log_odds:+.3f}, "
            f"a probability of {_rounded(self.probability)}."
        )

    def _reasons(self, sign: int) -> list[str]:
        """The rules whose sums have a sign, or any (0), largest first; beyond the third as one."""
        words = self.words()
        form = "+.6g" if self.number else "+.3f"
        parts = [
            (words[rule], total)
            for rule, total, _ in self.by_rule()
            if (abs(total) >= _LEAST if sign else total) and sign * total >= 0
        ]
        told = [
            f"{said.rstrip('. ')} (a hard rule)" if isinf(total) else f"{said} ({total:{form}})"
            for said, total in parts[:_MOST]
        ]
        if len(parts) > _MOST:
            rest = sum(total for _, total in parts[_MOST:])
            told.append(f"{len(parts) - _MOST} more ({rest:{form}})")
        return told

    def definitions(self) -> tuple[str, ...]:
        """What definitions made the contributions' atoms of, each once: `Companies(P1, 3): ...`."""
        return tuple(
            dict.fromkeys(line for item in self.contributions for line in item.definitions)
        )

    def words(self) -> dict[str, str]:
        """What each rule is called where people read: its description, with the rule itself where
        several share it; else the rule.
        """
        described = {item.rule: item.description for item in self.contributions}
        return dict(zip(described, names_of_rules(described.values(), described, self.headings)))

    def by_rule(self) -> list[tuple[str, float, int]]:
        """Contributions summed by rule: (rule, sum, ground rules), largest magnitude first."""
        sums: dict[str, list[float]] = {}
        for item in self.contributions:
            entry = sums.setdefault(item.rule, [0.0, 0])
            entry[0] += item.contribution
            entry[1] += item.count
        ordered = sorted(sums.items(), key=lambda pair: -abs(pair[1][0]))
        return [(rule, total, int(count)) for rule, (total, count) in ordered]


def names_of_rules(
    descriptions: Iterable[str], rules: Iterable[str], headings: Collection[str] = ()
) -> list[str]:
    """What rules are called where people read, each differently: by the comment above them, with
    the rule itself where a comment heads several, of these or, as `headings`, of others too.
    """
    pairs = list(zip(descriptions, rules))
    heads = headings_of(said for said, _ in pairs) | set(headings)
    return [
        rule if not said else f"{said}: {rule}" if said in heads else said for said, rule in pairs
    ]


def headings_of(descriptions: Iterable[str]) -> frozenset[str]:
    """The comments that head several rules."""
    return frozenset(said for said, times in Counter(descriptions).items() if times > 1)


def _rounded(probability: float) -> str:
    """Three digits of a probability; one that is nearly certain is not said to be so."""
    nearly = 0.0 < 1.0 - probability < 0.0005
    return "more than 0.999" if nearly else f"{probability:.3g}"
