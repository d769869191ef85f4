"""Small programs that read numbers, dates and texts, by definitions, scopes, weights."""

from __future__ import annotations

from tests.verbs.update_models import Model

VALUED = {
    "defined": Model(
        """
Directs(person, place)
Fraud(person)
Paid(person, number)
Peers(x, y) := Directs(x, c) ^ Directs(y, c) ^ x != y.
Seats(x, n) := n = count(c: Directs(x, c)).
1.3 Peers(x, y) ^ Fraud(x) => Fraud(y)
0.2 * n: Seats(x, n) => Fraud(x)
-0.4 Fraud(x)
""",
        "Fraud",
        "Directs/pl Fraud/p Paid/pn",
    ),
    "dated": Model(
        """
Starts(person, date)
Crash(person, date)
Friends(person, person)
Dnf(person, date)
Dnf(d, t) open where Starts(d, t).
Crashes(d, t, n) := Starts(d, t) ^ n = count(s: Crash(d, s) ^ s < t).
0.8 * n: Crashes(d, t, n) => Dnf(d, t)
-0.4 Dnf(d, t)
0.6 Dnf(d, t) ^ Starts(d, t) ^ Starts(e, t) ^ Friends(d, e) => Dnf(e, t)
""",
        "Dnf",
        "Starts/pd Crash/pd Friends/pp Dnf/pd",
    ),
    "recent": Model(
        """
Drove(person, place)
On(place, date)
Seen(person, date)
Likes(person, person)
Risky(person)
Recent(d, n) := n = count(r: Drove(d, r) ^ On(r, t) ^ t > $now - 365).
0.5 * n: Recent(d, n) => Risky(d)
-0.7 Risky(x)
0.3 Seen(x, t) => Risky(x)
0.6 Likes(x, y) ^ Risky(x) => Risky(y)
""",
        "Risky",
        "Drove/pl On/ld Seen/pd Likes/pp Risky/p",
    ),
    "recursive": Model(
        """
Edge(person, person)
Node(person)
Marked(person)
Age(person, number)
Reach(x, z) := Edge(x, z).
Reach(x, z) := Reach(x, y) ^ Edge(y, z).
Apart(x, y) := Node(x) ^ Node(y) ^ !Reach(x, y).
Oldest(x, n) := n = max(a: Reach(x, y) ^ Age(y, a)).
Total(x, n) := n = sum(a: Edge(x, y) ^ Age(y, a)).
Part(x, r) := r = share(y: Edge(x, y), Node(y)).
Any(x, e) := e = exists(y: Edge(x, y) ^ Node(y)).
1.1 Reach(x, y) ^ Marked(x) => Marked(y)
0.4 Apart(x, y) => Marked(x)
0.1 * n: Oldest(x, n) => Marked(x)
-0.05 * n: Total(x, n) => Marked(x)
0.7 * r: Part(x, r) => Marked(x)
0.2 * e: Any(x, e) => !Marked(x)
-0.3 Marked(x)
""",
        "Marked",
        "Edge/pp Node/p Marked/p Age/pn",
    ),
    "weights": Model(
        """
Similar(person, person, number)
Same(person, person)
Base(person)
w: !Similar(x,y,w) v Same(x,y)
0.5 Same(x,y) => Same(y,x)
-0.2 Same(x,y)
0.9 Base(x) ^ Base(y) => Same(x, y)
!Same(x, x).
""",
        "Same",
        "Similar/ppn Same/pp Base/p",
    ),
    "scoped": Model(
        """
Surname(person, place)
Born(person, number)
Same(person, person)
Same(x, y) open where Surname(x, s) ^ Surname(y, s) ^ x != y.
0.4 Born(x, n) ^ Born(y, n) => Same(x, y)
-0.3 Same(x, y)
1.0 Same(x, y) ^ Same(y, z) => Same(x, z)
Same(x, y) => Same(y, x).
""",
        "Same",
        "Surname/pl Born/pn Same/pp",
    ),
    "texts": Model(
        """
Named(person, text)
Knows(person, person)
Twin(person, person)
Twin(x, y) open where Named(x, s) ^ Named(y, t) ^ x != y ^ jaro_winkler(s, t) > 0.6.
1.0 * tfidf(s, t): Named(x, s) ^ Named(y, t) => Twin(x, y)
0.8 Knows(x, y) => !Twin(x, y)
-0.2 Twin(x, y)
""",
        "Twin",
        "Named/pt Knows/pp",
    ),
    "binned": Model(
        """
Age(person, number)
Likes(person, person)
Fraud(person)
0.5 * standardised(a): Age(x, a) => Fraud(x)
0.4 Age(x, a) ^ +bin(a, 2) => Fraud(x)
0.4 Likes(x, y) ^ Fraud(x) => Fraud(y)
-0.1 Fraud(x)
""",
        "Fraud",
        "Age/pn Likes/pp Fraud/p",
    ),
    "numbers": Model(
        """
Area(house, number)
Near(house, house)
Old(house)
Price(house) = number
2.5 * a: Area(x, a) => Price(x)
-1.5 Old(x) ^ Price(x)
0.5 Near(x, y) ^ Old(y) => Price(x)
7 Price(x)
""",
        "Price",
        "Area/pn Near/pp Old/p",
    ),
}
