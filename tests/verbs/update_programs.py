"""Small programs whose facts change, one for each thing that a grounding takes from its facts."""

from __future__ import annotations

from tests.verbs.update_models import Model
from tests.verbs.update_valued import VALUED

SOFT = """
1.0: Knows(A, B) & Trusts(A, B) -> Trusts(B, A)
2.0: Knows(A, B) & Knows(B, C) & Trusts(A, B) & (A != C) -> Trusts(A, C) ^2
0.5: !Trusts(A, B)
Trusts(A, +B) <= 2.
"""
RELATIONAL = {
    "smokers": Model(
        """
Friends(person, person)
Smokes(person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
-0.5 Smokes(x)
""",
        "Smokes,Cancer",
        "Friends/pp Smokes/p Cancer/p",
    ),
    "hard": Model(
        """
Boss(person, person)
Works(person, place)
Likes(person, person)
!Boss(x, x).
Boss(x, y) ^ Works(x, p) => Works(y, p).
0.7 Likes(x, y) => Likes(y, x)
0.9 Likes(x, y) ^ Works(x, +p) => Works(y, p)
-0.3 EXIST p Works(x, p)
0.4 Boss(x, y) v !Likes(x, y)
""",
        "Works,Likes",
        "Boss/pp Works/pl Likes/pp",
    ),
    "blocks": Model(
        """
Near(person, person)
Home(person, place!)
Seen(person, place)
1.2 Seen(x, p) => Home(x, p)
0.8 Near(x, y) ^ Home(x, p) => Home(y, p)
0.3 Home(x, +p)
""",
        "Home",
        "Near/pp Seen/pl Home/pl",
    ),
    "atmost": Model(
        """
Near(person, person)
Home(person, place?)
Seen(person, place)
1.2 Seen(x, p) => Home(x, p)
0.8 Near(x, y) ^ Home(x, p) => Home(y, p)
Near(x, y) ^ Home(x, Rome) => !Home(y, Oslo).
-0.3 Home(x, +p)
""",
        "Home",
        "Near/pp Seen/pl Home/pl",
    ),
    "functions": Model(
        """
person MotherOf(person)
Tall(person)
Friends(person, person)
1.2 Tall(MotherOf(x)) => Tall(x)
-0.4 Tall(x)
0.7 Friends(x, y) ^ Tall(x) => Tall(y)
0.5 Friends(x, MotherOf(y)) => Tall(y)
""",
        "Tall",
        "Friends/pp Tall/p MotherOf/=pp",
    ),
    "exist": Model(
        """
person = {Anna, Bob}
Friends(person, person)
Smokes(person)
Calm(person)
1.3 Smokes(x) => (EXIST y (Friends(x, y) ^ Smokes(y)))
0.6 Calm(x) => (FORALL y !Friends(x, y))
EXIST x Smokes(x).
-0.8 Smokes(x)
0.5 Calm(x) v Smokes(x)
""",
        "Smokes,Calm",
        "Friends/pp Smokes/p Calm/p",
    ),
    "plus": Model(
        """
Word(page, word)
Link(page, page)
Topic(page, topic!)
0.9 Word(p, +w) ^ Topic(p, +t)
0.6 Link(p, q) ^ Topic(p, t) => Topic(q, t)
Word(p, Red) => !Topic(p, Oslo).
""",
        "Topic",
        "Word/pw Link/pp Topic/pl",
    ),
    "hiddens": Model(
        """
Wrote(person, page)
Expert(person)
Good(page)
1.1 Wrote(x, p) ^ Expert(x) => Good(p)
0.6 Wrote(x, p) ^ Good(p) => Expert(x)
-0.2 Expert(x)
-0.3 Good(p)
0.2 EXIST p (Wrote(x, p) ^ Good(p))
""",
        "Good",
        "Wrote/pl Expert/p Good/l",
    ),
    "iff": Model(
        """
Friends(person, person)
Smokes(person)
2 Smokes(x) <=> Friends(x, x)
1.1 Friends(x,y) => (Smokes(x) <=> Smokes(y))
0.3 *Friends(x, Anna) ^ Smokes(x)
-1 Smokes(x) v Smokes(Bob)
""",
        "Smokes",
        "Friends/pp Smokes/p",
    ),
}
MODELS = RELATIONAL | VALUED
SMOKERS = MODELS["smokers"].rules
