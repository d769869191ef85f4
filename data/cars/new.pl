% Three cars of another yard, without labels.
near(g, h).
near(h, i).
red(h).
speed(g, 12).
speed(h, 30).
speed(i, 55).
