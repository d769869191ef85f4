% Sixty cars in a yard: a good one is usually parked near a red one. Made up; Aleph's format in one file.
:- modeh(1, good(+car)).
:- modeb(*, near_red(+car)).
:- modeb(*, near(+car, -car)).
:- modeb(*, speed(+car, -speed)).
:- modeb(*, gteq(+speed, #speed)).
:- set(noise, 5).
:- set(minpos, 3).
:- set(clauselength, 3).

near_red(X) :- near(X, Y), red(Y).
gteq(X, Y) :- number(X), number(Y), X >= Y.

near(c0, c53).
near(c1, c49).
near(c1, c54).
near(c2, c38).
near(c3, c2).
near(c3, c30).
near(c4, c36).
near(c5, c19).
near(c5, c34).
near(c6, c28).
near(c10, c39).
near(c11, c51).
near(c12, c56).
near(c13, c13).
near(c14, c32).
near(c15, c38).
near(c17, c21).
near(c17, c26).
near(c18, c1).
near(c19, c9).
near(c20, c48).
near(c21, c0).
near(c24, c4).
near(c24, c45).
near(c25, c6).
near(c25, c26).
near(c25, c28).
near(c26, c48).
near(c28, c37).
near(c28, c55).
near(c29, c20).
near(c29, c28).
near(c29, c41).
near(c31, c0).
near(c32, c30).
near(c32, c54).
near(c33, c4).
near(c33, c14).
near(c35, c54).
near(c35, c59).
near(c37, c12).
near(c39, c41).
near(c40, c12).
near(c40, c18).
near(c40, c39).
near(c41, c47).
near(c42, c5).
near(c43, c0).
near(c44, c40).
near(c45, c16).
near(c49, c6).
near(c49, c43).
near(c50, c11).
near(c51, c56).
near(c53, c5).
near(c53, c12).
near(c54, c18).
near(c59, c49).
near(c59, c58).
red(c0).
red(c3).
red(c6).
red(c9).
red(c12).
red(c15).
red(c18).
red(c21).
red(c24).
red(c27).
red(c30).
red(c33).
red(c36).
red(c39).
red(c42).
red(c45).
red(c48).
red(c51).
red(c54).
red(c57).
speed(c0, 17).
speed(c1, 18).
speed(c2, 25).
speed(c3, 55).
speed(c4, 16).
speed(c5, 10).
speed(c6, 13).
speed(c7, 39).
speed(c8, 41).
speed(c9, 21).
speed(c10, 53).
speed(c11, 45).
speed(c12, 22).
speed(c13, 38).
speed(c14, 42).
speed(c15, 22).
speed(c16, 56).
speed(c17, 59).
speed(c18, 18).
speed(c19, 36).
speed(c20, 51).
speed(c21, 34).
speed(c22, 17).
speed(c23, 35).
speed(c24, 36).
speed(c25, 23).
speed(c26, 10).
speed(c27, 27).
speed(c28, 47).
speed(c29, 29).
speed(c30, 11).
speed(c31, 23).
speed(c32, 21).
speed(c33, 35).
speed(c34, 48).
speed(c35, 51).
speed(c36, 46).
speed(c37, 16).
speed(c38, 12).
speed(c39, 19).
speed(c40, 23).
speed(c41, 38).
speed(c42, 26).
speed(c43, 10).
speed(c44, 59).
speed(c45, 49).
speed(c46, 31).
speed(c47, 28).
speed(c48, 34).
speed(c49, 14).
speed(c50, 14).
speed(c51, 15).
speed(c52, 23).
speed(c53, 47).
speed(c54, 50).
speed(c55, 25).
speed(c56, 10).
speed(c57, 48).
speed(c58, 33).
speed(c59, 33).

example(good(c0), -1, 0).
example(good(c1), 1, 1).
example(good(c2), -1, 2).
example(good(c3), 1, 3).
example(good(c4), 1, 4).
example(good(c5), -1, 0).
example(good(c6), -1, 1).
example(good(c7), -1, 2).
example(good(c8), -1, 3).
example(good(c9), -1, 4).
example(good(c10), 1, 0).
example(good(c11), 1, 1).
example(good(c12), -1, 2).
example(good(c13), -1, 3).
example(good(c14), -1, 4).
example(good(c15), -1, 0).
example(good(c16), -1, 1).
example(good(c17), 1, 2).
example(good(c18), 1, 3).
example(good(c19), 1, 4).
example(good(c20), 1, 0).
example(good(c21), 1, 1).
example(good(c22), -1, 2).
example(good(c23), -1, 3).
example(good(c24), 1, 4).
example(good(c25), 1, 0).
example(good(c26), 1, 1).
example(good(c27), -1, 2).
example(good(c28), -1, 3).
example(good(c29), -1, 4).
example(good(c30), -1, 0).
example(good(c31), 1, 1).
example(good(c32), 1, 2).
example(good(c33), -1, 3).
example(good(c34), -1, 4).
example(good(c35), 1, 0).
example(good(c36), -1, 1).
example(good(c37), 1, 2).
example(good(c38), -1, 3).
example(good(c39), -1, 4).
example(good(c40), 1, 0).
example(good(c41), 1, 1).
example(good(c42), -1, 2).
example(good(c43), 1, 3).
example(good(c44), -1, 4).
example(good(c45), -1, 0).
example(good(c46), -1, 1).
example(good(c47), -1, 2).
example(good(c48), -1, 3).
example(good(c49), 1, 4).
example(good(c50), -1, 0).
example(good(c51), -1, 1).
example(good(c52), -1, 2).
example(good(c53), 1, 3).
example(good(c54), 1, 4).
example(good(c55), -1, 0).
example(good(c56), -1, 1).
example(good(c57), 1, 2).
example(good(c58), -1, 3).
example(good(c59), -1, 4).
