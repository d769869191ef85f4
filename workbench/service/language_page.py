"""The rules language on one page, for a reader with little room."""

__all__ = ["LANGUAGE_PAGE"]

LANGUAGE_PAGE = """# Rules on one page

Two languages, told apart by the text: **Markov logic** (MLN) for yes/no, **soft logic** (PSL) for degrees in [0, 1].

## Markov logic
```
// declare each predicate once, types in small letters
Friends(person, person)
Smokes(person)
Age(person, number)          // number, date, text are values
1.5 Smokes(x) => Cancer(x)               // weight first
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
-0.5 Smokes(x)                           // negative: usually false
Boss(x, y) => !Boss(y, x).               // full stop, no weight: must hold
Likes(x, y) ^ x != y => Likes(y, x)      // no weight: to be learned
Reads(x, +topic) => Cites(x)             // one weight a topic
Home(person, place!)                     // exactly one place a person; ? at most one
0.3 * a: Age(x, a) ^ a > 30 => Late(x)   // weight times a number
Peers(x, y) := Directs(x, c) ^ Directs(y, c) ^ x != y.   // a definition: made before grounding
Count(x, n) := n = count(c: Directs(x, c)).              // also sum, avg, min, max, share, exists
Same(x, y) open where Surname(x, s) ^ Surname(y, s).     // only these atoms are asked
```
Variables begin small, constants with a capital or in quotes. `^` and, `v` or, `!` not, `=>`, `<=>`, `EXIST x`,
`FORALL x`, `= != < <= > >=`. Predicates with facts are closed (what is not listed is false); those asked about
(query) are open.

## Soft logic
```
1.0: Knows(A, B) & Trusts(A, B) -> Trusts(B, A)      // weights are positive; upper case: variables
2.0: Near(A, B) & Likes(A, X) & (A != B) -> Likes(B, X) ^2
0.5: !Trusts(A, B)
Home(A, +P) = 1.                                     // hard; a sum
```

## Facts
`Friends(Anna, Bob)`, `!Smokes(Eve)` false, `?Smokes(Bob)` unknown, `0.7 Likes(Anna, Bob)` a degree or probability.

## The way
profile or load (predict='table.column' makes its known cells labels and asks for its blanks) -> schema ->
propose_rules, or write rules and check -> learn (weights from labels) -> infer with that run -> explain an atom.
`crossval` scores rules on held-out data.
Status `optimal` or `exact` is proven; `feasible` has a gap between energy and bound; `limit` stopped early.
"""
